"""State machine of the uplink, which handles each message of table and broker in one thread.

It tells the broker how the table is, and Home Assistant what is played; a club's package has a subclass that
reports results as well. It knows no socket and no paho: it is told through `handle_message`, says things by
two functions, and its time is that of `now`.
"""

import logging
from collections.abc import Callable
from typing import Any, ClassVar, Protocol

import msgspec
from msgspec import MsgspecError, Struct
from msgspec.structs import replace

from companion.core.actions import SECOND, Micros
from companion.core.clock import wall_time
from companion.home import broker as mq
from companion.home import topics
from companion.home.home_assistant import HomeAssistantDevice, HomeMessage
from companion.home.uplink_file import UplinkFile
from companion.network import uplink_messages as ms
from companion.network.messages import CountBeat, Message, TableSnapshot

log = logging.getLogger(__name__)

STATUS_INTERVAL: Micros = 30 * SECOND
"""A status is repeated this often, to tell a name whose table died from one that is taken."""
NAME_CLASH_TIMEOUT: Micros = 75 * SECOND
"""A table of this name that was not heard for so long is gone."""
DENIED_KEY = "ui.club.not_allowed"


class TableGone(Struct, frozen=True):
    """The table closed the connection, or says what this version does not know."""

    why: str = ""


class Publisher(Protocol):
    """The broker; `companion.home.broker.UplinkBroker`."""

    @property
    def store_proof(self) -> str: ...

    def subscribe(self, *topics: str) -> int: ...

    def publish(self, topic: str, payload: bytes, *, qos: int, retain: bool) -> int: ...


