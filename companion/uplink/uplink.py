"""State machine of the uplink, which handles each message of table and broker in one thread.

It knows no socket and no paho: it is told through `hear`, says things by two functions, and its time is that
of `now`.
"""

import logging
from collections.abc import Callable
from typing import Any

from msgspec import MsgspecError
from msgspec.structs import replace

from companion.club import messages as club
from companion.core.actions import SECOND, Micros
from companion.core.clock import wall_time, wall_time_difference
from companion.network import uplink_messages as door
from companion.network.messages import CountBeat, Message, TableSnapshot
from companion.uplink import broker as mq
from companion.uplink.home import HomeAssistantDevice, HomeMessage
from companion.uplink.outbox import UplinkOutbox
from companion.uplink.sender import Publisher, Sender
from companion.uplink.table_link import TableGone

log = logging.getLogger(__name__)

STATUS_INTERVAL: Micros = 30 * SECOND
"""A status is repeated this often, to tell a name whose table died from one that is taken."""
NAME_CLASH_TIMEOUT: Micros = 75 * SECOND
"""A table of this name that was not heard for so long is gone."""
VIEW_INTERVAL: Micros = SECOND // club.VIEWS_PER_SECOND
DENIED_KEY = "ui.club.not_allowed"
CLOCK_OFF_S = 300
"""A table's clock that is so many seconds from the hub's is reported as wrong."""


