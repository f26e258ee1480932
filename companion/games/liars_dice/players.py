"""People who roll, bid by what is probable, and tell their dice truly; for a demo and for practice."""

from collections.abc import Hashable, Mapping, Sequence
from math import comb
from random import Random
from types import MappingProxyType

from companion.core.actions import Action, Chair, Seat
from companion.core.view import Sentence
from companion.games.kit.world import Advice, Opponents, Plan
from companion.games.liars_dice.rules import LiarsDice, model
from companion.games.liars_dice.rules.model import FACES, LiarsDicePhase, LiarsDiceState

SHARPNESS: Mapping[str, int] = MappingProxyType({"easy": 1, "strong": 9})
"""How strictly the more probable choice is taken, of everybody else `USUAL`; more than 9 wins no more."""
USUAL = 3
DOUBTFUL = 0.5
"""A bid that is less probable than this is better doubted."""


def matching(dice: tuple[int, ...], face: int, wild: int) -> int:
    """How many of these dice count for a face."""
    return sum(die in {face, wild} for die in dice)


def chances(state: LiarsDiceState, own: tuple[int, ...], face: int) -> list[float]:
    """For each number from 0: how probably so many of all dice count for `face`, for who sees these."""
    unseen, mine = sum(state.dice) - len(own), matching(own, face, state.wild)
    hit = (1 if state.wild in {0, face} else 2) / len(FACES)
    there = [comb(unseen, many) * hit**many * (1 - hit) ** (unseen - many) for many in range(unseen + 1)]
    return [*[0.0] * mine, *there, *[0.0] * (len(own) - mine)]


class LiarsDicePeople(Opponents):
    """Everybody's dice of every round, and what they do with them."""

    automatic_verbs = frozenset({"begin", "tell"})
    result_events = (model.BidJudged, model.DiceGone)
    round_end_events = (model.BidJudged,)
    _rules = LiarsDice()

    def __init__(self, chairs: Sequence[Chair], rng: Random, strengths: Sequence[str]) -> None:
        super().__init__(chairs, rng, strengths)
        self._seed = rng.random()

    def _chance(self, *of: Hashable) -> Random:
        """The same for the same, however often it is asked."""
        return Random(f"{self._seed} {of}")

    def roll(self, state: LiarsDiceState, seat: Seat) -> tuple[int, ...]:
        """The dice under a cup: rolled once in a round."""
        return tuple(self._chance(state.round, state.dice, seat).choices(FACES, k=state.dice[seat]))

    def hand_pictures(self, state: LiarsDiceState, seat: Seat) -> tuple[str, ...]:
        return tuple(f"die:{die}" for die in sorted(self.roll(state, seat)))

    def decision_key(self, state: LiarsDiceState) -> Hashable:
        return state.phase, state.round, state.turns, state.told, state.seat

    def plan(self, state: LiarsDiceState) -> Plan:
        match state.phase:
            case LiarsDicePhase.START:
                return self._plan_choice(self._chance().randrange(state.players), "begin", 1.0, 3.0)
            case LiarsDicePhase.BID:
                said = self._choose(state)
                return self._plan_choice(said.seat, said.verb, 2.0, 5.0, said.value)
            case LiarsDicePhase.COUNT:
                tells = (
                    self._plan_choice(seat, "tell", 1.5, 4.0, self._count(state, seat))
                    for seat in state.waiting
                )
                return [deed for plan in tells for deed in plan]
        return []

    def _count(self, state: LiarsDiceState, seat: Seat) -> int:
        assert state.bid is not None
        return matching(self.roll(state, seat), state.bid[1], state.wild)

    def _values(self, state: LiarsDiceState) -> dict[Action, float]:
        """How probably each choice of who is asked is right."""
        (prompt,) = self._rules.prompts(state)
        own = self.roll(state, state.seat)
        known = {face: chances(state, own, face) for face in FACES}
        count, face = state.standing or (0, FACES[0])
        calls = {"doubt": sum(known[face][:count]), "exact": known[face][count]}
        return {
            said: calls[said.verb]
            if said.verb in calls
            else sum(known[int(said.parts[1])][int(said.parts[0]) :])
            for said in prompt.actions
        }

    def _choose(self, state: LiarsDiceState) -> Action:
        """Rather what is probable, and rather more dice than few, so that a round comes to its end."""
        sharp = SHARPNESS.get(self.strengths[state.seat], USUAL)
        values = self._values(state)
        weights = [
            (value + 1e-3) ** sharp * (int(said.parts[0]) if said.parts else 1)
            for said, value in values.items()
        ]
        return self._chance(state.turns, state.seat).choices(list(values), weights)[0]

    def advice(self, state: LiarsDiceState, seat: int) -> Advice | None:
        if state.phase is not LiarsDicePhase.BID or state.seat != seat:
            return None
        values = self._values(state)
        best = max(values, key=lambda said: values[said])
        if state.standing is not None and best.verb == "bid" and values[best] < DOUBTFUL:
            best = Action(seat, "doubt")
        true = 1 - values[best] if best.verb == "doubt" else values[best]
        return Advice(best, Sentence(f"lesson.hint.liars_dice_{best.verb}", (("value", round(100 * true)),)))

    def forced_note(self, state: LiarsDiceState, action: Action) -> Sentence | None:
        if action.verb != "tell":
            return None
        return Sentence("lesson.practice.forced.tell", (("value", int(action.value or 0)),))

    def find_discrepancy(self, state: LiarsDiceState) -> str | None:
        """All tell truly: what the referee added up is what lies under the cups."""
        if state.phase is LiarsDicePhase.COUNT:
            true = {seat: self._count(state, seat) for seat in state.holders}
            wrong = [seat for seat in state.holders if state.told[seat] not in {model.NOT_TOLD, true[seat]}]
            if wrong:
                return f"seat {wrong[0]} has {true[wrong[0]]}, and is taken to have {state.told[wrong[0]]}"
        return None
