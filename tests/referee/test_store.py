"""Games on disk: durable when their tickets say so, whole or not at all, and resumed as they stood."""

from __future__ import annotations

import os
import shutil
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from lantern.rules import LANTERN

from companion.core import observations as ob
from companion.core.actions import Outcome
from companion.core.errors import InputError
from companion.referee.journal import JournalError, SqliteJournal, json_lines, replay_state
from companion.referee.store import GameStore, GameSummary, StoreBusyError, SummaryRow
from companion.referee.store_errors import explain_store_errors
from tests.referee.lantern_play import RULES, SETUP, before_the_count, declared, header, new, whole_game
from tests.referee.store_writer import PATIENCE, Writer, saved, started


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "table" / "games.sqlite"


@pytest.fixture
def store(path: Path) -> Iterator[GameStore]:
    with GameStore(path, RULES) as opened:
        yield opened


def finished(journal: SqliteJournal) -> None:
    whole_game(new(journal))


# Kept and found ---------------------------------------------------------------------------------------------


def test_a_stored_game_is_read_as_it_was_played(store: GameStore) -> None:
    game = saved(store, finished)
    head, entries = store.read_game(game)
    assert head == header()
    assert entries == list(whole_game(new()).journal.entries)


def test_a_stored_game_is_gone_on_with(store: GameStore) -> None:
    game = saved(store, started)
    journal = store.open_game(game)
    referee = new(journal)
    assert referee.state.phase == "call"
    referee.observe(ob.CueHeard(at=4_000_000, cue="count"))
    assert journal.close()
    _, entries = store.read_game(game)
    assert replay_state(LANTERN, SETUP, entries) == referee.state
    assert [entry.seq for entry in entries] == [0, 1, 2, 3, 4]


def test_games_are_listed_newest_first_with_how_they_ended(store: GameStore) -> None:
    names = ((1, "Ada"), (4, "Kurt"))
    first = saved(store, finished, names=names)
    second = saved(store, started)
    listed = store.list_games()
    assert [(game.game, game.name, game.outcome) for game in listed] == [
        (second, "lantern", None),
        (first, "lantern", Outcome("points", (4,))),
    ]
    assert (listed[1].names, listed[1].chairs, listed[1].date) == (names, (1, 4), header().date)
    assert listed[0].entries == 4


def test_the_newest_unfinished_game_is_offered(store: GameStore) -> None:
    assert store.find_unfinished() is None
    game = saved(store, started)
    saved(store, finished)
    offered = store.find_unfinished()
    assert offered is not None
    assert offered.game == game


def test_of_the_games_that_are_over_nothing_is_read_to_find_the_one_that_is_not(path: Path) -> None:
    """The home page asks for it, and a table may have thousands."""
    read: list[int] = []

    class Reading(GameStore):
        def _summary(self, row: SummaryRow) -> GameSummary:
            read.append(row[0])
            return super()._summary(row)

    with Reading(path, RULES) as store:
        game = saved(store, started)
        for _ in range(3):
            saved(store, finished)
        read.clear()
        assert [found.game for found in store.iterate_unfinished()] == [game]
        assert read == [game]


def test_a_game_of_which_the_list_has_no_words_for_its_end_is_looked_into(
    store: GameStore, path: Path
) -> None:
    """A flipped bit makes a number of what is not there."""
    game = saved(store, started)
    with closing(sqlite3.connect(path)) as spoilt:
        spoilt.execute("UPDATE games SET outcome = 0")
        spoilt.commit()
    found = store.find_unfinished()
    assert found is not None
    assert found.game == game


def test_a_game_whose_end_was_taken_back_is_unfinished(store: GameStore) -> None:
    def play(journal: SqliteJournal) -> None:
        whole_game(new(journal)).undo(10**9)

    assert store.list_games()[:1] == ()
    game = saved(store, play)
    offered = store.find_unfinished()
    assert offered is not None
    assert offered.game == game


@pytest.mark.parametrize("kind", ["demo", "practice", "simulation", "lesson"])
def test_what_is_no_game_never_counts_among_the_games(store: GameStore, kind: str) -> None:
    saved(store, started, kind=kind)
    assert store.list_games() == ()
    assert store.find_unfinished() is None
    assert len(store.list_games(kind)) == len(store.list_games(None)) == 1  # type: ignore[arg-type]


def test_a_game_without_an_entry_leaves_nothing(store: GameStore) -> None:
    journal = store.create_game(header())
    assert journal.close()
    assert journal.game is None
    assert store.list_games(None) == ()


def test_an_empty_place_has_no_games_and_is_not_made_by_looking(path: Path) -> None:
    assert GameStore(path, RULES).list_games() == ()
    assert not path.exists()


