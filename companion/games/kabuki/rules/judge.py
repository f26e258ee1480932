"""Kabuki's rulings on what people choose: one small function per verb, and the table that says who may when.

Verbs and values: `begin`; `draw`; `show` "heron"; `put`; `place` 3 or "heron@3" (design, stack); `name`
"heron@3"; `point` 1 or -1; `deck_empty`; `stop`; `newer`; `older`; `first` seat; `look`; `withdraw`;
`twins` 2; `restored`; `reopen`.
"""

from collections.abc import Mapping

from companion.core.actions import Action, Micros, Seat
from companion.core.events import Events
from companion.core.verbs import Verb, judged, no, verb
from companion.games.kabuki.rules import events as ev
from companion.games.kabuki.rules import seeing, stops
from companion.games.kabuki.rules.state import (
    DESIGNS,
    MOST_TWINS,
    STACKS,
    UNREAD,
    KabukiState,
    Phase,
    Placement,
)


def begun(state: KabukiState, action: Action, at: Micros) -> Events:
    """The masks are shuffled and the actors lie open."""
    return (ev.RoundBegan(state.drawer, state.round, state.start),)


def drawn(state: KabukiState, action: Action, at: Micros) -> Events:
    """Under `stop_until=next_draw` the draw closes the window, so it has to be said."""
    if state.options.stop_until != "next_draw" or state.hand.drawn or not state.deck:
        return no("turn.not_now", action.seat)
    return (ev.MaskDrawn(action.seat),)


def shown(state: KabukiState, action: Action, at: Micros) -> Events:
    """The mask was shown to everybody."""
    if action.value not in DESIGNS or state.hand.design or (not state.deck and not state.hand.drawn):
        return no("turn.not_now", action.seat)
    return seeing.mask_shown(state, str(action.value), at)


def put(state: KabukiState, action: Action, at: Micros) -> Events:
    """`placed_by=button`: the placer's own edge is the instant of the placement."""
    if not can_mark(state):
        return no("turn.not_now", action.seat)
    return (ev.PlacementMarked(action.seat, at),)


def can_mark(state: KabukiState) -> bool:
    """Whether the player in turn marks the placement with their button now."""
    hand, asked = state.hand, state.options.placed_by == "button"
    return asked and state.phase is Phase.PLAYING and hand.drawn and hand.marked is None


def placed(state: KabukiState, action: Action, at: Micros) -> Events:
    """A mask was placed, by what the table says; while play is stopped nobody knows since when it lies."""
    target = mask_at(action.value)
    if target is None:
        return no("place.which", action.seat)
    stack, design = target
    calls = state.pending.calls
    pending = state.phase is not Phase.PLAYING and bool(calls)
    clear = state.pending.first - 1 if pending else at
    here = Placement(stack, design, clear, max(clear, at))
    return seeing.arrived(state, here, at, said=True)


def named(state: KabukiState, action: Action, at: Micros) -> Events:
    """The face of an unread mask on top of a stack is said."""
    target = mask_at(action.value)
    if target is None or target[1] == UNREAD:
        return no("place.which", action.seat)
    stack, design = target
    top = state.top(stack)
    if top is None or top.design != UNREAD:
        return no("name.not_unread", action.seat, stack)
    return (ev.MaskRead(stack, design), *stops.sixth(state, design))


def pointed(state: KabukiState, action: Action, at: Micros) -> Events:
    """The shared buttons point at the next stack or the one before."""
    if action.value not in {1, -1} or state.out:
        return no("turn.not_now", action.seat)
    return (ev.Pointed((state.hand.pointer - 1 + int(action.value)) % STACKS + 1),)


def deck_empty(state: KabukiState, action: Action, at: Micros) -> Events:
    """The deck is empty although the count says otherwise (BI2): masks are missing, or were never seen."""
    if not can_be_short(state):
        return no("turn.not_now", action.seat)
    events: Events = (ev.DeckShort(state.deck),)
    then = stops.folded(state, events)
    if not then.out:
        return events
    return (*events, *(stops.by_deck(then) if then.closed else stops.window(then, at)))


def can_be_short(state: KabukiState) -> bool:
    """Whether the table may say that the deck is empty."""
    return state.deck > 0 and state.placed > 0 and state.pending.placement is None


def stopped(state: KabukiState, action: Action, at: Micros) -> Events:
    """Stop, said by touch."""
    return stops.called(state, action.seat, at, "touch")


def meant(state: KabukiState, action: Action, at: Micros) -> Events:
    """The caller says which mask the press was about."""
    lead = lead_of(state)
    if lead is None or action.seat != lead or state.pending.among:
        return no("turn.not_yours", action.seat)
    call = next(call for call in state.pending.calls if call.seat == lead)
    about = next((one for one in stops.candidates(state, call) if one.new == (action.verb == "newer")), None)
    assert about is not None, "both masks are possible where one is asked for"
    return stops.decided(state, call, about, at)


