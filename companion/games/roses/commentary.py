"""What is looked back at of Roses and Thorns: how each round ended, who went out, and who won."""

from collections.abc import Iterable, Sequence
from typing import Any

from companion.core.rules import Rules
from companion.games.kit.commentary import Highlight, HistoryStep, announcement_of
from companion.games.roses.rules import model

CARD, POINT, OUT = 0.4, 1.2, -99.0
"""What a card and a round are worth, and what to have no card, in units of log odds."""


def find_highlights(rules: Rules[Any], history: Sequence[HistoryStep]) -> Iterable[Highlight]:
    """A thorn of somebody's own was a bluff that failed; rounds, and who is out, are turning points."""
    for place, step in enumerate(history):
        match step.event:
            case model.RoundEnded(how="own_thorn"):
                yield Highlight(place, "wrong", announcement_of(rules, step))
            case model.RoundEnded() | model.PlayerEliminated() | model.RosesWon():
                yield Highlight(place, "turning", announcement_of(rules, step))


def lead_scores(state: model.RosesState) -> tuple[float, ...]:
    """A score for each seat: its rounds and its cards."""
    rows = zip(state.points, state.cards, strict=True)
    return tuple(POINT * points + CARD * cards if cards else OUT for points, cards in rows)
