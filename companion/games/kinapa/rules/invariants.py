"""Invariants of the Kinapa state; a violation means a bug or an impossible declaration."""

from companion.games.kinapa.rules.state import HAND_SIZE, KinapaPhase, KinapaState, ObjectPosition

_CARD_MOVING_PHASES = frozenset({KinapaPhase.RETURNING})
"""Between receiving and giving back the Emperor holds one card more, the partner one fewer."""


def find_violation(state: KinapaState) -> str | None:
    """The first invariant that does not hold, or None."""
    seats = state.seats
    if not 0 <= state.emperor < state.people:
        return "the Emperor sits at the table"
    if sum(seat.cards + 2 * len(seat.placed) for seat in seats) != HAND_SIZE * len(seats):
        return "cards are conserved"
    if any(len(seat.placed) > 2 for seat in seats):
        return "no seat places more than two pairs"
    if len(state.placed_numbers) != sum(len(seat.placed) for seat in seats):
        return "every number has one pair"
    if any(not 1 <= number <= state.highest for number in state.placed_numbers):
        return "numbers in play"
    closed = [slot.pair for slot in state.slots if slot.lies is ObjectPosition.CLOSED]
    if len(set(closed)) < len(closed) or not state.placed_numbers.issuperset(closed):
        return "every closed object carries a pair"
    if any(not 0 <= seat.foxes <= 2 for seat in seats):
        return "0 to 2 foxes a seat"
    if state.decks and sorted(state.decks) != list(range(len(seats))):
        return "every deck lies somewhere"
    if state.laid and {number for pairs in state.laid for number in pairs} != state.placed_numbers:
        return "every pair was laid by somebody"
    # A game that is given up stays as it was in the middle of its phase (K-T65).
    return None if state.desk.abandoned else _broken_in_phase(state)


def _broken_in_phase(state: KinapaState) -> str | None:
    seats, phase = state.seats, state.phase
    if phase not in _CARD_MOVING_PHASES and any(
        seat.cards != HAND_SIZE - 2 * len(seat.placed) for seat in seats
    ):
        return "a hand is 4, 2 or 0 cards"
    if sum(slot.lies is ObjectPosition.OPEN for slot in state.slots) > (phase is KinapaPhase.PLACING):
        return "one object open at a time"
    if phase is not KinapaPhase.STARTING and not seats[state.emperor].sheep:
        return "the Emperor has a Sheep"
    if phase is not KinapaPhase.STARTING and all(seat.sheep for seat in seats if seat.cards):
        return "never has every seat a Sheep"
    if any(seats[seat].foxes for seat in state.turn.raised) and phase in {
        KinapaPhase.COUNTING,
        KinapaPhase.PAIRING,
    }:
        return "a foxed seat is lowered"
    if (
        any(len(seats[person].placed) == 2 for person in range(state.people))
        and phase is not KinapaPhase.OVER
    ):
        return "a second pair ends the game"
    return None
