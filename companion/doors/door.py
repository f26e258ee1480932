"""The table's end of its sockets: one thread that encodes, sends and listens, so that the table never waits.

The main loop puts frozen messages into a queue and goes on. A reader that is `MOST_BEHIND` bytes behind is
dropped, and so is a client that says nothing, too much, or what is no message; the tally counts them. Nothing
is sent to a client before its `hello`.
"""

import selectors
import socket
from collections.abc import Callable
from contextlib import suppress
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Any

from msgspec import MsgspecError, Struct

from companion.core.actions import SECOND, Chair, Micros
from companion.core.clock import GameClock
from companion.doors.client import MOST_LINES, Client
from companion.doors.messages import (
    LONGEST,
    Choose,
    Counted,
    Greeting,
    Held,
    Hello,
    Lesson,
    Look,
    Message,
    NotShown,
    Offers,
    Photo,
    Press,
    Refused,
    ToTable,
    View,
    heard_by_table,
    line_of,
)
from companion.phones.flood import Flood

MOST_BEHIND = 256 * 1024
"""Bytes that wait for one reader, besides what the kernel holds."""
MOST_CLIENTS = 64
"""Who comes later is turned away."""
MOST_OF_ALL = 4 * MOST_LINES
"""Lines of everybody in a second."""
SLICE = 4
"""Clients that are sent to, and messages that are encoded, before the table's thread gets its turn: while
this thread works, that one waits."""
BREATH_S = 0.001
"""How long this thread waits then, if there is more to send."""
MOST_WRONG = MOST_LOOKED = 16
"""Lines that are no message before a client is dropped; what owners ask for that waits."""
GREETS_WITHIN: Micros = 5 * SECOND
"""A client that has not said hello by then is dropped; not what the table has started itself, which may need
longer on a busy machine, and whose end is noticed.
"""
STANDING = (View, Photo, Lesson, Held, Offers)
"""What holds until the next of its type, so that a newcomer gets it; all else is over once it was sent."""


class Tally(Struct):
    """How many clients were dropped, by reason, and how many of their lines were no message."""

    behind: int = 0
    too_long: int = 0
    flooded: int = 0
    silent: int = 0
    turned_away: int = 0
    wrong: int = 0
    """Lines, not clients."""
    refused: int = 0
    """What was asked for and cannot be."""


