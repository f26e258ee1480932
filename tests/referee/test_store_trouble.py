"""Stores in trouble: full disks, foreign and damaged files."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from companion.core.errors import InputError
from companion.referee.journal import JournalError, SqliteJournal, StorageFailure
from companion.referee.journal.read_only import open_read_only
from companion.referee.journal.sqlite import APPLICATION_ID, connect, storage_failure_of
from companion.referee.store import GameStore
from companion.referee.store_errors import explain_store_errors
from tests.referee.lantern_play import RULES, before_the_count, declared, header, new
from tests.referee.store_writer import PATIENCE, Writer, saved, started, unhurried


def locked() -> sqlite3.OperationalError:
    error = sqlite3.OperationalError("database is locked")
    error.sqlite_errorcode = sqlite3.SQLITE_BUSY_SNAPSHOT
    return error


def without_room_for_its_shm() -> sqlite3.OperationalError:
    error = sqlite3.OperationalError("disk I/O error")
    error.sqlite_errorcode = sqlite3.SQLITE_IOERR_SHMSIZE
    return error


def full() -> sqlite3.OperationalError:
    error = sqlite3.OperationalError("database or disk is full")
    error.sqlite_errorcode = sqlite3.SQLITE_FULL
    return error


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "table" / "games.sqlite"


@pytest.fixture
def store(path: Path) -> Iterator[GameStore]:
    with GameStore(path, RULES) as opened:
        yield opened


# Trouble ----------------------------------------------------------------------------------------------------


def test_on_a_full_disk_entries_wait_and_are_written_when_there_is_room(store: GameStore) -> None:
    writer = Writer()
    journal = unhurried(store, commit=writer.commit, wake=writer.wake)
    referee = new(journal)
    for seen, problem in zip(before_the_count(), (None, full(), full(), None), strict=True):
        referee.observe(seen)
        journal.flush()
        writer.leave.put(problem)
        writer.report()
        expected = None if problem is None else StorageFailure("storage.full", "database or disk is full")
        assert journal.trouble == expected
    assert journal.saved == 4
    assert journal.close()
    assert journal.game is not None
    assert store.read_game(journal.game)[1] == list(journal.entries)


def test_what_waits_is_tried_again_without_anything_new(store: GameStore) -> None:
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
    with GameStore(blocked / "games.sqlite", RULES) as store:
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
        assert store.read_game(journal.game)[1] == list(journal.entries)


def test_a_store_that_is_lost_in_mid_game_is_written_anew_and_whole(store: GameStore, path: Path) -> None:
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
    assert store.read_game(journal.game)[1] == list(journal.entries)


def test_what_could_not_be_saved_is_said_at_the_end(store: GameStore) -> None:
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
        (locked(), "storage.locked"),
        (sqlite3.OperationalError("disk I/O error"), "storage.lost"),
        (without_room_for_its_shm(), "storage.full"),
    ],
)
def test_each_trouble_has_its_sentence(error: Exception, key: str) -> None:
    assert storage_failure_of(error).key == key


def test_a_store_that_another_program_keeps_locked_is_told_so_and_saved_when_the_lock_goes(
    store: GameStore, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("companion.referee.journal.sqlite.BUSY_SECONDS", 0.0)
    playing = Playing(store)
    playing.step()
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        playing.rule()
        assert playing.journal.trouble == StorageFailure("storage.locked", "database is locked")
        told = pytest.raises(InputError, match=r"another program keeps .* locked; close it")
        with told, explain_store_errors(str(path)), closing(connect(path)) as ours:
            ours.execute("BEGIN IMMEDIATE")
        other.execute("ROLLBACK")
    playing.look()
    assert (playing.journal.trouble, playing.journal.saved) == (None, 2)
    playing.assert_durable(path.parent.parent)
    assert playing.journal.close()


def test_a_read_only_database_is_called_read_only(path: Path) -> None:
    with GameStore(path, RULES) as store:
        saved(store, started)
    with (
        closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)) as reader,
        pytest.raises(sqlite3.OperationalError) as caught,
    ):
        reader.execute("DELETE FROM entries")
    assert storage_failure_of(caught.value).key == "storage.readonly"


def test_a_disk_that_sqlite_cannot_open_for_writing_is_called_read_only(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cannot = sqlite3.OperationalError("unable to open database file")
    cannot.sqlite_errorcode = sqlite3.SQLITE_CANTOPEN
    assert storage_failure_of(cannot, path).key == "storage.lost"  # nothing is there
    path.parent.mkdir()
    path.touch()
    assert storage_failure_of(cannot, path).key == "storage.lost"
    monkeypatch.setattr(os, "access", lambda *_: False)
    assert storage_failure_of(cannot, path).key == "storage.readonly"


@pytest.mark.parametrize("wal", [False, True])
def test_a_store_whose_making_was_cut_short_is_an_empty_one(path: Path, wal: bool) -> None:
    path.parent.mkdir()
    path.touch()
    if wal:
        with closing(sqlite3.connect(path)) as begun:
            begun.execute("PRAGMA journal_mode = WAL")
    with GameStore(path, RULES) as store:
        assert store.list_games() == ()
        game = saved(store, started)
        assert [each.game for each in store.list_games()] == [game]


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


# Replaced under the game ------------------------------------------------------------------------------------


class Playing:
    """A game whose every step is written before the next begins."""

    def __init__(self, store: GameStore, kind: type[SqliteJournal] = SqliteJournal, **how: Any) -> None:
        self.store, self.writer = store, Writer()
        self.journal = unhurried(store, kind, wake=self.writer.wake, **how)
        self._referee = new(self.journal)

    def rule(self) -> None:
        seen = before_the_count()
        at = len(self.journal.entries)
        self._referee.observe(seen[at] if at < len(seen) else declared(9_000_000, 0, "give"))
        self.journal.flush()
        self.writer.report()

    def step(self) -> None:
        self.rule()
        assert self.journal.trouble is None
        assert self.journal.saved == len(self.journal.entries)

    def look(self) -> None:
        """What the writer does every few seconds, without anything new."""
        self.journal.retry()
        self.writer.report()

    def assert_durable(self, folder: Path) -> None:
        """What a kill -9 would leave now has every entry."""
        left = folder / "left"
        shutil.rmtree(left, ignore_errors=True)
        left.mkdir()
        for file in self.store.path.parent.glob("games.sqlite*"):
            subprocess.run(
                ["cp", "-r", file, left / file.name], check=True
            )  # a copy here would drop our locks
        (left / "games.sqlite-shm").unlink(missing_ok=True)
        assert self.journal.game is not None
        kept = GameStore(left / "games.sqlite", RULES)
        assert kept.read_game(self.journal.game)[1] == list(self.journal.entries)
        with closing(sqlite3.connect(left / "games.sqlite")) as whole:
            assert whole.execute("PRAGMA integrity_check").fetchone() == ("ok",)


def side(path: Path, suffix: str) -> Path:
    return path.with_name(path.name + suffix)


def delete_wal(path: Path) -> None:
    side(path, "-wal").unlink()


def delete_shm(path: Path) -> None:
    side(path, "-shm").unlink()


def delete_sides(path: Path) -> None:
    delete_wal(path)
    delete_shm(path)


def drop_locks_and_let_another_close(path: Path) -> None:
    """What the program itself did once with every look at past games."""
    path.read_bytes()
    another(path)


def another_writes_meanwhile(path: Path) -> None:
    """The -wal is deleted, and another program has changed what ours would be laid over."""
    drop_locks_and_let_another_close(path)
    another(path)


def move_away(path: Path) -> None:
    """Without the -wal, which now lies beside nothing."""
    path.rename(path.with_name("moved"))


def put_another(path: Path) -> None:
    """A store from elsewhere takes the place of the file alone: the -wal of ours lies beside it."""
    other = path.parent / "elsewhere" / "games.sqlite"
    with GameStore(other, RULES) as store:
        for _ in range(5):
            saved(store, started, language="de")
    other.replace(path)


def put_older_copy(path: Path) -> None:
    """The game itself, as it was at its first entry, by SQLite's own way: the file remains the same."""
    with closing(sqlite3.connect(path)) as store:
        store.execute("DELETE FROM entries WHERE seq > 0")
        store.execute("UPDATE games SET entries = 1")
        store.commit()


