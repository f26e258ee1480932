"""What everybody can know of Kinapa when all cards lie open, beside the truth."""

from collections.abc import Iterator
from typing import Any

from companion.core.events import Event
from companion.core.view import Sentence
from companion.games.kinapa.belief import KinapaReckoning
from companion.games.kinapa.rules import events as kinapa
from companion.games.kinapa.rules.telling import bot_part
from companion.games.kit.open_table import OpenTable


class KinapaOpenTable(OpenTable):
    """Says what everybody can know of Kinapa."""

    belief = KinapaReckoning

    def hear(self, before: Any, event: Event, after: Any) -> None:
        self._belief.hear(before, event)
        match event:
            case kinapa.Punished():
                self._belief.sees(event.seat, self._world.hands[event.seat])  # they lie open
            case kinapa.HandsLocked():
                self.lines = tuple(self._sentences(after, event))
            case kinapa.EmperorCrowned():
                self.lines = ()

    def _who(self, state: Any, seat: int) -> tuple[str, int | str]:
        """A chair, or the BOT deck that is there."""
        return bot_part(state, seat) if state.is_bot(seat) else super()._who(state, seat)

    def _sentences(self, state: Any, locked: kinapa.HandsLocked) -> Iterator[Sentence]:
        number, table = state.turn.number, self._belief.chances()
        for seat in range(len(self._world.hands)):
            count, value = len(self._world.holds(seat, number)), round(100 * float(table[seat, number - 1]))
            yield self._line("chance", state, seat, count=count, value=value)
        if len(self._world.holds(state.emperor, number)) == 2:
            yield self._line("pair", state)
        else:
            yield self._line(
                ("nobody", "one")[len(locked.lowered)] if len(locked.lowered) < 2 else "blind", state
            )
