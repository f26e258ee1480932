"""What root keeps of this table's owner: the PIN for updates, the highest version ever had, the OK button.

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

from companion.appliance.bundle import UpdateRefused, version_key
from companion.core import strangers
from companion.core.strangers import Most
from companion.core.whole import replacing

OWNER = Path("var/lib/companion-update")
"""Below the root of the machine."""
HIGHEST, PIN, WRONG, NO_OK, NOTICE = "highest", "pin", "wrong", "no-ok", "notice"
"""Its files: a version; the hash of the PIN; how many wrong ones; there if this table has no OK button on its
pins, and why; there if this table is from before all of it."""
ASKED_PIN = Path("run/companion/update-pin")
"""Where the table leaves a PIN that somebody typed at it."""
RELEASES = Path("opt/companion/releases")
DIGITS = 8
MOST_WRONG = 10
"""Wrong PINs, in all, until the owner makes another: there is no clock that anybody could turn."""
WORK, BLOCK = 1 << 14, 8
"""Of scrypt: together 16 MB for one try."""


def highest(root: Path = Path("/")) -> str:
    """The highest version that this table ever had; empty: none is known.

    Raises `ValueError` or `OSError` if what is written down of it cannot be read.
    """
    known = [place.name.rpartition("-")[0] for place in (root / RELEASES).glob("*-*")]
    known = [version for version in known if _is_version(version)]
    with suppress(FileNotFoundError):
        known.append(strangers.text(root / OWNER / HIGHEST, Most.NOTE).strip())
    return max(known, key=version_key, default="")


def is_older(version: str, root: Path = Path("/")) -> bool:
    """Whether this table had a higher version; also true where that cannot be known."""
    try:
        had = highest(root)
        return bool(had) and version_key(version) < version_key(had)
    except (OSError, ValueError):
        return True


def record(version: str, root: Path = Path("/"), *, ok_button: bool = True) -> None:
    """Write down, as root, that this version was installed, and whether there are pins for an OK button."""
    folder = _folder(root)
    if not (folder / HIGHEST).exists() and len(list((root / RELEASES).glob("*-*"))) > 1:
        _write(folder / NOTICE, "", 0o644)
    try:
        had = highest(root)
    except (OSError, ValueError):
        had = ""
    _write(folder / HIGHEST, max(filter(None, (had, version)), key=version_key), 0o644)
    if not _said_by_owner(folder):
        _no_ok(folder, "" if ok_button else "none was found\n")


def has_no_ok_button(root: Path = Path("/")) -> bool:
    """Whether root knows that this table has no OK button on its pins."""
    return (root / OWNER / NO_OK).exists()


def pin_is_set(root: Path = Path("/")) -> bool:
    """Whether a PIN can be asked for; only root sees that too many wrong ones came."""
    return (root / OWNER / PIN).exists() and _wrong(root / OWNER) < MOST_WRONG


def new_pin(root: Path = Path("/"), *, no_ok: bool | None = None) -> str:
    """Make another PIN, as root; it is kept nowhere but as a hash.

    `no_ok`: whether the owner says that this table has no OK button on its pins; None: as it was.
    """
    pin = f"{secrets.randbelow(10**DIGITS):0{DIGITS}}"
    salt = secrets.token_bytes(16)
    folder = _folder(root)
    _write(folder / PIN, f"scrypt {salt.hex()} {_hash(pin, salt).hex()}\n", 0o600)
    _write(folder / WRONG, "0\n", 0o600)
    if no_ok is not None:
        _no_ok(folder, "the owner says so\n" if no_ok else "")
    return pin


def pin_is_right(pin: str, root: Path = Path("/")) -> bool:
    """Compare a PIN, as root and under `alone`; what is no PIN at all costs no try.

    A try is written down before it is compared: who pulls the plug wins none.
    """
    folder = root / OWNER
    if not re.fullmatch(rf"[0-9]{{{DIGITS}}}", pin) or not pin_is_set(root):
        return False
    _write(folder / WRONG, f"{_wrong(folder) + 1}\n", 0o600)
    try:
        kind, salt, kept = strangers.text(folder / PIN, Most.NOTE).split()
        right = kind == "scrypt" and hmac.compare_digest(_hash(pin, bytes.fromhex(salt)), bytes.fromhex(kept))
    except (OSError, ValueError):
        return False
    if right:
        _write(folder / WRONG, "0\n", 0o600)
    return right


def typed_pin(root: Path = Path("/")) -> str:
    """What the table says somebody typed: letters of a stranger's, and no link is followed to them."""
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
    try:
        descriptor = os.open(root / ASKED_PIN, flags)
    except OSError:
        return ""
    try:
        regular = stat.S_ISREG(os.fstat(descriptor).st_mode)
        return os.read(descriptor, DIGITS + 2).decode("ascii", "replace").strip() if regular else ""
    except OSError:
        return ""
    finally:
        os.close(descriptor)


@contextmanager
def alone(root: Path = Path("/")) -> Iterator[None]:
    """One update at a time; raises `UpdateRefused` for the second."""
    import fcntl

    descriptor = os.open(_folder(root) / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    except BlockingIOError:
        raise UpdateRefused("another update is being installed: wait for it.", "update_failed") from None
    finally:
        os.close(descriptor)


def _is_version(text: str) -> bool:
    try:
        version_key(text)
    except ValueError:
        return False
    return True


def _folder(root: Path) -> Path:
    folder = root / OWNER
    folder.mkdir(mode=0o755, parents=True, exist_ok=True)
    folder.chmod(0o755)
    return folder


def _write(place: Path, text: str, mode: int) -> None:
    with replacing(place, mode=mode) as stream:
        os.fchmod(stream.fileno(), mode)
        stream.write(text.encode("ascii"))


def _no_ok(folder: Path, why: str) -> None:
    if why:
        _write(folder / NO_OK, why, 0o644)
    else:
        (folder / NO_OK).unlink(missing_ok=True)


def _said_by_owner(folder: Path) -> bool:
    try:
        return "owner" in strangers.text(folder / NO_OK, Most.NOTE)
    except (OSError, ValueError):
        return False


def _wrong(folder: Path) -> int:
    """How many wrong ones came; as many as there may be if the count cannot be read by root."""
    try:
        return int(strangers.text(folder / WRONG, Most.NOTE))
    except PermissionError:
        return 0  # the table only wants to know whether there is a PIN
    except (OSError, ValueError):
        return MOST_WRONG


def _hash(pin: str, salt: bytes) -> bytes:
    return hashlib.scrypt(pin.encode("ascii"), salt=salt, n=WORK, r=BLOCK, p=1)
