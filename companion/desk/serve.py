"""`companion desk`: serves the desk until it is stopped."""

import asyncio
import socket
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import uvicorn

from companion.club import database
from companion.club.model import Club
from companion.core.errors import InputError
from companion.desk import logins
from companion.desk.guard import Guarded
from companion.desk.pages import application
from companion.desk.site import Desk
from companion.page.serve import QUIETLY, bound, prompt_protocol, reached_at
from companion.settings.terminal import say

MOST_CONNECTIONS = 256
"""Pages and streams at a time; each open page has a stream."""
LET_GO_S = 1.0
"""What a stopped desk has begun to answer may take so long; a browser may keep its connection for ever."""

ONCE = "It is shown this once; write it down."


class Where(NamedTuple):
    """Where the desk is found."""

    host: str
    port: int
    certificate: Path | None = None
    key: Path | None = None
    names: tuple[str, ...] = ()
    """Hosts by which it is reached besides addresses."""

    @property
    def address(self) -> str:
        scheme = "https" if self.certificate else "http"
        host = self.names[0] if self.names else reached_at(self.host)
        return f"{scheme}://{host}:{self.port}/"


class Serving(uvicorn.Server):
    """Lets everybody go before it ends, so that no stream holds it up."""

    def __init__(self, config: uvicorn.Config, desk: Desk) -> None:
        super().__init__(config)
        self._desk = desk

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self._desk.pulse.close()
        asyncio.get_running_loop().call_later(LET_GO_S, self._let_go)
        await super().shutdown(sockets)

    def _let_go(self) -> None:
        for one in tuple(self.server_state.connections):
            one.transport.abort()


def opened(where: str, *, club: str = "") -> Desk:
    """The desk on a club's database, which is made or brought up to date."""
    engine = database.engine_of(where)
    database.migrate(engine, club or "club")
    with database.sessions(engine)() as session:
        known = session.get_one(Club, 1).slug
    return Desk(engine, club=known)


def serve(desk: Desk, where: Where, *, began: Callable[[Where], None] = lambda _: None) -> int:
    """Serve until a signal (0). `began` is called with the real port once browsers can come.

    Raises `InputError` if a file of the certificate is missing, or one was named without the other.
    """
    for file in (where.certificate, where.key):
        if file is not None and not file.is_file():
            raise InputError(f"there is no file {file}")
    if (where.certificate is None) != (where.key is None):
        raise InputError("--certificate and --key belong together: name both files")
    listening = bound(where.host, where.port, "the desk")
    where = where._replace(port=int(listening.getsockname()[1]))
    desk.secure = where.certificate is not None
    config = uvicorn.Config(
        Guarded(application(desk), where.port, where.names),
        http=prompt_protocol(),
        ws="none",
        limit_concurrency=MOST_CONNECTIONS,
        timeout_graceful_shutdown=2,
        ssl_certfile=where.certificate,
        ssl_keyfile=where.key,
        **QUIETLY,
    )
    _tell(desk, where)
    began(where)
    with listening:
        Serving(config, desk).run(sockets=[listening])
    return 0


def with_logins(desk: Desk) -> None:
    """A login of each role, with a new password, for an evening to try."""
    with desk.writing.begin() as session:
        for role in logins.ROLES:
            say(f"Log in as {role} with the password {logins.new_login(session, role, role)}")


def new_password(desk: Desk, name: str) -> int:
    """Print a new password of a login that has lost its own, or the first login's; 0 at the end."""
    with desk.writing.begin() as session:
        first = logins.needs_first(session)
        password = logins.new_login(session, name, logins.role_of(session, name))
    out = "Everybody logged in by that name is logged out."
    say(f"Log in as {name} with the password {password}", ONCE if first else out)
    return 0


def _tell(desk: Desk, where: Where) -> None:
    """Where it is, and once how to log in."""
    with desk.writing.begin() as session:
        password = logins.new_login(session, logins.DESK, logins.DESK) if logins.needs_first(session) else ""
    say(f"The desk: {where.address}")
    if password:
        say(f"Log in as {logins.DESK} with the password {password}", ONCE)
    if where.certificate is None and not where.address.startswith("http://127."):
        say("Passwords travel unencrypted here: use a network of the club's own, or --certificate and --key.")
    say("Stop: Ctrl-C")
