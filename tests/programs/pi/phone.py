"""Runs inside the guest: one phone's browser, which says and hears what the scripts of its page do."""

from __future__ import annotations

import asyncio
import json
import random
import time
from collections import Counter
from collections.abc import Callable
from typing import Any, NamedTuple

from onlooker import now
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import WebSocketException
from websockets.typing import Origin

from companion.core.actions import Chair, Micros

AGAIN_S = 1.0
ASKS_S, HERE_S = 0.25, 1.0
"""As often as the page's script does."""
READINGS = 32


class Press(NamedTuple):
    """A finger on a phone."""

    at: Micros
    """When it was, by the kernel's clock: the phone's own is an hour or so off."""
    bad_link: bool


class Phone:
    """One phone's browser, which comes back whenever it loses the page."""

    def __init__(self, chair: Chair, host: str, pin: str) -> None:
        self.chair = chair
        self.holds = False
        self.asks = False
        self.back = 0
        """How often it came in."""
        self.verdicts: Counter[str] = Counter()
        self.presses: list[Press] = []
        self.later: list[str] = []
        """What it was told of presses that count later."""
        self.changed: Callable[[], None] = lambda: None
        self.ended = ""
        self._host, self._pin, self._token = host, pin, ""
        self._ahead = random.Random(chair).uniform(-3_600_000, 3_600_000)
        self._offer: dict[str, Any] = {"number": -1}
        self._live: ClientConnection | None = None
        self._asked = 0
        self._sending: set[asyncio.Task[None]] = set()

    def clock(self) -> float:
        """`performance.now()` of this phone."""
        return time.monotonic_ns() / 1e6 + self._ahead

    async def stay(self) -> None:
        """Come in, and come back."""
        while not self.ended:
            try:
                async with connect(
                    f"ws://{self._host}/phone",
                    origin=Origin(f"http://{self._host}"),
                    open_timeout=60,
                    ping_interval=None,
                ) as live:
                    await self._enter(live)
            except (OSError, WebSocketException, TimeoutError):
                pass
            self._live, self._offer = None, {"number": -1}
            self.changed()
            await asyncio.sleep(AGAIN_S)

    async def _enter(self, live: ClientConnection) -> None:
        known = {"token": self._token} if self._token else {"pin": self._pin}
        readings = [self.clock() for _ in range(READINGS)]
        await live.send(json.dumps({"type": "enter", "lang": "en", "readings": readings, **known}))
        asking = asyncio.create_task(self._keep_asking(live))
        try:
            async for text in live:
                await self._take(live, json.loads(text))
        finally:
            asking.cancel()

    async def _keep_asking(self, live: ClientConnection) -> None:
        """What `clock.js` does."""
        here = 0.0
        while True:
            await self._time(live)
            if time.monotonic() - here >= HERE_S:
                here, shown = time.monotonic(), self.clock()
                await self._send(live, type="here", now=shown, date=shown, seen=True)
            await asyncio.sleep(ASKS_S)

    async def _time(self, live: ClientConnection) -> None:
        self._asked += 1
        await self._send(live, type="time", n=self._asked, t0=self.clock())

    async def _send(self, live: ClientConnection, **message: Any) -> None:
        try:
            await live.send(json.dumps(message))
        except WebSocketException:
            return

    async def _take(self, live: ClientConnection, told: dict[str, Any]) -> None:
        match told["type"]:
            case "time":
                await self._send(live, type="timed", n=told["n"], t3=self.clock())
            case "you":
                self._token, self._live = told["token"], live
                self.back += 1
            case "chairs":
                self.holds, self.asks = told["mine"] == self.chair, told["asked"] == self.chair
                if told["open"] and told["mine"] is None and told["asked"] is None:
                    await self._send(live, type="ask", chair=self.chair)
            case "offer":
                self._offer = told
            case "counted":
                self._counted(told)
            case "end" | "no" if told["why"] not in {"away", "full"}:
                self.ended = told["text"]

    def _counted(self, told: dict[str, Any]) -> None:
        self.verdicts[told["verdict"]] += 1
        if told["text"]:
            self.later.append(told["text"])
        if told["verdict"] != "taken":
            self.changed()

    @property
    def is_in(self) -> bool:
        return self._live is not None and self.holds

    def shows(self, words: str) -> bool:
        return self._live is not None and words in self._offer.get("options", ())

    def press(self, words: str, *, bad_link: bool) -> None:
        """A finger on the button that says this."""
        live, at, options = self._live, now(), self._offer["options"]
        assert live is not None
        message = {"type": "press", "offer": self._offer["number"], "at": at / 1e3 + self._ahead}
        if len(options) > 1:
            message["choice"] = options.index(words)
        self.presses.append(Press(at, bad_link))
        sending = asyncio.create_task(self._pressed(live, message))
        self._sending.add(sending)
        sending.add_done_callback(self._sending.discard)

    async def _pressed(self, live: ClientConnection, message: dict[str, Any]) -> None:
        await self._send(live, **message)
        await self._time(live)
