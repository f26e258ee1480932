"""Rulings on Kobayakawa's verbs, one function each, with the table of who may use them when.

Verbs and values: `start`; `dealt`; `kobayakawa` 7; `draw`; `discard` 7; `done`; `replace`; `neither`;
`fight`; `pass`; `show` 7.
"""

from collections.abc import Iterable, Mapping
from functools import reduce

from companion.core.actions import Action, Micros, Seat
from companion.core.events import Event, Events
from companion.core.rules import VerbRule, define_verb, infraction_ruling, judge_verb
from companion.games.kobayakawa.rules import events as ev
from companion.games.kobayakawa.rules import number_checks, payout
from companion.games.kobayakawa.rules.evolve import evolve
from companion.games.kobayakawa.rules.showdown import fight_cost
from companion.games.kobayakawa.rules.state import (
    DRAW_PHASES,
    KOBAYAKAWA_REGION,
    ROUND_PHASES,
    UNREAD,
    KobayakawaPhase,
    KobayakawaState,
)


def apply_events(state: KobayakawaState, events: Iterable[Event]) -> KobayakawaState:
    """The state after further rulings."""
    return reduce(evolve, events, state)  # type: ignore[arg-type]  # only this game's events are made here


# The deal ---------------------------------------------------------------------------------------------------


def judge_start(state: KobayakawaState, action: Action, at: Micros) -> Events:
    """The youngest player begins."""
    return (ev.StarterChosen(action.seat),)


def judge_deal(state: KobayakawaState, action: Action, at: Micros) -> Events:
    """Everybody has a card; the open one was seen meanwhile, or is asked for."""
    seen = state.last_seen_number(KOBAYAKAWA_REGION)
    if seen > UNREAD:
        return begin_round(state, seen, watched=True)
    return (ev.KobayakawaAsked(action.seat),)


def begin_round(state: KobayakawaState, number: int, *, watched: bool) -> Events:
    """A round begins with this Kobayakawa."""
    order, deciding = state.dealt_in, bool(state.deciding)
    return (
        ev.KobayakawaRoundBegan(
            order[0], state.round + 1, number, order, state.next_round_is_last, watched, deciding
        ),
    )


def judge_open_card(state: KobayakawaState, action: Action, at: Micros) -> Events:
    """The number of the Kobayakawa, said instead of read."""
    if not number_checks.is_card_number(state, action.value):
        return infraction_ruling("number.unknown", action.seat)
    number = int(action.value or 0)
    match state.phase:
        case KobayakawaPhase.DEALING | KobayakawaPhase.REVEALING:
            return begin_round(state, number, watched=False)
        case KobayakawaPhase.SHOWDOWN:
            return reread_kobayakawa(state, number, by_hand=True)
    return replace_kobayakawa(state, number, by_hand=True)


# Draw or replace --------------------------------------------------------------------------------------------


def judge_draw(state: KobayakawaState, action: Action, at: Micros) -> Events:
    """A card is drawn; if the open one is there already, that is all."""
    seen = state.last_seen_number(f"discard:{state.field_of_seat(action.seat)}")
    events: Events = (ev.KobayakawaCardDrawn(action.seat),)
    if seen <= UNREAD:
        return events
    return (*events, *discard_card(apply_events(state, events), seen, by_hand=False))


def judge_discard(state: KobayakawaState, action: Action, at: Micros) -> Events:
    """The number of an open card, said instead of read: the one just laid, or one that nobody could read."""
    if not number_checks.is_card_number(state, action.value):
        return infraction_ruling("number.unknown", action.seat)
    number = int(action.value or 0)
    if state.phase in DRAW_PHASES and action.seat == state.actor:
        return discard_card(state, number, by_hand=True)
    if not can_name_discard(state, action.seat):
        return infraction_ruling("turn.not_now", action.seat)
    return read_discard_late(state, action.seat, number, by_hand=True)


