"""What other programs took from the store in mid-game is restored after the program was killed."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path

import pytest
from lantern.rules import LANTERN
from msgspec.structs import replace

from companion.core.errors import InputError
from companion.core.events import Event
from companion.referee.journal import JournalError, SqliteJournal, StorageFailure
from companion.referee.journal.codec import entry_lines, header_line
from companion.referee.journal.entry import Entry
from companion.referee.journal.recovery_log import DAMAGED_SUFFIX, SUFFIX, RecoveryLog, logged_game
from companion.referee.journal.sqlite import BUSY_SECONDS
from companion.referee.store import GameStore
from companion.referee.store_errors import explain_store_errors
from tests.processes import running
from tests.referee.lantern_play import RULES, before_the_count, declared, header, new, whole_game
from tests.referee.store_writer import PATIENCE, Writer, saved, started, unhurried
from tests.referee.test_store_beside import Child, child
from tests.referee.test_store_trouble import Playing, full

Others = list[sqlite3.Connection]
"""Connections that another program keeps open."""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "table" / "games.sqlite"


def logs(path: Path) -> list[Path]:
    return sorted(path.parent.glob(f"{path.name}{SUFFIX}*"))


def wal(path: Path) -> Path:
    return path.with_name(path.name + "-wal")


def flip_a_bit_of_the_wal(path: Path) -> None:
    """In the checksum of its first frame: only who opens it next sees that, and takes it for empty."""
    with wal(path).open("r+b") as stream:
        stream.seek(32 + 16)
        (byte,) = stream.read(1)
        stream.seek(-1, 1)
        stream.write(bytes([byte ^ 1]))


def damage_the_wal_and_commit(path: Path, others: Others) -> None:
    """The commit hides that the -wal was also written to by something that is not SQLite."""
    flip_a_bit_of_the_wal(path)
    with closing(sqlite3.connect(path)) as other:
        other.execute("PRAGMA user_version = 1")


def damage_the_wal_after_a_commit(path: Path, others: Others) -> None:
    with closing(sqlite3.connect(path)) as other:
        other.execute("PRAGMA user_version = 1")
    flip_a_bit_of_the_wal(path)


def put_a_copy_and_keep_it_open(path: Path, others: Others) -> None:
    """Without its -wal: the other program's is gone when ours begins, and it removes ours when it closes."""
    copy = path.with_name("copy")
    shutil.copyfile(path, copy)
    copy.replace(path)
    others.append(sqlite3.connect(path))
    others[0].execute("SELECT count(*) FROM sqlite_master").fetchone()


def delete_the_store(path: Path, others: Others) -> None:
    for suffix in ("", "-wal", "-shm"):
        path.with_name(path.name + suffix).unlink()


def steps(player: Child, count: int) -> int:
    """Play on; how many entries are announced."""
    return [int(player.order("step").split()[1]) for _ in range(count)][-1]


@pytest.mark.parametrize(
    "take",
    [damage_the_wal_and_commit, damage_the_wal_after_a_commit, put_a_copy_and_keep_it_open, delete_the_store],
)
@pytest.mark.parametrize("after", [0, 3])
def test_what_was_announced_is_restored_after_a_kill(
    path: Path, take: Callable[[Path, Others], None], after: int
) -> None:
    path.parent.mkdir()
    others: Others = []
    with child("store_child.py", path) as player:
        announced = steps(player, 4)
        take(path, others)
        if after:
            announced = steps(player, after)
        player.kill()
    for other in others:
        other.close()
    with GameStore(path, RULES) as store:
        store.lock()
        (game,) = store.list_games(None)
        assert len(store.read_game(game.game)[1]) == announced
        assert logs(path) == []
    with closing(sqlite3.connect(path)) as whole:
        assert whole.execute("PRAGMA integrity_check").fetchone() == ("ok",)


def test_a_game_that_was_closed_leaves_no_log(path: Path) -> None:
    with GameStore(path, RULES) as store:
        saved(store, started)
    assert logs(path) == []


def test_while_another_program_has_the_store_open_the_log_is_kept_until_the_next_start(path: Path) -> None:
    with GameStore(path, RULES) as store:
        saved(store, started)
        with closing(sqlite3.connect(path)) as other:
            other.execute("SELECT count(*) FROM games").fetchone()
            saved(store, started, language="de")
        assert len(logs(path)) == 1
        store.close()
        store.lock()
        assert logs(path) == []
        assert [game.entries for game in store.list_games()] == [4, 4]


def killed(path: Path, count: int = 4) -> list[Entry[Event]]:
    """The recovery log of a game of so many entries, which nothing else knows of."""
    entries = list(whole_game(new()).journal.entries[:count])
    path.parent.mkdir(exist_ok=True)
    RecoveryLog(path, header()).write(entries)
    return entries


def test_a_game_that_the_store_never_had_is_restored_with_its_outcome(path: Path) -> None:
    entries = killed(path, 1000)
    with GameStore(path, RULES) as store:
        store.lock()
        (game,) = store.list_games()
        assert store.read_game(game.game) == (header(), entries)
        assert game.outcome == LANTERN.outcome(whole_game(new()).state)
        assert game.outcome is not None
    assert logs(path) == []


