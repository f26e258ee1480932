"""Another version put in place by root: from a bundle that was agreed to, or the one before taken back.

The table itself may change nothing: it asks systemd for `companion-update@ASKED.service`, which runs
`companion update --asked ASKED` as root. ASKED is `signed-DIGEST` or `agreed-DIGEST`: what people saw when
they said yes. Whatever the stick holds by then, nothing else is installed.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

from companion.appliance.bundle import Bundle, UpdateRefused, fetched, find_bundle, owner_key
from companion.core import strangers
from companion.core.actions import Value
from companion.core.errors import CompanionError
from companion.core.strangers import Most

ROOT = Path("opt/companion")
INCOMING = ROOT / "incoming"
TOLD = Path("run/companion-update/told")
"""Below the root of the machine: what became of the last update since power-on, for the table to say."""
UNIT = "companion-update@{}.service"
INSTALLED_UNIT = Path("etc/systemd/system/companion-update@.service")
SYSTEMD = Path("run/systemd/system")
STICKS = "run/companion-stick/*"

Run = Callable[[Sequence[str]], int]


class UpdateFailed(CompanionError):  # noqa: N818 - what it says, not what it is
    """The installer did not get through; what was there before is in place."""

    on_screen = "update_failed"


class UpdateResult(Value, frozen=True):
    """What became of an update: `trouble` as a key of the screen's, empty if it is in place."""

    asked: str
    version: str = ""
    trouble: str = ""
    mark: str = ""
    """Which telling this is."""


def _run(command: Sequence[str]) -> int:
    sys.stdout.flush()
    return subprocess.run(command, check=False, env={**os.environ, "SUDO_USER": ""}).returncode


def asked_for(bundle: Bundle) -> str:
    """How the table asks for this bundle."""
    return f"{'signed' if bundle.signed else 'agreed'}-{bundle.digest}"


def install(folder: Path, asked: str, root: Path = Path("/"), run: Run = _run) -> str:
    """Copy, check and install the bundle in `folder` if it is the one agreed to; returns its version.

    `asked`: how it was agreed to and the bundle's digest, such as `signed-3fa…`. Raises `UpdateRefused` if it
    is not that bundle, `UpdateFailed` if the installer stops; what was installed before is in place then.
    """
    how, _, digest = asked.partition("-")
    if how == "signed" and owner_key(root) is None:
        raise UpdateRefused("this table's key is gone since you looked: look at it again.", "update_changed")
    incoming = root / INCOMING
    shutil.rmtree(incoming, ignore_errors=True)
    incoming.parent.mkdir(parents=True, exist_ok=True)
    try:
        bundle = fetched(folder, digest, incoming, root)
        if run(("bash", str(incoming / "install.sh"), "--offline", str(incoming))):
            raise UpdateFailed("the installer stopped; the lines above say why. Nothing else was changed.")
    finally:
        shutil.rmtree(incoming, ignore_errors=True)
    return bundle.version


def install_asked(asked: str, root: Path = Path("/"), run: Run = _run) -> str:
    """Install the bundle on the stick, as `install`; the outcome is left where the table finds it.

    Raises `UpdateRefused` if the stick is gone, and what `install` raises.
    """
    try:
        sticks = [found for stick in sorted(root.glob(STICKS)) if (found := find_bundle(stick)) is not None]
        if not sticks:
            raise UpdateRefused("the stick with the bundle is gone: put it in again.", "update_changed")
        version = install(sticks[-1], asked, root, run)
    except CompanionError as error:
        _leave(UpdateResult(asked, trouble=error.on_screen), root)
        raise
    _leave(UpdateResult(asked, version), root)
    return version


def last_result(root: Path = Path("/")) -> UpdateResult | None:
    """What became of the last update since power-on."""
    try:
        when = strangers.checked(root / TOLD).st_mtime_ns
        asked, version, trouble = strangers.text(root / TOLD, Most.NOTE).splitlines()[:3]
    except (OSError, ValueError):
        return None
    return UpdateResult(asked, version, trouble, f"{asked} {when}")


def _leave(what: UpdateResult, root: Path) -> None:
    with suppress(OSError):
        (root / TOLD).parent.mkdir(parents=True, exist_ok=True)
        draft = (root / TOLD).with_suffix(".part")
        draft.write_text(f"{what.asked}\n{what.version}\n{what.trouble}\n", encoding="utf-8")
        draft.chmod(0o644)
        draft.replace(root / TOLD)


def back(root: Path = Path("/"), run: Run = _run) -> str:
    """Put the previous version in place again; returns its name.

    Raises `UpdateRefused` if there is none, `UpdateFailed` if it does not start; then the present version is
    in place again.
    """
    current = root / ROOT / "current"
    now = current.resolve()
    others = [place for place in (root / ROOT / "releases").glob("*") if place.resolve() != now]
    whole = [place for place in others if (place / "venv/bin/companion").exists()]
    if not whole:
        raise UpdateRefused("no version before this one is kept here: install one from a bundle.")
    before = max(whole, key=lambda place: place.stat().st_mtime)
    _turn(current, before)
    running = (root / SYSTEMD).is_dir()  # it is not in a tree that is only being put together
    if running and run(("systemctl", "try-restart", "companion")):
        _turn(current, now)
        run(("systemctl", "restart", "companion"))
        raise UpdateFailed(
            f"{before.name} doesn't start (journalctl -u companion says why); {now.name} is in place again."
        )
    return before.name.rpartition("-")[0]


def _turn(link: Path, release: Path) -> None:
    """At once: there is no moment without a program."""
    draft = link.with_name("current.new")
    with suppress(FileNotFoundError):
        draft.unlink()
    draft.symlink_to(release)
    draft.replace(link)
