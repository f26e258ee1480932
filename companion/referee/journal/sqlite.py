"""Journal in SQLite, written by a dedicated thread.

The thread owns the connection. `append` and `flush` return at once; the thread commits whole steps, in order,
and counts the durable entries. When the storage fails, entries wait in memory; the connection is reopened and
the missing entries are written in order.

A connection keeps the files that it opened, whatever becomes of them: when another program deletes the
-wal, or puts another file in the place of the store, commits succeed and lead nowhere. So the thread looks
before and after each commit, and every few seconds, whether these are still the store's files, none has
become shorter, and the -wal was written by nobody but SQLite; and whenever another connection has committed
something, whether the game there is still its own. When that is not so, it opens the store again and writes
the whole game before anything else counts as durable. A damaged store is put aside first. What no look can
find is restored from `recovery_log`, which is written whether the store takes anything or not.
"""

from __future__ import annotations

import errno
import logging
import os
import sqlite3
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing, suppress
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Thread

from companion.core.actions import Outcome
from companion.core.events import Event
from companion.referee.journal.codec import entry_lines, header_line, outcome_line, strip_checksum
from companion.referee.journal.entry import Entry, Header, JournalError, StorageFailure
from companion.referee.journal.recovery_log import RecoveryLog
from companion.referee.journal.store_files import (
    STORE_SUFFIXES,
    StoreFiles,
    are_same_files,
    is_same_file,
    side_file,
    store_files,
)
from companion.system import safe_files
from companion.system.file_owner import is_there, make_folder, private_file
from companion.system.safe_files import SizeLimit, UnreadableFileError

APPLICATION_ID = 0x7AB1E
"""PRAGMA application_id, by which our databases are recognised."""
STORE_FORMAT = 1
"""Version of the tables (PRAGMA user_version), increased with every change; each game has its own format.

1 has the keys of `companion.programs.store_responder`; a store that no club asked for them stays at 0."""
TABLES = """
CREATE TABLE IF NOT EXISTS games (
  id INTEGER PRIMARY KEY, kind TEXT NOT NULL, header BLOB NOT NULL, entries INTEGER NOT NULL, outcome BLOB
);
CREATE TABLE IF NOT EXISTS entries (
  game INTEGER NOT NULL REFERENCES games, seq INTEGER NOT NULL, body BLOB NOT NULL, PRIMARY KEY (game, seq)
) WITHOUT ROWID;
"""
CREATE_KEY_TABLE = "CREATE TABLE IF NOT EXISTS identity (game INTEGER PRIMARY KEY, key BLOB NOT NULL)"
"""The table of `companion.programs.store_responder`, made when a club first asks."""
OUR_TABLES: Mapping[str, frozenset[str]] = {
    "games": frozenset({"id", "kind", "header", "entries", "outcome"}),
    "entries": frozenset({"game", "seq", "body"}),
    "identity": frozenset({"game", "key"}),
}
"""Our tables with their columns."""
RETRY_SECONDS = 2.0
BUSY_SECONDS = 1.0
"""How long a ruling waits for another program that is writing, before the table is told."""
log = logging.getLogger(__name__)
_READONLY = frozenset({errno.EROFS, errno.EACCES, errno.EPERM})

Commit = Callable[[sqlite3.Connection], None]


def commit(connection: sqlite3.Connection) -> None:
    """Make the open transaction durable."""
    connection.execute("COMMIT")


class WriterTicket:
    """Tells when entry `seq` of a journal is durable."""

    __slots__ = ("_journal", "_seq")

    def __init__(self, journal: SqliteJournal, seq: int) -> None:
        self._journal = journal
        self._seq = seq

    @property
    def durable(self) -> bool:
        return self._journal.saved > self._seq

    @property
    def announceable(self) -> bool:
        return self.durable or (self._journal.trouble is not None and self._journal.logged > self._seq)


