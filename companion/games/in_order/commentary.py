"""What is looked back at of In Order: the mistakes, the levels, and how it ended."""

from collections.abc import Iterable, Sequence
from typing import Any

from companion.core.rules import Rules
from companion.games.in_order.rules import model
from companion.games.kit.commentary import Highlight, HistoryStep, announcement_of


def find_highlights(rules: Rules[Any], history: Sequence[HistoryStep]) -> Iterable[Highlight]:
    """A number that came too late was a mistake; levels that were won are turning points."""
    for place, step in enumerate(history):
        match step.event:
            case model.NumberLaid(how="low"):
                yield Highlight(place, "wrong", announcement_of(rules, step))
            case model.LevelWon() | model.InOrderWon() | model.GameLost():
                yield Highlight(place, "turning", announcement_of(rules, step))
