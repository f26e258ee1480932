"""What everybody can know of Kobayakawa when all cards lie open, beside the truth."""

from collections.abc import Iterator
from typing import Any

from companion.core.events import Event
from companion.core.view import Sentence
from companion.games.kit.open_table import OpenTable
from companion.games.kobayakawa.belief import KobayakawaReckoning
from companion.games.kobayakawa.rules import events as kobayakawa
from companion.games.kobayakawa.rules.showdown import totals, winner


class KobayakawaOpenTable(OpenTable):
    """Says what everybody can know of Kobayakawa."""

    belief = KobayakawaReckoning

    def hear(self, before: Any, event: Event, after: Any) -> None:
        self._belief.hear(before, event)
        match event:
            case kobayakawa.BettingBegan() | kobayakawa.Fought() | kobayakawa.Passed():
                self.lines = tuple(self._sentences(after))
            case kobayakawa.RoundWon():
                self.lines = ()

    def _sentences(self, state: Any) -> Iterator[Sentence]:
        table = self._belief.chances()
        cards = {seat: self._world.holds(seat) for seat in state.order}
        for seat, number in cards.items():
            yield self._line(
                "card", state, seat, number=number, value=round(100 * float(table[seat, number]))
            )
        left = {seat: number for seat, number in cards.items() if state.hands[seat].bet != "pass"}
        if left:
            best = winner(left, state.kobayakawa, state.order)
            total = totals(left, state.kobayakawa)[best]
            yield self._line("best", state, best, total=total)
