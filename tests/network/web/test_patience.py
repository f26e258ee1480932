"""Connections that are slow on purpose: what is asked for in drips, not at all, or read by nobody."""

from __future__ import annotations

import asyncio
import socket
from typing import Any

import pytest
from uvicorn.server import ServerState

from companion.network.web.audience import Audience
from companion.network.web.guard import MAX_CONNECTIONS_PER_ADDRESS
from companion.network.web.serve import (
    MAX_OPEN_CONNECTIONS,
    REQUEST_TIMEOUT_S,
    UNREAD_TIMEOUT_MS,
    server_config,
)
from companion.network.web.web_app import build_web_app
from tests.network.web.moved import run_moved

WHOLE = b"GET /icon.svg HTTP/1.1\r\nHost: 127.0.0.1:8420\r\n\r\n"


class Far(socket.socket):
    """A socket that says who is at its other end."""

    peer = ("127.0.0.1", 50_000)

    def getpeername(self) -> tuple[str, int]:
        return self.peer


class Wire(asyncio.Transport):
    """One connection's far end, as its protocol sees it."""

    def __init__(self, peer: str = "127.0.0.1") -> None:
        super().__init__({"peername": (peer, 50_000), "sockname": ("127.0.0.1", 8420)})
        self.sock = Far(socket.AF_INET, socket.SOCK_STREAM)
        self.sock.peer = (peer, 50_000)
        self._extra["socket"] = self.sock
        self.written = b""
        self.closed = ""

    def write(self, data: Any) -> None:
        self.written += data

    def is_closing(self) -> bool:
        return bool(self.closed)

    def close(self) -> None:
        self.closed = self.closed or "closed"

    def abort(self) -> None:
        self.closed = self.closed or "aborted"

    def set_protocol(self, protocol: asyncio.BaseProtocol) -> None:
        self.protocol = protocol

    def pause_reading(self) -> None:
        """Nothing is sent meanwhile."""

    def resume_reading(self) -> None:
        """Nothing waited."""


class Server:
    """The protocol of every connection to one page."""

    def __init__(self, app: Any = None) -> None:
        self.cut: list[tuple[str, str]] = []
        config = server_config(
            app or build_web_app(Audience({}), now=lambda: 0, port=8420),
            lambda peer, why: self.cut.append((peer, why)),
        )
        config.load()
        self._config, self._state = config, ServerState()
        self.wires: list[Wire] = []

    def connected(self, peer: str = "127.0.0.1") -> tuple[Any, Wire]:
        protocol = self._config.http_protocol_class(  # type: ignore[operator, call-arg]
            config=self._config, server_state=self._state, app_state={}
        )
        wire = Wire(peer)
        self.wires.append(wire)
        protocol.connection_made(wire)
        return protocol, wire

    def end(self) -> None:
        for wire in self.wires:
            wire.sock.close()


def served(play: Any, app: Any = None) -> Any:
    """Play it against a server on a moved clock."""

    async def played() -> Any:
        server = Server(app)
        try:
            return await play(server)
        finally:
            server.end()

    return run_moved(played())


def test_a_request_in_drips_is_closed_after_ten_seconds() -> None:
    async def play(server: Server) -> str:
        protocol, wire = server.connected()
        for byte in WHOLE[: round(REQUEST_TIMEOUT_S) - 1]:
            protocol.data_received(bytes([byte]))
            await asyncio.sleep(1)
            assert not wire.closed
        await asyncio.sleep(2)
        return wire.closed

    assert served(play) == "closed"


def test_so_is_the_second_request_of_a_connection() -> None:
    async def play(server: Server) -> tuple[bytes, str]:
        protocol, wire = server.connected()
        protocol.data_received(WHOLE)
        await asyncio.sleep(1)
        protocol.data_received(WHOLE[:8])
        await asyncio.sleep(REQUEST_TIMEOUT_S)
        return wire.written, wire.closed

    written, closed = served(play)
    assert written.startswith(b"HTTP/1.1 200")
    assert closed == "closed"


