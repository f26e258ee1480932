"""Another version on the stick, as the table sees it: looked at, shown, and asked of systemd after a yes."""

import os
import shutil
import subprocess
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from queue import SimpleQueue
from threading import Thread

from companion.appliance.bundle import Bundle, find_bundle, grouped, looked_at
from companion.appliance.updating import INSTALLED_UNIT, UNIT, asked_for, last_result
from companion.core import strangers
from companion.core.appliance import Update
from companion.core.errors import CompanionError
from companion.core.strangers import Most
from companion.core.view import Sentence
from companion.referee.parts import caught

TOLD = "update-told"
"""Beside the games: which update the table has spoken of."""

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

    def install(self, digest: str) -> None:
        """Somebody said yes to the bundle with this digest, as it was shown."""
        shown, bundle = self.update, self._bundle
        if self.running or bundle is None or shown is None or shown.digest != digest:
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
        self._bundle = what
        self.update = Update(version=what.version, digest=grouped(what.digest), signed=what.signed)

    def _heard(self) -> Sentence | CompanionError | None:
        """What became of an update, once."""
        ended = None if self._starting is None else self._starting.poll()
        if ended is not None:
            self._starting = None
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

    def _mark(self, mark: str) -> None:
        try:
            (self._folder / TOLD).write_text(f"{mark}\n", encoding="ascii")
        except OSError:
            self._able = False  # a disk that keeps nothing would have us say it every second


class UpdateUnseen(CompanionError):  # noqa: N818 - what it says, not what it is
    """The bundle could not be looked at for a reason nobody foresaw."""

    on_screen = "update_damaged"
