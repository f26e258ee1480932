"""Reads a store completely and without side effects, also as another user."""

import os
import shutil
import sqlite3
import tempfile
from contextlib import suppress
from pathlib import Path

from companion.core import strangers
from companion.core.errors import CompanionError
from companion.referee.journal.entry import JournalError
from companion.referee.journal.sqlite import APPLICATION_ID, TABLES, bound, check_format, is_store
from companion.referee.owners import check_folder, is_ours

COPIES = "companion-games-"
"""Prefix of the temporary folder of a private copy."""
BESIDE = ("-journal", "-wal")
"""Suffixes of the files that belong to a database; the -shm is derived from the -wal."""
MOST_TRIES = 500
CHUNK = 1 << 20
MAGIC, HEAD = b"SQLite format 3\0", 100
"""The first bytes of a database, and the length of its header."""
OWNER = slice(68, 72)
"""Where its header has the application id."""


class StoreUnsettled(CompanionError):  # noqa: N818 - what it says, not what it is
    """Another user's store kept changing while it was being copied."""


def reading(path: Path, *, what_is_left: bool = False) -> sqlite3.Connection:
    """A read-only connection to the store at `path`, or to an empty one if there is none; raises `OSError`.

    The owner reads the file itself. Any other user, root included, would leave files beside it that the
    owner cannot write, or would not see the -wal, and so reads a private copy. `what_is_left` also opens a
    truncated file; some of its rows then raise `sqlite3.DatabaseError`.
    """
    check_folder(path.parent)
    try:
        ours = is_ours(path)
    except FileNotFoundError:
        return _empty()
    for file in (path, *(_side(path, part) for part in (*BESIDE, "-shm"))):
        with suppress(FileNotFoundError):
            strangers.checked(file)
    _check_head(path, what_is_left=what_is_left)
    if ours:
        try:
            reader = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)
            return _checked(reader, path, what_is_left=what_is_left)
        except sqlite3.OperationalError:
            pass  # a read-only disk: no -shm and no rollback there
    return _copied(path, what_is_left=what_is_left)


def _check_head(path: Path, *, what_is_left: bool) -> None:
    """Raise unless the file is empty, or begins like a database and has the length it states."""
    with strangers.opened(path, None) as stream:
        head = stream.read(HEAD)
        size = os.fstat(stream.fileno()).st_size  # after the head, as the file may grow
    if not head and not size:
        return
    if head[: len(MAGIC)] != MAGIC[: len(head)]:
        raise _foreign(path)
    if any(_side(path, part).exists() and _side(path, part).stat().st_size for part in BESIDE):
        return  # the rest may be in it
    whole = _whole_size(head)
    if size < whole and not (what_is_left and len(head) == HEAD):
        raise JournalError("cut_off", f"{path} is cut off, {size} of {whole or 'more'} bytes are there")


def _whole_size(head: bytes) -> int:
    """The length that the header of a database states, in bytes; 0 if it does not."""
    if len(head) < HEAD:
        return HEAD
    size, version, valid_for = head[16:18], head[24:28], head[92:96]
    page = 65_536 if size == b"\x00\x01" else int.from_bytes(size)
    return page * int.from_bytes(head[28:32]) if version == valid_for else 0


def _foreign(path: Path, owner: int | None = None) -> JournalError:
    """Why the file is refused; `owner`: its application id, with the -wal taken into account."""
    side = _side(path, "-wal")
    if owner != APPLICATION_ID and side.exists() and side.stat().st_size:
        with strangers.opened(path, None) as stream:
            if int.from_bytes(stream.read(HEAD)[OWNER]) == APPLICATION_ID:
                return JournalError("foreign_side", f"{side} does not belong to the store beside it")
    return JournalError("foreign_store", f"{path} isn't a store of the table companion")


def _empty() -> sqlite3.Connection:
    empty = sqlite3.connect(":memory:")
    empty.executescript(f"PRAGMA application_id = {APPLICATION_ID}; {TABLES}")
    return empty


def _copied(path: Path, *, what_is_left: bool) -> sqlite3.Connection:
    """A connection to a private copy of the store, which is deleted from the disk before this returns.

    The files are read twice. If they are the same both times, they existed together at the moment in
    between, as a kill -9 would have left them, and SQLite can recover from that. Whatever is appended to the
    -wal after that is not part of the copy.
    """
    source = path.resolve()
    with tempfile.TemporaryDirectory(prefix=COPIES, ignore_cleanup_errors=True) as folder:
        copy = Path(folder) / "games.sqlite"
        for _ in range(MOST_TRIES):
            if _copy_at_once(source, copy):
                break
        else:
            raise StoreUnsettled(f"{path} is being written faster than it can be copied; try again.")
        reader = sqlite3.connect(copy)
        try:
            if reader.execute("PRAGMA journal_mode").fetchone()[0] == "wal":
                reader.execute("PRAGMA journal_mode = DELETE")  # a single file, readable after it is deleted
            reader.execute("PRAGMA query_only = ON")
        except sqlite3.OperationalError:
            reader.close()
            raise
        except sqlite3.DatabaseError:
            pass  # not a database, or damaged: reported below, or when read
        return _checked(reader, path, what_is_left=what_is_left)


def _copy_at_once(source: Path, copy: Path) -> bool:
    """Copy the files of a database; returns whether the copy is consistent."""
    sides = [(_side(source, part), _side(copy, part)) for part in BESIDE]
    shutil.copyfile(source, copy)
    for side, copied in sides:
        copied.write_bytes(b"")
        with suppress(FileNotFoundError):
            shutil.copyfile(side, copied)
    if source.stat().st_size != copy.stat().st_size or not _begins_with(source, copy):
        return False
    return all(_begins_with(side, copied) for side, copied in sides)


def _side(path: Path, part: str) -> Path:
    return path.with_name(path.name + part)


def _begins_with(path: Path, copy: Path) -> bool:
    """Whether the file still begins with the bytes that were copied."""
    with copy.open("rb") as copied:
        if not copy.stat().st_size:
            return True
        try:
            with path.open("rb") as stream:
                while expected := copied.read(CHUNK):
                    if stream.read(len(expected)) != expected:
                        return False
        except FileNotFoundError:
            return False
    return True


def _checked(reader: sqlite3.Connection, path: Path, *, what_is_left: bool) -> sqlite3.Connection:
    """The connection, if it is to a store; an empty one if nothing was ever written there."""
    owner = None
    try:
        if what_is_left:  # SQLite refuses a truncated file otherwise
            reader.execute("PRAGMA writable_schema = ON")
        bound(reader)
        (owner,) = reader.execute("PRAGMA application_id").fetchone()
        check_format(reader, path)
        ours = is_store(reader)
        if not ours and not reader.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
            reader.close()
            return _empty()  # a power failure before the first game
    except (JournalError, sqlite3.OperationalError):
        reader.close()
        raise
    except sqlite3.DatabaseError:
        ours = False
    reader.text_factory = lambda raw: raw.decode("utf-8", "replace")  # damaged text does not matter here
    if not ours:
        reader.close()
        raise _foreign(path, owner)
    return reader
