"""The hub's MQTT connection, which acknowledges a message only after the commit."""

import secrets
import socket
from collections.abc import Callable
from typing import Any

import msgspec
from paho.mqtt.client import Client, ConnectFlags, DisconnectFlags, MQTTMessage
from paho.mqtt.enums import MQTTErrorCode
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties
from paho.mqtt.reasoncodes import ReasonCode
from paho.mqtt.subscribeoptions import SubscribeOptions

from companion.core.clock import monotonic_ns, wall_time
from companion.home.broker import (
    BrokerSettings,
    broker_port,
    certificate_problem,
    make_client,
    start_connecting,
)
from companion_club.hub.hub import MAX_BATCH
from companion_club.hub.leader_election import LeaderElection
from companion_club.hub.transport import (
    HUB_MESSAGE_KINDS,
    Inbox,
    MessageArrived,
    TransportConnected,
    TransportEnded,
)
from companion_club.messages import HubRun, encode_payload, hub_topic, make_topic

SESSION_S = 30 * 24 * 3600
"""How long the broker keeps what arrives while the hub is away."""
GONE_DELAY_S = 1
"""How long after its connection broke the broker says that a hub has gone."""
KEEPALIVE_S = 20
MAX_RETRY_S = 4
"""Between two tries to reach the broker."""
MAX_EARLY_BREAKS = 3
"""Connections that break as soon as the hub says that it runs: so mosquitto 2.0.11 refuses it the right."""
SECOND_HUB_WAIT_S = 2.0 + MAX_RETRY_S
"""How long a hub that found another waits for it. If that one still runs, it has connected again by then."""


