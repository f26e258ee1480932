"""The page's end of the table's socket: it reads along, and comes back when the table does."""

import asyncio
import logging
import socket
from collections.abc import Awaitable, Callable

from msgspec import MsgspecError

from companion.doors.messages import FromTable, Greeting, ToTable, heard_by_client, line_of

log = logging.getLogger(__name__)

LONGEST = 1 << 20
"""Bytes of one line from the table."""
AGAIN_S = 1.0
"""Between two tries to reach a table that does not answer."""

Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]
Opened = Callable[[], Awaitable[Streams]]


def at(path: str) -> Opened:
    """Opens the socket of a table at `path`."""
    return lambda: asyncio.open_unix_connection(path, limit=LONGEST)


def over(connected: socket.socket) -> Opened:
    """Opens a connection that is there already; there is no second one."""
    return lambda: asyncio.open_unix_connection(sock=connected, limit=LONGEST)


class Outbox:
    """What the page says to the table; while there is none, nothing is kept for later."""

    def __init__(self) -> None:
        self.writer: asyncio.StreamWriter | None = None

    def say(self, message: ToTable) -> bool:
        """Whether there is a table to say it to."""
        if self.writer is None or self.writer.is_closing():
            return False
        self.writer.write(line_of(message))
        return True


async def read_along(
    opened: Opened, heard: Callable[[FromTable | None], object], outbox: Outbox | None = None
) -> None:
    """Hand over every message of one connection, and None at its end; `OSError` where there is no table.

    `outbox` says things to the table meanwhile.
    """
    reader, writer = await opened()
    outbox = outbox or Outbox()
    try:
        writer.write(line_of(Greeting()))
        await writer.drain()
        outbox.writer = writer
        while line := await reader.readline():
            heard(heard_by_client(line))
    except (MsgspecError, ValueError) as trouble:
        log.warning("The table said what this page does not know (%s); is it of another version?", trouble)
    except ConnectionError:
        pass
    finally:
        outbox.writer = None
        heard(None)
        writer.close()


async def keep_reading(
    opened: Opened, heard: Callable[[FromTable | None], object], outbox: Outbox | None = None
) -> None:
    """Read along for ever: a table that was restarted is found again."""
    while True:
        try:
            await read_along(opened, heard, outbox)
        except OSError as trouble:
            log.debug("No table: %s", trouble)
        await asyncio.sleep(AGAIN_S)
