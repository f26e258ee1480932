"""What is looked back at of Hearts: each deal, each moon, each revoke, and who won."""

from collections.abc import Iterable, Sequence
from typing import Any

from companion.core.rules import Rules
from companion.games.hearts.rules import model
from companion.games.kit.commentary import Highlight, HistoryStep, announcement_of
from companion.games.kit.trick_table import RevokeProved, TrickGameWon

POINT = 0.06
"""What a point costs, in units of log odds; a guess that no games were fitted to."""


def find_highlights(rules: Rules[Any], history: Sequence[HistoryStep]) -> Iterable[Highlight]:
    """A proved revoke is a mistake; the trick with the queen and what ends a deal are turning points."""
    for place, step in enumerate(history):
        event = step.event
        match event:
            case RevokeProved():
                yield Highlight(place, "wrong", announcement_of(rules, step))
            case model.TrickTaken() if event.points >= model.QUEEN_POINTS:
                yield Highlight(place, "turning", announcement_of(rules, step))
            case model.MoonShot() | model.DealScored() | TrickGameWon():
                yield Highlight(place, "turning", announcement_of(rules, step))


def lead_scores(state: model.HeartsState) -> tuple[float, ...]:
    """A score for each seat: its points, the fewer the better."""
    return tuple(-POINT * points for points in state.points)
