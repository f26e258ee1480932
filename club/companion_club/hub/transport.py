"""Transport interface of the hub, with a loopback for one process.

A transport puts what arrives into the hub's inbox. The hub calls `done` of a message once it is committed;
until then its sender still has it.
"""

from collections.abc import Callable
from contextlib import suppress
from queue import Empty, SimpleQueue
from typing import NamedTuple, Protocol

from companion_club.messages import KINDS, make_topic


def do_nothing() -> None:
    """What is done for a message that nobody waits for."""


class MessageArrived(NamedTuple):
    """A message."""

    topic: str
    payload: bytes
    retained: bool = False
    """It was said before we listened."""
    done: Callable[[], None] = do_nothing


class TransportConnected(NamedTuple):
    """The transport listens, for the first time or again; what was published before may be lost."""


class TransportEnded(NamedTuple):
    """The hub is asked to stop."""


class Inbox(SimpleQueue[MessageArrived | TransportConnected | TransportEnded]):
    """What one connection has brought, and no more."""

    def drop_messages(self) -> None:
        """The connection is gone: nothing that it brought can be acknowledged, and all of it comes again.

        Kept, it would be worked off before what is new, connection after connection.
        """
        ended: list[TransportEnded] = []
        with suppress(Empty):
            while True:
                if isinstance(one := self.get_nowait(), TransportEnded):
                    ended.append(one)
        for one in ended:
            self.put(one)


HUB_MESSAGE_KINDS = tuple(name for name, kind in KINDS.items() if kind.by_table and name != "view")
"""What the hub listens to. The public view of each table is for screens, and is not stored."""


class Transport(Protocol):
    """Where the hub publishes."""

    def publish(self, topic: str, payload: bytes, *, retain: bool, expiry_s: int = 0) -> bool:
        """Publish with QoS 1; False: there is no connection, and it is said again after the next.

        `expiry_s`: how long the broker keeps what is retained; 0: until something else is.
        """

    def refresh(self) -> None:
        """Have all that is retained sent again."""


class Loopback:
    """A broker for one process: what is retained stays, and who listens hears it at once."""

    def __init__(self, club: str) -> None:
        self._club = club
        self._retained: dict[str, bytes] = {}
        self._inboxes: list[Inbox] = []
        self._tables: dict[str, Callable[[str, bytes], None]] = {}

    def connect(self, inbox: Inbox) -> None:
        """The hub listens from now on."""
        self._inboxes.append(inbox)
        inbox.put(TransportConnected())
        self.refresh()

    def add_table(self, table: str, heard: Callable[[str, bytes], None]) -> None:
        """A table listens from now on: `heard` gets the kind and the payload of what the hub says to it."""
        self._tables[table] = heard
        for name, kind in KINDS.items():
            if not kind.by_table and (payload := self._retained.get(make_topic(self._club, table, name))):
                heard(name, payload)

    def publish_from_table(
        self, table: str, kind: str, payload: bytes, done: Callable[[], None] = do_nothing
    ) -> None:
        """A table says something; `done` is called when the hub has committed it."""
        to = make_topic(self._club, table, kind)
        if KINDS[kind].retained:
            self._retain(to, payload)
        if kind in HUB_MESSAGE_KINDS:
            for inbox in self._inboxes:
                inbox.put(MessageArrived(to, payload, done=done))

    def publish(self, topic: str, payload: bytes, *, retain: bool, expiry_s: int = 0) -> bool:
        if retain:
            self._retain(topic, payload)
        *_, table, kind = topic.split("/")
        if table in self._tables:
            self._tables[table](kind, payload)
        return True

    def refresh(self) -> None:
        for to, payload in self._retained.copy().items():  # tables are threads, and speak meanwhile
            if to.rpartition("/")[2] in HUB_MESSAGE_KINDS:
                for inbox in self._inboxes:
                    inbox.put(MessageArrived(to, payload, retained=True))

    def _retain(self, topic: str, payload: bytes) -> None:
        self._retained.pop(topic, None)
        if payload:
            self._retained[topic] = payload
