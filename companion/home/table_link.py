"""The uplink's connection to the table's socket, read by a thread."""

import logging
import socket
from contextlib import suppress
from queue import SimpleQueue
from threading import Thread
from typing import Any

from msgspec import Struct

from companion.core.errors import CompanionError
from companion.network.messages import ClientHello, Message, encode_line
from companion.network.protocol import Connection, ProtocolViolationError
from companion.network.uplink_messages import FromTable, decode_for_uplink

log = logging.getLogger(__name__)

CHUNK = 1 << 16
"""Most bytes that are taken at once."""
SEND_TIMEOUT_S = 10.0
"""A table that takes nothing for so long is none."""


class NoTableError(CompanionError):
    """There is no table at this socket."""


class TableGone(Struct, frozen=True):
    """The table closed the connection, or says what this version does not know."""

    why: str = ""


class TableLink:
    """A connection to a table; everything it says goes into the inbox."""

    def __init__(self, connected: socket.socket, inbox: SimpleQueue[Any]) -> None:
        self._socket = connected
        self._inbox = inbox
        connected.settimeout(None)
        self.send(ClientHello())
        self._thread = Thread(target=self._read, name="table", daemon=True)
        self._thread.start()

    def send(self, message: Message) -> None:
        """Say it to the table; if that has gone, the reading thread puts it into the inbox."""
        try:
            self._socket.sendall(encode_line(message))
        except OSError as trouble:
            log.debug("The table does not listen: %s", trouble)

    def close(self) -> None:
        with suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        self._thread.join(SEND_TIMEOUT_S)
        self._socket.close()

    def _read(self) -> None:
        why = ""
        try:
            connection: Connection[FromTable] = Connection(decode_for_uplink)
            while data := self._socket.recv(CHUNK):
                for told in connection.receive_messages(data):
                    self._inbox.put(told)
        except OSError as trouble:
            why = str(trouble)
        except ProtocolViolationError as trouble:
            why = f"it says what this version does not know ({trouble})"
        self._inbox.put(TableGone(why))


def connect_to_table(path: str, inbox: SimpleQueue[Any]) -> TableLink:
    """A connection to the table whose socket is at `path`; raises `NoTableError` if none answers."""
    table = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        table.connect(path)
    except OSError as trouble:
        table.close()
        raise NoTableError(f"no table answers at {path} ({trouble.strerror or trouble})") from trouble
    return TableLink(table, inbox)