class SqliteJournal:
    """A stored game; created by `store.GameStore`."""

    def __init__(
        self,
        path: Path,
        header: Header,
        entries: Iterable[Entry[Event]] = (),
        *,
        game: int | None = None,
        rewrite: bool = False,
        commit: Commit = commit,
        wake: Callable[[], None] | None = None,
        replace_damaged: Callable[[], bool] = lambda: False,
        retry_seconds: float = RETRY_SECONDS,
    ) -> None:
        """`replace_damaged` puts a damaged store aside, and says whether it did."""
        self.header = header
        self.game = game
        """The game's number in its store; None until it is written."""
        self.saved = 0 if game is None or rewrite else len(entries := list(entries))
        """Number of durable entries: in the store and in the recovery log; changed by the writer only."""
        self._stored = self.saved
        """Number of entries in the store."""
        self.logged = 0
        """Number of entries that the recovery log has, or refused, when the store was last in trouble."""
        self.rewrite_count = 0
        """How many times the game was written again because another program had changed the store."""
        self.trouble: StorageFailure | None = None
        self._entries = list(entries)
        self._flushed = self.saved
        self._outcome: Outcome | None = None
        self._path = path
        self._rewrite = rewrite
        self._commit = commit
        self._wake = wake
        self._replace_damaged = replace_damaged
        self._retry_seconds = retry_seconds
        self._recovery = RecoveryLog(path, header)
        self._connection: sqlite3.Connection | None = None
        self._files: StoreFiles = (None,) * len(STORE_SUFFIXES)
        """Those that the connection was opened with, as long as they were after its last commit."""
        self._newest: bytes | None = None
        """The newest entry as it was written; None: nothing was written yet."""
        self._version: int | None = None
        """SQLite's `data_version` when the stored game was last known to be ours; None: not yet."""
        self._steps: SimpleQueue[tuple[int, Outcome | None] | None] = SimpleQueue()
        self._writer = Thread(target=self._write_steps, name="journal writer", daemon=True)
        self._writer.start()

    # The main thread's side ---------------------------------------------------------------------------------

    @property
    def entries(self) -> Sequence[Entry[Event]]:
        return self._entries

    def append(self, entry: Entry[Event], outcome: Outcome | None = None) -> WriterTicket:
        """Append the next entry, to be written at the next `flush`."""
        assert entry.seq == len(self._entries)
        self._entries.append(entry)
        self._outcome = outcome
        return WriterTicket(self, entry.seq)

    def flush(self) -> None:
        """End the step: the entries since the last flush become one transaction."""
        if self._flushed < len(self._entries):
            self._flushed = len(self._entries)
            self._steps.put((self._flushed, self._outcome))

    @property
    def is_restorable(self) -> bool:
        """Whether the next program that locks the store can restore the whole game, saved or not."""
        return self._recovery.count == len(self._entries)

    @property
    def is_in_store(self) -> bool:
        """Whether the store has every entry, though the recovery log may not."""
        return self._stored == len(self._entries)

    def discard(self) -> None:
        """Leave no recovery log: the game, which was closed, was refused."""
        self._recovery.delete()

    def retry(self) -> None:
        """Try to write waiting entries now instead of at the next attempt."""
        self._steps.put((self._flushed, self._outcome))

    def close(self, timeout: float = 30.0) -> bool:
        """Write what is left, for `timeout` seconds at most, and end the thread; whether all is saved."""
        self.flush()
        self._steps.put(None)
        self._writer.join(timeout)
        return self.saved == len(self._entries)

    # The writer's side --------------------------------------------------------------------------------------

    def _write_steps(self) -> None:
        upto, outcome, closing = self.saved, None, False
        if self._rewrite:
            upto = len(self._entries)
            self._try_to_write(upto, outcome)
        while not closing:
            with suppress(Empty):
                step = self._steps.get(timeout=self._retry_seconds)
                while True:  # steps that waited for a slow commit share the next
                    if step is None:
                        closing = True
                        break
                    upto, outcome = step
                    step = self._steps.get_nowait()
            if self.saved < upto or self._is_in_doubt():
                self._try_to_write(upto, outcome)
        self._disconnect()
        if self.saved == len(self._entries) and self._is_stored():
            self._recovery.delete()

    def _try_to_write(self, upto: int, outcome: Outcome | None) -> None:
        if self.trouble is not None:
            self._write_recovery_log(upto)
        try:
            if not any(self._write_where_possible(upto, outcome) for _ in range(2)):
                raise OSError(errno.ESTALE, "another program keeps replacing the store")  # noqa: TRY301
            self.trouble = None
        except (sqlite3.Error, OSError, JournalError) as error:
            self.trouble = storage_failure_of(error, self._path)
            self._disconnect()
        except Exception as error:  # while the writer lives, everything can still be saved
            if self.trouble is None:
                log.exception("Writing into %s failed", self._path)
            self.trouble = StorageFailure("storage.lost", str(error))
            self._disconnect()
        if self.trouble is not None:
            self._write_recovery_log(upto)
        if self._wake is not None:
            self._wake()

    def _write_recovery_log(self, upto: int) -> None:
        """Have all entries before `upto` in the recovery log, if it takes them, whatever the store does."""
        with suppress(OSError):
            self._recovery.write(self._entries[:upto], self.game)
        self.logged = upto

    def _write_where_possible(self, upto: int, outcome: Outcome | None) -> bool:
        """The same as `_write`; False, too, if a damaged store was put aside."""
        try:
            return self._write(upto, outcome)
        except sqlite3.OperationalError:
            raise  # locked, full, or gone: not damaged
        except (sqlite3.DatabaseError, JournalError, UnreadableFileError, UnicodeDecodeError):
            self._disconnect()
            if not self._replace_damaged():
                raise
            self._stored = self.saved = 0
            return False

    def _write(self, upto: int, outcome: Outcome | None) -> bool:
        """Commit all entries before `upto`; whether the store still has the files that they went to."""
        if self._is_replaced() or self._is_overwritten():
            self._disconnect(overwritten=True)
        connection = self._connection or self._open_connection()
        connection.execute(f"PRAGMA busy_timeout = {self._busy_seconds * 1000:.0f}")
        connection.execute("BEGIN IMMEDIATE")
        version = _data_version(connection)
        if version != self._version:
            drop_foreign_schema(connection, self._path)
        game, stored = self._find_or_insert_game(connection, version)
        connection.execute("DELETE FROM entries WHERE game = ? AND seq >= ?", (game, stored))
        new = self._entries[stored:upto]
        newest = self._newest if stored else None
        lines = list(entry_lines(self.header, new, newest or header_line(self.header)))
        connection.executemany(
            "INSERT INTO entries (game, seq, body) VALUES (?, ?, ?)",
            ((game, entry.seq, line) for entry, line in zip(new, lines, strict=True)),
        )
        newest = lines[-1] if lines else newest
        ended = outcome_line(self.header, outcome, newest or header_line(self.header))
        connection.execute(
            "UPDATE games SET kind = ?, header = ?, entries = ?, outcome = ? WHERE id = ?",
            (self.header.kind, header_line(self.header), upto, ended, game),
        )
        self._commit(connection)
        found = store_files(self._path)
        if not are_same_files(self._files, found):
            return False
        self._files, self._version = found, version
        if self.game is not None and not stored and not self._rewrite:
            log.warning("Another program changed %s: wrote all %d rulings again", self._path, upto)
            self.rewrite_count += 1
        self._newest = newest
        self.game, self._rewrite, self._stored = game, False, upto
        self._recovery.write(self._entries[:upto], self.game)
        self.saved = upto  # last: what counts as durable is announced
        return True

    @property
    def _busy_seconds(self) -> float:
        """How long to wait for another program: once the table was told, no ruling waits any more."""
        return BUSY_SECONDS if self.trouble is None else 0.0

    def _open_connection(self) -> sqlite3.Connection:
        """Open the store; raises `OSError` if this process would share a -shm that is deleted."""
        if self.game is None:
            make_folder(self._path.parent)
        self._connection = connection = connect(self._path, self._busy_seconds)
        self._files, self._version = store_files(self._path), None
        (mode,) = connection.execute("PRAGMA journal_mode").fetchone()
        if mode == "wal" and (None in self._files or _has_deleted_shm(self._path)):
            raise OSError(errno.ESTALE, "the store's files were deleted while they were being read")
        return connection

    def _find_or_insert_game(self, connection: sqlite3.Connection, version: int) -> tuple[int, int]:
        """The game's number, and how many of its entries are stored as they were; inserts a missing row."""
        if self.game is not None:
            row = connection.execute(
                "SELECT CAST(header AS BLOB), entries FROM games WHERE id = ?", (self.game,)
            ).fetchone()
            if row is not None and self._rewrite:
                return self.game, 0
            if row is not None and row[0] == header_line(self.header):
                if version == self._version or (row[1] == self._stored and self._has_stored(connection)):
                    return self.game, self._stored
                if self._has_first(connection):
                    return self.game, 0
        made = connection.execute(
            "INSERT INTO games (kind, header, entries) VALUES (?, ?, 0)",
            (self.header.kind, header_line(self.header)),
        )
        assert made.lastrowid is not None
        return made.lastrowid, 0

    def _is_stored(self) -> bool:
        """Whether a new connection finds the game, and no other can change that: it would keep the -wal."""
        if self.game is None or side_file(self._path, "-wal").exists():
            return False
        try:
            with closing(sqlite3.connect(f"{self._path.absolute().as_uri()}?mode=rw", uri=True)) as found:
                harden_connection(found)
                game = "SELECT CAST(header AS BLOB), entries FROM games WHERE id = ?"
                row = found.execute(game, (self.game,)).fetchone()
                return row == (header_line(self.header), self._stored) and self._has_stored(found)
        except sqlite3.Error:
            return False

    def _has_stored(self, connection: sqlite3.Connection) -> bool:
        """Whether the entries in the store are those that this journal wrote."""
        rows = connection.execute(
            "SELECT seq, CAST(body AS BLOB) FROM entries WHERE game = ? ORDER BY seq", (self.game,)
        )
        before, found = header_line(self.header), 0
        for seq, line in rows:
            if seq != found or (self.header.has_chain and strip_checksum(line, before) is None):
                return False
            before, found = line, found + 1
        if self._newest is None:  # a game that was resumed
            self._newest = before
        return found == self._stored and before == self._newest

    def _has_first(self, connection: sqlite3.Connection) -> bool:
        """Whether the first entry in the store, if any, is this journal's: two games may have one header."""
        first = "SELECT CAST(body AS BLOB) FROM entries WHERE game = ? AND seq = 0"
        stored = connection.execute(first, (self.game,)).fetchone()
        ours = entry_lines(self.header, self._entries[:1], header_line(self.header))
        return stored is None or stored[0] == next(ours, None)

    def _is_in_doubt(self) -> bool:
        """Whether what counts as durable may be so no more."""
        if self._connection is None:
            return self.trouble is not None
        try:
            return (
                self._is_replaced()
                or self._is_overwritten()
                or self._is_changed(self._connection)
                or self._recovery.is_changed()
            )
        except sqlite3.Error:
            return True  # trying to write will tell why

    def _is_changed(self, connection: sqlite3.Connection) -> bool:
        """Whether another connection has committed something since this one did."""
        return self._version is not None and _data_version(connection) != self._version

    def _is_overwritten(self) -> bool:
        """Whether the -wal was written to, and nobody has committed anything: it was not SQLite."""
        known, now, connection = self._files[1], store_files(self._path)[1], self._connection
        if connection is None or self._version is None or known is None or now is None:
            return False
        return known.written != now.written and not self._is_changed(connection)

    def _is_replaced(self) -> bool:
        """Whether the store has other files now than the connection, or shorter ones.

        SQLite does not look whether the -wal still has what was written to it. Another program may also
        shorten files by the rules (VACUUM, a checkpoint); to write the game again does no harm then.
        """
        return self._connection is not None and not are_same_files(self._files, store_files(self._path))

    def _disconnect(self, *, overwritten: bool = False) -> None:
        """Close the connection; an open transaction is rolled back. `overwritten`: the -wal is not ours."""
        connection, self._connection = self._connection, None
        if connection is None:
            return
        with suppress(sqlite3.Error):
            connection.rollback()
        now = store_files(self._path)
        replaced = overwritten or not are_same_files(self._files, now)
        if replaced:
            self._stored = self.saved = 0
        if not is_same_file(self._files[0], now[0]):  # the file there now would be read with our -wal
            with suppress(sqlite3.Error):
                connection.execute("PRAGMA wal_checkpoint").fetchall()
            for suffix, ours, found in zip(STORE_SUFFIXES[1:], self._files[1:], now[1:], strict=True):
                if ours is not None and is_same_file(ours, found):
                    with suppress(OSError):
                        side_file(self._path, suffix).unlink()
        elif replaced:
            # Closing would write what is left in our -wal over what others made of the store since.
            connection.interrupt()
        with suppress(sqlite3.Error):
            connection.close()


