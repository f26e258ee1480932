"""What everybody can know of Kinapa when all cards lie open, beside the truth."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from companion.core.actions import Setup
from companion.core.events import Event
from companion.core.rules import Rules
from companion.core.view import Sentence
from companion.games.kinapa.belief import KinapaReckoning
from companion.games.kinapa.rules import events as kinapa
from companion.games.kinapa.rules.telling import bot_part


class KinapaOpenTable:
    """Owns what follows from the announcements, and says it in sentences.

    `hear` takes a ruling with the states around it, after the world's cards have moved.
    """

    def __init__(self, rules: Rules[Any], world: Any, setup: Setup) -> None:
        self._rules, self._world = rules, world
        self.lines: tuple[Sentence, ...] = ()
        self._reckoning = KinapaReckoning(rules.seats(setup))

    def hear(self, before: Any, event: Event, after: Any) -> None:
        self._reckoning.hear(before, event)
        match event:
            case kinapa.Punished():
                self._reckoning.sees(event.seat, self._world.hands[event.seat])  # they lie open
            case kinapa.HandsLocked():
                self.lines = tuple(self._told(after, event))
            case kinapa.EmperorCrowned():
                self.lines = ()

    def _line(self, key: str, state: Any, seat: int | None = None, **parts: int) -> Sentence:
        who = () if seat is None else (self._who(state, seat),)
        return Sentence(f"lesson.open.{key}", (*who, *parts.items()))

    def _who(self, state: Any, seat: int) -> tuple[str, int | str]:
        """A chair, or the BOT deck that lies there."""
        return bot_part(state, seat) if state.is_bot(seat) else ("chair", self._rules.chair_of(state, seat))

    def _told(self, state: Any, locked: kinapa.HandsLocked) -> Iterator[Sentence]:
        number, table = state.turn.number, self._reckoning.chances()
        for seat in range(len(self._world.hands)):
            count, value = len(self._world.holds(seat, number)), round(100 * float(table[seat, number - 1]))
            yield self._line("chance", state, seat, count=count, value=value)
        if len(self._world.holds(state.emperor, number)) == 2:
            yield self._line("pair", state)
        else:
            yield self._line(
                ("nobody", "one")[len(locked.lowered)] if len(locked.lowered) < 2 else "blind", state
            )