def test_a_store_that_is_not_in_wal_mode_takes_what_is_restored(path: Path) -> None:
    """So is a backup that was put in its place."""
    entries = killed(path)
    stored_elsewhere(path, entries[:2])
    with closing(sqlite3.connect(path)) as other:
        assert other.execute("PRAGMA journal_mode = DELETE").fetchone() == ("delete",)
    with GameStore(path, RULES) as store:
        store.lock()
        assert [store.read_game(game.game)[1] for game in store.list_games()] == [entries]
    assert logs(path) == []


def test_of_a_line_that_was_being_written_nothing_is_restored(path: Path) -> None:
    entries = killed(path)
    (log,) = logs(path)
    log.write_bytes(log.read_bytes()[:-9])
    with GameStore(path, RULES) as store:
        store.lock()
        assert store.read_game(1)[1] == entries[:-1]


def test_another_game_of_the_same_header_is_left_alone(path: Path) -> None:
    """A table without a clock begins two games at the same second."""
    entries = killed(path)
    other = replace(entries[0], cause=declared(9_000_000, 0, "give"))
    with GameStore(path.with_name("elsewhere.sqlite"), RULES) as elsewhere:
        saved(elsewhere, lambda journal: journal.append(other))
    elsewhere.path.replace(path)
    with GameStore(path, RULES) as store:
        store.lock()
        assert store.read_game(1)[1] == [other]
        assert store.read_game(2)[1] == entries


