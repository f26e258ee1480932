"""systemd notification: ready, watchdog, stopping (sd_notify(3))."""

import os
import socket
from collections.abc import Mapping
from contextlib import suppress

from companion.core.clock import Clock

PINGS_PER_WATCHDOG = 4
"""A feed may come late by three quarters of the watchdog's time before systemd restarts the program."""


class SystemdNotifier:
    """Owns the socket to systemd; without one every word goes nowhere."""

    def __init__(self, clock: Clock, environ: Mapping[str, str] = os.environ) -> None:
        self._clock = clock
        self._socket = _connect(environ.get("NOTIFY_SOCKET", ""))
        watch = environ.get("WATCHDOG_USEC", "")
        ours = environ.get("WATCHDOG_PID", str(os.getpid())) == str(os.getpid())
        self._every = int(watch) * 1000 // PINGS_PER_WATCHDOG if watch.isdigit() and ours else None
        """Nanoseconds of the kernel's clock: game time starts again with each game."""
        self._rounds = 0
        self._next = 0

    def notify_alive(self) -> None:
        """Say that the main loop goes round; the second round means that the first picture is drawn."""
        if self._socket is None:
            return
        self._rounds += 1
        if self._rounds == 2:
            self._notify("READY=1")
        now = self._clock.to_monotonic_ns(self._clock.now())
        if self._every is not None and now >= self._next:
            self._notify("WATCHDOG=1")
            self._next = now + self._every

    def close(self) -> None:
        """Say that the program ends."""
        if self._socket is not None:
            self._notify("STOPPING=1")
            self._socket.close()
            self._socket = None

    def _notify(self, word: str) -> None:
        assert self._socket is not None
        with suppress(OSError):  # systemd is being restarted itself: the next feed finds it back
            self._socket.send(word.encode())


def _connect(address: str) -> socket.socket | None:
    if not address:
        return None
    if address.startswith("@"):  # the abstract namespace
        address = "\0" + address[1:]
    notify = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC)
    try:
        notify.connect(address)
    except OSError:
        notify.close()
        return None
    notify.setblocking(False)  # noqa: FBT003 (the socket module's own spelling)
    return notify