class Uplink:
    """Everything between one table and one broker."""

    FILE: ClassVar[type[UplinkFile]] = UplinkFile
    """Where it writes down how it stands."""

    def __init__(
        self,
        file: UplinkFile,
        *,
        name: str,
        table: str,
        run: str,
        connect: Callable[[str], Publisher],
        say: Callable[[Message], None],
        now: Callable[[], Micros],
        home: Callable[[str, ms.UplinkHello], HomeAssistantDevice] | None = None,
    ) -> None:
        """`name` and `table` are those of the topics; `connect` gives the broker to a store's id.

        `say` says something to the table, `home` makes what Home Assistant is told.
        """
        self.stops = ""
        """Why the uplink has to stop, as a key of the catalogue; empty: it need not."""
        self.trouble = ""
        """What is wrong now, in the same way."""
        self._file = file
        self._name, self._table, self._run = name, table, run
        self._connect, self._say, self._now, self._make_home = connect, say, now, home
        self._publisher: Publisher | None = None
        self._store = ""
        self._home: HomeAssistantDevice | None = None
        self._welcome = ms.UplinkHello("", "", "")
        self.ready = False
        """Whether the broker hears this table now, and the name is its own."""
        self._was_heard = False
        """Whether our own status came back: what is said in this store's name before is of an earlier run."""
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
        self._playing = ms.CurrentGame()
        self._status_at: Micros = 0

    # The loop's side --------------------------------------------------------------------------------------

    def handle_message(self, message: Any) -> None:
        """Take one message in, whichever end it is from, and send what may be sent."""
        if isinstance(message, mq.FromBroker):
            self._handle_broker_message(message)
        else:
            self._handle_table_message(message)
        self.tick()

    def tick(self) -> None:
        """What is due now."""
        now = self._now()
        if self._clash is not None and now >= self._clash:
            self._clash = None
            self._begin()
        if not self.ready:
            return
        denied = self._denied or self._no_home
        if self.trouble == DENIED_KEY and not denied and now - self._begun_at >= STATUS_INTERVAL:
            self._set_trouble("")
        if now - self._status_at >= STATUS_INTERVAL:
            self._publish_status()

    def next_due(self) -> Micros:
        """When `tick` has something to do, if nothing is heard before."""
        dues = [self._now() + STATUS_INTERVAL]
        if self.ready:
            dues.append(self._status_at + STATUS_INTERVAL)
        dues += [self._clash] if self._clash is not None else []
        return min(dues)

    def say_offline(self) -> None:
        """The last thing this table says."""
        if self.ready:
            self.ready = False
            self._publish_retained("status", replace(self._status(), online=False))

    # What the table says ----------------------------------------------------------------------------------

    def _handle_table_message(self, message: ms.FromTable | TableGone) -> None:
        match message:
            case ms.UplinkHello():
                self._welcome = message
                self._say(ms.ListGamesAfter(0))
                self._say(ms.BrokerStatus(self.ready, self.trouble))
            case ms.StoredGameHeads() if message.store != self._store:
                self._switch_store(message.store)
            case ms.CurrentGame():
                self._playing = message
                self._publish_status()
                self._publish_home(lambda home: home.on_playing(message))
            case ms.JudgeCallMessage():
                self._publish_home(lambda home: home.on_judge_call(message.call))
            case TableSnapshot():
                self._publish_home(lambda home: home.on_view(message))
            case CountBeat():
                self._publish_home(lambda home: home.on_count(message))

    def _switch_store(self, store: str) -> None:
        """The table has another store now, for which there is another connection."""
        if self._make_home is not None:
            self._home = self._make_home(store, self._welcome)
        self.ready = False
        self._file.write_status("store", store)
        self._store, self._publisher = store, self._connect(store)

    # What the broker says ---------------------------------------------------------------------------------

    def _handle_broker_message(self, message: mq.FromBroker) -> None:
        match message:
            case mq.BrokerConnected():
                self._greet_broker(remembered=message.remembered)
            case mq.SubscriptionConfirmed():
                if message.mid == self._subscribing and self._clash is None and not self.stops:
                    self._begin()
            case mq.BrokerLost():
                self._on_broker_lost(message)
            case mq.SessionReplaced():
                self.ready, self.stops = False, "ui.club.taken_over"
                self._set_trouble(self.stops)
            case mq.PublishConfirmed():
                self._on_confirmation(message)
            case mq.MessageReceived():
                try:
                    self._on_message(message)
                except (MsgspecError, UnicodeDecodeError, RecursionError) as trouble:
                    log.warning("%s has what this version does not know: %s", message.topic, trouble)

    def _on_broker_lost(self, lost: mq.BrokerLost) -> None:
        """A broker that breaks the connection over a refused message can be reached.

        It may break the next one, too, before its refusal of the same message arrives.
        """
        again = self._answered and self.trouble == DENIED_KEY
        self.ready = self._answered = False
        if self._denied or again:
            self._set_trouble(DENIED_KEY, lost.why)
        else:
            self._no_home = False  # its rights may be others once it is back
            self._set_trouble(lost.trouble, lost.why)
        self._denied = False

    def _greet_broker(self, *, remembered: bool) -> None:
        """`remembered`: the broker has what it was told before. Home Assistant is told everything anyway."""
        self._clash, self._answered = None, True
        wire = self._publisher
        assert wire is not None
        self._subscribing = wire.subscribe(self._topic("status"))
        # The broker answers in order: what it retained of this name's status comes before the last answer.
        if others := self._subscriptions():
            self._subscribing = wire.subscribe(*others)

    def _subscriptions(self) -> tuple[str, ...]:
        """The topics to hear besides this name's status."""
        return () if self._home is None else self._home.subscriptions

    def _begin(self) -> None:
        """The name is free: everything that stands is published."""
        self.ready = True
        self._begun_at = self._now()
        # It may refuse the same message again: that it was refused is said until a connection has lasted.
        self._set_trouble(DENIED_KEY if self.trouble == DENIED_KEY else "")
        self._publish_status()
        self._begin_home()

    def _begin_home(self) -> None:
        """Home Assistant hears of the device, or that there is none any more."""
        known = self._file.read_status().get("home", "")
        if self._home is not None:
            self._file.write_status("home", self._home.config_topic)
            self._publish_home(lambda home: home.initial_messages())
        elif known and self._publisher is not None:
            self._publisher.publish(known, b"", qos=1, retain=True)
            self._file.write_status("home", "")

    def _on_confirmation(self, confirmation: mq.PublishConfirmed) -> None:
        if not confirmation.taken:
            self._denied = True
            self._no_home = self._no_home or confirmation.mid in self._discovery
            if self.trouble != DENIED_KEY:
                self._set_trouble(DENIED_KEY)
        self._discovery.discard(confirmation.mid)

    def _on_message(self, message: mq.MessageReceived) -> None:
        at = topics.split_topic(message.topic)
        if at is None:
            if message.payload == b"online":  # Home Assistant was started
                self._publish_home(lambda home: home.initial_messages())
        elif at.kind == "status":
            if message.payload:
                self._on_table_status(msgspec.json.decode(message.payload, type=topics.Status))
        elif self._clash is None:
            self._on_hub_message(at.kind, message)

    def _on_hub_message(self, kind: str, message: mq.MessageReceived) -> None:
        """A club's hub says something to this table: nothing here asks for it."""

    def _on_table_status(self, status: topics.Status) -> None:
        """Somebody says something under this table's name, or it is this table's own status."""
        self._was_heard |= status.run == self._run
        if not status.store or status.run == self._run:
            return
        if status.store == self._store:
            # Not every broker says that a session was taken over: here it is heard who came after. What comes
            # before our own status is of an earlier run, whose session still held it.
            if status.online and self._was_heard:
                self._handle_broker_message(mq.SessionReplaced())
        elif not status.online:
            if self._clash is not None:
                self._clash = None
                self._begin()
        elif not self.ready or status.store < self._store:  # of two that came at once, one stays
            self.ready, self._clash = False, self._now() + NAME_CLASH_TIMEOUT
            self._set_trouble("ui.club.clash", status.name)

    # How it stands ----------------------------------------------------------------------------------------

    def _publish_status(self) -> None:
        if not self.ready:
            return
        self._status_at = self._now()
        self._publish_retained("status", self._status())
        self._file.write_status("waiting", str(self._file.unsent_count()))

    def _status(self) -> topics.Status:
        assert self._publisher is not None
        return topics.Status(
            online=True,
            run=self._run,
            program=self._welcome.program,
            store=self._store,
            store_proof=self._publisher.store_proof,
            name=self._welcome.name,
            game=self._playing.game,
            at=wall_time(),
            trouble=self.trouble,
        )

    def _publish_retained(self, kind: str, message: msgspec.Struct) -> None:
        """Publish with QoS 1, for whoever comes later as well."""
        assert self._publisher is not None
        self._publisher.publish(self._topic(kind), topics.encode_payload(message), qos=1, retain=True)

    def _publish_home(self, what: Callable[[HomeAssistantDevice], list[HomeMessage]]) -> None:
        """Home Assistant's state is kept up to date all the time, and told while the broker hears it."""
        if self._home is None:
            return
        for one in what(self._home):
            if self.ready and not self._no_home and self._publisher is not None:
                mid = self._publisher.publish(one.topic, one.payload, qos=one.qos, retain=one.retain)
                self._discovery |= {mid} if one.qos else set()

    def _set_trouble(self, trouble: str, why: str = "") -> None:
        """How it stands now, for the table, for doctor and for the log."""
        log.info("%s %s", trouble or "The broker hears this table", why)
        self.trouble = trouble
        waiting = str(self._file.unsent_count())
        for name, value in (("trouble", trouble), ("why", why), ("at", wall_time()), ("waiting", waiting)):
            self._file.write_status(name, value)
        self._say(ms.BrokerStatus(self.ready, trouble))

    def _topic(self, kind: str) -> str:
        return topics.TopicAddress(self._name, self._table, kind).topic
