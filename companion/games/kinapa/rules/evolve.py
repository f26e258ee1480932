"""Applies Kinapa's events to its state, without judging anything.

No judgement here, so that a replay never re-judges.
"""

from collections.abc import Callable, Mapping
from typing import Any, assert_never, get_args

from msgspec.structs import replace

from companion.core import events as shared
from companion.core.events import Event
from companion.games.kinapa.rules import event_groups
from companion.games.kinapa.rules import events as ev
from companion.games.kinapa.rules.event_groups import AnyKinapaEvent
from companion.games.kinapa.rules.state import CLOSED, DOWN, OPEN, KinapaPhase, KinapaState, Turn
from companion.games.kinapa.rules.state_changes import (
    build_claim,
    drop_claims,
    forget_holdings,
    move_card,
    switch_decks,
    with_foxes,
    with_seat,
    with_slot,
    with_turn,
)
from companion.games.kinapa.rules.succession import sole_successor_reason
from companion.games.kinapa.rules.table_repair import apply_repair, apply_repair_v0_1


def evolve(state: KinapaState, event: AnyKinapaEvent) -> KinapaState:
    """The state after `event`."""
    return _APPLY_BY_EVENT[type(event)](state, event)


def _apply_count(state: KinapaState, event: event_groups.CountEvent) -> KinapaState:
    turn = state.turn
    match event:
        case ev.HandRaised():
            return with_turn(state, raised=(*turn.raised, event.seat))
        case ev.BeatStruck():
            return with_turn(state, beat=event.beat)
        case ev.NumberAnnounced():
            new = Turn(number=event.number, cue_due=event.cue_due, attempt=1)
            return replace(state, phase=KinapaPhase.ANNOUNCED, turn=new, turns=state.turns + 1)
        case ev.CountOpened():
            return with_turn(state, KinapaPhase.COUNTING, first_beat=event.first_beat)
        case ev.AidsAsked():
            return with_turn(state, KinapaPhase.AIDING, aids=event.seats)
        case ev.AidLaid():
            raised = (*turn.raised, event.seat) if event.raised else turn.raised
            return with_turn(state, raised=raised, aids=turn.aids[1:])
        case ev.CountDue():
            return with_turn(state, KinapaPhase.ANNOUNCED, cue_due=event.cue_due)
        case ev.HandsLocked():
            claims = tuple(
                build_claim(state, seat, denied=False) for seat in event.raised if not state.is_bot(seat)
            )
            return replace(
                with_turn(state, KinapaPhase.PAIRING, raised=event.raised), claims=(*state.claims, *claims)
            )
        case ev.HandLowered():
            raised = tuple(seat for seat in turn.raised if seat != event.seat)
            return with_turn(state, raised=raised)
        case ev.ButtonDown():
            return replace(state, down=(*state.down, event.seat))
        case ev.ButtonUp():
            return replace(state, down=tuple(seat for seat in state.down if seat != event.seat))
        case ev.HandTooEarly() | ev.HandTooLate():
            return state
        case ev.RecountAsked():
            return with_turn(state, KinapaPhase.ANNOUNCED, cue_due=event.cue_due, attempt=turn.attempt + 1)
        case shared.WindowVoided():
            aids = tuple(seat for seat in turn.raised if state.is_bot(seat))
            return with_turn(state, KinapaPhase.RECOUNTING, raised=aids, first_beat=None, beat=0)
        case _:
            assert_never(event)


