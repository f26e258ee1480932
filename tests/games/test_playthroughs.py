"""Committed games: their causes still give their rulings, their events still give their state."""

from __future__ import annotations

from pathlib import Path

import pytest

from companion.games import RULES
from companion.testing import playthroughs
from tests.thorough import a_third

FOLDER = Path(__file__).parents[1] / "playthroughs"
FILES = sorted(FOLDER.glob("*/*.jsonl"))


def named(path: Path) -> str:
    return f"{path.parent.name}-{path.stem}"


@pytest.mark.parametrize("name", RULES)
def test_every_registered_game_has_a_playthrough_for_each_number_of_players(name: str) -> None:
    headers = [playthroughs.read_playthrough(path)[0].setup for path in (FOLDER / name).glob("*.jsonl")]
    played = {(len(setup.chairs), setup.bot) for setup in headers}
    assert played >= set(RULES[name].table_sizes()), "companion.testing.playthroughs records them"


@pytest.mark.parametrize("path", FILES, ids=named)
def test_its_causes_fed_to_a_fresh_referee_give_its_rulings(path: Path) -> None:
    playthroughs.check_replayed_rulings(path)


@pytest.mark.parametrize("path", FILES, ids=named)
def test_its_events_alone_fold_to_the_state_that_was_judged(path: Path) -> None:
    playthroughs.check_folded_state(path)


@pytest.mark.parametrize("path", FILES, ids=named)
def test_it_is_written_back_byte_by_byte(path: Path) -> None:
    playthroughs.check_byte_identical_rewrite(path)


@pytest.mark.slow
@pytest.mark.parametrize("path", a_third(FILES), ids=named)
def test_cut_at_any_entry_a_window_counts_whole_or_not_at_all(path: Path) -> None:
    playthroughs.check_windows_survive_cuts(path)


@pytest.mark.parametrize("path", FILES, ids=named)
def test_taken_back_and_brought_back_it_ends_as_it_did_unless_that_showed_what_lies_hidden(
    path: Path,
) -> None:
    playthroughs.check_last_undos_and_redos(path)
