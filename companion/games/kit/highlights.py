"""What the games' recaps share: a ruling between two states, and a stop that was found."""

from __future__ import annotations

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


def told(rules: Rules[Any], step: Step) -> Sentence:
    """A ruling as it was told at the table."""
    return rules.sentence(step.before, step.event) or Sentence(rules.key(step.event))