def can_name_discard(state: KobayakawaState, seat: Seat) -> bool:
    """Whether an open card of this player is there whose number nobody knows."""
    return state.phase in ROUND_PHASES and state.hands[seat].discard == UNREAD


def read_discard_late(state: KobayakawaState, seat: Seat, number: int, *, by_hand: bool) -> Events:
    """The number of an open card becomes known after its turn."""
    events, believed = number_checks.check_number(
        state, number_checks.discard_target(seat), number, seat=seat, by_hand=by_hand
    )
    return (*events, ev.DiscardRead(seat, number)) if believed else events


def discard_card(state: KobayakawaState, number: int, *, by_hand: bool) -> Events:
    """One of the two cards lies open; the camera's doubtful number is left unread.

    Whoever says a number that is doubted has drawn all the same (O-T40).
    """
    seat = state.actor
    assert seat is not None
    events: Events = () if state.phase is KobayakawaPhase.DISCARDING else (ev.KobayakawaCardDrawn(seat),)
    doubts, believed = number_checks.check_number(
        state, number_checks.discard_target(seat), number, seat=seat, by_hand=by_hand
    )
    events += doubts
    if not believed:
        if by_hand:
            return events
        number = UNREAD
    return (
        *events,
        *end_draw_turn(apply_events(state, events), ev.CardDiscarded(seat, number, state.turn + 1)),
    )


def judge_done(state: KobayakawaState, action: Action, at: Micros) -> Events:
    """One of the two cards lies open, and nobody needs its number."""
    return end_draw_turn(state, ev.CardDiscarded(action.seat, UNREAD, state.turn + 1))


def judge_replace(state: KobayakawaState, action: Action, at: Micros) -> Events:
    """The deck's top card comes onto the Kobayakawa; if it is there already, that is all.

    Nobody looks at it before: with the drawn card in the hand it is too late.
    """
    if state.phase is KobayakawaPhase.DISCARDING:
        return infraction_ruling("draw.looked", action.seat)
    seen = state.last_seen_number(KOBAYAKAWA_REGION)
    events: Events = (ev.ReplaceAnnounced(action.seat),)
    if seen <= UNREAD or seen in state.opened:
        return events
    return (*events, *replace_kobayakawa(apply_events(state, events), seen, by_hand=False))


def replace_kobayakawa(state: KobayakawaState, number: int, *, by_hand: bool) -> Events:
    """A new Kobayakawa; a doubtful one is asked for."""
    seat = state.actor
    assert seat is not None
    target = number_checks.kobayakawa_target(len(state.opened))
    doubts, believed = number_checks.check_number(state, target, number, seat=seat, by_hand=by_hand)
    if not believed:
        asks = state.phase is not KobayakawaPhase.REPLACING
        return (*((ev.ReplaceAnnounced(seat),) if asks else ()), *doubts)
    right: Events = (
        (ev.KobayakawaMisplacementResolved(KOBAYAKAWA_REGION),)
        if KOBAYAKAWA_REGION in state.misplaced
        else ()
    )
    events = (*doubts, *right)
    return (
        *events,
        *end_draw_turn(apply_events(state, events), ev.KobayakawaReplaced(seat, number, state.turn + 1)),
    )


def reread_kobayakawa(state: KobayakawaState, number: int, *, by_hand: bool) -> Events:
    """The number of a Kobayakawa that had come into doubt."""
    target = number_checks.kobayakawa_target(len(state.opened) - 1)
    doubts, believed = number_checks.check_number(state, target, number, seat=None, by_hand=by_hand)
    if not believed:
        return doubts
    events: Events = (*doubts, ev.KobayakawaRead(number))
    return (*events, *payout.settle_showdown(apply_events(state, events)))


def judge_neither(state: KobayakawaState, action: Action, at: Micros) -> Events:
    """OA1: the player in turn does neither."""
    if not state.options.draw_optional:
        return infraction_ruling("draw.must", action.seat)
    return end_draw_turn(state, ev.DrawSkipped(action.seat, state.turn + 1))


