"""MQTT 5 clients from the settings: broker, port, TLS, user and password."""

import ssl
import sys
from contextlib import suppress
from pathlib import Path
from typing import Protocol

from paho.mqtt.client import Client
from paho.mqtt.enums import CallbackAPIVersion, MQTTProtocolVersion
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties

from companion.core.errors import InputError
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
