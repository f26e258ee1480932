"""Fan-out of the table's messages to watching browsers, worded once for each language."""

from __future__ import annotations

import asyncio
from collections.abc import Collection
from functools import lru_cache

import msgspec

from companion.core.seats import PALETTE
from companion.language.language import Language
from companion.language.translator import table_title
from companion.network.messages import (
    ChairHolders,
    FromTable,
    GuidanceMessage,
    PhotoFinishMessage,
    TableHello,
    TableSnapshot,
)
from companion.network.web.guard import BrowserWarnings
from companion.network.web.json_view import to_json

MAX_WATCHERS = 48
"""Browsers at a time; who comes later reads that it is full."""
MAX_QUEUED_MESSAGES = 64
"""Messages that wait for one browser; a slower one is let go and comes back."""

AWAY_MESSAGE = msgspec.json.encode({"type": "away"})


@lru_cache(maxsize=8)
def _language(code: str, colours: tuple[str, ...]) -> Language:
    return Language(code, colours)


class BrowserWatcher:
    """One browser: its language, and what waits for it."""

    def __init__(self, code: str, address: str = "") -> None:
        self.code = code
        self.address = address
        """Where it is; empty: it is never told why it was cut off."""
        self.waiting: asyncio.Queue[bytes] = asyncio.Queue(MAX_QUEUED_MESSAGES)
        self.slow = asyncio.Event()
        self.unread = False
        """Whether it is let go because it does not read."""

    def queue_line(self, line: bytes) -> None:
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
        self._watchers: set[BrowserWatcher] = set()
        self._standing: dict[type, FromTable] = {}
        self._colours: tuple[str, ...] = PALETTE
        self._name = ""
        """What the table is called; it is kept while the table is away."""
        self.table_there = False
        self.remarks = BrowserWarnings()

    @property
    def full(self) -> bool:
        return len(self._watchers) >= MAX_WATCHERS

    def add_watcher(self, code: str, address: str = "") -> BrowserWatcher:
        """A browser watches from now on; what stands is sent at once, and why it had been cut off."""
        watcher = BrowserWatcher(code, address)
        if not self.table_there:
            watcher.waiting.put_nowait(AWAY_MESSAGE)
        for message in self._standing.values():
            if (line := self._encode_for(message, code)) is not None:
                watcher.waiting.put_nowait(line)
        if (why := self.remarks.take_cut_off_reason(address)) is not None:
            text = self.language_for(code).tr(f"ui.page.back.{why}")
            watcher.waiting.put_nowait(msgspec.json.encode({"type": "back", "text": text}))
        self._watchers.add(watcher)
        return watcher

    def remove_watcher(self, watcher: BrowserWatcher) -> None:
        if watcher in self._watchers and watcher.unread:
            self.remarks.report_cut_off(watcher.address, "unread")
        self._watchers.discard(watcher)

    def close(self) -> None:
        """Everybody is let go: the page ends."""
        for watcher in self._watchers:
            watcher.slow.set()

    def handle_message(self, message: FromTable | None) -> None:
        """The table said something; None: it went away, and nothing of it stands any more."""
        self.table_there = message is not None
        if message is None or isinstance(message, TableHello):
            self._standing.clear()
        if isinstance(message, TableHello):
            self._name = message.table
        if message is None:
            self._send_to_all(dict.fromkeys((one.code for one in self._watchers), AWAY_MESSAGE))
            return
        if isinstance(message, TableSnapshot) and message.colours:
            self._colours = message.colours
        if isinstance(message, ChairHolders) and message.seats:
            self._colours = (*(seat.colour for seat in message.seats), *self._colours[len(message.seats) :])
        if isinstance(message, TableSnapshot | PhotoFinishMessage | GuidanceMessage):
            self._standing[type(message)] = message
        codes = {watcher.code for watcher in self._watchers}
        self._send_to_all(
            {code: line for code in codes if (line := self._encode_for(message, code)) is not None}
        )

    def language_for(self, code: str) -> Language:
        """The language of a browser, in the colours of this table."""
        return _language(code, self._colours)

    def table_name(self, code: str, host: str) -> str:
        """What the table is called, to a browser that found it at `host`."""
        return table_title(self.language_for(code), self._name, host)

    def _encode_for(self, message: FromTable, code: str) -> bytes | None:
        return to_json(message, self.language_for(code), self._art)

    def _send_to_all(self, lines: dict[str, bytes]) -> None:
        for watcher in self._watchers:
            if (line := lines.get(watcher.code)) is not None:
                watcher.queue_line(line)
