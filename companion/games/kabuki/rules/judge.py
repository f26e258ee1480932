"""Rulings on Kabuki's verbs, one function each, with the table of who may use them when.

Verbs and values: `begin`; `draw`; `show` "heron"; `put`; `place` 3 or "heron@3" (design, stack); `name`
"heron@3"; `point` 1 or -1; `judge_deck_empty`; `stop`; `newer`; `older`; `not_laid`; `first` seat; `look`;
`withdraw`; `twins` 2; `restored`; `reopen`.
"""

from collections.abc import Mapping

from msgspec.structs import replace

from companion.core.actions import Action, Micros, Seat
from companion.core.events import Events, Repaired, apply_events
from companion.core.verbs import VerbRule, define_verb, infraction_ruling, judge_verb
from companion.games.kabuki.rules import camera_rulings, model, stops
from companion.games.kabuki.rules.model import KabukiPhase, KabukiState


def judge_begin(state: KabukiState, action: Action, at: Micros) -> Events:
    """The masks are shuffled and the actors lie open."""
    return (model.KabukiRoundBegan(state.drawer, state.round, state.starting_tokens),)


def judge_draw(state: KabukiState, action: Action, at: Micros) -> Events:
    """Under `stop_until=next_draw` the draw closes the window, so it has to be said."""
    return (model.MaskDrawn(action.seat),)


def can_say_drawn(state: KabukiState) -> bool:
    """Whether the draw has to be said."""
    return state.options.stop_until == "next_draw" and not state.hand.drawn and state.deck > 0


def judge_show(state: KabukiState, action: Action, at: Micros) -> Events:
    """The mask was shown to everybody."""
    if action.value not in model.DESIGNS or state.hand.design or (not state.deck and not state.hand.drawn):
        return infraction_ruling("turn.not_now", action.seat)
    return camera_rulings.show_mask(state, str(action.value), at)


def judge_put(state: KabukiState, action: Action, at: Micros) -> Events:
    """`placed_by=button`: the placer's own edge is the instant of the placement."""
    return (model.PlacementMarked(action.seat, at),)


def can_mark_placement(state: KabukiState) -> bool:
    """Whether the player in turn marks the placement with their button now."""
    hand, asked = state.hand, state.options.placed_by == "button"
    return (
        asked and state.phase is KabukiPhase.PLAYING and hand.design != model.UNREAD and hand.marked is None
    )


def judge_place(state: KabukiState, action: Action, at: Micros) -> Events:
    """A mask was placed, by what the table says; while play is stopped nobody knows since when it lies.

    Where a Stop waits for it, it lay there before (B-T43).
    """
    target = parse_placement(action.value)
    if target is None:
        return infraction_ruling("place.which", action.seat)
    stack, design = target
    calls = state.pending.calls
    pending = state.phase is not KabukiPhase.PLAYING and bool(calls)
    clear = state.pending.first_call_at - 1 if pending else at
    here = model.Placement(stack, design, clear, max(clear, at))
    handled = next((one for one in state.hand.handled if one.stack == stack), None)
    if handled is not None:  # it came to lie when the hand left
        top = state.top(stack)
        here = replace(handled, design=design or (top.design if top else model.UNREAD))
    elif state.asks_where:
        left = state.hand.left
        lay = min(call.earliest for call in calls if left is None or call.at > left)
        here = model.Placement(stack, design, lay - 1, lay)
    return camera_rulings.judge_new_mask(state, here, at, said=True)


def judge_name(state: KabukiState, action: Action, at: Micros) -> Events:
    """The face of an unread mask on top of a stack is said."""
    target = parse_placement(action.value)
    if target is None or target[1] == model.UNREAD:
        return infraction_ruling("place.which", action.seat)
    stack, design = target
    top = state.top(stack)
    if top is None or top.design != model.UNREAD:
        return infraction_ruling("name.not_unread", action.seat, stack)
    return (model.MaskRead(stack, design), *stops.note_sixth_copy(state, design))


def judge_point(state: KabukiState, action: Action, at: Micros) -> Events:
    """The shared buttons point at the next stack or the one before."""
    if action.value not in {1, -1} or state.out:
        return infraction_ruling("turn.not_now", action.seat)
    return (model.StackPointedAt((state.hand.pointer - 1 + int(action.value)) % model.STACK_COUNT + 1),)


