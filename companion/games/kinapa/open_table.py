"""Public-knowledge comments on Kinapa for practice with open cards."""

from collections.abc import Iterator
from typing import Any

from companion.core.events import Event
from companion.core.view import Sentence
from companion.games.kinapa.belief import KinapaBelief
from companion.games.kinapa.rules import events as kinapa
from companion.games.kinapa.rules.narration import bot_part
from companion.games.kit.open_table import OpenTable


class KinapaOpenTable(OpenTable):
    """Says what everybody can know of Kinapa."""

    belief_class = KinapaBelief

    def observe_event(self, before: Any, event: Event, after: Any) -> None:
        self._belief.observe_event(before, event)
        match event:
            case kinapa.LiarPunished():
                self._belief.see_cards(event.seat, self._world.hands[event.seat])  # they lie open
            case kinapa.HandsLocked():
                self.lines = tuple(self._sentences(after, event))
            case kinapa.EmperorCrowned():
                self.lines = ()

    def _seat_part(self, state: Any, seat: int) -> tuple[str, int | str]:
        """A chair, or the BOT deck that is there."""
        return bot_part(state, seat) if state.is_bot(seat) else super()._seat_part(state, seat)

    def _sentences(self, state: Any, locked: kinapa.HandsLocked) -> Iterator[Sentence]:
        number, table = state.turn.number, self._belief.card_probabilities()
        for seat in range(len(self._world.hands)):
            count, value = (
                len(self._world.cards_of_number(seat, number)),
                round(100 * float(table[seat, number - 1])),
            )
            yield self._build_sentence("chance", state, seat, count=count, value=value)
        if len(self._world.cards_of_number(state.emperor, number)) == 2:
            yield self._build_sentence("pair", state)
        else:
            yield self._build_sentence(
                ("nobody", "one")[len(locked.lowered)] if len(locked.lowered) < 2 else "blind", state
            )
