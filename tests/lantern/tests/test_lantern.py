"""Lantern's own tests, as any game outside the companion may have them: run them where it is installed."""

from __future__ import annotations

from pathlib import Path

import pytest
from lantern import GAME

from companion.core.actions import Setup
from companion.language.language import Language
from companion.simulation.game_simulation import simulate_game
from companion.testing import conformance, perft, playthroughs, sentences
from companion.testing.random_walks import GameCase, make_cases

CASES = tuple(make_cases(GAME.rules))
PLAYED = sorted((Path(__file__).parent / "playthroughs").glob("*.jsonl"))


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("check", conformance.CONFORMANCE_CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize("case", CASES, ids=str)
def test_it_keeps_what_every_game_promises(
    case: GameCase, check: conformance.ConformanceCheck, seed: int
) -> None:
    check(case, seed)


@pytest.mark.parametrize("language", ["en", "de"])
@pytest.mark.parametrize("case", CASES, ids=str)
def test_it_has_words_for_all_that_it_says(case: GameCase, language: str) -> None:
    missing = sentences.find_missing_sentences(case, Language(language).has_words_for)
    assert not missing, missing


def test_its_lawful_lines_are_as_many_as_ever() -> None:
    """4 seats may begin, with one of 3 cards, which is turned; then one of 5 numbers is named and counted."""
    begun = GAME.rules.initial_state(Setup((0, 1), GAME.rules.options()))
    perft.check_counts(GAME.rules, begun, {1: 4, 2: 4 * 3, 3: 4 * 3, 4: 4 * 3 * 5, 5: 60, 6: 60 * 2})


@pytest.mark.parametrize("check", playthroughs.PLAYTHROUGH_CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize("path", PLAYED, ids=lambda path: path.stem)
def test_its_recorded_games_are_judged_as_they_were(path: Path, check: playthroughs.PlaythroughCheck) -> None:
    check(path)


def test_its_simulated_people_are_judged_rightly() -> None:
    assert [
        fault for seed in range(50) for fault in simulate_game("lantern", players=2, seed=seed).faults
    ] == []
