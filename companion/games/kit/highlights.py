"""What the games' recaps share: a ruling between two states, a stop that was found, and who was ahead."""

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

from companion.core.actions import Micros
from companion.core.events import Event
from companion.core.exhibits import Kind
from companion.core.rules import Rules
from companion.core.view import Sentence


class Step(NamedTuple):
    """One standing ruling."""

    order: int
    seq: int
    at: Micros
    before: Any
    event: Event
    after: Any


class Found(NamedTuple):
    """A stop: its place in the history, and what there is to say."""

    place: int
    kind: Kind
    sentence: Sentence


def announced(rules: Rules[Any], step: Step) -> Sentence:
    """A ruling as it was announced at the table."""
    return rules.sentence(step.before, step.event) or Sentence(rules.key(step.event))


def chances(leads: Sequence[float]) -> tuple[float, ...]:
    """Everybody's chance to win, among people who play equally well: the softmax of how far ahead each is.

    A game's `lead` gives `leads` in such units; `make bench ARGS="--only chances"` fits them to simulated
    games.
    """
    best = max(leads, default=0.0)
    weights = [math.exp(lead - best) for lead in leads]
    return tuple(weight / sum(weights) for weight in weights)
