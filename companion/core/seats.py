"""Chairs round a table: their order, clockwise from 0, and their colours."""

from collections.abc import Collection, Iterator

from companion.core.actions import Seat

PALETTE = ("red", "blue", "green", "yellow", "purple", "orange", "pink", "white")
"""Default colours of the chairs, chair 1 first."""


def seat_after(seat: Seat, seats: int) -> Seat:
    """The clockwise neighbour of `seat` among `seats` seats."""
    return (seat + 1) % seats


def seats_clockwise(start: Seat, seats: int) -> Iterator[Seat]:
    """All seats once around, `start` first."""
    return ((start + step) % seats for step in range(seats))


def seat_distance(first: Seat, second: Seat, seats: int) -> int:
    """Steps clockwise from `first` to `second`."""
    return (second - first) % seats


def nearest_seat(start: Seat, among: Collection[Seat], seats: int) -> Seat:
    """The seat of `among` that comes first clockwise after `start` (and `start` itself last)."""
    return min(among, key=lambda seat: seat_distance(start + 1, seat, seats))
