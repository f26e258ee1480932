"""People who play Pebbles; careless ones are sometimes too early."""

from collections.abc import Hashable

from companion.games.kit.world import Plan, PlayStyle, WorldBase
from pebbles.rules import PebblesState


class PebblesWorld(WorldBase):
    fair_styles = frozenset(PlayStyle) - {PlayStyle.CARELESS}

    def decision_key(self, state: PebblesState) -> Hashable:
        return state.left

    def plan(self, state: PebblesState) -> Plan:
        some = self._rng.randint(1, min(2, state.left))
        plan = self._plan_choice(state.seat, "take", 1.5, 3.0, some)
        early = (state.seat + 1) % len(self.chairs)
        if self._has_style(early, PlayStyle.CARELESS):
            plan += self._plan_choice(early, "take", 0.5, 1.0, 1, breaks="take.turn")
        return plan
