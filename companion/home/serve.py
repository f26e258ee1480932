"""The process of `companion uplink`: connects the uplink with the table's socket and the broker."""

import logging
import secrets
import signal
import socket
import sqlite3
from contextlib import suppress
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Any

from companion.core.clock import GameClock
from companion.core.errors import CompanionError, InputError
from companion.core.view import Sentence
from companion.home import topics
from companion.home.broker import UplinkBroker
from companion.home.home_assistant import HomeAssistantDevice
from companion.home.uplink import TableGone, Uplink
from companion.home.uplink_file import UPLINK_FILE, UplinkFile, UplinkFileError, unwritable_message
from companion.language.language import Language
from companion.network import uplink_messages as ms
from companion.network.messages import ClientHello, Message, encode_line
from companion.network.protocol import Connection, ProtocolViolationError
from companion.network.uplink_messages import FromTable, decode_for_uplink
from companion.settings.model import Settings
from companion.system.extras import CLUB_PACKAGE, install_command, load_extensions
from companion.system.terminal import print_lines

log = logging.getLogger(__name__)

CHUNK = 1 << 16
"""Most bytes that are taken at once."""
SEND_TIMEOUT_S = 10.0
"""A table that takes nothing for so long is none."""


class NoTableError(CompanionError):
    """There is no table at this socket."""


class TableLink:
    """A connection to a table; everything it says goes into the inbox."""

    def __init__(self, connected: socket.socket, inbox: SimpleQueue[Any]) -> None:
        self._socket = connected
        self._inbox = inbox
        connected.settimeout(None)
        self.send(ClientHello())
        self._thread = Thread(target=self._read, name="table", daemon=True)
        self._thread.start()

    def send(self, message: Message) -> None:
        """Say it to the table; if that has gone, the reading thread puts it into the inbox."""
        try:
            self._socket.sendall(encode_line(message))
        except OSError as trouble:
            log.debug("The table does not listen: %s", trouble)

    def close(self) -> None:
        with suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        self._thread.join(SEND_TIMEOUT_S)
        self._socket.close()

    def _read(self) -> None:
        why = ""
        try:
            connection: Connection[FromTable] = Connection(decode_for_uplink)
            while data := self._socket.recv(CHUNK):
                for message in connection.receive_messages(data):
                    self._inbox.put(message)
        except OSError as trouble:
            why = str(trouble)
        except ProtocolViolationError as trouble:
            why = f"it says what this version does not know ({trouble})"
        self._inbox.put(TableGone(why))


def connect_to_table(path: str, inbox: SimpleQueue[Any]) -> TableLink:
    """A connection to the table whose socket is at `path`; raises `NoTableError` if none answers."""
    table = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        table.connect(path)
    except OSError as trouble:
        table.close()
        raise NoTableError(f"no table answers at {path} ({trouble.strerror or trouble})") from trouble
    return TableLink(table, inbox)


UPLINK_GROUP = "companion.uplink"
"""The entry points of a club's package: a subclass of `Uplink`."""
RETRY_INTERVAL_S = 1.0
"""Between two tries to reach a table that does not answer."""


class TakenOverError(CompanionError):
    """Another uplink uses a copy of this table's store."""

    exit_code = 3
    """For the unit: it is not started again."""


def uplink_class() -> type[Uplink]:
    """The uplink of a club's package where one is installed, else that for Home Assistant alone."""
    return next(iter(load_extensions(UPLINK_GROUP).values()), Uplink)


def topic_names(settings: Settings) -> tuple[str, str]:
    """The club and the table as topics have them; `InputError` where no table can be made of the name."""
    table = settings.club.table or topics.to_slug(settings.table.name)
    if not table:
        raise InputError(f"club.table: write it in small letters; {settings.table.name} has none for a topic")
    return settings.club.name, table