def judge_deck_empty(state: KabukiState, action: Action, at: Micros) -> Events:
    """The deck is empty although the count says otherwise (BI2): masks are missing, or were never seen."""
    events: Events = (model.DeckShort(state.deck),)
    then = apply_events(state, events)
    if not then.out:
        return events
    return (*events, *(stops.end_round_by_deck(then) if then.closed else stops.open_window(then, at)))


def can_report_deck_empty(state: KabukiState) -> bool:
    """Whether the table may say that the deck is empty."""
    return state.deck > 0 and state.placed > 0 and state.pending.placement is None


def judge_stop(state: KabukiState, action: Action, at: Micros) -> Events:
    """Stop, said by touch."""
    return stops.call_stop(state, action.seat, at, "touch")


def judge_meant_mask(state: KabukiState, action: Action, at: Micros) -> Events:
    """The caller says which mask the press was about."""
    lead = asked_caller(state)
    if lead is None or action.seat != lead or state.pending.among:
        return infraction_ruling("turn.not_yours", action.seat)
    call = next(call for call in state.pending.calls if call.seat == lead)
    about = next(
        (one for one in stops.candidate_masks(state, call) if one.new == (action.verb == "newer")), None
    )
    assert about is not None, "both masks are possible where one is asked for"
    return stops.decide_stop(state, about, at)


def first(state: KabukiState, action: Action, at: Micros) -> Events:
    """The placer says who called first, where no clock knows."""
    pending, placer = state.pending, asked_of(state)
    if placer is None or action.seat != placer:
        return infraction_ruling("turn.not_yours", action.seat)
    if action.value not in pending.among:
        return infraction_ruling("turn.not_now", action.seat)
    return stops.award_stop(state, int(action.value), (), stops.CandidateMask(pending.newer, placer), at)


def judge_not_laid(state: KabukiState, action: Action, at: Micros) -> Events:
    """No mask was laid unseen: a Stop is about what was seen, and without one nothing changes."""
    denied: Events = (model.LikeDenied(),) if state.hand.handled else ()
    return denied if state.asks_like else (*denied, *stops.assign_stop(apply_events(state, denied), at))


def can_place(state: KabukiState) -> bool:
    """Whether a mask may be said to lie, in a phase in which it may."""
    return state.phase is not KabukiPhase.ASKING or state.asks_where


def asked_of(state: KabukiState) -> Seat | None:
    """The placer who is asked whose call was first."""
    if not state.pending.among:
        return None
    return state.drawer if state.pending.newer or state.last is None else state.last.seat


def asked_caller(state: KabukiState) -> Seat | None:
    """The seat whose call is asked about."""
    calls = sorted(state.pending.calls, key=lambda call: call.at)
    return next((call.seat for call in calls if stops.candidate_masks(state, call)), None)


def judge_look(state: KabukiState, action: Action, at: Micros) -> Events:
    """The stack is lifted."""
    assert state.stop is not None
    return (model.CheckBegan(action.seat, state.stop.stack),)


def judge_withdraw(state: KabukiState, action: Action, at: Micros) -> Events:
    """The caller takes the Stop back (BA13)."""
    if not state.can_withdraw:
        return infraction_ruling(
            "stop.withdrawn" if state.options.stop_withdraw else "stop.binding", action.seat
        )
    assert state.stop is not None
    events: Events = (
        model.StopWithdrawn(action.seat),
        *stops.start_cooldown(state, action.seat, state.stop.at),
    )
    return (*events, *stops.resume_play(apply_events(state, events), at))


def judge_twins(state: KabukiState, action: Action, at: Micros) -> Events:
    """The table says how many twins lie there; said twice against the log, the table's word counts."""
    count = action.value
    if not isinstance(count, int) or isinstance(count, bool) or not 0 <= count <= model.MAX_TWINS:
        return infraction_ruling("check.count", action.seat, model.MAX_TWINS)
    return camera_rulings.judge_count(state, action.seat, count)


def judge_restored(state: KabukiState, action: Action, at: Micros) -> Events:
    """The stack lies as before."""
    return camera_rulings.restore_stack(state, at)


