"""The hub at an MQTT broker: a session that outlives it, and no acknowledgement before the commit."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from paho.mqtt.client import Client, ConnectFlags, DisconnectFlags, MQTTMessage, MQTTv5
from paho.mqtt.enums import CallbackAPIVersion, MQTTErrorCode
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties
from paho.mqtt.reasoncodes import ReasonCode
from paho.mqtt.subscribeoptions import SubscribeOptions

from companion.club.hub import MOST_AT_ONCE
from companion.club.messages import topic
from companion.club.transport import HEARD, Arrived, Connected, Ended, Inbox
from companion.core.clock import monotonic_ns
from companion.core.errors import CompanionError

SESSION_S = 30 * 24 * 3600
"""How long the broker keeps what arrives while the hub is away."""
TAKEN_OVER = 0x8E
SHORT_S, OFTEN = 3, 3
"""A connection that lasts no longer, so many times in a row, is one that another hub takes over."""
LONGEST_WAIT_S = 4
"""Between two tries to reach the broker."""


class Login:
    """Where the broker is, and as whom the hub is known there."""

    def __init__(
        self, host: str, port: int, *, user: str = "", password: str = "", ca: str = "", tls: bool = False
    ) -> None:
        self.host, self.port = host, port
        self.user, self.password = user, password
        self.ca, self.tls = ca, tls or bool(ca)

    def __str__(self) -> str:
        return f"{self.host}:{self.port}"


class Broker:
    """Puts what the broker sends into an inbox. Its callbacks run in a thread of paho's."""

    def __init__(self, login: Login, club: str, inbox: Inbox, *, say: Callable[[str], None]) -> None:
        self._login, self._club, self._inbox, self._say = login, club, inbox, say
        self._connection = 0
        """Which connection this is: an acknowledgement for an earlier one would be another message's."""
        self._made = 0
        """When it was made, on the kernel's clock."""
        self._short = 0
        """How many connections in a row broke soon after they were made."""
        self._said = ""
        client = Client(
            CallbackAPIVersion.VERSION2,
            client_id=f"companion-hub-{club}",
            protocol=MQTTv5,
            manual_ack=True,
        )
        if login.user:
            client.username_pw_set(login.user, login.password)
        if login.tls:
            try:
                client.tls_set(login.ca or None)
            except OSError as error:
                raise CompanionError(
                    f"The certificate {login.ca} can't be read ({error.strerror})."
                ) from error
        client.reconnect_delay_set(1, LONGEST_WAIT_S)
        client.on_connect = self._on_connect
        client.on_connect_fail = self._on_connect_fail
        client.on_disconnect = self._on_disconnect
        client.on_message = self._on_message
        self._client = client

    def start(self) -> None:
        """Connect, and connect again whenever that is needed."""
        wanted = Properties(PacketTypes.CONNECT)  # type: ignore[no-untyped-call]
        wanted.SessionExpiryInterval = SESSION_S
        wanted.ReceiveMaximum = MOST_AT_ONCE
        self._client.connect_async(
            self._login.host, self._login.port, keepalive=20, clean_start=False, properties=wanted
        )
        self._client.loop_start()

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
            self._tell(f"The broker {self._login} refuses the hub: {reason}. Check its user and password.")
            return
        self._connection += 1
        self._made = monotonic_ns()
        self._tell(f"Connected to the broker {self._login}.")
        self._inbox.put(Connected())
        self.refresh()

    def _on_connect_fail(self, _client: Client, _user: Any) -> None:
        self._tell(f"The broker {self._login} doesn't answer; trying again until it does.")

    def _on_disconnect(
        self, _client: Client, _user: Any, _flags: DisconnectFlags, reason: ReasonCode, _properties: Any
    ) -> None:
        self._connection += 1
        if reason.value == TAKEN_OVER:
            self._inbox.put(
                Ended(
                    f"Another hub of the club {self._club} is connected to {self._login}: only one may run."
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
            self._tell(f"The connection to {self._login} broke ({reason}); trying again.")

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
