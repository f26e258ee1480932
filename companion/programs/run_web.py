"""Starts the web page for phones, as a service or as a child process."""

import subprocess
from collections.abc import Callable, Sequence
from typing import Any

from companion.core.clock import monotonic_ns
from companion.core.errors import EXIT_PORT_TAKEN, CompanionError
from companion.core.view import Sentence
from companion.network.child_process import Child, Run, start_child, stop_child
from companion.network.table_server import TableServer
from companion.system.extras import install_command, missing_library

UNIT = ("systemctl", "--no-ask-password", "--no-block", "start", "companion-page.service")
"""Starts the page where systemd keeps its socket; systemd/companion.rules lets the table do so."""
STARTS_WITHIN_NS = 30_000_000_000
"""A service that was asked to start and is not heard by then is reported as late; it may still come."""


class PageLacksError(CompanionError):
    """The page's libraries are not installed."""

    on_screen = "page_libraries"


class PageRunner:
    """The page as the table started it; one that runs already is left alone."""

    def __init__(
        self,
        door: TableServer,
        *,
        handed: bool,
        words: Sequence[str] = (),
        run: Run = subprocess.Popen,
        now: Callable[[], int] = monotonic_ns,
    ) -> None:
        """`handed`: the door's socket came from systemd; `words`: more for `companion page`; `now` in ns."""
        self._now = now
        self._asked_at = 0
        self._door = door
        self._handed = handed
        self._words = tuple(words)
        self._run = run
        self._started: Child | None = None

    def start(self) -> None:
        """Have it run; returns at once. `PageLacksError` where it cannot."""
        if self._door.has_readers or (self._started is not None and self._started.poll() is None):
            return
        if self._handed:
            self._asked_at = self._now()
            self._started = self._run(UNIT, stdin=subprocess.DEVNULL)
            return
        if missing_library("page"):
            raise PageLacksError(f"phones need a few more libraries: {install_command('page')}")
        quiet: dict[str, Any] = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL}
        self._started = start_child(self._door, "page", *self._words, run=self._run, **quiet)

    def trouble(self) -> Sentence | None:
        """Why it does not run, once it was started and has ended."""
        ended = None if self._started is None else self._started.poll()
        if ended is None or self._door.has_readers:
            return None
        if self._handed and ended == 0:  # systemd was asked, and goes on trying
            late = self._now() - self._asked_at >= STARTS_WITHIN_NS
            return Sentence("ui.phones.late") if late else None
        return Sentence("ui.phones.taken" if ended == EXIT_PORT_TAKEN else "ui.phones.ended")

    def close(self) -> None:
        """A child ends with the table; a service is systemd's."""
        if self._started is not None and not self._handed:
            stop_child(self._started)
