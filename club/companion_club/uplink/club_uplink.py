"""State machine of the uplink of a table in a club: results, journals, calls for a judge, and tasks."""

from collections.abc import Callable
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from companion.core.actions import SECOND, Micros
from companion.core.clock import wall_time, wall_time_difference
from companion.home import broker as mq
from companion.home.broker import MAX_IN_FLIGHT, PublishConfirmed
from companion.home.topics import Status
from companion.home.uplink import Publisher, TableGone, Uplink
from companion.network import uplink_messages as ms
from companion.network.messages import Message, TableSnapshot
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
            self._say(ms.ResultRequest(fetch.game.number, fetch.next))

    def take_result(self, given: ms.ResultAnswer) -> None:
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


VIEW_INTERVAL: Micros = SECOND // club.VIEWS_PER_SECOND
CLOCK_OFF_S = 300
"""A table's clock that is so many seconds from the hub's is reported as wrong."""


class ClubUplink(Uplink):
    """Everything between one table, its club and Home Assistant."""

    FILE = UplinkOutbox

    def __init__(self, outbox: UplinkOutbox, **table: Any) -> None:
        """`table`: the rest of what `Uplink` takes."""
        super().__init__(outbox, **table)
        self._outbox = outbox
        self._sender = Sender(outbox, self._topic, self._say)
        self._lost_all = False
        """Whether the broker had forgotten this table when it answered."""
        self._playing_id = ""
        """The id of the game that is on."""
        self._view: TableSnapshot | None = None
        self._view_at: Micros = -VIEW_INTERVAL
        self._task: club.TableTask | None = None
        self._task_ends: Micros = 0

    def tick(self) -> None:
        super().tick()
        now = self._now()
        if self._task is not None and now >= self._task_ends:
            self._send_next_task(None)
        if not self.ready:
            return
        if self._view is not None and now - self._view_at >= VIEW_INTERVAL:
            self._sender.publish("view", club.encode_payload(self._view))
            self._view, self._view_at = None, now
        self._sender.send_next()

    def next_due(self) -> Micros:
        dues = [super().next_due()]
        if self.ready and self._view is not None:
            dues.append(self._view_at + VIEW_INTERVAL)
        if self._task is not None:
            dues.append(self._task_ends)
        return min(dues)

    # What the table says ----------------------------------------------------------------------------------

    def _handle_table_message(self, message: Any) -> None:
        if isinstance(message, ms.CurrentGame):
            self._take_playing(message)
        super()._handle_table_message(message)
        match message:
            case ms.UplinkHello() | TableGone():
                self._sender.on_table_gone()
            case ms.StoredGameHeads():
                self._take_heads(message)
            case ms.ResultAnswer():
                self._sender.take_result(message)
            case ms.JournalPart():
                self._sender.take_piece(message.piece)
            case ms.JudgeCallMessage() if message.call is not None:
                name = f"call {message.call.id} {message.call.taken_back}"
                self._outbox.add_event(name, "call", club.encode_payload(message.call))
            case TableSnapshot():
                self._view = message

    def _switch_store(self, store: str) -> None:
        super()._switch_store(store)
        assert self._publisher is not None
        self._sender.switch_store(store, self._publisher)

    def _take_heads(self, heads: ms.StoredGameHeads) -> None:
        for head in heads.heads:
            if self._outbox.update_game(heads.store, head):
                self._sender.retry(head.game_id)
            if head.number == self._playing.number and head.game_id != self._playing_id:
                self._playing_id = head.game_id
                self._publish_status()
        if heads.more:
            self._say(ms.ListGamesAfter(heads.heads[-1].number))
        else:
            self._sender.may_ask = True

    def _take_playing(self, playing: ms.CurrentGame) -> None:
        begins = playing.number not in {0, self._playing.number} and not playing.over
        if playing.number != self._playing.number:
            self._playing_id = ""
        task = self._task
        if begins and task is not None and task.game in {"", playing.game}:
            self._outbox.note_task(self._store, playing.number, task.id)
        if playing.number:
            self._say(ms.ListGamesAfter(playing.number - 1))

    # What the broker says ---------------------------------------------------------------------------------

    def _greet_broker(self, *, remembered: bool) -> None:
        self._lost_all = not remembered
        self._sender.retry()
        super()._greet_broker(remembered=remembered)

    def _subscriptions(self) -> tuple[str, ...]:
        return self._topic("task"), self._topic("ask"), *super()._subscriptions()

    def _begin(self) -> None:
        if self._lost_all:
            self._outbox.resend_retained(self._store)
        super()._begin()

    def _on_confirmation(self, heard: mq.PublishConfirmed) -> None:
        sent = self._sender.on_confirmation(heard)
        super()._on_confirmation(heard)
        if sent is None:
            return
        result = sent.result
        if result is not None and result.task and result.outcome is not None and heard.taken:
            self._task_is_done(result.task)
        if (sent.event or sent.game) and self._sender.idle:
            self._publish_status()  # with the totals of everything that was sent

    def _on_hub_message(self, kind: str, heard: mq.MessageReceived) -> None:
        if kind not in club.KINDS:
            return
        said = club.decode_payload(kind, heard.payload)
        match said:
            case club.ResendRequest():
                if self.ready:  # what the broker kept comes before that, and may be hours old
                    self._check_clock(said.at)
                self._outbox.mark_for_resending(said.game_id, said.since)
                self._sender.retry()
            case club.TableTask() | None if kind == "task":
                self._take_task(said, heard)

    # Tasks ------------------------------------------------------------------------------------------------

    def _take_task(self, task: club.TableTask | None, heard: mq.MessageReceived) -> None:
        if task is None or self._outbox.is_done(task.id):
            self._send_next_task(None)
            return
        if not heard.retained:
            self._check_clock(task.at)
        left = (
            heard.expires_s
            if heard.expires_s is not None
            else wall_time_difference(task.expires, wall_time())
        )
        if left is None or left <= 0:
            self._send_next_task(None)
            return
        self._task_ends = self._now() + round(left * SECOND)
        self._send_next_task(task)

    def _task_is_done(self, task: str) -> None:
        if self._task is not None and self._task.id == task:
            self._send_next_task(None)

    def _send_next_task(self, task: club.TableTask | None) -> None:
        self._task = task
        self._say(ms.NextTask(task))

    def _check_clock(self, at: str) -> None:
        """The hub said what time it is, just now."""
        off = wall_time_difference(wall_time(), at)
        if off is not None and (abs(off) > CLOCK_OFF_S or self.trouble == "ui.club.clock"):
            self._set_trouble("ui.club.clock" if abs(off) > CLOCK_OFF_S else "", f"{off:+.0f} s")
            self._publish_status()

    # How it stands ----------------------------------------------------------------------------------------

    def _status(self) -> Status:
        totals = self._outbox.totals(self._store)
        return replace(
            super()._status(), game_id=self._playing_id, results=totals.results, entries=totals.entries
        )

    def _publish_retained(self, kind: str, message: Any) -> None:
        """As `Uplink` does; what is not acknowledged counts to what may be on its way."""
        self._sender.publish(kind, club.encode_payload(message))
