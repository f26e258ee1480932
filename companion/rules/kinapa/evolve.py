"""Kinapa's fold: what each ruling changes. No judgement here, so that a replay never re-judges."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, assert_never, get_args

from msgspec.structs import replace

from companion import events as shared
from companion.actions import Seat
from companion.events import Event
from companion.rules.kinapa import events as ev
from companion.rules.kinapa.events import AnyKinapaEvent
from companion.rules.kinapa.state import (
    CLOSED,
    DOWN,
    HAND,
    OPEN,
    Claim,
    KinapaState,
    Phase,
    Slot,
    Turn,
    label_of,
)


def evolve(state: KinapaState, event: AnyKinapaEvent) -> KinapaState:
    """The state after `event`."""
    return _PARTS[type(event)](state, event)


def _count(state: KinapaState, event: ev.Count) -> KinapaState:
    turn = state.turn
    match event:
        case ev.HandRaised():
            return _turn(state, raised=(*turn.raised, event.seat))
        case ev.BeatStruck():
            return _turn(state, beat=event.beat)
        case ev.NumberAnnounced():
            new = Turn(number=event.number, cue_due=event.cue_due, attempt=1)
            return replace(state, phase=Phase.ANNOUNCED, turn=new, turns=state.turns + 1)
        case ev.CountOpened():
            return replace(_turn(state, Phase.COUNTING, first_beat=event.first_beat), early=())
        case ev.HandsLocked():
            claims = tuple(_claim(state, seat, denied=False) for seat in event.raised)
            return replace(_turn(state, Phase.PAIRING, raised=event.raised), claims=(*state.claims, *claims))
        case ev.HandLowered():
            raised = tuple(seat for seat in turn.raised if seat != event.seat)
            early = tuple(seat for seat in state.early if seat != event.seat)
            return replace(_turn(state, raised=raised), early=early)
        case ev.HandTooEarly():
            return state if event.seat in state.early else replace(state, early=(*state.early, event.seat))
        case ev.HandTooLate():
            return state
        case ev.RecountAsked():
            return _turn(state, Phase.ANNOUNCED, cue_due=event.cue_due, attempt=turn.attempt + 1)
        case shared.WindowVoided():
            if state.options.hand == "hold":  # these buttons are still down
                state = replace(state, early=tuple(dict.fromkeys((*state.early, *turn.raised))))
            return _turn(state, Phase.RECOUNTING, raised=(), first_beat=None, beat=0)
        case _:
            assert_never(event)


def _exchange(state: KinapaState, event: ev.Exchange) -> KinapaState:
    match event:
        case ev.CardReturned():
            return replace(_move(state, state.emperor, event.seat), phase=Phase.TURNING)
        case ev.PairDenied():
            return replace(state, phase=event.then)
        case ev.PartnerChosen():
            return _turn(state, Phase.DRAWING, partner=event.seat)
        case ev.CardDrawn():
            moved = _move(_unhold(state, event.seat, state.emperor), event.seat, state.emperor)
            return _turn(moved, Phase.RETURNING, partner=event.seat, card=event.card)
        case ev.PairShown():
            return _turn(state, event.then, pair_shown=True, found=(), holders=())
        case ev.ExchangeDeclined():
            return replace(state, phase=Phase.TURNING)
        case ev.LotDrawn():
            return _turn(state, lot=event.place)
        case _:
            assert_never(event)


def _demand(state: KinapaState, event: ev.Demand) -> KinapaState:
    turn = state.turn
    match event:
        case ev.Denied():
            state = replace(state, claims=(*state.claims, _claim(state, event.seat, denied=True)))
            return _turn(state, answers=(*turn.answers, (event.seat, False)))
        case ev.Admitted():
            return _turn(state, answers=(*turn.answers, (event.seat, True)))
        case ev.HolderFound():
            return _turn(state, Phase.HANDING, holders=turn.holders or (event.seat,), partner=event.seat)
        case ev.CardHanded():
            state = _settle(state, event.seat, event.number)
            state = _move(_unhold(state, event.seat, state.emperor), event.seat, state.emperor)
            state = replace(state, holds=(*state.holds, (state.emperor, event.number)))
            return _turn(state, Phase.RETURNING, partner=event.seat, card=event.card)
        case ev.OneAsked():
            return _turn(state, Phase.ASKING, asked=event.seat)
        case ev.AllAsked() | ev.LiarCalled():
            return _turn(state, Phase.SEARCHING, searched=True)
        case ev.TwoHolders():
            return _turn(state, Phase.PICKING, holders=event.seats)
        case ev.Punished():
            forced = (*turn.forced, event.seat) if event.priority else turn.forced
            state = _seat(state, event.seat, foxes=event.foxes)
            return _turn(state, punished=(*turn.punished, event.seat), forced=forced)
        case ev.FoxesTaken():
            return _seat(state, event.seat, foxes=event.left)
        case ev.HandoverRefused() | ev.PunishmentSpared():
            return state
        case ev.AuditOpened():
            return _turn(state, Phase.AUDITING, audit=event.seats)
        case ev.CardFound():
            state = _settle(state, event.seat, turn.number)
            return _turn(state, audit=turn.audit[1:], found=(*turn.found, event.seat))
        case ev.CardNotFound():
            return _turn(state, audit=turn.audit[1:])
        case _:
            assert_never(event)


def _object(state: KinapaState, event: ev.Object) -> KinapaState:
    match event:
        case ev.ObjectTurned():
            state = _slot(state, event.slot, label=event.label, lies=OPEN, amiss=False)
            return _turn(state, Phase.PLACING, label=event.label, slot=event.slot)
        case ev.ObjectHidden():
            state = _slot(state, event.slot, lies=DOWN, amiss=False)
            return _turn(state, label="", slot=0)
        case ev.PairPlaced():
            state = _settle(state, event.seat, event.number)
            owner = state.seats[event.seat]
            state = _seat(
                state, event.seat, cards=owner.cards - 2, placed=(*owner.placed, event.number), opened=()
            )
            state = _slot(state, event.slot, lies=CLOSED, pair=event.number)
            if state.holds:
                kept = tuple(held for held in state.holds if held != (event.seat, event.number))
                state = replace(state, holds=kept)
            return _turn(state, Phase.TURNING, label="", slot=0)
        case ev.AmissSeen():
            return _slot(state, event.slot, amiss=True)
        case ev.PutRight():
            return _slot(state, event.slot, amiss=False)
        case _:
            assert_never(event)


def _succession(state: KinapaState, event: ev.Succession) -> KinapaState:
    match event:
        case ev.EmperorCrowned():
            stays = state.stays if event.seat == state.emperor else 0
            return replace(
                state, phase=Phase.ANNOUNCING, emperor=event.seat, turn=Turn(), early=(), stays=stays
            )
        case ev.SheepTaken():
            return _seat(state, event.seat, sheep=True)
        case ev.SuccessorAsked():
            return _turn(state, Phase.SUCCEEDING, candidates=event.seats)
        case ev.SheepReturned():
            seats = tuple(replace(seat, sheep=place == event.seat) for place, seat in enumerate(state.seats))
            return replace(state, seats=seats)
        case ev.FoxRemoved():
            opened = state.seats[event.seat].opened if event.left else ()
            return _seat(state, event.seat, foxes=event.left, opened=opened)
        case ev.EmperorStays():
            return replace(state, phase=Phase.ANNOUNCING, turn=Turn(), early=(), stays=state.stays + 1)
        case ev.FoxTickAgreed():
            return replace(state, fox_per_turn=True)
        case ev.GameWon():
            return replace(state, phase=Phase.OVER, winner=event.seat)
        case shared.GameAbandoned():
            return replace(state, phase=Phase.OVER)
        case _:
            assert_never(event)


def _known(state: KinapaState, event: ev.Known) -> KinapaState:
    match event:
        case ev.FalseDenialProven() | ev.LieProven():
            return _settle(state, event.seat, event.number)
        case ev.OpenCardsSeen():
            return _seat(state, event.seat, opened=event.cards)
        case shared.Repaired():
            return repaired(state, event.table)
        case _:
            assert_never(event)


def _told(state: KinapaState, event: ev.Told) -> KinapaState:
    return state


_PARTS: Mapping[type[Event], Callable[[KinapaState, Any], KinapaState]] = {
    kind: part
    for part, kinds in (
        (_count, ev.Count),
        (_exchange, ev.Exchange),
        (_demand, ev.Demand),
        (_object, ev.Object),
        (_succession, ev.Succession),
        (_known, ev.Known),
        (_told, ev.Told),
    )
    for kind in get_args(kinds)
}
"""Which part folds which event: a class pattern that does not match costs as much as the fold itself."""


def _turn(state: KinapaState, phase: Phase | None = None, **changes: Any) -> KinapaState:
    return replace(state, phase=phase or state.phase, turn=replace(state.turn, **changes))


def _seat(state: KinapaState, seat: Seat, **changes: Any) -> KinapaState:
    seats = list(state.seats)
    seats[seat] = replace(seats[seat], **changes)
    return replace(state, seats=tuple(seats))


def _slot(state: KinapaState, slot: int, **changes: Any) -> KinapaState:
    if slot == 0:
        return state
    slots = list(state.slots)
    slots[slot - 1] = replace(slots[slot - 1], **changes)
    return replace(state, slots=tuple(slots))


def _move(state: KinapaState, giver: Seat, taker: Seat) -> KinapaState:
    """One unseen card goes from hand to hand; claims that two received cards could explain are dropped."""
    seats = list(state.seats)
    seats[giver] = replace(seats[giver], cards=seats[giver].cards - 1, opened=())
    received = seats[taker].received + 1
    seats[taker] = replace(seats[taker], cards=seats[taker].cards + 1, received=received)
    claims = tuple(claim for claim in state.claims if claim.seat != taker or received - claim.received < 2)
    return replace(state, seats=tuple(seats), claims=claims)


def _unhold(state: KinapaState, *seats: Seat) -> KinapaState:
    """After another exchange nobody knows whether these seats still hold what they held (KI7)."""
    if not state.holds:
        return state
    return replace(state, holds=tuple(held for held in state.holds if held[0] not in seats))


def _claim(state: KinapaState, seat: Seat, *, denied: bool) -> Claim:
    return Claim(seat, state.turn.number, denied, state.seats[seat].received, state.turns)


def _settle(state: KinapaState, seat: Seat, number: int) -> KinapaState:
    """Drop the claims of `seat` on `number`: they are proven, or the card is gone."""
    kept = tuple(claim for claim in state.claims if claim.seat != seat or claim.number != number)
    return state if len(kept) == len(state.claims) else replace(state, claims=kept)


def repaired(state: KinapaState, table: tuple[tuple[str, str | int], ...]) -> KinapaState:
    """The table as it was declared; the Emperor's turn begins anew, and earlier claims prove nothing more."""
    seats = tuple(replace(seat, cards=HAND - 2 * len(seat.placed)) for seat in state.seats)
    state = replace(state, phase=Phase.ANNOUNCING, turn=Turn(), claims=(), holds=(), early=(), seats=seats)
    for name, value in table:
        what, _, where = name.partition(":")
        place = int(where) if where else 0
        if place < (what == "slot"):
            raise IndexError(name)
        match what:
            case "emperor":
                state = replace(state, emperor=int(value))
            case "sheep":
                state = _seat(state, place, sheep=bool(value))
            case "foxes":
                state = _seat(state, place, foxes=int(value), opened=())
            case "placed":
                placed = tuple(int(number) for number in str(value).split(",") if number)
                state = replace(_seat(state, place, placed=placed, cards=HAND - 2 * len(placed)))
            case "slot":
                pair = int(value)
                slot = Slot(label_of(pair), CLOSED, pair) if pair else Slot()
                slots = list(state.slots)
                slots[place - 1] = slot
                state = replace(state, slots=tuple(slots))
    return state
