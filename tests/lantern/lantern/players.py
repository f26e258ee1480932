"""Lantern at a simulated table: what everybody holds, and people who are careful, clumsy or dishonest."""

from __future__ import annotations

import random
from collections.abc import Hashable, Sequence

from companion.core.actions import SECOND, Action, Chair, Micros, Seat
from companion.core.events import Event, Infraction
from companion.games.kit.world import (
    ArrangeCards,
    Plan,
    PlayStyle,
    SimulatedAction,
    TakeAction,
    thinking_time,
)
from lantern.rules import BACK, CARDS, SEATS, LanternState, NumberNamed, place

PATIENCE: Micros = 6 * SECOND
"""How long people wait for the camera before they say what is there."""


class LanternWorld:
    """Four cards that two people hold, and what they do with them."""

    def __init__(self, chairs: Sequence[Chair], rng: random.Random, styles: Sequence[PlayStyle]) -> None:
        self.chairs = tuple(chairs)
        self.styles = tuple(styles)
        """CARELESS: lays a card in a place of others. CHEATING: names the last number again."""
        self._rng = rng
        self.hands = [[rng.choice(CARDS)] for _ in range(SEATS)]
        self.places: dict[str, tuple[str, ...]] = {place(seat): () for seat in range(SEATS)}
        self._cards = tuple(hand[0] for hand in self.hands)
        self._tripped: set[Seat] = set()
        """Seats at which somebody has slipped already."""

    def decision_key(self, state: LanternState) -> Hashable:
        return (state.phase, state.seat, state.attempt, state.catcher, state.wrong, state.desk.paused)

    def plan(self, state: LanternState) -> Plan:
        if state.desk.paused:
            return []
        seat = state.seat
        match state.phase:
            case "lay":
                return self._lay(state)
            case "turn":
                return [self._put(seat, BACK, 0.8), self._say(seat, "turn", delay=PATIENCE)]
            case "name":
                return self._name(state)
            case "window" if self._rng.random() < 0.5:
                return [self._say((seat + 1) % SEATS, "catch")]
            case "answer":
                return [self._say(seat, self._rng.choice(("keep", "give")))]
        return []

    def _lay(self, state: LanternState) -> Plan:
        seat, card = state.seat, self._cards[state.seat]
        there = place((seat + 2) % SEATS)
        if self._slips(seat, PlayStyle.CARELESS) and not self.places[there]:
            wrong = ArrangeCards(self._chair(seat), ((there, (card,)),), breaks="lay.place")
            return [(thinking_time(self._rng, 0.8, 1.5), wrong)]
        away: Plan = [
            (thinking_time(self._rng, 0.5, 1.0), ArrangeCards(self._chair(seat), ((name, ()),)))
            for name in state.wrong
        ]
        return [*away, self._put(seat, card, 2.0), self._say(seat, "lay", card, delay=PATIENCE)]

    def _name(self, state: LanternState) -> Plan:
        seat = state.seat
        if state.last and self._slips(seat, PlayStyle.CHEATING):
            twice = TakeAction(self._chair(seat), Action(seat, "name", state.last), breaks="name.twice")
            return [
                (thinking_time(self._rng, 0.8, 1.0), twice),
                self._say(seat, "name", state.last % 5 + 1, delay=3 * SECOND),
            ]
        numbers = [number for number in range(1, 6) if number != state.last]
        return [self._say(seat, "name", self._rng.choice(numbers))]

    def _slips(self, seat: Seat, style: PlayStyle) -> bool:
        """Whether the person of this style slips now, at most once at each seat."""
        if self.styles[seat % 2] is not style or seat in self._tripped:
            return False
        self._tripped.add(seat)
        return self._rng.random() < 0.5

    def _chair(self, seat: Seat) -> Chair:
        return self.chairs[seat % 2]

    def _put(self, seat: Seat, card: str, delay: float) -> tuple[Micros, SimulatedAction]:
        """A hand leaves this card in its own place, after about `delay` seconds."""
        laid = ArrangeCards(self._chair(seat), ((place(seat), (card,)),))
        return thinking_time(self._rng, delay, delay + 0.5), laid

    def _say(
        self, seat: Seat, verb: str, value: str | int | None = None, *, delay: Micros = 0
    ) -> tuple[Micros, SimulatedAction]:
        return delay + thinking_time(self._rng, 0.5, 1.5), TakeAction(
            self._chair(seat), Action(seat, verb, value)
        )

    def apply_event(self, before: LanternState, event: Event) -> None:
        if isinstance(event, NumberNamed):
            self.hands[event.seat] = []

    def find_discrepancy(self, state: LanternState) -> str | None:
        for seat, card in enumerate(state.cards):
            if card and card != self._cards[seat]:
                return f"the referee has {card} at {place(seat)}; it is {self._cards[seat]}"
        return None

    def find_unjust_ruling(self, event: Event) -> str | None:
        if isinstance(event, Infraction) and event.seat is not None:
            style = self.styles[event.seat % 2]
            return f"{event.rule} against the lawful seat {event.seat}" if style is PlayStyle.LAWFUL else None
        return None
