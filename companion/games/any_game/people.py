"""People at a table with a box it does not know: they think, are done, and pass now and then."""

from collections.abc import Mapping
from typing import Any, ClassVar

from companion.games.any_game.rules import AnyGame
from companion.games.kit.world import LawfulPeople, Plan

LONG_ENOUGH = 24
"""After so many turns, or rounds, somebody says that the game is over."""


class AnyGamePeople(LawfulPeople):
    rules = AnyGame()
    weights: ClassVar[Mapping[str, float]] = {"turn_done": 6, "answer_right": 2}

    def plan(self, state: Any) -> Plan:
        if state.turns + state.round >= LONG_ENOUGH:
            return self._plan_choice(0, "end_game", 1.0, 2.0)
        return super().plan(state)
