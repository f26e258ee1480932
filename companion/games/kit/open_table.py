"""Base class for the public-knowledge comments shown in practice with open cards."""

from typing import Any, ClassVar

from companion.core.actions import Chair, Setup
from companion.core.rules import Rules
from companion.core.view import Sentence


class OpenTable:
    """Owns what follows from the announcements, and says it in sentences.

    A game's `hear` takes a ruling with the states around it, after the world's cards have moved.
    """

    belief_class: ClassVar[type[Any] | None] = None
    """What everybody can know, made for this many hands; None: a game works nothing out."""

    def __init__(self, rules: Rules[Any], world: Any, setup: Setup) -> None:
        self._rules, self._world = rules, world
        self._belief: Any = None if self.belief_class is None else self.belief_class(rules.hand_count(setup))
        self.lines: tuple[Sentence, ...] = ()

    def _build_sentence(self, key: str, state: Any, seat: int | None = None, **parts: int) -> Sentence:
        """The sentence `lesson.open.KEY`, about a seat if one is given."""
        who = () if seat is None else (self._seat_part(state, seat),)
        return Sentence(f"lesson.open.{key}", (*who, *parts.items()))

    def _seat_part(self, state: Any, seat: int) -> tuple[str, Chair | str]:
        """How a sentence names a seat."""
        return "chair", self._rules.chair_of(state, seat)
