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
    """How often a verb is taken, beside 1 for others, however many values it has."""
    near: ClassVar[float] = 1.0
    """How likely each further value of a verb is beside the one before; 1: all alike."""
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
        values = dict[str, list[Action]]()
        for action in prompt.actions:
            values.setdefault(action.verb, []).append(action)
        (verb,) = self._rng.choices(list(values), [self.weights.get(verb, 1.0) for verb in values])
        falling = [self.near**place for place in range(len(values[verb]))]
        return self._rng.choices(values[verb], falling)[0]

    def advice(self, state: Any, seat: int) -> Advice | None:
        """What these people do most often; they know no better."""
        asked = next((prompt for prompt in self.rules.prompts(state) if prompt.actions[0].seat == seat), None)
        if asked is None:
            return None
        best = max(asked.actions, key=lambda action: self.weights.get(action.verb, 1.0))
        return Advice(best, Sentence("lesson.hint.free"))
