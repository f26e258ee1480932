"""Applies Kobayakawa's events to its state, without judging anything.

No judgement here, so that a replay never re-judges.
"""

from typing import Any, assert_never

from msgspec.structs import replace

from companion.core import events as shared
from companion.core.actions import Seat
from companion.games.kobayakawa.rules import events as ev
from companion.games.kobayakawa.rules.events import KobayakawaEvent
from companion.games.kobayakawa.rules.number_checks import split_target
from companion.games.kobayakawa.rules.state import (
    DRAW_PHASES,
    KOBAYAKAWA_REGION,
    NO_CARD,
    UNREAD,
    KobayakawaHand,
    KobayakawaPhase,
    KobayakawaState,
    RoundResult,
    SeenNumber,
)


def evolve(state: KobayakawaState, event: KobayakawaEvent | shared.GameRuling) -> KobayakawaState:  # noqa: C901
    """The state after `event`."""
    match event:
        # The deal
        case ev.StarterChosen():
            return replace(state, phase=KobayakawaPhase.DEALING, starter=event.seat, lying=())
        case ev.RegionSeen():
            return _note_seen_card(state, event.region, event.card)
        case ev.KobayakawaAsked():
            return replace(state, phase=KobayakawaPhase.REVEALING)
        case ev.KobayakawaRoundBegan():
            return _begin_round(state, event)
        case ev.DealVoided():
            kamons = tuple(have + hand.stake for have, hand in zip(state.kamons, state.hands, strict=True))
            return replace(
                _begin_dealing(state, state.starter), kamons=kamons, round=state.round - 1, last=False
            )
        # Draw or replace
        case ev.KobayakawaCardDrawn():
            return replace(state, phase=KobayakawaPhase.DISCARDING)
        case ev.ReplaceAnnounced():
            return replace(state, phase=KobayakawaPhase.REPLACING)
        case ev.CardDiscarded():
            state = _with_hand(state, event.seat, did="draw", discard=event.number)
            # What lay open of that hand may be the card that was kept or the other one: it is read afresh.
            here = f"hand:{state.field_of_seat(event.seat)}"
            lying = tuple(lies for lies in state.lying if lies.region != here)
            return _end_draw_turn(replace(state, lying=lying), event.then)
        case ev.DiscardRead():
            return _with_hand(state, event.seat, discard=event.number)
        case ev.KobayakawaReplaced():
            state = replace(state, opened=(*state.opened, event.number))
            return _end_draw_turn(_with_hand(state, event.seat, did="replace"), event.then)
        case ev.KobayakawaRead():
            return replace(state, opened=(*state.opened[:-1], event.number))
        case ev.DrawSkipped():
            return _end_draw_turn(_with_hand(state, event.seat, did="neither"), event.then)
        case ev.DiscardMissing() | ev.AllPassed() | ev.PressIgnored():
            return state
        # Bets
        case ev.BettingBegan():
            return replace(state, phase=KobayakawaPhase.BETTING, turn=0)
        case ev.PlayerFought():
            state = _with_hand(state, event.seat, bet="fight", stake=event.stake)
            kamons = _add_kamons(state.kamons, event.seat, -event.stake)
            return replace(state, kamons=kamons, turn=event.then, turns=state.turns + 1)
        case ev.PlayerPassed():
            return replace(_with_hand(state, event.seat, bet="pass"), turn=event.then, turns=state.turns + 1)
        # The showdown
        case ev.ShowdownBegan():
            return replace(state, phase=KobayakawaPhase.SHOWDOWN)
        case ev.FighterCardShown():
            return _with_hand(state, event.seat, shown=event.number)
        case ev.NumberDoubted():
            return replace(state, doubted=(*state.doubted, (event.target, event.number)))
        case ev.NumberForgotten():
            return _forget_number(state, event.target)
        case ev.KobayakawaMisplacementSeen():
            others = (old for old in state.misplaced if old != event.region)
            return replace(state, misplaced=(*others, event.region))
        case ev.KobayakawaMisplacementResolved():
            return replace(state, misplaced=tuple(old for old in state.misplaced if old != event.region))
        # Payout
        case ev.RoundWon():
            kamons = _add_kamons(state.kamons, event.seat, event.count)
            result = RoundResult(event.seat, event.how, event.totals, event.count)
            state = replace(_begin_dealing(state, event.seat), kamons=kamons, result=result)
            return replace(state, centre=state.centre - event.bonus, carried=0)
        case ev.NobodyFought():
            state = replace(_begin_dealing(state, event.seat), centre=state.centre - event.count, result=None)
            kept = event.count if event.how == "carried" else 0
            return replace(state, carried=state.carried + kept, box=state.box + event.count - kept)
        case ev.PlayerOut():
            return state
        case ev.DecidingRoundDue():
            return replace(state, deciding=event.seats, starter=event.seats[0])
        case ev.KobayakawaGameWon():
            return replace(state, phase=KobayakawaPhase.OVER, winners=event.seats, how=event.how)
        # The table's word
        case shared.Repaired():
            return apply_repair(state, event.table)
        case shared.GameAbandoned():
            return replace(state, phase=KobayakawaPhase.OVER)
        case shared.Infraction() | shared.Repair() | shared.WindowVoided():
            return state
        case _ as never:
            assert_never(never)