def restore_empty(path: Path) -> None:
    """All games are deleted."""
    with closing(sqlite3.connect(path)) as store:
        store.executescript("DELETE FROM entries; DELETE FROM games")


def cut_wal(path: Path) -> None:
    """The file remains the same, and what is written to it now lies behind a hole."""
    wal = side(path, "-wal")
    os.truncate(wal, wal.stat().st_size // 2)


def empty_wal(path: Path) -> None:
    os.truncate(side(path, "-wal"), 0)


def overwrite_wal(path: Path) -> None:
    """As long as it was, but nothing that was committed is in it any more."""
    wal = side(path, "-wal")
    before = wal.stat()
    while wal.stat().st_mtime_ns == before.st_mtime_ns:  # the clock of a file may stand for some milliseconds
        with wal.open("r+b") as stream:
            stream.write(bytes(before.st_size))


def let_another(does: str, path: Path) -> None:
    with closing(sqlite3.connect(path)) as store:
        store.execute(does)
        store.commit()


def delete_entries(path: Path) -> None:
    let_another("DELETE FROM entries", path)


def delete_last_entry(path: Path) -> None:
    let_another("DELETE FROM entries WHERE seq = (SELECT max(seq) FROM entries)", path)


def renumber_last_entry(path: Path) -> None:
    let_another("UPDATE entries SET seq = seq + 64 WHERE seq = (SELECT max(seq) FROM entries)", path)


def delete_earlier_entry(path: Path) -> None:
    let_another("DELETE FROM entries WHERE seq = (SELECT max(seq) - 1 FROM entries)", path)


def change_earlier_entry(path: Path) -> None:
    earlier = "WHERE seq = (SELECT max(seq) - 1 FROM entries)"
    let_another(f"UPDATE entries SET body = replace(body, '\"at\":', '\"at\":1') {earlier}", path)


def change_last_entry(path: Path) -> None:
    """As another table would that resumed the same game and got as far."""
    newest = "WHERE seq = (SELECT max(seq) FROM entries)"
    let_another(f"UPDATE entries SET body = replace(body, '\"at\":', '\"at\":1') {newest}", path)


CHECKPOINT = "PRAGMA wal_checkpoint"
WRITES = """
import sqlite3, sys
other = sqlite3.connect(sys.argv[1], isolation_level=None)
other.executescript(sys.argv[2])
other.close()
"""


def another(path: Path, does: str = "CREATE TABLE notes (x); DROP TABLE notes; VACUUM") -> None:
    """Another program, which writes and closes: where it can, it deletes the -wal."""
    subprocess.run([sys.executable, "-c", WRITES, path, does], check=True)


TAKEN = [
    cut_wal,
    empty_wal,
    delete_wal,
    delete_shm,
    delete_sides,
    drop_locks_and_let_another_close,
    another_writes_meanwhile,
    move_away,
    put_another,
    put_older_copy,
    restore_empty,
    delete_entries,
    delete_last_entry,
    renumber_last_entry,
    change_last_entry,
    delete_earlier_entry,
    change_earlier_entry,
    overwrite_wal,
]


@pytest.mark.parametrize("take", TAKEN)
@pytest.mark.parametrize("before", [2, 3])
def test_what_was_announced_is_written_again_before_the_next_is(
    store: GameStore, path: Path, take: Callable[[Path], None], before: int, caplog: pytest.LogCaptureFixture
) -> None:
    playing = Playing(store)
    for _ in range(before):
        playing.step()
    take(path)
    playing.step()
    assert playing.journal.rewrite_count == 1
    assert "wrote all" in caplog.text
    playing.assert_durable(path.parent.parent)
    playing.step()
    playing.assert_durable(path.parent.parent)
    assert playing.journal.rewrite_count == 1, "told once"
    assert playing.journal.close()
    assert playing.journal.game is not None
    assert store.read_game(playing.journal.game)[1] == list(playing.journal.entries)


@pytest.mark.parametrize("take", TAKEN)
def test_the_last_ruling_is_written_again_although_no_other_follows(
    store: GameStore, path: Path, take: Callable[[Path], None]
) -> None:
    playing = Playing(store)
    playing.step()
    playing.step()
    take(path)
    playing.look()
    assert (playing.journal.rewrite_count, playing.journal.saved) == (1, 2)
    playing.assert_durable(path.parent.parent)
    assert playing.journal.close()


@pytest.mark.parametrize("take", TAKEN)
def test_files_taken_away_before_the_end_are_noticed_at_the_end(
    store: GameStore, path: Path, take: Callable[[Path], None]
) -> None:
    playing = Playing(store)
    playing.step()
    playing.step()
    take(path)
    assert playing.journal.close()
    assert playing.journal.game is not None
    assert len(store.read_game(playing.journal.game)[1]) == 2
    with closing(sqlite3.connect(path)) as whole:
        assert whole.execute("PRAGMA integrity_check").fetchone() == ("ok",)


def test_a_game_that_another_program_lists_as_another_kind_is_listed_as_what_it_is(
    store: GameStore, path: Path
) -> None:
    playing = Playing(store)
    playing.step()
    let_another("UPDATE games SET kind = 'demo'", path)
    playing.look()
    playing.assert_durable(path.parent.parent)
    assert playing.journal.close()


def test_a_wal_that_is_deleted_the_moment_a_ruling_counts_is_noticed(store: GameStore, path: Path) -> None:
    class Interrupted(SqliteJournal):
        def __setattr__(self, name: str, value: object) -> None:
            super().__setattr__(name, value)
            if (name, value) == ("saved", 2):
                delete_wal(path)

    playing = Playing(store, Interrupted)
    for _ in range(3):
        playing.step()
    assert playing.journal.rewrite_count == 1
    playing.assert_durable(path.parent.parent)
    assert playing.journal.close()


def test_a_store_whose_tables_are_dropped_is_told_at_once_and_tried_again(
    store: GameStore, path: Path
) -> None:
    playing = Playing(store)
    playing.step()
    let_another("ALTER TABLE entries RENAME TO gone", path)
    for _ in range(2):
        playing.look()
        assert playing.journal.trouble is not None
    let_another("ALTER TABLE gone RENAME TO entries", path)
    playing.look()
    assert playing.journal.trouble is None
    playing.assert_durable(path.parent.parent)
    assert playing.journal.close()


def let_another_write_beside(path: Path) -> None:
    """It finds neither the -wal nor the -shm, and changes the file under both."""
    with closing(sqlite3.connect(path)) as store:
        store.execute(CHECKPOINT)
    delete_sides(path)
    counted = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 500)"
    another(path, f"INSERT INTO entries {counted} SELECT 9, i, zeroblob(100) FROM n; {CHECKPOINT}")


