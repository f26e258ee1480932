"""What is looked back at of Spades: each nil, each deal, each revoke, and who won."""

from collections.abc import Iterable, Sequence
from typing import Any

from companion.core.rules import Rules
from companion.games.kit.commentary import Highlight, HistoryStep, announcement_of
from companion.games.kit.partners import PLAYERS, side_of
from companion.games.kit.trick_table import RevokeProved, TrickGameWon
from companion.games.spades.rules import model

POINT = 0.01
"""What a point more brings, in units of log odds; a guess that no games were fitted to."""


def find_highlights(rules: Rules[Any], history: Sequence[HistoryStep]) -> Iterable[Highlight]:
    """A proved revoke is a mistake; a nil and what ends a deal are turning points."""
    for place, step in enumerate(history):
        event = step.event
        match event:
            case RevokeProved():
                yield Highlight(place, "wrong", announcement_of(rules, step))
            case model.SpadesBidMade(tricks=0) | model.SpadesDealScored() | TrickGameWon():
                yield Highlight(place, "turning", announcement_of(rules, step))


def lead_scores(state: model.SpadesState) -> tuple[float, ...]:
    """A score for each seat: the points of its side."""
    return tuple(POINT * state.points[side_of(seat)] for seat in range(PLAYERS))
