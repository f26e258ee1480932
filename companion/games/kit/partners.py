"""Two against two: partners sit opposite each other, and points are by side."""

from collections.abc import Iterator, Sequence
from typing import Any

from companion.core.actions import Seat
from companion.core.view import Cell, Sentence, SentenceParts

PLAYERS, SIDES = 4, 2


def side_of(seat: Seat) -> int:
    return seat % SIDES


def partner_of(seat: Seat) -> Seat:
    return (seat + SIDES) % PLAYERS


def leading_seats(points: Sequence[int]) -> tuple[Seat, ...]:
    """Both partners of the side that has most."""
    return tuple(range(points.index(max(points)), PLAYERS, SIDES))


def partner_parts(state: Any, seat: Seat) -> SentenceParts:
    """What a sentence says of a seat and its partner."""
    return (("chair", state.chair_of(seat)), ("partner_chair", state.chair_of(partner_of(seat))))


def side_rows(game: str, state: Any) -> Iterator[tuple[Cell, ...]]:
    """What the last deal brought to each side."""
    for side, points in enumerate(state.scored):
        words = Sentence(f"{game}.side", partner_parts(state, side))
        yield (Cell(words=words, value=f"{points:+d}", lit=points == max(state.scored)),)


def leading_side(game: str, state: Any) -> Sentence:
    """Which side has more points."""
    if state.points[0] == state.points[1]:
        return Sentence(f"{game}.leads.none")
    return Sentence(f"{game}.leads", partner_parts(state, leading_seats(state.points)[0]))