def test_a_stream_is_not_taken_for_somebody_who_asks_for_nothing() -> None:
    async def play(server: Server) -> str:
        protocol, wire = server.connected()
        protocol.data_received(WHOLE.replace(b"/icon.svg", b"/overlay/events?key=0"))
        await asyncio.sleep(0.5)
        assert wire.written.startswith(b"HTTP/1.1 403")
        return wire.closed

    assert served(play) == ""


@pytest.mark.parametrize(("path", "told"), [("/live", [("127.0.0.1", "unread")]), ("/phone", [])])
def test_a_watcher_that_answers_no_ping_is_known_as_one_that_reads_nothing(
    path: str, told: list[Any]
) -> None:
    """A phone that plays does so in its sleep, and its seat shows that."""
    asked = (
        f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:8420\r\nOrigin: http://127.0.0.1:8420\r\n"
        "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
        "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
    )

    async def play(server: Server) -> list[tuple[str, str]]:
        protocol, wire = server.connected()
        protocol.data_received(asked.encode())
        await asyncio.sleep(0)
        live: Any = wire.protocol
        live.keepalive_timeout()
        return server.cut

    assert served(play) == told


def test_a_phone_that_asks_by_https_is_told_to_the_table_and_not_to_the_log(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def play(server: Server) -> tuple[list[tuple[str, str]], str, bytes]:
        protocol, wire = server.connected("10.0.0.7")
        protocol.data_received(b"\x16\x03\x01\x02\x00\x01")
        return server.cut, wire.closed, wire.written

    assert served(play) == ([("10.0.0.7", "https")], "closed", b"")
    assert not caplog.records


def test_the_kernel_closes_what_nobody_reads() -> None:
    async def play(server: Server) -> int:
        _, wire = server.connected()
        return wire.sock.getsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT)

    assert served(play) == UNREAD_TIMEOUT_MS


def test_one_address_has_so_many_connections_and_all_together_so_many() -> None:
    async def play(server: Server) -> tuple[list[str], int]:
        mine = [server.connected("10.0.0.1")[1].closed for _ in range(MAX_CONNECTIONS_PER_ADDRESS + 1)]
        assert server.cut == [("10.0.0.1", "crowd")], "whose connection it was is known when it comes back"
        for number in range(MAX_OPEN_CONNECTIONS + 20):
            server.connected(f"10.1.{number // 250}.{number % 250}")
        made_room = [peer for peer, why in server.cut[1:] if why == "crowd"]
        assert made_room[:MAX_CONNECTIONS_PER_ADDRESS] == ["10.0.0.1"] * MAX_CONNECTIONS_PER_ADDRESS, (
            "the oldest first"
        )
        assert set(made_room[MAX_CONNECTIONS_PER_ADDRESS:]) <= {f"10.1.0.{number}" for number in range(21)}
        return mine, sum(not wire.closed for wire in server.wires)

    mine, standing = served(play)
    assert mine == [""] * MAX_CONNECTIONS_PER_ADDRESS + ["aborted"]
    assert standing == MAX_OPEN_CONNECTIONS - 1, (
        "the one that was aborted is not gone before the loop says so"
    )


def test_forms_that_come_in_drips_make_room_for_whoever_asks_for_something_whole() -> None:
    async def reads_forms(scope: Any, receive: Any, send: Any) -> None:
        while (await receive()).get("more_body"):
            pass
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b""})

    async def play(server: Server) -> tuple[str, bytes]:
        for number in range(MAX_OPEN_CONNECTIONS + 40):
            protocol, _ = server.connected(f"10.1.{number // 20}.1")
            protocol.data_received(b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nn")
            await asyncio.sleep(0)
        protocol, wire = server.connected("10.2.0.1")
        protocol.data_received(WHOLE)
        await asyncio.sleep(1)
        return wire.closed, wire.written

    closed, written = served(play, reads_forms)
    assert not closed
    assert written.startswith(b"HTTP/1.1 200")
