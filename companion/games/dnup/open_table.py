"""What everybody can know of dnup when all cards lie open, beside the truth."""

from collections.abc import Iterator
from typing import Any

from companion.core.events import Event
from companion.core.view import Sentence
from companion.games.dnup.belief import DnupReckoning
from companion.games.dnup.rules import cards as card
from companion.games.dnup.rules import events as dnup
from companion.games.kit.open_table import OpenTable


class DnupOpenTable(OpenTable):
    """Says what everybody can know of dnup."""

    belief = DnupReckoning

    def hear(self, before: Any, event: Event, after: Any) -> None:
        self._belief.hear(before, event)
        if isinstance(event, dnup.TurnBegan):
            self.lines = tuple(self._sentences(after))

    def _sentences(self, state: Any) -> Iterator[Sentence]:
        for seat, hand in enumerate(state.hands):
            yield self._line("known", state, seat, count=len(hand.known), number=hand.size)
        rivals = {len(area.cards): state.value(at) for at, area in enumerate(state.areas)}
        ups = list(map(card.up, self._world.hands[state.seat]))
        sets = [
            (size, value)
            for value in set(ups)
            for size in range(1, ups.count(value) + 1)
            if rivals.get(size, 0) < value
        ]
        if sets:
            size, value = max(sets)
            yield self._line("largest", state, state.seat, count=size, many=size, value=value)
        else:
            yield self._line("no_set", state, state.seat)
