"""Thousands of tables in one thread, between their games: each says every half minute how it is."""

from __future__ import annotations

import resource
import selectors
import time
from threading import Event, Thread

from club.tests.programs.recorded_table import RecordedTable

STATUS_INTERVAL_S = 30
"""As an uplink's."""
TICK_S = 1.0


class IdleTables:
    """Their connections, which one thread serves: paho's own would wake 3,000 times a second."""

    def __init__(self, port: int, count: int) -> None:
        self.tables = [RecordedTable(f"table-{at}", f"{at:032x}", port) for at in range(1, count + 1)]
        self._stop = Event()
        self._thread = Thread(target=self._serve, name="tables", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def close(self) -> None:
        self._stop.set()
        self._thread.join()

    def _serve(self) -> None:
        ready = selectors.DefaultSelector()
        for table in self.tables:
            table.client.reconnect()
            connection = table.client.socket()
            assert connection is not None
            ready.register(connection, selectors.EVENT_READ, table)
            self._hear(ready, 0)
        began, ticks = time.monotonic(), 0
        while not self._stop.is_set():
            self._hear(ready, TICK_S / 10)
            if time.monotonic() - began < ticks * TICK_S:
                continue
            for at, table in enumerate(self.tables):
                table.client.loop_misc()
                if at % STATUS_INTERVAL_S == ticks % STATUS_INTERVAL_S:
                    table.tell_status()
            ticks += 1
        for table in self.tables:
            table.client.disconnect()

    def _hear(self, ready: selectors.BaseSelector, seconds: float) -> None:
        for key, _ in ready.select(seconds):
            key.data.client.loop_read()
            if key.data.client.want_write():
                key.data.client.loop_write()


def allow_connections(count: int) -> None:
    """Let this process, and those that it starts, open so many files; `OSError` where the kernel says no."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft < count:
        resource.setrlimit(resource.RLIMIT_NOFILE, (count, max(hard, count)))
