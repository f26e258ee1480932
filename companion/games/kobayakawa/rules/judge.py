"""Kobayakawa's rulings on what people choose: one small function per verb, and the table of who may when.

Verbs and values: `start`; `dealt`; `kobayakawa` 7; `draw`; `discard` 7; `done`; `replace`; `neither`;
`fight`; `pass`; `show` 7.
"""

from collections.abc import Iterable, Mapping
from functools import reduce

from companion.core.actions import Action, Micros, Seat
from companion.core.events import Event, Events
from companion.core.verbs import Verb, judged, no, verb
from companion.games.kobayakawa.rules import events as ev
from companion.games.kobayakawa.rules import numbers, payout
from companion.games.kobayakawa.rules.evolve import evolve
from companion.games.kobayakawa.rules.showdown import stake
from companion.games.kobayakawa.rules.state import OPEN, ROUND, TAKING, UNREAD, KobayakawaState, Phase


def folded(state: KobayakawaState, events: Iterable[Event]) -> KobayakawaState:
    """The state after further rulings."""
    return reduce(evolve, events, state)  # type: ignore[arg-type]  # only this game's events are made here


# The deal ---------------------------------------------------------------------------------------------------


def started(state: KobayakawaState, action: Action, at: Micros) -> Events:
    """The youngest player begins."""
    return (ev.StarterChosen(action.seat),)


def dealt(state: KobayakawaState, action: Action, at: Micros) -> Events:
    """Everybody has a card; the open one was seen meanwhile, or is asked for."""
    seen = state.lies(OPEN)
    if seen > UNREAD:
        return begun(state, seen, watched=True)
    return (ev.KobayakawaAsked(action.seat),)


def begun(state: KobayakawaState, number: int, *, watched: bool) -> Events:
    """A round begins with this Kobayakawa."""
    order, deciding = state.dealt_in, bool(state.deciding)
    return (ev.RoundBegan(order[0], state.round + 1, number, order, state.ends, watched, deciding),)


def open_card(state: KobayakawaState, action: Action, at: Micros) -> Events:
    """The number of the Kobayakawa, said instead of read."""
    if not numbers.is_number(state, action.value):
        return no("number.unknown", action.seat)
    number = int(action.value or 0)
    match state.phase:
        case Phase.DEALING | Phase.REVEALING:
            return begun(state, number, watched=False)
        case Phase.SHOWDOWN:
            return recalled(state, number, by_hand=True)
    return replaced(state, number, by_hand=True)


# Draw or replace --------------------------------------------------------------------------------------------


def drawn(state: KobayakawaState, action: Action, at: Micros) -> Events:
    """A card is drawn; if the open one is there already, that is all."""
    seen = state.lies(f"discard:{state.zone(action.seat)}")
    events: Events = (ev.CardDrawn(action.seat),)
    if seen <= UNREAD:
        return events
    return (*events, *discarded(folded(state, events), seen, by_hand=False))


def discard_said(state: KobayakawaState, action: Action, at: Micros) -> Events:
    """The number of an open card, said instead of read: the one just laid, or one that nobody could read."""
    if not numbers.is_number(state, action.value):
        return no("number.unknown", action.seat)
    number = int(action.value or 0)
    if state.phase in TAKING and action.seat == state.actor:
        return discarded(state, number, by_hand=True)
    if not can_name(state, action.seat):
        return no("turn.not_now", action.seat)
    return read_late(state, action.seat, number, by_hand=True)


def can_name(state: KobayakawaState, seat: Seat) -> bool:
    """Whether an open card of this player is there whose number nobody knows."""
    return state.phase in ROUND and state.hands[seat].discard == UNREAD


def read_late(state: KobayakawaState, seat: Seat, number: int, *, by_hand: bool) -> Events:
    """The number of an open card becomes known after its turn."""
    events, believed = numbers.claimed(state, numbers.discard(seat), number, seat=seat, by_hand=by_hand)
    return (*events, ev.DiscardRead(seat, number)) if believed else events


def discarded(state: KobayakawaState, number: int, *, by_hand: bool) -> Events:
    """One of the two cards lies open; the camera's doubtful number is left unread.

    Whoever says a number that is doubted has drawn all the same (O-T40).
    """
    seat = state.actor
    assert seat is not None
    events: Events = () if state.phase is Phase.DISCARDING else (ev.CardDrawn(seat),)
    doubts, believed = numbers.claimed(state, numbers.discard(seat), number, seat=seat, by_hand=by_hand)
    events += doubts
    if not believed:
        if by_hand:
            return events
        number = UNREAD
    return (*events, *taken(folded(state, events), ev.CardDiscarded(seat, number, state.turn + 1)))


def laid(state: KobayakawaState, action: Action, at: Micros) -> Events:
    """One of the two cards lies open, and nobody needs its number."""
    return taken(state, ev.CardDiscarded(action.seat, UNREAD, state.turn + 1))


