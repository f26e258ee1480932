"""Sending queue to the broker: events first, then results with their journals, oldest first.

A result and its journal are read from the table when they are sent, a piece at a time. What was published and
is not acknowledged is never more than `MAX_IN_FLIGHT`.
"""

from collections.abc import Callable

from msgspec import Struct
from msgspec.structs import replace

from companion.home.broker import MAX_IN_FLIGHT, PublishConfirmed
from companion.home.uplink import Publisher
from companion.network import uplink_messages as door
from companion.network.messages import Message
from companion_club import messages as club
from companion_club.uplink.outbox import UnsentGame, UplinkOutbox


class InFlightMessage(Struct, frozen=True):
    """What waits to be acknowledged: one of these, or a status."""

    event: int = 0
    result: club.GameResult | None = None
    piece_of: str = ""

    @property
    def game(self) -> str:
        """The game it is about; empty: none."""
        return self.piece_of or ("" if self.result is None else self.result.game_id)


class GameTransfer(Struct):
    """A game that is read from the table and published, piece by piece."""

    game: UnsentGame
    digest: str = ""
    entries: int = 0
    next: int | None = 0
    """The line to ask for next; None: all were read."""
    waits: bool = False
    """Whether the table was asked and has not answered."""
    left: set[int] = set()
    """Messages of it that the broker has not acknowledged."""


class Sender:
    """Moves the outbox on as the broker acknowledges."""

    def __init__(
        self, outbox: UplinkOutbox, topic: Callable[[str], str], say: Callable[[Message], None]
    ) -> None:
        """`topic` gives that of a kind; `say` asks the table for a game."""
        self.publisher: Publisher | None = None
        self.store = ""
        self.may_ask = False
        """Whether all games of the store were seen, so that the table can be asked for them in order."""
        self._outbox = outbox
        self._topic, self._say = topic, say
        self._in_flight: dict[int, InFlightMessage] = {}
        self._fetch: GameTransfer | None = None
        self._finishing: dict[str, GameTransfer] = {}
        self._skipped: set[str] = set()
        """Games that cannot be read, or that the broker refused, until it is tried afresh."""

    @property
    def idle(self) -> bool:
        """Whether the broker has all that there is."""
        busy = self._in_flight or self._fetch or self._finishing
        return not busy and self._outbox.next_event(()) is None

    def retry(self, game: str = "") -> None:
        """Try again what could not be sent: this game, or all."""
        if game:
            self._skipped.discard(game)
        else:
            self._skipped.clear()

    def on_table_gone(self) -> None:
        """What was being read is asked for again once there is a table."""
        self._fetch, self.may_ask = None, False

    def switch_store(self, store: str, wire: Publisher) -> None:
        """The table has another store now, for which there is another connection."""
        self.store, self.publisher = store, wire
        self._fetch, self._in_flight, self._finishing = None, {}, {}

    def publish(
        self, kind: str, payload: bytes, sent: InFlightMessage | None = None, *, retain: bool = True
    ) -> int:
        """Publish as the kind says, but retained only where `retain` lets it be; the message's number."""
        assert self.publisher is not None
        how = club.KINDS[kind]
        mid = self.publisher.publish(self._topic(kind), payload, qos=how.qos, retain=how.retained and retain)
        if how.qos:
            self._in_flight[mid] = sent or InFlightMessage()
        return mid

    def send_next(self) -> None:
        """Send what may be sent now, and ask the table for what comes next."""
        while len(self._in_flight) < MAX_IN_FLIGHT:
            event = self._outbox.next_event({one.event for one in self._in_flight.values()})
            if event is None:
                break
            self.publish(event.kind, event.payload, InFlightMessage(event=event.id))
        if not self.may_ask or len(self._in_flight) >= MAX_IN_FLIGHT:
            return
        if self._fetch is None:
            results = {sent.result.game_id for sent in self._in_flight.values() if sent.result is not None}
            waiting = self._outbox.next_game(self.store, results | self._skipped | self._finishing.keys())
            self._fetch = None if waiting is None else GameTransfer(waiting)
        fetch = self._fetch
        if fetch is not None and not fetch.waits and fetch.next is not None:
            fetch.waits = True
            self._say(door.ResultRequest(fetch.game.number, fetch.next))

    def take_result(self, given: door.ResultAnswer) -> None:
        """The table gives the newest version of a game's result."""
        fetch, result = self._fetch, given.result
        if fetch is None or given.number != fetch.game.number or not fetch.waits:
            return
        if result is None or result.game_id != fetch.game.id:
            self._skipped.add(fetch.game.id)
            self._fetch = None
        elif fetch.next == 0:
            assert self.publisher is not None
            task = self._outbox.task_of(self.store, given.number)
            result = replace(result, task=task, store_proof=self.publisher.store_proof)
            fetch.digest, fetch.entries = result.digest, result.entries
            self._outbox.note_nicknames(result)
            newest = self._outbox.is_newest(self.store, given.number)
            self.publish("result", club.encode_payload(result), InFlightMessage(result=result), retain=newest)
            if not result.digest:
                self._fetch = None
        elif result.digest != fetch.digest:
            self._fetch = None  # it was changed while it was read: its new version is to be sent anyway

    def take_piece(self, piece: club.JournalSlice) -> None:
        """The table gives a part of that game's journal."""
        fetch = self._fetch
        if fetch is None or piece.game_id != fetch.game.id or piece.first != fetch.next:
            return
        fetch.waits = False
        fetch.left.add(
            self.publish("entries", club.encode_payload(piece), InFlightMessage(piece_of=piece.game_id))
        )
        fetch.next = piece.first + len(piece.lines)
        if fetch.next >= piece.total:
            fetch.next, self._fetch = None, None
            self._finishing[piece.game_id] = fetch

    def on_confirmation(self, heard: PublishConfirmed) -> InFlightMessage | None:
        """The broker has this message, or refuses it; what it was."""
        sent = self._in_flight.pop(heard.mid, None)
        if sent is None:
            return None
        if not heard.taken:
            self._skipped.add(sent.game)
        elif sent.event:
            self._outbox.mark_event_sent(sent.event)
        elif sent.result is not None:
            self._outbox.mark_result_sent(sent.result)
        for fetch in (self._fetch, self._finishing.get(sent.piece_of)):
            if fetch is not None:
                fetch.left.discard(heard.mid)
        done = self._finishing.get(sent.piece_of)
        if done is not None and not done.left:
            del self._finishing[sent.piece_of]
            if sent.piece_of not in self._skipped:
                self._outbox.mark_journal_sent(sent.piece_of, done.entries)
        return sent
