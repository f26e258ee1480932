"""A table's door with a real store behind it, an uplink at it, and somebody who hears all at the broker."""

from __future__ import annotations

import json
import signal
import socket
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Any, ClassVar, NamedTuple, Protocol

import msgspec
from paho.mqtt.client import Client
from paho.mqtt.enums import CallbackAPIVersion, MQTTProtocolVersion
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties

from companion.core.errors import CompanionError
from companion.games import RULES
from companion.home.serve import UplinkSession, connect_to_table
from companion.home.topics import Status
from companion.home.uplink import Uplink
from companion.home.uplink_file import UPLINK_FILE, UplinkFile
from companion.network import uplink_messages as ms
from companion.network.table_server import UplinkServer
from companion.programs.store_responder import StoreResponder
from companion.referee.store import GameStore
from companion.settings.files import load_settings
from companion.settings.model import Settings
from tests.home.played import played

COLOURS = ("red", "blue", "green", "yellow", "purple", "orange", "pink", "white")
LONGEST_S = 60
"""A test that waits so long has failed; a process may need a good part of it to start."""


class Said(NamedTuple):
    topic: str
    payload: bytes
    retained: bool

    @property
    def kind(self) -> str:
        return self.topic.rpartition("/")[2]

    def read(self) -> Any:
        """A status of a table."""
        return msgspec.json.decode(self.payload, type=Status)


class Listener:
    """Hears what is published, in its order; says things as the hub does."""

    SAID: ClassVar[type[Said]] = Said

    def __init__(
        self,
        port: int,
        topic: str = "#",
        *,
        name: str = "listener",
        kept: bool = False,
        user: str = "",
        password: str = "",
    ) -> None:
        """`kept`: the broker keeps what comes while it is away, as for a hub. `user`: with a password."""
        self.said: SimpleQueue[Said | None] = SimpleQueue()
        self._subscribed: SimpleQueue[int] = SimpleQueue()
        self._client = Client(CallbackAPIVersion.VERSION2, name, protocol=MQTTProtocolVersion.MQTTv5)
        self._client.on_message = lambda *heard: self.said.put(
            self.SAID(heard[2].topic, heard[2].payload, heard[2].retain)
        )
        self._client.on_subscribe = lambda *heard: self._subscribed.put(heard[2])
        self._client.on_connect = self._connected
        self._topic = topic
        if user:
            self._client.username_pw_set(user, password or f"{user}'s")
        session = Properties(PacketTypes.CONNECT)  # type: ignore[no-untyped-call]
        session.SessionExpiryInterval = 3600 if kept else 0
        self._client.connect("127.0.0.1", port, clean_start=not kept, properties=session)
        self._client.loop_start()
        self._subscribed.get(timeout=LONGEST_S)

    def _connected(self, *_: Any) -> None:
        self._client.subscribe(self._topic, qos=1)

    def until(self, wanted: Callable[[Said], bool]) -> list[Said]:
        """Everything up to the first message that is wanted."""
        heard: list[Said] = []
        while True:
            try:
                said = self.said.get(timeout=LONGEST_S)
            except Empty:
                raise AssertionError(f"nothing more was published; heard so far: {heard}") from None
            assert said is not None
            heard.append(said)
            if wanted(said):
                return heard

    def next(self, kind: str) -> Said:
        """The next message of this kind; what comes before is dropped."""
        return self.until(lambda said: said.kind == kind)[-1]

    def publish(
        self, topic: str, payload: bytes, *, retain: bool = False, expires_s: int | None = None
    ) -> None:
        more = Properties(PacketTypes.PUBLISH)  # type: ignore[no-untyped-call]
        if expires_s is not None:
            more.MessageExpiryInterval = expires_s
        self._client.publish(topic, payload, qos=1, retain=retain, properties=more).wait_for_publish(
            LONGEST_S
        )

    def close(self) -> None:
        self._client.disconnect()
        self._client.loop_stop()


class Listening(Protocol):
    """A broker of this machine."""

    port: int


