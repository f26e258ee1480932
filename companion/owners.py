"""Whose files these are: a store belongs to the user whose table writes it, whoever else may look."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path


def is_ours(path: Path) -> bool:
    """Whether this process's user owns the file; raises `OSError` if there is none, or none may be seen."""
    owner = path.stat().st_uid
    return not hasattr(os, "geteuid") or owner == os.geteuid()


def is_root() -> bool:
    """Whether this process may stand in for every user."""
    return hasattr(os, "geteuid") and os.geteuid() == 0


@contextmanager
def made_for_owner(path: Path) -> Iterator[None]:
    """What root makes at `path` within belongs to the owner of its folder; others own what they make."""
    there = path.exists()
    yield
    if there or not is_root():
        return
    folder = path.parent.stat()
    with suppress(PermissionError):  # a root that may give nothing away
        os.chown(path, folder.st_uid, folder.st_gid, follow_symlinks=False)


def make_folder(folder: Path) -> None:
    """Make the folder and those above it that are missing."""
    if folder.is_dir():
        return
    make_folder(folder.parent)
    with made_for_owner(folder):
        folder.mkdir(exist_ok=True)