@pytest.mark.parametrize("take", [delete_wal, delete_shm, delete_sides, let_another_write_beside])
def test_files_taken_away_in_mid_commit_are_noticed_before_it_counts(
    store: GameStore, path: Path, take: Callable[[Path], None]
) -> None:
    writer = Writer()
    journal = unhurried(store, commit=writer.commit, wake=writer.wake)
    referee = new(journal)
    for seen in before_the_count()[:2]:
        referee.observe(seen)
        journal.flush()
        writer.begun.get(timeout=PATIENCE)
        if journal.saved:
            take(path)
            writer.leave.put(None)
            writer.begun.get(timeout=PATIENCE)  # once more, to the files that are there
            assert journal.saved < 2
        writer.leave.put(None)
        writer.report()
    assert (journal.trouble, journal.saved, journal.rewrite_count) == (None, 2, 1)
    assert journal.close()
    assert journal.game is not None
    assert len(store.read_game(journal.game)[1]) == 2
    with closing(sqlite3.connect(path)) as whole:
        assert whole.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        theirs = whole.execute("SELECT count(*) FROM entries WHERE game = 9").fetchone()
        assert theirs == (500 if take is let_another_write_beside else 0,)


def test_without_room_to_write_it_again_the_table_is_told_that_it_is_not_saved(
    store: GameStore, path: Path
) -> None:
    writer = Writer()
    journal = unhurried(store, commit=writer.commit, wake=writer.wake)
    referee = new(journal)
    first, second, *_ = before_the_count()
    referee.observe(first)
    journal.flush()
    writer.leave.put(None)
    writer.report()
    delete_wal(path)
    referee.observe(second)
    journal.flush()
    for problem in (full(), full(), None):
        writer.leave.put(problem)
        writer.report()
        if problem is not None:
            assert journal.trouble == StorageFailure("storage.full", "database or disk is full")
            assert journal.saved == 0
            journal.retry()
    assert (journal.trouble, journal.saved, journal.rewrite_count) == (None, 2, 1)
    writer.leave.put(None)
    assert journal.close()


