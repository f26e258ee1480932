"""The page's end of the table's socket: it reads along, and comes back when the table does."""

from __future__ import annotations

import asyncio
import logging
import socket
from collections.abc import Awaitable, Callable

from msgspec import MsgspecError

from companion.doors.messages import FromTable, Greeting, heard_by_client, line_of

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


async def read_along(opened: Opened, heard: Callable[[FromTable | None], object]) -> None:
    """Hand over every message of one connection, and None at its end; `OSError` where there is no table."""
    reader, writer = await opened()
    try:
        writer.write(line_of(Greeting()))
        await writer.drain()
        while line := await reader.readline():
            heard(heard_by_client(line))
    except (MsgspecError, ValueError) as trouble:
        log.warning("The table said what this page does not know (%s); is it of another version?", trouble)
    except ConnectionError:
        pass
    finally:
        heard(None)
        writer.close()


async def keep_reading(opened: Opened, heard: Callable[[FromTable | None], object]) -> None:
    """Read along for ever: a table that was restarted is found again."""
    while True:
        try:
            await read_along(opened, heard)
        except OSError as trouble:
            log.debug("No table: %s", trouble)
        await asyncio.sleep(AGAIN_S)
