"""The hub's MQTT connection, which acknowledges a message only after the commit."""

from collections.abc import Callable
from typing import Any

from paho.mqtt.client import Client, ConnectFlags, DisconnectFlags, MQTTMessage
from paho.mqtt.enums import MQTTErrorCode
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties
from paho.mqtt.reasoncodes import ReasonCode
from paho.mqtt.subscribeoptions import SubscribeOptions

from companion.core.clock import monotonic_ns
from companion.home.broker import (
    BrokerSettings,
    broker_port,
    certificate_problem,
    make_client,
    start_connecting,
)
from companion_club.hub.hub import MAX_BATCH
from companion_club.hub.transport import (
    HUB_MESSAGE_KINDS,
    Inbox,
    MessageArrived,
    TransportConnected,
)
from companion_club.messages import make_topic

SESSION_S = 30 * 24 * 3600
"""How long the broker keeps what arrives while the hub is away."""
KEEPALIVE_S = 20
MAX_RETRY_S = 4
"""Between two tries to reach the broker."""
SHORT_S = 2 * MAX_RETRY_S
"""A connection that broke sooner was short."""
MAX_SHORT = 3
"""Short connections in a row after which it is said who may be the cause."""


class HubBroker:
    """Puts what the broker sends into an inbox. Its callbacks run in a thread of paho's."""

    def __init__(
        self, access: BrokerSettings, club: str, inbox: Inbox, *, say: Callable[[str], None]
    ) -> None:
        self._access, self._club, self._inbox, self._say = access, club, inbox, say
        self._where = f"{access.broker}:{broker_port(access)}"
        self._connection = 0
        """Which connection this is: an acknowledgement for an earlier one would be another message's."""
        self._last_sentence = ""
        self._connected_at = 0
        """By the kernel's clock, nanoseconds."""
        self._short = 0
        """How many connections in a row were short."""
        client = make_client(access, f"companion-hub-{club}", manual_ack=True)
        client.reconnect_delay_set(1, MAX_RETRY_S)
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
        """Have all that is retained sent again."""
        self._subscribe(SubscribeOptions.RETAIN_SEND_ON_SUBSCRIBE)

    def _subscribe(self, retained: int) -> None:
        """Hear the tables; `retained` says what of the retained results comes with it.

        Of a status only the last one matters, which is retained. With QoS 0 none waits in the session, where
        each cut of the network would put one of every table before the results.
        """
        status = SubscribeOptions(qos=0, retainHandling=SubscribeOptions.RETAIN_SEND_ON_SUBSCRIBE)
        others = SubscribeOptions(qos=1, retainHandling=retained)
        self._client.subscribe(
            [
                (make_topic(self._club, "+", kind), status if kind == "status" else others)
                for kind in HUB_MESSAGE_KINDS
            ]
        )

    def _on_connect(
        self, _client: Client, _user: Any, _flags: ConnectFlags, reason: ReasonCode, _properties: Any
    ) -> None:
        if reason.is_failure:
            self._say_once(
                f"The broker {self._where} refuses the hub: {reason}. Check its user and password."
            )
            return
        self._connection += 1
        self._connected_at = monotonic_ns()
        self._say_once(f"Connected to the broker {self._where}.")
        self._inbox.drop_messages()
        self._inbox.put(TransportConnected())
        # A broker that knows our session has what waits for us there, and sends it without being asked.
        self._subscribe(SubscribeOptions.RETAIN_SEND_IF_NEW_SUB)

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
        self._inbox.drop_messages()
        if not reason.is_failure:
            return
        was_short = monotonic_ns() - self._connected_at < SHORT_S * 1e9
        self._short = self._short + 1 if was_short else 0
        if self._short == MAX_SHORT:
            self._say(
                f"The connection to {self._where} breaks again and again: perhaps another hub of {self._club}"
                " runs with another database. Only one may run."
            )
        self._say_once(f"The connection to {self._where} broke ({reason}); trying again.")

    def _on_message(self, client: Client, _user: Any, message: MQTTMessage) -> None:
        connection, mid, qos = self._connection, message.mid, message.qos

        def acknowledge() -> None:
            if self._connection == connection:
                client.ack(mid, qos)

        self._inbox.put(
            MessageArrived(message.topic, bytes(message.payload), retained=message.retain, done=acknowledge)
        )

    def _say_once(self, sentence: str) -> None:
        """Say it, once until something else is so."""
        if sentence != self._last_sentence:
            self._last_sentence = sentence
            self._say(sentence)
