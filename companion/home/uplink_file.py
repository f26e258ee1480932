"""The uplink's SQLite file: how it stands, for `companion doctor`."""

import sqlite3
from pathlib import Path
from typing import ClassVar

from companion.core.errors import CompanionError

UPLINK_FILE = "uplink.sqlite"
"""Its name, in the uplink's own folder on an appliance, in the table's elsewhere."""
APPLICATION_ID = 0x7AB1F


class UplinkFileError(CompanionError):
    """The file cannot be opened."""


def unwritable_message(path: Path | str, trouble: sqlite3.Error) -> str:
    """What is to be done about a file that cannot be written."""
    return (
        f"can't keep what was sent in {path} ({trouble}); make room, or delete the file:"
        " what the club has already is told again and counted once."
    )


class UplinkFile:
    """One SQLite file, owned by this process alone."""

    TABLES: ClassVar[str] = "CREATE TABLE IF NOT EXISTS about (name TEXT PRIMARY KEY, value TEXT NOT NULL);"
    """What is in it; the file of a club's uplink (an extension) has the tables of its outbox as well."""

    def __init__(self, path: Path | str) -> None:
        """`:memory:` keeps it in memory. Raises `UplinkFileError` where it cannot be opened."""
        try:
            self._file = sqlite3.connect(path, isolation_level=None)
            self._file.execute("PRAGMA journal_mode = WAL")
            self._file.execute("PRAGMA synchronous = FULL")
            self._file.execute(f"PRAGMA application_id = {APPLICATION_ID}")
            self._file.executescript(self.TABLES)
        except sqlite3.Error as trouble:
            raise UplinkFileError(unwritable_message(path, trouble)) from trouble

    def close(self) -> None:
        self._file.close()

    def unsent_count(self) -> int:
        """How many messages the broker still lacks: none here, for what Home Assistant misses is void.

        A club's uplink, whose file is a subclass, counts its outbox.
        """
        return 0

    def write_status(self, name: str, value: str) -> None:
        """Write down how it stands."""
        self._file.execute("INSERT OR REPLACE INTO about VALUES (?, ?)", (name, value))

    def read_status(self) -> dict[str, str]:
        """What was written down."""
        return dict(self._file.execute("SELECT name, value FROM about").fetchall())
