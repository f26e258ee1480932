"""File ownership and permissions of the store: it belongs to the user whose table writes it.

New folders are closed to other users. The service's folder, made by systemd, can be read by a group, and so
can whatever is created inside it.
"""

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from shlex import quote
from typing import NamedTuple

OWNER_BITS, GROUP_BITS, OTHER_BITS = 0o700, 0o070, 0o007


def is_owned_by_us(path: Path) -> bool:
    """Whether this process's user owns the file; raises `OSError` if it is missing or cannot be seen."""
    owner = path.stat().st_uid
    return not hasattr(os, "geteuid") or owner == os.geteuid()


def other_owner(path: Path) -> str | None:
    """Which other user owns the file, or what is nearest above it.

    None: this process's user does, or may write there all the same without being root, or nobody knows.
    """
    for place in (path, *path.parents):
        with suppress(OSError):
            if is_owned_by_us(place) or (not is_root() and os.access(place, os.W_OK)):
                return None
            try:
                return place.owner()
            except KeyError:  # a number without a name, as on a disk from elsewhere
                return None
    return None


def is_there(path: Path) -> bool:
    """As `Path.exists`, but of what lies in a folder that this user may not enter, no error: it is not."""
    try:
        return path.exists()
    except OSError:
        return False


class ForeignFile(NamedTuple):
    """A file or folder of root's that this user can't use, as sudo leaves it.

    Another user's is left to its owner: it may be another table.
    """

    path: Path
    owner: str
    command: str
    """Gives it, and all beside it, to this user."""

    def __str__(self) -> str:
        return f"{self.path} belongs to {self.owner}"


def find_foreign_file(folder: Path) -> ForeignFile | None:
    """What of a table's folder this user may not read or write, for it is root's; None: nothing is."""
    if is_root() or not hasattr(os, "geteuid"):
        return None
    if is_there(folder):
        with suppress(OSError):
            return next(filter(None, map(_as_foreign, (folder, *sorted(folder.iterdir())))), None)
        return _as_foreign(folder)
    above = next(place for place in folder.parents if is_there(place))
    return None if os.access(above, os.X_OK) else _as_foreign(above)


def _as_foreign(place: Path) -> ForeignFile | None:
    owner = place.stat().st_uid
    if owner != 0 or os.access(place, os.R_OK | os.W_OK | (os.X_OK if place.is_dir() else 0)):
        return None
    whole = place if place.is_dir() else place.parent
    command = f"sudo chown -R {_user_name(os.geteuid())}: {quote(str(whole))}"
    return ForeignFile(place, _user_name(owner), command)


def _user_name(number: int) -> str:
    import pwd  # not on every system

    try:
        return pwd.getpwuid(number).pw_name
    except KeyError:  # a disk from elsewhere
        return str(number)


def is_root() -> bool:
    """Whether this process runs as root."""
    return hasattr(os, "geteuid") and os.geteuid() == 0


@contextmanager
def private_file(path: Path) -> Iterator[None]:
    """Gives the file created or opened at `path` within to its folder's owner, closed to other users.

    A file created by root is given to that owner; one created by another user stays theirs. If the folder is
    shared with a group, so is the file.
    """
    there = is_there(path)
    yield
    folder = path.parent.stat()
    with suppress(OSError):  # not ours, or a file system without owners
        if not there and is_root():
            os.chown(path, folder.st_uid, folder.st_gid, follow_symlinks=False)
        mode = path.stat().st_mode
        if not there or mode & OTHER_BITS:
            shared = 0 if folder.st_mode & OTHER_BITS else folder.st_mode & GROUP_BITS
            path.chmod(mode & (OWNER_BITS | shared))


def check_folder(folder: Path) -> None:
    """Raise `NotADirectoryError` if the path, or one of its parents, is a file."""
    for place in (folder, *folder.parents):
        if place.exists():
            if not place.is_dir():
                raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(place))
            return


def new_folder_mode() -> int:
    """The mode of new folders outside the table's own: closed, except where the service shares files."""
    return 0o777 if "STATE_DIRECTORY" in os.environ else OWNER_BITS


def make_folder(folder: Path) -> None:
    """Create the folder and its missing parents."""
    if folder.is_dir():
        return
    make_folder(folder.parent)
    above = folder.parent.stat()
    for_group = "STATE_DIRECTORY" in os.environ or (is_root() and above.st_uid != 0)
    folder.mkdir(mode=OWNER_BITS | (above.st_mode & GROUP_BITS if for_group else 0), exist_ok=True)
    if is_root():
        with suppress(PermissionError):  # a root without the right to change owners
            os.chown(folder, above.st_uid, above.st_gid)