def connect(path: Path, busy_seconds: float = BUSY_SECONDS) -> sqlite3.Connection:
    """A writable connection to the store at `path`, which is created if missing."""
    with suppress(FileNotFoundError):
        safe_files.stat_regular_file(path)
    with private_file(path):
        connection = sqlite3.connect(path, timeout=busy_seconds, isolation_level=None)
    try:
        harden_connection(connection)
        empty = is_empty_store(connection)
        if not empty:
            _check_owner(connection, path)
            drop_foreign_schema(connection, path)
            if _application_id(connection) != APPLICATION_ID:
                connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
        if empty:  # in one transaction: after a power failure, all or nothing
            made = f"BEGIN IMMEDIATE; PRAGMA application_id = {APPLICATION_ID}; {TABLES} COMMIT;"
            connection.executescript(made)
        else:
            is_empty_store(connection)  # reading makes the -wal, if the store was not in WAL mode before
    except BaseException:
        connection.close()
        raise
    return connection


def harden_connection(connection: sqlite3.Connection) -> None:
    """Limit the size of values, and forbid names in the database to run code."""
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, SizeLimit.JOURNAL)
    connection.execute("PRAGMA trusted_schema = OFF")


def is_empty_store(connection: sqlite3.Connection) -> bool:
    """Whether nobody has made a table there; SQLite's own, such as ANALYZE makes, are none."""
    (made,) = connection.execute(
        "SELECT count(*) FROM sqlite_master WHERE name NOT GLOB 'sqlite_*'"
    ).fetchone()
    return not made