def test_a_number_that_is_no_game_is_refused(store: GameStore) -> None:
    saved(store, started)
    with pytest.raises(JournalError, match="no game 99"):
        store.read_game(99)


def test_an_imported_journal_is_stored_as_it_was(store: GameStore) -> None:
    played = whole_game(new()).journal
    raw = json_lines.encode_journal(played.header, played.entries)

    def put(journal: SqliteJournal) -> None:
        for entry in json_lines.parse_journal(raw, RULES)[1]:
            journal.append(entry)

    game = saved(store, put)
    assert json_lines.encode_journal(*store.read_game(game)) == raw


# Durable ----------------------------------------------------------------------------------------------------


def test_nothing_is_durable_before_its_commit(store: GameStore) -> None:
    writer = Writer()
    journal = store.create_game(header(), commit=writer.commit, wake=writer.wake)
    referee = new(journal)
    referee.observe(before_the_count()[0])
    ticket = referee.ticket
    assert ticket is not None
    journal.flush()
    writer.begun.get(timeout=PATIENCE)
    assert not ticket.durable
    writer.leave.put(None)
    writer.report()
    assert ticket.durable
    assert journal.close()


def test_a_step_is_one_transaction(store: GameStore, path: Path) -> None:
    writer = Writer()
    journal = store.create_game(header(), commit=writer.commit, wake=writer.wake)
    referee = new(journal)
    tickets = []
    for seen in before_the_count():
        referee.observe(seen)
        tickets.append(referee.ticket)
    journal.flush()
    writer.leave.put(None)
    writer.report()
    assert all(ticket is not None and ticket.durable for ticket in tickets)
    assert writer.begun.qsize() == 1
    assert journal.close()


@pytest.mark.parametrize("steps_behind", [1, 3])
def test_play_goes_on_behind_a_slow_commit_and_is_written_in_order(
    store: GameStore, steps_behind: int
) -> None:
    """The commit takes as long as the test likes: 300 ms, 3 s or an hour are the same to the main thread."""
    writer = Writer()
    journal = store.create_game(header(), commit=writer.commit, wake=writer.wake)
    referee = new(journal)
    first, *later = before_the_count()
    referee.observe(first)
    journal.flush()
    writer.begun.get(timeout=PATIENCE)
    tickets = []
    for seen in later[:steps_behind]:
        referee.observe(seen)
        journal.flush()
        tickets.append(referee.ticket)
    assert referee.state == replay_state(LANTERN, SETUP, journal.entries)
    assert not any(ticket.durable for ticket in tickets if ticket)
    writer.leave.put(None)
    writer.report()
    assert journal.saved == 1
    writer.begun.get(timeout=PATIENCE)
    writer.leave.put(None)
    writer.report()
    assert all(ticket.durable for ticket in tickets if ticket)
    assert writer.begun.qsize() == 0, "steps that waited share one commit"
    assert journal.close()
    assert journal.game is not None
    assert store.read_game(journal.game)[1] == list(journal.entries)


def test_a_waiting_step_is_not_written_before_it_has_ended(store: GameStore) -> None:
    journal = store.create_game(header())
    referee = new(journal)
    referee.observe(before_the_count()[0])
    assert not Path(store.path).exists()
    journal.flush()
    assert journal.close()
    assert journal.saved == 1


# One process writes -----------------------------------------------------------------------------------------


def test_a_second_writer_is_refused_with_the_first_ones_name(path: Path) -> None:
    with GameStore(path, RULES) as first:
        first.lock()
        with pytest.raises(StoreBusyError) as caught:
            GameStore(path, RULES).create_game(header())
        assert caught.value.pid == os.getpid()
        assert caught.value.command
        assert str(os.getpid()) in str(caught.value)
    with GameStore(path, RULES) as second:
        second.lock()


