"""What is looked back at of Euchre: who played alone, each deal, each revoke, and who won."""

from collections.abc import Iterable, Sequence
from typing import Any

from companion.core.rules import Rules
from companion.games.euchre.rules import model
from companion.games.kit.commentary import Highlight, HistoryStep, announcement_of
from companion.games.kit.partners import PLAYERS, side_of
from companion.games.kit.trick_table import RevokeProved, TrickGameWon

POINT = 0.4
"""What a point more brings, in units of log odds; a guess that no games were fitted to."""


def find_highlights(rules: Rules[Any], history: Sequence[HistoryStep]) -> Iterable[Highlight]:
    """A proved revoke is a mistake; a lone hand and what ends a deal are turning points."""
    for place, step in enumerate(history):
        match step.event:
            case RevokeProved():
                yield Highlight(place, "wrong", announcement_of(rules, step))
            case model.PlaysAlone() | model.EuchreDealScored() | TrickGameWon():
                yield Highlight(place, "turning", announcement_of(rules, step))


def lead_scores(state: model.EuchreState) -> tuple[float, ...]:
    """A score for each seat: the points of its side."""
    return tuple(POINT * state.points[side_of(seat)] for seat in range(PLAYERS))
