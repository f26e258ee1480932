"""Backups: a table's games and decks are copied to another disk and read back; nothing is ever overwritten.

Links on that disk are not followed, so a backup is never written anywhere else.
"""

import hashlib
import os
import secrets
import shutil
import sqlite3
import stat
from collections.abc import Iterator, Mapping
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

from companion.core import strangers
from companion.core.actions import Value
from companion.core.errors import CompanionError
from companion.core.rules import Rules
from companion.core.strangers import Most
from companion.core.whole import synced
from companion.referee.journal.reading import reading
from companion.referee.owners import folder_mode, is_ours, make_folder
from companion.referee.store import Store
from companion.referee.store_errors import explained

FOLDER = "table-companion"
"""Name of the folder on the other disk."""
IDENTITY = "table-id"
"""The file with the table's identity: two tables may have the same name."""
UNMARKED = "unmarked"
"""The identity of a table in whose folder none can be written; the date still distinguishes backups."""
SUMS = "SHA256SUMS"
GAMES_FILE = "games.sqlite"
DECKS = "decks"


class BackupFailed(CompanionError):  # noqa: N818 - what it says, not what it is
    """The backup is missing or differs from the original."""

    on_screen = "backup"


class Copied(Value, frozen=True):
    """A backup that was read back and compared."""

    folder: str
    games: int
    decks: int


def back_up(table: Path, name: str, disk: Path, date: str, games: Mapping[str, Rules[Any]]) -> Copied:
    """Copy the table in folder `table` to a new folder on `disk`, named by `date`, and check the copy.

    Raises `BackupFailed`.
    """
    try:
        with explained(str(table / GAMES_FILE)), Store(table / GAMES_FILE, games) as store:
            store.count()
            source = reading(table / GAMES_FILE)
    except CompanionError as error:
        raise BackupFailed(f"nothing was copied: {error}") from error
    made: list[Path] = []
    try:
        parent = _within(_within(disk, FOLDER, made), f"{name} {identity(table)}", made)
        folder = _unused(parent, date)
        draft = parent / f".{folder.name}.part"
        shutil.rmtree(draft, ignore_errors=True)
        draft.mkdir(mode=folder_mode())
        try:
            _copy(table, source, draft)
            counted = _verified(draft, games)
            draft.rename(folder)
            synced(parent)
        except BaseException:
            shutil.rmtree(draft, ignore_errors=True)
            raise
        made.clear()
    except OSError as error:
        raise BackupFailed(
            f"can't copy to {disk} ({error.strerror or error}); use another stick, or make room on it."
        ) from error
    except sqlite3.Error as error:
        raise BackupFailed(f"can't copy the games to {disk} ({error}).") from error
    finally:
        source.close()
        for folder_made in reversed(made):  # empty, they would look like a backup
            with suppress(OSError):
                folder_made.rmdir()
    return Copied(str(folder), counted, len(list((folder / DECKS).glob("*"))))


def identity(table: Path) -> str:
    """The table's identity, created when first asked for."""
    file = table / IDENTITY
    with suppress(OSError, UnicodeDecodeError):
        known = strangers.text(file, Most.NOTE).strip()
        if known.isalnum():
            return known
    fresh = secrets.token_hex(4)
    try:
        if not is_ours(next(place for place in (table, *table.parents) if place.exists())):
            return UNMARKED  # a reader leaves nothing behind
        make_folder(table)
        file.write_text(f"{fresh}\n", encoding="ascii")
    except OSError:
        return UNMARKED  # a read-only disk
    return fresh


def _within(folder: Path, name: str, made: list[Path]) -> Path:
    """The subfolder of this name, created and added to `made` if missing; raises if it is a link."""
    inner = folder / name
    with suppress(FileExistsError):
        inner.mkdir()
        made.append(inner)
    if not stat.S_ISDIR(inner.lstat().st_mode):
        raise BackupFailed(
            f"{inner} is a link or not a folder: delete it from the stick, or use another stick."
        )
    return inner


def _unused(parent: Path, date: str) -> Path:
    """A folder that does not exist yet."""
    stem = date.replace(":", "-").replace("T", " ")[:19]
    names = (stem, *(f"{stem} {number}" for number in range(2, 1000)))
    return next(parent / name for name in names if not os.path.lexists(parent / name))


def _copy(table: Path, source: sqlite3.Connection, draft: Path) -> None:
    if (table / GAMES_FILE).exists():
        with closing(sqlite3.connect(draft / GAMES_FILE)) as copy:
            source.backup(copy)
            copy.execute("PRAGMA journal_mode = DELETE")  # one file, readable on a read-only disk
        with suppress(OSError):  # a file system without owners
            made = draft / GAMES_FILE
            made.chmod(made.stat().st_mode & folder_mode())
    if (table / DECKS).is_dir():
        shutil.copytree(table / DECKS, draft / DECKS, copy_function=shutil.copyfile)
    files = sorted(_files(draft))
    sums = "".join(f"{_sum(file)}  {file.relative_to(draft).as_posix()}\n" for file in files)
    (draft / SUMS).write_text(sums, encoding="utf-8")
    for file in _files(draft):
        synced(file)


def _verified(draft: Path, games: Mapping[str, Rules[Any]]) -> int:
    """Read everything back from the disk; returns the number of games."""
    for line in (draft / SUMS).read_text(encoding="utf-8").splitlines():
        expected, _, name = line.partition("  ")
        if _sum(draft / name, fresh=True) != expected:
            raise BackupFailed(f"{name} was not copied correctly; use another stick.")
    store = draft / GAMES_FILE
    if not store.exists():
        return 0
    with closing(sqlite3.connect(f"{store.absolute().as_uri()}?mode=ro", uri=True)) as copy:
        (answer,) = copy.execute("PRAGMA integrity_check").fetchone()
    if answer != "ok":
        raise BackupFailed(f"the copied games are damaged ({answer}).")
    with Store(store, games) as opened:
        return sum(1 for _ in opened.each())


def _files(folder: Path) -> Iterator[Path]:
    return (path for path in folder.rglob("*") if path.is_file())


def _sum(file: Path, *, fresh: bool = False) -> str:
    """The file's digest; `fresh` asks the system to read the disk rather than its cache."""
    with file.open("rb") as stream:
        if fresh and hasattr(os, "posix_fadvise"):
            os.posix_fadvise(stream.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
        return hashlib.file_digest(stream, "sha256").hexdigest()
