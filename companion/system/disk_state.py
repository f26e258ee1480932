"""Whether a disk takes what is to be kept."""

import os
import shutil
from pathlib import Path

from companion.system.file_owner import find_foreign_file, is_there
from companion.system.machine import Machine

MIN_FREE_BYTES = 50_000_000
"""Bytes; an evening of games stays far below."""

MOUNTS = "proc/self/mounts"
IN_MEMORY = frozenset({"tmpfs", "ramfs", "overlay"})
"""Kinds of file systems, as the kernel lists them, that forget what is written once a Pi is switched off."""


def find_file_system(machine: Machine, folder: Path) -> str:
    """The kind of file system that a folder is on, as the kernel lists it; empty where it is not told."""
    rows = [line.split() for line in machine.read_text(MOUNTS).splitlines()]
    mounts = {Path(row[1]): row[2] for row in rows if len(row) > 2}
    return next((mounts[place] for place in (folder, *folder.parents) if place in mounts), "")


def describe_disk_fault(file: Path) -> str:
    """Why nothing can be kept in a file, which need not be there yet; empty: it can."""
    if (foreign := find_foreign_file(file.parent)) is not None:
        return f"{foreign}: {foreign.command}"
    there = next(place for place in (file, *file.parents) if is_there(place))
    folder = next(place for place in (file.parent, *file.parents) if is_there(place))
    for place in (there, folder):
        if not os.access(place, os.W_OK):
            return f"this user may not write {place}, or its disk is read-only"
    free = shutil.disk_usage(folder).free
    if free < MIN_FREE_BYTES:
        return f"only {free // 1_000_000} MB are free in {folder}"
    return f"{NO_INODES} in {folder}" if lacks_inodes(folder) else ""


NO_INODES = "no more files can be made (the disk has no inodes left)"


def lacks_inodes(folder: Path) -> bool:
    """Whether a disk with room takes no more files, as after millions of small ones."""
    if not hasattr(os, "statvfs"):
        return False
    state = os.statvfs(folder)
    return bool(getattr(state, "f_files", 0)) and getattr(state, "f_favail", 1) == 0


SECTOR = 512
"""Bytes, as /sys/block counts."""
UNUSED_BYTES = 1_000_000_000


def has_unused_card(machine: Machine) -> bool:
    """Whether a card is larger than what its system uses of it."""
    whole = machine.read_text("sys/block/mmcblk0/size")
    parts = machine.find("sys/block/mmcblk0/mmcblk0p*/size")
    used = [machine.read_text(str(part.relative_to(machine.root))) for part in parts]
    if not (whole.isdecimal() and used and all(map(str.isdecimal, used))):
        return False
    return (int(whole) - sum(map(int, used))) * SECTOR > UNUSED_BYTES
