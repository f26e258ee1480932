"""Kabuki's computer opponents of three strengths, which differ in memory.

Nothing is hidden in Kabuki but the order of the deck and what was forgotten, so strength is memory. Strong
people remember every mask and stop only what they know. Placing, they look ahead: in many orders of the masks
that are left they play on, and count who has to place over a twin (Monte Carlo).
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import chain

from companion.core.actions import Action, Seat
from companion.core.view import Sentence
from companion.games.kabuki.players import KabukiWorld
from companion.games.kabuki.rules.model import (
    COPIES_PER_DESIGN,
    DESIGNS,
    KabukiPhase,
    KabukiRoundEnded,
    KabukiState,
)
from companion.games.kit.world import Advice, CardPlaces, Opponents

RECALL_BY_STRENGTH: Mapping[str, float] = {"easy": 0.6, "medium": 0.85, "strong": 1.0}
"""Of every mask that is covered."""
CHECK_PHASES = frozenset(
    {KabukiPhase.STOPPED, KabukiPhase.CHECKING, KabukiPhase.SHOWING, KabukiPhase.RESTORING}
)
"""Who called Stop looks through the stack."""
SIMULATED_ORDERS, MASKS_AHEAD = 12, 40
"""Orders of the deck that the strong play on, and how many masks of each."""


class KabukiOpponents(Opponents, KabukiWorld):
    """A table of people of given strengths."""

    automatic_verbs = frozenset({"begin", "look", "twins", "restored", "reopen", "show"})
    card_move_verbs = frozenset({"place"})
    own_place_prefixes = ("stack:",)
    round_end_events = (KabukiRoundEnded,)

    def remembered_masks(self, seat: Seat, stack: int) -> list[str]:
        """What somebody remembers of what lies buried."""
        return list(self._memory[seat][stack])

    def _recall_rate(self, seat: Seat) -> float:
        return RECALL_BY_STRENGTH[self.strengths[seat]]

    def _choose_stack(self, seat: Seat, mask: str) -> int:
        """Where no twin is remembered; the strong add to the longest such stack: who else recalls it?"""
        if self.strengths[seat] != "strong":
            return super()._choose_stack(seat, mask)
        return self.best_stack(seat, mask)

    def best_stack(self, seat: Seat, mask: str) -> int:
        """Where no twin lies, and others will sooner have to place over one; else where it lies deepest."""
        free = [stack for stack, lying in self.stacks.items() if mask not in lying]
        if not free:
            return max(self.stacks, key=lambda stack: self._twin_depth(stack, mask))
        left = sorted(
            (Counter(DESIGNS * COPIES_PER_DESIGN) - Counter(chain(*self.stacks.values(), (mask,)))).elements()
        )
        worth = dict.fromkeys(free, 0.0)
        for _ in range(SIMULATED_ORDERS if len(free) > 1 else 0):
            coming = self._rng.sample(left, min(MASKS_AHEAD, len(left)))
            for stack in free:
                worth[stack] -= self._forced_twin_cost(seat, mask, stack, coming)
        return max(free, key=lambda stack: (worth[stack], len(self.stacks[stack]), self._rng.random()))

    def _twin_depth(self, stack: int, mask: str) -> tuple[int, int]:
        """How deep the only twin lies."""
        lying = self.stacks[stack]
        return -lying.count(mask), len(lying) - lying.index(mask)

    def _forced_twin_cost(self, seat: Seat, mask: str, stack: int, coming: Sequence[str]) -> float:
        """How much more often this seat has to place over a twin than the others, if these masks come."""
        lying = {one: set(masks) for one, masks in self.stacks.items()}
        lying[stack].add(mask)
        players, more = len(self.chairs), 0.0
        for turn, drawn in enumerate(coming, 1):
            free = [masks for masks in lying.values() if drawn not in masks]
            if not free:
                more += 1.0 if (seat + turn) % players == seat else -1.0 / (players - 1)
                continue
            min(free, key=len).add(drawn)
        return more

    def advice(self, state: KabukiState, seat: Seat) -> Advice | None:
        """What somebody who remembers everything would do in this seat, and why."""
        if state.phase is not KabukiPhase.PLAYING:
            return None
        last = state.last
        if last is not None and last.seat != seat and not state.closed:
            stack = state.stack_of(last)
            twins = self.stacks[stack][:-1].count(self._top(stack))
            if twins > state.proven:
                return Advice(Action(seat, "stop"), Sentence("lesson.hint.stop", (("slot", stack),)))
        if state.drawer == seat and self.deck and not state.out:
            mask = self.deck[-1]
            stack = self.best_stack(seat, mask)
            if mask in self.stacks[stack]:
                return Advice(Action(seat, "place", stack), Sentence("lesson.hint.place_any"))
            return Advice(Action(seat, "place", stack), Sentence("lesson.hint.place", (("slot", stack),)))
        return None

    def headline(self, state: KabukiState) -> Sentence | None:
        """A mask is drawn and shown for the person, who only places it."""
        drawer = (("chair", state.chair_of(state.drawer)),)
        match state.phase:
            case KabukiPhase.SHUFFLING:
                return Sentence("ui.practice.shuffles", drawer)
            case KabukiPhase.PLAYING if state.drawer == self.advised_seat and not state.out:
                return Sentence("lesson.practice.stack", drawer)
            case _ if state.stop is not None and state.phase in CHECK_PHASES:
                caller = ("chair", state.chair_of(state.stop.seat))
                does = "restores" if state.phase is KabukiPhase.RESTORING else "checks"
                return Sentence(f"ui.practice.{does}", (caller, ("stack", state.stop.stack)))
        return None

    def is_possible(self, state: KabukiState, action: Action) -> bool:
        """A finger places at once, and only on the own turn, what everybody has seen; all see the deck."""
        if action.verb == "place":
            return state.phase is KabukiPhase.PLAYING and state.hand.drawn and bool(self.deck)
        return action.verb not in {"point", "deck_empty"}

    def forced_note(self, state: KabukiState, action: Action) -> Sentence | None:
        if action.verb != "twins":
            return None
        return Sentence("lesson.practice.forced.twins", (("count", int(action.value or 0)),))

    def places_after_move(self, state: KabukiState, seat: Seat, verb: str, value: str) -> CardPlaces | None:
        """A mask is placed once, from the show place."""
        stack, _, place = value.partition("@")
        if not self.deck:
            return ()
        mask = (f"mask:{self.deck[-1]}",)
        if self.places["show"] != mask:
            return None
        return (("show", ()), (f"stack:{place or stack}", mask))

    def touch_meaning(self, region: str) -> tuple[str, str] | None:
        return "place", region.partition(":")[2]
