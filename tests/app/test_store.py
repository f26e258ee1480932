"""Games on disk: durable when their tickets say so, whole or not at all, and resumed as they stood."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from queue import SimpleQueue

import pytest
from lantern.rules import LANTERN
from lantern_play import RULES, SETUP, before_the_count, declared, header, new, whole_game

from companion.core import observations as ob
from companion.core.actions import Outcome
from companion.core.errors import InputError
from companion.referee.journal import JournalError, SqliteJournal, Trouble, lines, replay
from companion.referee.journal.sqlite import commit, connect, trouble_of
from companion.referee.store import Store, StoreBusy
from companion.referee.store_errors import explained

PATIENCE = 30.0
"""Seconds after which a test that waits for the writer has failed; never waited for otherwise."""


class Writer:
    """The writer's side of a test: its commits wait for leave, or fail, and its reports are heard."""

    def __init__(self) -> None:
        self.reports: SimpleQueue[None] = SimpleQueue()
        self.begun: SimpleQueue[None] = SimpleQueue()
        self.leave: SimpleQueue[Exception | None] = SimpleQueue()

    def commit(self, connection: sqlite3.Connection) -> None:
        self.begun.put(None)
        problem = self.leave.get(timeout=PATIENCE)
        if problem is not None:
            raise problem
        commit(connection)

    def wake(self) -> None:
        self.reports.put(None)

    def report(self) -> None:
        self.reports.get(timeout=PATIENCE)


def full() -> sqlite3.OperationalError:
    error = sqlite3.OperationalError("database or disk is full")
    error.sqlite_errorcode = sqlite3.SQLITE_FULL
    return error


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "table" / "games.sqlite"


@pytest.fixture
def store(path: Path) -> Iterator[Store]:
    with Store(path, RULES) as opened:
        yield opened


def saved(store: Store, play: Callable[[SqliteJournal], object], **more: object) -> int:
    """A game played into the store; its number."""
    journal = store.create(header(**more))
    play(journal)
    assert journal.close()
    assert journal.game is not None
    return journal.game


def started(journal: SqliteJournal) -> None:
    referee = new(journal)
    for seen in before_the_count():
        referee.observe(seen)


def finished(journal: SqliteJournal) -> None:
    whole_game(new(journal))


# Kept and found ---------------------------------------------------------------------------------------------


def test_a_stored_game_is_read_as_it_was_played(store: Store) -> None:
    game = saved(store, finished)
    head, entries = store.read(game)
    assert head == header()
    assert entries == list(whole_game(new()).journal.entries)


def test_a_stored_game_is_gone_on_with(store: Store) -> None:
    game = saved(store, started)
    journal = store.open(game)
    referee = new(journal)
    assert referee.state.phase == "call"
    referee.observe(ob.CueHeard(at=4_000_000, cue="count"))
    assert journal.close()
    _, entries = store.read(game)
    assert replay(LANTERN, SETUP, entries) == referee.state
    assert [entry.seq for entry in entries] == [0, 1, 2, 3, 4]


def test_games_are_listed_newest_first_with_how_they_ended(store: Store) -> None:
    names = ((1, "Ada"), (4, "Kurt"))
    first = saved(store, finished, names=names)
    second = saved(store, started)
    listed = store.games()
    assert [(game.game, game.name, game.outcome) for game in listed] == [
        (second, "lantern", None),
        (first, "lantern", Outcome("points", (4,))),
    ]
    assert (listed[1].names, listed[1].chairs, listed[1].date) == (names, (1, 4), header().date)
    assert listed[0].entries == 4


def test_the_newest_unfinished_game_is_offered(store: Store) -> None:
    assert store.unfinished() is None
    game = saved(store, started)
    saved(store, finished)
    offered = store.unfinished()
    assert offered is not None
    assert offered.game == game


def test_a_game_whose_end_was_taken_back_is_unfinished(store: Store) -> None:
    def play(journal: SqliteJournal) -> None:
        whole_game(new(journal)).undo(10**9)

    assert store.games()[:1] == ()
    game = saved(store, play)
    offered = store.unfinished()
    assert offered is not None
    assert offered.game == game


@pytest.mark.parametrize("kind", ["demo", "practice", "simulation", "lesson"])
def test_what_is_no_game_never_counts_among_the_games(store: Store, kind: str) -> None:
    saved(store, started, kind=kind)
    assert store.games() == ()
    assert store.unfinished() is None
    assert len(store.games(kind)) == len(store.games(None)) == 1  # type: ignore[arg-type]


