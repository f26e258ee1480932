"""What everybody can know of Kabuki when all cards lie open, beside the truth."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from companion.core.actions import Setup
from companion.core.events import Event
from companion.core.rules import Rules
from companion.core.view import Sentence
from companion.games.kabuki.rules import events as kabuki


class KabukiOpenTable:
    """Owns what follows from the announcements, and says it in sentences.

    `hear` takes a ruling with the states around it, after the world's cards have moved.
    """

    def __init__(self, rules: Rules[Any], world: Any, setup: Setup) -> None:
        self._rules, self._world = rules, world
        self.lines: tuple[Sentence, ...] = ()

    def hear(self, before: Any, event: Event, after: Any) -> None:
        match event:
            case kabuki.MaskPlaced():
                self.lines = tuple(self._told(after, event))
            case kabuki.RoundEnded():
                self.lines = ()

    def _line(self, key: str, state: Any, seat: int | None = None, **parts: int) -> Sentence:
        who = () if seat is None else (("chair", self._rules.chair_of(state, seat)),)
        return Sentence(f"lesson.open.{key}", (*who, *parts.items()))

    def _told(self, state: Any, placed: kabuki.MaskPlaced) -> Iterator[Sentence]:
        lying = self._world.stacks[placed.stack]
        twins = lying[:-1].count(lying[-1])
        for seat in range(state.players):
            recalls = lying[-1] in self._world.remembered(seat, placed.stack)
            yield self._line("recalls" if recalls else "recalls_not", state, seat)
        yield self._line("stop_right" if twins else "stop_wrong", state, slot=placed.stack)
