"""A damaged store, put aside: what can still be read of it goes into a new one in its place."""

from __future__ import annotations

import secrets
import sqlite3
import stat
from contextlib import closing, suppress
from itertools import count
from pathlib import Path
from typing import Any

from companion.referee.journal import copying
from companion.referee.journal.entry import JournalError
from companion.referee.journal.read_only import MAGIC, SIDE_SUFFIXES, open_read_only
from companion.referee.journal.sqlite import (
    CREATE_KEY_TABLE,
    STORE_FORMAT,
    connect,
    harden_connection,
    is_our_store,
)
from companion.referee.journal.store_files import side_file
from companion.system import safe_files
from companion.system.file_owner import is_there

DAMAGED_SUFFIX = "-damaged-"
"""What follows the store's name in that of a damaged one, before a number."""


def replace_damaged_store(path: Path) -> Path | None:
    """Put the store aside if it is damaged; where it is kept now. For the process that has its lock.

    One that another program or a newer version made is left alone. Raises `OSError`, `sqlite3.Error` or
    `JournalError`, with the store still in its place.
    """
    if not is_there(path) or not _is_damaged(path):
        return None
    store, draft = path.resolve(), side_file(path, f"-draft-{secrets.token_hex(4)}")
    kept = next(
        one for one in (side_file(path, f"{DAMAGED_SUFFIX}{n}") for n in count(1)) if not one.exists()
    )
    try:
        with closing(connect(draft)) as made:
            _copy_what_is_left(path, made)
        for suffix in ("", *SIDE_SUFFIXES):
            with suppress(FileNotFoundError):
                _keep(side_file(path, suffix), side_file(kept, suffix))
        for suffix in (*SIDE_SUFFIXES, "-shm"):  # what the new store would be read with
            side_file(path, suffix).unlink(missing_ok=True)
        draft.replace(store)
    finally:
        draft.unlink(missing_ok=True)
    safe_files.sync_to_disk(store.parent)
    return kept


def has_second_name(path: Path) -> bool:
    """Whether the store has another hard link, by which another program would keep another -wal of it.

    One of ours, left by whoever was killed while a damaged store was put aside, is none.
    """
    beside = side_file(path, DAMAGED_SUFFIX)
    try:
        found = path.stat()
        kept = sum(one.samefile(path) for one in beside.parent.glob(f"{beside.name}*"))
    except OSError:
        return False
    return stat.S_ISREG(found.st_mode) and found.st_nlink > 1 + kept


def _keep(file: Path, kept: Path) -> None:
    """Give the file a second name: until another takes its place, whoever is killed leaves it where it is.

    A folder, or a file on a disk without links, is moved.
    """
    try:
        kept.hardlink_to(file)
    except OSError:
        file.rename(kept)


def _is_damaged(path: Path) -> bool:
    if path.is_dir():
        return True
    try:
        with closing(open_read_only(path)) as reader:
            (found,) = reader.execute("PRAGMA quick_check(1)").fetchone()
            return str(found) != "ok"
    except JournalError as error:
        begins = copying.read_head(path, len(MAGIC), plays=True)
        return error.key == "cut_off" or (error.key == "foreign_store" and begins != MAGIC)
    except sqlite3.OperationalError:
        return False  # locked, or its disk is gone
    except sqlite3.DatabaseError:
        return True


def _copy_what_is_left(path: Path, made: sqlite3.Connection) -> None:
    """Copy the rows that can be read: a game of which some cannot is still found, as a damaged one."""
    try:
        reader = open_read_only(path, what_is_left=True)
    except (JournalError, sqlite3.DatabaseError, OSError):
        return  # its first page is gone: nothing says where anything is
    with closing(reader):
        keys = _readable_rows(reader, "SELECT game, key FROM identity")
        made.execute("BEGIN IMMEDIATE")
        if keys:
            made.execute(CREATE_KEY_TABLE)
            made.execute(f"PRAGMA user_version = {STORE_FORMAT}")
            made.executemany("INSERT OR IGNORE INTO identity VALUES (?, ?)", keys)
        _copy_games(reader, made)
    with suppress(sqlite3.Error, UnicodeDecodeError), closing(_open_without_wal(path)) as alone:
        if is_our_store(alone):
            _copy_games(alone, made)
    made.execute("COMMIT")


def _open_without_wal(path: Path) -> sqlite3.Connection:
    """The store as its file alone has it: a backup may have been put beside a -wal that is not its own."""
    alone = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro&immutable=1", uri=True)
    harden_connection(alone)
    return alone


def _copy_games(reader: sqlite3.Connection, made: sqlite3.Connection) -> None:
    """Copy the games that can be read, and of those that are there already the entries that lack."""
    games = "SELECT id, kind, CAST(header AS BLOB), entries, CAST(outcome AS BLOB) FROM games"
    entries = "SELECT seq, CAST(body AS BLOB) FROM entries WHERE game = ?"
    for game in _readable_rows(reader, games):
        made.execute("INSERT OR IGNORE INTO games VALUES (?, ?, ?, ?, ?)", game)
        if made.execute("SELECT header FROM games WHERE id = ?", game[:1]).fetchone() == game[2:3]:
            rows = ((game[0], *row) for row in _readable_rows(reader, entries, game[0]))
            made.executemany("INSERT OR IGNORE INTO entries VALUES (?, ?, ?)", rows)


def _readable_rows(reader: sqlite3.Connection, select: str, *parameters: int) -> list[tuple[Any, ...]]:
    """The rows from both ends, up to those that cannot be read; the first column is their key."""
    found: dict[int, tuple[Any, ...]] = {}
    for order in ("ASC", "DESC"):
        with suppress(sqlite3.Error):
            for row in reader.execute(f"{select} ORDER BY 1 {order}", parameters):
                if row[0] in found:
                    break
                found[row[0]] = row
    return [found[key] for key in sorted(found)]
