"""Committed games: their causes still give their rulings, their events still give their state."""

from __future__ import annotations

from pathlib import Path

import pytest

from companion.core.events import Event
from companion.core.observations import TakenBack
from companion.core.rules import Rules
from companion.games import RULES
from companion.referee.journal import Entry, Header, MemoryJournal, lines, replay, standing
from companion.referee.referee import Referee
from tests.rules import conformance

FOLDER = Path(__file__).parent / "playthroughs"
FILES = sorted(FOLDER.glob("*/*.jsonl"))
Played = tuple[Header, list[Entry[Event]]]


def game(path: Path) -> Played:
    return lines.read(path, RULES)


def named(path: Path) -> str:
    return f"{path.parent.name}-{path.stem}"


@pytest.mark.parametrize("name", RULES)
def test_every_registered_game_has_a_playthrough_for_each_number_of_players(name: str) -> None:
    headers = [game(path)[0].setup for path in (FOLDER / name).glob("*.jsonl")]
    played = {(len(setup.chairs), setup.bot) for setup in headers}
    assert played >= set(RULES[name].tables()), "python tests/playthroughs/record.py records them"


@pytest.mark.parametrize("path", FILES, ids=named)
def test_its_causes_fed_to_a_fresh_referee_give_its_rulings(path: Path) -> None:
    header, entries = game(path)
    referee = Referee(RULES[header.game], MemoryJournal(header))
    for entry in entries:
        assert referee.observe(entry.cause) == entry
    assert RULES[header.game].outcome(referee.state) is not None


@pytest.mark.parametrize("path", FILES, ids=named)
def test_its_events_alone_fold_to_the_state_that_was_judged(path: Path) -> None:
    """The guard of old journals: no judgement hides in `evolve`, and nothing is judged again at a resume."""
    header, entries = game(path)
    rules = RULES[header.game]
    referee = Referee(rules, MemoryJournal(header))
    for entry in entries:
        referee.observe(entry.cause)
    state = rules.initial_state(header.setup.under(rules.options))
    for entry in standing(entries):
        for event in entry.events:
            state = rules.evolve(state, event)
    assert state == referee.state
    assert replay(rules, referee.setup, entries) == state


@pytest.mark.parametrize("path", FILES, ids=named)
def test_it_is_written_back_byte_by_byte(path: Path) -> None:
    assert lines.text(*game(path)) == path.read_bytes()


@pytest.mark.parametrize("path", FILES, ids=named)
def test_cut_at_any_entry_a_window_counts_whole_or_not_at_all(path: Path) -> None:
    header, entries = game(path)
    rules = RULES[header.game]
    referee = Referee(rules, MemoryJournal(header))
    windows = 0
    for entry in entries:
        referee.observe(entry.cause)
        windows += rules.window_open(referee.state)
        for cut in conformance.cut_in_every_way(referee):
            if entry.seq % 20 == 0:  # costs a fold of the whole game
                assert replay(rules, cut.setup, cut.journal.entries) == cut.state
    timed = type(rules).window_open is not Rules.window_open
    assert windows > 20 or not timed, "a playthrough without windows would prove nothing"


@pytest.mark.parametrize("path", FILES, ids=named)
def test_taken_back_and_brought_back_it_ends_as_it_did_unless_that_showed_what_lies_hidden(
    path: Path,
) -> None:
    header, entries = game(path)
    referee = Referee(RULES[header.game], MemoryJournal(header, entries))
    ended = referee.state
    at = referee.at
    for _ in range(5):
        assert referee.undo(at) is not None
    for _ in range(5):
        undone = next(one for one in referee.standing() if one.cause == TakenBack(at=at))
        if referee.redo(at) is None:
            assert referee.rules.uncovers(referee.state_before(undone.seq), referee.state)
            return
    assert referee.state == ended
