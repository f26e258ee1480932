"""Update offered on a USB stick: inspected, shown, and requested from systemd."""

import os
import shutil
import subprocess
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from queue import SimpleQueue
from threading import Thread

from companion.core.errors import CompanionError
from companion.core.view import Sentence
from companion.system import safe_files
from companion.system.appliance import UpdateOffer
from companion.system.bundle import Bundle, find_bundle, group_digest, inspect_bundle
from companion.system.fault_isolation import run_and_log
from companion.system.safe_files import SizeLimit, atomic_write
from companion.system.update_install import (
    INSTALLED_UNIT,
    UPDATE_UNIT,
    UpdateProofs,
    last_result,
    refusal_key,
    update_request,
)
from companion.system.update_permissions import (
    NOTICE_FILE,
    OWNER_FOLDER,
    PIN_DIGITS,
    TYPED_PIN_FILE,
    has_no_ok_button,
    is_older,
    is_pin_set,
)

TOLD_FILE, TOLD_OWNER_FILE = "update-told", "update-owner-told"
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
        self.update: UpdateOffer | None = None

    @property
    def is_installing(self) -> bool:
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
                self._looking = Thread(target=self._inspect, args=(bundle,), name="update", daemon=True)
                self._looking.start()
        return self._take_result()

    def install(self, digest: str, pin: str = "") -> None:
        """Somebody said yes to the bundle with this digest, as it was shown; root looks at it itself."""
        shown, bundle = self.update, self._bundle
        if self.is_installing or bundle is None or shown is None or shown.digest != digest:
            return
        if pin and not self._write_pin(pin):
            return
        unit = UPDATE_UNIT.format(update_request(bundle))
        self._starting = self._run(("systemctl", "--no-ask-password", "start", unit))

    def _inspect(self, bundle: Path) -> None:
        def look() -> None:
            self._found.put((bundle, inspect_bundle(bundle, self._root)))

        failure = run_and_log("Looking at the update", look)
        if failure is not None:
            trouble = failure if isinstance(failure, CompanionError) else UpdateUnreadableError(str(failure))
            self._found.put((bundle, trouble))
        self._wake()

    def _show(self, what: Bundle | CompanionError) -> None:
        if isinstance(what, CompanionError):
            self.update = UpdateOffer(refused=what.screen_sentence())
            return
        # Only to tell people what they will be asked: what counts is what root finds.
        no_ok = has_no_ok_button(self._root)
        proofs = UpdateProofs(
            key=what.signed,
            signed=what.signed,
            older=is_older(what.version, self._root),
            pin_set=is_pin_set(self._root),
            held=None if no_ok else True,
        )
        needs = refusal_key(proofs)
        if needs == "update_sudo":
            self.update = UpdateOffer(refused=Sentence(f"shared.trouble.{needs}"))
            return
        self._bundle = what
        self.update = UpdateOffer(
            version=what.version,
            digest=group_digest(what.digest),
            signed=what.signed,
            older=proofs.older,
            pin=PIN_DIGITS if needs else 0,
            hold=not no_ok,
        )

    def _take_result(self) -> Sentence | CompanionError | None:
        """What became of an update, once."""
        ended = None if self._starting is None else self._starting.poll()
        if ended is not None:
            self._starting = None
            self._remove_pin()
        if (self._root / OWNER_FOLDER / NOTICE_FILE).exists() and not (
            self._folder / TOLD_OWNER_FILE
        ).exists():
            self._write_mark("yes", TOLD_OWNER_FILE)
            return Sentence("ui.update.owner")
        last = last_result(self._root)
        if last is not None and last.mark != self._read_mark():
            self._write_mark(last.mark)
            if last.trouble:
                return Sentence(f"shared.trouble.{last.trouble}")
            return Sentence("ui.update.done", (("version", last.version),))
        return Sentence("shared.trouble.update_failed") if ended else None

    def _read_mark(self) -> str:
        try:
            return safe_files.read_text(self._folder / TOLD_FILE, SizeLimit.NOTE).strip()
        except (OSError, UnicodeDecodeError):
            return ""

    def _write_pin(self, pin: str) -> bool:
        """Put the PIN where root reads it, and nobody else; whether that went well."""
        self._remove_pin()
        try:
            with atomic_write(self._root / TYPED_PIN_FILE, mode=0o600) as file:
                file.write(pin.encode("ascii"))
        except OSError:
            return False
        return True

    def _remove_pin(self) -> None:
        with suppress(OSError):
            (self._root / TYPED_PIN_FILE).unlink(missing_ok=True)

    def _write_mark(self, mark: str, place: str = TOLD_FILE) -> None:
        try:
            (self._folder / place).write_text(f"{mark}\n", encoding="ascii")
        except OSError:
            self._able = False  # a disk that keeps nothing would have us say it every second


class UpdateUnreadableError(CompanionError):
    """The bundle could not be looked at for a reason nobody foresaw."""

    on_screen = "update_damaged"
