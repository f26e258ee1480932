"""Close codes and task handling that all live connections share."""

from collections.abc import Awaitable
from contextlib import suppress

import anyio
from starlette.websockets import WebSocket, WebSocketDisconnect

from companion.network.web.audience import BrowserWatcher

CLOSED_WRONG, CLOSED_FULL, CLOSED_SLOW = 4403, 4429, 4408
"""Why a live connection was closed, as scripts read it."""
DISCONNECT_ERRORS = (RuntimeError, WebSocketDisconnect)
"""What Starlette raises where a browser has gone already."""


async def send_queued(socket: WebSocket, watcher: BrowserWatcher) -> None:
    """Send all that waits for a watcher, for ever."""
    while True:
        await socket.send_bytes(await watcher.waiting.get())


async def run_until_first_ends(*parts: Awaitable[object]) -> None:
    """Run all of them until the first is done; a browser that has gone ends its part."""
    async with anyio.create_task_group() as group:

        async def one(part: Awaitable[object]) -> None:
            with suppress(*DISCONNECT_ERRORS):
                await part
            group.cancel_scope.cancel()

        for part in parts:
            group.start_soon(one, part)
