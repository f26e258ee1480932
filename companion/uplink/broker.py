"""The connection to the broker: MQTT 5 by paho, whose thread only reports into the inbox.

The client's id is the store's with the table's place in the topics: of two uplinks with copies of one store
and one name the broker keeps the later, and may say to the earlier that its session was taken over. That one
stops, else they would throw each other out. Under two names both are heard, and the hub sees their one store.
"""

from queue import SimpleQueue
from typing import Any

from msgspec import Struct
from paho.mqtt.client import Client, MQTTMessage
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties
from paho.mqtt.reasoncodes import ReasonCode
from paho.mqtt.subscribeoptions import SubscribeOptions

from companion.club.messages import WILL_DELAY_S, Address, Status, encoded
from companion.club.session import TAKEN_OVER, begin, client_of, port_of, untrusted
from companion.settings.model import Club

IN_FLIGHT = 20
"""Messages that are published and not acknowledged yet, at most: all that paho ever holds."""
SESSION_S = 24 * 3600
"""How long the broker keeps what is for this table while it is away."""
KEEPALIVE_S = 15
SLOWEST_S = 30
"""Between two tries to reach a broker that does not answer."""
REFUSED = frozenset({0x84, 0x85, 0x86, 0x87, 0x8A, 0x8C})
"""Reasons of a CONNACK that the same try meets again: version, client id, password, rights, ban, method."""


class Connected(Struct, frozen=True):
    """The broker answers."""

    remembered: bool
    """Whether it knows this table from before; if not, it has lost what was retained, too."""


class Lost(Struct, frozen=True):
    """The broker does not answer, or says no."""

    why: str
    """As the broker or the system has it."""
    trouble: str
    """A key of the catalogue."""


class Replaced(Struct, frozen=True):
    """Another uplink took this table's session over."""


class Subscribed(Struct, frozen=True):
    """The broker took the last subscription in; what it had retained came before."""

    mid: int


class Acknowledged(Struct, frozen=True):
    """The broker has this message, or refuses it."""

    mid: int
    taken: bool


class Heard(Struct, frozen=True):
    """A message of a topic that was subscribed to."""

    topic: str
    payload: bytes
    retained: bool
    expires_s: int | None
    """Seconds after which it is void, by the broker's clock."""


FromBroker = Connected | Lost | Replaced | Subscribed | Acknowledged | Heard


class Broker:
    """One connection, which paho sets up again by itself."""

    def __init__(self, settings: Club, store: str, at: Address, inbox: SimpleQueue[Any]) -> None:
        """`at`: where the table says how it is. `inbox` takes everything that happens here."""
        self._inbox = inbox
        self._access = settings
        self._client = client = client_of(settings, f"{store}-{at.table}")
        client.max_inflight_messages_set(IN_FLIGHT)
        client.reconnect_delay_set(min_delay=1, max_delay=SLOWEST_S)
        delay = Properties(PacketTypes.WILLMESSAGE)  # type: ignore[no-untyped-call]
        delay.WillDelayInterval = WILL_DELAY_S
        gone = encoded(Status(online=False, store=store))
        client.will_set(at.topic, gone, qos=1, retain=True, properties=delay)
        self._refused = False
        """Whether the last answer to a connection was no."""
        client.on_connect = self._connected
        client.on_connect_fail = self._unreachable
        client.on_disconnect = self._disconnected
        client.on_publish = self._acknowledged
        client.on_subscribe = lambda *heard: inbox.put(Subscribed(heard[2]))
        client.on_message = self._heard

    def start(self) -> None:
        """Begin to connect; returns at once. Raises `InputError` if the broker's name cannot be one."""
        begin(self._client, self._access, kept_s=SESSION_S, keepalive_s=KEEPALIVE_S)

    def subscribe(self, *topics: str) -> int:
        """Hear these topics; the number of the request."""
        _, mid = self._client.subscribe([(topic, SubscribeOptions(qos=1)) for topic in topics])
        return mid or 0

    def publish(self, topic: str, payload: bytes, *, qos: int, retain: bool) -> int:
        """The number of the message; with QoS 1 it is `Acknowledged`."""
        return self._client.publish(topic, payload, qos, retain).mid

    def close(self) -> None:
        """Say goodbye: the will is not told then. What was published before is waited for."""
        self._client.disconnect()
        self._client.loop_stop()

    # paho's thread ----------------------------------------------------------------------------------------

    def _connected(self, _: Any, __: Any, flags: Any, reason: ReasonCode, ___: Any) -> None:
        self._refused = reason.is_failure
        if not self._refused:
            self._inbox.put(Connected(flags.session_present))
            return
        trouble = "ui.club.refused" if reason.value in REFUSED else "ui.club.unreachable"
        self._inbox.put(Lost(str(reason), trouble))

    def _unreachable(self, *_: Any) -> None:
        where, why = f"{self._access.broker}:{port_of(self._access)}", untrusted()
        if why:
            self._inbox.put(Lost(f"the certificate of {where}: {why}", "ui.club.untrusted"))
        else:
            self._inbox.put(Lost(f"{where} does not answer", "ui.club.unreachable"))

    def _disconnected(self, client: Client, _: Any, __: Any, reason: ReasonCode, ___: Any) -> None:
        if reason.value == TAKEN_OVER:
            client.disconnect()  # else paho connects again, and throws the other one out
            self._inbox.put(Replaced())
        elif not self._refused:  # why it was is known already
            self._inbox.put(Lost(str(reason), "ui.club.unreachable"))

    def _acknowledged(self, _: Any, __: Any, mid: int, reason: ReasonCode, ___: Any) -> None:
        self._inbox.put(Acknowledged(mid, taken=not reason.is_failure))

    def _heard(self, _: Any, __: Any, message: MQTTMessage) -> None:
        expires = getattr(message.properties, "MessageExpiryInterval", None)
        self._inbox.put(Heard(message.topic, bytes(message.payload), message.retain, expires))
