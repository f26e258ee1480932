"""Whether a disk takes what is to be kept."""

import os
import shutil
from pathlib import Path

MIN_FREE_BYTES = 50_000_000
"""Bytes; an evening of games stays far below."""


def describe_disk_fault(file: Path) -> str:
    """Why nothing can be kept in a file, which need not be there yet; empty: it can."""
    there = next(place for place in (file, *file.parents) if place.exists())
    folder = next(place for place in (file.parent, *file.parents) if place.exists())
    for place in (there, folder):
        if not os.access(place, os.W_OK):
            return f"this user may not write {place}, or its disk is read-only"
    free = shutil.disk_usage(folder).free
    return f"only {free // 1_000_000} MB are free in {folder}" if free < MIN_FREE_BYTES else ""