class Door:
    """A socket that pages connect to, or one connection that is there already, with a thread of its own."""

    standing: tuple[type, ...] = STANDING

    def __init__(
        self,
        listening: socket.socket | None = None,
        *connected: socket.socket,
        run: str,
        table: str = "",
        now: Callable[[], Micros] | None = None,
        wake: Callable[[], None] | None = None,
    ) -> None:
        """`run` tells this run of the table from every other, `table` is what it is called.

        `now` is the thread's clock, in µs; `wake` is called when `heard` has something for the table.
        """
        self.tally = Tally()
        self.heard: SimpleQueue[ToTable | None] = SimpleQueue()
        """What clients said, for the table's thread to take out; None: one that read along has gone."""
        self.looked: SimpleQueue[Look | None] = SimpleQueue()
        """What owners ask for (`companion.run.owner`); None: the door is closed."""
        self.opened = 0
        """How many times a reader came while there was none."""
        self.read = False
        """Whether anybody reads now: without a reader the table makes no messages."""
        self._hello = Hello(run, table)
        self._now = now or GameClock().now
        self._wake_table = wake or (lambda: None)
        self._flood = Flood()
        self._holders: dict[str, Chair] = {}
        """Which phone holds which chair: one that holds none is not listened to."""
        self._listening = listening
        self._clients: dict[int, Client] = {}
        self._told: SimpleQueue[Message | socket.socket | None] = SimpleQueue()
        self._due: dict[Client, None] = {}
        """Who has something to be sent, in turn."""
        self._second, self._lines = self._now(), 0
        """How many lines were heard in this second."""
        self._standing: dict[type, bytes] = {}
        """The last message of each type that stands."""
        self._selector = selectors.DefaultSelector()
        self._bell, self._ring = socket.socketpair()
        self._closing = False
        for one in (self._bell, self._ring, *connected, *([] if listening is None else [listening])):
            one.setblocking(False)  # noqa: FBT003 (the socket module's own spelling)
        self._selector.register(self._bell, selectors.EVENT_READ)
        if listening is not None:
            self._selector.register(listening, selectors.EVENT_READ)
        for one in connected:
            self._meet(one, patience=None)
        self._thread = Thread(target=self._serve, name="door", daemon=True)

    # The table's thread -----------------------------------------------------------------------------------

    def start(self) -> None:
        """Begin to serve; a second time is allowed."""
        if self._thread.ident is None:
            self._thread.start()

    def tell(self, message: Message) -> None:
        """Have everybody told; never waits."""
        self._told.put(message)
        self._wake()

    def meet(self, connected: socket.socket) -> None:
        """Serve this connection of the table's own, too."""
        connected.setblocking(False)  # noqa: FBT003 (the socket module's own spelling)
        self._told.put(connected)
        self._wake()

    def close(self) -> None:
        """Everybody is let go; what waits for a slow reader is not waited for."""
        self.looked.put(None)
        if self._thread.ident is None:
            self._shut()
        elif self._thread.is_alive():
            self._told.put(None)
            self._wake()
            self._thread.join(1.0)

    def _wake(self) -> None:
        with suppress(OSError):  # it rings already, or the thread has just ended
            self._ring.send(b"!")

    # The door's own thread --------------------------------------------------------------------------------

    def _serve(self) -> None:
        try:
            while not self._closing:
                for key, mask in self._selector.select(self._patience()):
                    self._happened(key.fd, key.fileobj, mask)
                self._spread()
                for client in tuple(self._due)[:SLICE]:
                    self._send(client)
                self._drop_the_silent()
        finally:
            self._shut()

    def _shut(self) -> None:
        for client in tuple(self._clients.values()):
            self._let_go(client)
        self._selector.close()
        for one in (self._bell, self._ring, self._listening):
            if one is not None:
                one.close()

    def _patience(self) -> float | None:
        """Seconds to wait for what happens; None: as long as nothing does."""
        if self._due or not self._told.empty():
            return BREATH_S
        return 1.0 if any(not client.greeted for client in self._clients.values()) else None

    def _happened(self, fd: int, what: object, mask: int) -> None:
        if what is self._bell:
            with suppress(BlockingIOError):
                while self._bell.recv(4096):
                    pass
        elif what is self._listening:
            self._accept()
        elif (client := self._clients.get(fd)) is not None:
            if mask & selectors.EVENT_READ:
                self._hear(client)
            if mask & selectors.EVENT_WRITE and fd in self._clients:
                self._due[client] = None
                self._selector.modify(client.sock, selectors.EVENT_READ)

    def _accept(self) -> None:
        assert self._listening is not None
        try:
            sock, _ = self._listening.accept()
        except OSError:  # the client has gone
            return
        if len(self._clients) >= MOST_CLIENTS:
            self.tally.turned_away += 1
            sock.close()
            return
        sock.setblocking(False)  # noqa: FBT003 (the socket module's own spelling)
        self._meet(sock, patience=GREETS_WITHIN)

    def _meet(self, sock: socket.socket, *, patience: Micros | None) -> None:
        self._clients[sock.fileno()] = Client(sock, self._now(), patience=patience)
        self._selector.register(sock, selectors.EVENT_READ)

    def _let_go(self, client: Client) -> None:
        self._selector.unregister(client.sock)
        self._clients.pop(client.sock.fileno())
        self._due.pop(client, None)
        if client.greeted:
            self._hand_on(None)
        if self.read and not any(one.greeted for one in self._clients.values()):
            self.read = False
            self._standing.clear()
        client.sock.close()

    def _drop_the_silent(self) -> None:
        now = self._now()
        for client in [one for one in self._clients.values() if one.is_silent(now)]:
            self.tally.silent += 1
            self._let_go(client)

    # Telling ----------------------------------------------------------------------------------------------

    def _spread(self) -> None:
        """Encode each message once; everybody is sent the same bytes."""
        for _ in range(SLICE):
            try:
                message = self._told.get_nowait()
            except Empty:
                return
            if message is None:
                self._closing = True
                return
            if isinstance(message, socket.socket):
                self._meet(message, patience=None)
                continue
            if isinstance(message, Held):
                self._know(message)
            if not self.read:
                continue
            line = line_of(message)
            if isinstance(message, self.standing):
                self._standing[type(message)] = line
            for client in [one for one in self._clients.values() if one.greeted]:
                self._queue(client, line)

    def _queue(self, client: Client, line: bytes) -> None:
        client.waiting.append(line)
        client.behind += len(line)
        if client.behind > MOST_BEHIND:
            self.tally.behind += 1
            self._let_go(client)
        elif client.behind == len(line):
            self._due[client] = None  # else it is, or waits until it can be sent to

    def _send(self, client: Client) -> None:
        self._due.pop(client, None)
        try:
            while client.waiting:
                sent = client.sock.send(client.waiting[0])
                client.behind -= sent
                if sent < len(client.waiting[0]):
                    client.waiting[0] = client.waiting[0][sent:]
                    break
                client.waiting.popleft()
        except BlockingIOError:
            pass
        except OSError:
            self._let_go(client)
            return
        wanted = selectors.EVENT_READ | (selectors.EVENT_WRITE if client.waiting else 0)
        self._selector.modify(client.sock, wanted)

    # Hearing ----------------------------------------------------------------------------------------------

    def _hear(self, client: Client) -> None:
        try:
            heard = client.sock.recv(16 * 1024)
        except BlockingIOError:
            return
        except OSError:
            heard = b""
        if not heard:
            self._let_go(client)
            return
        client.line += heard
        *lines, rest = bytes(client.line).split(b"\n")
        client.line = bytearray(rest)
        if max(map(len, (*lines, rest))) >= LONGEST:
            self.tally.too_long += 1
            self._let_go(client)
        elif client.says_too_much(self._now(), len(heard), len(lines)) or self._all_say_too_much(len(lines)):
            self.tally.flooded += 1
            self._let_go(client)
        else:
            for line in lines:
                if client.sock.fileno() < 0:
                    return
                self._take(client, line)

    def _all_say_too_much(self, lines: int) -> bool:
        """Whether this second has had enough of everybody's lines."""
        now = self._now()
        if now - self._second >= SECOND:
            self._second, self._lines = now, 0
        self._lines += lines
        return self._lines > MOST_OF_ALL

    def _take(self, client: Client, line: bytes) -> None:
        try:
            message = self._decoded(line)
        except (MsgspecError, UnicodeDecodeError, RecursionError):
            self.tally.wrong += 1
            client.wrong += 1
            if client.wrong > MOST_WRONG:
                self._let_go(client)
            return
        if isinstance(message, Greeting):
            self._greet(client)
        elif client.greeted:
            self._heard(client, message)

    def _decoded(self, line: bytes) -> Message:
        """What a client said; raises as `heard_by_table` does."""
        return heard_by_table(line)

    def _heard(self, client: Client, message: Any) -> None:
        """A client that said hello before said this."""
        if isinstance(message, Look):
            self._look(client, message)
        elif not isinstance(message, Press | Choose):
            self._hand_on(message)
        elif (chair := self._holders.get(message.phone)) is None:
            self.tally.refused += 1
            self._queue(client, line_of(Refused(message.phone, "no_chair")))
        elif self._flood.lets_press(chair, self._now() * 1_000):
            self._hand_on(message)
        else:
            dropped = self._flood.dropped(chair)
            self._queue(client, line_of(Counted(message.phone, message.offer, "dropped", dropped=dropped)))

    def _know(self, held: Held) -> None:
        """Presses are taken from these phones, and from no others."""
        holders = {seat.holder: seat.chair for seat in held.seats if seat.holder}
        for chair in set(self._holders.values()) - set(holders.values()):
            self._flood.taken_back(chair)
        for chair in holders.values():
            self._flood.granted(chair)
        self._holders = holders

    def _look(self, client: Client, message: Look) -> None:
        if self.looked.qsize() < MOST_LOOKED:
            self.looked.put(message)
        else:
            self._queue(client, line_of(NotShown(message.ask, "busy")))

    def _hand_on(self, message: ToTable | None) -> None:
        self.heard.put(message)
        self._wake_table()

    def _greeting(self) -> Message:
        """The first message to a client."""
        return self._hello

    def _greet(self, client: Client) -> None:
        """From now on it reads along; what stands is sent at once."""
        if client.greeted:
            return
        client.greeted = True
        for line in (line_of(self._greeting()), *self._standing.values()):
            if client.sock.fileno() >= 0:
                self._queue(client, line)
        if not self.read and client.sock.fileno() >= 0:
            self.opened += 1
            self.read = True
