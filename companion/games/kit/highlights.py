"""Shared types and helpers of the games' recaps."""

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

from companion.core.actions import Micros
from companion.core.events import Event
from companion.core.exhibits import MomentKind
from companion.core.rules import Rules
from companion.core.view import Sentence


class HistoryStep(NamedTuple):
    """One standing ruling."""

    order: int
    seq: int
    at: Micros
    before: Any
    event: Event
    after: Any


class Highlight(NamedTuple):
    """A stop: its place in the history, and what there is to say."""

    place: int
    kind: MomentKind
    sentence: Sentence


def announcement_of(rules: Rules[Any], step: HistoryStep) -> Sentence:
    """A ruling as it was announced at the table."""
    return rules.sentence(step.before, step.event) or Sentence(rules.sentence_key(step.event))


def winning_chances(leads: Sequence[float]) -> tuple[float, ...]:
    """Everybody's chance to win, among people who play equally well: the softmax of how far ahead each is.

    A game's `lead` gives `leads` in such units; `make bench ARGS="--only chances"` fits them to simulated
    games.
    """
    best = max(leads, default=0.0)
    weights = [math.exp(lead - best) for lead in leads]
    return tuple(weight / sum(weights) for weight in weights)
