"""Installation of an update by root, or return to the previous version.

The table itself may change nothing: it asks systemd for `companion-update@ASKED.service`, which runs
`companion update --asked ASKED` as root. ASKED is `signed-DIGEST` or `agreed-DIGEST`: what people saw when
they said yes. It only chooses among the bundles that root finds on the sticks; `refusal_key` alone says
whether one goes in, by what root itself has seen. docs/know/updates.md tells the whole of it.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from msgspec.structs import replace

from companion.core.actions import Value
from companion.core.errors import CompanionError
from companion.system import safe_files
from companion.system.bundle import (
    Bundle,
    UpdateRefusedError,
    copy_bundle,
    digest_of,
    find_bundles,
    group_digest,
    owner_key,
)
from companion.system.safe_files import SizeLimit
from companion.system.update_permissions import (
    check_pin,
    has_no_ok_button,
    is_older,
    is_pin_set,
    typed_pin,
    update_lock,
)

PROGRAM_FOLDER = Path("opt/companion")
INCOMING_FOLDER = PROGRAM_FOLDER / "incoming"
RESULT_FILE = Path("run/companion-update/told")
"""Below the root of the machine: what became of the last update since power-on, for the table to say."""
ASKING = "asking-{}"
"""Beside it, while root asks for OK: companion.service doesn't start then, whoever starts it."""
UPDATE_UNIT = "companion-update@{}.service"
INSTALLED_UNIT = Path("etc/systemd/system/companion-update@.service")
SYSTEMD = Path("run/systemd/system")
STICK_PATTERN = "run/companion-stick/*"
STICK_TYPES = frozenset({"vfat", "exfat", "ntfs", "ntfs3", "fuseblk"})
"""What the kernel calls FAT, exFAT and NTFS, the last also where ntfs-3g reads it."""
MOUNTS_FILE = "proc/self/mountinfo"

Run = Callable[[Sequence[str]], int]
ButtonConfirmation = Callable[[str], bool]
"""Shows people these words and says whether somebody then held OK; it reads the pin itself, as root."""


class UpdateFailedError(CompanionError):
    """The installer did not get through; what was there before is in place."""

    on_screen = "update_failed"


class UpdateProofs(Value, frozen=True):
    """What speaks for a bundle, each seen by root itself."""

    key: bool
    """This table has its owner's key."""
    signed: bool
    """By that key."""
    older: bool
    """Than the highest version that this table ever had."""
    by_root: bool = False
    """Somebody with sudo names it by its digest."""
    pin_set: bool = False
    pin: bool = False
    """The owner's PIN was given."""
    held: bool | None = None
    """Somebody held OK; None: this table has no OK button on its pins."""


def refusal_key(proofs: UpdateProofs) -> str:
    """Why a bundle does not go in, as a key of the screen's (`shared.trouble.…`); empty: it does.

    The only place that decides it.
    """
    if proofs.key and not proofs.signed:
        return "update_unsigned"
    if proofs.by_root:
        return ""
    if (not proofs.signed or proofs.older or proofs.held is None) and not proofs.pin:
        return "update_pin" if proofs.pin_set else "update_sudo"
    return "update_button" if proofs.held is False else ""


REFUSAL_TEXTS: Mapping[str, str] = {
    "update_unsigned": "this table takes only signed bundles: make bundle SIGN=key.",
    "update_pin": "that needs the owner's PIN, and this is not it: try again.",
    "update_sudo": "that needs somebody with sudo: sudo companion update FOLDER --digest DIGEST.",
    "update_button": "nobody held OK: choose Install again, and hold it when the screen is dark.",
}


class UpdateResult(Value, frozen=True):
    """What became of an update: `trouble` as a key of the screen's, empty if it is in place."""

    asked: str
    version: str = ""
    trouble: str = ""
    mark: str = ""
    """Which telling this is."""


def _run(command: Sequence[str]) -> int:
    sys.stdout.flush()
    # Python and pip would take modules from the folder where somebody stands, such as a stick.
    return subprocess.run(command, check=False, cwd="/", env={**os.environ, "SUDO_USER": ""}).returncode


def update_request(bundle: Bundle) -> str:
    """How the table asks for this bundle."""
    return f"{'signed' if bundle.signed else 'agreed'}-{bundle.digest}"


def install_bundle(
    folder: Path,
    asked: str,
    root: Path = Path("/"),
    run: Run = _run,
    prove: Callable[[UpdateProofs, Bundle], UpdateProofs] | None = None,
) -> str:
    """Copy, check and install the bundle in `folder` if it is the one agreed to; returns its version.

    `asked`: how it was agreed to and the bundle's digest, such as `signed-3fa…`. `prove` finds what else
    speaks for the copy, once root alone can change it; without it root itself has named the digest. Raises
    `UpdateRefusedError` if it may not go in or another is being installed, `UpdateFailedError` if the
    installer stops; what was installed before is in place then.
    """
    how, _, digest = asked.partition("-")
    if how == "signed" and owner_key(root) is None:
        raise UpdateRefusedError(
            "this table's key is gone since you looked: look at it again.", "update_changed"
        )
    incoming = root / INCOMING_FOLDER
    with update_lock(root):
        incoming.parent.mkdir(parents=True, exist_ok=True)
        if incoming.is_symlink():
            incoming.unlink()
        shutil.rmtree(incoming, ignore_errors=True)
        key = owner_key(root)
        try:
            bundle = copy_bundle(folder, digest, incoming, root)
            proofs = UpdateProofs(key is not None, bundle.signed, is_older(bundle.version, root))
            proofs = replace(proofs, by_root=True) if prove is None else prove(proofs, bundle)
            if why := refusal_key(proofs):
                raise UpdateRefusedError(REFUSAL_TEXTS[why], why)
            # It may have been a minute until somebody held OK.
            if owner_key(root) != key or is_older(bundle.version, root) != proofs.older:
                raise UpdateRefusedError(
                    "key or version changed meanwhile: look at it again.", "update_changed"
                )
            if run(("bash", str(incoming / "install.sh"), "--offline", str(incoming))):
                raise UpdateFailedError(
                    "the installer stopped; the lines above say why. Nothing else was changed."
                )
        finally:
            shutil.rmtree(incoming, ignore_errors=True)
    return bundle.version


