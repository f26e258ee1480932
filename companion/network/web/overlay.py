"""Server-sent events for the overlay of a video stream, held back by the delay set for that stream.

A delay counts from when the table told something, so that viewers who signal to players are too late.
"""

import asyncio
import hmac
import os
import re
import secrets
from collections import deque
from collections.abc import AsyncIterator, Awaitable
from contextlib import suppress
from pathlib import Path
from typing import Any

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.types import Receive, Scope, Send

from companion.core.errors import CompanionError
from companion.network.web.audience import Audience, BrowserWatcher
from companion.system.safe_files import atomic_write

KEY_FILE = "overlay.key"
"""The file in the page's own folder (`StateDirectory` in `systemd/companion-page.service`)."""
KEY_BYTES = 16
KEY_PATTERN = re.compile(r"[0-9a-f]{32}")
MAX_DELAY_S = 60


class OverlayKeyError(CompanionError):
    """The key cannot be read or written."""


class OverlayKey:
    """The one key that is valid now. In a folder it outlives the page, and another process may replace it."""

    def __init__(self, folder: Path | None = None) -> None:
        """Without a `folder` the key lasts as long as this object."""
        self._file = None if folder is None else folder / KEY_FILE
        self._stamp: tuple[int, int] | None = None
        self._key = ""
        self._read()
        if not self._key:
            self.renew()

    @property
    def key(self) -> str:
        """The key as it is in the file now; empty once it was taken away."""
        self._read()
        return self._key

    def matches(self, key: str) -> bool:
        """Whether this is the valid key, compared in constant time."""
        valid = self.key
        return bool(valid) and hmac.compare_digest(key.encode(), valid.encode())

    def renew(self) -> str:
        """Make another key; every overlay that was opened with the one before goes dark.

        Raises `OverlayKeyError` if it cannot be saved.
        """
        self._key = secrets.token_hex(KEY_BYTES)
        if self._file is not None:
            try:
                self._file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
                with atomic_write(self._file, mode=0o600) as new:
                    new.write(f"{self._key}\n".encode())
                    if os.geteuid() == 0:  # root made it for the page, which reads it as a user of its own
                        owner = self._file.parent.stat()
                        os.fchown(new.fileno(), owner.st_uid, owner.st_gid)
            except OSError as trouble:
                raise OverlayKeyError(
                    f"can't save the overlay's key in {self._file.parent} ({trouble.strerror})"
                ) from trouble
            self._stamp = self._file_stamp()
        return self._key

    def _read(self) -> None:
        """Read the file again if it is another than before."""
        if self._file is None or (stamp := self._file_stamp()) == self._stamp:
            return
        self._stamp, self._key = stamp, ""
        with suppress(OSError, UnicodeDecodeError):
            found = self._file.read_text(encoding="ascii").strip()
            self._key = found if KEY_PATTERN.fullmatch(found) else ""

    def _file_stamp(self) -> tuple[int, int] | None:
        assert self._file is not None
        try:
            found = self._file.stat()
        except OSError:
            return None
        return found.st_ino, found.st_mtime_ns


KEEP_ALIVE_S = 10.0
"""A comment goes out at least so often, and with it an event, for a browser's script sees no comments."""
KEEP_ALIVE = b":\nevent: alive\ndata: 1\n\n"
MAX_DELAYED_BYTES = 4 << 20
"""Bytes that may wait for their delay; a table that tells more in a minute ends the stream."""
DELAY_PATTERN = re.compile(r"[0-9]{1,2}")


def parse_delay(text: str) -> int | None:
    """The seconds that were asked for, 0 where none were; None: that is no number from 0 to 60."""
    if not text:
        return 0
    return int(text) if DELAY_PATTERN.fullmatch(text) and int(text) <= MAX_DELAY_S else None


def encode_event(line: bytes) -> bytes:
    """A message, which is JSON on one line, as a server-sent event."""
    return b"data: " + line + b"\n\n"


