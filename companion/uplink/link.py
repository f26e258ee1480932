"""The uplink's end of the table's socket: a thread that reads, and a way to say something."""

import logging
import socket
from contextlib import suppress
from queue import SimpleQueue
from threading import Thread
from typing import Any

from msgspec import MsgspecError, Struct

from companion.core.errors import CompanionError
from companion.doors.messages import Greeting, Message, line_of
from companion.doors.uplink import FromTable, heard_by_uplink

log = logging.getLogger(__name__)

PATIENCE_S = 10.0
"""A table that takes nothing for so long is none."""


class NoTable(CompanionError):  # noqa: N818 - what it says, not what it is
    """There is no table at this socket."""


class TableGone(Struct, frozen=True):
    """The table closed the connection, or says what this version does not know."""

    why: str = ""


class Link:
    """A connection to a table; everything it says goes into the inbox."""

    def __init__(self, connected: socket.socket, inbox: SimpleQueue[Any]) -> None:
        self._socket = connected
        self._inbox = inbox
        connected.settimeout(None)
        self.say(Greeting())
        self._thread = Thread(target=self._read, name="table", daemon=True)
        self._thread.start()

    def say(self, message: Message) -> None:
        """Say it to the table; if that has gone, the reading thread puts it into the inbox."""
        try:
            self._socket.sendall(line_of(message))
        except OSError as trouble:
            log.debug("The table does not listen: %s", trouble)

    def close(self) -> None:
        with suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        self._thread.join(PATIENCE_S)
        self._socket.close()

    def _read(self) -> None:
        why = ""
        try:
            with self._socket.makefile("rb") as lines:
                for line in lines:
                    told: FromTable = heard_by_uplink(line)
                    self._inbox.put(told)
        except OSError as trouble:
            why = str(trouble)
        except (MsgspecError, UnicodeDecodeError, RecursionError) as trouble:
            why = f"it says what this version does not know ({trouble})"
        self._inbox.put(TableGone(why))


def link_at(path: str, inbox: SimpleQueue[Any]) -> Link:
    """A connection to the table whose socket is at `path`; raises `NoTable` if none answers."""
    table = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        table.connect(path)
    except OSError as trouble:
        table.close()
        raise NoTable(f"no table answers at {path} ({trouble.strerror or trouble})") from trouble
    return Link(table, inbox)
