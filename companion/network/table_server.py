"""Socket server of the table, in a thread of its own so that the table never waits.

The main loop puts frozen messages into a queue and goes on. A reader that is `MAX_UNSENT_BYTES` bytes
behind is dropped, and so is a client that says nothing, too much, or what is no message; the tally counts
them. Nothing is sent to a client before its `hello`.
"""

import selectors
import socket
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Any

from msgspec import MsgspecError, Struct

from companion.core.actions import SECOND, Chair, Micros
from companion.core.clock import GameClock
from companion.core.phone_rate_limit import PressLimiter
from companion.network import uplink_messages
from companion.network.messages import (
    MAX_LINE_BYTES,
    ChairHolders,
    ChairOffers,
    ClientHello,
    GuidanceMessage,
    Message,
    OwnerPageDenied,
    OwnerRequest,
    PhoneChoice,
    PhonePress,
    PhotoFinishMessage,
    PressResult,
    RequestRefused,
    TableHello,
    TableSnapshot,
    ToTable,
    decode_for_table,
    encode_line,
)

MAX_BYTES_PER_SECOND = 64 * 1024
MAX_LINES_PER_SECOND = 400
"""What one client may say in a second."""


class ClientConnection:
    """One connection: what waits to be sent to it, and what it said so far."""

    def __init__(self, sock: socket.socket, since: Micros, *, patience: Micros | None) -> None:
        """`patience`: how long it may take to say hello; None: as long as it likes."""
        self.sock = sock
        self.greeted = False
        self._since, self._patience = since, patience
        self.waiting: deque[bytes] = deque()
        self.unsent_bytes = 0
        """Bytes in `waiting`."""
        self.line = bytearray()
        self.invalid_lines = 0
        self._second, self._bytes, self._lines = since, 0, 0

    def is_greeting_overdue(self, now: Micros) -> bool:
        """Whether it has not said hello in its time."""
        return not self.greeted and self._patience is not None and now - self._since > self._patience

    def exceeds_limit(self, now: Micros, count: int, lines: int) -> bool:
        """Whether these bytes and lines are more than a second may have."""
        if now - self._second >= SECOND:
            self._second, self._bytes, self._lines = now, 0, 0
        self._bytes, self._lines = self._bytes + count, self._lines + lines
        return self._bytes > MAX_BYTES_PER_SECOND or self._lines > MAX_LINES_PER_SECOND


MAX_UNSENT_BYTES = 256 * 1024
"""Bytes that wait for one reader, besides what the kernel holds."""
MAX_CLIENTS = 64
"""Who comes later is turned away."""
MAX_TOTAL_LINES = 4 * MAX_LINES_PER_SECOND
"""Lines of everybody in a second."""
CLIENTS_PER_TURN = 4
"""Clients that are sent to, and messages that are encoded, before the table's thread gets its turn: while
this thread works, that one waits."""
TURN_PAUSE_S = 0.001
"""How long this thread waits then, if there is more to send."""
MAX_INVALID_LINES = MAX_OWNER_REQUESTS = 16
"""Lines that are no message before a client is dropped; what owners ask for that waits."""
GREETING_TIMEOUT: Micros = 5 * SECOND
"""A client that has not said hello by then is dropped; not what the table has started itself, which may need
longer on a busy machine, and whose end is noticed.
"""
STANDING_MESSAGES = (TableSnapshot, PhotoFinishMessage, GuidanceMessage, ChairHolders, ChairOffers)
"""What holds until the next of its type, so that a newcomer gets it; all else is over once it was sent."""


class DropCounts(Struct):
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


