"""The process of `companion desk`."""

import asyncio
import socket
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import uvicorn

from companion.core.errors import InputError
from companion.network.web.serve import (
    QUIET_SERVER_OPTIONS,
    bind_socket,
    browser_address,
    make_timely_protocol,
)
from companion.system.terminal import print_lines
from companion_club.desk import accounts
from companion_club.desk.guard import DeskGuard, Network, is_of
from companion_club.desk.pages import build_application
from companion_club.desk.web_app import DeskApp
from companion_club.hub import database
from companion_club.hub.model import ClubRecord

MAX_CONNECTIONS = 512
"""Of all kinds, with those that were closed to make room and are not gone yet."""
SHUTDOWN_TIMEOUT_S = 1.0
"""What a stopped desk has begun to answer may take so long; a browser may keep its connection for ever."""

SHOWN_ONCE_NOTE = "It is shown this once; write it down."


class DeskAddress(NamedTuple):
    """Where the desk is found."""

    host: str
    port: int
    certificate: Path | None = None
    key: Path | None = None
    names: tuple[str, ...] = ()
    """Hosts by which it is reached besides addresses."""
    networks: tuple[Network, ...] = ()
    """Whose addresses are answered besides those of private networks."""
    proxies: tuple[Network, ...] = ()
    """Where reverse proxies are, which say for whom they ask."""

    @property
    def address(self) -> str:
        scheme = "https" if self.certificate else "http"
        host = self.names[0] if self.names else browser_address("" if self.host == "::" else self.host)
        host = f"[{host}]" if ":" in host else host
        return f"{scheme}://{host}:{self.port}/"


class DeskServer(uvicorn.Server):
    """Lets everybody go before it ends, so that no stream holds it up."""

    def __init__(self, config: uvicorn.Config, desk: DeskApp) -> None:
        super().__init__(config)
        self._desk = desk

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self._desk.change_feed.close()
        asyncio.get_running_loop().call_later(SHUTDOWN_TIMEOUT_S, self._close_streams)
        await super().shutdown(sockets)

    def _close_streams(self) -> None:
        for one in tuple(self.server_state.connections):
            one.transport.abort()


def open_desk(where: str, *, club: str = "") -> DeskApp:
    """The desk on a club's database, which is made or brought up to date."""
    engine = database.make_engine(where)
    database.migrate(engine, club or "club")
    with database.writing_sessions(engine)() as session:
        known = session.get_one(ClubRecord, 1).slug
    return DeskApp(engine, club=known)


def serve_desk(
    desk: DeskApp, where: DeskAddress, *, began: Callable[[DeskAddress], None] = lambda _: None
) -> int:
    """Serve until a signal (0). `began` is called with the real port once browsers can come.

    Raises `InputError` if a file of the certificate is missing, or one was named without the other.
    """
    for file in (where.certificate, where.key):
        if file is not None and not file.is_file():
            raise InputError(f"there is no file {file}")
    if (where.certificate is None) != (where.key is None):
        raise InputError("--certificate and --key belong together: name both files")
    listening = bind_socket(where.host, where.port, "the desk")
    where = where._replace(port=int(listening.getsockname()[1]))
    desk.secure = where.certificate is not None
    proxies = [str(one) for one in where.proxies]
    config = uvicorn.Config(
        DeskGuard(build_application(desk), where.port, where.names, where.networks),
        http=make_timely_protocol(is_proxy=lambda peer: is_of(peer, where.proxies)),
        ws="none",
        limit_concurrency=MAX_CONNECTIONS,
        timeout_graceful_shutdown=2,
        ssl_certfile=where.certificate,
        ssl_keyfile=where.key,
        forwarded_allow_ips=proxies,
        **{**QUIET_SERVER_OPTIONS, "proxy_headers": bool(proxies)},
    )
    _print_address(desk, where)
    began(where)
    with listening:
        DeskServer(config, desk).run(sockets=[listening])
    return 0


def create_logins(desk: DeskApp) -> None:
    """A login of each role, with a new password, for an evening to try."""
    with desk.writing_sessions.begin() as session:
        for role in accounts.ROLES:
            print_lines(f"Log in as {role} with the password {accounts.new_login(session, role, role)}")


def new_password(desk: DeskApp, name: str) -> int:
    """Print a new password of a login that has lost its own, or the first login's; 0 at the end."""
    with desk.writing_sessions.begin() as session:
        first = accounts.needs_first_login(session)
        password = accounts.new_login(session, name, accounts.role_of(session, name))
    out = "Everybody logged in by that name is logged out."
    print_lines(f"Log in as {name} with the password {password}", SHOWN_ONCE_NOTE if first else out)
    return 0


def _print_address(desk: DeskApp, where: DeskAddress) -> None:
    """Where it is, and once how to log in."""
    with desk.writing_sessions.begin() as session:
        password = (
            accounts.new_login(session, accounts.DESK, accounts.DESK)
            if accounts.needs_first_login(session)
            else ""
        )
    print_lines(f"The desk: {where.address}")
    if password:
        print_lines(f"Log in as {accounts.DESK} with the password {password}", SHOWN_ONCE_NOTE)
    if where.certificate is None and not where.address.startswith("http://127."):
        print_lines(
            "Passwords travel unencrypted here: use a network of the club's own, or --certificate and --key."
        )
    print_lines("Stop: Ctrl-C")