def replacing(state: KobayakawaState, action: Action, at: Micros) -> Events:
    """The deck's top card comes onto the Kobayakawa; if it is there already, that is all.

    Nobody looks at it before: with the drawn card in the hand it is too late.
    """
    if state.phase is Phase.DISCARDING:
        return no("draw.looked", action.seat)
    seen = state.lies(OPEN)
    events: Events = (ev.ReplaceAnnounced(action.seat),)
    if seen <= UNREAD or seen in state.opened:
        return events
    return (*events, *replaced(folded(state, events), seen, by_hand=False))


def replaced(state: KobayakawaState, number: int, *, by_hand: bool) -> Events:
    """A new Kobayakawa; a doubtful one is asked for."""
    seat = state.actor
    assert seat is not None
    target = numbers.opened(len(state.opened))
    doubts, believed = numbers.claimed(state, target, number, seat=seat, by_hand=by_hand)
    if not believed:
        asks = state.phase is not Phase.REPLACING
        return (*((ev.ReplaceAnnounced(seat),) if asks else ()), *doubts)
    right: Events = (ev.PutRight(OPEN),) if OPEN in state.misplaced else ()
    events = (*doubts, *right)
    return (*events, *taken(folded(state, events), ev.KobayakawaReplaced(seat, number, state.turn + 1)))


def recalled(state: KobayakawaState, number: int, *, by_hand: bool) -> Events:
    """The number of a Kobayakawa that had come into doubt."""
    target = numbers.opened(len(state.opened) - 1)
    doubts, believed = numbers.claimed(state, target, number, seat=None, by_hand=by_hand)
    if not believed:
        return doubts
    events: Events = (*doubts, ev.KobayakawaRead(number))
    return (*events, *payout.settled(folded(state, events)))


def neither(state: KobayakawaState, action: Action, at: Micros) -> Events:
    """OA1: the player in turn does neither."""
    if not state.options.draw_optional:
        return no("draw.must", action.seat)
    return taken(state, ev.DrawSkipped(action.seat, state.turn + 1))


def taken(state: KobayakawaState, event: Event) -> Events:
    """A turn of drawing is over; after the last the bets begin, or all show where nothing is staked."""
    events: Events = (event,)
    then = folded(state, events)
    if then.turn < len(then.order):
        return events
    if then.watched and not then.desk.blind:
        events += tuple(ev.DiscardMissing(seat) for seat in then.order if then.hands[seat].discard == UNREAD)
    if then.deciding:
        return (*events, *payout.shown_down(then))
    events += (ev.BettingBegan(then.order[0]),)
    return (*events, *payout.next_bet(folded(state, events)))


# Bets and showdown ------------------------------------------------------------------------------------------


def fought(state: KobayakawaState, action: Action, at: Micros) -> Events:
    """Fight: the stake is paid."""
    paid = stake(state.kamons[action.seat], state.centre)
    events: Events = (ev.Fought(action.seat, paid, state.turn + 1),)
    return (*events, *payout.next_bet(folded(state, events)))


def passed(state: KobayakawaState, action: Action, at: Micros) -> Events:
    """Pass: nothing is paid, nothing is shown."""
    events: Events = (ev.Passed(action.seat, state.turn + 1),)
    return (*events, *payout.next_bet(folded(state, events)))


def shown(state: KobayakawaState, action: Action, at: Micros) -> Events:
    """A fighter's number, said instead of read."""
    if not numbers.is_number(state, action.value):
        return no("number.unknown", action.seat)
    if action.seat not in state.unseen:
        return no("turn.not_now", action.seat)
    return payout.showed(state, action.seat, int(action.value or 0), by_hand=True)


def _actor(state: KobayakawaState) -> Seat | None:
    return state.actor


def speaker(state: KobayakawaState) -> Seat | None:
    """Who says the number of the Kobayakawa."""
    return state.actor if state.phase in TAKING else state.starter


VERBS: Mapping[str, Verb[KobayakawaState]] = {
    "start": verb(started, Phase.STARTING),
    "dealt": verb(dealt, Phase.DEALING, who=lambda state: state.starter),
    "kobayakawa": verb(
        open_card,
        Phase.DEALING,
        Phase.REVEALING,
        Phase.DRAWING,
        Phase.REPLACING,
        Phase.SHOWDOWN,
        who=speaker,
    ),
    "draw": verb(drawn, Phase.DRAWING, Phase.REPLACING, who=_actor),
    "discard": verb(discard_said, *sorted(ROUND)),
    "done": verb(laid, Phase.DISCARDING, who=_actor),
    "replace": verb(replacing, Phase.DRAWING, Phase.DISCARDING, who=_actor),
    "neither": verb(neither, Phase.DRAWING, who=_actor),
    "fight": verb(fought, Phase.BETTING, who=_actor),
    "pass": verb(passed, Phase.BETTING, who=_actor),
    "show": verb(shown, Phase.SHOWDOWN),
}


def judge(state: KobayakawaState, action: Action, at: Micros) -> Events:
    """The ruling on an action, whether it is legal or not."""
    known = state.phase is Phase.SHOWDOWN and state.kobayakawa != UNREAD
    if known and action.verb == "kobayakawa" and action.seat in range(state.players):
        return no("turn.not_now", action.seat)
    return judged(VERBS, state, action, at)
