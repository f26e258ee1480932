"""Kabuki's opponents of three strengths: what they remember of the stacks, and how sure they have to be.

Nothing is hidden in Kabuki but what was forgotten, so strength is memory. The strong remember every mask,
place where no twin lies and others recall least, and stop only what they know.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence

from companion.actions import Action, Chair, Seat
from companion.practice.minds import Advice
from companion.rules.kabuki.state import COPIES, KabukiState, Phase
from companion.simulator.kabuki import KabukiWorld
from companion.simulator.world import Style
from companion.view import Sentence

REMEMBERED: Mapping[str, float] = {"easy": 0.6, "medium": 0.85, "strong": 1.0}
"""Of every mask that is covered."""


class KabukiMinds(KabukiWorld):
    """A table of people of given strengths."""

    def __init__(self, chairs: Sequence[Chair], rng: random.Random, strengths: Sequence[str]) -> None:
        super().__init__(chairs, rng, [Style.LAWFUL] * len(chairs))
        self.strengths = tuple(strengths)
        self.explain: Seat | None = None

    def _recall(self, seat: Seat) -> float:
        return REMEMBERED[self.strengths[seat]]

    def _choice(self, seat: Seat, mask: str) -> int:
        """Where no twin is remembered; the strong add to the longest such stack: who else recalls it?"""
        free = [stack for stack in self.stacks if mask not in self._remembered(seat, stack)]
        if self.strengths[seat] != "strong" or not free:
            return super()._choice(seat, mask)
        return max(free, key=lambda stack: (len(self.stacks[stack]), self._rng.random()))

    def advice(self, state: KabukiState, seat: Seat) -> Advice | None:
        """What somebody who remembers everything would do in this seat, and why."""
        if state.phase is not Phase.PLAYING:
            return None
        last = state.last
        if last is not None and last.seat != seat and not state.closed:
            stack = state.stack_of(last)
            twins = self.stacks[stack][:-1].count(self._top(stack))
            if twins:
                return Advice(Action(seat, "stop"), Sentence("lesson.hint.stop", (("slot", stack),)))
        if state.drawer == seat and self.deck and not state.out:
            mask = self.deck[-1]
            free = [stack for stack, lying in self.stacks.items() if mask not in lying]
            if free:
                stack = min(free, key=lambda one: len(self.stacks[one]))
                parts = (("slot", stack),)
                return Advice(Action(seat, "place", stack), Sentence("lesson.hint.place", parts))
            assert sum(mask in lying for lying in self.stacks.values()) <= COPIES
            return Advice(Action(seat, "place", 1), Sentence("lesson.hint.place_any"))
        return None