def test_a_link_in_the_place_of_the_lock_is_not_followed(path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    precious = path.parent / "precious"
    precious.write_text("as it was")
    path.with_name(path.name + ".lock").symlink_to(precious)
    with GameStore(path, RULES) as first, GameStore(path, RULES) as second:
        first.lock()
        with pytest.raises(StoreBusyError):
            second.lock()
    assert precious.read_text() == "as it was"


def test_a_store_that_is_a_link_has_one_lock_by_both_names(path: Path) -> None:
    with GameStore(path, RULES) as store:
        saved(store, started)
    link = path.parent.with_name("link") / path.name
    link.parent.mkdir()
    link.symlink_to(path)
    with GameStore(path, RULES) as first, GameStore(link, RULES) as second:
        first.lock()
        with pytest.raises(StoreBusyError):
            second.lock()
    assert [file.name for file in link.parent.iterdir()] == [path.name]


def test_a_store_under_two_names_is_read_and_not_written(path: Path) -> None:
    """Each name would have a -wal of its own."""
    with GameStore(path, RULES) as store:
        game = saved(store, started)
        path.with_name("second").hardlink_to(path)
    with GameStore(path, RULES) as store:
        told = pytest.raises(InputError, match=r"has a second name on its disk .*; copy it, and put the copy")
        for work in (store.lock, lambda: store.open_game(game), lambda: store.create_game(header())):
            with told, explain_store_errors(str(path)):
                work()
        assert len(store.read_game(game)[1]) == 4
        shutil.copy(path, path.with_name("copy"))
        path.with_name("copy").replace(path)
        store.lock()


def test_reading_needs_no_lock(path: Path) -> None:
    with GameStore(path, RULES) as first:
        game = saved(first, started)
        assert [one.game for one in GameStore(path, RULES).list_games()] == [game]
        assert len(GameStore(path, RULES).read_game(game)[1]) == 4


def test_an_older_format_is_rewritten_when_the_game_goes_on(path: Path) -> None:
    """A journal opened with `rewrite` is written anew, whole, before anything else."""
    with GameStore(path, RULES) as store:
        game = saved(store, started)
    played = new()
    for seen in (before_the_count()[0], declared(5, 0, "lay", "moon")):
        played.observe(seen)
    journal = SqliteJournal(path, header(language="de"), played.journal.entries, game=game, rewrite=True)
    assert journal.close()
    assert GameStore(path, RULES).read_game(game) == (header(language="de"), list(played.journal.entries))


# kill -9 ----------------------------------------------------------------------------------------------------


class Child:
    """A process that plays into the store until it is killed."""

    def __init__(self, path: Path) -> None:
        tests = Path(__file__).parent.parent
        self.process = subprocess.Popen(
            [sys.executable, str(Path(__file__).parent / "store_child.py"), str(path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={
                **os.environ,
                "PYTHONPATH": os.pathsep.join(map(str, (tests, tests / "lantern", tests.parent))),
            },
        )

    def order(self, word: str) -> str:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(word + "\n")
        self.process.stdin.flush()
        return self.process.stdout.readline().strip()

    def kill(self) -> None:
        self.process.send_signal(signal.SIGKILL)
        assert self.process.wait(PATIENCE) == -signal.SIGKILL
        for pipe in (self.process.stdin, self.process.stdout):
            assert pipe is not None
            pipe.close()


@pytest.fixture
def child(path: Path) -> Iterator[Child]:
    started = Child(path)
    yield started
    if started.process.poll() is None:
        started.kill()


def resumed(path: Path) -> list[int]:
    """The entries that a new process finds, and that it can go on from."""
    with GameStore(path, RULES) as store:
        offered = store.find_unfinished()
        assert offered is not None
        journal = store.open_game(offered.game)
        referee = new(journal)
        found = [entry.seq for entry in journal.entries]
        assert offered.entries == len(found)
        referee.observe(ob.ProgramRestarted(at=referee.at))
        assert journal.close()
        return found


def test_killed_between_commits_nothing_is_lost(path: Path, child: Child) -> None:
    assert [child.order("step") for _ in range(3)] == ["durable 1", "durable 2", "durable 3"]
    child.kill()
    assert resumed(path) == [0, 1, 2]


def test_killed_before_its_commit_a_step_is_not_there_and_what_was_acknowledged_is(
    path: Path, child: Child
) -> None:
    child.order("step")
    child.order("step")
    assert child.order("stop:before") == "halted before"
    child.kill()
    assert resumed(path) == [0, 1]


def test_killed_after_its_commit_a_step_is_there_whole(path: Path, child: Child) -> None:
    child.order("step")
    assert child.order("stop:after") == "halted after"
    child.kill()
    assert resumed(path) == [0, 1]


@pytest.mark.parametrize(("where", "found"), [("before", [0, 1]), ("after", [0, 1, 2, 3])])
def test_a_correction_is_there_whole_or_not_at_all(
    path: Path, child: Child, where: str, found: list[int]
) -> None:
    child.order("step")
    child.order("step")
    assert child.order(f"stop:{where}:correct") == f"halted {where}"
    child.kill()
    assert resumed(path) == found
    with GameStore(path, RULES) as store:
        (game,) = store.list_games()
        _, entries = store.read_game(game.game)
        cards = replay_state(LANTERN, SETUP, entries).cards
        assert cards[0] == ("sun" if where == "before" else "star")


def test_the_lock_of_a_killed_process_is_free(path: Path, child: Child) -> None:
    child.order("step")
    with pytest.raises(StoreBusyError) as caught:
        GameStore(path, RULES).lock()
    assert caught.value.pid == child.process.pid
    assert "store_child" in caught.value.command
    child.kill()
    with GameStore(path, RULES) as store:
        store.lock()
