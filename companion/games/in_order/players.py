"""People who feel when their lowest number is next, press, and tell it truly; for a demo and for practice."""

from collections.abc import Hashable, Mapping, Sequence
from math import comb
from random import Random
from types import MappingProxyType

from companion.core.actions import Action, Chair, Seat, pair_value
from companion.core.view import Sentence
from companion.games.in_order.rules import InOrder, model
from companion.games.in_order.rules.model import InOrderPhase, InOrderState
from companion.games.kit.world import Advice, Opponents, Plan

PACE = 0.4
"""Seconds that people wait for each number between the highest one and their own."""
HASTE: Mapping[str, float] = MappingProxyType({"easy": 0.35, "strong": 0.05})
"""By which part of it they are early or late, everybody else by `USUAL`."""
USUAL = 0.15
CLOSE, AT_ONCE = 3, 0.25
"""Who holds one of the next few numbers presses at nearly the same moment as another, this often."""
FEW_LIVES = 2
"""So few are left that they show their lowest numbers as a level begins."""


class InOrderPeople(Opponents):
    """Everybody's numbers of every level, and when they lay them."""

    automatic_verbs = frozenset({"ready", "number", "away"})
    result_events = (model.LifeLost,)
    round_end_events = (model.LevelWon,)
    _rules = InOrder()

    def __init__(self, chairs: Sequence[Chair], rng: Random, strengths: Sequence[str]) -> None:
        super().__init__(chairs, rng, strengths)
        self._seed = rng.random()
        self.places = {model.HEAP: ()}
        self._laid_out: Mapping[str, tuple[str, ...]] = {}

    def lay_out(self, layout: Mapping[str, tuple[str, ...]]) -> bool:
        self._laid_out = layout
        return bool(layout)

    def numbers(self, state: InOrderState, seat: Seat) -> list[int]:
        """What somebody holds: of what was dealt the lowest always goes first."""
        many = state.level * state.players
        dealt = Random(f"{self._seed} {state.level}").sample(model.NUMBERS, many)
        hand = sorted(dealt[seat * state.level : (seat + 1) * state.level])
        return hand[len(hand) - state.hands[seat] :]

    def hand_pictures(self, state: InOrderState, seat: Seat) -> tuple[str, ...]:
        told = self._laid_out.get(str(seat))
        if told is not None:
            return told[len(told) - state.hands[seat] :]
        return tuple(f"order:{number}" for number in self.numbers(state, seat))

    def decision_key(self, state: InOrderState) -> Hashable:
        return state.phase, state.level, state.done, state.laid, state.hands, state.line, state.lives

    def plan(self, state: InOrderState) -> Plan:
        plans = [self._plan_number(state, call.seat) for call in state.line[:1]]
        for seat in state.waiting:
            match state.phase:
                case InOrderPhase.READY:
                    plans.append(self._plan_choice(seat, "ready", 0.8, 2.5))
                case InOrderPhase.AWAY:
                    low = sum(number < state.top for number in self.numbers(state, seat))
                    plans.append(self._plan_choice(seat, "away", 1.5, 4.0, low))
                case InOrderPhase.PLAY if seat != self.advised_seat:
                    plans.append(self._plan_lay(state, seat))
        return [deed for plan in plans for deed in plan]

    def _plan_number(self, state: InOrderState, seat: Seat) -> Plan:
        """Lay it, and tell it if nobody reads it; in practice it is only told."""
        number = self.numbers(state, seat)[0]
        value = pair_value(model.row_of(number), number)
        if self.advised_seat is not None:
            return self._plan_choice(seat, "number", 1.0, 2.5, value)
        laid = self._plan_cards(seat, 1.0, 2.5, (model.HEAP, (f"order:{number}",)))
        return self._plan_fallback(laid, seat, "number", value)

    def _plan_lay(self, state: InOrderState, seat: Seat) -> Plan:
        """Who holds a lower number than the highest owns up; else the wait grows with the distance."""
        gap = self.numbers(state, seat)[0] - state.top
        if state.line:
            close = gap <= CLOSE and self._rng.random() < AT_ONCE
            return self._plan_press(seat, 0.0, 0.3) if close else []
        fresh = not state.laid and state.level > 1 and state.hands[seat] == state.level
        if fresh and state.shows and state.lives <= FEW_LIVES:
            return self._plan_choice(seat, "show", 0.5, 1.5)
        wait, haste = PACE * max(1, gap), HASTE.get(self.strengths[seat], USUAL)
        return self._plan_choice(seat, "lay", 0.3 + wait * (1 - haste), 0.6 + wait * (1 + haste))

    def advice(self, state: InOrderState, seat: int) -> Advice | None:
        """How probably nobody holds a number in between, for who sees these alone."""
        if state.phase is not InOrderPhase.PLAY or seat not in state.waiting:
            return None
        own = self.numbers(state, seat)
        between = max(0, own[0] - state.top - 1)
        highest = max(state.top, own[0])
        above = sum(number > highest and number not in own for number in model.NUMBERS)
        others = min(sum(state.hands) - len(own), between + above)
        sure = round(100 * comb(above, others) / comb(between + above, others))
        return Advice(Action(seat, "lay"), Sentence("lesson.hint.in_order_lay", (("value", sure),)))

    def forced_note(self, state: InOrderState, action: Action) -> Sentence | None:
        if action.verb != "away":
            return None
        return Sentence("lesson.practice.forced.away", (("value", int(action.value or 0)),))
