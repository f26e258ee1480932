"""People who do what is lawful: they show, try and practise a game of which nothing but rules is written."""

from collections.abc import Hashable, Mapping
from typing import Any, ClassVar

from companion.core.actions import Action, Prompt
from companion.core.rules import Rules
from companion.core.view import Sentence
from companion.games.kit.world import Advice, Opponents, Plan, TakeAction, thinking_time


class LawfulPeople(Opponents):
    """Each who is asked takes one of the choices; both for a demo and for practice."""

    rules: ClassVar[Rules[Any]]
    weights: ClassVar[Mapping[str, float]] = {}
    """How often a verb is taken, beside 1 for others; all values of a verb share its weight."""
    near: ClassVar[float] = 0.5
    """By how much less likely each further value of a verb is than the one before."""
    pace: ClassVar[tuple[float, float]] = (1.5, 4.0)
    """How long they think, in seconds."""

    def decision_key(self, state: Any) -> Hashable:
        return self.rules.prompts(state), state

    def plan(self, state: Any) -> Plan:
        return [
            (thinking_time(self._rng, *self.pace), TakeAction(prompt.chair, self._pick(prompt)))
            for prompt in self.rules.prompts(state)
        ]

    def _pick(self, prompt: Prompt) -> Action:
        seen: dict[str, int] = {}
        weights = list[float]()
        for action in prompt.actions:
            place = seen[action.verb] = seen.get(action.verb, -1) + 1
            weights.append(self.weights.get(action.verb, 1.0) * self.near**place)
        return self._rng.choices(prompt.actions, weights)[0]

    def advice(self, state: Any, seat: int) -> Advice | None:
        """What these people do most often; they know no better."""
        asked = next((prompt for prompt in self.rules.prompts(state) if prompt.actions[0].seat == seat), None)
        if asked is None:
            return None
        best = max(asked.actions, key=lambda action: self.weights.get(action.verb, 1.0))
        return Advice(best, Sentence("lesson.hint.free"))
