"""What the table does as a machine without keyboard: powers off by a held button, copies games to a USB
stick.
"""

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

from companion.core.actions import SECOND, Chair, Micros
from companion.core.clock import wall_time
from companion.core.errors import CompanionError
from companion.core.rules import Rules
from companion.core.view import Sentence
from companion.referee.backup import BackupReport, back_up
from companion.system.appliance import MachineStatus
from companion.system.fault_isolation import run_and_log
from companion.system.stick_update import StickUpdate
from companion.table.session import STALL

WARNING_AFTER: Micros = SECOND
"""Held this long, the table says what is about to happen."""
POWER_OFF_AFTER: Micros = 4 * SECOND
"""Held this long, it happens."""


class HoldToPowerOff:
    """Burns while the button is down; a release puts it out."""

    def __init__(self) -> None:
        self._since: Micros | None = None
        self._now: Micros = 0
        self._has_fired = False

    def update(self, now: Micros, *, down: bool) -> bool:
        """Take the button's level in; True once, when the fuse has burnt down.

        While the program stands still nobody sees it burn, nor whether the button is let go: it does not.
        """
        stood, self._now = now - self._now, now
        if not down:
            self._since, self._has_fired = None, False
            return False
        if self._since is None or now < self._since:  # another game's clock began
            self._since = now
        elif stood > STALL:
            self._since += stood
        blown = not self._has_fired and now - self._since >= POWER_OFF_AFTER
        self._has_fired |= blown
        return blown

    @property
    def is_counting(self) -> bool:
        """Whether it is to be seen."""
        return self._since is not None and self._now - self._since >= WARNING_AFTER

    def lit_lamp_count(self, lamps: int) -> int:
        """How many of the lamps glow: all of them when it has burnt down."""
        if self._since is None or not self.is_counting:
            return 0
        part = (self._now - self._since - WARNING_AFTER) * lamps // (POWER_OFF_AFTER - WARNING_AFTER)
        return min(lamps, 1 + part)


log = logging.getLogger(__name__)

LOGIND = (
    "busctl", "call", "--system", "org.freedesktop.login1", "/org/freedesktop/login1",
    "org.freedesktop.login1.Manager",
)  # fmt: skip
STICK_PATTERNS = ("run/companion-stick/*", "media/*/*", "run/media/*/*")
"""Where our own rule mounts sticks (systemd/companion-stick.rules), and where desktops do."""
STICK_POLL_INTERVAL: Micros = SECOND
MESSAGE_TIME: Micros = 60 * SECOND
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
        self.is_available = False
        # A service that systemd watches is an appliance; a program somebody started is not.
        if environ.get("NOTIFY_SOCKET") and shutil.which(LOGIND[0]):
            self._asked = run((*LOGIND, "CanPowerOff"))

    def tick(self) -> CompanionError | None:
        """Take in what logind answered; why it would not switch off."""
        if self._asked is not None and self._asked.poll() is not None:
            self.is_available = '"yes"' in _error_output(self._asked)
            self._asked = None
        if self._off is not None and self._off.poll() is not None:
            off, self._off = self._off, None
            if off.returncode:
                return PowerRefusedError(f"can't shut down: {_error_output(off).strip()}")
        return None

    def power_off(self) -> None:
        self._off = self._run((*LOGIND, "PowerOff", "b", "false"))


def _error_output(process: subprocess.Popen[str]) -> str:
    return process.stdout.read() if process.stdout is not None else ""


class CopyFailedError(CompanionError):
    """Copying to the stick broke off for a reason nobody foresaw."""

    on_screen = "backup"


class PowerRefusedError(CompanionError):
    """logind does not switch the machine off for us."""

    on_screen = "power"


def find_sticks(root: Path = Path("/")) -> Iterator[Path]:
    """The disks that somebody plugged in."""
    for place in (place for pattern in STICK_PATTERNS for place in sorted(root.glob(pattern))):
        with suppress(OSError):  # it was pulled out while we looked
            if place.is_mount():
                yield place


def find_stick(root: Path = Path("/")) -> Path | None:
    """The first of them that may be written."""
    return next((stick for stick in find_sticks(root) if os.access(stick, os.W_OK)), None)


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
        self._copied: SimpleQueue[BackupReport | CompanionError] = SimpleQueue()
        self._said: tuple[Micros, Sentence] | None = None

    def tick(self, now: Micros, *, held: bool) -> None:
        refused = self._power.tick()
        if refused is not None:
            self._off = False
            self._set_message(now, refused)
        if self._hold.update(now, down=held and self._power.is_available):
            self.switch_off()
        if self._looked is None or not 0 <= now - self._looked < STICK_POLL_INTERVAL:
            self._looked = now
            self._stick = self._find()
            heard = self._update.tick(self._stick)
            if heard is not None:
                self._set_message(now, heard)
        while not self._copied.empty():
            self._copying = None
            self._set_message(now, self._copied.get())

    def read_status(self) -> MachineStatus:
        return MachineStatus(
            stick=self._stick is not None,
            copying=self._copying is not None,
            power=self._power.is_available,
            update=self._update.update,
        )

    def message_for_players(self, now: Micros) -> Sentence | None:
        if self._off:
            return Sentence("ui.off.now")
        if self._hold.is_counting:
            return Sentence("ui.off.keep_holding")
        if self._copying is not None:
            return Sentence("ui.copy.running")
        if self._update.is_installing:
            return Sentence("ui.update.running")
        if self._said is not None and 0 <= now - self._said[0] < MESSAGE_TIME:
            return self._said[1]
        return None

    def lit_lamps(self) -> frozenset[Chair] | None:
        if self._off:
            return frozenset(range(self._lamps))
        return frozenset(range(self._hold.lit_lamp_count(self._lamps))) if self._hold.is_counting else None

    def copy_to_stick(self) -> None:
        if self._stick is None or self._copying is not None:
            return
        self._copying = Thread(target=self._copy_to, args=(self._stick,), name="backup", daemon=True)
        self._copying.start()

    def install_update(self, digest: str, pin: str = "") -> None:
        if self._copying is None:
            self._update.install(digest, pin)

    def switch_off(self) -> None:
        if self._power.is_available:
            self._off = True
            self._power.power_off()

    def _copy_to(self, stick: Path) -> None:
        """The copying thread: a slow stick must not stop the table."""

        def copy_games() -> None:
            self._copied.put(back_up(self._folder, self._name, stick, wall_time(), self._games))

        failure = run_and_log("Copying the games", copy_games)
        if failure is not None:
            self._copied.put(
                failure if isinstance(failure, CompanionError) else CopyFailedError(str(failure))
            )
        self._wake()

    def _set_message(self, now: Micros, what: BackupReport | CompanionError | Sentence) -> None:
        if isinstance(what, Sentence):
            self._said = now, what
        elif isinstance(what, CompanionError):
            log.warning("%s", what)
            self._said = now, what.screen_sentence()
        else:
            log.info("Copied %d games and %d decks to %s", what.games, what.decks, what.folder)
            self._said = now, Sentence("ui.copy.done", (("games", what.games), ("decks", what.decks)))