def test_what_the_store_has_is_not_written_again(path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with GameStore(path, RULES) as store:
        saved(store, started)
    before = path.read_bytes()
    killed(path)
    with GameStore(path, RULES) as store:
        store.lock()
    assert (logs(path), path.read_bytes(), caplog.text) == ([], before, "")


def test_the_log_is_kept_until_nothing_of_the_game_is_in_the_wal_alone(path: Path) -> None:
    path.parent.mkdir()
    with child("store_child.py", path) as player:
        announced = steps(player, 4)
        player.kill()
    with GameStore(path, RULES) as store:
        store.lock()
        assert logs(path) == []
    assert not wal(path).exists()
    with GameStore(path, RULES) as store:
        playing = Playing(store)
        playing.step()
        flip_a_bit_of_the_wal(path)
        shutil.copytree(path.parent, path.parent.with_name("left"))
        assert playing.journal.close()
    with GameStore(path.parent.with_name("left") / path.name, RULES) as left:
        left.lock()
        assert announced in [game.entries for game in left.list_games()]


def test_a_log_that_cannot_be_restored_is_kept_and_the_table_plays(
    path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    killed(path)
    with GameStore(path, {}) as store:
        store.lock()
    assert "no rules of a game called lantern" in caplog.text
    assert len(logs(path)) == 1


@pytest.mark.parametrize("damage", [Path.unlink, lambda log: log.write_bytes(b"")])
def test_a_log_that_was_deleted_or_damaged_is_written_again_before_the_next_ruling_counts(
    path: Path, damage: Callable[[Path], object]
) -> None:
    with GameStore(path, RULES) as store:
        playing = Playing(store)
        playing.step()
        damage(logs(path)[0])
        playing.step()
        (log,) = logs(path)
        assert len(log.read_bytes().splitlines()) == 1 + 2
        assert playing.journal.close()


def test_what_the_log_cannot_hold_does_not_count(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    writer = Writer()
    with GameStore(path, RULES) as store:
        journal = unhurried(store, wake=writer.wake)
        new(journal).observe(before_the_count()[0])
        with monkeypatch.context() as patch:
            patch.setattr(RecoveryLog, "write", fail)
            journal.flush()
            writer.report()
            assert (journal.trouble, journal.saved) == (
                StorageFailure("storage.full", "No space left on device"),
                0,
            )
        journal.retry()
        writer.report()
        assert (journal.trouble, journal.saved, journal.rewrite_count) == (None, 1, 0)
        assert journal.close()
        assert [game.entries for game in store.list_games()] == [1]


def stored_elsewhere(path: Path, entries: list[Entry[Event]]) -> None:
    """A store in which nothing but these was played."""
    with GameStore(path.with_name("elsewhere.sqlite"), RULES) as elsewhere:
        saved(elsewhere, lambda journal: [journal.append(entry) for entry in entries])
    elsewhere.path.replace(path)


def test_a_game_that_was_continued_without_what_was_lost_stays_beside_the_restored_one(path: Path) -> None:
    """A first attempt failed, for another program held the store."""
    entries = killed(path)
    continued = [*entries[:2], replace(entries[2], cause=declared(9_000_000, 0, "give"))]
    stored_elsewhere(path, continued)
    with GameStore(path, RULES) as store:
        store.lock()
        assert (store.read_game(1)[1], store.read_game(2)[1]) == (continued, entries)
        assert logs(path) == []


@pytest.mark.parametrize("stored", [1, 0])
def test_of_a_damaged_log_what_is_whole_is_restored_and_the_rest_is_kept_and_named(
    path: Path, stored: int, caplog: pytest.LogCaptureFixture
) -> None:
    entries = killed(path)
    (log,) = logs(path)
    lines = log.read_bytes().splitlines(keepends=True)
    log.write_bytes(b"".join([*lines[:3], lines[3].replace(b"1", b"2", 1), lines[4]]))
    if stored:
        stored_elsewhere(path, entries[:stored])
    with GameStore(path, RULES) as store:
        store.lock()
        (game,) = store.list_games()
        assert store.read_game(game.game)[1] == entries[: max(stored, 2)]
        kept = path.with_name(log.name.replace(SUFFIX, DAMAGED_SUFFIX))
        assert (store.unrestored, logs(path), kept.exists()) == ((kept,), [], True)
    assert f"companion import {kept} --salvage" in caplog.text
    with GameStore(path, RULES) as store:
        store.lock()
        assert store.unrestored == (), "told once"


def stored_rows(path: Path) -> dict[int, bytes]:
    with closing(sqlite3.connect(path)) as other:
        return dict(other.execute("SELECT seq, body FROM entries WHERE game = 1").fetchall())


def flip_entry(path: Path, seq: int) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        change = "UPDATE entries SET body = CAST(replace(body, '\"at\":', '\"at\":1') AS BLOB) WHERE seq = ?"
        assert other.execute(change, (seq,)).rowcount == 1


def delete_entry(path: Path, seq: int) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        assert other.execute("DELETE FROM entries WHERE seq = ?", (seq,)).rowcount == 1


@pytest.mark.parametrize("damage", [flip_entry, delete_entry])
@pytest.mark.parametrize("seq", [0, 2, 5])
def test_what_the_store_has_beyond_the_log_is_kept_where_the_log_closes_the_gap(
    path: Path, damage: Callable[[Path, int], None], seq: int
) -> None:
    entries = list(whole_game(new()).journal.entries)
    stored_elsewhere(path, entries)
    RecoveryLog(path, header()).write(entries[:6])
    damage(path, seq)
    with GameStore(path, RULES) as store:
        store.lock()
        (game,) = store.list_games()
        assert store.read_game(game.game)[1] == entries
        assert game.outcome is not None
    assert logs(path) == []


@pytest.mark.parametrize("damage", [flip_entry, delete_entry])
def test_what_stands_after_a_gap_that_the_log_does_not_close_is_left_and_the_gap_is_named(
    path: Path, damage: Callable[[Path, int], None], caplog: pytest.LogCaptureFixture
) -> None:
    entries = list(whole_game(new()).journal.entries)
    stored_elsewhere(path, entries)
    before = stored_rows(path)
    RecoveryLog(path, header()).write(entries[:4])
    damage(path, 2)
    damage(path, 7)
    with GameStore(path, RULES) as store:
        store.lock()
        with pytest.raises(JournalError, match=r"entry [78]"):
            store.read_game(1)
        assert store.salvage_game(1)[1] == entries[:7]
    after = stored_rows(path)
    assert {seq: line for seq, line in after.items() if seq != 7} == {
        seq: line for seq, line in before.items() if seq != 7
    }
    assert "Entry 7 of game 1 is whole neither in the store nor in its log" in caplog.text


@pytest.mark.parametrize(
    "damage", ["kind = 'demo'", "entries = 2", """outcome = '{"termination":"won","winners":[1]}'"""]
)
def test_what_the_list_of_games_says_wrongly_is_put_right_by_the_log(path: Path, damage: str) -> None:
    entries = killed(path)
    stored_elsewhere(path, entries)
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute(f"UPDATE games SET {damage}")
    with GameStore(path, RULES) as store:
        store.lock()
        game = store.find_unfinished()
        assert game is not None
        assert store.read_game(game.game)[1] == entries


def test_how_many_rulings_are_in_a_log_alone_is_what_the_start_would_restore(path: Path) -> None:
    entries = killed(path, 6)
    (log,) = logs(path)
    store = GameStore(path, RULES)
    assert list(store.find_unrestored()) == [(log, 6)]
    stored_elsewhere(path, entries)
    assert list(store.find_unrestored()) == []
    flip_entry(path, 2)
    assert list(store.find_unrestored()) == [(log, 1)]
    os.truncate(path, 4096)
    assert list(store.find_unrestored()) == [(log, 6)]
    path.unlink()
    with closing(sqlite3.connect(path)) as other:
        other.execute("CREATE TABLE notes (x)")
    assert list(store.find_unrestored()) == []


def test_only_what_the_store_lacks_is_written_into_it(path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Each of the logs of a table that was killed again and again has the whole game."""
    entries = list(whole_game(new()).journal.entries)
    stored_elsewhere(path, entries[:2])
    for count in range(3, len(entries) + 1):
        RecoveryLog(path, header()).write(entries[:count])
    with GameStore(path, RULES) as store:
        store.lock()
        assert store.read_game(1) == (header(), entries)
    assert caplog.text.count(f"Restored 1 ruling that {path} had lost") == len(entries) - 2
    assert "Another program" not in caplog.text


def test_a_name_that_is_forgotten_is_in_no_log_any_more_and_comes_back_from_none(path: Path) -> None:
    entries = killed(path)
    RecoveryLog(path, header(names=((0, "Anna"),), language="fr")).write(entries)
    with GameStore(path, RULES) as store, closing(sqlite3.connect(path)) as other:
        saved(store, started, language="de")
        other.execute("SELECT count(*) FROM sqlite_master").fetchone()
        store.close()
        store.lock()
        store.forget_name("Anna")
        assert all(b"Anna" not in log.read_bytes() for log in logs(path))
    with GameStore(path, RULES) as store:
        store.lock()
        assert [game.names for game in store.list_games()] == [()] * 3
        assert logs(path) == []


def test_of_two_games_imported_from_one_file_the_one_that_was_played_is_restored(path: Path) -> None:
    """Whichever of them is the newest, and however far the other goes."""
    entries = list(whole_game(new()).journal.entries)
    for played in (1, 2, 3):
        with GameStore(path.with_name(f"{played}.sqlite"), RULES) as store:
            for count in (2, 3, 2):
                saved(store, lambda journal: [journal.append(entry) for entry in entries[:count]])  # noqa: B023
            RecoveryLog(store.path, header()).write(entries, played)
            store.close()
            store.lock()
            counts = [len(store.read_game(game)[1]) for game in (1, 2, 3)]
            assert counts == [len(entries) if game == played else 2 + (game == 2) for game in (1, 2, 3)]
            assert [game.game for game in store.list_games() if game.outcome] == [played]
            assert logs(store.path) == []


def test_a_log_that_does_not_say_of_which_game_it_is_goes_to_the_one_that_went_on(path: Path) -> None:
    """An older version wrote it."""
    entries = killed(path, 6)
    with GameStore(path.with_name("elsewhere.sqlite"), RULES) as elsewhere:
        for count in (4, 2):
            saved(elsewhere, lambda journal: [journal.append(entry) for entry in entries[:count]])  # noqa: B023
    elsewhere.path.replace(path)
    with GameStore(path, RULES) as store:
        store.lock()
        assert [game.entries for game in store.list_games()] == [2, 6]


def test_a_game_that_went_on_otherwise_takes_no_other_game_s_place(path: Path) -> None:
    entries = list(whole_game(new()).journal.entries[:4])
    continued = [*entries[:2], replace(entries[2], cause=declared(9_000_000, 0, "give"))]
    with GameStore(path, RULES) as store:
        for begun in (continued, entries[:2]):
            saved(store, lambda journal: [journal.append(entry) for entry in begun])  # noqa: B023
    RecoveryLog(path, header()).write(entries, 1)
    with GameStore(path, RULES) as store:
        store.lock()
        assert [store.read_game(game)[1] for game in (1, 2, 3)] == [continued, entries[:2], entries]


@pytest.mark.parametrize("numbered", [True, False])
@pytest.mark.parametrize("lost", [0, 2])
def test_a_name_that_is_forgotten_does_not_come_back_if_the_log_is_still_there(
    path: Path, lost: int, *, numbered: bool
) -> None:
    """Forgetting was killed before it deleted the log, which an older version may have written."""
    entries = list(whole_game(new()).journal.entries[:4])
    named = header(names=((0, "Anna"), (1, "Bo")))
    with GameStore(path, RULES) as store:
        game = saved(
            store,
            lambda journal: [journal.append(entry) for entry in entries[: 4 - lost]],
            names=named.names,
        )
        store.forget_name("Anna")
        RecoveryLog(path, named).write(entries, game if numbered else None)
        assert sum(lacking for _, lacking in store.find_unrestored()) == lost
        store.close()
        store.lock()
        (kept,) = store.list_games()
        assert (kept.names, store.read_game(game)[1], logs(path)) == (((1, "Bo"),), entries, [])


def test_a_log_of_a_game_that_was_not_written_anew_yet_is_no_other_game(path: Path) -> None:
    """Its header says in full now which house rules it has, and the disk was full."""
    entries = list(whole_game(new()).journal.entries[:4])
    stored_elsewhere(path, entries[:2])
    older = replace(header(), setup=replace(header().setup, options={}))
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("UPDATE games SET header = ?", (header_line(older),))
        rows = entry_lines(older, entries[:2], header_line(older))
        other.executemany(
            "UPDATE entries SET body = ? WHERE seq = ?", [(row, n) for n, row in enumerate(rows)]
        )
    RecoveryLog(path, header()).write(entries, 1)
    with GameStore(path, RULES) as store:
        store.lock()
        assert [store.read_game(game.game)[1] for game in store.list_games()] == [entries]


def test_the_log_says_of_which_game_it_is_also_if_that_gets_another_number(path: Path) -> None:
    with GameStore(path, RULES) as store:
        saved(store, started, language="de")
        playing = Playing(store)
        playing.step()
        assert [logged_game(log) for log in logs(path)] == [2]
        with closing(sqlite3.connect(path)) as other:
            other.execute("DELETE FROM games")
            other.execute("DELETE FROM entries")
            other.commit()
        playing.step()
        assert [logged_game(log) for log in logs(path)] == [playing.journal.game] == [1]
        assert playing.journal.close()


def test_a_full_disk_gathers_no_logs_and_the_last_whole_one_stays(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_: int) -> None:
        raise OSError(28, "No space left on device")

    path.parent.mkdir()
    entries = list(whole_game(new()).journal.entries[:4])
    log = RecoveryLog(path, header())
    log.write(entries[:2])
    before = logs(path)
    assert before[0].stat().st_mode & 0o077 == 0
    with monkeypatch.context() as patch:
        patch.setattr("companion.referee.journal.recovery_log.os.fsync", fail)
        for _ in range(3):
            with pytest.raises(OSError, match="space"):
                log.write(entries)
    assert logs(path) == before
    log.write(entries)
    assert len(logs(path)) == 1
    assert len(logs(path)[0].read_bytes().splitlines()) == 1 + 4


def test_a_folder_in_the_place_of_the_log_gathers_no_logs_and_every_ruling_still_counts(path: Path) -> None:
    with GameStore(path, RULES) as store:
        playing = Playing(store)
        playing.step()
        (log,) = logs(path)
        log.unlink()
        log.mkdir()
        for _ in range(3):
            playing.step()
            assert playing.journal.trouble is None
        (written,) = (one for one in logs(path) if one != log)
        assert len(written.read_bytes().splitlines()) == 1 + len(playing.journal.entries)
        assert playing.journal.close()
    assert logs(path) == [log]


def test_a_log_that_is_deleted_while_nobody_plays_is_written_again(path: Path) -> None:
    writer = Writer()
    with GameStore(path, RULES) as store:
        journal = unhurried(store, wake=writer.wake)
        new(journal).observe(before_the_count()[0])
        journal.flush()
        writer.report()
        logs(path)[0].unlink()
        journal.retry()  # as the writer does every few seconds
        writer.report()
        assert len(logs(path)) == 1
        assert journal.close()


def test_a_log_that_is_deleted_while_it_is_written_is_whole_again_with_the_next_ruling(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def delete_and_sync(stream: int) -> None:
        for one in logs(path):
            one.unlink()
        sync(stream)

    path.parent.mkdir()
    entries = list(whole_game(new()).journal.entries[:4])
    log, sync = RecoveryLog(path, header()), os.fsync
    log.write(entries[:2])
    with monkeypatch.context() as patch:
        patch.setattr("companion.referee.journal.recovery_log.os.fsync", delete_and_sync)
        log.write(entries[:3])
    assert logs(path) == []
    assert log.is_changed()
    log.write(entries)
    (whole,) = logs(path)
    assert len(whole.read_bytes().splitlines()) == 1 + 4


def test_what_the_store_does_not_take_is_in_the_log_before_it_is_announced(path: Path) -> None:
    writer = Writer()
    with GameStore(path, RULES) as store:
        journal = unhurried(store, commit=writer.commit, wake=writer.wake)
        referee = new(journal)
        tickets, seen = [], iter(before_the_count())
        for problem in (full(), None):
            referee.observe(next(seen))
            tickets.append(referee.ticket)
            journal.flush()
            writer.begun.get(timeout=PATIENCE)
            if problem is not None:
                writer.leave.put(problem)
                writer.report()
        assert len(logs(path)[0].read_bytes().splitlines()) == 1 + 2  # the store is still asked
        referee.observe(next(seen))
        tickets.append(referee.ticket)
        journal.flush()
        assert [one is not None and (one.durable, one.announceable) for one in tickets] == [
            (False, True),
            (False, True),
            (False, False),
        ]
        for _ in range(2):
            writer.leave.put(None)
            writer.report()
        assert journal.close()


def test_a_store_that_another_program_keeps_is_waited_for_once(path: Path) -> None:
    """Else every ruling would come a second late, as long as that program stays."""
    asked: list[float] = []

    class Journal(SqliteJournal):
        @property
        def _busy_seconds(self) -> float:
            asked.append(super()._busy_seconds)
            return 0.0

    with GameStore(path, RULES) as store:
        playing = Playing(store, Journal)
        playing.step()
        with closing(sqlite3.connect(path, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            asked.clear()
            playing.rule()
            assert set(asked) == {BUSY_SECONDS}
            asked.clear()
            playing.rule()
            assert set(asked) == {0.0}
            assert playing.journal.trouble == StorageFailure("storage.locked", "database is locked")
            other.execute("ROLLBACK")
        playing.step()
        assert playing.journal.close()


def test_a_game_no_referee_can_have_written_is_no_reason_not_to_play(
    path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(*_: object) -> None:
        raise IndexError("seat -5")

    killed(path)
    monkeypatch.setattr(type(LANTERN), "outcome", fail)
    with GameStore(path, RULES) as store:
        store.lock()
    assert "seat -5" in caplog.text
    assert len(logs(path)) == 1


def test_what_was_not_saved_when_a_game_was_left_is_there_when_it_is_gone_on_with(path: Path) -> None:
    writer = Writer()
    with GameStore(path, RULES) as store:
        journal = unhurried(store, commit=writer.commit, wake=writer.wake)
        referee = new(journal)
        for observation, problem in zip(before_the_count()[:3], (None, full(), full()), strict=True):
            referee.observe(observation)
            journal.flush()
            writer.leave.put(problem)
            writer.report()
        writer.leave.put(full())
        assert not journal.close()
        assert journal.game is not None
        assert [game.entries for game in store.list_games()] == [1]
        again = store.open_game(journal.game)
        assert again.entries == journal.entries
        assert again.close()
        assert (store.unrestored, logs(path)) == ((), [])


def test_on_a_read_only_disk_the_log_that_has_more_than_the_store_is_named(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    entries = killed(path)
    (log,) = logs(path)
    stored_elsewhere(path, entries[:2])
    monkeypatch.setattr(GameStore, "_take_lock", lambda _: None)
    with GameStore(path, RULES) as store:
        store.lock()
        assert store.unrestored == (log,)
    assert logs(path) == [log]


def test_a_log_that_cannot_be_read_is_named(path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path.with_name(f"{path.name}{SUFFIX}00").mkdir(parents=True)
    with GameStore(path, RULES) as store:
        store.lock()
        assert list(store.unrestored) == logs(path)
    assert "move it away" in caplog.text
    assert "companion import" not in caplog.text


def test_what_a_full_disk_keeps_from_being_restored_needs_room(
    path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    entries = killed(path)
    with GameStore(path, RULES) as store:
        with monkeypatch.context() as patch:
            patch.setattr(GameStore, "_restore_game", fail)
            store.lock()
        assert "make room on its disk" in caplog.text
        assert "companion import" not in caplog.text
        store.lock()
        assert store.read_game(1) == (header(), entries)


def test_a_log_whose_header_has_a_flipped_bit_is_restored_whole(path: Path) -> None:
    entries = killed(path)
    (log,) = logs(path)
    log.write_bytes(log.read_bytes().replace(b'"lantern"', b'"lanuern"', 1))
    with GameStore(path, RULES) as store:
        store.lock()
        assert store.read_game(store.list_games()[0].game) == (header(), entries)
        assert (store.unrestored, logs(path)) == ((), [])


def test_a_log_without_a_header_is_put_aside(path: Path) -> None:
    killed(path)
    (log,) = logs(path)
    log.write_bytes(b"\0" * 300 + b"\n" + log.read_bytes())
    with GameStore(path, RULES) as store:
        store.lock()
        assert [kept.read_bytes()[:1] for kept in store.unrestored] == [b"\0"]
    assert logs(path) == []


def test_forgetting_a_name_keeps_a_log_that_could_not_be_restored(path: Path) -> None:
    path.parent.mkdir()
    RecoveryLog(path, header(names=((0, "Anna"),))).write(list(whole_game(new()).journal.entries[:4]))
    with GameStore(path, {}) as store:
        store.forget_name("Anna")
    with GameStore(path, RULES) as store:
        store.lock()
        assert [game.entries for game in store.list_games()] == [4]


KEEPS_OPEN = """
import sqlite3, sys
store = sqlite3.connect(sys.argv[1], isolation_level=None)
print(store.execute("SELECT count(*) FROM entries").fetchone(), flush=True)
input()
"""


def test_while_another_program_keeps_back_how_a_game_went_on_it_is_not_gone_on_with(
    path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """It keeps the store open whose -wal was deleted: so long nobody else can write it."""
    path.parent.mkdir()
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with child("store_child.py", path) as player:
        steps(player, 4)
        with running([sys.executable, "-c", KEEPS_OPEN, path], **pipes) as other:
            assert other.stdout is not None
            other.stdout.readline()
            player.kill()
            wal(path).unlink()
            with GameStore(path, RULES) as store:
                closed = pytest.raises(InputError, match=f"another program keeps {path} locked; close it")
                with closed, explain_store_errors(str(path)):
                    store.open_game(1)
                assert list(store.unrestored) == logs(path)
                assert "close the other program" in caplog.text
                assert "--salvage" not in caplog.text
                playing = Playing(store)
                playing.rule()
                assert playing.journal.trouble is not None
                assert playing.journal.trouble.key == "storage.locked"
                assert not playing.journal.close()
    with GameStore(path, RULES) as store:
        assert len(store.open_game(1).entries) == 4
        assert (store.unrestored, store.blocked, logs(path)) == ((), None, [])


# What another program puts on our tables --------------------------------------------------------------------

TRIGGER = "CREATE TRIGGER t AFTER INSERT ON entries BEGIN DELETE FROM entries WHERE seq = 0; END"
INDEXES = {
    "an index": "CREATE INDEX i ON entries (body)",
    "a unique index": "CREATE UNIQUE INDEX i ON entries (game)",
    "an index that computes": "CREATE INDEX i ON games (length(zeroblob(400000000)))",
    "a trigger": TRIGGER,
    "a trigger by another spelling": TRIGGER.replace("ON entries", 'ON "Entries"'),
    "a table": "CREATE TABLE notes (x)",
    "a column": "ALTER TABLE entries ADD COLUMN x",
    "statistics": "ANALYZE",
}


@pytest.mark.parametrize("put", INDEXES.values(), ids=INDEXES)
def test_what_another_program_puts_on_the_tables_does_not_close_the_store(path: Path, put: str) -> None:
    with GameStore(path, RULES) as store:
        saved(store, lambda journal: journal.append(new().observe(before_the_count()[0])))
        with closing(sqlite3.connect(path)) as other, suppress(sqlite3.DataError):
            other.execute(put)
        assert len(store.list_games()) == 1
        saved(store, started, language="de")
        assert [len(store.read_game(game.game)[1]) for game in store.list_games()] == [4, 1]


@pytest.mark.parametrize("put", ["CREATE INDEX i ON entries (body)", TRIGGER])
def test_what_another_program_puts_on_the_tables_in_mid_game_is_dropped_and_told(
    path: Path, put: str, caplog: pytest.LogCaptureFixture
) -> None:
    with GameStore(path, RULES) as store:
        playing = Playing(store)
        playing.step()
        with closing(sqlite3.connect(path)) as other:
            other.execute(put)
            playing.step()
            made = other.execute("SELECT count(*) FROM sqlite_master WHERE name IN ('i', 't')").fetchone()
            assert made == (0,)
        playing.assert_durable(path.parent.parent)
        assert playing.journal.close()
    assert caplog.text.count(f"Dropped what another program had put into {path}: {put}") == 1


def test_a_column_that_another_program_adds_stops_neither_saving_nor_restoring(path: Path) -> None:
    with GameStore(path, RULES) as store:
        playing = Playing(store)
        playing.step()
        with closing(sqlite3.connect(path)) as other:
            other.execute("ALTER TABLE entries ADD COLUMN x")
        playing.step()
        playing.assert_durable(path.parent.parent)
        assert playing.journal.close()
    left = path.parent.parent / "left" / path.name
    with closing(sqlite3.connect(left)) as other, other:
        other.execute("DELETE FROM games")
    with GameStore(left, RULES) as store:
        store.lock()
        assert store.unrestored == ()
        assert store.read_game(1)[1] == list(playing.journal.entries)


def test_a_store_that_another_program_emptied_and_analysed_is_an_empty_one(path: Path) -> None:
    with GameStore(path, RULES) as store:
        playing = Playing(store)
        playing.step()
        with closing(sqlite3.connect(path)) as other, closing(sqlite3.connect(":memory:")) as empty:
            empty.backup(other)
            other.execute("ANALYZE")
        for trouble in ("no such table: games", None):
            playing.journal.retry()
            playing.writer.report()
            assert (playing.journal.trouble and playing.journal.trouble.reason) == trouble
        playing.assert_durable(path.parent.parent)
        assert playing.journal.close()


def test_a_store_that_another_program_marks_as_newer_is_not_written_and_the_table_is_told(path: Path) -> None:
    """What is ruled meanwhile is announced as unsaved, and saved when the mark is gone."""
    with GameStore(path, RULES) as store:
        playing = Playing(store)
        playing.step()
        with closing(sqlite3.connect(path)) as other:
            other.execute("PRAGMA user_version = 7")
            other.execute("PRAGMA wal_checkpoint")
        wal(path).unlink()
        playing.look()
        assert playing.journal.trouble is not None
        assert "newer version" in playing.journal.trouble.reason
        with closing(sqlite3.connect(path)) as other:
            other.execute("PRAGMA user_version = 1")
        playing.look()
        playing.assert_durable(path.parent.parent)
        assert playing.journal.close()


# A damaged store --------------------------------------------------------------------------------------------


def cut_off(path: Path) -> None:
    with path.open("r+b") as stream:
        stream.truncate(path.stat().st_size // 2)


def spoil(path: Path, page: int, length: int = 4096) -> None:
    with path.open("r+b") as stream:
        stream.seek(page * 4096)
        stream.write(b"\xa5" * length)


def whole_game_of(journal: SqliteJournal) -> None:
    whole_game(new(journal))


def spoil_its_beginning(path: Path) -> None:
    spoil(path, 0)


def spoil_the_list_of_games(path: Path) -> None:
    spoil(path, 1)


def spoil_an_entry_page(path: Path) -> None:
    spoil(path, path.stat().st_size // 4096 - 1)


def test_a_store_of_another_program_beside_a_log_is_left_alone(path: Path) -> None:
    killed(path)
    with closing(sqlite3.connect(path)) as other:
        other.execute("CREATE TABLE notes (x)")
    before = path.read_bytes()
    with GameStore(path, RULES) as store:
        store.lock()
        assert store.damaged is None
    assert path.read_bytes() == before
    assert len(logs(path)) == 1


def test_a_store_whose_wal_was_cut_short_is_restored_from_the_log(path: Path) -> None:
    entries = killed(path)
    stored_elsewhere(path, entries)
    os.truncate(path, 4096)
    wal(path).write_bytes(bytes(100))
    with GameStore(path, RULES) as store:
        store.lock()
        assert [store.read_game(game.game)[1] for game in store.list_games()] == [entries]
        assert (store.unrestored, logs(path)) == ((), [])
        assert store.damaged is not None


def test_a_backup_that_is_put_beside_the_wal_of_a_killed_game_keeps_its_games(path: Path) -> None:
    with GameStore(path, RULES) as store:
        for _ in range(3):
            saved(store, whole_game_of)
        backup, before = path.read_bytes(), {game: store.read_game(game) for game in (1, 2, 3)}
        for _ in range(3):
            saved(store, whole_game_of, language="de")
        with closing(sqlite3.connect(path)) as other:
            other.execute("SELECT count(*) FROM entries").fetchone()
            saved(store, started, language="de")
            left = wal(path).read_bytes()
    for log in logs(path):
        log.unlink()
    entries, running = list(before[1][1][:4]), header(language="fr")
    RecoveryLog(path, running).write(entries, 8)
    path.write_bytes(backup)
    wal(path).write_bytes(left)
    with GameStore(path, RULES) as store:
        store.lock()
        assert store.damaged is not None
        assert {game: store.read_game(game) for game in (1, 2, 3)} == before
        (restored,) = (game for game, raw in store.raw_headers().items() if raw == header_line(running))
        assert store.read_game(restored) == (running, entries)


@pytest.mark.parametrize(
    ("damage", "keeps"),
    [
        (cut_off, False),
        (spoil_its_beginning, False),
        (spoil_the_list_of_games, False),
        (spoil_an_entry_page, True),
    ],
)
def test_a_damaged_store_is_put_aside_and_a_new_one_made_of_the_log_and_of_what_can_be_read(
    path: Path, damage: Callable[[Path], None], keeps: bool, caplog: pytest.LogCaptureFixture
) -> None:
    with GameStore(path, RULES) as store:
        finished = saved(store, whole_game_of)
        before = store.read_game(finished)
        for _ in range(20):
            saved(store, started, language="de")
    entries = list(before[1][:4])
    running = header(language="fr")
    RecoveryLog(path, running).write(entries)
    damage(path)
    spoiled = path.read_bytes()
    with GameStore(path, RULES) as store:
        store.lock()
        assert store.damaged == path.with_name("games.sqlite-damaged-1")
        assert store.damaged.read_bytes() == spoiled
        newest = store.list_games()[0].game
        assert store.read_game(newest) == (running, entries)
        if keeps:
            assert store.read_game(finished) == before
    assert logs(path) == []
    assert caplog.text.count(f"{path} was damaged: it is kept as {path}-damaged-1") == 1
    with closing(sqlite3.connect(path)) as whole:
        assert whole.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    with GameStore(path, RULES) as store:
        store.lock()
        assert store.damaged is None


def test_whoever_is_killed_while_a_damaged_store_is_put_aside_leaves_it_in_its_place(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(draft: Path, _: Path) -> Path:
        raise OSError(5, f"killed before {draft} was there")

    with GameStore(path, RULES) as store:
        finished = saved(store, whole_game_of)
        for _ in range(20):
            saved(store, started, language="de")
    spoil_an_entry_page(path)
    entries = list(whole_game(new()).journal.entries[:4])
    RecoveryLog(path, header(language="fr")).write(entries)
    with monkeypatch.context() as patch:
        patch.setattr(Path, "replace", fail)
        GameStore(path, RULES).replace_damaged()
        with GameStore(path, RULES) as store:
            store.lock()
            assert store.damaged is None
            assert path.exists()
    with GameStore(path, RULES) as store:
        store.lock()
        assert store.damaged is not None
        assert store.read_game(finished)[1][:4] == entries
        assert len(store.list_games()) > 10


FLIPPED = (
    b"SQLite format 3",
    b"CREATE TABLE games",
    b"tableentries",
    b"header BLOB",
    b"WITHOUT",
    b"KEY (game",
)


@pytest.mark.parametrize("flipped", FLIPPED)
@pytest.mark.parametrize("bit", [1, 0x80])
def test_a_flipped_bit_of_the_first_page_takes_no_game_away(path: Path, flipped: bytes, bit: int) -> None:
    """That page says what tables there are, and begins the file of every store with the same bytes."""
    with GameStore(path, RULES) as store:
        finished = saved(store, whole_game_of)
        before = store.read_game(finished)
    entries = list(before[1][:4])
    RecoveryLog(path, header(language="fr")).write(entries)
    raw = bytearray(path.read_bytes())
    raw[raw.index(flipped) + 2] ^= bit
    path.write_bytes(raw)
    with GameStore(path, RULES) as store:
        store.lock()
        assert [store.read_game(game.game)[1] for game in store.list_games()] == [entries, before[1]]
        assert store.list_games()[-1].outcome is not None
        assert (store.unrestored, logs(path)) == ((), [])


def test_of_a_store_whose_list_of_tables_is_damaged_each_game_can_be_saved(path: Path) -> None:
    with GameStore(path, RULES) as store:
        finished = saved(store, whole_game_of)
        before = store.read_game(finished)
        raw = path.read_bytes()
        path.write_bytes(raw.replace(b"CREATE TABLE games", b"CREATE TAILE games"))
        told = pytest.raises(InputError, match=r"its list of tables is damaged.*--salvage")
        with told, explain_store_errors(str(path)):
            store.list_games()
        assert store.salvage_game(finished) == before


def put_into_the_store(path: Path) -> None:
    """By the rules, so that what is done to the store next is not made good by the -wal."""
    with closing(sqlite3.connect(path)) as other:
        other.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()


def cut_off_after_a_page(path: Path) -> None:
    put_into_the_store(path)
    os.truncate(path, 4096)


def spoil_the_beginning_in_mid_game(path: Path) -> None:
    put_into_the_store(path)
    spoil(path, 0, 8192)


def spoil_the_tables(path: Path) -> None:
    put_into_the_store(path)
    spoil(path, 2, 8192)


def put_a_text_there(path: Path) -> None:
    path.rename(path.with_name("away"))
    path.write_text("a text", encoding="ascii")


def put_a_folder_there(path: Path) -> None:
    path.rename(path.with_name("away"))
    path.mkdir()


@pytest.mark.parametrize(
    "damage",
    [
        cut_off_after_a_page,
        spoil_the_beginning_in_mid_game,
        spoil_the_tables,
        put_a_text_there,
        put_a_folder_there,
    ],
)
def test_a_store_that_is_damaged_in_mid_game_is_put_aside_and_the_game_is_saved_again(
    path: Path, damage: Callable[[Path], None]
) -> None:
    with GameStore(path, RULES) as store:
        playing = Playing(store, replace_damaged=store.replace_damaged)
        playing.step()
        playing.step()
        damage(path)
        playing.step()
        assert store.damaged == path.with_name("games.sqlite-damaged-1")
        assert store.damaged.exists()
        playing.assert_durable(path.parent.parent)
        playing.step()
        assert playing.journal.rewrite_count == 1
        assert playing.journal.close()
        assert logs(path) == []
        (game,) = store.list_games()
        assert store.read_game(game.game)[1] == list(playing.journal.entries)


def test_while_the_store_takes_nothing_the_log_goes_on(path: Path) -> None:
    """As with another program's database in its place, which is left alone."""
    with GameStore(path, RULES) as store:
        playing = Playing(store, replace_damaged=store.replace_damaged)
        playing.step()
        path.rename(path.with_name("away"))
        with closing(sqlite3.connect(path)) as other:
            other.execute("CREATE TABLE notes (x)")
        for _ in range(2):
            playing.rule()
            assert playing.journal.trouble is not None
        entries = list(playing.journal.entries)
        assert not playing.journal.close()
        assert playing.journal.is_restorable
    path.unlink()
    with GameStore(path, RULES) as store:
        store.lock()
        assert [store.read_game(game.game)[1] for game in store.list_games()] == [entries]