def test_a_store_moved_away_takes_along_what_was_in_its_wal(store: GameStore, path: Path) -> None:
    playing = Playing(store)
    playing.step()
    move_away(path)
    playing.step()
    moved = GameStore(path.with_name("moved"), RULES)
    assert [game.entries for game in moved.list_games()] == [1]
    assert playing.journal.close()


def test_a_store_that_is_a_link_has_its_files_where_it_leads(store: GameStore, path: Path) -> None:
    disk = path.parent.with_name("disk") / "games.sqlite"
    disk.parent.mkdir()
    path.parent.mkdir(exist_ok=True)
    path.symlink_to(disk)
    playing = Playing(store)
    playing.step()
    assert playing.journal.game is not None
    assert store.read_game(playing.journal.game)[1] == list(playing.journal.entries)
    side(disk, "-wal").unlink()
    playing.step()
    assert playing.journal.rewrite_count == 1
    assert playing.journal.close()
    assert store.read_game(playing.journal.game)[1] == list(playing.journal.entries)
    assert path.is_symlink()


def test_another_game_of_the_same_number_is_left_alone(store: GameStore, path: Path) -> None:
    playing = Playing(store)
    playing.step()
    put_another(path)
    playing.step()
    assert playing.journal.close()
    assert [game.entries for game in store.list_games()] == [2, 4, 4, 4, 4, 4]


