"""The machine as an appliance: switched off by holding a button, its games copied to a USB stick."""

import logging
import os
import shutil
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from queue import SimpleQueue
from threading import Thread
from typing import Any

from companion.appliance.hold_to_power_off import HoldToPowerOff
from companion.appliance.stick_update import StickUpdate
from companion.core.actions import SECOND, Chair, Micros
from companion.core.appliance import Machine
from companion.core.clock import wall_time
from companion.core.errors import CompanionError
from companion.core.rules import Rules
from companion.core.view import Sentence
from companion.referee.backup import Copied, back_up
from companion.referee.parts import caught

log = logging.getLogger(__name__)

LOGIND = (
    "busctl", "call", "--system", "org.freedesktop.login1", "/org/freedesktop/login1",
    "org.freedesktop.login1.Manager",
)  # fmt: skip
STICKS = ("run/companion-stick/*", "media/*/*", "run/media/*/*")
"""Where our own rule mounts sticks (systemd/companion-stick.rules), and where desktops do."""
LOOK_EVERY: Micros = SECOND
SAID_FOR: Micros = 60 * SECOND
"""Copying is slow: the result stays for somebody who walked away meanwhile."""

Run = Callable[[Sequence[str]], "subprocess.Popen[str]"]


def _run(command: Sequence[str]) -> subprocess.Popen[str]:
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


class Power:
    """Asks logind, which asks polkit: the service's own user may switch off, nobody else is asked."""

    def __init__(self, environ: Mapping[str, str] = os.environ, run: Run = _run) -> None:
        self._run = run
        self._asked: subprocess.Popen[str] | None = None
        self._off: subprocess.Popen[str] | None = None
        self.able = False
        # A service that systemd watches is an appliance; a program somebody started is not.
        if environ.get("NOTIFY_SOCKET") and shutil.which(LOGIND[0]):
            self._asked = run((*LOGIND, "CanPowerOff"))

    def tick(self) -> CompanionError | None:
        """Take in what logind answered; why it would not switch off."""
        if self._asked is not None and self._asked.poll() is not None:
            self.able = '"yes"' in _said(self._asked)
            self._asked = None
        if self._off is not None and self._off.poll() is not None:
            off, self._off = self._off, None
            if off.returncode:
                return PowerRefused(f"can't shut down: {_said(off).strip()}")
        return None

    def off(self) -> None:
        self._off = self._run((*LOGIND, "PowerOff", "b", "false"))


def _said(process: subprocess.Popen[str]) -> str:
    return process.stdout.read() if process.stdout is not None else ""


class CopyFailed(CompanionError):  # noqa: N818 - what it says, not what it is
    """Copying to the stick broke off for a reason nobody foresaw."""

    on_screen = "backup"


class PowerRefused(CompanionError):  # noqa: N818 - what it says, not what it is
    """logind does not switch the machine off for us."""

    on_screen = "power"


def sticks(root: Path = Path("/")) -> Iterator[Path]:
    """The disks that somebody plugged in."""
    for place in (place for pattern in STICKS for place in sorted(root.glob(pattern))):
        with suppress(OSError):  # it was pulled out while we looked
            if place.is_mount():
                yield place


def find_stick(root: Path = Path("/")) -> Path | None:
    """The first of them that may be written."""
    return next((stick for stick in sticks(root) if os.access(stick, os.W_OK)), None)


class TableAppliance:
    """The machine under the table."""

    def __init__(
        self,
        folder: Path,
        name: str,
        *,
        lamps: int,
        games: Mapping[str, Rules[Any]],
        power: Power | None = None,
        stick: Callable[[], Path | None] = find_stick,
        wake: Callable[[], None] = lambda: None,
        update: StickUpdate | None = None,
    ) -> None:
        """`folder` is the table's of this `name`: what a stick gets."""
        self._folder, self._name = folder, name
        self._lamps = lamps
        self._games = games
        self._power = power or Power()
        self._find = stick
        self._wake = wake
        self._update = update or StickUpdate(folder, _run, wake=wake)
        self._stick: Path | None = None
        self._looked: Micros | None = None
        self._hold = HoldToPowerOff()
        self._off = False
        self._copying: Thread | None = None
        self._copied: SimpleQueue[Copied | CompanionError] = SimpleQueue()
        self._said: tuple[Micros, Sentence] | None = None

    def tick(self, now: Micros, *, held: bool) -> None:
        refused = self._power.tick()
        if refused is not None:
            self._off = False
            self._say(now, refused)
        if self._hold.burn(now, down=held and self._power.able):
            self.switch_off()
        if self._looked is None or not 0 <= now - self._looked < LOOK_EVERY:
            self._looked = now
            self._stick = self._find()
            heard = self._update.tick(self._stick)
            if heard is not None:
                self._say(now, heard)
        while not self._copied.empty():
            self._copying = None
            self._say(now, self._copied.get())

    def machine(self) -> Machine:
        return Machine(
            stick=self._stick is not None,
            copying=self._copying is not None,
            power=self._power.able,
            update=self._update.update,
        )

    def notice(self, now: Micros) -> Sentence | None:
        if self._off:
            return Sentence("ui.off.now")
        if self._hold.burning:
            return Sentence("ui.off.keep_holding")
        if self._copying is not None:
            return Sentence("ui.copy.running")
        if self._update.running:
            return Sentence("ui.update.running")
        if self._said is not None and 0 <= now - self._said[0] < SAID_FOR:
            return self._said[1]
        return None

    def lamps(self) -> frozenset[Chair] | None:
        if self._off:
            return frozenset(range(self._lamps))
        return frozenset(range(self._hold.lit(self._lamps))) if self._hold.burning else None

    def copy(self) -> None:
        if self._stick is None or self._copying is not None:
            return
        self._copying = Thread(target=self._copy_to, args=(self._stick,), name="backup", daemon=True)
        self._copying.start()

    def install(self, digest: str, pin: str = "") -> None:
        if self._copying is None:
            self._update.install(digest, pin)

    def switch_off(self) -> None:
        if self._power.able:
            self._off = True
            self._power.off()

    def _copy_to(self, stick: Path) -> None:
        """The copying thread: a slow stick must not stop the table."""

        def copied() -> None:
            self._copied.put(back_up(self._folder, self._name, stick, wall_time(), self._games))

        failure = caught("Copying the games", copied)
        if failure is not None:
            self._copied.put(failure if isinstance(failure, CompanionError) else CopyFailed(str(failure)))
        self._wake()

    def _say(self, now: Micros, what: Copied | CompanionError | Sentence) -> None:
        if isinstance(what, Sentence):
            self._said = now, what
        elif isinstance(what, CompanionError):
            log.warning("%s", what)
            self._said = now, what.sentence()
        else:
            log.info("Copied %d games and %d decks to %s", what.games, what.decks, what.folder)
            self._said = now, Sentence("ui.copy.done", (("games", what.games), ("decks", what.decks)))
