"""A store that is only looked at: all of it is seen, and nothing is left behind."""

from __future__ import annotations

import os
import shutil
import sqlite3
import tempfile
from contextlib import suppress
from pathlib import Path

from companion.core import strangers
from companion.core.errors import CompanionError
from companion.referee.journal.entry import JournalError
from companion.referee.journal.sqlite import APPLICATION_ID, TABLES, bound, is_store
from companion.referee.owners import check_folder, is_ours

COPIES = "companion-games-"
"""How the folder of a private copy begins, in the system's folder for temporary files."""
BESIDE = ("-journal", "-wal")
"""The files beside a database that belong to it; its -shm is made of its -wal."""
MOST_TRIES = 500
CHUNK = 1 << 20
MAGIC, HEAD = b"SQLite format 3\0", 100
"""How a database begins, and how many bytes its head has."""
OWNER = slice(68, 72)
"""Where its head has the application's number."""


class StoreUnsettled(CompanionError):  # noqa: N818 - what it says, not what it is
    """Another user's store changed whenever it was copied."""


def reading(path: Path, *, what_is_left: bool = False) -> sqlite3.Connection:
    """The store at `path`, for reading only; an empty one if there is none. `OSError`: it may not be read.

    Its owner reads the file itself. Anybody else, root too, would leave files beside it that its owner may
    not write, or could not see what still stands in the -wal: they read a copy of their own. Of a file that
    was cut off only `what_is_left` can be had: some of its rows then raise `sqlite3.DatabaseError`.
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
            pass  # a read-only disk has no room for -shm, and nobody rolls a torn file back there
    return _copied(path, what_is_left=what_is_left)


def _check_head(path: Path, *, what_is_left: bool) -> None:
    """Raise unless the file begins as a database does and is as long as it says; an empty one is none yet."""
    with strangers.opened(path, None) as stream:
        head = stream.read(HEAD)
        size = os.fstat(stream.fileno()).st_size  # after its head: while the table writes, it grows
    if not head and not size:
        return
    if head[: len(MAGIC)] != MAGIC[: len(head)]:
        raise _foreign(path)
    if any(_side(path, part).exists() and _side(path, part).stat().st_size for part in BESIDE):
        return  # what is missing may stand there
    whole = _whole_size(head)
    if size < whole and not (what_is_left and len(head) == HEAD):
        raise JournalError("cut_off", f"{path} is cut off, {size} of {whole or 'more'} bytes are there")


def _whole_size(head: bytes) -> int:
    """How many bytes a database has, as its first bytes say; 0 where they do not say."""
    if len(head) < HEAD:
        return HEAD
    size, version, valid_for = head[16:18], head[24:28], head[92:96]
    page = 65_536 if size == b"\x00\x01" else int.from_bytes(size)
    return page * int.from_bytes(head[28:32]) if version == valid_for else 0


def _foreign(path: Path, owner: int | None = None) -> JournalError:
    """Why it is refused; `owner`: what it calls itself once the -wal beside it was read."""
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
    """A private copy of the store, which is gone from the disk when this returns.

    The files are read twice, one after the other. What is the same both times stood there at the moment
    between, all at once, as kill -9 would have left it then; and from that SQLite recovers. What was added
    to the end of the -wal since is later than the copy.
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
                reader.execute(
                    "PRAGMA journal_mode = DELETE"
                )  # one file, which stays readable when it is deleted
            reader.execute("PRAGMA query_only = ON")
        except sqlite3.OperationalError:
            reader.close()
            raise
        except sqlite3.DatabaseError:
            pass  # no database at all, or a damaged one: said below, or where it is read
        return _checked(reader, path, what_is_left=what_is_left)


def _copy_at_once(source: Path, copy: Path) -> bool:
    """Copy the files of a database; whether they stood like that together at one moment."""
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
    """Whether the file still begins with what was copied of it."""
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
    """The reader, if what it reads is a store, or an empty one, if nothing was ever written there."""
    owner = None
    try:
        if what_is_left:  # SQLite refuses a file that is too short for its head, unless it is to be mended
            reader.execute("PRAGMA writable_schema = ON")
        bound(reader)
        (owner,) = reader.execute("PRAGMA application_id").fetchone()
        ours = is_store(reader)
        if not ours and not reader.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
            reader.close()
            return _empty()  # the power was cut before the first game was written
    except sqlite3.OperationalError:
        reader.close()
        raise
    except sqlite3.DatabaseError:
        ours = False
    reader.text_factory = lambda raw: raw.decode("utf-8", "replace")  # a damaged word is no word of ours
    if not ours:
        reader.close()
        raise _foreign(path, owner)
    return reader