def test_another_game_of_the_same_number_and_header_is_left_alone(store: GameStore, path: Path) -> None:
    """A table without a clock begins two games at the same second."""
    playing = Playing(store)
    playing.step()
    other = path.parent / "elsewhere" / "games.sqlite"
    with GameStore(other, RULES) as elsewhere:
        first = replace(playing.journal.entries[0], cause=declared(9_000_000, 0, "give"))
        saved(elsewhere, lambda journal: journal.append(first))
    other.replace(path)
    playing.step()
    assert playing.journal.close()
    assert [game.entries for game in store.list_games()] == [2, 1]
    assert store.read_game(1)[1] == [first]


def test_a_deleted_wal_that_another_of_our_connections_still_reads_is_no_place_to_write(
    store: GameStore, path: Path
) -> None:
    """SQLite would join the reader's -shm, which nobody else finds; so the game waits for its end."""
    playing = Playing(store)
    playing.step()
    reader = open_read_only(path)
    reader.execute("SELECT count(*) FROM games").fetchone()
    delete_sides(path)
    playing.look()
    assert playing.journal.trouble is not None
    assert playing.journal.trouble.key == "storage.locked"
    reader.close()
    playing.look()
    assert (playing.journal.trouble, playing.journal.saved, playing.journal.rewrite_count) == (None, 1, 1)
    playing.assert_durable(path.parent.parent)
    assert playing.journal.close()


def test_without_the_lock_nothing_is_restored_or_played_and_the_remedy_is_told(path: Path) -> None:
    lock = side(path, ".lock")
    lock.mkdir(parents=True)
    with GameStore(path, RULES) as store:
        told = pytest.raises(InputError, match="lock is a folder, not a file; move it away")
        with told, explain_store_errors(str(path)):
            store.lock()
        with pytest.raises(IsADirectoryError):
            store.create_game(header())
        lock.rmdir()
        assert store.create_game(header()).close()


