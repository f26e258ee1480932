"""The processes beside the table: web page, uplink, and those that make what the owner's page asks for.

Page and uplink run as services or as child processes. The owner's page, behind a PIN, asks for finished
games, recaps and the doctor's findings; a thread of its own takes one request after another and has it made
by `companion dev owner`, since a recap takes seconds and the table's loop never waits.
"""

import hmac
import logging
import math
import os
import secrets
import socket
import subprocess
import sys
from collections.abc import Callable, MutableMapping, Sequence
from contextlib import suppress
from threading import Thread
from typing import Any, NamedTuple

import msgspec

from companion.core.actions import SECOND, Micros
from companion.core.clock import GameClock, monotonic_ns
from companion.core.errors import EXIT_PORT_TAKEN, CompanionError
from companion.core.view import Sentence
from companion.network.messages import DenialReason, OwnerPageDenied, OwnerPagePart, OwnerRequest
from companion.network.table_server import TableServer, UplinkServer
from companion.settings.model import Settings
from companion.system.extras import LIBRARIES, install_command, missing_library
from companion.system.machine import PAGE_PORT, Machine, program_version

log = logging.getLogger(__name__)

Child = subprocess.Popen[bytes]
Run = Callable[..., Child]


def start_child(server: TableServer, *words: str, run: Run = subprocess.Popen, **how: Any) -> Child:
    """Start `companion WORDS` in a session of its own, and serve it; `how` as `Popen` has it.

    Raises `OSError` if it does not start.
    """
    server.start()
    ours, theirs = socket.socketpair()
    with theirs:
        try:
            child = run(
                [sys.executable, "-m", "companion", *words, "--connected", str(theirs.fileno())],
                pass_fds=[theirs.fileno()],
                start_new_session=True,
                **how,
            )
        except OSError:
            ours.close()
            raise
    server.add_connection(ours)
    return child


def stop_child(child: Child) -> None:
    """Have it end; one that does not is not waited for."""
    child.terminate()
    with suppress(subprocess.TimeoutExpired):
        child.wait(2.0)


FIRST_DESCRIPTOR = 3
"""The first descriptor that is handed over."""
SYSTEMD_VARIABLES = ("LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES")


def inherited_sockets(environ: MutableMapping[str, str] = os.environ) -> dict[str, socket.socket]:
    """Each socket by its `FileDescriptorName`; empty where none was meant for this process.

    The variables are taken out of `environ`, so that no child takes the sockets for its own.
    """
    pid, count, names = (environ.pop(name, "") for name in SYSTEMD_VARIABLES)
    if pid != str(os.getpid()) or not count.isdigit():
        return {}
    found: dict[str, socket.socket] = {}
    for place, name in zip(range(int(count)), names.split(":"), strict=False):
        fd = FIRST_DESCRIPTOR + place
        os.set_inheritable(fd, False)  # noqa: FBT003 (the os module's own spelling)
        found[name] = socket.socket(fileno=fd)
    return found


PAGE, UPLINK = "page", "uplink"
"""The sockets' `FileDescriptorName` in `systemd/companion-table-page.socket` and `…-uplink.socket`."""


class TableSockets(NamedTuple):
    """Both doors, and whether systemd handed each one's socket over.

    Without one a server opens when its process is started as a child.
    """

    page: TableServer
    page_handed: bool
    uplink: UplinkServer
    uplink_handed: bool

    def close(self) -> None:
        """Let everybody go."""
        self.page.close()
        self.uplink.close()


def open_table_sockets(wake: Callable[[], None], name: str, called: str) -> TableSockets:
    """The doors of the table, for clubs `name`, for phones `called`; those with a socket serve at once."""
    sockets = inherited_sockets(os.environ)
    listening = [sockets.pop(which, None) for which in (PAGE, UPLINK)]
    for other in sockets.values():
        other.close()
    run = secrets.token_hex(8)
    page = TableServer(listening[0], run=run, table=called, wake=wake)
    uplink = UplinkServer(listening[1], run=run, name=name, program=program_version(), wake=wake)
    for server, one in zip((page, uplink), listening, strict=True):
        if one is not None:
            server.start()
    return TableSockets(page, listening[0] is not None, uplink, listening[1] is not None)


