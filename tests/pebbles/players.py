"""People who play Pebbles; careless ones are sometimes too early."""

import random
from collections.abc import Hashable, Sequence

from companion.core.actions import Action, Chair
from companion.core.events import Event, Infraction
from companion.games.kit.world import Plan, PlayStyle, TakeAction, thinking_time
from pebbles.rules import PebblesState


class PebblesWorld:
    def __init__(self, chairs: tuple[Chair, ...], rng: random.Random, styles: Sequence[PlayStyle]) -> None:
        self.chairs, self.rng, self.styles = chairs, rng, styles
        self.places: dict[str, tuple[str, ...]] = {}
        self.hands: list[list[str]] = [[] for _ in chairs]

    def decision_key(self, state: PebblesState) -> Hashable:
        return state.left, state.desk.paused

    def plan(self, state: PebblesState) -> Plan:
        if state.desk.paused:
            return []
        some = self.rng.randint(1, min(2, state.left))
        deeds: Plan = [(thinking_time(self.rng, 1.5, 3.0), self._take(state.seat, some))]
        early = (state.seat + 1) % len(self.chairs)
        if self.styles[early] is PlayStyle.CARELESS:
            deeds.append((thinking_time(self.rng, 0.5, 1.0), self._take(early, 1, breaks="take.turn")))
        return deeds

    def _take(self, seat: int, some: int, breaks: str = "") -> TakeAction:
        return TakeAction(self.chairs[seat], Action(seat, "take", some), breaks)

    def apply_event(self, before: PebblesState, event: Event) -> None:
        """No cards change hands."""

    def find_discrepancy(self, state: PebblesState) -> str | None:
        return None

    def find_unjust_ruling(self, event: Event) -> str | None:
        if isinstance(event, Infraction) and self.styles[event.seat or 0] is not PlayStyle.CARELESS:
            return f"{event.rule} against seat {event.seat}, who is never early"
        return None
