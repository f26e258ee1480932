"""Public-knowledge comments on dnup for practice with open cards."""

from collections.abc import Iterator
from typing import Any

from companion.core.events import Event
from companion.core.view import Sentence
from companion.games.dnup.belief import DnupBelief
from companion.games.dnup.rules import cards as card
from companion.games.dnup.rules import events as dnup
from companion.games.kit.open_table import OpenTable


class DnupOpenTable(OpenTable):
    """Says what everybody can know of dnup."""

    belief_class = DnupBelief

    def observe_event(self, before: Any, event: Event, after: Any) -> None:
        self._belief.observe_event(before, event)
        if isinstance(event, dnup.TurnBegan):
            self.lines = tuple(self._sentences(after))

    def _sentences(self, state: Any) -> Iterator[Sentence]:
        for seat, hand in enumerate(state.hands):
            yield self._build_sentence("known", state, seat, count=len(hand.known), number=hand.size)
        rivals = {len(area.cards): state.value(at) for at, area in enumerate(state.areas)}
        ups = list(map(card.active_value, self._world.hands[state.seat]))
        sets = [
            (size, value)
            for value in set(ups)
            for size in range(1, ups.count(value) + 1)
            if rivals.get(size, 0) < value
        ]
        if sets:
            size, value = max(sets)
            yield self._build_sentence("largest", state, state.seat, count=size, many=size, value=value)
        else:
            yield self._build_sentence("no_set", state, state.seat)
