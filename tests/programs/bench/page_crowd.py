"""A crowd before the table's page, as a process of its own: `python -m … HOST:PORT PIN HOW`.

`flood`: phones that know the PIN ask for chairs, press, and say all that a page lets them say; forty watchers
never read; others connect, ask for half a page and go, as fast as they can. `hold`: two phones ask for the
chairs 3 and 4 and do what a phone's script does. `press`: these two press as fast as they may, and beyond.
Prints `in` once its phones are in, and ends when its own standard input does.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from contextlib import suppress
from typing import Any

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import WebSocketException
from websockets.typing import Origin

PHONES, WATCHERS, KNOCKING = 4, 40, 8
HELD = (2, 3)
A_SECOND = 95
"""A little less than what a phone is let go for (`MOST_SAID`)."""
PRESSES_A_SECOND = 40
QUIET_S = 0.25
GONE = (OSError, WebSocketException, TimeoutError)


class Phone:
    """One phone, which comes back when it is let go."""

    def __init__(self, place: str, pin: str, chair: int) -> None:
        self.place, self.pin, self.chair = place, pin, chair
        self.there = asyncio.Event()
        self.offer = 0

    async def stay(self, how: str) -> None:
        while True:
            with suppress(*GONE):
                async with opened(self.place, "/phone") as live:
                    await live.send(json.dumps({"type": "enter", "pin": self.pin, "readings": [0, 0.1]}))
                    await asyncio.gather(self._listen(live), self._talk(live, how))
            await asyncio.sleep(QUIET_S)

    async def _listen(self, live: ClientConnection) -> None:
        async for text in live:
            told = json.loads(text)
            if told["type"] == "you":
                self.there.set()
            elif told["type"] == "offer":
                self.offer = told["number"]
            elif told["type"] == "time":
                await live.send(json.dumps({"type": "timed", "n": told["n"], "t3": clock()}))

    async def _talk(self, live: ClientConnection, how: str) -> None:
        number = 0
        while True:
            number += 1
            for message in self._words(number, how):
                await live.send(json.dumps(message))
            await asyncio.sleep({"flood": 1 / A_SECOND, "press": 1 / PRESSES_A_SECOND}.get(how, QUIET_S))

    def _words(self, number: int, how: str) -> list[dict[str, Any]]:
        press = {"type": "press", "offer": self.offer, "at": clock()}
        ask = {"type": "ask", "chair": self.chair}
        time_ = {"type": "time", "n": number, "t0": clock()}
        here = {"type": "here", "now": clock(), "date": clock(), "seen": True}
        if how == "flood":
            wonder = {"type": "wonder", "about": "why"}
            said: list[dict[str, Any]] = [press, ask, time_, here, wonder]
            return [said[number % len(said)]]
        if how == "press":
            return [press, *([time_, here] if number % 10 == 0 else [])]
        return [ask, here, time_] if number < 5 else [here, time_]


def clock() -> float:
    return time.monotonic() * 1e3


def opened(place: str, path: str) -> connect:
    return connect(f"ws://{place}{path}", origin=Origin(f"http://{place}"), open_timeout=20, max_queue=1)


async def watch(place: str, pin: str) -> None:
    """Somebody who watches and never reads."""
    while True:
        with suppress(*GONE):
            async with opened(place, "/live") as live:
                await live.send(json.dumps({"type": "watch", "pin": pin, "lang": "en"}))
                live.transport.pause_reading()
                await live.wait_closed()
        await asyncio.sleep(1)


async def knock(place: str) -> None:
    """Half of a request, again and again."""
    host, _, port = place.partition(":")
    while True:
        with suppress(OSError):
            _, writer = await asyncio.open_connection(host, int(port))
            writer.write(b"GET /seat HTTP/1.1\r\nHost: x")
            writer.close()
        await asyncio.sleep(0.002)


async def crowd(place: str, pin: str, how: str) -> None:
    chairs = HELD if how != "flood" else range(PHONES)
    phones = [Phone(place, pin, chair) for chair in chairs]
    doing = [asyncio.create_task(phone.stay(how)) for phone in phones]
    for phone in phones:
        await phone.there.wait()
    if how == "flood":
        doing += [asyncio.create_task(watch(place, pin)) for _ in range(WATCHERS)]
        doing += [asyncio.create_task(knock(place)) for _ in range(KNOCKING)]
    print("in", flush=True)
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)
    for one in doing:
        one.cancel()


if __name__ == "__main__":
    asyncio.run(crowd(*sys.argv[1:]))
