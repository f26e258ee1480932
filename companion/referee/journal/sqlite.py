"""A journal on disk: SQLite, written by one thread that does nothing else.

The connection lives in that thread. `append` and `flush` return at once; the thread commits whole steps, in
order, and counts what is durable. When the storage fails, entries wait in memory, the connection is opened
anew and whatever is missing is written, in order.
"""

from __future__ import annotations

import errno
import logging
import os
import sqlite3
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Thread

import msgspec

from companion.core import strangers
from companion.core.actions import Outcome
from companion.core.events import Event
from companion.core.strangers import Most
from companion.referee.journal.codec import encoded
from companion.referee.journal.entry import Entry, Header, JournalError, Trouble
from companion.referee.owners import make_folder, private

APPLICATION_ID = 0x7AB1E
"""Written into the file's head (PRAGMA application_id), so that a foreign database is known."""
TABLES = """
CREATE TABLE IF NOT EXISTS games (
  id INTEGER PRIMARY KEY, kind TEXT NOT NULL, header BLOB NOT NULL, entries INTEGER NOT NULL, outcome BLOB
);
CREATE TABLE IF NOT EXISTS entries (
  game INTEGER NOT NULL REFERENCES games, seq INTEGER NOT NULL, body BLOB NOT NULL, PRIMARY KEY (game, seq)
) WITHOUT ROWID;
"""
OUR_TABLES = frozenset({("table", "games"), ("table", "entries")})
RETRY_SECONDS = 2.0
log = logging.getLogger(__name__)
_READONLY = frozenset({errno.EROFS, errno.EACCES, errno.EPERM})

Commit = Callable[[sqlite3.Connection], None]


def commit(connection: sqlite3.Connection) -> None:
    """Make the open transaction durable."""
    connection.execute("COMMIT")


class WriterTicket:
    """A promise about entry `seq` of a journal that is being written."""

    __slots__ = ("_journal", "_seq")

    def __init__(self, journal: SqliteJournal, seq: int) -> None:
        self._journal = journal
        self._seq = seq

    @property
    def durable(self) -> bool:
        return self._journal.saved > self._seq


class SqliteJournal:
    """A game in a store; `store.Store` makes these."""

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
        retry_seconds: float = RETRY_SECONDS,
    ) -> None:
        self.header = header
        self.game = game
        """The game's number in its store, once it is written."""
        self.saved = 0 if game is None or rewrite else len(entries := list(entries))
        """How many entries are durable; only the writer changes it."""
        self.trouble: Trouble | None = None
        self._entries = list(entries)
        self._flushed = self.saved
        self._outcome: Outcome | None = None
        self._path = path
        self._rewrite = rewrite
        self._commit = commit
        self._wake = wake
        self._retry_seconds = retry_seconds
        self._connection: sqlite3.Connection | None = None
        self._file: tuple[int, int] | None = None
        self._steps: SimpleQueue[tuple[int, Outcome | None] | None] = SimpleQueue()
        self._writer = Thread(target=self._write_steps, name="journal writer", daemon=True)
        self._writer.start()

    # The main thread's side ---------------------------------------------------------------------------------

    @property
    def entries(self) -> Sequence[Entry[Event]]:
        return self._entries

    def append(self, entry: Entry[Event], outcome: Outcome | None = None) -> WriterTicket:
        """Take the next entry; it is written when the step ends (`flush`)."""
        assert entry.seq == len(self._entries)
        self._entries.append(entry)
        self._outcome = outcome
        return WriterTicket(self, entry.seq)

    def flush(self) -> None:
        """End the step: what was appended since the last flush is one transaction."""
        if self._flushed < len(self._entries):
            self._flushed = len(self._entries)
            self._steps.put((self._flushed, self._outcome))

    def retry(self) -> None:
        """Try at once to write what waits, instead of at the next turn."""
        self._steps.put((self._flushed, self._outcome))

    def close(self, timeout: float = 30.0) -> bool:
        """Write what is left and end the writer; whether everything is saved."""
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
                step = self._steps.get(timeout=self._retry_seconds if self.trouble else None)
                while True:  # steps that queued up behind a slow commit share the next one
                    if step is None:
                        closing = True
                        break
                    upto, outcome = step
                    step = self._steps.get_nowait()
            if self.saved < upto:
                self._try_to_write(upto, outcome)
        if self._connection is not None:
            self._connection.close()

    def _try_to_write(self, upto: int, outcome: Outcome | None) -> None:
        try:
            self._write(upto, outcome)
            self.trouble = None
        except (sqlite3.Error, OSError, JournalError) as error:
            self.trouble = trouble_of(error, self._path)
            self._let_go()
        except Exception as error:  # the writer must live: while it does, everything may still be saved
            if self.trouble is None:
                log.exception("Writing into %s failed", self._path)
            self.trouble = Trouble("storage.lost", str(error))
            self._let_go()
        if self._wake is not None:
            self._wake()

    def _write(self, upto: int, outcome: Outcome | None) -> None:
        if self._connection is not None and self._file != _file(self._path):
            self._let_go()  # the file was replaced or its disk removed: what was saved there is gone
        connection, stored = (self._connection, self.saved) if self._connection else self._attach()
        connection.execute("BEGIN IMMEDIATE")
        if self._rewrite:
            connection.execute("DELETE FROM entries WHERE game = ?", (self.game,))
            connection.execute("UPDATE games SET header = ? WHERE id = ?", (encoded(self.header), self.game))
            stored = 0
        game = self._row(connection)
        connection.executemany(
            "INSERT INTO entries VALUES (?, ?, ?)",
            ((game, entry.seq, encoded(entry)) for entry in self._entries[stored:upto]),
        )
        connection.execute(
            "UPDATE games SET entries = ?, outcome = ? WHERE id = ?",
            (upto, None if outcome is None else msgspec.json.encode(outcome), game),
        )
        self._commit(connection)
        self.game, self._rewrite, self.saved = game, False, upto

    def _attach(self) -> tuple[sqlite3.Connection, int]:
        """The open store, and how much of this game it holds."""
        if self.game is None:
            make_folder(self._path.parent)
        connection = connect(self._path)
        self._connection, self._file = connection, _file(self._path)
        if self.game is None:
            return connection, 0
        row = connection.execute(
            "SELECT CAST(header AS BLOB) FROM games WHERE id = ?", (self.game,)
        ).fetchone()
        if row is None or (row[0] != encoded(self.header) and not self._rewrite):
            self.game = None  # another file lies there now: the game is written into it whole
            return connection, 0
        (stored,) = connection.execute("SELECT count(*) FROM entries WHERE game = ?", (self.game,)).fetchone()
        return connection, stored

    def _row(self, connection: sqlite3.Connection) -> int:
        """The game's number, given when its first step is written."""
        if self.game is not None:
            return self.game
        made = connection.execute(
            "INSERT INTO games (kind, header, entries) VALUES (?, ?, 0)",
            (self.header.kind, encoded(self.header)),
        )
        assert made.lastrowid is not None
        return made.lastrowid

    def _let_go(self) -> None:
        """Close a connection that failed; its open transaction is rolled back."""
        if self._connection is not None:
            with suppress(sqlite3.Error):
                self._connection.close()
        self._connection = None