def end_draw_turn(state: KobayakawaState, event: Event) -> Events:
    """A turn of drawing is over; after the last the bets begin, or all show where nothing is staked."""
    events: Events = (event,)
    then = apply_events(state, events)
    if then.turn < len(then.order):
        return events
    if then.watched and not then.desk.blind:
        events += tuple(ev.DiscardMissing(seat) for seat in then.order if then.hands[seat].discard == UNREAD)
    if then.deciding:
        return (*events, *payout.begin_showdown(then))
    events += (ev.BettingBegan(then.order[0]),)
    return (*events, *payout.ask_next_bet(apply_events(state, events)))


# Bets and showdown ------------------------------------------------------------------------------------------


def judge_fight(state: KobayakawaState, action: Action, at: Micros) -> Events:
    """Fight: the stake is paid."""
    paid = fight_cost(state.kamons[action.seat], state.centre)
    events: Events = (ev.PlayerFought(action.seat, paid, state.turn + 1),)
    return (*events, *payout.ask_next_bet(apply_events(state, events)))


def judge_pass(state: KobayakawaState, action: Action, at: Micros) -> Events:
    """Pass: nothing is paid, nothing is shown."""
    events: Events = (ev.PlayerPassed(action.seat, state.turn + 1),)
    return (*events, *payout.ask_next_bet(apply_events(state, events)))


def judge_show(state: KobayakawaState, action: Action, at: Micros) -> Events:
    """A fighter's number, said instead of read."""
    if not number_checks.is_card_number(state, action.value):
        return infraction_ruling("number.unknown", action.seat)
    if action.seat not in state.unseen_fighters:
        return infraction_ruling("turn.not_now", action.seat)
    return payout.show_card(state, action.seat, int(action.value or 0), by_hand=True)


def _actor(state: KobayakawaState) -> Seat | None:
    return state.actor


def number_speaker(state: KobayakawaState) -> Seat | None:
    """Who says the number of the Kobayakawa."""
    return state.actor if state.phase in DRAW_PHASES else state.starter


VERBS: Mapping[str, VerbRule[KobayakawaState]] = {
    "start": define_verb(judge_start, KobayakawaPhase.STARTING),
    "dealt": define_verb(judge_deal, KobayakawaPhase.DEALING, who=lambda state: state.starter),
    "kobayakawa": define_verb(
        judge_open_card,
        KobayakawaPhase.DEALING,
        KobayakawaPhase.REVEALING,
        KobayakawaPhase.DRAWING,
        KobayakawaPhase.REPLACING,
        KobayakawaPhase.SHOWDOWN,
        who=number_speaker,
    ),
    "draw": define_verb(judge_draw, KobayakawaPhase.DRAWING, KobayakawaPhase.REPLACING, who=_actor),
    "discard": define_verb(judge_discard, *sorted(ROUND_PHASES)),
    "done": define_verb(judge_done, KobayakawaPhase.DISCARDING, who=_actor),
    "replace": define_verb(judge_replace, KobayakawaPhase.DRAWING, KobayakawaPhase.DISCARDING, who=_actor),
    "neither": define_verb(judge_neither, KobayakawaPhase.DRAWING, who=_actor),
    "fight": define_verb(judge_fight, KobayakawaPhase.BETTING, who=_actor),
    "pass": define_verb(judge_pass, KobayakawaPhase.BETTING, who=_actor),
    "show": define_verb(judge_show, KobayakawaPhase.SHOWDOWN),
}


def judge(state: KobayakawaState, action: Action, at: Micros) -> Events:
    """The ruling on an action, whether it is legal or not."""
    known = state.phase is KobayakawaPhase.SHOWDOWN and state.kobayakawa != UNREAD
    if known and action.verb == "kobayakawa" and action.seat in range(state.players):
        return infraction_ruling("turn.not_now", action.seat)
    return judge_verb(VERBS, state, action, at)
