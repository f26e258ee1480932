"""Who watches, and what stands: each message of the table is put into words once for each language in use."""

from __future__ import annotations

import asyncio
from collections.abc import Collection
from functools import lru_cache

import msgspec

from companion.doors.messages import FromTable, Held, Hello, Lesson, Photo, View
from companion.page.guard import Remarks
from companion.page.shown import as_json
from companion.ui.frame import PALETTE
from companion.ui.language import Language
from companion.ui.words import table_called

MOST_WATCHERS = 48
"""Browsers at a time; who comes later reads that it is full."""
MOST_WAITING = 64
"""Messages that wait for one browser; a slower one is let go and comes back."""

AWAY = msgspec.json.encode({"type": "away"})


@lru_cache(maxsize=8)
def _words(code: str, colours: tuple[str, ...]) -> Language:
    return Language(code, colours)


class Watcher:
    """One browser: its language, and what waits for it."""

    def __init__(self, code: str, address: str = "") -> None:
        self.code = code
        self.address = address
        """Where it is; empty: it is never told why it was cut off."""
        self.waiting: asyncio.Queue[bytes] = asyncio.Queue(MOST_WAITING)
        self.slow = asyncio.Event()
        self.unread = False
        """Whether it is let go because it does not read."""

    def tell(self, line: bytes) -> None:
        """One that reads too slowly is let go."""
        try:
            self.waiting.put_nowait(line)
        except asyncio.QueueFull:
            self.unread = True
            self.slow.set()


class Audience:
    """Between the one table and its watchers."""

    def __init__(self, art: Collection[str]) -> None:
        self._art = art
        self._watchers: set[Watcher] = set()
        self._standing: dict[type, FromTable] = {}
        self._colours: tuple[str, ...] = PALETTE
        self._name = ""
        """What the table is called; it is kept while the table is away."""
        self.table_there = False
        self.remarks = Remarks()

    @property
    def full(self) -> bool:
        return len(self._watchers) >= MOST_WATCHERS

    def come(self, code: str, address: str = "") -> Watcher:
        """A browser watches from now on; what stands is sent at once, and why it had been cut off."""
        watcher = Watcher(code, address)
        if not self.table_there:
            watcher.waiting.put_nowait(AWAY)
        for message in self._standing.values():
            if (line := self._told(message, code)) is not None:
                watcher.waiting.put_nowait(line)
        if (why := self.remarks.back(address)) is not None:
            text = self.words(code).tr(f"ui.page.back.{why}")
            watcher.waiting.put_nowait(msgspec.json.encode({"type": "back", "text": text}))
        self._watchers.add(watcher)
        return watcher

    def leave(self, watcher: Watcher) -> None:
        if watcher in self._watchers and watcher.unread:
            self.remarks.cut_off(watcher.address, "unread")
        self._watchers.discard(watcher)

    def close(self) -> None:
        """Everybody is let go: the page ends."""
        for watcher in self._watchers:
            watcher.slow.set()

    def heard(self, message: FromTable | None) -> None:
        """The table said something; None: it went away, and nothing of it stands any more."""
        self.table_there = message is not None
        if message is None or isinstance(message, Hello):
            self._standing.clear()
        if isinstance(message, Hello):
            self._name = message.table
        if message is None:
            self._spread(dict.fromkeys((one.code for one in self._watchers), AWAY))
            return
        if isinstance(message, View) and message.colours:
            self._colours = message.colours
        if isinstance(message, Held) and message.seats:
            self._colours = (*(seat.colour for seat in message.seats), *self._colours[len(message.seats) :])
        if isinstance(message, View | Photo | Lesson):
            self._standing[type(message)] = message
        codes = {watcher.code for watcher in self._watchers}
        self._spread({code: line for code in codes if (line := self._told(message, code)) is not None})

    def words(self, code: str) -> Language:
        """The language of a browser, in the colours of this table."""
        return _words(code, self._colours)

    def called(self, code: str, host: str) -> str:
        """What the table is called, to a browser that found it at `host`."""
        return table_called(self.words(code), self._name, host)

    def _told(self, message: FromTable, code: str) -> bytes | None:
        return as_json(message, self.words(code), self._art)

    def _spread(self, lines: dict[str, bytes]) -> None:
        for watcher in self._watchers:
            if (line := lines.get(watcher.code)) is not None:
                watcher.tell(line)