def is_our_store(connection: sqlite3.Connection) -> bool:
    """Whether the database has our tables, and what is called like them is such a table.

    A view in place of a table or a computed column would run code when it is read. What else a program has
    put into the database does nothing then. Our application id is not asked for: `sqlite3 .dump`, by which
    people repair a database, leaves it out.
    """
    held = connection.execute("SELECT type, lower(name), sql FROM sqlite_master").fetchall()
    ours = {name: (kind, str(made)) for kind, name, made in held if kind != "trigger" and name in OUR_TABLES}
    return ours.keys() >= {"games", "entries"} and all(
        kind == "table"
        and made.startswith("CREATE TABLE ")
        and made.endswith("WITHOUT ROWID") == (name == "entries")
        and _has_plain_columns(connection, name)
        for name, (kind, made) in ours.items()
    )


def _has_plain_columns(connection: sqlite3.Connection, table: str) -> bool:
    """Whether one of our tables has its columns, and none that is computed."""
    columns = connection.execute(f"PRAGMA table_xinfo({table})").fetchall()
    return OUR_TABLES[table] <= {column[1] for column in columns} and not any(
        column[-1] for column in columns
    )


def drop_foreign_schema(connection: sqlite3.Connection, path: Path) -> None:
    """Drop another program's triggers and indexes on our tables, which change or refuse what is written."""
    rows = connection.execute("SELECT type, name, lower(tbl_name), sql FROM sqlite_master WHERE sql NOT NULL")
    for kind, name, table, made in rows.fetchall():
        if kind in {"trigger", "index"} and table in OUR_TABLES:
            quoted = name.replace('"', '""')
            connection.execute(f'DROP {kind} "{quoted}"')
            log.warning("Dropped what another program had put into %s: %s", path, made)