def first(state: KabukiState, action: Action, at: Micros) -> Events:
    """The placer says who called first, where no clock knows."""
    pending, placer = state.pending, asked_of(state)
    if placer is None or action.seat != placer:
        return no("turn.not_yours", action.seat)
    if action.value not in pending.among:
        return no("turn.not_now", action.seat)
    return stops.given(state, int(action.value), (), stops.Candidate(pending.newer, placer), at)


def asked_of(state: KabukiState) -> Seat | None:
    """The placer who is asked whose call was first."""
    if not state.pending.among:
        return None
    return state.drawer if state.pending.newer or state.last is None else state.last.seat


def lead_of(state: KabukiState) -> Seat | None:
    """The seat whose call is asked about."""
    calls = sorted(state.pending.calls, key=lambda call: call.at)
    return next((call.seat for call in calls if stops.candidates(state, call)), None)


def looked(state: KabukiState, action: Action, at: Micros) -> Events:
    """The stack is lifted."""
    assert state.stop is not None
    return (ev.CheckBegan(action.seat, state.stop.stack),)


def withdrawn(state: KabukiState, action: Action, at: Micros) -> Events:
    """The caller takes the Stop back (BA13)."""
    if not state.withdraws:
        return no("stop.withdrawn" if state.options.stop_withdraw else "stop.binding", action.seat)
    assert state.stop is not None
    events: Events = (ev.StopWithdrawn(action.seat), *stops.cooled(state, action.seat, state.stop.at))
    return (*events, *stops.going_on(stops.folded(state, events), at))


def counted(state: KabukiState, action: Action, at: Micros) -> Events:
    """The table says how many twins lie there; said twice against the log, the table's word counts."""
    count = action.value
    if not isinstance(count, int) or isinstance(count, bool) or not 0 <= count <= MOST_TWINS:
        return no("check.count", action.seat, MOST_TWINS)
    return seeing.counted(state, action.seat, count)


def restored(state: KabukiState, action: Action, at: Micros) -> Events:
    """The stack lies as before."""
    return seeing.restored(state, at)


def reopened(state: KabukiState, action: Action, at: Micros) -> Events:
    """The timed window of the last mask begins afresh."""
    return stops.window(state, at)


def mask_at(value: str | int | None) -> tuple[int, str] | None:
    """3 or "heron@3" → the stack and the design, empty where it was not said; None for anything else."""
    if isinstance(value, bool) or value is None:
        return None
    design, _, place = ("", "", str(value)) if isinstance(value, int) else value.partition("@")
    if place not in {str(stack) for stack in range(1, STACKS + 1)} or design not in {UNREAD, *DESIGNS}:
        return None
    return int(place), design


def _drawer(state: KabukiState) -> Seat | None:
    return state.drawer


def _caller(state: KabukiState) -> Seat | None:
    return state.stop.seat if state.stop else None


def _last(state: KabukiState) -> Seat | None:
    return state.last.seat if state.last else None


PLACING = (Phase.PLAYING, Phase.REOPENING, Phase.CALLED, Phase.STOPPED)
"""When a mask may be said to lie: also after a Stop, which may have come later than it."""
VERBS: Mapping[str, Verb[KabukiState]] = {
    "begin": verb(begun, Phase.SHUFFLING, who=_drawer),
    "draw": verb(drawn, Phase.PLAYING, who=_drawer),
    "show": verb(shown, Phase.PLAYING, who=_drawer, area="place"),
    "put": verb(put, Phase.PLAYING, who=_drawer),
    "place": verb(placed, *PLACING, who=_drawer, area="place"),
    "name": verb(named, Phase.PLAYING, Phase.REOPENING, Phase.STOPPED),
    "point": verb(pointed, Phase.PLAYING, who=_drawer),
    "deck_empty": verb(deck_empty, Phase.PLAYING, who=_drawer),
    "stop": verb(stopped, Phase.PLAYING, Phase.CALLED, Phase.ASKING, Phase.STOPPED),
    "newer": verb(meant, Phase.ASKING),
    "older": verb(meant, Phase.ASKING),
    "first": verb(first, Phase.ASKING),
    "look": verb(looked, Phase.STOPPED, who=_caller),
    "withdraw": verb(withdrawn, Phase.STOPPED, who=_caller),
    "twins": verb(counted, Phase.CHECKING, Phase.SHOWING, who=_caller),
    "restored": verb(restored, Phase.RESTORING, who=_caller),
    "reopen": verb(reopened, Phase.REOPENING, who=_last),
}


def judge(state: KabukiState, action: Action, at: Micros) -> Events:
    """The ruling on an action, whether it is legal or not."""
    return judged(VERBS, state, action, at)
