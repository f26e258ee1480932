"""The hub at an MQTT broker: a session that outlives it, and no acknowledgement before the commit."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from paho.mqtt.client import Client, ConnectFlags, DisconnectFlags, MQTTMessage
from paho.mqtt.enums import MQTTErrorCode
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties
from paho.mqtt.reasoncodes import ReasonCode
from paho.mqtt.subscribeoptions import SubscribeOptions

from companion.club.hub import MOST_AT_ONCE
from companion.club.messages import topic
from companion.club.session import TAKEN_OVER, Access, begin, client_of, port_of
from companion.club.transport import HEARD, Arrived, Connected, Ended, Inbox
from companion.core.clock import monotonic_ns

SESSION_S = 30 * 24 * 3600
"""How long the broker keeps what arrives while the hub is away."""
SHORT_S, OFTEN = 3, 3
"""A connection that lasts no longer, so many times in a row, is one that another hub takes over."""
KEEPALIVE_S = 20
LONGEST_WAIT_S = 4
"""Between two tries to reach the broker."""


class Broker:
    """Puts what the broker sends into an inbox. Its callbacks run in a thread of paho's."""

    def __init__(self, access: Access, club: str, inbox: Inbox, *, say: Callable[[str], None]) -> None:
        self._access, self._club, self._inbox, self._say = access, club, inbox, say
        self._where = f"{access.broker}:{port_of(access)}"
        self._connection = 0
        """Which connection this is: an acknowledgement for an earlier one would be another message's."""
        self._made = 0
        """When it was made, on the kernel's clock."""
        self._short = 0
        """How many connections in a row broke soon after they were made."""
        self._said = ""
        client = client_of(access, f"companion-hub-{club}", manual_ack=True)
        client.reconnect_delay_set(1, LONGEST_WAIT_S)
        client.on_connect = self._on_connect
        client.on_connect_fail = self._on_connect_fail
        client.on_disconnect = self._on_disconnect
        client.on_message = self._on_message
        self._client = client

    def start(self) -> None:
        """Connect, and connect again whenever that is needed."""
        begin(self._client, self._access, kept_s=SESSION_S, keepalive_s=KEEPALIVE_S, most=MOST_AT_ONCE)

    def stop(self) -> None:
        """Leave; the broker keeps the session."""
        self._client.disconnect()
        self._client.loop_stop()

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
        self._client.subscribe([(topic(self._club, "+", kind), options) for kind in HEARD])

    def _on_connect(
        self, client: Client, _user: Any, _flags: ConnectFlags, reason: ReasonCode, _properties: Any
    ) -> None:
        if reason.is_failure:
            self._tell(f"The broker {self._where} refuses the hub: {reason}. Check its user and password.")
            return
        self._connection += 1
        self._made = monotonic_ns()
        self._tell(f"Connected to the broker {self._where}.")
        self._inbox.put(Connected())
        self.refresh()

    def _on_connect_fail(self, _client: Client, _user: Any) -> None:
        self._tell(f"The broker {self._where} doesn't answer; trying again until it does.")

    def _on_disconnect(
        self, _client: Client, _user: Any, _flags: DisconnectFlags, reason: ReasonCode, _properties: Any
    ) -> None:
        self._connection += 1
        if reason.value == TAKEN_OVER:
            self._inbox.put(
                Ended(
                    f"Another hub of the club {self._club} is connected to {self._where}: only one may run."
                )
            )
            self._client.disconnect()
        elif reason.is_failure:
            self._short = self._short + 1 if monotonic_ns() - self._made < SHORT_S * 1e9 else 0
            if self._short >= OFTEN:  # not every broker says who took a session over
                self._say(
                    f"The connection breaks at once, again and again: only one hub of {self._club} may run."
                )
                self._short = 0
            self._tell(f"The connection to {self._where} broke ({reason}); trying again.")

    def _on_message(self, client: Client, _user: Any, message: MQTTMessage) -> None:
        connection, mid, qos = self._connection, message.mid, message.qos

        def done() -> None:
            if self._connection == connection:
                client.ack(mid, qos)

        self._inbox.put(Arrived(message.topic, bytes(message.payload), retained=message.retain, done=done))

    def _tell(self, sentence: str) -> None:
        """Say it, once until something else is so."""
        if sentence != self._said:
            self._said = sentence
            self._say(sentence)
