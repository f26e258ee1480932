"""A hub as its unit runs it, and a desk that notes when it sees what."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from threading import Event, Thread
from typing import Any

from sqlalchemy import select
from sqlalchemy.exc import DBAPIError
from sqlalchemy.orm import Session

from companion_club.hub.database import make_engine
from companion_club.hub.model import CallRecord, GameRecord

LOOKS_S = 0.1
"""How often the desk's own query is made; that much of each delay may be ours."""


class HubProcess:
    """`companion hub` as its unit runs it."""

    def __init__(self, port: int, database: str, log: Path) -> None:
        given = {
            "club.broker": "127.0.0.1",
            "club.port": port,
            "club.name": "club",
            "club.database": database,
        }
        self._command = [sys.executable, "-m", "companion"]
        for name, value in given.items():
            self._command += ["--set", f"{name}={value}"]
        self._log = log
        self._process: subprocess.Popen[bytes] | None = None
        self._ended_s, self._most_bytes = 0.0, 0
        """Processor time and most memory of those that were killed."""
        self.start()

    def start(self) -> None:
        with self._log.open("ab") as out:
            self._process = subprocess.Popen(
                [*self._command, "hub"], stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT
            )

    def kill(self) -> None:
        """As a power cut would end it."""
        assert self._process is not None
        self._ended_s, self._most_bytes = self.used()
        self._process.send_signal(signal.SIGKILL)
        self._process.wait()

    def used(self) -> tuple[float, int]:
        """Seconds of processor time of all of them, and the most bytes that one of them held."""
        assert self._process is not None
        process = Path("/proc") / str(self._process.pid)
        times = (process / "stat").read_text(encoding="utf-8").rpartition(")")[2].split()[11:13]
        status = (process / "status").read_text(encoding="utf-8")
        most = int(status.partition("VmHWM:")[2].split()[0]) * 1024
        spent = sum(map(int, times)) / os.sysconf("SC_CLK_TCK")
        return self._ended_s + spent, max(self._most_bytes, most)

    def verify(self) -> tuple[int, str]:
        done = subprocess.run([*self._command, "hub", "verify"], capture_output=True, text=True, check=False)
        return done.returncode, (done.stdout + done.stderr).strip()

    def close(self) -> None:
        assert self._process is not None
        self._process.terminate()
        self._process.wait()


class Desk:
    """Looks at the database as a desk does, and notes when it first saw each game and call."""

    def __init__(self, database: str) -> None:
        self._engine = make_engine(database).execution_options(reads=True)
        self.games: dict[str, float] = {}
        self.calls: dict[str, float] = {}
        self._more, self._stop = Event(), Event()
        self._thread = Thread(target=self._look, name="desk", daemon=True)
        self._thread.start()

    def _look(self) -> None:
        while not self._stop.wait(LOOKS_S):
            try:
                with Session(self._engine) as session:
                    games = session.scalars(
                        select(GameRecord.id).where(GameRecord.outcome.is_not(None))
                    ).all()
                    calls = session.scalars(select(CallRecord.call)).all()
            except DBAPIError:
                continue
            now = time.monotonic()
            for seen, found in ((self.games, games), (self.calls, calls)):
                for one in found:
                    seen.setdefault(one, now)
            self._more.set()

    def until(self, so: Callable[[], bool], seconds: float) -> bool:
        """Wait until it is so; whether it became so."""
        end = time.monotonic() + seconds
        while not so():
            if time.monotonic() > end:
                return False
            self._more.clear()
            self._more.wait(1)
        return True

    def read(self, what: Callable[[Session], Any]) -> Any:
        with Session(self._engine) as session:
            return what(session)

    def close(self) -> None:
        self._stop.set()
        self._thread.join()
        self._engine.dispose()
