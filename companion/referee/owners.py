"""Whose files these are, and who may see them: a store belongs to the user whose table writes it.

A folder that is made is shut to everybody else. The service's is not: systemd makes it for a group, who may
look, and what is made in there is for that group too.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

OWNER, GROUP, OTHERS = 0o700, 0o070, 0o007


def is_ours(path: Path) -> bool:
    """Whether this process's user owns the file; raises `OSError` if there is none, or none may be seen."""
    owner = path.stat().st_uid
    return not hasattr(os, "geteuid") or owner == os.geteuid()


def is_root() -> bool:
    """Whether this process may stand in for every user."""
    return hasattr(os, "geteuid") and os.geteuid() == 0


@contextmanager
def private(path: Path) -> Iterator[None]:
    """The file that is made, or opened, at `path` within: its folder's owner's, and closed to strangers.

    What root makes is given to that owner; what others make is theirs already. A group that has the folder to
    itself has the file too.
    """
    there = path.exists()
    yield
    folder = path.parent.stat()
    with suppress(OSError):  # not ours, or a disk that knows no owners
        if not there and is_root():
            os.chown(path, folder.st_uid, folder.st_gid, follow_symlinks=False)
        mode = path.stat().st_mode
        if not there or mode & OTHERS:
            shared = 0 if folder.st_mode & OTHERS else folder.st_mode & GROUP
            path.chmod(mode & (OWNER | shared))


def check_folder(folder: Path) -> None:
    """Raise `NotADirectoryError` if what is to be a folder, or one above it, is a file."""
    for place in (folder, *folder.parents):
        if place.exists():
            if not place.is_dir():
                raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(place))
            return


def folder_mode() -> int:
    """What a folder outside the table's own is made with: shut, but for what the service gives to people."""
    return 0o777 if "STATE_DIRECTORY" in os.environ else OWNER


def make_folder(folder: Path) -> None:
    """Make the folder and those above it that are missing."""
    if folder.is_dir():
        return
    make_folder(folder.parent)
    above = folder.parent.stat()
    for_group = "STATE_DIRECTORY" in os.environ or (is_root() and above.st_uid != 0)
    folder.mkdir(mode=OWNER | (above.st_mode & GROUP if for_group else 0), exist_ok=True)
    if is_root():
        with suppress(PermissionError):  # a root that may give nothing away
            os.chown(folder, above.st_uid, above.st_gid)
