"""A bundle somebody carries to the table (`make bundle`): what it is, whose it is, and its files, checked.

`SHA256SUMS` names every file of it, as sha256sum writes them; the digest of a bundle is that file's SHA-256.
`SHA256SUMS.sig` is the owner's signature over it (ssh-keygen -Y sign). Where its public half lies in
`/etc/companion/update.pub`, nothing else is installed. Who may install: `updating.verdict`.
"""

import hashlib
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from itertools import islice
from pathlib import Path, PurePosixPath

from companion.core import strangers
from companion.core.actions import Value
from companion.core.errors import CompanionError
from companion.core.strangers import Most

SUMS, SIGNATURE, RELEASE = "SHA256SUMS", "SHA256SUMS.sig", "RELEASE"
KEY = Path("etc/companion/update.pub")
"""Below the root of the machine: one public key, as ssh-keygen writes it."""
NAMESPACE, SIGNER = "table-companion", "maker"
"""What a signature is for, so that one for anything else is none; and a name for the signer."""
WHEEL = re.compile(r"wheels/table_companion-([0-9][0-9A-Za-z.+!]*)-py3-none-any\.whl")
ANY_WHEEL = re.compile(r"wheels/table[-_.]+companion-", re.IGNORECASE)
"""Any that pip takes for the program, whatever the rest of its name says."""
VERSION = re.compile(
    r"(?:(\d+)!)?(\d+(?:\.\d+)*)(?:(a|b|rc)(\d+))?(?:\.post(\d+))?(?:\.dev(\d+))?(?:\+([a-z0-9]+(?:[._][a-z0-9]+)*))?",
    re.ASCII,
)
"""A version as build tools write it into the name of a wheel (PEP 440, normalised)."""
LINE = re.compile(r"([0-9a-f]{64})  (?:\./)?([A-Za-z0-9][\w.@+!/-]*)")
MOST_FILES, MOST_BYTES = 200, 512 << 20
"""Far more than a bundle has: 25 files, 66 MB."""
MOST_ENTRIES = 500
"""Of a stick's first folder that are looked at: the table does it every second."""
LONGEST_VERSION = 80
CHUNK = 1 << 20
GROUP = 8


class UpdateRefused(CompanionError):  # noqa: N818 - what it says, not what it is
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
    return next(reversed(bundles(disk)), None)


def bundles(disk: Path) -> list[Path]:
    """Every folder on a disk that may be a bundle, by name; none to which a link leads.

    Of a disk with thousands of files only the first are looked at.
    """
    try:
        with os.scandir(disk) as entries:
            folders = [disk / one.name for one in islice(entries, MOST_ENTRIES) if not one.is_symlink()]
        return sorted(place for place in folders if (place / SUMS).exists() and (place / RELEASE).exists())
    except OSError:
        return []  # it was pulled out while we looked


def version_key(version: str) -> tuple[object, ...]:
    """What orders versions as PEP 440 does: `1.0.dev1 < 1.0a1 < 1.0rc1 < 1.0 == 1 < 1.0.post1`.

    Raises `ValueError` for what is no version.
    """
    read = VERSION.fullmatch(version)
    if read is None or len(version) > LONGEST_VERSION:
        raise ValueError(f"{version[:LONGEST_VERSION]!r} is no version")
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


def looked_at(folder: Path, root: Path = Path("/")) -> Bundle:
    """What lies in this folder; raises `UpdateRefused` if this table does not install it."""
    sums = _small(inside(folder, SUMS))
    version = _version(_files(sums, folder))
    key = owner_key(root)
    if key is not None:
        _verify(folder, sums, key)
    return Bundle(str(folder), version, hashlib.sha256(sums).hexdigest(), key is not None)


def digest_of(folder: Path) -> str:
    """The digest of the bundle in this folder; empty if it cannot be read."""
    try:
        return hashlib.sha256(_small(inside(folder, SUMS))).hexdigest()
    except UpdateRefused:
        return ""


def owner_key(root: Path = Path("/")) -> str | None:
    """The owner's public key, type and data in one line; None if the owner has placed none.

    Raises `UpdateRefused` for a key that cannot be read: an update must not pass because its check is
    damaged.
    """
    place = root / KEY
    try:
        text = strangers.text(place, Most.NOTE)
    except FileNotFoundError:
        if place.is_symlink():
            raise UpdateRefused(f"{place} leads nowhere: put the key there.", "update_key") from None
        return None
    except (OSError, UnicodeDecodeError) as error:
        raise UpdateRefused(f"can't read {place}: put one public key there.", "update_key") from error
    lines = [line.split() for line in text.splitlines() if line.strip() and not line.startswith("#")]
    if len(lines) != 1 or len(lines[0]) < 2 or not re.fullmatch(r"(?:ssh|ecdsa|sk-)[\w@.-]+", lines[0][0]):
        raise UpdateRefused(f"{place} isn't one public key: put the maker's .pub file there.", "update_key")
    return " ".join(lines[0][:2])


