"""The process of `companion page`."""

from __future__ import annotations

import asyncio
import io
import logging
import socket
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

import segno
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

from companion.core.clock import GameClock
from companion.core.errors import EXIT_PORT_TAKEN, CompanionError
from companion.network.messages import BrowserProblemKind, FromTable, PageAddress
from companion.network.web import table_link
from companion.network.web.audience import Audience
from companion.network.web.guard import MAX_CONNECTIONS_PER_ADDRESS, PagePin, is_local_address
from companion.network.web.overlay import OverlayKey
from companion.network.web.owner_pages import OwnerPages
from companion.network.web.phone_connection import PhoneRoutes
from companion.network.web.phone_players import PhonePlayers
from companion.network.web.static_files import find_pictures
from companion.network.web.table_link import TableSender
from companion.network.web.web_app import build_web_app
from companion.system.terminal import print_lines

CHECK_INTERVAL_S = 5.0
"""How often address and PIN are looked at."""


def qr_rows(address: str) -> tuple[str, ...]:
    """The QR code of an address, a row of `0` and `1` for each row of its modules."""
    matrix = segno.make(address, error="m", micro=False).matrix
    return tuple("".join("1" if module else "0" for module in row) for row in matrix)


class Announcer:
    """Says where the page is reached whenever that changes, and to every table that is new."""

    def __init__(
        self,
        outbox: TableSender,
        pins: PagePin,
        address: Callable[[], str],
        port: int,
        *,
        scheme: str = "http",
    ) -> None:
        self._outbox = outbox
        self._pins = pins
        self._address = address
        self._port = port
        self._scheme = scheme
        self._last_sent: PageAddress | None = None

    def current_address(self) -> PageAddress:
        """Where it is reached now."""
        address, pin = self._address(), self._pins.pin
        if not address:
            return PageAddress("", self._port, pin)
        code = qr_rows(f"{self._scheme}://{address}:{self._port}/#{pin}")
        return PageAddress(address, self._port, pin, code, secure=self._scheme == "https")

    def announce(self) -> None:
        """Tell the table now."""
        self._last_sent = self.current_address()
        self._outbox.send(self._last_sent)

    async def keep_announcing(self) -> None:
        """Look again and again; a table that went and came is told by `announce`."""
        while True:
            await asyncio.sleep(CHECK_INTERVAL_S)
            if self.current_address() != self._last_sent:
                self.announce()


TLS_HELLO = b"\x16"
"""How a browser begins that asks by https."""
REQUEST_TIMEOUT_S = 10.0
"""A connection that has not asked for anything whole by then is closed."""
MAX_OPEN_CONNECTIONS = 160
"""Connections of all kinds; for each more the oldest that has asked for nothing whole is closed, so that
descriptors remain (`LimitNOFILE`) and connections whose other end has gone, that only wait, or that send a
form in drips, keep nobody out."""
LISTEN_BACKLOG = 128
"""Connections that wait to be taken in; some three times as many stand open beyond `MAX_OPEN_CONNECTIONS`
at worst.
"""
UNREAD_TIMEOUT_MS = 20_000
"""A connection is closed if what was sent stays unread so long (TCP_USER_TIMEOUT)."""
PROBE_ADDRESS = ("192.0.2.1", 9)
"""An address of documentation (RFC 5737): asked which of ours would be used, and nothing is sent there."""
QUIET_SERVER_OPTIONS: Mapping[str, Any] = MappingProxyType(
    {
        **dict.fromkeys(("proxy_headers", "server_header", "access_log"), False),
        "log_config": None,
        "log_level": "warning",
        "lifespan": "on",
        "backlog": LISTEN_BACKLOG,
        "timeout_keep_alive": 5,
    }
)
"""How page and desk are served: no proxy is believed, and nothing is logged of who asked for what."""


class PageError(CompanionError):
    """The page cannot be served as it was asked for."""

    exit_code = EXIT_PORT_TAKEN


