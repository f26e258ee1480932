"""Close codes and task handling that all live connections share."""

import asyncio
from collections.abc import Awaitable
from contextlib import suppress

import anyio
from starlette.websockets import WebSocket, WebSocketDisconnect

from companion.network.web.audience import BrowserWatcher

CLOSED_WRONG, CLOSED_FULL, CLOSED_SLOW = 4403, 4429, 4408
"""Why a live connection was closed, as scripts read it."""
DISCONNECT_ERRORS = (RuntimeError, WebSocketDisconnect)
"""What Starlette raises where a browser has gone already."""


ALIVE_INTERVAL_S = 0.25
"""A browser that hears nothing for four times as long says that the connection is lost."""
ALIVE_MESSAGE = b'{"type":"alive"}'


async def send_queued(socket: WebSocket, watcher: BrowserWatcher) -> None:
    """Send all that waits for a watcher, for ever; where nothing does, that the page is there."""
    while True:
        try:
            line = await asyncio.wait_for(watcher.waiting.get(), ALIVE_INTERVAL_S)
        except TimeoutError:
            line = ALIVE_MESSAGE
        await send_line(socket, line)


async def send_line(socket: WebSocket, line: bytes) -> None:
    """As text: a browser hands binary frames over later than text, and then in another order."""
    await socket.send_text(line.decode())


async def run_until_first_ends(*parts: Awaitable[object]) -> None:
    """Run all of them until the first is done; a browser that has gone ends its part."""
    async with anyio.create_task_group() as group:

        async def one(part: Awaitable[object]) -> None:
            with suppress(*DISCONNECT_ERRORS):
                await part
            group.cancel_scope.cancel()

        for part in parts:
            group.start_soon(one, part)
