"""Update bundle on a disk: its version, its signature and its checked files.

`SHA256SUMS` names every file of it, as sha256sum writes them; the digest of a bundle is that file's SHA-256.
`SHA256SUMS.sig` is the owner's signature over it (ssh-keygen -Y sign). Where its public half lies in
`/etc/companion/update.pub`, nothing else is installed. Who may install: `update_install.refusal_key`.
"""

import errno
import hashlib
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from itertools import islice
from pathlib import Path, PurePosixPath

from companion.core.actions import Value
from companion.core.errors import CompanionError
from companion.system import safe_files
from companion.system.safe_files import SizeLimit

CHECKSUM_FILE, SIGNATURE_FILE, RELEASE_FILE = "SHA256SUMS", "SHA256SUMS.sig", "RELEASE"
OWNER_KEY_FILE = Path("etc/companion/update.pub")
"""Below the root of the machine: one public key, as ssh-keygen writes it."""
SIGNATURE_NAMESPACE, SIGNER_NAME = "table-companion", "maker"
"""What a signature is for, so that one for anything else is none; and a name for the signer."""
WHEEL_PATTERN = re.compile(r"wheels/table_companion-([0-9][0-9A-Za-z.+!]*)-py3-none-any\.whl")
ANY_WHEEL = re.compile(r"wheels/table[-_.]+companion-", re.IGNORECASE)
"""Any that pip takes for the program, whatever the rest of its name says."""
VERSION_PATTERN = re.compile(
    r"(?:(\d+)!)?(\d+(?:\.\d+)*)(?:(a|b|rc)(\d+))?(?:\.post(\d+))?(?:\.dev(\d+))?(?:\+([a-z0-9]+(?:[._][a-z0-9]+)*))?",
    re.ASCII,
)
"""A version as build tools write it into the name of a wheel (PEP 440, normalised)."""
CHECKSUM_LINE_PATTERN = re.compile(r"([0-9a-f]{64})  (?:\./)?([A-Za-z0-9][\w.@+!/-]*)")
MAX_FILES, MAX_BYTES = 200, 512 << 20
"""Far more than a bundle has: 25 files, 66 MB."""
MOST_ENTRIES = 500
"""Of a stick's first folder that are looked at: the table does it every second."""
MAX_VERSION_LENGTH = 80
CHUNK_BYTES = 1 << 20
DIGEST_GROUP = 8


class UpdateRefusedError(CompanionError):
    """This bundle is not installed; `on_screen` says in which of a few ways it is not fit."""

    def __init__(self, why: str, on_screen: str = "update_damaged") -> None:
        super().__init__(why)
        self.on_screen = on_screen


class Bundle(Value, frozen=True):
    """A bundle that was looked at; its files are not read yet."""

    folder: str
    version: str
    digest: str
    """Of its SHA256SUMS: 64 letters, small hexadecimal."""
    signed: bool
    """By the key of this table; False: this table has no key."""


def find_bundle(disk: Path) -> Path | None:
    """The bundle that lies on a disk, in a folder of its own; the last by name."""
    return next(reversed(find_bundles(disk)), None)


def find_bundles(disk: Path) -> list[Path]:
    """Every folder on a disk that may be a bundle, by name; none to which a link leads.

    Of a disk with thousands of files only the first are looked at.
    """
    try:
        with os.scandir(disk) as entries:
            folders = [disk / one.name for one in islice(entries, MOST_ENTRIES) if not one.is_symlink()]
        return sorted(
            place for place in folders if (place / CHECKSUM_FILE).exists() and (place / RELEASE_FILE).exists()
        )
    except OSError:
        return []  # it was pulled out while we looked


def version_key(version: str) -> tuple[object, ...]:
    """What orders versions as PEP 440 does: `1.0.dev1 < 1.0a1 < 1.0rc1 < 1.0 == 1 < 1.0.post1`.

    Raises `ValueError` for what is no version.
    """
    read = VERSION_PATTERN.fullmatch(version)
    if read is None or len(version) > MAX_VERSION_LENGTH:
        raise ValueError(f"{version[:MAX_VERSION_LENGTH]!r} is no version")
    epoch, numbers, stage, of_stage, post, dev, local = read.groups()
    release = tuple(int(number) for number in re.sub(r"(?:\.0+)+$", "", numbers).split("."))
    if stage is not None:
        before = (stage, int(of_stage))
    else:  # a dev version of no stage comes before all stages, and the version itself after them
        before = ("", 0) if dev is not None and post is None else ("z", 0)
    parts = tuple(
        (part.isdigit(), int(part) if part.isdigit() else part) for part in re.split(r"[._]", local or "")
    )
    return (
        int(epoch or 0), release, before, -1 if post is None else int(post),
        float("inf") if dev is None else int(dev), parts if local else (),
    )  # fmt: skip


