"""How well dnup's hands are inferred: chances at the beginning of every turn, beside the truth."""

from __future__ import annotations

from typing import Any

from companion.core.events import Event
from companion.games.dnup.belief import DnupReckoning
from companion.games.dnup.rules import cards as card
from companion.games.dnup.rules import events as dnup
from companion.games.dnup.rules.manifest import HIGHEST
from companion.games.kit.belief import Chances


class DnupCalibrated:
    """For each seat and value that is not known to be there: the chance that it is, and whether it is."""

    def __init__(self, hands: int, seed: int) -> None:
        self._reckoning = DnupReckoning(hands, seed=seed)

    def hear(self, before: Any, event: Event, world: Any, state: Any) -> Chances:
        """A ruling; `world` and `state` as they are once its whole entry stands."""
        self._reckoning.hear(before, event)
        if not isinstance(event, dnup.TurnBegan) or not state.turn_phase:
            return
        table = self._reckoning.chances(state)
        for seat, hand in enumerate(world.hands):
            known = set(map(card.up, state.hands[seat].known))
            held = set(map(card.up, hand))
            if len(state.hands[seat].known) < len(hand):
                yield from (
                    (float(table[seat, value]), value in held)
                    for value in range(1, HIGHEST + 1)
                    if value not in known
                )