def fetched(folder: Path, digest: str, into: Path, root: Path = Path("/")) -> Bundle:
    """Copy the bundle with this digest into the new folder `into`, and check every byte of it.

    The signature is checked on the copy, which no other user can change, and with the key as it is now.
    `digest`: SHA-256 of the list of checksums, in hexadecimal. Raises `UpdateRefused`.
    """
    into.mkdir(mode=0o700)
    sums = _small(inside(folder, SUMS))
    if hashlib.sha256(sums).hexdigest() != digest:
        raise UpdateRefused(
            f"the bundle in {folder} isn't the one that was agreed to: look at it again.", "update_changed"
        )
    (into / SUMS).write_bytes(sums)
    key = owner_key(root)
    if key is not None:
        (into / SIGNATURE).write_bytes(_signature(folder))
        _verify(into, sums, key)
    files, room = _files(sums, folder), MOST_BYTES
    for name, expected in files.items():
        room -= _copied(inside(folder, name), into / name, expected, room)
    return Bundle(str(into), _version(files), digest, key is not None)


def grouped(digest: str) -> str:
    """A digest as people compare it: in groups."""
    return " ".join(digest[place : place + GROUP] for place in range(0, len(digest), GROUP))


def inside(folder: Path, name: str) -> Path:
    """The file of that name below `folder`, to which no link leads; raises `UpdateRefused`."""
    place = folder / name
    try:
        links = place.resolve() != folder.resolve() / name
    except (OSError, RuntimeError):  # so Python up to 3.12 says of a link that leads to itself
        links = True
    if links:
        raise UpdateRefused(f"{place} is a link: copy the bundle's files themselves.")
    return place


def _small(place: Path) -> bytes:
    try:
        return strangers.read(place, Most.NOTE)
    except FileNotFoundError as error:
        raise UpdateRefused(f"{place.parent} holds no bundle: make one with make bundle.") from error
    except OSError as error:
        raise UpdateRefused(
            f"can't read {place} ({error.strerror or error}): copy the bundle again."
        ) from error


def _files(sums: bytes, folder: Path) -> Mapping[str, str]:
    """File → its SHA-256."""
    found: dict[str, str] = {}
    for line in sums.decode("ascii", "replace").splitlines():
        read = LINE.fullmatch(line)
        if read is None or ".." in PurePosixPath(read[2]).parts or read[2] in found:
            raise UpdateRefused(f"{folder / SUMS} is damaged: copy the bundle again.")
        found[read[2]] = read[1]
    folders = {str(above) for name in found for above in PurePosixPath(name).parents}
    if folders & found.keys() or any(str(PurePosixPath(name)) != name for name in found):
        raise UpdateRefused(f"{folder / SUMS} names a place twice or in another way: copy the bundle again.")
    if len(found) > MOST_FILES or "install.sh" not in found or RELEASE not in found:
        raise UpdateRefused(f"{folder / SUMS} isn't that of a bundle: make one with make bundle.")
    return found


def _version(files: Mapping[str, str]) -> str:
    versions = [wheel[1] for wheel in map(WHEEL.fullmatch, files) if wheel]
    if len(versions) != 1 or sum(map(bool, map(ANY_WHEEL.match, files))) != 1:
        raise UpdateRefused("the bundle doesn't hold one table companion: make it again with make bundle.")
    try:
        version_key(versions[0])
    except ValueError as error:
        raise UpdateRefused(f"{error}: make the bundle again with make bundle.") from None
    return versions[0]


def _signature(folder: Path) -> bytes:
    if not (folder / SIGNATURE).exists():
        raise UpdateRefused(
            f"{folder} isn't signed, and this table takes only signed bundles: make bundle SIGN=key.",
            "update_unsigned",
        )
    return _small(inside(folder, SIGNATURE))


def _verify(folder: Path, sums: bytes, key: str) -> None:
    """Raise unless the signature in the folder is this key's, over these sums."""
    signature = _signature(folder)
    program = shutil.which("ssh-keygen")
    if program is None:
        raise UpdateRefused(
            "ssh-keygen, which checks signatures, isn't here: sudo apt install openssh-client.", "update_key"
        )
    with tempfile.TemporaryDirectory() as place:
        allowed, mark = Path(place) / "allowed", Path(place) / "signature"
        allowed.write_text(f'{SIGNER} namespaces="{NAMESPACE}" {key}\n', encoding="ascii")
        mark.write_bytes(signature)
        words = ("-Y", "verify", "-f", str(allowed), "-I", SIGNER, "-n", NAMESPACE, "-s", str(mark))
        done = subprocess.run([program, *words], input=sums, capture_output=True, check=False)
    if done.returncode:
        raise UpdateRefused(
            f"{folder} isn't signed with this table's key ({KEY}): ask its maker for one that is.",
            "update_foreign",
        )


def _copied(source: Path, target: Path, expected: str, room: int) -> int:
    """Copy one file that must have this SHA-256; how many bytes it has."""
    digest, size = hashlib.sha256(), 0
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with strangers.opened(source, room) as stream, target.open("xb") as copy:
            while block := stream.read(CHUNK):
                digest.update(block)
                size += copy.write(block)
                if size > room:
                    break
    except OSError as error:
        raise UpdateRefused(f"can't copy {source} ({error.strerror or error}): copy it again.") from error
    if digest.hexdigest() != expected:
        raise UpdateRefused(f"{source} was changed: copy the bundle to the stick again.")
    return size
