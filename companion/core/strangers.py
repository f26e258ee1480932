"""How a file that somebody gave us is opened: a plain file of a sensible size, and one that lets nobody wait.

A pipe would keep us waiting for a writer and a device never ends: what is no plain file is refused before
anything is read from it, and so is what is larger than its kind ever is.
"""

from __future__ import annotations

import os
import re
import stat
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from enum import IntEnum
from pathlib import Path
from typing import Any, BinaryIO

LONGEST_LINE = 1_000
"""Characters of a line of TOML."""
MOST_DOTS = 40
"""In a line of TOML outside quotes and comments: tomllib needs the square of a key's parts."""
_ASIDE = re.compile(r""" "(?:\\.|[^"\\])*" | '[^']*' | \#.* """, re.VERBOSE)
_SORTS = (
    (stat.S_ISDIR, "a folder"),
    (stat.S_ISFIFO, "a pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
)


class Most(IntEnum):
    """How many bytes a file of each kind may have."""

    NOTE = 1 << 20
    """What the program keeps for itself beside the games."""
    SETTINGS = 64 << 10
    LESSON = 256 << 10
    CLIP = 4 << 20
    """One recorded sentence: forty seconds of it at 48 kHz."""
    VOICE = 2 << 20
    """The list of a voice pack."""
    CATALOGUE = 3 << 20
    """The sentences of a language; ours have 200 kB."""
    JOURNAL = 32 << 20
    DECK = 128 << 20
    """240 pictures without any compression are below; it is read part by part."""
    PICTURE = 256 << 20
    """20 megapixels without any compression have 60 million."""


MOST_PIXELS = 64_000_000
"""How many a picture may ask for: the largest cameras of a Pi or a telephone have as many, 192 MB."""


class Unfit(OSError):  # noqa: N818 - what it says, not what it is
    """What lies there is no plain file, or is too large; `strerror` says which."""


@contextmanager
def opened(path: Path, most: int | None) -> Iterator[BinaryIO]:
    """The plain file at `path` with at most `most` bytes, to be read; raises `OSError`, and never waits.

    `most` None: of any size, for who reads only a part of it.
    """
    checked(path)
    flags = (
        os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0) | getattr(os, "O_BINARY", 0)
    )
    with open(os.open(path, flags), "rb") as stream:  # noqa: PTH123 - a descriptor has no path
        _check(os.fstat(stream.fileno()), path, most)
        yield stream


def read(path: Path, most: int) -> bytes:
    """What the plain file at `path` holds; raises as `opened` does."""
    with opened(path, most) as stream:
        raw = stream.read(most + 1)  # it may grow while it is read
    if len(raw) > most:
        raise _too_large(path, most)
    return raw


def text(path: Path, most: int) -> str:
    """The same as text; `UnicodeDecodeError` where it is not UTF-8."""
    return read(path, most).decode("utf-8-sig").replace("\r\n", "\n")


def checked(path: Path) -> os.stat_result:
    """What the system says of the plain file at `path`; to open a device may already do something."""
    found = path.stat()
    _check(found, path, None)
    return found


def _check(found: os.stat_result, path: Path, most: int | None) -> None:
    if not stat.S_ISREG(found.st_mode):
        sort = next((name for holds, name in _SORTS if holds(found.st_mode)), "something else")
        raise Unfit(0, f"it is {sort}, not a file", str(path))
    if most is not None and found.st_size > most:
        raise _too_large(path, most)


def _too_large(path: Path, most: int) -> Unfit:
    size = f"{most >> 20} MB" if most >= 1 << 20 else f"{most >> 10} kB"
    return Unfit(0, f"it is larger than {size}", str(path))


def toml(source: str) -> dict[str, Any]:
    """What TOML of a stranger says; `ValueError` for any mistake in it.

    `tomllib.TOMLDecodeError` names line and column.
    """
    for number, line in enumerate(source.split("\n"), 1):
        if len(line) > LONGEST_LINE:
            raise ValueError(f"line {number} is longer than {LONGEST_LINE} characters")
        if line.count(".") > MOST_DOTS and _ASIDE.sub("", line).count(".") > MOST_DOTS:
            raise ValueError(f"line {number} has more than {MOST_DOTS} dots")
    try:
        return tomllib.loads(source)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    except tomllib.TOMLDecodeError:
        raise
    except ValueError as error:  # a number of thousands of digits
        raise ValueError("a number in it has too many digits") from error
