"""Socket server of the table, in a thread of its own so that the table never waits.

The main loop puts frozen messages into a queue and goes on; the thread moves bytes between sockets and
`companion.network.protocol`.
"""

import selectors
import socket
from collections.abc import Callable
from contextlib import suppress
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Any

from companion.core.actions import Micros
from companion.core.clock import GameClock
from companion.network import uplink_messages
from companion.network.messages import Message, TableHello
from companion.network.protocol import GREETING_TIMEOUT, TableProtocol, UplinkProtocol

CLIENTS_PER_TURN = 4
"""Clients that are sent to, and messages that are encoded, before the table's thread gets its turn: while
this thread works, that one waits."""
TURN_PAUSE_S = 0.001
"""How long this thread waits then, if there is more to send."""


class TableServer:
    """A socket that clients connect to, or connections that are there already, with a thread of its own."""

    def __init__(
        self,
        listening: socket.socket | None = None,
        *connected: socket.socket,
        run: str,
        table: str = "",
        protocol: TableProtocol | None = None,
        now: Callable[[], Micros] | None = None,
        wake: Callable[[], None] | None = None,
    ) -> None:
        """`run` tells this run of the table from every other, `table` is what it is called.

        `now` is the thread's clock, in µs; `wake` is called when `incoming` has something for the table.
        """
        self.protocol = protocol or TableProtocol(TableHello(run, table))
        self.incoming, self.drop_counts = self.protocol.incoming, self.protocol.drop_counts
        self.owner_requests = self.protocol.owner_requests
        self._now = now or GameClock().now
        self._wake_table = wake or (lambda: None)
        self._listening = listening
        self._sockets: dict[int, socket.socket] = {}
        """By file descriptor, which is the client's key."""
        self._outgoing: SimpleQueue[Message | socket.socket | None] = SimpleQueue()
        self._selector = selectors.DefaultSelector()
        self._wake_receiver, self._wake_sender = socket.socketpair()
        self._closing = False
        listeners = [self._wake_receiver] if listening is None else [self._wake_receiver, listening]
        for one in (self._wake_sender, *listeners):
            one.setblocking(False)  # noqa: FBT003 (the socket module's own spelling)
        for one in listeners:
            self._selector.register(one, selectors.EVENT_READ)
        for one in connected:
            self._add_client(one, patience=None)
        self._thread = Thread(target=self._serve, name="door", daemon=True)

    @property
    def has_readers(self) -> bool:
        """Whether anybody reads now: without a reader the table makes no messages."""
        return self.protocol.has_readers

    @property
    def connection_count(self) -> int:
        """How many times a reader came while there was none."""
        return self.protocol.connection_count

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
        self._outgoing.put(connected)
        self._wake()

    def close(self) -> None:
        """Everybody is let go; what waits for a slow reader is not waited for."""
        self.protocol.close()
        if self._thread.ident is None:
            self._close_sockets()
        elif self._thread.is_alive():
            self._outgoing.put(None)
            self._wake()
            self._thread.join(1.0)

    def _wake(self) -> None:
        with suppress(OSError):  # it rings already, or the thread has just ended
            self._wake_sender.send(b"!")

    # The server's own thread ------------------------------------------------------------------------------

    def _serve(self) -> None:
        try:
            while not self._closing:
                for key, mask in self._selector.select(self._select_timeout()):
                    self._handle_event(key.fd, key.fileobj, mask)
                self._wake_if_news()
                self._broadcast_queued()
                for client in tuple(self.protocol.ready)[:CLIENTS_PER_TURN]:
                    self._send(client)
                self.protocol.drop_silent(self._now())
                self._wake_if_news()
                self._close_dropped()
        finally:
            self._close_sockets()

    def _close_sockets(self) -> None:
        for client in tuple(self._sockets):
            self.protocol.disconnect(client)
        self._wake_if_news()
        self._close_dropped()
        self._selector.close()
        for one in (self._wake_receiver, self._wake_sender, self._listening):
            if one is not None:
                one.close()

    def _wake_if_news(self) -> None:
        if self.protocol.take_news():
            self._wake_table()

    def _select_timeout(self) -> float | None:
        """Seconds to wait for what happens; None: as long as nothing does."""
        if self.protocol.ready or not self._outgoing.empty():
            return TURN_PAUSE_S
        return 1.0 if self.protocol.awaits_greeting else None

    def _handle_event(self, fd: int, what: object, mask: int) -> None:
        if what is self._wake_receiver:
            with suppress(BlockingIOError):
                while self._wake_receiver.recv(4096):
                    pass
        elif what is self._listening:
            self._accept()
        else:
            if mask & selectors.EVENT_READ:
                self._receive(fd)
            if mask & selectors.EVENT_WRITE:
                self._selector.modify(self._sockets[fd], selectors.EVENT_READ)
                if self.protocol.data_to_send(fd):
                    self.protocol.ready[fd] = None

    def _accept(self) -> None:
        assert self._listening is not None
        with suppress(OSError):  # the client has gone
            sock, _ = self._listening.accept()
            if self.protocol.is_full:
                self.drop_counts.turned_away += 1
                sock.close()
            else:
                self._add_client(sock, patience=GREETING_TIMEOUT)

    def _add_client(self, sock: socket.socket, *, patience: Micros | None) -> None:
        sock.setblocking(False)  # noqa: FBT003 (the socket module's own spelling)
        self._sockets[sock.fileno()] = sock
        self.protocol.connect(sock.fileno(), self._now(), patience=patience)
        self._selector.register(sock, selectors.EVENT_READ)

    def _close_dropped(self) -> None:
        while self.protocol.dropped:
            sock = self._sockets.pop(self.protocol.dropped.pop())
            self._selector.unregister(sock)
            sock.close()

    def _broadcast_queued(self) -> None:
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
            else:
                self.protocol.broadcast(message)

    def _send(self, client: int) -> None:
        self.protocol.ready.pop(client, None)
        try:
            while data := self.protocol.data_to_send(client):
                sent = self._sockets[client].send(data)
                self.protocol.mark_sent(client, sent)
        except BlockingIOError:
            self._selector.modify(self._sockets[client], selectors.EVENT_READ | selectors.EVENT_WRITE)
        except OSError:
            self.protocol.disconnect(client)

    def _receive(self, client: int) -> None:
        try:
            data = self._sockets[client].recv(16 * 1024)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if data:
            self.protocol.receive(client, data, self._now())
        else:
            self.protocol.disconnect(client)


class UplinkServer(TableServer):
    """Serves the uplink: what passes to it, and what it asks for."""

    def __init__(self, *sockets: Any, run: str, name: str = "", program: str = "", **how: Any) -> None:
        """As a `TableServer`; `name` is the table's, `program` its version."""
        protocol = UplinkProtocol(uplink_messages.UplinkHello(run, name, program))
        super().__init__(*sockets, run=run, protocol=protocol, **how)
        self.requests, self.incoming_tasks = protocol.requests, protocol.incoming
