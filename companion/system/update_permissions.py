"""Permissions for updates that root keeps: the owner's PIN, the highest version, the OK button.

All of it is in one folder in which root alone writes. The table's user may read there which version it was,
and whether there is a PIN, to tell people what will be asked of them; what counts is what root reads.
"""

import hashlib
import hmac
import os
import re
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from companion.system import safe_files
from companion.system.bundle import UpdateRefusedError, version_key
from companion.system.safe_files import SizeLimit, atomic_write

OWNER_FOLDER = Path("var/lib/companion-update")
"""Below the root of the machine."""
HIGHEST_FILE, PIN_FILE, WRONG_COUNT_FILE, NO_OK_FILE, NOTICE_FILE = (
    "highest",
    "pin",
    "wrong",
    "no-ok",
    "notice",
)
"""Its files: a version; the hash of the PIN; how many wrong ones; there if this table has no OK button on its
pins, and why; there if this table is from before all of it."""
TYPED_PIN_FILE = Path("run/companion/update-pin")
"""Where the table leaves a PIN that somebody typed at it."""
RELEASES_FOLDER = Path("opt/companion/releases")
NO_PINS = "none was found\n"
"""Why there is no OK button, as the installer writes it down; what the owner says has "owner" in it."""
PIN_DIGITS = 8
MAX_WRONG_PINS = 10
"""Wrong PINs, in all, until the owner makes another: there is no clock that anybody could turn."""
SCRYPT_WORK, SCRYPT_BLOCK = 1 << 14, 8
"""Of scrypt: together 16 MB for one try."""


def highest_version(root: Path = Path("/")) -> str:
    """The highest version that this table ever had; empty: none is known.

    Raises `ValueError` or `OSError` if what is written down of it cannot be read.
    """
    known = [place.name.rpartition("-")[0] for place in (root / RELEASES_FOLDER).glob("*-*")]
    known = [version for version in known if _is_version(version)]
    with suppress(FileNotFoundError):
        known.append(safe_files.read_text(root / OWNER_FOLDER / HIGHEST_FILE, SizeLimit.NOTE).strip())
    return max(known, key=version_key, default="")


def is_older(version: str, root: Path = Path("/")) -> bool:
    """Whether this table had a higher version; also true where that cannot be known."""
    try:
        had = highest_version(root)
        return bool(had) and version_key(version) < version_key(had)
    except (OSError, ValueError):
        return True


def record_installation(version: str, root: Path = Path("/"), *, ok_button: bool = True) -> None:
    """Write down, as root, that this version was installed, and whether there are pins for an OK button."""
    folder = _folder(root)
    if not (folder / HIGHEST_FILE).exists() and len(list((root / RELEASES_FOLDER).glob("*-*"))) > 1:
        _write(folder / NOTICE_FILE, "", 0o644)
    try:
        had = highest_version(root)
    except (OSError, ValueError):
        had = ""
    _write(folder / HIGHEST_FILE, max(filter(None, (had, version)), key=version_key), 0o644)
    if not _is_set_by_owner(folder):
        _no_ok(folder, "" if ok_button else NO_PINS)


def has_no_ok_button(root: Path = Path("/")) -> bool:
    """Whether root knows that this table has no OK button on its pins."""
    return (root / OWNER_FOLDER / NO_OK_FILE).exists()


def is_pin_set(root: Path = Path("/")) -> bool:
    """Whether a PIN can be asked for; only root sees that too many wrong ones came."""
    return (root / OWNER_FOLDER / PIN_FILE).exists() and _wrong_count(root / OWNER_FOLDER) < MAX_WRONG_PINS