def install_requested(
    asked: str, root: Path = Path("/"), run: Run = _run, held: ButtonConfirmation | None = None
) -> str:
    """Install the bundle on a stick for which people asked at the table, as `install`; the table is told.

    `held` reads the OK button; None: it cannot be read, which is not the same as there being none. Raises
    `UpdateRefusedError` if the stick is gone or the owner has not agreed, and what `install` raises.
    """

    def prove(proofs: UpdateProofs, bundle: Bundle) -> UpdateProofs:
        given = typed_pin(root)
        proofs = replace(
            proofs,
            pin_set=is_pin_set(root),
            pin=bool(given) and check_pin(given, root),
            held=None if has_no_ok_button(root) else False,
        )
        if proofs.held is None or held is None or refusal_key(replace(proofs, held=True)):
            return proofs
        # The table holds its pins as long as it runs; nothing of its user's is left that could.
        asking = root / RESULT_FILE.with_name(ASKING.format(asked))
        asking.parent.mkdir(parents=True, exist_ok=True)
        asking.touch()
        try:
            if not run(("systemctl", "stop", "companion")):
                proofs = replace(proofs, held=held(_question(proofs, bundle)))
        finally:
            asking.unlink(missing_ok=True)
            if not proofs.held:
                run(("systemctl", "start", "companion"))
        return proofs

    digest = asked.partition("-")[2]
    try:
        found = [bundle for stick in _sticks(root) for bundle in find_bundles(stick)]
        if not found:
            raise UpdateRefusedError("the stick with the bundle is gone: put it in again.", "update_changed")
        chosen = next((bundle for bundle in found if digest_of(bundle) == digest), found[-1])
        version = install_bundle(chosen, asked, root, run, prove)
    except CompanionError as error:
        _write_result(UpdateResult(asked, trouble=error.on_screen), root)
        raise
    _write_result(UpdateResult(asked, version), root)
    return version


def _question(proofs: UpdateProofs, bundle: Bundle) -> str:
    """What root itself shows before it waits for the button: no table can make another version of it."""
    signed = "signed with this table's key" if proofs.signed else "not signed; the owner's PIN was given"
    return f"Table companion {bundle.version}, {signed}\n{group_digest(bundle.digest)}"


def _sticks(root: Path) -> list[Path]:
    """The sticks with a file system that has neither owners nor programs with rights, as the kernel says."""
    kinds: dict[str, str] = {}
    with suppress(OSError):
        for line in (
            safe_files.read_bytes(root / MOUNTS_FILE, SizeLimit.NOTE).decode("utf-8", "replace").splitlines()
        ):
            words, _, behind = line.partition(" - ")
            kinds[words.split()[4].lstrip("/")] = behind.split()[
                0
            ]  # the last mount on a place is the one seen
    places = sorted(place for place in root.glob(STICK_PATTERN) if not place.is_symlink())
    return [place for place in places if kinds.get(str(place.relative_to(root))) in STICK_TYPES]


def last_result(root: Path = Path("/")) -> UpdateResult | None:
    """What became of the last update since power-on."""
    try:
        when = safe_files.stat_regular_file(root / RESULT_FILE).st_mtime_ns
        asked, version, trouble = safe_files.read_text(root / RESULT_FILE, SizeLimit.NOTE).splitlines()[:3]
    except (OSError, ValueError):
        return None
    return UpdateResult(asked, version, trouble, f"{asked} {when}")


def _write_result(what: UpdateResult, root: Path) -> None:
    with suppress(OSError):
        (root / RESULT_FILE).parent.mkdir(parents=True, exist_ok=True)
        draft = (root / RESULT_FILE).with_suffix(".part")
        draft.write_text(f"{what.asked}\n{what.version}\n{what.trouble}\n", encoding="utf-8")
        draft.chmod(0o644)
        draft.replace(root / RESULT_FILE)


def restore_previous(root: Path = Path("/"), run: Run = _run) -> str:
    """Put the previous version in place again; returns its name.

    Raises `UpdateRefusedError` if there is none, `UpdateFailedError` if it does not start; then the present
    version is in place again.
    """
    current = root / PROGRAM_FOLDER / "current"
    now = current.resolve()
    others = [place for place in (root / PROGRAM_FOLDER / "releases").glob("*") if place.resolve() != now]
    whole = [place for place in others if (place / "venv/bin/companion").exists()]
    if not whole:
        raise UpdateRefusedError("no version before this one is kept here: install one from a bundle.")
    before = max(whole, key=lambda place: place.stat().st_mtime)
    _switch_link(current, before)
    running = (root / SYSTEMD).is_dir()  # it is not in a tree that is only being put together
    if running and run(("systemctl", "try-restart", "companion")):
        _switch_link(current, now)
        run(("systemctl", "restart", "companion"))
        raise UpdateFailedError(
            f"{before.name} doesn't start (journalctl -u companion says why); {now.name} is in place again."
        )
    return before.name.rpartition("-")[0]


def _switch_link(link: Path, release: Path) -> None:
    """At once: there is no moment without a program."""
    draft = link.with_name("current.new")
    with suppress(FileNotFoundError):
        draft.unlink()
    draft.symlink_to(release)
    draft.replace(link)