def check_format(connection: sqlite3.Connection, path: Path) -> None:
    """Raise `JournalError` where a newer version has changed the tables: such a store is not foreign."""
    (stored,) = connection.execute("PRAGMA user_version").fetchone()
    if _application_id(connection) == APPLICATION_ID and stored > STORE_FORMAT:
        raise JournalError(
            "newer", f"{path} was saved by a newer version: store {stored}; this program knows {STORE_FORMAT}"
        )


def _check_owner(connection: sqlite3.Connection, path: Path) -> None:
    check_format(connection, path)
    if not is_our_store(connection):
        raise JournalError("foreign_store", f"{path} is a database of another program")


def is_locked(error: BaseException) -> bool:
    """Whether nothing helps but that another program ends.

    SQLite waited in vain for it; or it keeps the store open, of which the -wal was deleted, and so long
    SQLite looks there for what the -shm says.
    """
    code = getattr(error, "sqlite_errorcode", 0)
    return (
        code & 0xFF in {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED} or code == sqlite3.SQLITE_IOERR_SHORT_READ
    )


def is_full(error: BaseException) -> bool:
    """Whether the disk has no room; of a -shm that finds none SQLite says no more than "I/O error"."""
    number = error.errno if isinstance(error, OSError) else None
    code = getattr(error, "sqlite_errorcode", None)
    full = {sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR_SHMSIZE}
    return number in {errno.ENOSPC, errno.EDQUOT} or code in full


