"""`companion uplink`: between a table's socket and a broker, until it is stopped."""

import logging
import secrets
import signal
import socket
import sqlite3
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any

from companion.club import messages as club
from companion.core.clock import GameClock
from companion.core.errors import CompanionError, InputError
from companion.core.view import Sentence
from companion.doors import uplink as door
from companion.settings.model import Settings
from companion.settings.terminal import say
from companion.ui.language import Language
from companion.uplink.broker import Broker
from companion.uplink.home import Home
from companion.uplink.link import Link, NoTable, TableGone, link_at
from companion.uplink.outbox import Outbox, OutboxError, unwritable
from companion.uplink.uplink import Uplink

log = logging.getLogger(__name__)

OUTBOX = "uplink.sqlite"
"""The file of the outbox."""
AGAIN_S = 1.0
"""Between two tries to reach a table that does not answer."""


class TakenOverError(CompanionError):
    """Another uplink uses a copy of this table's store."""

    exit_code = 3
    """For the unit: it is not started again."""


def topic_of(settings: Settings) -> tuple[str, str]:
    """The club and the table as topics have them; `InputError` where no table can be made of the name."""
    table = settings.club.table or club.slug(settings.table.name)
    if not table:
        raise InputError(f"club.table: write it in small letters; {settings.table.name} has none for a topic")
    return settings.club.name, table


def serve(settings: Settings, *, folder: Path, connected: socket.socket | None = None, path: str = "") -> int:
    """Until SIGTERM, or until the one table it was made for has gone; the exit code.

    `connected` is that table's connection, else tables are found at `path`, one after another. Raises
    `InputError` if the settings name no broker or no usable table, `OutboxError` if the outbox can't be
    written.
    """
    if not settings.club.broker:
        raise InputError('no broker is named; write into the settings file: [club] broker = "its address"')
    name, table = topic_of(settings)
    inbox: SimpleQueue[Any] = SimpleQueue()
    outbox = Outbox(folder / OUTBOX)
    for which in (signal.SIGTERM, signal.SIGINT):
        signal.signal(which, lambda *_: inbox.put(None))
    say(f"This table is {name}/{table} at {settings.club.broker}. Ctrl-C ends it.")
    try:
        while True:
            link = Link(connected, inbox) if connected is not None else _table(path, inbox)
            if link is None:
                return 0
            try:
                stopped = Session(settings, outbox, link, inbox).run()
            except sqlite3.Error as trouble:
                raise OutboxError(unwritable(folder / OUTBOX, trouble)) from trouble
            finally:
                link.close()
            if stopped or connected is not None or _drained(inbox):
                return 0
    finally:
        outbox.close()


def _table(path: str, inbox: SimpleQueue[Any]) -> Link | None:
    """The table, once it answers; None: stopped before."""
    told = False
    while True:
        try:
            return link_at(path, inbox)
        except NoTable as trouble:
            if not told:
                say(f"Waiting for the table: {trouble}. On a desktop companion play starts the uplink.")
                told = True
        try:
            if inbox.get(timeout=AGAIN_S) is None:
                return None
        except Empty:
            pass


def _drained(inbox: SimpleQueue[Any]) -> bool:
    """Take out what is left of a table that has gone; whether it was stopped meanwhile."""
    left = []
    while not inbox.empty():
        left.append(inbox.get_nowait())
    return None in left


class Session:
    """The uplink while one table stays connected."""

    def __init__(self, settings: Settings, outbox: Outbox, link: Link, inbox: SimpleQueue[Any]) -> None:
        self._settings = settings
        self._inbox = inbox
        self._broker: Broker | None = None
        self._clock = GameClock()
        self._words = Language("en")
        self._told = ""
        """What was said of it last."""
        self._name, self._table = topic_of(settings)
        self._uplink = Uplink(
            outbox,
            name=self._name,
            table=self._table,
            run=secrets.token_hex(8),
            connect=self._connect,
            say=link.say,
            now=self._clock.now,
            home=self._home if settings.club.home_assistant else None,
        )

    def run(self) -> bool:
        """Whether it was stopped; else the table has gone. `TakenOverError`: another uplink took its name."""
        try:
            while True:
                heard = self._next()
                if heard is None:
                    return True
                if heard is not Empty:
                    self._uplink.hear(heard)
                self._tell()
                if self._uplink.stops:
                    raise TakenOverError(self._words.text(Sentence(self._uplink.stops)))
                if isinstance(heard, TableGone):
                    log.info("The table has gone: %s", heard.why or "it was closed")
                    return False
        finally:
            try:
                self._uplink.leave()
            finally:
                if self._broker is not None:
                    self._broker.close()

    def _next(self) -> Any:
        """What comes next; `Empty`: something is due, and was done."""
        wait = max(0.0, self._clock.seconds_until(self._uplink.due()))
        try:
            return self._inbox.get(timeout=wait)
        except Empty:
            self._uplink.tick()
            return Empty

    def _connect(self, store: str) -> Broker:
        if self._broker is not None:
            self._broker.close()
        at = club.Address(self._name, self._table, "status")
        self._broker = Broker(self._settings.club, store, at, self._inbox)
        self._broker.start()
        return self._broker

    def _home(self, store: str, welcome: door.Welcome) -> Home:
        words = Language(self._settings.table.language)
        return Home(self._name, self._table, store, welcome, words)

    def _tell(self) -> None:
        """Say on the terminal what changed."""
        now = self._uplink.trouble or ("ui.club.heard" if self._uplink.ready else "")
        if now not in {"", self._told}:
            self._told = now
            say(self._words.text(Sentence(now)))