def inspect_bundle(folder: Path, root: Path = Path("/")) -> Bundle:
    """What lies in this folder; raises `UpdateRefusedError` if this table does not install it."""
    sums = _read_small(path_inside(folder, CHECKSUM_FILE))
    version = _version(_files(sums, folder))
    key = owner_key(root)
    if key is not None:
        _verify(folder, sums, key)
    return Bundle(str(folder), version, hashlib.sha256(sums).hexdigest(), key is not None)


def digest_of(folder: Path) -> str:
    """The digest of the bundle in this folder; empty if it cannot be read."""
    try:
        return hashlib.sha256(_read_small(path_inside(folder, CHECKSUM_FILE))).hexdigest()
    except UpdateRefusedError:
        return ""


def owner_key(root: Path = Path("/")) -> str | None:
    """The owner's public key, type and data in one line; None if the owner has placed none.

    Raises `UpdateRefusedError` for a key that cannot be read: an update must not pass because its check is
    damaged.
    """
    place = root / OWNER_KEY_FILE
    try:
        text = safe_files.read_text(place, SizeLimit.NOTE)
    except FileNotFoundError:
        if place.is_symlink():
            raise UpdateRefusedError(f"{place} leads nowhere: put the key there.", "update_key") from None
        return None
    except (OSError, UnicodeDecodeError) as error:
        raise UpdateRefusedError(f"can't read {place}: put one public key there.", "update_key") from error
    lines = [line.split() for line in text.splitlines() if line.strip() and not line.startswith("#")]
    if len(lines) != 1 or len(lines[0]) < 2 or not re.fullmatch(r"(?:ssh|ecdsa|sk-)[\w@.-]+", lines[0][0]):
        raise UpdateRefusedError(
            f"{place} isn't one public key: put the maker's .pub file there.", "update_key"
        )
    return " ".join(lines[0][:2])


def copy_bundle(folder: Path, digest: str, into: Path, root: Path = Path("/")) -> Bundle:
    """Copy the bundle with this digest into the new folder `into`, and check every byte of it.

    The signature is checked on the copy, which no other user can change, and with the key as it is now.
    `digest`: SHA-256 of the list of checksums, in hexadecimal. Raises `UpdateRefusedError`.
    """
    sums = _read_small(path_inside(folder, CHECKSUM_FILE))
    if hashlib.sha256(sums).hexdigest() != digest:
        raise UpdateRefusedError(
            f"the bundle in {folder} isn't the one that was agreed to: look at it again.", "update_changed"
        )
    key = owner_key(root)
    signature = None if key is None else _signature(folder)
    try:
        into.mkdir(mode=0o700)
        (into / CHECKSUM_FILE).write_bytes(sums)
        if signature is not None:
            (into / SIGNATURE_FILE).write_bytes(signature)
    except OSError as error:
        raise _copy_error(into, error) from error
    if key is not None:
        _verify(into, sums, key)
    files, room = _files(sums, folder), MAX_BYTES
    for name, expected in files.items():
        room -= _copy_checked(path_inside(folder, name), into / name, expected, room)
    return Bundle(str(into), _version(files), digest, key is not None)


def group_digest(digest: str) -> str:
    """A digest as people compare it: in groups."""
    return " ".join(digest[place : place + DIGEST_GROUP] for place in range(0, len(digest), DIGEST_GROUP))


def path_inside(folder: Path, name: str) -> Path:
    """The file of that name below `folder`, to which no link leads; raises `UpdateRefusedError`."""
    place = folder / name
    try:
        links = place.resolve() != folder.resolve() / name
    except (OSError, RuntimeError):  # so Python up to 3.12 says of a link that leads to itself
        links = True
    if links:
        raise UpdateRefusedError(f"{place} is a link: copy the bundle's files themselves.")
    return place


