"""People who do what is lawful choose a verb first, then one of its values."""

from collections import Counter
from random import Random
from typing import Any

from companion.core.verbs import ask
from companion.games.kit.world import LawfulPeople, TakeAction


class Asked:
    """Rules that ask the same in every state."""

    def prompts(self, state: Any) -> tuple[Any, ...]:
        return (ask(0, 0, ("bid", range(60)), "doubt"),)


class People(LawfulPeople):
    rules = Asked()  # type: ignore[assignment]


def chosen(people: type[People]) -> Counter[Any]:
    sat = people((0,), Random(1), ["easy"])
    deeds = [deed for _ in range(6_000) for _, deed in sat.plan(None)]
    return Counter(deed.action.value for deed in deeds if isinstance(deed, TakeAction))


def test_sixty_values_of_one_verb_do_not_drown_the_other() -> None:
    told = chosen(People)
    assert 2_800 < told[None] < 3_200
    assert all(20 < told[value] < 85 for value in range(60)), "50 of each, all alike"


def test_weights_are_those_of_the_verbs_and_near_values_can_be_likelier() -> None:
    class Timid(People):
        weights = {"bid": 2}  # noqa: RUF012
        near = 0.5

    told = chosen(Timid)
    assert 1_800 < told[None] < 2_200
    assert told[0] > told[1] > told[2] > told[3]
