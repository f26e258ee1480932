"""Lantern at a simulated table: what everybody holds, and people who are careful, clumsy or dishonest."""

from __future__ import annotations

import random
from collections.abc import Hashable, Sequence

from companion.core.actions import SECOND, Chair, Seat
from companion.core.events import Event
from companion.games.kit.world import Plan, PlayStyle, WorldBase, after
from lantern.rules import BACK, CARDS, SEATS, LanternState, NumberNamed, place


class LanternWorld(WorldBase):
    """Four cards that two people hold, and what they do with them.

    CARELESS: lays a card in a place of others. CHEATING: names the last number again.
    """

    fair_styles = frozenset({PlayStyle.LAWFUL})

    def __init__(self, chairs: Sequence[Chair], rng: random.Random, styles: Sequence[PlayStyle]) -> None:
        super().__init__(chairs, rng, styles)
        self.hands = [[rng.choice(CARDS)] for _ in range(SEATS)]
        self.places = {place(seat): () for seat in range(SEATS)}
        self._cards = tuple(hand[0] for hand in self.hands)
        self._slipped: set[Seat] = set()
        """Seats at which somebody has slipped already."""

    def _person_at(self, seat: Seat) -> int:
        return seat % 2

    def decision_key(self, state: LanternState) -> Hashable:
        return (state.phase, state.seat, state.attempt, state.catcher, state.wrong)

    def plan(self, state: LanternState) -> Plan:
        seat = state.seat
        match state.phase:
            case "lay":
                return self._plan_laying(state)
            case "turn":
                turned = self._plan_cards(seat, 0.8, 1.3, (place(seat), (BACK,)))
                return self._plan_fallback(turned, seat, "turn")
            case "name":
                return self._plan_naming(state)
            case "window" if self._rng.random() < 0.5:
                return self._plan_choice((seat + 1) % SEATS, "catch", 0.5, 1.5)
            case "answer":
                return self._plan_choice(seat, self._rng.choice(("keep", "give")), 0.5, 1.5)
        return []

    def _plan_laying(self, state: LanternState) -> Plan:
        seat, card = state.seat, self._cards[state.seat]
        there = place((seat + 2) % SEATS)
        if self._slips(seat, PlayStyle.CARELESS) and not self.places[there]:
            return self._plan_cards(seat, 0.8, 1.5, (there, (card,)), breaks="lay.place")
        away = [deed for name in state.wrong for deed in self._plan_cards(seat, 0.5, 1.0, (name, ()))]
        laid = self._plan_cards(seat, 2.0, 2.5, (place(seat), (card,)))
        return self._plan_fallback([*away, *laid], seat, "lay", card)

    def _plan_naming(self, state: LanternState) -> Plan:
        seat = state.seat
        if state.last and self._slips(seat, PlayStyle.CHEATING):
            twice = self._plan_choice(seat, "name", 0.8, 1.0, state.last, breaks="name.twice")
            return [*twice, *after(self._plan_choice(seat, "name", 0.5, 1.5, state.last % 5 + 1), 3 * SECOND)]
        numbers = [number for number in range(1, 6) if number != state.last]
        return self._plan_choice(seat, "name", 0.5, 1.5, self._rng.choice(numbers))

    def _slips(self, seat: Seat, style: PlayStyle) -> bool:
        """Whether the person of this style slips now, at most once at each seat."""
        if not self._has_style(seat, style) or seat in self._slipped:
            return False
        self._slipped.add(seat)
        return self._rng.random() < 0.5

    def apply_event(self, before: LanternState, event: Event) -> None:
        if isinstance(event, NumberNamed):
            self.hands[event.seat] = []

    def find_discrepancy(self, state: LanternState) -> str | None:
        for seat, card in enumerate(state.cards):
            if card and card != self._cards[seat]:
                return f"the referee has {card} at {place(seat)}; it is {self._cards[seat]}"
        return None