UNIT = ("systemctl", "--no-ask-password", "--no-block", "start", "companion-page.service")
"""Starts the page where systemd keeps its socket; systemd/companion.rules lets the table do so."""
STARTS_WITHIN_NS = 30_000_000_000
"""A service that was asked to start and is not heard by then is reported as late; it may still come."""


class PageLacksError(CompanionError):
    """The page's libraries are not installed."""

    on_screen = "page_libraries"


class PageRunner:
    """The page as the table started it; one that runs already is left alone."""

    def __init__(
        self,
        server: TableServer,
        *,
        handed: bool,
        words: Sequence[str] = (),
        run: Run = subprocess.Popen,
        now: Callable[[], int] = monotonic_ns,
    ) -> None:
        """`handed`: the socket came from systemd; `words`: more for `companion page`; `now` in ns."""
        self._now = now
        self._asked_at = 0
        self._server = server
        self._handed = handed
        self._words = tuple(words)
        self._run = run
        self._started: Child | None = None
        self.firewall_remedy = ""
        """The command that lets phones in; empty: no firewall is known to keep them out."""

    def start(self) -> None:
        """Have it run; returns at once. `PageLacksError` where it cannot."""
        if self._server.has_readers or (self._started is not None and self._started.poll() is None):
            return
        if self._started is None and (found := Machine().find_firewall(PAGE_PORT)) is not None:
            log.warning("Phones may be kept out, for %s: %s", *found)
            self.firewall_remedy = found[1].partition(", ")[0]
        if self._handed:
            self._asked_at = self._now()
            self._started = self._run(UNIT, stdin=subprocess.DEVNULL)
            return
        if missing_library(LIBRARIES["page"]):
            raise PageLacksError(f"phones need a few more libraries: {install_command('page')}")
        quiet: dict[str, Any] = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL}
        self._started = start_child(self._server, "page", *self._words, run=self._run, **quiet)

    def trouble(self) -> Sentence | None:
        """Why it does not run, once it was started and has ended."""
        ended = None if self._started is None else self._started.poll()
        if ended is None or self._server.has_readers:
            return None
        if self._handed and ended == 0:  # systemd was asked, and goes on trying
            late = self._now() - self._asked_at >= STARTS_WITHIN_NS
            return Sentence("ui.phones.late") if late else None
        return Sentence("ui.phones.taken" if ended == EXIT_PORT_TAKEN else "ui.phones.ended")

    def close(self) -> None:
        """A child ends with the table; a service is systemd's."""
        if self._started is not None and not self._handed:
            stop_child(self._started)


class UplinkRunner:
    """The uplink as the table started it."""

    def __init__(self, server: UplinkServer, settings: Settings, *, handed: bool) -> None:
        """`handed`: the server's socket came from systemd, which starts the uplink, too."""
        self._server = server
        self._settings = settings
        self._wanted = bool(settings.club.broker) and not handed
        self._started: Child | None = None

    def start(self) -> None:
        """Have it run if the settings name a broker; a table without it plays all the same."""
        if not self._wanted:
            return
        if missing_library(LIBRARIES["home"]):
            log.warning("The broker hears nothing of this table: %s", install_command("home"))
            return
        try:
            self._started = start_child(
                self._server, "uplink", stdin=subprocess.PIPE, stdout=subprocess.DEVNULL
            )
        except OSError as trouble:
            log.warning("The uplink does not start: %s", trouble)
            return
        if self._started.stdin is not None:
            with suppress(BrokenPipeError), self._started.stdin as words:
                words.write(msgspec.json.encode(self._settings))

    def close(self) -> None:
        """It ends with the table."""
        if self._started is not None:
            stop_child(self._started)


MAX_WRONG_PINS = 30
"""Wrong PINs until there is another;

the page counts those of each address (`companion.network.web.guard`).
"""
MIN_INTERVAL: Micros = 2 * SECOND
"""From one making to the next."""
CACHE_TIME: Micros = 60 * SECOND
"""How long what was made may be fetched piece by piece."""
CHUNK_SIZE = 32_000
"""Letters of a piece: far less than may wait for one reader of the server."""
MAX_ANSWER_LENGTH = 8_000_000
"""Letters of the longest answer."""
CHILD_TIMEOUT_S = 90.0
NO_GAME, NOT_OVER = 3, 4
"""How `companion dev owner` ends where there is no such game, and where its cards may still be hidden."""