class TableServer:
    """A socket that pages connect to, or one connection that is there already, with a thread of its own."""

    standing_messages: tuple[type, ...] = STANDING_MESSAGES

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
        self.drop_counts = DropCounts()
        self.incoming: SimpleQueue[ToTable | None] = SimpleQueue()
        """What clients said, for the table's thread to take out; None: one that read along has gone."""
        self.owner_requests: SimpleQueue[OwnerRequest | None] = SimpleQueue()
        """What owners ask for (`companion.programs.owner`); None: the door is closed."""
        self.connection_count = 0
        """How many times a reader came while there was none."""
        self.has_readers = False
        """Whether anybody reads now: without a reader the table makes no messages."""
        self._hello = TableHello(run, table)
        self._now = now or GameClock().now
        self._wake_table = wake or (lambda: None)
        self._flood = PressLimiter()
        self._holders: dict[str, Chair] = {}
        """Which phone holds which chair: one that holds none is not listened to."""
        self._listening = listening
        self._clients: dict[int, ClientConnection] = {}
        self._outgoing: SimpleQueue[Message | socket.socket | None] = SimpleQueue()
        self._due: dict[ClientConnection, None] = {}
        """Who has something to be sent, in turn."""
        self._second, self._lines = self._now(), 0
        """How many lines were heard in this second."""
        self._standing: dict[type, bytes] = {}
        """The last message of each type that stands."""
        self._selector = selectors.DefaultSelector()
        self._wake_receiver, self._wake_sender = socket.socketpair()
        self._closing = False
        for one in (
            self._wake_receiver,
            self._wake_sender,
            *connected,
            *([] if listening is None else [listening]),
        ):
            one.setblocking(False)  # noqa: FBT003 (the socket module's own spelling)
        self._selector.register(self._wake_receiver, selectors.EVENT_READ)
        if listening is not None:
            self._selector.register(listening, selectors.EVENT_READ)
        for one in connected:
            self._add_client(one, patience=None)
        self._thread = Thread(target=self._serve, name="door", daemon=True)

    # The table's thread -----------------------------------------------------------------------------------

    def start(self) -> None:
        """Begin to serve; a second time is allowed."""
        if self._thread.ident is None:
            self._thread.start()

    def broadcast(self, message: Message) -> None:
        """Have everybody told; never waits."""
        self._outgoing.put(message)
        self._wake()

    def add_connection(self, connected: socket.socket) -> None:
        """Serve this connection of the table's own, too."""
        connected.setblocking(False)  # noqa: FBT003 (the socket module's own spelling)
        self._outgoing.put(connected)
        self._wake()

    def close(self) -> None:
        """Everybody is let go; what waits for a slow reader is not waited for."""
        self.owner_requests.put(None)
        if self._thread.ident is None:
            self._close_sockets()
        elif self._thread.is_alive():
            self._outgoing.put(None)
            self._wake()
            self._thread.join(1.0)

    def _wake(self) -> None:
        with suppress(OSError):  # it rings already, or the thread has just ended
            self._wake_sender.send(b"!")

    # The door's own thread --------------------------------------------------------------------------------

    def _serve(self) -> None:
        try:
            while not self._closing:
                for key, mask in self._selector.select(self._select_timeout()):
                    self._handle_event(key.fd, key.fileobj, mask)
                self._broadcast_queued()
                for client in tuple(self._due)[:CLIENTS_PER_TURN]:
                    self._send(client)
                self._drop_ungreeted()
        finally:
            self._close_sockets()

    def _close_sockets(self) -> None:
        for client in tuple(self._clients.values()):
            self._drop_client(client)
        self._selector.close()
        for one in (self._wake_receiver, self._wake_sender, self._listening):
            if one is not None:
                one.close()

    def _select_timeout(self) -> float | None:
        """Seconds to wait for what happens; None: as long as nothing does."""
        if self._due or not self._outgoing.empty():
            return TURN_PAUSE_S
        return 1.0 if any(not client.greeted for client in self._clients.values()) else None

    def _handle_event(self, fd: int, what: object, mask: int) -> None:
        if what is self._wake_receiver:
            with suppress(BlockingIOError):
                while self._wake_receiver.recv(4096):
                    pass
        elif what is self._listening:
            self._accept()
        elif (client := self._clients.get(fd)) is not None:
            if mask & selectors.EVENT_READ:
                self._receive(client)
            if mask & selectors.EVENT_WRITE and fd in self._clients:
                self._due[client] = None
                self._selector.modify(client.sock, selectors.EVENT_READ)

    def _accept(self) -> None:
        assert self._listening is not None
        try:
            sock, _ = self._listening.accept()
        except OSError:  # the client has gone
            return
        if len(self._clients) >= MAX_CLIENTS:
            self.drop_counts.turned_away += 1
            sock.close()
            return
        sock.setblocking(False)  # noqa: FBT003 (the socket module's own spelling)
        self._add_client(sock, patience=GREETING_TIMEOUT)

    def _add_client(self, sock: socket.socket, *, patience: Micros | None) -> None:
        self._clients[sock.fileno()] = ClientConnection(sock, self._now(), patience=patience)
        self._selector.register(sock, selectors.EVENT_READ)

    def _drop_client(self, client: ClientConnection) -> None:
        self._selector.unregister(client.sock)
        self._clients.pop(client.sock.fileno())
        self._due.pop(client, None)
        if client.greeted:
            self._pass_to_table(None)
        if self.has_readers and not any(one.greeted for one in self._clients.values()):
            self.has_readers = False
            self._standing.clear()
        client.sock.close()

    def _drop_ungreeted(self) -> None:
        now = self._now()
        for client in [one for one in self._clients.values() if one.is_greeting_overdue(now)]:
            self.drop_counts.silent += 1
            self._drop_client(client)

    # Telling ----------------------------------------------------------------------------------------------

    def _broadcast_queued(self) -> None:
        """Encode each message once; everybody is sent the same bytes."""
        for _ in range(CLIENTS_PER_TURN):
            try:
                message = self._outgoing.get_nowait()
            except Empty:
                return
            if message is None:
                self._closing = True
                return
            if isinstance(message, socket.socket):
                self._add_client(message, patience=None)
                continue
            if isinstance(message, ChairHolders):
                self._update_holders(message)
            if not self.has_readers:
                continue
            line = encode_line(message)
            if isinstance(message, self.standing_messages):
                self._standing[type(message)] = line
            for client in [one for one in self._clients.values() if one.greeted]:
                self._queue(client, line)

    def _queue(self, client: ClientConnection, line: bytes) -> None:
        client.waiting.append(line)
        client.unsent_bytes += len(line)
        if client.unsent_bytes > MAX_UNSENT_BYTES:
            self.drop_counts.behind += 1
            self._drop_client(client)
        elif client.unsent_bytes == len(line):
            self._due[client] = None  # else it is, or waits until it can be sent to

    def _send(self, client: ClientConnection) -> None:
        self._due.pop(client, None)
        try:
            while client.waiting:
                sent = client.sock.send(client.waiting[0])
                client.unsent_bytes -= sent
                if sent < len(client.waiting[0]):
                    client.waiting[0] = client.waiting[0][sent:]
                    break
                client.waiting.popleft()
        except BlockingIOError:
            pass
        except OSError:
            self._drop_client(client)
            return
        wanted = selectors.EVENT_READ | (selectors.EVENT_WRITE if client.waiting else 0)
        self._selector.modify(client.sock, wanted)

    # Hearing ----------------------------------------------------------------------------------------------

    def _receive(self, client: ClientConnection) -> None:
        try:
            heard = client.sock.recv(16 * 1024)
        except BlockingIOError:
            return
        except OSError:
            heard = b""
        if not heard:
            self._drop_client(client)
            return
        client.line += heard
        *lines, rest = bytes(client.line).split(b"\n")
        client.line = bytearray(rest)
        if max(map(len, (*lines, rest))) >= MAX_LINE_BYTES:
            self.drop_counts.too_long += 1
            self._drop_client(client)
        elif client.exceeds_limit(self._now(), len(heard), len(lines)) or self._exceeds_total_limit(
            len(lines)
        ):
            self.drop_counts.flooded += 1
            self._drop_client(client)
        else:
            for line in lines:
                if client.sock.fileno() < 0:
                    return
                self._handle_line(client, line)

    def _exceeds_total_limit(self, lines: int) -> bool:
        """Whether this second has had enough of everybody's lines."""
        now = self._now()
        if now - self._second >= SECOND:
            self._second, self._lines = now, 0
        self._lines += lines
        return self._lines > MAX_TOTAL_LINES

    def _handle_line(self, client: ClientConnection, line: bytes) -> None:
        try:
            message = self._decode(line)
        except (MsgspecError, UnicodeDecodeError, RecursionError):
            self.drop_counts.wrong += 1
            client.invalid_lines += 1
            if client.invalid_lines > MAX_INVALID_LINES:
                self._drop_client(client)
            return
        if isinstance(message, ClientHello):
            self._greet(client)
        elif client.greeted:
            self._handle_message(client, message)

    def _decode(self, line: bytes) -> Message:
        """What a client said; raises as `decode_for_table` does."""
        return decode_for_table(line)

    def _handle_message(self, client: ClientConnection, message: Any) -> None:
        """A client that said hello before said this."""
        if isinstance(message, OwnerRequest):
            self._queue_owner_request(client, message)
        elif not isinstance(message, PhonePress | PhoneChoice):
            self._pass_to_table(message)
        elif (chair := self._holders.get(message.phone)) is None:
            self.drop_counts.refused += 1
            self._queue(client, encode_line(RequestRefused(message.phone, "no_chair")))
        elif self._flood.admit_press(chair, self._now() * 1_000):
            self._pass_to_table(message)
        else:
            dropped = self._flood.dropped_count(chair)
            self._queue(
                client, encode_line(PressResult(message.phone, message.offer, "dropped", dropped=dropped))
            )

    def _update_holders(self, held: ChairHolders) -> None:
        """Presses are taken from these phones, and from no others."""
        holders = {seat.holder: seat.chair for seat in held.seats if seat.holder}
        for chair in set(self._holders.values()) - set(holders.values()):
            self._flood.remove_chair(chair)
        for chair in holders.values():
            self._flood.add_chair(chair)
        self._holders = holders

    def _queue_owner_request(self, client: ClientConnection, message: OwnerRequest) -> None:
        if self.owner_requests.qsize() < MAX_OWNER_REQUESTS:
            self.owner_requests.put(message)
        else:
            self._queue(client, encode_line(OwnerPageDenied(message.ask, "busy")))

    def _pass_to_table(self, message: ToTable | None) -> None:
        self.incoming.put(message)
        self._wake_table()

    def _greeting(self) -> Message:
        """The first message to a client."""
        return self._hello

    def _greet(self, client: ClientConnection) -> None:
        """From now on it reads along; what stands is sent at once."""
        if client.greeted:
            return
        client.greeted = True
        for line in (encode_line(self._greeting()), *self._standing.values()):
            if client.sock.fileno() >= 0:
                self._queue(client, line)
        if not self.has_readers and client.sock.fileno() >= 0:
            self.connection_count += 1
            self.has_readers = True


