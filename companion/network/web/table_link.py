"""The page's connection to the table's socket, reopened when the table returns."""

import asyncio
import logging
import socket
from collections.abc import Awaitable, Callable

from companion.network.messages import ClientHello, FromTable, ToTable, decode_for_client, encode_line
from companion.network.protocol import Connection, ProtocolViolationError

log = logging.getLogger(__name__)

CHUNK = 1 << 16
"""Most bytes that are taken at once."""
RETRY_INTERVAL_S = 1.0
"""Between two tries to reach a table that does not answer."""

Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]
Opener = Callable[[], Awaitable[Streams]]


def open_at(path: str) -> Opener:
    """Opens the socket of a table at `path`."""
    return lambda: asyncio.open_unix_connection(path)


def open_over(connected: socket.socket) -> Opener:
    """Opens a connection that is there already; there is no second one."""
    return lambda: asyncio.open_unix_connection(sock=connected)


class TableSender:
    """What the page says to the table; while there is none, nothing is kept for later."""

    def __init__(self) -> None:
        self.writer: asyncio.StreamWriter | None = None

    def send(self, message: ToTable) -> bool:
        """Whether there is a table to say it to."""
        if self.writer is None or self.writer.is_closing():
            return False
        self.writer.write(encode_line(message))
        return True


async def read_messages(
    opened: Opener, on_message: Callable[[FromTable | None], object], outbox: TableSender | None = None
) -> None:
    """Hand over every message of one connection, and None at its end; `OSError` where there is no table.

    `outbox` says things to the table meanwhile.
    """
    reader, writer = await opened()
    outbox, connection = outbox or TableSender(), Connection(decode_for_client)
    try:
        writer.write(encode_line(ClientHello()))
        await writer.drain()
        outbox.writer = writer
        while data := await reader.read(CHUNK):
            for message in connection.receive_messages(data):
                on_message(message)
    except ProtocolViolationError as trouble:
        log.warning("The table said what this page does not know (%s); is it of another version?", trouble)
    except ConnectionError:
        pass
    finally:
        outbox.writer = None
        on_message(None)
        writer.close()


async def read_forever(
    opened: Opener, on_message: Callable[[FromTable | None], object], outbox: TableSender | None = None
) -> None:
    """Read along for ever: a table that was restarted is found again."""
    while True:
        try:
            await read_messages(opened, on_message, outbox)
        except OSError as trouble:
            log.debug("No table: %s", trouble)
        await asyncio.sleep(RETRY_INTERVAL_S)
