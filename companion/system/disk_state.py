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
    return f"only {free // 1_000_000} MB are free in {folder}" if free < MIN_FREE_BYTES else ""
