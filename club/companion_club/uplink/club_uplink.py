"""State machine of the uplink of a table in a club: results, journals, calls for a judge, and tasks."""

from typing import Any

from msgspec.structs import replace

from companion.core.actions import SECOND, Micros
from companion.core.clock import wall_time, wall_time_difference
from companion.home import broker as mq
from companion.home.table_link import TableGone
from companion.home.topics import Status
from companion.home.uplink import Uplink
from companion.network import uplink_messages as door
from companion.network.messages import TableSnapshot
from companion_club import messages as club
from companion_club.uplink.outbox import UplinkOutbox
from companion_club.uplink.sender import Sender

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

    def _handle_table_message(self, told: Any) -> None:
        if isinstance(told, door.CurrentGame):
            self._take_playing(told)
        super()._handle_table_message(told)
        match told:
            case door.UplinkHello() | TableGone():
                self._sender.on_table_gone()
            case door.StoredGameHeads():
                self._take_heads(told)
            case door.ResultAnswer():
                self._sender.take_result(told)
            case door.JournalPart():
                self._sender.take_piece(told.piece)
            case door.JudgeCallMessage() if told.call is not None:
                name = f"call {told.call.id} {told.call.taken_back}"
                self._outbox.add_event(name, "call", club.encode_payload(told.call))
            case TableSnapshot():
                self._view = told

    def _switch_store(self, store: str) -> None:
        super()._switch_store(store)
        assert self._publisher is not None
        self._sender.switch_store(store, self._publisher)

    def _take_heads(self, heads: door.StoredGameHeads) -> None:
        for head in heads.heads:
            if self._outbox.update_game(heads.store, head):
                self._sender.retry(head.game_id)
            if head.number == self._playing.number and head.game_id != self._playing_id:
                self._playing_id = head.game_id
                self._publish_status()
        if heads.more:
            self._say(door.ListGamesAfter(heads.heads[-1].number))
        else:
            self._sender.may_ask = True

    def _take_playing(self, playing: door.CurrentGame) -> None:
        begins = playing.number not in {0, self._playing.number} and not playing.over
        if playing.number != self._playing.number:
            self._playing_id = ""
        task = self._task
        if begins and task is not None and task.game in {"", playing.game}:
            self._outbox.note_task(self._store, playing.number, task.id)
        if playing.number:
            self._say(door.ListGamesAfter(playing.number - 1))

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
        self._say(door.NextTask(task))

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
