"""Recovery log: the running game once more, as plain lines in a file beside its store.

SQLite trusts its -wal to be as SQLite left it. A program that damages it, puts a copy in the place of the
store, or closes a connection to a -wal that is gone can thereby take away what was committed, also when we
have been killed and cannot look any more. Of this file no other program knows. It is on the disk before a
ruling counts, is deleted when the game was closed and found whole in the store, and otherwise the next
program that locks the store restores from it what the store lacks.
"""

from __future__ import annotations

import os
import re
import secrets
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from companion.core.events import Event
from companion.referee.journal.codec import MAX_ENTRIES, entry_lines, header_line
from companion.referee.journal.entry import Entry, Header
from companion.referee.journal.store_files import StoreFile, side_file, stat_file
from companion.system import safe_files
from companion.system.file_owner import private_file
from companion.system.safe_files import SizeLimit, UnreadableFileError

SUFFIX = "-recovery-"
"""What follows the store's name in that of a recovery log, before the game's number and some digits."""
DAMAGED_SUFFIX = "-damaged-log-"
"""The same once it was put aside."""


class RecoveryLog:
    """The recovery log of one game, for its journal's writer."""

    def __init__(self, store: Path, header: Header) -> None:
        self._store = store
        self._header = header
        self._path: Path | None = None
        self._written: StoreFile | None = None
        """The file as our last write left it."""
        self.count = 0
        """Number of entries on the disk."""
        self._newest = b""
        self._game: int | None = None

    def write(self, entries: Sequence[Entry[Event]], game: int | None = None) -> None:
        """Have all these entries on the disk, of which the first may already be; raises `OSError`.

        `game`: the game's number in the store; None before it is there.
        """
        path = self._path
        if path is None or game != self._game or self.is_changed():
            self._write_anew(entries, game)
        elif len(entries) > self.count:
            self._append(path, self._lines(entries[self.count :], self._newest))
        self.count = len(entries)

    def is_changed(self) -> bool:
        """Whether the file is not as our last write left it."""
        return self._path is not None and stat_file(self._path) != self._written

    def _write_anew(self, entries: Sequence[Entry[Event]], game: int | None) -> None:
        """Write all into a file of another name, and only then delete the old one."""
        number = "" if game is None else f"{game}-"
        path = side_file(self._store, f"{SUFFIX}{number}{secrets.token_hex(4)}")
        header = header_line(self._header)
        try:
            with private_file(path):
                path.touch(mode=0o600, exist_ok=False)
            self._append(path, [header, *self._lines(entries, header)])
            safe_files.sync_to_disk(path.parent)
        except OSError:
            with suppress(OSError):
                path.unlink(missing_ok=True)
            raise
        self.delete()
        self._path, self._game = path, game

    def _append(self, path: Path, lines: Sequence[bytes]) -> None:
        """Append lines and have them on the disk; raises `OSError` if the file is gone.

        What was written is known from the very file, so that another one of its name is never taken for it.
        """
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_APPEND), "ab") as stream:
            stream.writelines(line + b"\n" for line in lines)
            stream.flush()
            os.fsync(stream.fileno())
            self._written, self._newest = stat_file(stream.fileno()), lines[-1]

    def _lines(self, entries: Sequence[Entry[Event]], before: bytes) -> list[bytes]:
        return list(entry_lines(self._header, entries, before))

    def delete(self) -> None:
        """Delete the file, as another place has everything; what another program made of it may stay."""
        if self._path is not None:
            with suppress(OSError):
                self._path.unlink(missing_ok=True)
            self._path = None


def find_recovery_logs(store: Path) -> list[Path]:
    """Every recovery log beside the store, the oldest first."""
    beside = side_file(store, SUFFIX)
    found = [
        (known.written, path)
        for path in beside.parent.glob(f"{beside.name}*")
        if not path.is_symlink() and (known := stat_file(path)) is not None
    ]
    return [path for _, path in sorted(found)]


def logged_game(log: Path) -> int | None:
    """The number in the store of the game that a recovery log is of; None if the log does not say."""
    found = re.search(rf"{SUFFIX}(\d{{1,18}})-[0-9a-f]+$", log.name, re.ASCII)
    return None if found is None else int(found[1])


def put_log_aside(path: Path) -> Path:
    """Rename a damaged log of which the store has all that can be restored, so that it is told of once."""
    with suppress(OSError):
        return path.rename(path.with_name(path.name.replace(SUFFIX, DAMAGED_SUFFIX)))
    return path


def read_recovery_log(path: Path) -> list[bytes]:
    """The lines of a recovery log: the header, then entries; raises `OSError`.

    Of the last line perhaps only a part was written, and that is left out.
    """
    lines = safe_files.read_bytes(path, SizeLimit.JOURNAL).split(b"\n")[:-1]
    if len(lines) > MAX_ENTRIES:
        raise UnreadableFileError(0, "it has too many lines", str(path))
    return lines
