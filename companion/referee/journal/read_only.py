"""Read-only access to a store without side effects, also for another user."""

import errno
import os
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

from companion.core.errors import CompanionError
from companion.referee.journal import copying
from companion.referee.journal.entry import JournalError
from companion.referee.journal.sqlite import (
    APPLICATION_ID,
    BUSY_SECONDS,
    TABLES,
    check_format,
    harden_connection,
    is_empty_store,
    is_our_store,
)
from companion.referee.journal.store_files import side_file, stat_file
from companion.system import safe_files
from companion.system.file_owner import check_folder, is_owned_by_us, is_root

COPY_PREFIX = "companion-games-"
"""Prefix of the temporary folder of a private copy."""
SIDE_SUFFIXES = ("-journal", "-wal")
"""Suffixes of the files that belong to a database; the -shm is derived from the -wal."""
MAX_COPY_TRIES = 500
MAGIC, HEAD = b"SQLite format 3\0", 100
"""The first bytes of a database, and the length of its header."""
APPLICATION_ID_BYTES = slice(68, 72)
"""Where its header has the application id."""
PAGE_COUNT_BYTES = slice(28, 32)
"""Where it has the number of pages."""
PAGE_SIZE = 4096
"""Bytes of a page of a store."""


class StoreUnsettledError(CompanionError):
    """Another user's store kept changing while it was being copied."""


def open_read_only(path: Path, *, what_is_left: bool = False) -> sqlite3.Connection:
    """A read-only connection to the store at `path`, or to an empty one if there is none; raises `OSError`.

    Nothing but SQLite opens the store in this process, which may be playing (see `copying`). The owner
    reads the file itself. Any other user, root included, would leave files beside it that the owner cannot
    write, or would not see the -wal, and so reads a private copy. `what_is_left` also opens a truncated
    file; some of its rows then raise `sqlite3.DatabaseError`.
    """
    check_folder(path.parent)
    try:
        ours = is_owned_by_us(path)
    except FileNotFoundError:
        return _empty_connection()
    for file in (path, *(side_file(path, part) for part in (*SIDE_SUFFIXES, "-shm"))):
        with suppress(FileNotFoundError):
            safe_files.stat_regular_file(file)
    if ours:
        try:
            reader = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", timeout=BUSY_SECONDS, uri=True)
            return _check_store(reader, path, path, what_is_left=what_is_left)
        except sqlite3.DatabaseError as error:  # on a read-only disk: no -shm and no rollback there
            if not (what_is_left or isinstance(error, sqlite3.OperationalError)):
                raise
    return _open_private_copy(path, what_is_left=what_is_left)


def _is_whole(reader: sqlite3.Connection, file: Path) -> bool:
    """Whether the open file is as long as the database states.

    SQLite itself does not mind if a part of the last page is missing, and takes a single byte for none.
    """
    reader.execute("BEGIN")
    (pages,), (size,) = (reader.execute(f"PRAGMA {what}").fetchone() for what in ("page_count", "page_size"))
    length = file.stat().st_size
    whole = _has_side_files(file) or (length >= pages * size and length != 1)
    reader.execute("ROLLBACK")
    return whole


def _has_side_files(path: Path) -> bool:
    """Whether a part of the database may be in the files beside it."""
    beside = (stat_file(side_file(path, part)) for part in SIDE_SUFFIXES)
    return any(found is not None and found.length for found in beside)


def _refusal_error(path: Path, owner: int | None, *, what_is_left: bool) -> Exception:
    """Why the file is refused; `owner`: its application id, with the -wal taken into account."""
    head = copying.read_head(path, HEAD, plays=_may_play(path))
    ours = int.from_bytes(head[APPLICATION_ID_BYTES]) == APPLICATION_ID
    if head[: len(MAGIC)] == MAGIC[: len(head)]:
        size, whole = path.stat().st_size, _stated_size(head)
        completed = owner is not None and _has_side_files(path)
        if not completed and size < whole and not (what_is_left and len(head) == HEAD):
            return JournalError("cut_off", f"{path} is cut off, {size} of {whole} bytes are there")
        wal = side_file(path, "-wal")
        if ours and owner != APPLICATION_ID and wal.exists() and wal.stat().st_size:
            return JournalError("foreign_side", f"{wal} does not belong to the store beside it")
    if ours or owner == APPLICATION_ID:
        return sqlite3.DatabaseError("its list of tables is damaged")
    return JournalError("foreign_store", f"{path} isn't a store of the table companion")


def _stated_size(head: bytes) -> int:
    """The length that the header of a database states, in bytes; 0 if it does not."""
    if len(head) < HEAD:
        return HEAD
    size, version, valid_for = head[16:18], head[24:28], head[92:96]
    page = 65_536 if size == b"\x00\x01" else int.from_bytes(size)
    return page * int.from_bytes(head[28:32]) if version == valid_for else 0


