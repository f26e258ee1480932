"""The lock by which one hub alone works on a database.

PostgreSQL keeps it for a connection and lets go of it with that one; with SQLite it is a file beside the
database, and the kernel lets go of it with the process. To a broker two hubs of one club would be one client,
and throw each other out.
"""

import fcntl
import os
from contextlib import suppress

from sqlalchemy import Connection, Engine, text
from sqlalchemy.exc import DBAPIError

from companion.core.errors import CompanionError

LOCK_NUMBER = 0x7AB1F
"""The number of PostgreSQL's lock."""
WAIT_MS = 2_000
"""How long it is waited for: a server needs a moment to see that a killed hub is gone."""
CONNECTION_SETTINGS = (
    ("lock_timeout", WAIT_MS),
    ("tcp_keepalives_idle", 10),
    ("tcp_keepalives_interval", 5),
    ("tcp_keepalives_count", 3),
)
"""The last three, in seconds and times, so that a server learns that a hub's machine has lost its power."""
LOCK_NOT_AVAILABLE = "55P03"
"""PostgreSQL's SQLSTATE."""


class AnotherHubError(CompanionError):
    """Another hub uses the same database."""

    exit_code = 3
    """For the unit: it is not started again."""


class HubLock:
    """Held from `hold` until `release`, or until its connection breaks."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._connection: Connection | None = None
        self._file: int | None = None

    def hold(self, *, verify: bool) -> None:
        """Take it, if it is not ours; `verify`: see whether it still is.

        Raises `AnotherHubError` where another hub has it, `DBAPIError` where the database is away.
        """
        if self._engine.name == "postgresql":
            self._hold_connection(verify=verify)
        elif self._file is None and (database := self._engine.url.database) not in {None, "", ":memory:"}:
            self._file = _lock_file(f"{database}.hub")

    def release(self) -> None:
        """Let another hub have it."""
        self._drop_connection()
        if self._file is not None:
            os.close(self._file)
            self._file = None

    def _hold_connection(self, *, verify: bool) -> None:
        try:
            if self._connection is None:
                self._connection = self._engine.connect().execution_options(isolation_level="AUTOCOMMIT")
                for name, value in CONNECTION_SETTINGS:
                    self._connection.execute(text(f"SET {name} = {value}"))
                self._connection.execute(text("SELECT pg_advisory_lock(:number)"), {"number": LOCK_NUMBER})
            elif verify:
                self._connection.execute(text("SELECT 1"))
        except DBAPIError as error:
            self._drop_connection()
            if getattr(error.orig, "sqlstate", "") == LOCK_NOT_AVAILABLE:
                raise _another_hub() from error
            raise

    def _drop_connection(self) -> None:
        if self._connection is not None:
            with suppress(DBAPIError):
                self._connection.invalidate()  # closed, not pooled: the server lets go of the lock with it
                self._connection.close()
            self._connection = None


def _lock_file(path: str) -> int:
    file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        os.close(file)
        raise _another_hub() from error
    return file


def _another_hub() -> AnotherHubError:
    return AnotherHubError(
        "Another hub works on this database: only one may run, so this one stops. Stop that one first if it"
        " shall be this one."
    )