def test_a_game_without_an_entry_leaves_nothing(store: Store) -> None:
    journal = store.create(header())
    assert journal.close()
    assert journal.game is None
    assert store.games(None) == ()


def test_an_empty_place_has_no_games_and_is_not_made_by_looking(path: Path) -> None:
    assert Store(path, RULES).games() == ()
    assert not path.exists()


def test_a_number_that_is_no_game_is_refused(store: Store) -> None:
    saved(store, started)
    with pytest.raises(JournalError, match="no game 99"):
        store.read(99)


def test_an_imported_journal_is_stored_as_it_was(store: Store) -> None:
    played = whole_game(new()).journal
    raw = lines.text(played.header, played.entries)

    def put(journal: SqliteJournal) -> None:
        for entry in lines.parse(raw, RULES)[1]:
            journal.append(entry)

    game = saved(store, put)
    assert lines.text(*store.read(game)) == raw


# Durable ----------------------------------------------------------------------------------------------------


def test_nothing_is_durable_before_its_commit(store: Store) -> None:
    writer = Writer()
    journal = store.create(header(), commit=writer.commit, wake=writer.wake)
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


def test_a_step_is_one_transaction(store: Store, path: Path) -> None:
    writer = Writer()
    journal = store.create(header(), commit=writer.commit, wake=writer.wake)
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
def test_play_goes_on_behind_a_slow_commit_and_is_written_in_order(store: Store, steps_behind: int) -> None:
    """The commit takes as long as the test likes: 300 ms, 3 s or an hour are the same to the main thread."""
    writer = Writer()
    journal = store.create(header(), commit=writer.commit, wake=writer.wake)
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
    assert referee.state == replay(LANTERN, SETUP, journal.entries)
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
    assert store.read(journal.game)[1] == list(journal.entries)


def test_a_waiting_step_is_not_written_before_it_has_ended(store: Store) -> None:
    journal = store.create(header())
    referee = new(journal)
    referee.observe(before_the_count()[0])
    assert not Path(store.path).exists()
    journal.flush()
    assert journal.close()
    assert journal.saved == 1


# Trouble ----------------------------------------------------------------------------------------------------


def test_on_a_full_disk_entries_wait_and_are_written_when_there_is_room(store: Store) -> None:
    writer = Writer()
    journal = store.create(header(), commit=writer.commit, wake=writer.wake)
    referee = new(journal)
    for seen, problem in zip(before_the_count(), (None, full(), full(), None), strict=True):
        referee.observe(seen)
        journal.flush()
        writer.leave.put(problem)
        writer.report()
        expected = None if problem is None else Trouble("storage.full", "database or disk is full")
        assert journal.trouble == expected
    assert journal.saved == 4
    assert journal.close()
    assert journal.game is not None
    assert store.read(journal.game)[1] == list(journal.entries)


def test_what_waits_is_tried_again_without_anything_new(store: Store) -> None:
    writer = Writer()
    journal = store.create(header(), commit=writer.commit, wake=writer.wake)
    new(journal).observe(before_the_count()[0])
    journal.flush()
    writer.leave.put(full())
    writer.report()
    assert journal.trouble is not None
    journal.retry()
    writer.leave.put(None)
    writer.report()
    assert journal.trouble is None
    assert journal.saved == 1
    assert journal.close()


def test_the_writer_tries_again_by_itself(path: Path) -> None:
    writer = Writer()
    journal = SqliteJournal(path, header(), commit=writer.commit, wake=writer.wake, retry_seconds=0)
    new(journal).observe(before_the_count()[0])
    journal.flush()
    for problem in (full(), full(), None):
        writer.leave.put(problem)
        writer.report()
    assert journal.saved == 1
    assert journal.close()


def test_a_place_that_cannot_be_written_keeps_the_game_in_memory_until_it_can(tmp_path: Path) -> None:
    """A file lies where the folder should be; then it is moved away."""
    writer = Writer()
    blocked = tmp_path / "table"
    blocked.write_text("in the way")
    with Store(blocked / "games.sqlite", RULES) as store:
        journal = store.create(header(), wake=writer.wake)
        referee = new(journal)
        referee.observe(before_the_count()[0])
        journal.flush()
        writer.report()
        assert journal.trouble is not None
        assert journal.trouble.key == "storage.lost"
        blocked.unlink()
        referee.observe(before_the_count()[1])
        journal.flush()
        writer.report()
        assert journal.trouble is None
        assert journal.saved == 2
        assert journal.close()
        assert journal.game is not None
        assert store.read(journal.game)[1] == list(journal.entries)


