"""Public-knowledge comments on Kobayakawa for practice with open cards."""

from collections.abc import Iterator
from typing import Any

from companion.core.events import Event
from companion.core.view import Sentence
from companion.games.kit.open_table import OpenTable
from companion.games.kobayakawa.belief import KobayakawaBelief
from companion.games.kobayakawa.rules import events as kobayakawa
from companion.games.kobayakawa.rules.showdown import fighter_totals, showdown_winner


class KobayakawaOpenTable(OpenTable):
    """Says what everybody can know of Kobayakawa."""

    belief_class = KobayakawaBelief

    def observe_event(self, before: Any, event: Event, after: Any) -> None:
        self._belief.observe_event(before, event)
        match event:
            case kobayakawa.BettingBegan() | kobayakawa.PlayerFought() | kobayakawa.PlayerPassed():
                self.lines = tuple(self._sentences(after))
            case kobayakawa.RoundWon():
                self.lines = ()

    def _sentences(self, state: Any) -> Iterator[Sentence]:
        table = self._belief.card_probabilities()
        cards = {seat: self._world.card_in_hand(seat) for seat in state.order}
        for seat, number in cards.items():
            yield self._build_sentence(
                "card", state, seat, number=number, value=round(100 * float(table[seat, number]))
            )
        left = {seat: number for seat, number in cards.items() if state.hands[seat].bet != "pass"}
        if left:
            best = showdown_winner(left, state.kobayakawa, state.order)
            total = fighter_totals(left, state.kobayakawa)[best]
            yield self._build_sentence("best", state, best, total=total)