class Overlay:
    """Answers `/overlay/events`: one stream for each reader."""

    def __init__(self, audience: Audience, keys: OverlayKey, codes: tuple[str, ...]) -> None:
        self.audience = audience
        self._keys = keys
        self._codes = codes

    async def handle_request(self, request: Request) -> Response:
        """The stream, or in one sentence why there is none."""
        query = request.query_params
        key, delay, code = query.get("key", ""), parse_delay(query.get("delay", "")), query.get("lang", "")
        if not self._keys.matches(key):
            return PlainTextResponse("This address is not valid any more.", status_code=403)
        if delay is None:
            return PlainTextResponse(f"A delay is 0 to {MAX_DELAY_S} seconds.", status_code=400)
        if self.audience.full:
            return PlainTextResponse("Too many are watching already.", status_code=503)
        if request.method == "HEAD":
            return Response(headers={"Cache-Control": "no-store"})
        return _Stream(self, key, code if code in self._codes else "en", delay)

    async def stream_events(self, watcher: BrowserWatcher, key: str, delay: int) -> AsyncIterator[bytes]:
        """What goes to one reader, until its key is revoked or it does not keep up."""
        now = asyncio.get_running_loop().time
        late: deque[tuple[float, bytes]] = deque()
        waiting, said = 0, now()
        yield KEEP_ALIVE
        while self._keys.matches(key) and not watcher.slow.is_set() and waiting <= MAX_DELAYED_BYTES:
            due = min(said + KEEP_ALIVE_S, late[0][0] if late else said + KEEP_ALIVE_S)
            try:
                async with asyncio.timeout_at(due):
                    line = await watcher.waiting.get()
                late.append((now() + delay, line))
                waiting += len(line)
            except TimeoutError:
                pass
            while late and late[0][0] <= now():
                _, line = late.popleft()
                waiting -= len(line)
                if not self._keys.matches(key):
                    return
                said = now()
                yield encode_event(line)
            if now() >= said + KEEP_ALIVE_S:
                said = now()
                yield KEEP_ALIVE


class _Stream(Response):
    """One answer that goes on until the reader leaves, does not keep up, or has no valid key any more.

    A reader that stopped reading for good is closed by the kernel (`serve.UNREAD_TIMEOUT_MS`).
    """

    def __init__(self, overlay: Overlay, key: str, code: str, delay: int) -> None:
        super().__init__(headers={"Content-Type": "text/event-stream", "Cache-Control": "no-store"})
        del self.headers["content-length"]
        self._overlay, self._key, self._code, self._delay = overlay, key, code, delay

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        watcher = self._overlay.audience.add_watcher(self._code)

        async def send_tracked() -> None:
            await send({"type": "http.response.start", "status": 200, "headers": self.raw_headers})
            async for part in self._overlay.stream_events(watcher, self._key, self._delay):
                await send({"type": "http.response.body", "body": part, "more_body": True})

        async def wait_for_disconnect() -> None:
            while (await receive())["type"] != "http.disconnect":
                pass

        leaves = asyncio.ensure_future(wait_for_disconnect())
        try:
            await _run_until_first_done(leaves, send_tracked(), watcher.slow.wait())
            self._overlay.audience.remove_watcher(watcher)
            if not leaves.done():
                await _run_until_first_done(leaves, send({"type": "http.response.body", "body": b""}))
        finally:
            self._overlay.audience.remove_watcher(watcher)
            leaves.cancel()
            await asyncio.gather(leaves, return_exceptions=True)


async def _run_until_first_done(leaves: asyncio.Future[None], *parts: Awaitable[Any]) -> None:
    """Until the reader leaves or one part is done; the parts are ended, `leaves` goes on."""
    tasks: list[asyncio.Future[Any]] = [asyncio.ensure_future(part) for part in parts]
    try:
        await asyncio.wait((leaves, *tasks), return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
