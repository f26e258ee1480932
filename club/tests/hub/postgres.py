"""A real database in a folder of its own: PostgreSQL on a Unix socket.

As root it runs as `nobody`, since PostgreSQL refuses root.
"""

from __future__ import annotations

import contextlib
import signal
from collections.abc import Iterator
from pathlib import Path

from tests.home.servers import Server, Unprivileged
from tests.outside_programs import program


class Postgres:
    """A PostgreSQL on a Unix socket only; `durable`: it waits for the disk, as it does for people."""

    def __init__(self, *, durable: bool = True) -> None:
        self._durable = durable
        self._bin = Path(program("postgresql")).resolve().parent
        self._place = Unprivileged("postgres")
        self.folder = self._place.folder
        self._data = self.folder / "data"
        self._place.run(
            *(self._bin / "initdb", "-D", self._data, "-U", "club", "-A", "trust"),
            *("--no-locale", "-E", "UTF8", "--no-sync", "--no-instructions"),
        )
        self._server: Server | None = None
        self.start()

    @property
    def url(self) -> str:
        return f"postgresql://club@/postgres?host={self.folder}"

    def database(self, name: str) -> str:
        """The address of a new, empty database."""
        self._place.run(self._bin / "createdb", "-h", self.folder, "-U", "club", name)
        return f"postgresql://club@/{name}?host={self.folder}"

    def start(self) -> None:
        """Start it; returns when it takes connections."""
        started = self._place.start(
            *(self._bin / "postgres", "-D", self._data, "-k", self.folder),
            *("-c", "listen_addresses=", "-c", "max_connections=60"),
            *("-c", f"fsync={'on' if self._durable else 'off'}"),
        )
        self._server = Server(started, lambda line: "ready to accept connections" in line)

    def stop(self, how: signal.Signals = signal.SIGINT) -> None:
        """Stop it: SIGINT ends every connection at once, SIGQUIT is a crash from which it recovers."""
        if self._server is not None:
            self._server.stop(how)
            self._server = None

    def close(self) -> None:
        self.stop(signal.SIGQUIT)
        self._place.remove()


@contextlib.contextmanager
def postgres(*, durable: bool = True) -> Iterator[Postgres]:
    made = Postgres(durable=durable)
    try:
        yield made
    finally:
        made.close()
