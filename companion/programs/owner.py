"""Answers the owner's page: finished games, recaps, the doctor's findings, behind a PIN.

A thread of its own takes one wish after another, and a process of its own makes what was asked for
(`companion dev owner`): the table's loop never waits for it, and a recap takes seconds.
"""

import hmac
import logging
import math
import os
import secrets
import subprocess
import sys
from collections.abc import Callable
from threading import Thread

import msgspec

from companion.core.actions import SECOND, Micros
from companion.core.clock import GameClock
from companion.network.messages import DenialReason, OwnerPageDenied, OwnerPagePart, OwnerRequest
from companion.network.table_server import TableServer
from companion.settings.model import Settings

log = logging.getLogger(__name__)

MAX_WRONG_PINS = 30
"""Wrong PINs until there is another;

the page counts those of each address (`companion.network.web.guard`).
"""
MIN_INTERVAL: Micros = 2 * SECOND
"""From one making to the next."""
CACHE_TIME: Micros = 60 * SECOND
"""How long what was made may be fetched piece by piece."""
CHUNK_SIZE = 32_000
"""Letters of a piece: far less than may wait for one reader of the door."""
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
        door: TableServer,
        make: Callable[[PendingRequest], str | int],
        *,
        now: Callable[[], Micros] | None = None,
    ) -> None:
        """`make` gives the JSON of a wish, or the exit code with which it failed."""
        self.pin = ""
        self._door = door
        self._make = make
        self._now = now or GameClock().now
        self._wrong = 0
        self._wish: PendingRequest | None = None
        self._told = ""
        self._made_at: Micros = -CACHE_TIME
        self._renew_pin()
        self._thread = Thread(target=self._serve, name="owner", daemon=True)

    def start(self) -> None:
        """Answer until the door is closed."""
        self._thread.start()

    def _serve(self) -> None:
        while (look := self._door.owner_requests.get()) is not None:
            self._door.broadcast(self.answer_request(look))

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
        wish, now = (look.what, look.number, look.language), self._now()
        if wish != self._wish or now - self._made_at > CACHE_TIME or look.part == 0:
            why = self._make_document(wish, now)
            if why is not None:
                return OwnerPageDenied(look.ask, why)
        parts = max(1, math.ceil(len(self._told) / CHUNK_SIZE))
        if not 0 <= look.part < parts:
            return OwnerPageDenied(look.ask, "none")
        start = look.part * CHUNK_SIZE
        return OwnerPagePart(look.ask, look.part, parts, self._told[start : start + CHUNK_SIZE])

    def _make_document(self, wish: PendingRequest, now: Micros) -> DenialReason | None:
        """Make it; why there is nothing."""
        if now - self._made_at < MIN_INTERVAL:
            return "busy"
        self._wish, self._told, self._made_at = None, "", now
        made = self._make(wish)
        if isinstance(made, int):
            return {NO_GAME: "none", NOT_OVER: "not_over"}.get(made, "failed")  # type: ignore[return-value]
        if len(made) > MAX_ANSWER_LENGTH:
            return "failed"
        self._wish, self._told, self._made_at = wish, made, self._now()
        return None

    def _renew_pin(self) -> None:
        """Another PIN than before."""
        before = self.pin
        while self.pin == before:
            self.pin = f"{secrets.randbelow(1_000_000):06}"
        self._wrong = 0


def make_in_child(settings: Settings) -> Callable[[PendingRequest], str | int]:
    """Makes things in a process of their own, as the same user: nobody else opens the store."""

    def make(wish: PendingRequest) -> str | int:
        what, number, language = wish
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


def start_owner_responder(door: TableServer, settings: Settings) -> OwnerResponder:
    """The desk of this table's owner, open until the door is closed."""
    desk = OwnerResponder(door, make_in_child(settings))
    desk.start()
    return desk