def judge_reopen(state: KabukiState, action: Action, at: Micros) -> Events:
    """The timed window of the last mask begins afresh."""
    return stops.open_window(state, at)


def parse_placement(value: str | int | None) -> tuple[int, str] | None:
    """3 or "heron@3" → the stack and the design, empty where it was not said; None for anything else."""
    if isinstance(value, bool) or value is None:
        return None
    design, _, place = ("", "", str(value)) if isinstance(value, int) else value.partition("@")
    if place not in {str(stack) for stack in range(1, model.STACK_COUNT + 1)} or design not in {
        model.UNREAD,
        *model.DESIGNS,
    }:
        return None
    return int(place), design


def apply_repair(state: KabukiState, repair: Repaired) -> KabukiState:
    """The state with `tokens:seat` and `drawer` as the table says; `ValueError` on other names."""
    tokens, box = list(state.tokens), state.box + sum(state.tokens)
    for name, value in repair.table:
        kind, _, place = name.partition(":")
        if kind == "tokens" and place.isdecimal():
            tokens[int(place)] = int(value)
        elif name == "drawer" and 0 <= int(value) < state.players:
            state = replace(state, drawer=int(value))
        else:
            raise ValueError(name)
    return replace(state, tokens=tuple(tokens), box=box - sum(tokens))


def _drawer(state: KabukiState) -> Seat | None:
    return state.drawer


def _caller(state: KabukiState) -> Seat | None:
    return state.stop.seat if state.stop else None


def _last(state: KabukiState) -> Seat | None:
    return state.last.seat if state.last else None


PLACING_PHASES = (
    KabukiPhase.PLAYING,
    KabukiPhase.REOPENING,
    KabukiPhase.CALLED,
    KabukiPhase.ASKING,
    KabukiPhase.STOPPED,
)
"""When a mask may be said to lie: also after a Stop, which may have come later than it."""
VERBS: Mapping[str, VerbRule[KabukiState]] = {
    "begin": define_verb(judge_begin, KabukiPhase.SHUFFLING, who=_drawer),
    "draw": define_verb(judge_draw, KabukiPhase.PLAYING, who=_drawer, may=can_say_drawn),
    "show": define_verb(judge_show, KabukiPhase.PLAYING, who=_drawer, area="place"),
    "put": define_verb(judge_put, KabukiPhase.PLAYING, who=_drawer, may=can_mark_placement),
    "place": define_verb(judge_place, *PLACING_PHASES, who=_drawer, area="place", may=can_place),
    "name": define_verb(judge_name, KabukiPhase.PLAYING, KabukiPhase.REOPENING, KabukiPhase.STOPPED),
    "point": define_verb(judge_point, KabukiPhase.PLAYING, KabukiPhase.ASKING, who=_drawer, may=can_place),
    "deck_empty": define_verb(judge_deck_empty, KabukiPhase.PLAYING, who=_drawer, may=can_report_deck_empty),
    "stop": define_verb(
        judge_stop, KabukiPhase.PLAYING, KabukiPhase.CALLED, KabukiPhase.ASKING, KabukiPhase.STOPPED
    ),
    "newer": define_verb(judge_meant_mask, KabukiPhase.ASKING, may=lambda state: not state.asks_where),
    "older": define_verb(judge_meant_mask, KabukiPhase.ASKING, may=lambda state: not state.asks_where),
    "not_laid": define_verb(
        judge_not_laid,
        KabukiPhase.ASKING,
        KabukiPhase.PLAYING,
        who=_drawer,
        may=lambda state: state.asks_where or state.asks_like,
    ),
    "first": define_verb(first, KabukiPhase.ASKING),
    "look": define_verb(judge_look, KabukiPhase.STOPPED, who=_caller),
    "withdraw": define_verb(judge_withdraw, KabukiPhase.STOPPED, who=_caller),
    "twins": define_verb(judge_twins, KabukiPhase.CHECKING, KabukiPhase.SHOWING, who=_caller),
    "restored": define_verb(judge_restored, KabukiPhase.RESTORING, who=_caller),
    "reopen": define_verb(judge_reopen, KabukiPhase.REOPENING, who=_last),
}


def judge(state: KabukiState, action: Action, at: Micros) -> Events:
    """The ruling on an action, whether it is legal or not."""
    return judge_verb(VERBS, state, action, at)