def _read_small(place: Path) -> bytes:
    try:
        return safe_files.read_bytes(place, SizeLimit.NOTE)
    except FileNotFoundError as error:
        raise UpdateRefusedError(f"{place.parent} holds no bundle: make one with make bundle.") from error
    except OSError as error:
        raise UpdateRefusedError(
            f"can't read {place} ({error.strerror or error}): copy the bundle again."
        ) from error


def _files(sums: bytes, folder: Path) -> Mapping[str, str]:
    """File → its SHA-256."""
    found: dict[str, str] = {}
    for line in sums.decode("ascii", "replace").splitlines():
        read = CHECKSUM_LINE_PATTERN.fullmatch(line)
        if read is None or ".." in PurePosixPath(read[2]).parts or read[2] in found:
            raise UpdateRefusedError(f"{folder / CHECKSUM_FILE} is damaged: copy the bundle again.")
        found[read[2]] = read[1]
    folders = {str(above) for name in found for above in PurePosixPath(name).parents}
    if folders & found.keys() or any(str(PurePosixPath(name)) != name for name in found):
        raise UpdateRefusedError(
            f"{folder / CHECKSUM_FILE} names a place twice or in another way: copy the bundle again."
        )
    if len(found) > MAX_FILES or "install.sh" not in found or RELEASE_FILE not in found:
        raise UpdateRefusedError(
            f"{folder / CHECKSUM_FILE} isn't that of a bundle: make one with make bundle."
        )
    return found


def _version(files: Mapping[str, str]) -> str:
    versions = [wheel[1] for wheel in map(WHEEL_PATTERN.fullmatch, files) if wheel]
    if len(versions) != 1 or sum(map(bool, map(ANY_WHEEL.match, files))) != 1:
        raise UpdateRefusedError(
            "the bundle doesn't hold one table companion: make it again with make bundle."
        )
    try:
        version_key(versions[0])
    except ValueError as error:
        raise UpdateRefusedError(f"{error}: make the bundle again with make bundle.") from None
    return versions[0]


def _signature(folder: Path) -> bytes:
    if not (folder / SIGNATURE_FILE).exists():
        raise UpdateRefusedError(
            f"{folder} isn't signed, and this table takes only signed bundles: make bundle SIGN=key.",
            "update_unsigned",
        )
    return _read_small(path_inside(folder, SIGNATURE_FILE))


def _verify(folder: Path, sums: bytes, key: str) -> None:
    """Raise unless the signature in the folder is this key's, over these sums."""
    signature = _signature(folder)
    program = shutil.which("ssh-keygen")
    if program is None:
        raise UpdateRefusedError(
            "ssh-keygen, which checks signatures, isn't here: sudo apt install openssh-client.", "update_key"
        )
    with tempfile.TemporaryDirectory() as place:
        allowed, mark = Path(place) / "allowed", Path(place) / "signature"
        allowed.write_text(f'{SIGNER_NAME} namespaces="{SIGNATURE_NAMESPACE}" {key}\n', encoding="ascii")
        mark.write_bytes(signature)
        words = (
            "-Y",
            "verify",
            "-f",
            str(allowed),
            "-I",
            SIGNER_NAME,
            "-n",
            SIGNATURE_NAMESPACE,
            "-s",
            str(mark),
        )
        done = subprocess.run([program, *words], input=sums, capture_output=True, check=False)
    if done.returncode:
        raise UpdateRefusedError(
            f"{folder} isn't signed with this table's key ({OWNER_KEY_FILE}): ask its maker for one that is.",
            "update_foreign",
        )


def _copy_error(place: Path, error: OSError) -> UpdateRefusedError:
    """What a bundle could not be copied for: no room here, or else damage."""
    if error.errno in {errno.ENOSPC, errno.EDQUOT}:
        return UpdateRefusedError(
            "no room for the update here: remove something, and try again.", "update_full"
        )
    return UpdateRefusedError(f"can't copy {place} ({error.strerror or error}): copy it again.")


def _copy_checked(source: Path, target: Path, expected: str, room: int) -> int:
    """Copy one file that must have this SHA-256; how many bytes it has."""
    digest, size = hashlib.sha256(), 0
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with safe_files.open_regular_file(source, room) as stream, target.open("xb") as copy:
            while block := stream.read(CHUNK_BYTES):
                digest.update(block)
                size += copy.write(block)
                if size > room:
                    break
    except OSError as error:
        raise _copy_error(source, error) from error
    if digest.hexdigest() != expected:
        raise UpdateRefusedError(f"{source} was changed: copy the bundle to the stick again.")
    return size
