"""Commentary on a game for people who look on: what the games' own share.

`OpenTable` is for practice with open cards, the rest for the recap.
"""

import math
from collections.abc import Sequence
from typing import Any, ClassVar, NamedTuple

from companion.core.actions import Chair, Micros, Setup
from companion.core.events import Event
from companion.core.exhibits import MomentKind
from companion.core.rules import Rules
from companion.core.view import Sentence


class OpenTable:
    """Owns what follows from the announcements, and says it in sentences.

    A game's `observe_event` takes a ruling with the states around it, after the world's cards have moved.
    """

    belief_class: ClassVar[type[Any] | None] = None
    """What everybody can know, made for this many hands; None: a game works nothing out."""

    def __init__(self, rules: Rules[Any], world: Any, setup: Setup) -> None:
        self._world = world
        self._belief: Any = None if self.belief_class is None else self.belief_class(rules.hand_count(setup))
        self.lines: tuple[Sentence, ...] = ()

    def _build_sentence(self, key: str, state: Any, seat: int | None = None, **parts: int) -> Sentence:
        """The sentence `lesson.open.KEY`, about a seat if one is given."""
        who = () if seat is None else (self._seat_part(state, seat),)
        return Sentence(f"lesson.open.{key}", (*who, *parts.items()))

    def _seat_part(self, state: Any, seat: int) -> tuple[str, Chair | str]:
        """How a sentence names a seat."""
        return "chair", state.chair_of(seat)


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

    A game's `lead_scores` gives `leads` in such units; `make bench ARGS="--only chances"` fits them to
    simulated games.
    """
    best = max(leads, default=0.0)
    weights = [math.exp(lead - best) for lead in leads]
    return tuple(weight / sum(weights) for weight in weights)
