"""What the open table says in every game: all cards are face up, and beside them what one could infer."""

from typing import Any, ClassVar

from companion.core.actions import Chair, Setup
from companion.core.rules import Rules
from companion.core.view import Sentence


class OpenTable:
    """Owns what follows from the announcements, and says it in sentences.

    A game's `hear` takes a ruling with the states around it, after the world's cards have moved.
    """

    belief: ClassVar[type[Any] | None] = None
    """What everybody can know, made for this many hands; None: a game works nothing out."""

    def __init__(self, rules: Rules[Any], world: Any, setup: Setup) -> None:
        self._rules, self._world = rules, world
        self._belief: Any = None if self.belief is None else self.belief(rules.seats(setup))
        self.lines: tuple[Sentence, ...] = ()

    def _line(self, key: str, state: Any, seat: int | None = None, **parts: int) -> Sentence:
        """The sentence `lesson.open.KEY`, about a seat if one is given."""
        who = () if seat is None else (self._who(state, seat),)
        return Sentence(f"lesson.open.{key}", (*who, *parts.items()))

    def _who(self, state: Any, seat: int) -> tuple[str, Chair | str]:
        """How a sentence names a seat."""
        return "chair", self._rules.chair_of(state, seat)
