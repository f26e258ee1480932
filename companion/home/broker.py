"""The uplink's MQTT 5 connection; its thread only writes to the inbox.

The client's id is the store's with the table's place in the topics: of two uplinks with copies of one store
and one name the broker keeps the later, and may say to the earlier that its session was taken over. That one
stops, else they would throw each other out. Under two names both are heard, and the hub sees their one store.
"""

import hashlib
import hmac
import ssl
import sys
from contextlib import suppress
from pathlib import Path
from queue import SimpleQueue
from typing import Any, Protocol

from msgspec import Struct
from paho.mqtt.client import Client, MQTTMessage
from paho.mqtt.enums import CallbackAPIVersion, MQTTProtocolVersion
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties
from paho.mqtt.reasoncodes import ReasonCode
from paho.mqtt.subscribeoptions import SubscribeOptions

from companion.core.errors import InputError
from companion.home.topics import WILL_DELAY_S, Status, TopicAddress, encode_payload
from companion.settings.model import ClubSettings
from companion.system import safe_files

SESSION_TAKEN_OVER = 0x8E
"""MQTT 5: session taken over."""
PORT, PORT_TLS = 1883, 8883


class BrokerSettings(Protocol):
    """Where the broker is and who asks: the settings' `[club]`, see there."""

    @property
    def broker(self) -> str: ...
    @property
    def port(self) -> int: ...
    @property
    def tls(self) -> bool: ...
    @property
    def ca_file(self) -> str: ...
    @property
    def user(self) -> str: ...
    @property
    def password_file(self) -> str: ...


def make_client(access: BrokerSettings, client_id: str, *, manual_ack: bool = False) -> Client:
    """A client that is not connected; raises `InputError` for a file of the settings that can't be read."""
    client = Client(
        CallbackAPIVersion.VERSION2,
        client_id=client_id,
        protocol=MQTTProtocolVersion.MQTTv5,
        manual_ack=manual_ack,
    )
    password = _password(access.password_file)  # also without a user: a file that is named has to be there
    if access.user:
        client.username_pw_set(access.user, password)
        client.on_pre_connect = lambda client, _: _reload_password(client, access)
    if access.tls:
        try:
            client.tls_set_context(ssl.create_default_context(cafile=access.ca_file or None))
        except (OSError, ssl.SSLError) as error:
            raise InputError(f"club.ca_file: can't read {access.ca_file} ({error})") from error
    return client


def start_connecting(
    client: Client, access: BrokerSettings, *, kept_s: int, keepalive_s: int, most: int | None = None
) -> None:
    """Begin to connect, in a thread of paho's, to a session that the broker keeps for `kept_s` seconds.

    `most`: so many messages may wait for an acknowledgement. Raises `InputError` where the broker's name
    cannot be a machine's.
    """
    wanted = Properties(PacketTypes.CONNECT)  # type: ignore[no-untyped-call]
    wanted.SessionExpiryInterval = kept_s
    if most is not None:
        wanted.ReceiveMaximum = most
    try:
        client.connect_async(
            access.broker, broker_port(access), keepalive_s, clean_start=False, properties=wanted
        )
    except ValueError as error:
        raise InputError(f"club.broker: {access.broker} is no machine's name ({error})") from error
    client.loop_start()


def _reload_password(client: Client, access: BrokerSettings) -> None:
    """Take the password that is in its file now; where that can't be read, the one from before stays."""
    with suppress(InputError):
        client.username_pw_set(access.user, _password(access.password_file))


def certificate_problem() -> str:
    """What is wrong with the broker's certificate, while paho tells that it could not connect; else empty."""
    error = sys.exception()
    return error.verify_message if isinstance(error, ssl.SSLCertVerificationError) else ""


def broker_port(access: BrokerSettings) -> int:
    """The port that is named, else the usual one."""
    return access.port or (PORT_TLS if access.tls else PORT)


def _password(file: str) -> str | None:
    """The first line of the file; None where none is named."""
    if not file:
        return None
    try:
        whole = safe_files.read_text(Path(file).expanduser(), safe_files.SizeLimit.SETTINGS)
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(
            f"club.password_file: can't read {file} ({error}); the user who runs this has to be able to"
        ) from error
    return whole.partition("\n")[0].strip()


MAX_IN_FLIGHT = 20
"""Messages that are published and not acknowledged yet, at most: all that paho ever holds."""
SESSION_S = 24 * 3600
"""How long the broker keeps what is for this table while it is away."""
KEEPALIVE_S = 15
MAX_RETRY_S = 30
"""Between two tries to reach a broker that does not answer."""
PERMANENT_REASONS = frozenset({0x84, 0x85, 0x86, 0x87, 0x8A, 0x8C})
"""Reasons of a CONNACK that the same try meets again: version, client id, password, rights, ban, method."""


class BrokerConnected(Struct, frozen=True):
    """The broker answers."""

    remembered: bool
    """Whether it knows this table from before; if not, it has lost what was retained, too."""