class Table:
    """The door of a table and what is behind it; games are played by writing them into its store."""

    def __init__(self, folder: Path, broker: Listening, **overrides: str) -> None:
        self.folder = folder
        folder.mkdir(exist_ok=True)
        given = {
            "storage.folder": str(folder),
            "club.broker": "127.0.0.1",
            "club.port": str(broker.port),
            **{name.replace("__", "."): value for name, value in overrides.items()},
        }
        self.settings: Settings = load_settings(overrides=given, environ={}, file=_empty(folder))
        self.path = self.settings.store_file()
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.place = folder / "uplink.sock"
        self.commands: list[Command] = []
        self._open()

    def _open(self) -> None:
        self.place.unlink(missing_ok=True)
        listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        listening.bind(str(self.place))
        listening.listen(8)
        self.door = UplinkServer(listening, run="r", name=self.settings.table.name, program="0.1.0")
        desk = StoreResponder(
            self.door, GameStore(self.path, RULES), colours=COLOURS, nicknames=self.settings.club.nicknames
        )
        desk.start()
        self.door.start()

    def play(self, **game: Any) -> int:
        """Play a game, and tell that it is over."""
        number = played(self.path, **game)
        with GameStore(self.path, RULES) as store:
            stored = store.find_game(number)
        assert stored is not None
        self.door.broadcast(
            ms.CurrentGame(number, stored.name, stored.entries, over=stored.outcome is not None)
        )
        return number

    def restart(self) -> None:
        """The table's process ends, and comes again."""
        self.door.close()
        self._open()

    def close(self) -> None:
        """Nothing of it is left, and no uplink that was started at it."""
        for command in self.commands:
            command.close()
        self.door.close()


def copied(table: Table, other: Table) -> None:
    """The other table has a copy of this one's games; its uplink has told nothing yet."""
    with closing(sqlite3.connect(table.path)) as games, closing(sqlite3.connect(other.path)) as copy:
        games.backup(copy)


def _empty(folder: Path) -> Path:
    file = folder / "settings.toml"
    file.touch()
    return file


class Uplinked:
    """An uplink at a table, in a thread of this process."""

    def __init__(self, table: Table, kind: type[Uplink]) -> None:
        self._kind = kind
        self.inbox: SimpleQueue[Any] = SimpleQueue()
        self.ended: SimpleQueue[Any] = SimpleQueue()
        self._table = table
        self._thread = Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        table = self._table
        folder = table.settings.store_folder()
        folder.mkdir(exist_ok=True, parents=True)
        file = self._kind.FILE(folder / UPLINK_FILE)
        link = connect_to_table(str(table.place), self.inbox)
        try:
            ended: Any = UplinkSession(table.settings, self._kind, file, link, self.inbox).run()
        except (CompanionError, sqlite3.Error) as failure:
            ended = failure
        link.close()
        file.close()
        self.ended.put(ended)

    def wait(self) -> Any:
        """How it ended: stopped, or by itself, or what it raised."""
        ended = self.ended.get(timeout=LONGEST_S)
        self._thread.join(LONGEST_S)
        return ended

    def close(self) -> Any:
        self.inbox.put(None)
        return self.wait()


@contextmanager
def uplinked(table: Table, kind: type[Uplink] = Uplink) -> Iterator[Uplinked]:
    one = Uplinked(table, kind)
    try:
        yield one
    finally:
        if one._thread.is_alive():
            one.close()


def noted(table: Table) -> dict[str, str]:
    """What the uplink's file says to doctor."""
    file = UplinkFile(table.settings.store_folder() / UPLINK_FILE)
    found = file.read_status()
    file.close()
    return found


def online(said: Said) -> bool:
    return said.kind == "status" and bool(said.payload) and said.read().online


def offline(said: Said) -> bool:
    """Whether a table says goodbye, or the broker says that it has gone."""
    return said.kind == "status" and bool(said.payload) and not said.read().online


def heard_at(table: Table, wanted: Callable[[Any], bool]) -> Any:
    """What the table hears from its uplink, up to what is wanted."""
    heard: list[Any] = []
    while not heard or not wanted(heard[-1]):
        try:
            heard.append(table.door.incoming_tasks.get(timeout=LONGEST_S))
        except Empty:
            raise AssertionError(f"the uplink says nothing more; it said {heard}") from None
    return heard[-1]


class Command:
    """`companion uplink` as a user starts it."""

    def __init__(self, table: Table, *before: str, **how: Any) -> None:
        """`before`: words in front of the command."""
        file = table.folder / "given.toml"
        of_club = {"broker": "127.0.0.1", "port": table.settings.club.port}
        lines = [f"{name} = {json.dumps(value)}" for name, value in of_club.items()]
        folder = f"[storage]\nfolder = {json.dumps(str(table.folder))}\n"
        file.write_text("[club]\n" + "\n".join(lines) + "\n" + folder, encoding="utf-8")
        words = ["--settings", str(file), "uplink", "--socket", str(table.place)]
        self.process = subprocess.Popen(
            [*before, sys.executable, "-m", "companion", *words], stdout=subprocess.PIPE, text=True, **how
        )
        table.commands.append(self)

    def end(self, how: signal.Signals) -> tuple[int, str]:
        self.process.send_signal(how)
        said, _ = self.process.communicate(timeout=LONGEST_S)
        return self.process.returncode, said

    def close(self) -> None:
        """Whatever a test left of it."""
        self.process.kill()
        self.process.wait()
        if self.process.stdout is not None:
            self.process.stdout.close()
