"""The protocol between the table and those who read along, without a socket or a thread.

As in h11, bytes go in and messages come out: `Connection` is one end of one connection, the same for the
table, the page, the uplink and the tests; `TableProtocol` is the table's side of all of them. Who calls them
moves the bytes and closes what they drop.
"""

from collections import deque
from collections.abc import Callable
from queue import SimpleQueue
from typing import Any, ClassVar, Generic, Literal, TypeVar

from msgspec import MsgspecError, Struct

from companion.core.actions import SECOND, Chair, Micros
from companion.core.errors import CompanionError
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
    TableSnapshot,
    decode_for_table,
    encode_line,
)

M = TypeVar("M")
MAX_TABLE_LINE_BYTES = 1 << 20
"""Bytes of one line from the table."""
MAX_BYTES_PER_SECOND = 64 * 1024
MAX_LINES_PER_SECOND = 400
"""What one client may say in a second."""
MAX_TOTAL_LINES = 4 * MAX_LINES_PER_SECOND
"""Lines of everybody in a second."""
MAX_UNSENT_BYTES = 256 * 1024
"""Bytes that wait for one reader, besides what the kernel holds."""
MAX_CLIENTS = 64
"""Who comes later is turned away."""
MAX_INVALID_LINES = MAX_OWNER_REQUESTS = 16
"""Lines that are no message before a client is dropped; what owners ask for that waits."""
GREETING_TIMEOUT: Micros = 5 * SECOND
"""A client that has not said hello by then is dropped; not what the table has started itself, which may need
longer on a busy machine, and whose end is noticed.
"""

Violation = Literal["behind", "too_long", "flooded", "silent", "wrong"]


class ProtocolViolationError(CompanionError):
    """The other end says what it may not, or takes nothing; `why`: which limit it broke."""

    def __init__(self, why: Violation, what: str = "") -> None:
        super().__init__(what or why)
        self.why = why


class LineRate:
    """Bytes and lines that may come within a second."""

    def __init__(self, *, lines: int, size: int | None = None) -> None:
        self._most_lines, self._most_bytes = lines, size
        self._second: Micros | None = None
        self._lines = self._bytes = 0

    def exceeds(self, now: Micros, lines: int, size: int) -> bool:
        """Count these, and say whether they are more than this second may have."""
        if self._second is None or now - self._second >= SECOND:
            self._second, self._lines, self._bytes = now, 0, 0
        self._lines, self._bytes = self._lines + lines, self._bytes + size
        return self._lines > self._most_lines or (
            self._most_bytes is not None and self._bytes > self._most_bytes
        )


class Connection(Generic[M]):
    """One end of a connection: a message a line, each a JSON object."""

    def __init__(
        self,
        decode: Callable[[bytes], M],
        *rates: LineRate,
        max_line: int = MAX_TABLE_LINE_BYTES,
        max_unsent: int | None = None,
        max_invalid: int = 0,
    ) -> None:
        """`decode` raises `MsgspecError`, `UnicodeDecodeError` or `RecursionError` for what is no message.

        `max_line`: bytes of a line; `max_unsent`: bytes that may wait to be sent; `max_invalid`: lines that
        may be no message.
        """
        self._decode, self._rates = decode, rates
        self._max_line, self._max_unsent, self._max_invalid = max_line, max_unsent, max_invalid
        self._line = b""
        self._unsent: deque[bytes] = deque()
        self.unsent_bytes = 0
        self.invalid_lines = 0

    def receive_lines(self, data: bytes, now: Micros = 0) -> list[bytes]:
        """The whole lines that these bytes complete; raises `ProtocolViolationError`."""
        *lines, self._line = (self._line + data).split(b"\n")
        if max(map(len, (*lines, self._line))) >= self._max_line:
            raise ProtocolViolationError("too_long")
        exceeded = [rate.exceeds(now, len(lines), len(data)) for rate in self._rates]  # each of them counts
        if any(exceeded):
            raise ProtocolViolationError("flooded")
        return lines

    def decode(self, line: bytes) -> M | None:
        """The message of a line, None if it is none; raises `ProtocolViolationError` for one too many."""
        try:
            return self._decode(line)
        except (MsgspecError, UnicodeDecodeError, RecursionError) as trouble:
            self.invalid_lines += 1
            if self.invalid_lines > self._max_invalid:
                raise ProtocolViolationError("wrong", str(trouble)) from trouble
            return None

    def receive_messages(self, data: bytes) -> list[M]:
        """The messages that these bytes complete; raises `ProtocolViolationError`."""
        messages = [self.decode(line) for line in self.receive_lines(data)]
        return [message for message in messages if message is not None]

    def send(self, line: bytes) -> None:
        """Have an encoded message wait to be sent; raises `ProtocolViolationError` if too much waits."""
        self._unsent.append(line)
        self.unsent_bytes += len(line)
        if self._max_unsent is not None and self.unsent_bytes > self._max_unsent:
            raise ProtocolViolationError("behind")

    def data_to_send(self) -> bytes:
        """What is to be sent next; empty: nothing."""
        return self._unsent[0] if self._unsent else b""

    def mark_sent(self, count: int) -> None:
        """So many bytes of `data_to_send` were sent."""
        self.unsent_bytes -= count
        first = self._unsent.popleft()
        if count < len(first):
            self._unsent.appendleft(first[count:])


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