def storage_failure_of(error: Exception, path: Path | None = None) -> StorageFailure:
    """The reason for a storage failure, as a catalogue key."""
    code = getattr(error, "sqlite_errorcode", None)
    number = error.errno if isinstance(error, OSError) else None
    reason = (error.strerror if isinstance(error, OSError) else "") or str(error)
    if is_locked(error):
        return StorageFailure("storage.locked", reason)
    if is_full(error):
        return StorageFailure("storage.full", reason)
    if (code is not None and code & 0xFF == sqlite3.SQLITE_READONLY) or number in _READONLY:
        return StorageFailure("storage.readonly", reason)
    if code == sqlite3.SQLITE_CANTOPEN and path is not None and _is_readonly(path):
        return StorageFailure("storage.readonly", reason)  # SQLite cannot create its -shm, and says no more
    return StorageFailure("storage.lost", reason)


def _is_readonly(path: Path) -> bool:
    """Whether the file exists and is read-only."""
    return is_there(path) and not (os.access(path, os.W_OK) and os.access(path.parent, os.W_OK))


def _application_id(connection: sqlite3.Connection) -> int:
    (owner,) = connection.execute("PRAGMA application_id").fetchone()
    return int(owner)


def _data_version(connection: sqlite3.Connection) -> int:
    """A number that changes whenever another connection commits something."""
    (version,) = connection.execute("PRAGMA data_version").fetchone()
    return int(version)


def _has_deleted_shm(path: Path) -> bool:
    """Whether a connection of this process, which a new one would join, has a -shm that nobody else finds."""
    try:
        mapped = Path("/proc/self/maps").read_text(encoding="utf-8", errors="surrogateescape")
    except OSError:
        return False  # not Linux
    return f"{side_file(path, '-shm')} (deleted)\n" in mapped