UplinkRequest = uplink_messages.ListGamesAfter | uplink_messages.ResultRequest


class UplinkServer(TableServer):
    """What passes to the uplink, and what it asks for."""

    standing_messages = (TableSnapshot, uplink_messages.CurrentGame, uplink_messages.JudgeCallMessage)

    def __init__(self, *sockets: Any, run: str, name: str = "", program: str = "", **how: Any) -> None:
        """As a `TableServer`; `name` is the table's, `program` its version."""
        super().__init__(*sockets, run=run, **how)
        self._welcome = uplink_messages.UplinkHello(run, name, program)
        self.requests: SimpleQueue[UplinkRequest | None] = SimpleQueue()
        """What is wanted of the store; None: the door is closed."""
        self.incoming_tasks: SimpleQueue[uplink_messages.NextTask | uplink_messages.BrokerStatus | None] = (
            SimpleQueue()
        )
        """What is for the table's thread; None: the uplink has gone."""

    def broadcast(self, message: Message) -> None:
        """Have the uplink told, if it is on its list; never waits."""
        if isinstance(message, uplink_messages.FromTable):
            super().broadcast(message)

    def close(self) -> None:
        self.requests.put(None)
        super().close()

    def _greeting(self) -> Message:
        return self._welcome

    def _decode(self, line: bytes) -> Message:
        return uplink_messages.decode_for_table(line)

    def _handle_message(self, client: ClientConnection, message: Any) -> None:
        if not isinstance(message, UplinkRequest):
            self._pass_to_table(message)
        elif self.requests.qsize() < MAX_OWNER_REQUESTS:
            self.requests.put(message)
        elif isinstance(message, uplink_messages.ResultRequest):
            self._queue(client, encode_line(uplink_messages.ResultAnswer(message.number, None, "failed")))

    def _pass_to_table(self, message: Any) -> None:
        self.incoming_tasks.put(message)
        self._wake_table()
