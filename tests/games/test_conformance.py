"""The conformance suite on walks through every registered game and through Lantern."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from companion.core import button_choices
from companion.core.view import View, ViewMode
from companion.games import RULES
from companion.testing import conformance
from companion.testing import invariants as promise
from companion.testing.random_walks import GameCase, walk_randomly
from tests.games.tables import cases
from tests.language.sentences import catalogue, has_words
from tests.thorough import a_third, examples

CASES = [pytest.param(case, id=str(case)) for case in cases()]
ENDLESS = {"any_game", "hearts", "spades", "euchre"}
"""One ends when somebody says so; with a number of rounds, tests/games/any_game has it. In the others whoever
presses at random tells the same cards for ever: tests/games/hearts plays it by buttons and by touch."""
ALL = [
    pytest.param(case, id=str(case))
    for case in cases(every=True)
    if case.rules.name in RULES and case.rules.name not in ENDLESS
]
seeds = st.integers(0, 2**32 - 1)


@pytest.mark.parametrize("case", CASES)
@settings(max_examples=examples(30))
@given(seed=seeds)
def test_a_table_put_right_to_what_it_is_stays_as_it_is(case: GameCase, seed: int) -> None:
    conformance.check_redeclared_table_is_noop(case, seed)


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES)
@settings(max_examples=examples(15))
@given(seed=seeds)
def test_a_lawful_walk_keeps_every_promise(case: GameCase, seed: int) -> None:
    conformance.check_lawful_walk(case, seed)


@pytest.mark.slow
@pytest.mark.parametrize("case", a_third(CASES))
@settings(max_examples=examples(25))
@given(seed=seeds)
def test_whatever_the_senses_report_is_judged_and_told(case: GameCase, seed: int) -> None:
    conformance.check_arbitrary_observations(case, seed)


@pytest.mark.parametrize("case", CASES)
def test_what_a_game_knows_and_hides_would_be_missed_if_it_were_told(case: GameCase) -> None:
    """The promise about what lies hidden can fail: of a gossip it does, in every game that hides anything."""

    class Gossip(type(case.rules)):  # type: ignore[misc]
        def view(self, state: Any, mode: ViewMode = ViewMode.PLAY) -> View:
            told: View = super().view(state, mode)
            return replace(told, phase=str(hash(state)))

    hides = 0
    for seed in range(3):
        for referee in walk_randomly(case, Random(seed), steps=120, nonsense=0.2):
            if case.rules.redact(referee.state) == referee.state:
                continue
            hides += 1
            with pytest.raises(AssertionError, match="view tells what lies hidden"):
                promise.check_hidden_cards_do_not_leak(Gossip(), referee.state, ())
    knows_none = {"kobayakawa", "any_game", "liars_dice", "hearts", "spades", "euchre", "roses", "in_order"}
    assert hides or case.rules.name in knows_none, "its referee knows no hidden card"


@pytest.mark.parametrize(
    "check",
    [conformance.check_playable_by_buttons, conformance.check_playable_by_touch],
)
@pytest.mark.slow
@pytest.mark.parametrize("case", a_third(ALL))
def test_a_whole_game_needs_no_camera_and_only_buttons_or_only_touch(
    case: GameCase, check: conformance.ConformanceCheck
) -> None:
    check(case, 1)


@pytest.mark.parametrize("case", CASES)
@settings(max_examples=examples(40))
@given(seed=seeds)
def test_undo_takes_back_and_redo_brings_back(case: GameCase, seed: int) -> None:
    conformance.check_undo_and_redo(case, seed)


@pytest.mark.parametrize("case", CASES)
@settings(max_examples=examples(30))
@given(seed=seeds)
def test_what_a_timer_ruled_is_not_ruled_again_as_soon_as_it_is_taken_back(case: GameCase, seed: int) -> None:
    conformance.check_undone_timer_stays_gone(case, seed)


@pytest.mark.parametrize("case", CASES)
@settings(max_examples=examples(40))
@given(seed=seeds)
def test_undo_comes_to_an_end_at_the_beginning(case: GameCase, seed: int) -> None:
    conformance.check_undo_terminates(case, seed)


@pytest.mark.parametrize("case", CASES)
@settings(max_examples=examples(40))
@given(seed=seeds)
def test_correcting_an_entry_to_what_it_was_changes_nothing(case: GameCase, seed: int) -> None:
    conformance.check_null_correction_is_noop(case, seed)


@pytest.mark.parametrize("case", CASES)
@settings(max_examples=examples(25))
@given(seed=seeds)
def test_any_correction_is_one_entry_that_undo_takes_back(case: GameCase, seed: int) -> None:
    conformance.check_correction_is_undoable(case, seed)


@pytest.mark.parametrize("case", CASES)
@settings(max_examples=examples(30))
@given(seed=seeds)
def test_the_causes_of_a_journal_judged_again_give_the_same_journal(case: GameCase, seed: int) -> None:
    conformance.check_replay_is_deterministic(case, seed)


@pytest.mark.parametrize("case", CASES)
@settings(max_examples=4)
@given(seed=seeds)
def test_a_cut_at_any_entry_leaves_no_half_window(case: GameCase, seed: int) -> None:
    conformance.check_interrupted_windows(case, seed)


def pressed_steps(rules: Any, state: Any, deep: int = 4) -> Iterator[tuple[Any, Any]]:
    """Each press that only leads on to other choices, and those after it: the state and the event."""
    for prompt in rules.prompts(state) if deep else ():
        for step in button_choices.controls_of(state.desk, prompt).values():
            if step.verb == button_choices.STEP and step.value != 1:
                (stepped,) = button_choices.judge_step(state.desk, (prompt,), step)
                yield state, stepped
                yield from pressed_steps(rules, rules.evolve(state, stepped), deep - 1)


@pytest.mark.parametrize("case", [one for one in CASES if one.values[0].rules.name in RULES])
def test_only_what_is_chosen_in_two_steps_has_a_first_one(case: GameCase) -> None:
    """A press that takes half of many choices is a step, too, and is not told as if a row had been picked."""
    words = catalogue("en")
    for referee in walk_randomly(case, Random(1), steps=300, nonsense=0.0):
        for state, stepped in pressed_steps(case.rules, referee.state):
            said = case.rules.picked_row(state, stepped)
            assert said is None or has_words(words, said.key)