def _apply_exchange(state: KinapaState, event: event_groups.ExchangeEvent) -> KinapaState:
    match event:
        case ev.CardReturned():
            return replace(move_card(state, state.emperor, event.seat), phase=KinapaPhase.TURNING)
        case ev.PairDenied():
            return replace(state, phase=event.then)
        case ev.PartnerChosen():
            return with_turn(state, KinapaPhase.DRAWING, partner=event.seat)
        case ev.KinapaCardDrawn():
            moved = move_card(forget_holdings(state, event.seat, state.emperor), event.seat, state.emperor)
            return with_turn(moved, KinapaPhase.RETURNING, partner=event.seat, card=event.card)
        case ev.PairShown():
            return with_turn(state, event.then, pair_shown=True, found=(), holders=())
        case ev.ExchangeDeclined():
            return replace(state, phase=KinapaPhase.TURNING)
        case ev.HandPlaceDrawn():
            return with_turn(state, lot=event.place)
        case _:
            assert_never(event)


def _apply_demand(state: KinapaState, event: event_groups.DemandEvent) -> KinapaState:
    turn = state.turn
    match event:
        case ev.NumberDenied():
            if not state.is_bot(event.seat):
                state = replace(state, claims=(*state.claims, build_claim(state, event.seat, denied=True)))
            return with_turn(state, answers=(*turn.answers, (event.seat, False)))
        case ev.NumberAdmitted():
            return with_turn(state, answers=(*turn.answers, (event.seat, True)))
        case ev.HolderFound():
            return with_turn(
                state, KinapaPhase.HANDING, holders=turn.holders or (event.seat,), partner=event.seat
            )
        case ev.CardHanded():
            state = drop_claims(state, event.seat, event.number)
            state = move_card(forget_holdings(state, event.seat, state.emperor), event.seat, state.emperor)
            state = replace(state, holds=(*state.holds, (state.emperor, event.number)))
            return with_turn(state, KinapaPhase.RETURNING, partner=event.seat, card=event.card)
        case ev.SoleLoweredAsked():
            return with_turn(state, KinapaPhase.ASKING, asked=event.seat)
        case ev.BotAsked(then=KinapaPhase.ASKING):
            return with_turn(state, KinapaPhase.ASKING, asked=event.seat)
        case ev.AllAsked() | ev.LiarCalled() | ev.BotAsked():
            return with_turn(state, KinapaPhase.SEARCHING)
        case ev.TwoHolders():
            return with_turn(state, KinapaPhase.PICKING, holders=event.seats)
        case ev.LiarPunished():
            forced = (*turn.forced, event.seat) if event.priority else turn.forced
            state = with_foxes(state, event.seat, event.foxes)
            return with_turn(state, punished=(*turn.punished, event.seat), forced=forced)
        case ev.FoxesTaken():
            return with_foxes(state, event.seat, event.left)
        case ev.HandoverRefused() | ev.PunishmentSpared():
            return state
        case ev.AuditOpened():
            return with_turn(state, KinapaPhase.AUDITING, audit=event.seats)
        case ev.CardFound():
            state = drop_claims(state, event.seat, turn.number)
            return with_turn(state, audit=turn.audit[1:], found=(*turn.found, event.seat))
        case ev.CardNotFound():
            return with_turn(state, audit=turn.audit[1:])
        case _:
            assert_never(event)


def _apply_ring(state: KinapaState, event: event_groups.RingEvent) -> KinapaState:
    match event:
        case ev.ObjectTurned():
            state = with_slot(state, event.slot, label=event.label, lies=OPEN, misplaced=False)
            return with_turn(state, KinapaPhase.PLACING, label=event.label, slot=event.slot)
        case ev.ObjectHidden():
            state = with_slot(state, event.slot, lies=DOWN, misplaced=False)
            return with_turn(state, label="", slot=0)
        case ev.ObjectForgotten():
            state = with_slot(state, event.slot, label="", lies=DOWN, misplaced=False)
            turned = state.phase is KinapaPhase.PLACING and event.slot == state.turn.slot
            return with_turn(state, KinapaPhase.TURNING, label="") if turned else state
        case ev.PairPlaced():
            state = drop_claims(state, event.seat, event.number)
            owner = state.seats[event.seat]
            state = with_seat(
                state, event.seat, cards=owner.cards - 2, placed=(*owner.placed, event.number), opened=()
            )
            state = with_slot(state, event.slot, lies=CLOSED, pair=event.number)
            if state.laid:
                laid = list(state.laid)
                laid[event.seat] = (*laid[event.seat], event.number)
                state = replace(state, laid=tuple(laid))
            if state.holds:
                kept = tuple(held for held in state.holds if held != (event.seat, event.number))
                state = replace(state, holds=kept)
            return with_turn(state, KinapaPhase.TURNING, label="", slot=0)
        case ev.KinapaMisplacementSeen():
            return with_slot(state, event.slot, misplaced=True)
        case ev.KinapaMisplacementResolved():
            return with_slot(state, event.slot, misplaced=False)
        case _:
            assert_never(event)