class TableProtocol:
    """What the table tells all who read along, and what it lets them say.

    Each client has a number of the caller's, its `key`. Nothing is sent to one before its hello; one that
    breaks a limit is put into `dropped`, for the caller to close.
    """

    standing_messages: ClassVar[tuple[type, ...]] = (
        TableSnapshot,
        PhotoFinishMessage,
        GuidanceMessage,
        ChairHolders,
        ChairOffers,
    )
    """What holds until the next of its type, so that a newcomer gets it; all else is over once it is sent."""

    def __init__(self, hello: Message) -> None:
        """`hello` is the first message to each client."""
        self.drop_counts = DropCounts()
        self.incoming: SimpleQueue[Any] = SimpleQueue()
        """What clients said, for the table's thread to take out; None: one that read along has gone."""
        self.owner_requests: SimpleQueue[OwnerRequest | None] = SimpleQueue()
        """What owners ask for (`companion.programs.child_programs`); None: the server is closed."""
        self.connection_count = 0
        """How many times a reader came while there was none."""
        self.ready: dict[int, None] = {}
        """Who has something to be sent, in turn."""
        self.dropped: list[int] = []
        """Whom to close."""
        self._hello = encode_line(hello)
        self._clients: dict[int, Connection[Any]] = {}
        self._deadlines: dict[int, Micros] = {}
        """By when these must have said hello."""
        self._greeted: set[int] = set()
        self._standing: dict[type, bytes] = {}
        self._total_rate = LineRate(lines=MAX_TOTAL_LINES)
        self._flood = PressLimiter()
        self._holders: dict[str, Chair] = {}
        """Which phone holds which chair: one that holds none is not listened to."""
        self._has_news = False

    def close(self) -> None:
        """Whoever waits for `owner_requests` is told that no more will come."""
        self.owner_requests.put(None)

    def take_news(self) -> bool:
        """Whether something came for the table since this was asked last."""
        news, self._has_news = self._has_news, False
        return news

    def _pass_to_table(self, message: Any) -> None:
        self.incoming.put(message)
        self._has_news = True

    @property
    def has_readers(self) -> bool:
        """Whether anybody reads now: without a reader the table makes no messages."""
        return bool(self._greeted)

    @property
    def awaits_greeting(self) -> bool:
        """Whether `drop_silent` is to be called again."""
        return bool(self._deadlines)

    def connect(self, key: int, now: Micros, *, patience: Micros | None) -> None:
        """A client came; `patience`: how long it may take to say hello, None for ever."""
        self._clients[key] = Connection(
            self._decode,
            LineRate(lines=MAX_LINES_PER_SECOND, size=MAX_BYTES_PER_SECOND),
            self._total_rate,
            max_line=MAX_LINE_BYTES,
            max_unsent=MAX_UNSENT_BYTES,
            max_invalid=MAX_INVALID_LINES,
        )
        if patience is not None:
            self._deadlines[key] = now + patience

    @property
    def is_full(self) -> bool:
        """Whether one more is to be turned away."""
        return len(self._clients) >= MAX_CLIENTS

    def disconnect(self, key: int) -> None:
        """A client has gone, or is to go."""
        if self._clients.pop(key, None) is None:
            return
        self.dropped.append(key)
        self.ready.pop(key, None)
        self._deadlines.pop(key, None)
        if key in self._greeted:
            self._greeted.remove(key)
            self._pass_to_table(None)
        if not self._greeted:
            self._standing.clear()

    def drop_silent(self, now: Micros) -> None:
        """Whoever has not said hello in time goes."""
        for key, deadline in tuple(self._deadlines.items()):
            if now > deadline:
                self._drop(key, "silent")

    def _drop(self, key: int, why: Violation) -> None:
        if why != "wrong":  # these are counted line by line
            setattr(self.drop_counts, why, getattr(self.drop_counts, why) + 1)
        self.disconnect(key)

    # Telling ----------------------------------------------------------------------------------------------

    def broadcast(self, message: Message) -> None:
        """Tell everybody; it is encoded once."""
        if isinstance(message, ChairHolders):
            self._update_holders(message)
        if not self.has_readers:
            return
        line = encode_line(message)
        if isinstance(message, self.standing_messages):
            self._standing[type(message)] = line
        for key in tuple(self._greeted):
            self._send(key, line)

    def data_to_send(self, key: int) -> bytes:
        """What a client is to be sent next; empty: nothing, or it has gone."""
        client = self._clients.get(key)
        return b"" if client is None else client.data_to_send()

    def mark_sent(self, key: int, count: int) -> None:
        """So many bytes of `data_to_send` were sent."""
        self._clients[key].mark_sent(count)

    def _send(self, key: int, line: bytes) -> None:
        if (client := self._clients.get(key)) is None:  # it was dropped meanwhile
            return
        idle = not client.unsent_bytes
        try:
            client.send(line)
        except ProtocolViolationError as violation:
            self._drop(key, violation.why)
            return
        if idle:
            self.ready[key] = None  # else it is, or waits until it can be sent to

    # Hearing ----------------------------------------------------------------------------------------------

    def receive(self, key: int, data: bytes, now: Micros) -> None:
        """A client sent these bytes."""
        if (client := self._clients.get(key)) is None:
            return
        try:
            for line in client.receive_lines(data, now):
                message = client.decode(line)
                if message is None:
                    self.drop_counts.wrong += 1
                elif isinstance(message, ClientHello):
                    self._greet(key)
                elif key in self._greeted:
                    self._handle(key, message, now)
                if key not in self._clients:
                    return
        except ProtocolViolationError as violation:
            self.drop_counts.wrong += violation.why == "wrong"
            self._drop(key, violation.why)

    def _decode(self, line: bytes) -> Message:
        return decode_for_table(line)

    def _greet(self, key: int) -> None:
        """From now on it reads along; what stands is sent at once."""
        if key in self._greeted:
            return
        self.connection_count += not self._greeted
        self._greeted.add(key)
        self._deadlines.pop(key, None)
        for line in (self._hello, *self._standing.values()):
            self._send(key, line)

    def _handle(self, key: int, message: Any, now: Micros) -> None:
        """A client that said hello before said this."""
        if isinstance(message, OwnerRequest):
            if self.owner_requests.qsize() < MAX_OWNER_REQUESTS:
                self.owner_requests.put(message)
            else:
                self._send(key, encode_line(OwnerPageDenied(message.ask, "busy")))
        elif not isinstance(message, PhonePress | PhoneChoice):
            self._pass_to_table(message)
        elif (chair := self._holders.get(message.phone)) is None:
            self.drop_counts.refused += 1
            self._send(key, encode_line(RequestRefused(message.phone, "no_chair")))
        elif self._flood.admit_press(chair, now * 1_000):
            self._pass_to_table(message)
        else:
            dropped = self._flood.dropped_count(chair)
            result = PressResult(message.phone, message.offer, "dropped", dropped=dropped)
            self._send(key, encode_line(result))

    def _update_holders(self, held: ChairHolders) -> None:
        """Presses are taken from these phones, and from no others."""
        holders = {seat.holder: seat.chair for seat in held.seats if seat.holder}
        for chair in set(self._holders.values()) - set(holders.values()):
            self._flood.remove_chair(chair)
        for chair in holders.values():
            self._flood.add_chair(chair)
        self._holders = holders