def test_a_store_that_is_lost_in_mid_game_is_written_anew_and_whole(store: Store, path: Path) -> None:
    writer = Writer()
    journal = store.create(header(), wake=writer.wake)
    referee = new(journal)
    for seen in before_the_count()[:2]:
        referee.observe(seen)
    journal.flush()
    writer.report()
    for file in path.parent.glob("games.sqlite*"):
        if file.suffix != ".lock":
            file.unlink()
    referee.observe(before_the_count()[2])
    journal.flush()
    writer.report()
    if journal.trouble is not None:  # it noticed by a failure, and wrote at the second try
        journal.retry()
        writer.report()
    assert journal.saved == 3
    assert journal.close()
    assert journal.game is not None
    assert store.read(journal.game)[1] == list(journal.entries)


def test_what_could_not_be_saved_is_said_at_the_end(store: Store) -> None:
    writer = Writer()
    journal = store.create(header(), commit=writer.commit, wake=writer.wake)
    new(journal).observe(before_the_count()[0])
    journal.flush()
    writer.leave.put(full())
    writer.report()
    writer.leave.put(full())
    assert not journal.close()


@pytest.mark.parametrize(
    ("error", "key"),
    [
        (OSError(28, "No space left on device"), "storage.full"),
        (OSError(30, "Read-only file system"), "storage.readonly"),
        (PermissionError(13, "Permission denied"), "storage.readonly"),
        (OSError(5, "Input/output error"), "storage.lost"),
        (full(), "storage.full"),
        (sqlite3.OperationalError("disk I/O error"), "storage.lost"),
    ],
)
def test_each_trouble_has_its_sentence(error: Exception, key: str) -> None:
    assert trouble_of(error).key == key


def test_a_read_only_database_is_called_read_only(path: Path) -> None:
    with Store(path, RULES) as store:
        saved(store, started)
    with (
        closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)) as reader,
        pytest.raises(sqlite3.OperationalError) as caught,
    ):
        reader.execute("DELETE FROM entries")
    assert trouble_of(caught.value).key == "storage.readonly"


def test_a_disk_that_sqlite_cannot_open_for_writing_is_called_read_only(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cannot = sqlite3.OperationalError("unable to open database file")
    cannot.sqlite_errorcode = sqlite3.SQLITE_CANTOPEN
    assert trouble_of(cannot, path).key == "storage.lost"  # nothing is there
    path.parent.mkdir()
    path.touch()
    assert trouble_of(cannot, path).key == "storage.lost"
    monkeypatch.setattr(os, "access", lambda *_: False)
    assert trouble_of(cannot, path).key == "storage.readonly"


@pytest.mark.parametrize("wal", [False, True])
def test_a_store_whose_making_was_cut_short_is_an_empty_one(path: Path, wal: bool) -> None:
    path.parent.mkdir()
    path.touch()
    if wal:
        with closing(sqlite3.connect(path)) as begun:
            begun.execute("PRAGMA journal_mode = WAL")
    with Store(path, RULES) as store:
        assert store.games() == ()
        game = saved(store, started)
        assert [each.game for each in store.games()] == [game]


def test_a_store_is_made_in_one_transaction(path: Path) -> None:
    path.parent.mkdir()
    said: list[str] = []

    class Listening(sqlite3.Connection):
        def executescript(self, script: str, /) -> sqlite3.Cursor:
            self.set_trace_callback(said.append)
            return super().executescript(script)

    made = sqlite3.connect
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sqlite3, "connect", lambda *a, **k: made(*a, **{**k, "factory": Listening}))
        connect(path).close()
    assert said[0].startswith("BEGIN")
    assert [each for each in said if "COMMIT" in each] == [said[-1]]


# Foreign and damaged ----------------------------------------------------------------------------------------


def test_a_foreign_file_in_its_place_is_refused_and_left_alone(path: Path) -> None:
    path.parent.mkdir()
    path.write_bytes(b"Dear diary, " * 500)
    with pytest.raises(JournalError, match="isn't a store"):
        Store(path, RULES).games()
    assert path.read_bytes() == b"Dear diary, " * 500


def test_the_database_of_another_program_is_refused_and_left_alone(path: Path) -> None:
    path.parent.mkdir()
    with sqlite3.connect(path) as other:
        other.execute("CREATE TABLE recipes (name)")
    other.close()
    with pytest.raises(JournalError, match="isn't a store"):
        Store(path, RULES).games()
    writer = Writer()
    journal = SqliteJournal(path, header(), wake=writer.wake)
    new(journal).observe(before_the_count()[0])
    journal.flush()
    writer.report()
    assert journal.trouble is not None
    assert not journal.close()


