"""Public-knowledge comments on Kabuki for practice with open cards."""

from collections.abc import Iterator
from typing import Any

from companion.core.events import Event
from companion.core.view import Sentence
from companion.games.kabuki.rules import events as kabuki
from companion.games.kit.open_table import OpenTable


class KabukiOpenTable(OpenTable):
    """Says what everybody can know of Kabuki."""

    def observe_event(self, before: Any, event: Event, after: Any) -> None:
        match event:
            case kabuki.MaskPlaced():
                self.lines = tuple(self._sentences(after, event))
            case kabuki.KabukiRoundEnded():
                self.lines = ()

    def _sentences(self, state: Any, placed: kabuki.MaskPlaced) -> Iterator[Sentence]:
        lying = self._world.stacks[placed.stack]
        twins = lying[:-1].count(lying[-1])
        for seat in range(state.players):
            recalls = lying[-1] in self._world.remembered_masks(seat, placed.stack)
            yield self._build_sentence("recalls" if recalls else "recalls_not", state, seat)
        yield self._build_sentence("stop_right" if twins else "stop_wrong", state, slot=placed.stack)