def local_address() -> str:
    """The address by which phones of the same network reach this machine; loopback where there is none."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asked:
        try:
            asked.connect(PROBE_ADDRESS)
        except OSError:
            return "127.0.0.1"
        found = str(asked.getsockname()[0])
    return found if is_local_address(found) else "127.0.0.1"


def browser_address(host: str) -> str:
    """The address that people type for a page that serves at `host`."""
    return local_address() if host in {"0.0.0.0", ""} else host  # noqa: S104 (our own default)


def phone_address(host: str) -> str:
    """The same; empty where phones find none, because there is no network."""
    address = browser_address(host)
    return "" if address != host and address.startswith("127.") else address


def overlay_url(address: str, port: int, key: str, scheme: str = "http") -> str:
    """Where a stream shows the table (docs/play/stream.md)."""
    return f"{scheme}://{address}:{port}/overlay?key={key}"


def make_timely_protocol(
    crowded: Callable[[str], object] = bool,
    is_proxy: Callable[[str], bool] = lambda _: False,
    encrypts: Callable[[str], object] = bool,
) -> type[H11Protocol]:
    """HTTP for people in a hurry: a client that opens a connection asks for something, and has not too many.

    `crowded` is told the address of each that is cut off because there are too many; of an address where
    `is_proxy` there may be as many as at all. `encrypts` is told that of each that asks by https.
    """
    open_now: Counter[str] = Counter()
    oldest_first: dict[TimelyProtocol, None] = {}

    class TimelyProtocol(H11Protocol):
        _late: asyncio.TimerHandle | None = None
        _peer = ""

        def connection_made(self, transport: Any) -> None:
            super().connection_made(transport)
            self._peer = str((transport.get_extra_info("peername") or ("",))[0])
            open_now[self._peer] += 1
            transport.get_extra_info("socket").setsockopt(
                socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, UNREAD_TIMEOUT_MS
            )
            if open_now[self._peer] > MAX_CONNECTIONS_PER_ADDRESS and not is_proxy(self._peer):
                self.close_for_newer()
                return
            oldest_first[self] = None
            self._wait()
            if len(self.connections) > MAX_OPEN_CONNECTIONS:
                longest = next((one for one in oldest_first if one.is_idle() or one.cycle.more_body), self)
                del oldest_first[longest]
                longest.close_for_newer()

        def data_received(self, data: bytes) -> None:
            if data[:1] == TLS_HELLO and self.cycle is None:
                encrypts(self._peer)
                self.transport.close()
                return
            super().data_received(data)

        def close_for_newer(self) -> None:
            crowded(self._peer)
            self.transport.abort()

        def is_idle(self) -> bool:
            return self.cycle is None or self.cycle.response_complete

        def on_response_complete(self) -> None:
            super().on_response_complete()
            self._wait()  # for the next request, if there is one

        def _wait(self) -> None:
            self._settle()
            self._late = self.loop.call_later(REQUEST_TIMEOUT_S, self._too_late)

        def _too_late(self) -> None:
            if self.is_idle() and not self.transport.is_closing():
                self.transport.close()

        def handle_websocket_upgrade(self, event: Any) -> None:
            self._settle()
            super().handle_websocket_upgrade(event)
            self._forget()  # from now on it counts as a watcher

        def _settle(self) -> None:
            if self._late is not None:
                self._late.cancel()

        def connection_lost(self, exc: Exception | None) -> None:
            self._settle()
            self._forget()
            super().connection_lost(exc)

        def _forget(self) -> None:
            open_now[self._peer] -= 1
            oldest_first.pop(self, None)

    return TimelyProtocol


def make_patient_protocol(unread: Callable[[str], object]) -> type[WebSocketsSansIOProtocol]:
    """Live connections; `unread` is told the address of a watcher that answers no ping: it reads nothing.

    A phone that plays and does so sleeps, as its seat shows.
    """

    class PatientProtocol(WebSocketsSansIOProtocol):
        def keepalive_timeout(self) -> None:
            if self.client is not None and self.scope["path"] == "/live":
                unread(self.client[0])
            super().keepalive_timeout()

    return PatientProtocol


def server_config(
    app: Any,
    cut_off: Callable[[str, BrowserProblemKind], object] = lambda *_: None,
    tls: Sequence[Path] = (),
) -> uvicorn.Config:
    """How it is served: small messages, no compression, no proxy believed, no log of who asked for what.

    `cut_off` is told each address whose connection is ended, and why. `tls`: certificate and key, or none.
    """
    return uvicorn.Config(
        app,
        http=make_timely_protocol(
            lambda peer: cut_off(peer, "crowd"), encrypts=lambda peer: cut_off(peer, "https")
        ),
        ws=make_patient_protocol(lambda peer: cut_off(peer, "unread")),
        ws_max_size=4096,
        ws_per_message_deflate=False,
        ws_ping_interval=10.0,
        ws_ping_timeout=10.0,
        date_header=False,
        h11_max_incomplete_event_size=8 * 1024,
        timeout_graceful_shutdown=1,
        ssl_certfile=tls[0] if tls else None,
        ssl_keyfile=tls[1] if tls else None,
        **QUIET_SERVER_OPTIONS,
    )


class PageServer(uvicorn.Server):
    """Lets everybody go before it ends, so that no stream is cut off in the middle."""

    def __init__(self, config: uvicorn.Config, audience: Audience) -> None:
        super().__init__(config)
        self._audience = audience

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self._audience.close()
        await super().shutdown(sockets)


def bind_socket(host: str, port: int, what: str = "the page") -> socket.socket:
    """The socket that browsers come to; `PageError` says why it cannot be had."""
    listening = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET, socket.SOCK_STREAM)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    if ":" in host:
        listening.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)  # "::" is IPv4 as well
    try:
        listening.bind((host, port))
    except OSError as trouble:
        listening.close()
        raise PageError(
            f"can't serve at {host}:{port} ({trouble.strerror}); is {what} running already? Else: --port N"
        ) from trouble
    listening.listen(LISTEN_BACKLOG)
    return listening


def serve_page(
    opened: table_link.Opener,
    *,
    host: str,
    port: int,
    once: bool = False,
    folder: Path | None = None,
    tls: Sequence[Path] = (),
) -> int:
    """Serve until a signal; `once`: until the table has gone. 0 at its end.

    `folder`: where the overlay's key is kept; None: each start has its own. `tls`: certificate and key, if it
    is served by TLS.
    """
    scheme = "https" if tls else "http"
    logging.getLogger("websockets").setLevel(logging.ERROR)
    listening = bind_socket(host, port)
    port = int(listening.getsockname()[1])
    audience, clock, outbox = Audience(find_pictures()), GameClock(), table_link.TableSender()
    pins, keys = PagePin(clock.now), OverlayKey(folder)
    players = PhonePlayers(audience, pins, outbox)
    announcer = Announcer(outbox, pins, lambda: phone_address(host), port, scheme=scheme)
    servers: list[uvicorn.Server] = []

    owners = OwnerPages(outbox.send, clock.now, keys)

    def on_table_message(message: FromTable | None) -> None:
        for one in (audience, players, owners):
            one.handle_message(message)

    async def only_this_table() -> None:
        await table_link.read_messages(opened, on_table_message, outbox)
        servers[0].should_exit = True

    reading: Callable[[], Awaitable[None]] = (
        only_this_table if once else lambda: table_link.read_forever(opened, on_table_message, outbox)
    )
    app = build_web_app(
        audience,
        now=clock.now,
        port=port,
        pins=pins,
        keys=keys,
        reading=lambda: asyncio.gather(reading(), announcer.keep_announcing()),
        more=[*PhoneRoutes(players).routes(), *owners.routes()],
    )
    servers.append(PageServer(server_config(app, audience.remarks.report_cut_off, tls), audience))
    printed: list[str] = []

    def announce_pin() -> None:
        """Another PIN, or another table: announce both."""
        announcer.announce()
        if printed != [pins.pin]:
            printed[:] = [pins.pin]
            _print_addresses(browser_address(host), port, pins.pin, keys.key, scheme)

    audience.remarks.send = outbox.send
    players.on_pin_renewed, pins.on_guessing = announce_pin, lambda: audience.remarks.report("guessed")
    announce_pin()
    with listening:
        servers[0].run(sockets=[listening])
    return 0


def _print_addresses(address: str, port: int, pin: str, key: str, scheme: str = "http") -> None:
    """Where to look, for people and for telephones."""
    join, whole = f"{scheme}://{address}:{port}/#{pin}", f"{scheme}://{address}:{port}/watch#{pin}"
    drawn = io.StringIO()
    segno.make(join, error="m").terminal(out=drawn, compact=True, border=2)
    print_lines(*drawn.getvalue().splitlines())
    print_lines(f"Join: {join}", f"Watch: {whole}")
    print_lines(f"PIN: {pin}. It changes each time the table is opened to phones. Stop: Ctrl-C")
    print_lines(f"Stream: {overlay_url(address, port, key, scheme)}")
    if address.startswith("127."):
        print_lines(
            "Only this computer reaches that address: there is no Wi-Fi and no cable here, or --host says so."
        )
