"""One client of a table server: its send queue and its limits."""

import socket
from collections import deque

from companion.core.actions import SECOND, Micros

MAX_BYTES_PER_SECOND = 64 * 1024
MAX_LINES_PER_SECOND = 400
"""What one client may say in a second."""


class ClientConnection:
    """One connection: what waits to be sent to it, and what it said so far."""

    def __init__(self, sock: socket.socket, since: Micros, *, patience: Micros | None) -> None:
        """`patience`: how long it may take to say hello; None: as long as it likes."""
        self.sock = sock
        self.greeted = False
        self._since, self._patience = since, patience
        self.waiting: deque[bytes] = deque()
        self.unsent_bytes = 0
        """Bytes in `waiting`."""
        self.line = bytearray()
        self.invalid_lines = 0
        self._second, self._bytes, self._lines = since, 0, 0

    def is_greeting_overdue(self, now: Micros) -> bool:
        """Whether it has not said hello in its time."""
        return not self.greeted and self._patience is not None and now - self._since > self._patience

    def exceeds_limit(self, now: Micros, count: int, lines: int) -> bool:
        """Whether these bytes and lines are more than a second may have."""
        if now - self._second >= SECOND:
            self._second, self._bytes, self._lines = now, 0, 0
        self._bytes, self._lines = self._bytes + count, self._lines + lines
        return self._bytes > MAX_BYTES_PER_SECOND or self._lines > MAX_LINES_PER_SECOND