def make_pin(root: Path = Path("/"), *, no_ok: bool = False, ok_button: bool = True) -> str:
    """Make another PIN, as root; it is kept nowhere but as a hash.

    `no_ok`: whether the owner says that this table has no OK button on its pins, which counts until the next
    PIN is made; else `ok_button` does: whether there are pins for one.
    """
    pin = f"{secrets.randbelow(10**PIN_DIGITS):0{PIN_DIGITS}}"
    salt = secrets.token_bytes(16)
    folder = _folder(root)
    _write(folder / PIN_FILE, f"scrypt {salt.hex()} {_hash(pin, salt).hex()}\n", 0o600)
    _write(folder / WRONG_COUNT_FILE, "0\n", 0o600)
    _no_ok(folder, "the owner says so\n" if no_ok else "" if ok_button else NO_PINS)
    return pin


def check_pin(pin: str, root: Path = Path("/")) -> bool:
    """Compare a PIN, as root and under `update_lock`; what is no PIN at all costs no try.

    A try is written down before it is compared: who pulls the plug wins none.
    """
    folder = root / OWNER_FOLDER
    if not re.fullmatch(rf"[0-9]{{{PIN_DIGITS}}}", pin) or not is_pin_set(root):
        return False
    _write(folder / WRONG_COUNT_FILE, f"{_wrong_count(folder) + 1}\n", 0o600)
    try:
        kind, salt, kept = safe_files.read_text(folder / PIN_FILE, SizeLimit.NOTE).split()
        right = kind == "scrypt" and hmac.compare_digest(_hash(pin, bytes.fromhex(salt)), bytes.fromhex(kept))
    except (OSError, ValueError):
        return False
    if right:
        _write(folder / WRONG_COUNT_FILE, "0\n", 0o600)
    return right


def typed_pin(root: Path = Path("/")) -> str:
    """What the table says somebody typed: letters of a stranger's, and no link is followed to them."""
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
    try:
        descriptor = os.open(root / TYPED_PIN_FILE, flags)
    except OSError:
        return ""
    try:
        regular = stat.S_ISREG(os.fstat(descriptor).st_mode)
        return os.read(descriptor, PIN_DIGITS + 2).decode("ascii", "replace").strip() if regular else ""
    except OSError:
        return ""
    finally:
        os.close(descriptor)


@contextmanager
def update_lock(root: Path = Path("/")) -> Iterator[None]:
    """One update at a time; raises `UpdateRefusedError` for the second."""
    import fcntl

    descriptor = os.open(_folder(root) / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    except BlockingIOError:
        raise UpdateRefusedError("another update is being installed: wait for it.", "update_failed") from None
    finally:
        os.close(descriptor)


def _is_version(text: str) -> bool:
    try:
        version_key(text)
    except ValueError:
        return False
    return True


def _folder(root: Path) -> Path:
    folder = root / OWNER_FOLDER
    folder.mkdir(mode=0o755, parents=True, exist_ok=True)
    folder.chmod(0o755)
    return folder


def _write(place: Path, text: str, mode: int) -> None:
    with atomic_write(place, mode=mode) as stream:
        os.fchmod(stream.fileno(), mode)
        stream.write(text.encode("ascii"))


def _no_ok(folder: Path, why: str) -> None:
    if why:
        _write(folder / NO_OK_FILE, why, 0o644)
    else:
        (folder / NO_OK_FILE).unlink(missing_ok=True)


def _is_set_by_owner(folder: Path) -> bool:
    try:
        return "owner" in safe_files.read_text(folder / NO_OK_FILE, SizeLimit.NOTE)
    except (OSError, ValueError):
        return False


def _wrong_count(folder: Path) -> int:
    """How many wrong ones came; as many as there may be if the count cannot be read by root."""
    try:
        return int(safe_files.read_text(folder / WRONG_COUNT_FILE, SizeLimit.NOTE))
    except PermissionError:
        return 0  # the table only wants to know whether there is a PIN
    except (OSError, ValueError):
        return MAX_WRONG_PINS


def _hash(pin: str, salt: bytes) -> bytes:
    return hashlib.scrypt(pin.encode("ascii"), salt=salt, n=SCRYPT_WORK, r=SCRYPT_BLOCK, p=1)