PendingRequest = tuple[str, int, str]


class OwnerResponder:
    """Owns the owner's PIN and whatever was made last."""

    def __init__(
        self,
        server: TableServer,
        make: Callable[[PendingRequest], str | int],
        *,
        now: Callable[[], Micros] | None = None,
    ) -> None:
        """`make` gives the JSON of a request, or the exit code with which it failed."""
        self.pin = ""
        self._server = server
        self._make = make
        self._now = now or GameClock().now
        self._wrong = 0
        self._request: PendingRequest | None = None
        self._document = ""
        self._made_at: Micros = -CACHE_TIME
        self._renew_pin()
        self._thread = Thread(target=self._serve, name="owner", daemon=True)

    def start(self) -> None:
        """Answer until the server is closed."""
        self._thread.start()

    def _serve(self) -> None:
        while (look := self._server.owner_requests.get()) is not None:
            self._server.broadcast(self.answer_request(look))

    def answer_request(self, look: OwnerRequest) -> OwnerPagePart | OwnerPageDenied:
        """One piece of what was asked for, or why not."""
        if not hmac.compare_digest(look.pin.encode(), self.pin.encode()):
            self._wrong += 1
            if self._wrong >= MAX_WRONG_PINS:
                self._renew_pin()
            return OwnerPageDenied(look.ask, "pin")
        self._wrong = 0
        if look.what == "stream":
            return OwnerPagePart(look.ask, 0, 1, "{}")
        request, now = (look.what, look.number, look.language), self._now()
        if request != self._request or now - self._made_at > CACHE_TIME or look.part == 0:
            why = self._make_document(request, now)
            if why is not None:
                return OwnerPageDenied(look.ask, why)
        parts = max(1, math.ceil(len(self._document) / CHUNK_SIZE))
        if not 0 <= look.part < parts:
            return OwnerPageDenied(look.ask, "none")
        start = look.part * CHUNK_SIZE
        return OwnerPagePart(look.ask, look.part, parts, self._document[start : start + CHUNK_SIZE])

    def _make_document(self, request: PendingRequest, now: Micros) -> DenialReason | None:
        """Make it; why there is nothing."""
        if now - self._made_at < MIN_INTERVAL:
            return "busy"
        self._request, self._document, self._made_at = None, "", now
        made = self._make(request)
        if isinstance(made, int):
            return {NO_GAME: "none", NOT_OVER: "not_over"}.get(made, "failed")  # type: ignore[return-value]
        if len(made) > MAX_ANSWER_LENGTH:
            return "failed"
        self._request, self._document, self._made_at = request, made, self._now()
        return None

    def _renew_pin(self) -> None:
        """Another PIN than before."""
        before = self.pin
        while self.pin == before:
            self.pin = f"{secrets.randbelow(1_000_000):06}"
        self._wrong = 0


def make_in_child(settings: Settings) -> Callable[[PendingRequest], str | int]:
    """Makes things in a process of their own, as the same user: nobody else opens the store."""

    def make(request: PendingRequest) -> str | int:
        what, number, language = request
        words = ["dev", "owner", what, str(number), "--language", language, "--settings-given"]
        drawn = {"SDL_VIDEODRIVER": "dummy", "SDL_AUDIODRIVER": "dummy"} if what == "recap" else {}
        try:
            done = subprocess.run(
                [sys.executable, "-m", "companion", *words],
                input=msgspec.json.encode(settings),
                capture_output=True,
                timeout=CHILD_TIMEOUT_S,
                env={**os.environ, **drawn},  # the screen is the table's
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired) as trouble:
            log.warning("Nothing was made for the owner: %s", trouble)
            return 1
        if done.returncode in {NO_GAME, NOT_OVER}:
            return done.returncode
        if done.returncode:
            log.warning("Nothing was made for the owner: %s", done.stderr.decode(errors="replace")[-500:])
            return done.returncode
        return done.stdout.decode()

    return make


def start_owner_responder(server: TableServer, settings: Settings) -> OwnerResponder:
    """What answers this table's owner, until the server is closed."""
    responder = OwnerResponder(server, make_in_child(settings))
    responder.start()
    return responder