# Foreign and damaged ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(("begins", "said"), [(b"S", "is cut off, 1 of 100"), (b"x", "isn't a store")])
def test_a_store_of_one_byte_is_no_empty_one(path: Path, begins: bytes, said: str) -> None:
    """SQLite takes it for an empty file."""
    path.parent.mkdir()
    path.write_bytes(begins)
    with pytest.raises(JournalError, match=said):
        GameStore(path, RULES).list_games()


def test_a_foreign_file_in_its_place_is_refused_and_left_alone(path: Path) -> None:
    path.parent.mkdir()
    path.write_bytes(b"Dear diary, " * 500)
    with pytest.raises(JournalError, match="isn't a store"):
        GameStore(path, RULES).list_games()
    assert path.read_bytes() == b"Dear diary, " * 500


def test_the_database_of_another_program_is_refused_and_left_alone(path: Path) -> None:
    path.parent.mkdir()
    with sqlite3.connect(path) as other:
        other.execute("CREATE TABLE recipes (name)")
    other.close()
    with pytest.raises(JournalError, match="isn't a store"):
        GameStore(path, RULES).list_games()
    writer = Writer()
    journal = SqliteJournal(path, header(), wake=writer.wake)
    new(journal).observe(before_the_count()[0])
    journal.flush()
    writer.report()
    assert journal.trouble is not None
    assert not journal.close()


@pytest.mark.parametrize("owner", [0, APPLICATION_ID ^ 1])
def test_a_store_that_was_rebuilt_without_our_application_id_is_read_and_played_on(
    store: GameStore, path: Path, owner: int
) -> None:
    """`sqlite3 .dump` leaves it out; and one bit of it may be flipped."""
    game = saved(store, started)
    before = store.read_game(game)
    with closing(sqlite3.connect(path)) as old:
        dumped = "\n".join(old.iterdump())
    path.unlink()
    with closing(sqlite3.connect(path)) as rebuilt:
        rebuilt.executescript(f"{dumped} PRAGMA application_id = {owner};")
    assert store.read_game(game) == before
    later = saved(store, started)
    assert [found.game for found in store.list_games()] == [later, game]
    with closing(sqlite3.connect(path)) as found:
        assert found.execute("PRAGMA application_id").fetchone() == (APPLICATION_ID,)


def test_a_game_from_a_newer_version_is_listed_with_its_problem_and_not_offered(
    store: GameStore, path: Path
) -> None:
    game = saved(store, started)
    with sqlite3.connect(path) as raw:
        raw.execute("UPDATE games SET header = replace(header, '\"format\":2', '\"format\":9')")
    raw.close()
    (listed,) = store.list_games()
    assert (listed.game, listed.problem) == (game, "newer")
    assert store.find_unfinished() is None
    with pytest.raises(JournalError, match="format 9"):
        store.open_game(game)


def test_a_store_whose_tables_a_newer_version_changed_is_neither_foreign_nor_touched(
    store: GameStore, path: Path
) -> None:
    saved(store, started)
    with closing(sqlite3.connect(path)) as raw:
        raw.executescript("CREATE TABLE seats (name); PRAGMA user_version = 3")
        raw.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    before = path.read_bytes()
    for look in (
        store.list_games,
        store.count_games,
        store.find_unfinished,
        lambda: store.open_game(1),
        lambda: store.forget_name("Ann"),
    ):
        with pytest.raises(JournalError, match="newer version: store 3") as refused:
            look()
        assert refused.value.key == "newer"
    with pytest.raises(InputError, match="update this program to read it"), explain_store_errors(str(path)):
        store.list_games()
    assert path.read_bytes() == before


def test_damage_in_a_stored_game_is_named(store: GameStore, path: Path) -> None:
    game = saved(store, started)
    with sqlite3.connect(path) as raw:
        raw.execute("UPDATE entries SET body = '{\"seq\":2' WHERE seq = 2")
    raw.close()
    with pytest.raises(JournalError) as caught:
        store.read_game(game)
    assert (caught.value.key, caught.value.line) == ("altered", 4)
