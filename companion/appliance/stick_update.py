"""Another version on the stick, as the table sees it: looked at, shown, and asked of systemd after a yes."""

import os
import shutil
import subprocess
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from queue import SimpleQueue
from threading import Thread

from companion.appliance.bundle import Bundle, find_bundle, grouped, looked_at
from companion.appliance.owner import (
    ASKED_PIN,
    DIGITS,
    NOTICE,
    OWNER,
    has_no_ok_button,
    is_older,
    pin_is_set,
)
from companion.appliance.updating import (
    INSTALLED_UNIT,
    UNIT,
    Proofs,
    asked_for,
    last_result,
    verdict,
)
from companion.core import strangers
from companion.core.appliance import Update
from companion.core.errors import CompanionError
from companion.core.strangers import Most
from companion.core.view import Sentence
from companion.core.whole import replacing
from companion.referee.parts import caught

TOLD, TOLD_OWNER = "update-told", "update-owner-told"
"""Beside the games: which update the table has spoken of; that it has said what an update needs now."""

Run = Callable[[Sequence[str]], "subprocess.Popen[str]"]


class StickUpdate:
    """Looks at a bundle once it is in, in a thread; installs nothing itself."""

    def __init__(
        self,
        folder: Path,
        run: Run,
        environ: Mapping[str, str] = os.environ,
        root: Path = Path("/"),
        wake: Callable[[], None] = lambda: None,
    ) -> None:
        """`folder` is the table's."""
        self._folder, self._run, self._root, self._wake = folder, run, root, wake
        installed = environ.get("NOTIFY_SOCKET") and (root / INSTALLED_UNIT).exists()
        self._able = bool(installed) and shutil.which("systemctl") is not None
        self._seen: Path | None = None
        self._looking: Thread | None = None
        self._found: SimpleQueue[tuple[Path, Bundle | CompanionError]] = SimpleQueue()
        self._bundle: Bundle | None = None
        self._starting: subprocess.Popen[str] | None = None
        self.update: Update | None = None

    @property
    def running(self) -> bool:
        """Whether it is being installed."""
        return self._starting is not None

    def tick(self, stick: Path | None) -> Sentence | CompanionError | None:
        """Look at the stick that is in; what the table should hear now."""
        if not self._able:
            return None
        while not self._found.empty():
            place, what = self._found.get()
            self._looking = None
            if place == self._seen:
                self._show(what)
        bundle = None if stick is None else find_bundle(stick)
        if bundle != self._seen and self._looking is None:
            self._seen, self._bundle, self.update = bundle, None, None
            if bundle is not None:
                self._looking = Thread(target=self._look, args=(bundle,), name="update", daemon=True)
                self._looking.start()
        return self._heard()

    def install(self, digest: str, pin: str = "") -> None:
        """Somebody said yes to the bundle with this digest, as it was shown; root looks at it itself."""
        shown, bundle = self.update, self._bundle
        if self.running or bundle is None or shown is None or shown.digest != digest:
            return
        if pin and not self._leave(pin):
            return
        unit = UNIT.format(asked_for(bundle))
        self._starting = self._run(("systemctl", "--no-ask-password", "start", unit))

    def _look(self, bundle: Path) -> None:
        def look() -> None:
            self._found.put((bundle, looked_at(bundle, self._root)))

        failure = caught("Looking at the update", look)
        if failure is not None:
            trouble = failure if isinstance(failure, CompanionError) else UpdateUnseen(str(failure))
            self._found.put((bundle, trouble))
        self._wake()

    def _show(self, what: Bundle | CompanionError) -> None:
        if isinstance(what, CompanionError):
            self.update = Update(refused=what.sentence())
            return
        # Only to tell people what they will be asked: what counts is what root finds.
        no_ok = has_no_ok_button(self._root)
        proofs = Proofs(
            key=what.signed,
            signed=what.signed,
            older=is_older(what.version, self._root),
            pin_set=pin_is_set(self._root),
            held=None if no_ok else True,
        )
        needs = verdict(proofs)
        if needs == "update_sudo":
            self.update = Update(refused=Sentence(f"shared.trouble.{needs}"))
            return
        self._bundle = what
        self.update = Update(
            version=what.version,
            digest=grouped(what.digest),
            signed=what.signed,
            older=proofs.older,
            pin=DIGITS if needs else 0,
            hold=not no_ok,
        )

    def _heard(self) -> Sentence | CompanionError | None:
        """What became of an update, once."""
        ended = None if self._starting is None else self._starting.poll()
        if ended is not None:
            self._starting = None
            self._take_back()
        if (self._root / OWNER / NOTICE).exists() and not (self._folder / TOLD_OWNER).exists():
            self._mark("yes", TOLD_OWNER)
            return Sentence("ui.update.owner")
        last = last_result(self._root)
        if last is not None and last.mark != self._marked():
            self._mark(last.mark)
            if last.trouble:
                return Sentence(f"shared.trouble.{last.trouble}")
            return Sentence("ui.update.done", (("version", last.version),))
        return Sentence("shared.trouble.update_failed") if ended else None

    def _marked(self) -> str:
        try:
            return strangers.text(self._folder / TOLD, Most.NOTE).strip()
        except (OSError, UnicodeDecodeError):
            return ""

    def _leave(self, pin: str) -> bool:
        """Put the PIN where root reads it, and nobody else; whether that went well."""
        self._take_back()
        try:
            with replacing(self._root / ASKED_PIN, mode=0o600) as file:
                file.write(pin.encode("ascii"))
        except OSError:
            return False
        return True

    def _take_back(self) -> None:
        with suppress(OSError):
            (self._root / ASKED_PIN).unlink(missing_ok=True)

    def _mark(self, mark: str, place: str = TOLD) -> None:
        try:
            (self._folder / place).write_text(f"{mark}\n", encoding="ascii")
        except OSError:
            self._able = False  # a disk that keeps nothing would have us say it every second


class UpdateUnseen(CompanionError):  # noqa: N818 - what it says, not what it is
    """The bundle could not be looked at for a reason nobody foresaw."""

    on_screen = "update_damaged"
