"""Starts the uplink as a child of a table on a desktop; on an appliance it is a service of its own."""

import logging
import socket
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from importlib.util import find_spec

import msgspec

from companion.doors.uplink_door import UplinkDoor
from companion.settings.extras import to_add
from companion.settings.model import Settings

log = logging.getLogger(__name__)

Run = Callable[..., "subprocess.Popen[bytes]"]


class UplinkRunner:
    """The uplink as the table started it."""

    def __init__(
        self, door: UplinkDoor, settings: Settings, *, handed: bool, run: Run = subprocess.Popen
    ) -> None:
        """`handed`: the door's socket came from systemd, which starts the uplink, too."""
        self._door = door
        self._settings = settings
        self._wanted = bool(settings.club.broker) and not handed
        self._run = run
        self._started: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Have it run if the settings name a broker; a table without it plays all the same."""
        if not self._wanted:
            return
        if find_spec("paho") is None:
            log.warning("The club hears nothing of this table: %s", to_add("uplink"))
            return
        self._door.start()
        ours, theirs = socket.socketpair()
        try:
            with theirs:
                self._started = self._run(
                    [sys.executable, "-m", "companion", "uplink", "--connected", str(theirs.fileno())],
                    pass_fds=[theirs.fileno()],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.DEVNULL,
                    start_new_session=True,
                )
        except OSError as trouble:
            log.warning("The uplink does not start: %s", trouble)
            ours.close()
            return
        self._door.meet(ours)
        if self._started.stdin is not None:
            with suppress(BrokenPipeError), self._started.stdin as words:
                words.write(msgspec.json.encode(self._settings))

    def close(self) -> None:
        """It ends with the table."""
        if self._started is not None:
            self._started.terminate()
            with suppress(subprocess.TimeoutExpired):
                self._started.wait(2.0)
