"""The small changes that Kinapa's fold is made of: one turn, one seat, one place, one card that moves."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from companion.actions import Seat
from companion.rules.kinapa.state import CLOSED, HAND, Claim, KinapaState, Phase, Slot, Turn, label_of


def with_turn(state: KinapaState, phase: Phase | None = None, **changes: Any) -> KinapaState:
    return replace(state, phase=phase or state.phase, turn=replace(state.turn, **changes))


def with_seat(state: KinapaState, seat: Seat, **changes: Any) -> KinapaState:
    seats = list(state.seats)
    seats[seat] = replace(seats[seat], **changes)
    return replace(state, seats=tuple(seats))


def with_slot(state: KinapaState, slot: int, **changes: Any) -> KinapaState:
    if slot == 0:
        return state
    slots = list(state.slots)
    slots[slot - 1] = replace(slots[slot - 1], **changes)
    return replace(state, slots=tuple(slots))


def moved_card(state: KinapaState, giver: Seat, taker: Seat) -> KinapaState:
    """One unseen card goes from hand to hand; claims that two received cards could explain are dropped."""
    seats = list(state.seats)
    seats[giver] = replace(seats[giver], cards=seats[giver].cards - 1, opened=())
    received = seats[taker].received + 1
    seats[taker] = replace(seats[taker], cards=seats[taker].cards + 1, received=received)
    claims = tuple(claim for claim in state.claims if claim.seat != taker or received - claim.received < 2)
    return replace(state, seats=tuple(seats), claims=claims)


def unheld(state: KinapaState, *seats: Seat) -> KinapaState:
    """After another exchange nobody knows whether these seats still hold what they held (KI7)."""
    if not state.holds:
        return state
    return replace(state, holds=tuple(held for held in state.holds if held[0] not in seats))


def switched(state: KinapaState, hand: Seat, bot: Seat) -> KinapaState:
    """Two decks change places; what is known of a deck goes along, what a person claimed of it is dropped."""
    there = {hand: bot, bot: hand}

    def moved(seats: tuple[Seat, ...]) -> tuple[Seat, ...]:
        return tuple(there.get(seat, seat) for seat in seats)

    places = moved(tuple(range(len(state.seats))))
    turn = replace(
        state.turn,
        raised=moved(state.turn.raised),
        punished=moved(state.turn.punished),
        forced=moved(state.turn.forced),
    )
    return replace(
        state,
        seats=tuple(state.seats[place] for place in places),
        decks=tuple(state.decks[place] for place in places),
        holds=tuple((there.get(seat, seat), number) for seat, number in state.holds),
        claims=tuple(claim for claim in state.claims if claim.seat not in there),
        turn=turn,
        stays=0,
    )


def claim_of(state: KinapaState, seat: Seat, *, denied: bool) -> Claim:
    return Claim(seat, state.turn.number, denied, state.seats[seat].received, state.turns)


def settled(state: KinapaState, seat: Seat, number: int) -> KinapaState:
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
                state = with_seat(state, place, sheep=bool(value))
            case "foxes":
                state = with_seat(state, place, foxes=int(value), opened=())
            case "placed":
                placed = tuple(int(number) for number in str(value).split(",") if number)
                state = replace(with_seat(state, place, placed=placed, cards=HAND - 2 * len(placed)))
            case "slot":
                pair = int(value)
                slot = Slot(label_of(pair), CLOSED, pair) if pair else Slot()
                slots = list(state.slots)
                slots[place - 1] = slot
                state = replace(state, slots=tuple(slots))
    return replace(state, laid=_laid(state)) if state.laid else state


def _laid(state: KinapaState) -> tuple[tuple[int, ...], ...]:
    """Who laid which pair, after the table was declared: a new one whoever holds its deck."""
    before = {number for pairs in state.laid for number in pairs}
    kept = [[number for number in pairs if number in state.dead] for pairs in state.laid]
    for person, pairs in enumerate(kept):
        pairs += [number for number in state.seats[person].placed if number not in before]
    return tuple(map(tuple, kept))