def _apply_succession(state: KinapaState, event: event_groups.SuccessionEvent) -> KinapaState:
    match event:
        case ev.EmperorCrowned():
            stays = state.stays if event.seat == state.emperor else 0
            return replace(
                state,
                phase=KinapaPhase.ANNOUNCING,
                emperor=event.seat,
                turn=Turn(),
                stays=stays,
                left_one=sole_successor_reason(state, event.seat),
            )
        case ev.SheepTaken():
            return with_seat(state, event.seat, sheep=True)
        case ev.SuccessorAsked():
            return with_turn(state, KinapaPhase.SUCCEEDING, candidates=event.seats)
        case ev.SheepReturned():
            seats = tuple(replace(seat, sheep=place == event.seat) for place, seat in enumerate(state.seats))
            return replace(state, seats=seats)
        case ev.FoxRemoved():
            return with_foxes(state, event.seat, event.left)
        case ev.AnimalMissing():
            return replace(state, lowest=event.after)
        case ev.SwitchAsked():
            return with_turn(state, KinapaPhase.SWITCHING, candidates=event.seats, successor=event.seat)
        case ev.DecksSwitched():
            return switch_decks(state, event.seat, event.bot)
        case ev.DeckEmptied():
            return with_foxes(with_seat(state, event.seat, sheep=False), event.seat, 0)
        case ev.EmperorStays():
            return replace(state, phase=KinapaPhase.ANNOUNCING, turn=Turn(), stays=state.stays + 1)
        case ev.FoxTickAgreed():
            return replace(state, fox_per_turn=True)
        case ev.KinapaGameWon():
            return replace(state, phase=KinapaPhase.OVER, winner=event.seat)
        case shared.GameAbandoned():
            return replace(state, phase=KinapaPhase.OVER)
        case _:
            assert_never(event)


def _apply_knowledge(state: KinapaState, event: event_groups.KnowledgeEvent) -> KinapaState:
    match event:
        case ev.FalseDenialProven() | ev.LieProven():
            return drop_claims(state, event.seat, event.number)
        case ev.OpenCardsSeen():
            return with_seat(state, event.seat, opened=event.cards, row=event.row)
        case shared.Repaired():
            return apply_repair(state, event.table) if event.keeps else apply_repair_v0_1(state, event.table)
        case _:
            assert_never(event)


def _apply_nothing(state: KinapaState, event: event_groups.NoEffectEvent) -> KinapaState:
    return state


_APPLY_BY_EVENT: Mapping[type[Event], Callable[[KinapaState, Any], KinapaState]] = {
    kind: part
    for part, kinds in (
        (_apply_count, event_groups.CountEvent),
        (_apply_exchange, event_groups.ExchangeEvent),
        (_apply_demand, event_groups.DemandEvent),
        (_apply_ring, event_groups.RingEvent),
        (_apply_succession, event_groups.SuccessionEvent),
        (_apply_knowledge, event_groups.KnowledgeEvent),
        (_apply_nothing, event_groups.NoEffectEvent),
    )
    for kind in get_args(kinds)
}
"""Which part folds which event: a class pattern that does not match costs as much as the fold itself."""
