"""What is looked back at of Liar's Dice: how each round ended, who went out, and who won."""

from collections.abc import Iterable, Sequence
from typing import Any

from companion.core.rules import Rules
from companion.games.kit.commentary import Highlight, HistoryStep, announcement_of
from companion.games.liars_dice.rules import model

DIE, OUT = 0.6, -99.0
"""What a die is worth, and what to have none, in units of log odds."""


def find_highlights(rules: Rules[Any], history: Sequence[HistoryStep]) -> Iterable[Highlight]:
    """A caller who was wrong has made a mistake; what else was bid or doubted is a turning point."""
    for place, step in enumerate(history):
        match step.event:
            case model.BidJudged(how="stands" | "not_exact"):
                yield Highlight(place, "wrong", announcement_of(rules, step))
            case model.BidJudged() | model.DiceGone() | model.LiarsDiceWon():
                yield Highlight(place, "turning", announcement_of(rules, step))


def lead_scores(state: model.LiarsDiceState) -> tuple[float, ...]:
    """A score for each seat: its dice."""
    return tuple(DIE * many if many else OUT for many in state.dice)