UplinkRequest = uplink_messages.ListGamesAfter | uplink_messages.ResultRequest


class UplinkProtocol(TableProtocol):
    """What passes to the uplink, and what it asks for: tasks for the table go to `incoming`."""

    standing_messages: ClassVar[tuple[type, ...]] = (
        TableSnapshot,
        uplink_messages.CurrentGame,
        uplink_messages.JudgeCallMessage,
    )

    def __init__(self, hello: Message) -> None:
        super().__init__(hello)
        self.requests: SimpleQueue[UplinkRequest | None] = SimpleQueue()
        """What is wanted of the store; None: the server is closed."""

    def close(self) -> None:
        self.requests.put(None)

    def broadcast(self, message: Message) -> None:
        """Tell the uplink what is on its list, and nothing else."""
        if isinstance(message, uplink_messages.FromTable):
            super().broadcast(message)

    def _decode(self, line: bytes) -> Message:
        return uplink_messages.decode_for_table(line)

    def _handle(self, key: int, message: Any, now: Micros) -> None:
        if not isinstance(message, UplinkRequest):
            self._pass_to_table(message)
        elif self.requests.qsize() < MAX_OWNER_REQUESTS:
            self.requests.put(message)
        elif isinstance(message, uplink_messages.ResultRequest):
            self._send(key, encode_line(uplink_messages.ResultAnswer(message.number, None, "failed")))
