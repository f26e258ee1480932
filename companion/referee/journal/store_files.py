"""The files of a store, and whether they still are what they were."""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

STORE_SUFFIXES = ("", "-wal", "-shm")
"""Suffixes of the files that a store consists of while it is open."""


class StoreFile(NamedTuple):
    """One file of a store."""

    device: int
    inode: int
    length: int
    """In bytes."""
    written: int
    """When it was written to last, in nanoseconds."""


StoreFiles = tuple[StoreFile | None, ...]


def store_files(path: Path) -> StoreFiles:
    """The store, its -wal and its -shm; None for a file that is not there."""
    return tuple(map(stat_file, (side_file(path, suffix) for suffix in STORE_SUFFIXES)))


def side_file(path: Path, suffix: str) -> Path:
    """The file that SQLite keeps beside a database; of one that is a link, beside that to which it leads."""
    found = path.resolve()
    return found.with_name(found.name + suffix)


def is_same_file(known: StoreFile | None, now: StoreFile | None) -> bool:
    """Whether both are one file, or none."""
    return known == now if known is None or now is None else known[:2] == now[:2]


def are_same_files(known: StoreFiles, now: StoreFiles) -> bool:
    """Whether these are the same files, and none has become shorter."""
    return all(map(is_same_file, known, now)) and all(
        one is None or other is None or one.length <= other.length
        for one, other in zip(known, now, strict=True)
    )


def stat_file(path: Path | int) -> StoreFile | None:
    """The file as it is now; None if there is none."""
    try:
        found = os.stat(path)  # noqa: PTH116 - three calls per look
    except OSError:
        return None
    return StoreFile(found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns)
