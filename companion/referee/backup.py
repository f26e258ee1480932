"""Backup of a table's games and decks to another disk, read back and compared.

Links on that disk are not followed, so a backup is never written anywhere else.
"""

import hashlib
import logging
import os
import secrets
import shutil
import sqlite3
import stat
from collections.abc import Iterator, Mapping
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

from companion.core.actions import Value
from companion.core.clock import is_clock_wrong
from companion.core.errors import CompanionError
from companion.core.rules import Rules
from companion.referee.journal.read_only import open_read_only
from companion.referee.store import GameStore
from companion.referee.store_errors import explain_store_errors
from companion.system import safe_files
from companion.system.file_owner import is_owned_by_us, make_folder, new_folder_mode
from companion.system.safe_files import SizeLimit, sync_to_disk

log = logging.getLogger(__name__)
BACKUP_FOLDER = "table-companion"
"""Name of the folder on the other disk."""
IDENTITY_FILE = "table-id"
"""The file with the table's identity: two tables may have the same name."""
UNKNOWN_IDENTITY = "unmarked"
"""The identity of a table in whose folder none can be written; the date still distinguishes backups."""
CHECKSUM_FILE = "SHA256SUMS"
GAMES_FILE = "games.sqlite"
DECKS_FOLDER = "decks"
NO_DECK_FILE = f"can't copy {{path}} ({{reason}}); delete it, or move it out of {DECKS_FOLDER}."


class BackupError(CompanionError):
    """The backup is missing or differs from the original."""

    on_screen = "backup"


class BackupReport(Value, frozen=True):
    """A backup that was read back and compared."""

    folder: str
    games: int
    decks: int


def back_up(table: Path, name: str, disk: Path, date: str, games: Mapping[str, Rules[Any]]) -> BackupReport:
    """Copy the table in folder `table` to a new folder on `disk`, named by `date`, and check the copy.

    Raises `BackupError`.
    """
    if is_clock_wrong(date):
        log.warning("The backup is named by a wrong date, for the clock says %s.", date)
    try:
        with explain_store_errors(str(table / GAMES_FILE)), GameStore(table / GAMES_FILE, games) as store:
            store.count_games()
            source = open_read_only(table / GAMES_FILE)
    except CompanionError as error:
        raise BackupError(f"nothing was copied: {error}") from error
    made: list[Path] = []
    try:
        parent = _make_subfolder(
            _make_subfolder(disk, BACKUP_FOLDER, made), f"{name} {table_identity(table)}", made
        )
        folder = _unused_folder(parent, date)
        draft = parent / f".{folder.name}.part"
        shutil.rmtree(draft, ignore_errors=True)
        draft.mkdir(mode=new_folder_mode())
        try:
            _copy_table(table, source, draft)
            counted = _verify_copy(draft, games)
            draft.rename(folder)
            sync_to_disk(parent)
        except BaseException:
            shutil.rmtree(draft, ignore_errors=True)
            raise
        made.clear()
    except OSError as error:
        raise BackupError(
            f"can't copy to {disk} ({error.strerror or error}); use another stick, or make room on it."
        ) from error
    except sqlite3.Error as error:
        raise BackupError(
            f"can't copy the games to {disk} ({error}); use another stick, or make room on it."
        ) from error
    finally:
        source.close()
        for folder_made in reversed(made):  # empty, they would look like a backup
            with suppress(OSError):
                folder_made.rmdir()
    return BackupReport(str(folder), counted, len(list((folder / DECKS_FOLDER).glob("*"))))


def table_identity(table: Path) -> str:
    """The table's identity, created when first asked for."""
    file = table / IDENTITY_FILE
    with suppress(OSError, UnicodeDecodeError):
        known = safe_files.read_text(file, SizeLimit.NOTE).strip()
        if known.isalnum():
            return known
    fresh = secrets.token_hex(4)
    try:
        if not is_owned_by_us(next(place for place in (table, *table.parents) if place.exists())):
            return UNKNOWN_IDENTITY  # a reader leaves nothing behind
        make_folder(table)
        file.write_text(f"{fresh}\n", encoding="ascii")
    except OSError:
        return UNKNOWN_IDENTITY  # a read-only disk
    return fresh