class HubBroker:
    """Puts what the broker sends into an inbox. Its callbacks run in a thread of paho's."""

    def __init__(
        self, access: BrokerSettings, club: str, inbox: Inbox, *, say: Callable[[str], None]
    ) -> None:
        self._access, self._club, self._inbox, self._say = access, club, inbox, say
        self._where = f"{access.broker}:{broker_port(access)}"
        self._connection = 0
        """Which connection this is: an acknowledgement for an earlier one would be another message's."""
        self._said = ""
        self._told_of = ""
        """The last run of which it was said that it gives way."""
        self._only = LeaderElection(secrets.token_hex(8), socket.gethostname(), wall_time())
        self._works = False
        """Whether it is the only hub, as far as it knows: until then the hub takes nothing in."""
        self._gave_way = False
        self._heard: bool | None = None
        """Whether it has heard itself in this connection; None: there is none."""
        self._unheard = 0
        """How many connections in a row broke before that."""
        self._begins_at: int | None = None
        """By the kernel's clock: when it works though it found another, or hears nothing."""
        client = make_client(access, f"companion-hub-{club}", manual_ack=True)
        client.reconnect_delay_set(1, MAX_RETRY_S)
        delay = Properties(PacketTypes.WILLMESSAGE)  # type: ignore[no-untyped-call]
        delay.WillDelayInterval = GONE_DELAY_S
        client.will_set(hub_topic(club), b"", qos=1, retain=True, properties=delay)
        client.on_connect = self._on_connect
        client.on_connect_fail = self._on_connect_fail
        client.on_disconnect = self._on_disconnect
        client.on_message = self._on_message
        self._client = client

    def start(self) -> None:
        """Connect, and connect again whenever that is needed."""
        start_connecting(
            self._client, self._access, kept_s=SESSION_S, keepalive_s=KEEPALIVE_S, most=MAX_BATCH
        )

    def stop(self) -> None:
        """Leave; the broker keeps the session."""
        if self._heard and not self._gave_way:
            self._client.publish(hub_topic(self._club), b"", retain=True)
        client = self._client
        client.disconnect()
        client.loop_stop()
        # Nothing of it refers to us any more, so its sockets are closed with it.
        client.on_connect = client.on_connect_fail = client.on_disconnect = client.on_message = None

    def publish(self, topic: str, payload: bytes, *, retain: bool, expiry_s: int = 0) -> bool:
        if not self._client.is_connected():
            return False
        more = None
        if expiry_s:
            more = Properties(PacketTypes.PUBLISH)  # type: ignore[no-untyped-call]
            more.MessageExpiryInterval = expiry_s
        sent = self._client.publish(topic, payload, qos=1, retain=retain, properties=more)
        return sent.rc == MQTTErrorCode.MQTT_ERR_SUCCESS

    def refresh(self) -> None:
        """Subscribe, which sends all that is retained."""
        options = SubscribeOptions(qos=1, retainHandling=SubscribeOptions.RETAIN_SEND_ON_SUBSCRIBE)
        self._client.subscribe([(make_topic(self._club, "+", kind), options) for kind in HUB_MESSAGE_KINDS])

    def _on_connect(
        self, client: Client, _user: Any, _flags: ConnectFlags, reason: ReasonCode, _properties: Any
    ) -> None:
        if reason.is_failure:
            self._say_once(
                f"The broker {self._where} refuses the hub: {reason}. Check its user and password."
            )
            return
        self._connection += 1
        self._only.on_connect()
        self._heard = False
        if self._works:
            self._work()
        if self._unheard < MAX_EARLY_BREAKS:
            # Of QoS 0, so that it comes at once, whatever else waits to be acknowledged.
            client.subscribe(hub_topic(self._club), options=SubscribeOptions(qos=0))
            client.publish(hub_topic(self._club), encode_payload(self._only.own_announcement()), retain=True)
        else:
            self._begin_unheard()
        if self._begins_at is None:
            self._begins_at = monotonic_ns() + round(SECOND_HUB_WAIT_S * 1e9)

    def _work(self) -> None:
        self._say_once(f"Connected to the broker {self._where}.")
        self._inbox.put(TransportConnected())
        self.refresh()

    def _on_connect_fail(self, _client: Client, _user: Any) -> None:
        if why := certificate_problem():
            self._say_once(
                f"The certificate of {self._where} isn't trusted ({why}). Check club.ca_file and the name."
            )
        else:
            self._say_once(f"The broker {self._where} doesn't answer; trying again until it does.")

    def _on_disconnect(
        self, _client: Client, _user: Any, _flags: DisconnectFlags, reason: ReasonCode, _properties: Any
    ) -> None:
        self._connection += 1
        self._unheard += self._heard is False
        self._heard = None
        if reason.is_failure:
            self._say_once(f"The connection to {self._where} broke ({reason}); trying again.")

    def _on_message(self, client: Client, _user: Any, message: MQTTMessage) -> None:
        if message.topic == hub_topic(self._club):
            self._on_hub_message(bytes(message.payload))
            return
        connection, mid, qos = self._connection, message.mid, message.qos

        def acknowledge() -> None:
            if self._connection == connection:
                client.ack(mid, qos)

        self._inbox.put(
            MessageArrived(message.topic, bytes(message.payload), retained=message.retain, done=acknowledge)
        )

    # The only one -----------------------------------------------------------------------------------------

    def _on_hub_message(self, payload: bytes) -> None:
        """A hub of this club says that it runs, or the broker that it has gone."""
        if not payload:
            self._begin()
            return
        try:
            other = msgspec.json.decode(payload, type=HubRun)
        except msgspec.MsgspecError:
            return  # of a version that says it otherwise
        if self._only.is_yielding(other) and other.run != self._told_of:
            self._told_of = other.run
            self._say(
                f"Another hub of {self._club} was started on {other.host}: only one may run, and that one"
                " stops."
            )
        if not self._only.on_announcement(other):
            return
        self._heard, self._unheard = True, 0
        first = self._only.find_leader()
        if first is not None:
            self._gave_way = True
            self._inbox.put(TransportEnded(self._gives_way(first)))
            self._client.disconnect()
        elif self._only.alone:
            self._begin()

    def tick(self) -> None:
        if self._works or self._heard is None or self._begins_at is None or monotonic_ns() < self._begins_at:
            return
        if self._heard:
            self._begin()
        else:
            self._begin_unheard()

    def _begin_unheard(self) -> None:
        """Work without knowing of a second hub: the broker drops what this user may not say."""
        if not self._works:
            self._say(
                "The broker won't let the hub say that it runs, so a second hub is not noticed: give its user"
                f" the right to read and write {hub_topic('+')}."
            )
        self._begin()

    def _begin(self) -> None:
        """Nobody else is there: work, if it does not yet."""
        if not self._works:
            self._works = True
            self._work()

    def _gives_way(self, first: HubRun) -> str:
        since = f" since {first.since[:16].replace('T', ' ')} UTC" if first.since else ""
        return (
            f"Another hub of {self._club} runs on {first.host}{since}: only one may run, so this one stops."
            " Stop that one first if it shall be this one."
        )

    def _say_once(self, sentence: str) -> None:
        """Say it, once until something else is so."""
        if sentence != self._said:
            self._said = sentence
            self._say(sentence)