class BrokerLost(Struct, frozen=True):
    """The broker does not answer, or says no."""

    why: str
    """As the broker or the system has it."""
    trouble: str
    """A key of the catalogue."""


class SessionReplaced(Struct, frozen=True):
    """Another uplink took this table's session over."""


class SubscriptionConfirmed(Struct, frozen=True):
    """The broker took the last subscription in; what it had retained came before."""

    mid: int


class PublishConfirmed(Struct, frozen=True):
    """The broker has this message, or refuses it."""

    mid: int
    taken: bool


class MessageReceived(Struct, frozen=True):
    """A message of a topic that was subscribed to."""

    topic: str
    payload: bytes
    retained: bool
    expires_s: int | None
    """Seconds after which it is void, by the broker's clock."""


FromBroker = (
    BrokerConnected
    | BrokerLost
    | SessionReplaced
    | SubscriptionConfirmed
    | PublishConfirmed
    | MessageReceived
)


class UplinkBroker:
    """One connection, which paho sets up again by itself."""

    def __init__(self, settings: ClubSettings, store: str, at: TopicAddress, inbox: SimpleQueue[Any]) -> None:
        """`at`: where the table says how it is. `inbox` takes everything that happens here."""
        self._inbox = inbox
        self._access = settings
        self._store = store
        self._client = client = make_client(settings, f"{store}-{at.table}")
        client.max_inflight_messages_set(MAX_IN_FLIGHT)
        client.reconnect_delay_set(min_delay=1, max_delay=MAX_RETRY_S)
        delay = Properties(PacketTypes.WILLMESSAGE)  # type: ignore[no-untyped-call]
        delay.WillDelayInterval = WILL_DELAY_S
        gone = encode_payload(Status(online=False, store=store))
        client.will_set(at.topic, gone, qos=1, retain=True, properties=delay)
        self._refused = False
        """Whether the last answer to a connection was no."""
        client.on_connect = self._on_connect
        client.on_connect_fail = self._on_connect_fail
        client.on_disconnect = self._on_disconnect
        client.on_publish = self._on_publish
        client.on_subscribe = lambda *heard: inbox.put(SubscriptionConfirmed(heard[2]))
        client.on_message = self._on_message

    @property
    def store_proof(self) -> str:
        """HMAC-SHA256 of the store's id under the password, by which a hub knows whose store it is."""
        password = self._client.password or ""  # that of the last connection
        return hmac.new(password.encode(), self._store.encode(), hashlib.sha256).hexdigest()

    def start(self) -> None:
        """Begin to connect; returns at once. Raises `InputError` if the broker's name cannot be one."""
        start_connecting(self._client, self._access, kept_s=SESSION_S, keepalive_s=KEEPALIVE_S)

    def subscribe(self, *topics: str) -> int:
        """Hear these topics; the number of the request."""
        _, mid = self._client.subscribe([(topic, SubscribeOptions(qos=1)) for topic in topics])
        return mid or 0

    def publish(self, topic: str, payload: bytes, *, qos: int, retain: bool) -> int:
        """The number of the message; with QoS 1 it is `PublishConfirmed`."""
        return self._client.publish(topic, payload, qos, retain).mid

    def close(self) -> None:
        """Say goodbye: the will is not told then. What was published before is waited for."""
        self._client.disconnect()
        self._client.loop_stop()

    # paho's thread ----------------------------------------------------------------------------------------

    def _on_connect(self, _: Any, __: Any, flags: Any, reason: ReasonCode, ___: Any) -> None:
        self._refused = reason.is_failure
        if not self._refused:
            self._inbox.put(BrokerConnected(flags.session_present))
            return
        trouble = "ui.club.refused" if reason.value in PERMANENT_REASONS else "ui.club.unreachable"
        self._inbox.put(BrokerLost(str(reason), trouble))

    def _on_connect_fail(self, *_: Any) -> None:
        where, why = f"{self._access.broker}:{broker_port(self._access)}", certificate_problem()
        if why:
            self._inbox.put(BrokerLost(f"the certificate of {where}: {why}", "ui.club.untrusted"))
        else:
            self._inbox.put(BrokerLost(f"{where} does not answer", "ui.club.unreachable"))

    def _on_disconnect(self, client: Client, _: Any, __: Any, reason: ReasonCode, ___: Any) -> None:
        if reason.value == SESSION_TAKEN_OVER:
            client.disconnect()  # else paho connects again, and throws the other one out
            self._inbox.put(SessionReplaced())
        elif not self._refused:  # why it was is known already
            self._inbox.put(BrokerLost(str(reason), "ui.club.unreachable"))

    def _on_publish(self, _: Any, __: Any, mid: int, reason: ReasonCode, ___: Any) -> None:
        self._inbox.put(PublishConfirmed(mid, taken=not reason.is_failure))

    def _on_message(self, _: Any, __: Any, message: MQTTMessage) -> None:
        expires = getattr(message.properties, "MessageExpiryInterval", None)
        self._inbox.put(MessageReceived(message.topic, bytes(message.payload), message.retain, expires))
