"""Stores in trouble: full disks, foreign and damaged files."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from lantern_play import RULES, before_the_count, header, new

from companion.core.errors import InputError
from companion.referee.journal import JournalError, SqliteJournal, Trouble
from companion.referee.journal.sqlite import connect, trouble_of
from companion.referee.store import Store
from companion.referee.store_errors import explained
from tests.app.store_writer import Writer, saved, started, unhurried


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


# Trouble ----------------------------------------------------------------------------------------------------


def test_on_a_full_disk_entries_wait_and_are_written_when_there_is_room(store: Store) -> None:
    writer = Writer()
    journal = unhurried(store, commit=writer.commit, wake=writer.wake)
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
    journal = unhurried(store, commit=writer.commit, wake=writer.wake)
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
        journal = unhurried(store, wake=writer.wake)
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
    journal = unhurried(store, wake=writer.wake)
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
    journal = unhurried(store, commit=writer.commit, wake=writer.wake)
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