def test_a_game_from_a_newer_version_is_listed_with_its_problem_and_not_offered(
    store: Store, path: Path
) -> None:
    game = saved(store, started)
    with sqlite3.connect(path) as raw:
        raw.execute("UPDATE games SET header = replace(header, '\"format\":1', '\"format\":9')")
    raw.close()
    (listed,) = store.games()
    assert (listed.game, listed.problem) == (game, "newer")
    assert store.unfinished() is None
    with pytest.raises(JournalError, match="format 9"):
        store.open(game)


def test_a_store_whose_tables_a_newer_version_changed_is_neither_foreign_nor_touched(
    store: Store, path: Path
) -> None:
    saved(store, started)
    with closing(sqlite3.connect(path)) as raw:
        raw.executescript("CREATE TABLE seats (name); PRAGMA user_version = 3")
        raw.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    before = path.read_bytes()
    for look in (
        store.games,
        store.count,
        store.unfinished,
        lambda: store.open(1),
        lambda: store.forget("Ann"),
    ):
        with pytest.raises(JournalError, match="newer version: store 3") as refused:
            look()
        assert refused.value.key == "newer"
    with pytest.raises(InputError, match="update this program to read it"), explained(str(path)):
        store.games()
    assert path.read_bytes() == before


def test_damage_in_a_stored_game_is_named(store: Store, path: Path) -> None:
    game = saved(store, started)
    with sqlite3.connect(path) as raw:
        raw.execute("UPDATE entries SET body = '{\"seq\":2' WHERE seq = 2")
    raw.close()
    with pytest.raises(JournalError) as caught:
        store.read(game)
    assert (caught.value.key, caught.value.line) == ("damaged", 4)


# One process writes -----------------------------------------------------------------------------------------


def test_a_second_writer_is_refused_with_the_first_ones_name(path: Path) -> None:
    with Store(path, RULES) as first:
        first.lock()
        with pytest.raises(StoreBusy) as caught:
            Store(path, RULES).create(header())
        assert caught.value.pid == os.getpid()
        assert caught.value.command
        assert str(os.getpid()) in str(caught.value)
    with Store(path, RULES) as second:
        second.lock()


def test_a_link_in_the_place_of_the_lock_is_not_followed(path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    precious = path.parent / "precious"
    precious.write_text("as it was")
    path.with_name(path.name + ".lock").symlink_to(precious)
    with Store(path, RULES) as first, Store(path, RULES) as second:
        first.lock()
        with pytest.raises(StoreBusy):
            second.lock()
    assert precious.read_text() == "as it was"


def test_reading_needs_no_lock(path: Path) -> None:
    with Store(path, RULES) as first:
        game = saved(first, started)
        assert [one.game for one in Store(path, RULES).games()] == [game]
        assert len(Store(path, RULES).read(game)[1]) == 4


def test_an_older_format_is_rewritten_when_the_game_goes_on(path: Path) -> None:
    """A journal opened with `rewrite` is written anew, whole, before anything else."""
    with Store(path, RULES) as store:
        game = saved(store, started)
    played = new()
    for seen in (before_the_count()[0], declared(5, 0, "lay", "moon")):
        played.observe(seen)
    journal = SqliteJournal(path, header(language="de"), played.journal.entries, game=game, rewrite=True)
    assert journal.close()
    assert Store(path, RULES).read(game) == (header(language="de"), list(played.journal.entries))


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
    with Store(path, RULES) as store:
        offered = store.unfinished()
        assert offered is not None
        journal = store.open(offered.game)
        referee = new(journal)
        found = [entry.seq for entry in journal.entries]
        assert offered.entries == len(found)
        referee.observe(ob.Restarted(at=referee.at))
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
    with Store(path, RULES) as store:
        (game,) = store.games()
        _, entries = store.read(game.game)
        cards = replay(LANTERN, SETUP, entries).cards
        assert cards[0] == ("sun" if where == "before" else "star")


def test_the_lock_of_a_killed_process_is_free(path: Path, child: Child) -> None:
    child.order("step")
    with pytest.raises(StoreBusy) as caught:
        Store(path, RULES).lock()
    assert caught.value.pid == child.process.pid
    assert "store_child" in caught.value.command
    child.kill()
    with Store(path, RULES) as store:
        store.lock()