class Uplink:
    """Everything between one table and one broker."""

    def __init__(
        self,
        outbox: UplinkOutbox,
        *,
        name: str,
        table: str,
        run: str,
        connect: Callable[[str], Publisher],
        say: Callable[[Message], None],
        now: Callable[[], Micros],
        home: Callable[[str, door.UplinkHello], HomeAssistantDevice] | None = None,
    ) -> None:
        """`name` and `table` are those of the topics; `connect` gives the broker to a store's id.

        `say` says something to the table, `home` makes what Home Assistant is told.
        """
        self.stops = ""
        """Why the uplink has to stop, as a key of the catalogue; empty: it need not."""
        self.trouble = ""
        """What is wrong now, in the same way."""
        self._outbox = outbox
        self._name, self._table, self._run = name, table, run
        self._connect, self._say, self._now, self._make_home = connect, say, now, home
        self._sender = Sender(outbox, self._topic, say)
        self._home: HomeAssistantDevice | None = None
        self._welcome = door.UplinkHello("", "", "")
        self.ready = False
        """Whether the broker hears this table now, and the name is its own."""
        self._was_ready = False
        """Whether it ever did: what was said in this store's name before then is of an earlier run."""
        self._subscribing = -1
        self._begun_at: Micros = 0
        self._denied = False
        """Whether the broker refused a message of this connection."""
        self._answered = False
        """Whether it took this connection."""
        self._discovery: set[int] = set()
        """Messages to Home Assistant's discovery that are not acknowledged."""
        self._no_home = False
        """Whether the broker refused one of those: the club shall hear the table nevertheless."""
        self._clash: Micros | None = None
        """Until when another table of this name is waited for."""
        self._lost_all = False
        """Whether the broker had forgotten this table when it answered."""
        self._playing = door.CurrentGame()
        self._playing_id = ""
        """The id of the game that is on."""
        self._view: TableSnapshot | None = None
        self._view_at: Micros = -VIEW_INTERVAL
        self._status_at: Micros = 0
        self._task: club.TableTask | None = None
        self._task_ends: Micros = 0

    # The loop's side --------------------------------------------------------------------------------------

    def handle_message(self, heard: Any) -> None:
        """Take one message in, whichever end it is from, and send what may be sent."""
        if isinstance(heard, mq.FromBroker):
            self._handle_broker_message(heard)
        else:
            self._handle_table_message(heard)
        self.tick()

    def tick(self) -> None:
        """What is due now."""
        now = self._now()
        if self._clash is not None and now >= self._clash:
            self._clash = None
            self._begin()
        if self._task is not None and now >= self._task_ends:
            self._send_next_task(None)
        if not self.ready:
            return
        denied = self._denied or self._no_home
        if self.trouble == DENIED_KEY and not denied and now - self._begun_at >= STATUS_INTERVAL:
            self._set_trouble("")
        if now - self._status_at >= STATUS_INTERVAL:
            self._publish_status()
        if self._view is not None and now - self._view_at >= VIEW_INTERVAL:
            self._sender.publish("view", club.encode_payload(self._view))
            self._view, self._view_at = None, now
        self._sender.send_next()

    def next_due(self) -> Micros:
        """When `tick` has something to do, if nothing is heard before."""
        dues = [self._now() + STATUS_INTERVAL]
        if self.ready:
            dues.append(self._status_at + STATUS_INTERVAL)
            dues += [self._view_at + VIEW_INTERVAL] if self._view is not None else []
        dues += [self._clash] if self._clash is not None else []
        dues += [self._task_ends] if self._task is not None else []
        return min(dues)

    def say_offline(self) -> None:
        """The last thing this table says."""
        if self.ready:
            self.ready = False
            self._sender.publish("status", club.encode_payload(replace(self._status(), online=False)))

    # What the table says ----------------------------------------------------------------------------------

    def _handle_table_message(self, told: door.FromTable | TableGone) -> None:
        match told:
            case door.UplinkHello():
                self._welcome = told
                self._sender.on_table_gone()
                self._say(door.ListGamesAfter(0))
                self._say(door.BrokerStatus(self.ready, self.trouble))
            case door.StoredGameHeads():
                self._take_heads(told)
            case door.CurrentGame():
                self._take_playing(told)
            case door.ResultAnswer():
                self._sender.take_result(told)
            case door.JournalPart():
                self._sender.take_piece(told.piece)
            case door.JudgeCallMessage():
                if told.call is not None:
                    name = f"call {told.call.id} {told.call.taken_back}"
                    self._outbox.add_event(name, "call", club.encode_payload(told.call))
                self._publish_home(lambda home: home.on_judge_call(told.call))
            case TableSnapshot():
                self._view = told
                self._publish_home(lambda home: home.on_view(told))
            case CountBeat():
                self._publish_home(lambda home: home.on_count(told))
            case TableGone():
                self._sender.on_table_gone()

    def _take_heads(self, heads: door.StoredGameHeads) -> None:
        if heads.store != self._sender.store:
            if self._make_home is not None:
                self._home = self._make_home(heads.store, self._welcome)
            self.ready = False
            self._outbox.write_status("store", heads.store)
            self._sender.switch_store(heads.store, self._connect(heads.store))
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
        self._playing = playing
        task = self._task
        if begins and task is not None and task.game in {"", playing.game}:
            self._outbox.note_task(self._sender.store, playing.number, task.id)
        if playing.number:
            self._say(door.ListGamesAfter(playing.number - 1))
        self._publish_status()
        self._publish_home(lambda home: home.on_playing(playing))

    # What the broker says ---------------------------------------------------------------------------------

    def _handle_broker_message(self, heard: mq.FromBroker) -> None:
        match heard:
            case mq.BrokerConnected():
                self._greet_broker(remembered=heard.remembered)
            case mq.SubscriptionConfirmed():
                if heard.mid == self._subscribing and self._clash is None and not self.stops:
                    self._begin()
            case mq.BrokerLost():
                self._on_broker_lost(heard)
            case mq.SessionReplaced():
                self.ready, self.stops = False, "ui.club.taken_over"
                self._set_trouble(self.stops)
            case mq.PublishConfirmed():
                self._on_confirmation(heard)
            case mq.MessageReceived():
                try:
                    self._on_message(heard)
                except (MsgspecError, UnicodeDecodeError, RecursionError) as trouble:
                    log.warning("%s has what this version does not know: %s", heard.topic, trouble)

    def _on_broker_lost(self, heard: mq.BrokerLost) -> None:
        """A broker that breaks the connection over a refused message can be reached.

        It may break the next one, too, before its refusal of the same message arrives.
        """
        again = self._answered and self.trouble == DENIED_KEY
        self.ready = self._answered = False
        if self._denied or again:
            self._set_trouble(DENIED_KEY, heard.why)
        else:
            self._no_home = False  # its rights may be others once it is back
            self._set_trouble(heard.trouble, heard.why)
        self._denied = False

    def _greet_broker(self, *, remembered: bool) -> None:
        self._lost_all, self._clash, self._answered = not remembered, None, True
        self._sender.retry()
        wire = self._sender.publisher
        assert wire is not None
        wire.subscribe(self._topic("status"))
        # The broker answers in order: what it retained of this name's status comes before this answer.
        others = () if self._home is None else self._home.subscriptions
        self._subscribing = wire.subscribe(self._topic("task"), self._topic("ask"), *others)

    def _begin(self) -> None:
        """The name is free: everything that stands is published."""
        self.ready = self._was_ready = True
        self._begun_at = self._now()
        # It may refuse the same message again: that it was refused is said until a connection has lasted.
        self._set_trouble(DENIED_KEY if self.trouble == DENIED_KEY else "")
        if self._lost_all:
            self._outbox.resend_retained(self._sender.store)
        self._publish_status()
        self._begin_home()

    def _begin_home(self) -> None:
        """Home Assistant hears of the device, or that there is none any more."""
        known = self._outbox.read_status().get("home", "")
        if self._home is not None:
            self._outbox.write_status("home", self._home.config_topic)
            self._publish_home(lambda home: home.initial_messages())
        elif known and self._sender.publisher is not None:
            self._sender.publisher.publish(known, b"", qos=1, retain=True)
            self._outbox.write_status("home", "")

    def _on_confirmation(self, heard: mq.PublishConfirmed) -> None:
        sent = self._sender.on_confirmation(heard)
        if not heard.taken:
            self._denied = True
            self._no_home = self._no_home or heard.mid in self._discovery
            if self.trouble != DENIED_KEY:
                self._set_trouble(DENIED_KEY)
        self._discovery.discard(heard.mid)
        if sent is None:
            return
        result = sent.result
        if result is not None and result.task and result.outcome is not None and heard.taken:
            self._task_is_done(result.task)
        if (sent.event or sent.game) and self._sender.idle:
            self._publish_status()  # with the totals of everything that was sent

    def _on_message(self, heard: mq.MessageReceived) -> None:
        at = club.parse_topic(heard.topic)
        if at is None:
            if heard.payload == b"online":  # Home Assistant was started
                self._publish_home(lambda home: home.initial_messages())
            return
        said = club.decode_payload(at.kind, heard.payload)
        match said:
            case club.Status():
                self._on_table_status(said)
            case club.ResendRequest() if self._clash is None:
                if self.ready:  # what the broker kept comes before that, and may be hours old
                    self._check_clock(said.at)
                self._outbox.mark_for_resending(said.game_id, said.since)
                self._sender.retry()
            case club.TableTask() | None if at.kind == "task" and self._clash is None:
                self._take_task(said, heard)

    def _on_table_status(self, status: club.Status) -> None:
        """Somebody says something under this table's name, or it is this table's own status."""
        if not status.store or status.run == self._run:
            return
        if status.store == self._sender.store:
            # Not every broker says that a session was taken over: here it is heard who came after.
            if status.online and self._was_ready:
                self._handle_broker_message(mq.SessionReplaced())
        elif not status.online:
            if self._clash is not None:
                self._clash = None
                self._begin()
        elif not self.ready or status.store < self._sender.store:  # of two that came at once, one stays
            self.ready, self._clash = False, self._now() + NAME_CLASH_TIMEOUT
            self._set_trouble("ui.club.clash", status.name)

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

    def _publish_status(self) -> None:
        if not self.ready:
            return
        self._status_at = self._now()
        self._sender.publish("status", club.encode_payload(self._status()))
        self._outbox.write_status("waiting", str(self._outbox.unsent_count()))

    def _status(self) -> club.Status:
        totals, playing = self._outbox.totals(self._sender.store), self._playing
        return club.Status(
            online=True,
            run=self._run,
            program=self._welcome.program,
            store=self._sender.store,
            name=self._welcome.name,
            game=playing.game,
            game_id=self._playing_id,
            at=wall_time(),
            results=totals.results,
            entries=totals.entries,
            trouble=self.trouble,
        )

    def _publish_home(self, what: Callable[[HomeAssistantDevice], list[HomeMessage]]) -> None:
        """Home Assistant's state is kept up to date all the time, and told while the broker hears it."""
        if self._home is None:
            return
        for one in what(self._home):
            if self.ready and not self._no_home and self._sender.publisher is not None:
                mid = self._sender.publisher.publish(one.topic, one.payload, qos=one.qos, retain=one.retain)
                self._discovery |= {mid} if one.qos else set()

    def _set_trouble(self, trouble: str, why: str = "") -> None:
        """How it stands now, for the table, for doctor and for the log."""
        log.info("%s %s", trouble or "The broker hears this table", why)
        self.trouble = trouble
        waiting = str(self._outbox.unsent_count())
        for name, value in (("trouble", trouble), ("why", why), ("at", wall_time()), ("waiting", waiting)):
            self._outbox.write_status(name, value)
        self._say(door.BrokerStatus(self.ready, trouble))

    def _topic(self, kind: str) -> str:
        return club.make_topic(self._name, self._table, kind)
