"""How well Kinapa's hands are inferred: chances at the end of every turn, beside the truth."""

from __future__ import annotations

from typing import Any

from companion.core.events import Event
from companion.games.kinapa.belief import KinapaReckoning
from companion.games.kinapa.players import number_of
from companion.games.kinapa.rules import events as kinapa
from companion.games.kit.belief import Chances


class KinapaCalibrated:
    """For each hand (BOT decks too) and number: the chance that it is there, and whether it is."""

    def __init__(self, hands: int, seed: int, *, size: int = 400, moves: int = 160) -> None:
        self._reckoning = KinapaReckoning(hands, size=size, moves=moves, seed=seed)

    def hear(self, before: Any, event: Event, world: Any, state: Any) -> Chances:
        """A ruling; `world` and `state` as they are once its whole entry stands."""
        self._reckoning.hear(before, event)
        # Decks that change places do so before the crown is taken, in the same entry.
        if not isinstance(event, kinapa.EmperorCrowned | kinapa.EmperorStays) or not before.turns:
            return
        table = self._reckoning.chances()
        for seat, hand in enumerate(world.hands):
            held = {number_of(one) for one in hand}
            for number in range(1, self._reckoning.numbers + 1):
                if number not in before.dead:
                    yield float(table[seat, number - 1]), number in held