def _empty_connection() -> sqlite3.Connection:
    empty = sqlite3.connect(":memory:")
    empty.executescript(f"PRAGMA application_id = {APPLICATION_ID}; {TABLES}")
    return empty


def _open_private_copy(path: Path, *, what_is_left: bool) -> sqlite3.Connection:
    """A connection to a private copy of the store, which is deleted from the disk before this returns.

    The files are read twice. If they are the same both times, they existed together at the moment in
    between, as a kill -9 would have left them, and SQLite can recover from that. Whatever is appended to the
    -wal after that is not part of the copy.
    """
    with _private_folder() as folder:
        copy = Path(folder) / "copy.sqlite"
        files = [(path, copy), *((side_file(path, part), side_file(copy, part)) for part in SIDE_SUFFIXES)]
        for _ in range(MAX_COPY_TRIES):
            if copying.copy_consistently(files, plays=_may_play(path)):
                break
        else:
            raise StoreUnsettledError(f"{path} is being written faster than it can be copied; try again.")
        reader = sqlite3.connect(copy)
        try:
            if reader.execute("PRAGMA journal_mode").fetchone()[0] == "wal":
                reader.execute("PRAGMA journal_mode = DELETE")  # a single file, readable after it is deleted
            reader.execute("PRAGMA query_only = ON")
        except sqlite3.OperationalError:
            reader.close()
            raise
        except (sqlite3.DatabaseError, UnicodeDecodeError):
            pass  # not a database, or damaged: reported below, or when read
        try:
            return _check_store(reader, copy, path, what_is_left=what_is_left)
        except sqlite3.DatabaseError:
            if not what_is_left:
                raise
            _renew_first_page(copy)
            return _check_store(sqlite3.connect(copy), copy, path, what_is_left=True)


@contextmanager
def _private_folder() -> Iterator[str]:
    """A folder for a private copy; an `OSError` for want of room names it."""
    try:
        with tempfile.TemporaryDirectory(prefix=COPY_PREFIX, ignore_cleanup_errors=True) as folder:
            try:
                yield folder
            except OSError as error:
                if error.errno in {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}:
                    error.filename = folder
                raise
    except FileNotFoundError as error:
        if tempfile.tempdir is not None:
            raise
        reason = os.strerror(errno.ENOSPC)
        raise OSError(errno.ENOSPC, reason, "the folder of temporary files (TMPDIR)") from error


def _renew_first_page(copy: Path) -> None:
    """Give the copy of a store the first page of an empty one, which says where the tables begin.

    Our two tables, which are made first, begin on pages 2 and 3 of every store.
    """
    fresh = side_file(copy, "-fresh")
    with closing(sqlite3.connect(fresh)) as made:
        made.executescript(f"PRAGMA application_id = {APPLICATION_ID}; {TABLES}")
    page = bytearray(fresh.read_bytes()[:PAGE_SIZE])
    page[PAGE_COUNT_BYTES] = bytes(4)  # not known: as long as the file is
    with copy.open("r+b") as stream:
        stream.write(page)
    for part in SIDE_SUFFIXES:
        side_file(copy, part).unlink(missing_ok=True)


def _may_play(path: Path) -> bool:
    """Whether this process could be the one that plays; its disk may have become read-only since it began."""
    return is_owned_by_us(path) or is_root() or os.access(path, os.W_OK)


def _check_store(
    reader: sqlite3.Connection, file: Path, path: Path, *, what_is_left: bool
) -> sqlite3.Connection:
    """The connection to `file`, if it is a store; an empty one if nothing was ever written there."""
    owner = None
    reader.text_factory = lambda raw: raw.decode("utf-8", "replace")  # damaged text does not matter here
    try:
        if what_is_left:  # SQLite refuses a truncated file otherwise
            reader.execute("PRAGMA writable_schema = ON")
        harden_connection(reader)
        (owner,) = reader.execute("PRAGMA application_id").fetchone()
        check_format(reader, path)
        ours = is_our_store(reader)
        if not what_is_left and not _is_whole(reader, file):
            raise _refusal_error(path, owner, what_is_left=False)
        if not ours and is_empty_store(reader):
            reader.close()
            return _empty_connection()  # a power failure before the first game
    except (JournalError, sqlite3.OperationalError):
        reader.close()
        raise
    except (sqlite3.DatabaseError, UnicodeDecodeError):  # the latter: SQLite's message about damaged text
        ours = False
    if not ours:
        reader.close()
        raise _refusal_error(path, owner, what_is_left=what_is_left)
    return reader