def connect(path: Path) -> sqlite3.Connection:
    """The store at `path`, made if there is none, ready to be written."""
    with suppress(FileNotFoundError):
        strangers.checked(path)
    with private(path):
        connection = sqlite3.connect(path, isolation_level=None)
    try:
        bound(connection)
        (tables,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
        if tables:
            _check_owner(connection, path)
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
        if not tables:  # in one transaction: a power cut leaves an empty file or a whole store
            made = f"BEGIN IMMEDIATE; PRAGMA application_id = {APPLICATION_ID}; {TABLES} COMMIT;"
            connection.executescript(made)
    except BaseException:
        connection.close()
        raise
    return connection


def bound(connection: sqlite3.Connection) -> None:
    """No value of the database becomes larger than a journal may be, and no name in it runs."""
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, Most.JOURNAL)
    connection.execute("PRAGMA trusted_schema = OFF")


def is_store(connection: sqlite3.Connection) -> bool:
    """Whether it calls itself ours and holds our tables alone.

    A view in a table's place, a trigger or a computed column is a program that runs when it is looked at.
    """
    (owner,) = connection.execute("PRAGMA application_id").fetchone()
    held = connection.execute("SELECT type, name, sql FROM sqlite_master")
    return owner == APPLICATION_ID and all(
        (kind, name) in OUR_TABLES
        and str(made).startswith("CREATE TABLE ")
        and not any(column[-1] for column in connection.execute(f"PRAGMA table_xinfo({name})"))
        for kind, name, made in held.fetchall()
        if not str(name).startswith("sqlite_")
    )


def _check_owner(connection: sqlite3.Connection, path: Path) -> None:
    if not is_store(connection):
        raise JournalError("foreign_store", f"{path} is a database of another program")


def trouble_of(error: Exception, path: Path | None = None) -> Trouble:
    """Why the storage at `path` fails, as a sentence for the screen."""
    code = getattr(error, "sqlite_errorcode", None)
    number = error.errno if isinstance(error, OSError) else None
    reason = (error.strerror if isinstance(error, OSError) else "") or str(error)
    if code == sqlite3.SQLITE_FULL or number in {errno.ENOSPC, errno.EDQUOT}:
        return Trouble("storage.full", reason)
    if (code is not None and code & 0xFF == sqlite3.SQLITE_READONLY) or number in _READONLY:
        return Trouble("storage.readonly", reason)
    if code == sqlite3.SQLITE_CANTOPEN and path is not None and _is_readonly(path):
        return Trouble("storage.readonly", reason)  # SQLite finds no room for its -shm and says no more
    return Trouble("storage.lost", reason)


def _is_readonly(path: Path) -> bool:
    """Whether the file is there and may only be read."""
    return path.exists() and not (os.access(path, os.W_OK) and os.access(path.parent, os.W_OK))


def _file(path: Path) -> tuple[int, int]:
    found = os.stat(path)  # noqa: PTH116 - one call per commit
    return found.st_dev, found.st_ino
