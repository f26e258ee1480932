"""What the uplink does with everything that table and broker say; one thread, one message after another.

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
from companion.core.clock import ahead, wall_time
from companion.doors import uplink as door
from companion.doors.messages import Count, Message, View
from companion.uplink import broker as mq
from companion.uplink.home import Home, Said
from companion.uplink.link import TableGone
from companion.uplink.outbox import Outbox
from companion.uplink.sender import Sender, Wire

log = logging.getLogger(__name__)

STATUS_EVERY: Micros = 30 * SECOND
"""A status is repeated this often, to tell a name whose table died from one that is taken."""
CLASH: Micros = 75 * SECOND
"""A table of this name that was not heard for so long is gone."""
VIEW_EVERY: Micros = SECOND // club.VIEWS_PER_SECOND
DENIED = "ui.club.not_allowed"
CLOCK_OFF_S = 300
"""A table's clock that is so many seconds from the hub's is reported as wrong."""


class Uplink:
    """Everything between one table and one broker."""

    def __init__(
        self,
        outbox: Outbox,
        *,
        name: str,
        table: str,
        run: str,
        connect: Callable[[str], Wire],
        say: Callable[[Message], None],
        now: Callable[[], Micros],
        home: Callable[[str, door.Welcome], Home] | None = None,
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
        self._home: Home | None = None
        self._welcome = door.Welcome("", "", "")
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
        self._playing = door.Playing()
        self._playing_id = ""
        """The id of the game that is on."""
        self._view: View | None = None
        self._view_at: Micros = -VIEW_EVERY
        self._status_at: Micros = 0
        self._task: club.Task | None = None
        self._task_ends: Micros = 0

    # The loop's side --------------------------------------------------------------------------------------

    def hear(self, heard: Any) -> None:
        """Take one message in, whichever end it is from, and send what may be sent."""
        if isinstance(heard, mq.FromBroker):
            self._from_broker(heard)
        else:
            self._from_table(heard)
        self.tick()

    def tick(self) -> None:
        """What is due now."""
        now = self._now()
        if self._clash is not None and now >= self._clash:
            self._clash = None
            self._begin()
        if self._task is not None and now >= self._task_ends:
            self._next(None)
        if not self.ready:
            return
        denied = self._denied or self._no_home
        if self.trouble == DENIED and not denied and now - self._begun_at >= STATUS_EVERY:
            self._troubled("")
        if now - self._status_at >= STATUS_EVERY:
            self._tell_status()
        if self._view is not None and now - self._view_at >= VIEW_EVERY:
            self._sender.publish("view", club.encoded(self._view))
            self._view, self._view_at = None, now
        self._sender.pump()

    def due(self) -> Micros:
        """When `tick` has something to do, if nothing is heard before."""
        dues = [self._now() + STATUS_EVERY]
        if self.ready:
            dues.append(self._status_at + STATUS_EVERY)
            dues += [self._view_at + VIEW_EVERY] if self._view is not None else []
        dues += [self._clash] if self._clash is not None else []
        dues += [self._task_ends] if self._task is not None else []
        return min(dues)

    def leave(self) -> None:
        """The last thing this table says."""
        if self.ready:
            self.ready = False
            self._sender.publish("status", club.encoded(replace(self._status(), online=False)))

    # What the table says ----------------------------------------------------------------------------------

    def _from_table(self, told: door.FromTable | TableGone) -> None:
        match told:
            case door.Welcome():
                self._welcome = told
                self._sender.table_gone()
                self._say(door.Since(0))
                self._say(door.Linked(self.ready, self.trouble))
            case door.Heads():
                self._take_heads(told)
            case door.Playing():
                self._take_playing(told)
            case door.Given():
                self._sender.take_result(told)
            case door.Journal():
                self._sender.take_piece(told.piece)
            case door.Judge():
                if told.call is not None:
                    name = f"call {told.call.id} {told.call.taken_back}"
                    self._outbox.happened(name, "call", club.encoded(told.call))
                self._tell_home(lambda home: home.judge(told.call))
            case View():
                self._view = told
                self._tell_home(lambda home: home.view(told))
            case Count():
                self._tell_home(lambda home: home.count(told))
            case TableGone():
                self._sender.table_gone()

    def _take_heads(self, heads: door.Heads) -> None:
        if heads.store != self._sender.store:
            if self._make_home is not None:
                self._home = self._make_home(heads.store, self._welcome)
            self.ready = False
            self._outbox.note("store", heads.store)
            self._sender.other_store(heads.store, self._connect(heads.store))
        for head in heads.heads:
            if self._outbox.saw(heads.store, head):
                self._sender.afresh(head.game_id)
            if head.number == self._playing.number and head.game_id != self._playing_id:
                self._playing_id = head.game_id
                self._tell_status()
        if heads.more:
            self._say(door.Since(heads.heads[-1].number))
        else:
            self._sender.may_ask = True

    def _take_playing(self, playing: door.Playing) -> None:
        begins = playing.number not in {0, self._playing.number} and not playing.over
        if playing.number != self._playing.number:
            self._playing_id = ""
        self._playing = playing
        task = self._task
        if begins and task is not None and task.game in {"", playing.game}:
            self._outbox.plays(self._sender.store, playing.number, task.id)
        if playing.number:
            self._say(door.Since(playing.number - 1))
        self._tell_status()
        self._tell_home(lambda home: home.playing(playing))

    # What the broker says ---------------------------------------------------------------------------------

    def _from_broker(self, heard: mq.FromBroker) -> None:
        match heard:
            case mq.Connected():
                self._greet_broker(remembered=heard.remembered)
            case mq.Subscribed():
                if heard.mid == self._subscribing and self._clash is None and not self.stops:
                    self._begin()
            case mq.Lost():
                self._lost(heard)
            case mq.Replaced():
                self.ready, self.stops = False, "ui.club.taken_over"
                self._troubled(self.stops)
            case mq.Acknowledged():
                self._acknowledged(heard)
            case mq.Heard():
                try:
                    self._said(heard)
                except (MsgspecError, UnicodeDecodeError, RecursionError) as trouble:
                    log.warning("%s has what this version does not know: %s", heard.topic, trouble)

    def _lost(self, heard: mq.Lost) -> None:
        """A broker that breaks the connection over a refused message can be reached.

        It may break the next one, too, before its refusal of the same message arrives.
        """
        again = self._answered and self.trouble == DENIED
        self.ready = self._answered = False
        if self._denied or again:
            self._troubled(DENIED, heard.why)
        else:
            self._no_home = False  # its rights may be others once it is back
            self._troubled(heard.trouble, heard.why)
        self._denied = False

    def _greet_broker(self, *, remembered: bool) -> None:
        self._lost_all, self._clash, self._answered = not remembered, None, True
        self._sender.afresh()
        wire = self._sender.wire
        assert wire is not None
        wire.subscribe(self._topic("status"))
        # The broker answers in order: what it retained of this name's status comes before this answer.
        others = () if self._home is None else self._home.hears
        self._subscribing = wire.subscribe(self._topic("task"), self._topic("ask"), *others)

    def _begin(self) -> None:
        """The name is free: everything that stands is published."""
        self.ready = self._was_ready = True
        self._begun_at = self._now()
        # It may refuse the same message again: that it was refused is said until a connection has lasted.
        self._troubled(DENIED if self.trouble == DENIED else "")
        if self._lost_all:
            self._outbox.retain_again(self._sender.store)
        self._tell_status()
        self._begin_home()

    def _begin_home(self) -> None:
        """Home Assistant hears of the device, or that there is none any more."""
        known = self._outbox.noted().get("home", "")
        if self._home is not None:
            self._outbox.note("home", self._home.config_topic)
            self._tell_home(lambda home: home.begin())
        elif known and self._sender.wire is not None:
            self._sender.wire.publish(known, b"", qos=1, retain=True)
            self._outbox.note("home", "")

    def _acknowledged(self, heard: mq.Acknowledged) -> None:
        sent = self._sender.acknowledged(heard)
        if not heard.taken:
            self._denied = True
            self._no_home = self._no_home or heard.mid in self._discovery
            if self.trouble != DENIED:
                self._troubled(DENIED)
        self._discovery.discard(heard.mid)
        if sent is None:
            return
        result = sent.result
        if result is not None and result.task and result.outcome is not None and heard.taken:
            self._task_is_done(result.task)
        if (sent.event or sent.game) and self._sender.idle:
            self._tell_status()  # with the totals of everything that was sent

    def _said(self, heard: mq.Heard) -> None:
        at = club.address(heard.topic)
        if at is None:
            if heard.payload == b"online":  # Home Assistant was started
                self._tell_home(lambda home: home.begin())
            return
        said = club.decoded(at.kind, heard.payload)
        match said:
            case club.Status():
                self._other_table(said)
            case club.Ask() if self._clash is None:
                if self.ready:  # what the broker kept comes before that, and may be hours old
                    self._check_clock(said.at)
                self._outbox.tell_again(said.game_id, said.since)
                self._sender.afresh()
            case club.Task() | None if at.kind == "task" and self._clash is None:
                self._take_task(said, heard)

    def _other_table(self, status: club.Status) -> None:
        """Somebody says something under this table's name, or it is this table's own status."""
        if not status.store or status.run == self._run:
            return
        if status.store == self._sender.store:
            # Not every broker says that a session was taken over: here it is heard who came after.
            if status.online and self._was_ready:
                self._from_broker(mq.Replaced())
        elif not status.online:
            if self._clash is not None:
                self._clash = None
                self._begin()
        elif not self.ready or status.store < self._sender.store:  # of two that came at once, one stays
            self.ready, self._clash = False, self._now() + CLASH
            self._troubled("ui.club.clash", status.name)

    # Tasks ------------------------------------------------------------------------------------------------

    def _take_task(self, task: club.Task | None, heard: mq.Heard) -> None:
        if task is None or self._outbox.is_done(task.id):
            self._next(None)
            return
        if not heard.retained:
            self._check_clock(task.at)
        left = heard.expires_s if heard.expires_s is not None else ahead(task.expires, wall_time())
        if left is None or left <= 0:
            self._next(None)
            return
        self._task_ends = self._now() + round(left * SECOND)
        self._next(task)

    def _task_is_done(self, task: str) -> None:
        if self._task is not None and self._task.id == task:
            self._next(None)

    def _next(self, task: club.Task | None) -> None:
        self._task = task
        self._say(door.Next(task))

    def _check_clock(self, at: str) -> None:
        """The hub said what time it is, just now."""
        off = ahead(wall_time(), at)
        if off is not None and (abs(off) > CLOCK_OFF_S or self.trouble == "ui.club.clock"):
            self._troubled("ui.club.clock" if abs(off) > CLOCK_OFF_S else "", f"{off:+.0f} s")
            self._tell_status()

    # How it stands ----------------------------------------------------------------------------------------

    def _tell_status(self) -> None:
        if not self.ready:
            return
        self._status_at = self._now()
        self._sender.publish("status", club.encoded(self._status()))
        self._outbox.note("waiting", str(self._outbox.waiting()))

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

    def _tell_home(self, what: Callable[[Home], list[Said]]) -> None:
        """Home Assistant's state is kept up to date all the time, and told while the broker hears it."""
        if self._home is None:
            return
        for one in what(self._home):
            if self.ready and not self._no_home and self._sender.wire is not None:
                mid = self._sender.wire.publish(one.topic, one.payload, qos=one.qos, retain=one.retain)
                self._discovery |= {mid} if one.qos else set()

    def _troubled(self, trouble: str, why: str = "") -> None:
        """How it stands now, for the table, for doctor and for the log."""
        log.info("%s %s", trouble or "The broker hears this table", why)
        self.trouble = trouble
        waiting = str(self._outbox.waiting())
        for name, value in (("trouble", trouble), ("why", why), ("at", wall_time()), ("waiting", waiting)):
            self._outbox.note(name, value)
        self._say(door.Linked(self.ready, trouble))

    def _topic(self, kind: str) -> str:
        return club.topic(self._name, self._table, kind)
