"""No choice takes more than five presses of one button, whichever game asks."""

from __future__ import annotations

import random
from collections.abc import Iterator
from functools import reduce
from typing import Any

import pytest

from companion.core import observations as ob
from companion.core.actions import HOLD_TIME, Action, Chair, Prompt, Setup
from companion.core.button_choices import MAX_STEPPED, STEP, controls_of, presses_to
from companion.core.rules import Rules
from companion.games import RULES
from companion.simulation.game_simulation import GameSimulation, random_styles
from tests.games.kobayakawa.kobayakawa_table import Table

PRESSES = ("tap", "hold")


def revealing() -> tuple[Rules[Any], Any]:
    """The first player is asked for the number of the Kobayakawa."""
    table = Table()
    table.say(0, "start")
    table.say(0, "dealt")
    return table.rules, table.state


def after_press(rules: Rules[Any], state: Any, chair: Chair, press: str) -> Any:
    """The state after one press of a chair's button, as the loop reports it."""
    end = ob.ButtonHeld if press == "hold" else ob.ButtonReleased
    at = 100 + HOLD_TIME
    for seen in (ob.ButtonPressed(at=100, chair=chair), end(at=at, chair=chair)):
        state = reduce(rules.evolve, rules.decide(state, seen), state)
    return state


def count_presses(rules: Rules[Any], state: Any, prompt: Prompt) -> dict[Action, int]:
    """How many presses each action takes at least, among those that its button can say."""
    chair, found = prompt.chair, dict[Action, int]()
    ways = [state]
    for presses in range(1, len(prompt.actions) + 1):
        following = []
        for now in ways:
            meant = rules.controls(now)
            for press in ("press", *PRESSES):
                action = meant.get((chair, press))
                if action is not None and action.verb == STEP:
                    following.append(after_press(rules, now, chair, press))
                elif action is not None:
                    found.setdefault(action, presses)
        ways = following
    return found


@pytest.mark.parametrize("number", range(1, 16))
def test_each_number_of_kobayakawa_takes_at_most_four_presses(number: int) -> None:
    """O: the number of the Kobayakawa is said by the button of one player."""
    rules, state = revealing()
    (prompt,) = rules.prompts(state)
    assert count_presses(rules, state, prompt)[Action(prompt.actions[0].seat, "kobayakawa", number)] <= 4


def test_the_presses_that_are_shown_lead_to_the_number() -> None:
    rules, state = revealing()
    chair = rules.prompts(state)[0].chair
    for _ in range(4):
        choice = next(one for one in rules.view(state).chairs[chair].choices if one.action.value == 9)
        assert choice.press in PRESSES
        state = after_press(rules, state, chair, choice.press)
    assert state.kobayakawa == 9


def asked(game: str, players: int) -> Iterator[tuple[Any, Prompt]]:
    """Every list of choices that stood in a whole game, once."""
    rules = RULES[game]
    setup = Setup(tuple(range(players)), rules.options())
    simulation = GameSimulation(rules, setup, seed=3, styles=random_styles(players, random.Random(3)))
    known = set[tuple[Action, ...]]()
    for _ in simulation.run_entries():
        state = simulation.referee.state
        for prompt in rules.prompts(state):
            if prompt.actions not in known and len(prompt.actions) > 2:
                known.add(prompt.actions)
                yield state, prompt


@pytest.mark.parametrize("game", ["dnup", "kabuki", "kinapa", "kobayakawa"])
def test_in_whole_games_every_choice_takes_at_most_five_presses(game: str) -> None:
    """Numbers, sizes, objects, places and people alike."""
    longest = 0
    for state, prompt in asked(game, max(RULES[game].players)):
        taken = count_presses(RULES[game], state, prompt)
        assert set(taken) == set(prompt.actions)
        told = {action: len(presses_to(state.desk, prompt, action)) for action in prompt.actions}
        assert told == taken
        assert max(taken.values()) <= MAX_STEPPED
        longest = max(longest, len(prompt.actions))
    assert longest >= MAX_STEPPED


def test_of_many_answers_the_common_one_which_names_nothing_is_a_single_tap() -> None:
    """K-T61: a card was drawn; that it is named as well is for those who like to."""
    rules = RULES["kinapa"]
    desk = rules.initial_state(Setup(tuple(range(4)), rules.options())).desk
    names = [f"{kind}:{number}" for number in range(1, 9) for kind in ("animal", "shelter")]
    prompt = Prompt(0, (Action(0, "drawn"), *(Action(0, "drawn", name) for name in names)))
    assert controls_of(desk, prompt)[0, "tap"] == Action(0, "drawn")
    assert presses_to(desk, prompt, Action(0, "drawn")) == ("tap",)
    assert max(len(presses_to(desk, prompt, one)) for one in prompt.actions) <= MAX_STEPPED
