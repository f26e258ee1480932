"""Starts the uplink as a child process of a desktop's table."""

import logging
import subprocess
from contextlib import suppress

import msgspec

from companion.network.child_process import Child, start_child, stop_child
from companion.network.uplink_server import UplinkServer
from companion.settings.model import Settings
from companion.system.extras import install_command, missing_library

log = logging.getLogger(__name__)


class UplinkRunner:
    """The uplink as the table started it."""

    def __init__(self, door: UplinkServer, settings: Settings, *, handed: bool) -> None:
        """`handed`: the door's socket came from systemd, which starts the uplink, too."""
        self._door = door
        self._settings = settings
        self._wanted = bool(settings.club.broker) and not handed
        self._started: Child | None = None

    def start(self) -> None:
        """Have it run if the settings name a broker; a table without it plays all the same."""
        if not self._wanted:
            return
        if missing_library("uplink"):
            log.warning("The club hears nothing of this table: %s", install_command("uplink"))
            return
        try:
            self._started = start_child(
                self._door, "uplink", stdin=subprocess.PIPE, stdout=subprocess.DEVNULL
            )
        except OSError as trouble:
            log.warning("The uplink does not start: %s", trouble)
            return
        if self._started.stdin is not None:
            with suppress(BrokenPipeError), self._started.stdin as words:
                words.write(msgspec.json.encode(self._settings))

    def close(self) -> None:
        """It ends with the table."""
        if self._started is not None:
            stop_child(self._started)