def apply_repair(state: KobayakawaState, table: tuple[tuple[str, str | int], ...]) -> KobayakawaState:
    """The state with `kamons:seat`, `centre`, `starter` and `number` as the table says; `ValueError` else.

    `deck` is compared with what the deck should have and changes nothing here.
    """
    kamons = list(state.kamons)
    for name, value in table:
        kind, _, place = name.partition(":")
        if kind == "kamons" and place.isdecimal():
            kamons[int(place)] = int(value)
        elif name == "centre":
            state = replace(state, centre=int(value))
        elif name == "starter":
            state = replace(state, starter=int(value))
        elif name == "number":
            state = replace(state, opened=(*state.opened[:-1], int(value)))
        elif name != "deck":
            raise ValueError(name)
    return replace(state, kamons=tuple(kamons))


def _add_kamons(kamons: tuple[int, ...], seat: Seat, count: int) -> tuple[int, ...]:
    return tuple(have + count * (place == seat) for place, have in enumerate(kamons))


def _with_hand(state: KobayakawaState, seat: Seat, **changes: Any) -> KobayakawaState:
    """The state with something changed about one player's round."""
    hands = list(state.hands)
    hands[seat] = replace(hands[seat], **changes)
    return replace(state, hands=tuple(hands))


def _end_draw_turn(state: KobayakawaState, then: int) -> KobayakawaState:
    """The player in turn has drawn, replaced or done neither."""
    return replace(state, phase=KobayakawaPhase.DRAWING, turn=then, turns=state.turns + 1)


def _note_seen_card(state: KobayakawaState, region: str, number: int) -> KobayakawaState:
    others = tuple(here for here in state.lying if here.region != region)
    lying = others if number == NO_CARD else (*others, SeenNumber(region, number))
    bare = region == KOBAYAKAWA_REGION and number == NO_CARD and state.phase not in DRAW_PHASES
    return replace(state, lying=lying, cleared=state.cleared or bare)


def _begin_round(state: KobayakawaState, event: ev.KobayakawaRoundBegan) -> KobayakawaState:
    state = replace(
        state,
        phase=KobayakawaPhase.DRAWING,
        round=event.round,
        last=event.last,
        starter=event.seat,
        order=event.order,
        turn=0,
        hands=tuple(
            KobayakawaHand(bet="fight" if event.deciding and seat in event.order else "")
            for seat in range(state.players)
        ),
        opened=(event.number,),
    )
    lying = (SeenNumber(KOBAYAKAWA_REGION, event.number),) if event.watched else ()
    state = replace(state, watched=event.watched, lying=lying, cleared=False)
    return replace(state, misplaced=(), doubted=(), result=None)


def _begin_dealing(state: KobayakawaState, starter: Seat) -> KobayakawaState:
    """The round is over, and the next has to be dealt; its cards stay in mind until then."""
    hands = tuple(replace(hand, stake=0) for hand in state.hands)
    state = replace(state, phase=KobayakawaPhase.DEALING, starter=starter, turn=0, hands=hands)
    return replace(state, lying=(), cleared=False, misplaced=(), doubted=())


def _forget_number(state: KobayakawaState, target: str) -> KobayakawaState:
    """The number of a card is not known any more."""
    kind, place = split_target(target)
    if kind == "discard":
        return _with_hand(state, place, discard=UNREAD)
    if kind == "hand":
        return _with_hand(state, place, shown=UNREAD)
    return replace(state, opened=(*state.opened[:place], UNREAD, *state.opened[place + 1 :]))