def _make_subfolder(folder: Path, name: str, made: list[Path]) -> Path:
    """The subfolder of this name, created and added to `made` if missing; raises if it is a link."""
    inner = folder / name
    with suppress(FileExistsError):
        inner.mkdir()
        made.append(inner)
    if not stat.S_ISDIR(inner.lstat().st_mode):
        raise BackupError(
            f"{inner} is a link or not a folder: delete it from the stick, or use another stick."
        )
    return inner


def _unused_folder(parent: Path, date: str) -> Path:
    """A folder that does not exist yet."""
    stem = date.replace(":", "-").replace("T", " ")[:19]
    names = (stem, *(f"{stem} {number}" for number in range(2, 1000)))
    return next(parent / name for name in names if not os.path.lexists(parent / name))


def _copy_table(table: Path, source: sqlite3.Connection, draft: Path) -> None:
    if (table / GAMES_FILE).exists():
        with closing(sqlite3.connect(draft / GAMES_FILE)) as copy:
            source.backup(copy)
            copy.execute("PRAGMA journal_mode = DELETE")  # one file, readable on a read-only disk
        with suppress(OSError):  # a file system without owners
            made = draft / GAMES_FILE
            made.chmod(made.stat().st_mode & new_folder_mode())
    if (table / DECKS_FOLDER).is_dir():
        decks = table / DECKS_FOLDER
        shutil.copytree(decks, draft / DECKS_FOLDER, ignore=_refuse_loops, copy_function=_copy_deck_file)
    files = sorted(_files(draft))
    sums = "".join(f"{_digest_of(file)}  {file.relative_to(draft).as_posix()}\n" for file in files)
    (draft / CHECKSUM_FILE).write_text(sums, encoding="utf-8")
    for file in _files(draft):
        sync_to_disk(file)


def _refuse_loops(folder: str, names: list[str]) -> list[str]:
    """Ignore nothing, for `shutil.copytree`; raises `BackupError` for a link that leads in a circle."""
    inside = Path(os.path.realpath(folder))
    for path in (Path(folder, name) for name in names):
        leads_to = Path(os.path.realpath(path))  # which, unlike `Path.resolve`, raises nothing
        if path.is_symlink() and (leads_to.is_symlink() or inside.is_relative_to(leads_to)):
            raise BackupError(NO_DECK_FILE.format(path=path, reason="it leads in a circle"))
    return []


def _copy_deck_file(source: str, target: str) -> None:
    """Copy a file for `shutil.copytree`, which would collect every `OSError`; raises `BackupError`.

    What is no file, such as a link to nothing or a pipe, has to go before anything is copied.
    """
    try:
        safe_files.stat_regular_file(Path(source))
    except OSError as error:
        raise BackupError(NO_DECK_FILE.format(path=source, reason=error.strerror)) from error
    try:
        shutil.copyfile(source, target)
    except OSError as error:
        raise BackupError(
            f"can't copy to {target} ({error.strerror or error}); use another stick, or make room on it."
        ) from error


def _verify_copy(draft: Path, games: Mapping[str, Rules[Any]]) -> int:
    """Read everything back from the disk; returns the number of games."""
    for line in (draft / CHECKSUM_FILE).read_text(encoding="utf-8").splitlines():
        expected, _, name = line.partition("  ")
        if _digest_of(draft / name, fresh=True) != expected:
            raise BackupError(f"{name} was not copied correctly; use another stick.")
    store = draft / GAMES_FILE
    if not store.exists():
        return 0
    with closing(sqlite3.connect(f"{store.absolute().as_uri()}?mode=ro", uri=True)) as copy:
        (answer,) = copy.execute("PRAGMA integrity_check").fetchone()
    if answer != "ok":
        raise BackupError(f"the copied games are damaged ({answer}).")
    with GameStore(store, games) as opened:
        return sum(1 for _ in opened.iterate_games())


def _files(folder: Path) -> Iterator[Path]:
    return (path for path in folder.rglob("*") if path.is_file())


def _digest_of(file: Path, *, fresh: bool = False) -> str:
    """The file's digest; `fresh` asks the system to read the disk rather than its cache."""
    with file.open("rb") as stream:
        if fresh and hasattr(os, "posix_fadvise"):
            os.posix_fadvise(stream.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
        return hashlib.file_digest(stream, "sha256").hexdigest()
