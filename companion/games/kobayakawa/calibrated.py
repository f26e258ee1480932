"""How well Kobayakawa's hands are inferred: chances when betting begins and before the showdown."""

from __future__ import annotations

from typing import Any

from companion.core.events import Event
from companion.games.kit.belief import Chances
from companion.games.kobayakawa.belief import KobayakawaReckoning
from companion.games.kobayakawa.rules import events as kobayakawa


class KobayakawaCalibrated:
    """For each seat and number that is not open: the chance that it is there, and whether it is."""

    def __init__(self, hands: int, seed: int) -> None:
        self._reckoning = KobayakawaReckoning(hands)

    def hear(self, before: Any, event: Event, world: Any, state: Any) -> Chances:
        """A ruling; `world` and `state` as they are once its whole entry stands."""
        if isinstance(event, kobayakawa.ShowdownBegan):
            yield from self._numbers(world)
        self._reckoning.hear(before, event)
        if isinstance(event, kobayakawa.BettingBegan):
            yield from self._numbers(world)

    def _numbers(self, world: Any) -> Chances:
        table = self._reckoning.chances()
        for seat in self._reckoning.playing:
            for number in range(1, self._reckoning.cards + 1):
                if number not in self._reckoning.open:
                    yield float(table[seat, number]), world.holds(seat) == number