def serve_uplink(
    settings: Settings, *, folder: Path, connected: socket.socket | None = None, path: str = ""
) -> int:
    """Until SIGTERM, or until the one table it was made for has gone; the exit code.

    `connected` is that table's connection, else tables are found at `path`, one after another. Raises
    `InputError` if the settings name no broker or no usable table, `UplinkFileError` if its file can't be
    written.
    """
    if not settings.club.broker:
        raise InputError('no broker is named; write into the settings file: [club] broker = "its address"')
    kind = uplink_class()
    name, table = topic_names(settings)
    inbox: SimpleQueue[Any] = SimpleQueue()
    file = kind.FILE(folder / UPLINK_FILE)
    if kind is Uplink and not (settings.club.home_assistant or file.read_status().get("home")):
        file.close()
        club = install_command(package=CLUB_PACKAGE)
        raise InputError(f"nobody would hear this table: set club.home_assistant, or for a club: {club}")
    for which in (signal.SIGTERM, signal.SIGINT):
        signal.signal(which, lambda *_: inbox.put(None))
    print_lines(f"This table is {name}/{table} at {settings.club.broker}. Ctrl-C ends it.")
    try:
        while True:
            link = TableLink(connected, inbox) if connected is not None else _wait_for_table(path, inbox)
            if link is None:
                return 0
            try:
                stopped = UplinkSession(settings, kind, file, link, inbox).run()
            except sqlite3.Error as trouble:
                raise UplinkFileError(unwritable_message(folder / UPLINK_FILE, trouble)) from trouble
            finally:
                link.close()
            if stopped or connected is not None or _drain_inbox(inbox):
                return 0
    finally:
        file.close()


def _wait_for_table(path: str, inbox: SimpleQueue[Any]) -> TableLink | None:
    """The table, once it answers; None: stopped before."""
    reported = False
    while True:
        try:
            return connect_to_table(path, inbox)
        except NoTableError as trouble:
            if not reported:
                print_lines(
                    f"Waiting for the table: {trouble}. On a desktop companion play starts the uplink."
                )
                reported = True
        try:
            if inbox.get(timeout=RETRY_INTERVAL_S) is None:
                return None
        except Empty:
            pass


def _drain_inbox(inbox: SimpleQueue[Any]) -> bool:
    """Take out what is left of a table that has gone; whether it was stopped meanwhile."""
    left = []
    while not inbox.empty():
        left.append(inbox.get_nowait())
    return None in left


class UplinkSession:
    """The uplink while one table stays connected."""

    def __init__(
        self,
        settings: Settings,
        kind: type[Uplink],
        file: UplinkFile,
        link: TableLink,
        inbox: SimpleQueue[Any],
    ) -> None:
        self._settings = settings
        self._inbox = inbox
        self._broker: UplinkBroker | None = None
        self._clock = GameClock()
        self._words = Language("en")
        self._last_status = ""
        """What was said of it last."""
        self._name, self._table = topic_names(settings)
        self._uplink = kind(
            file,
            name=self._name,
            table=self._table,
            run=secrets.token_hex(8),
            connect=self._connect,
            say=link.send,
            now=self._clock.now,
            home=self._home if settings.club.home_assistant else None,
        )

    def run(self) -> bool:
        """Whether it was stopped; else the table has gone. `TakenOverError`: another uplink took its name."""
        try:
            while True:
                message = self._next()
                if message is None:
                    return True
                if message is not Empty:
                    self._uplink.handle_message(message)
                self._print_changes()
                if self._uplink.stops:
                    raise TakenOverError(self._words.text(Sentence(self._uplink.stops)))
                if isinstance(message, TableGone):
                    log.info("The table has gone: %s", message.why or "it was closed")
                    return False
        finally:
            try:
                self._uplink.say_offline()
            finally:
                if self._broker is not None:
                    self._broker.close()

    def _next(self) -> Any:
        """What comes next; `Empty`: something is due, and was done."""
        wait = max(0.0, self._clock.seconds_until(self._uplink.next_due()))
        try:
            return self._inbox.get(timeout=wait)
        except Empty:
            self._uplink.tick()
            return Empty

    def _connect(self, store: str) -> UplinkBroker:
        if self._broker is not None:
            self._broker.close()
        at = topics.TopicAddress(self._name, self._table, "status")
        self._broker = UplinkBroker(self._settings.club, store, at, self._inbox)
        self._broker.start()
        return self._broker

    def _home(self, store: str, welcome: ms.UplinkHello) -> HomeAssistantDevice:
        words = Language(self._settings.table.language)
        return HomeAssistantDevice(self._name, self._table, store, welcome, words)

    def _print_changes(self) -> None:
        """Say on the terminal what changed."""
        now = self._uplink.trouble or ("ui.club.heard" if self._uplink.ready else "")
        if now not in {"", self._last_status}:
            self._last_status = now
            print_lines(self._words.text(Sentence(now)))
