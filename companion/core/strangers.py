"""Safe reading of files from elsewhere: only regular files of a sensible size, and without ever blocking.

A pipe would block until there is a writer, and a device may never end. So anything but a regular file is
refused before it is read, as is a file larger than its kind can be.
"""

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
"""Dots in a line of TOML outside quotes and comments: tomllib is quadratic in the parts of a key."""
_ASIDE = re.compile(r""" "(?:\\.|[^"\\])*" | '[^']*' | \#.* """, re.VERBOSE)
_SORTS = (
    (stat.S_ISDIR, "a folder"),
    (stat.S_ISFIFO, "a pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
)


class Most(IntEnum):
    """Size limits in bytes, by kind of file."""

    NOTE = 1 << 20
    """The program's own small files beside the games."""
    SETTINGS = 64 << 10
    LESSON = 256 << 10
    CLIP = 4 << 20
    """One recorded sentence: forty seconds at 48 kHz."""
    VOICE = 2 << 20
    """The manifest of a voice pack."""
    CATALOGUE = 3 << 20
    """The catalogue of a language; ours have 200 kB."""
    JOURNAL = 32 << 20
    DECK = 128 << 20
    """240 uncompressed pictures need less; a deck is read in parts."""
    PICTURE = 256 << 20
    """20 megapixels without compression are 60 MB."""


MOST_PIXELS = 64_000_000
"""Pixels in a picture: as many as the largest cameras of a Pi or phone have; 192 MB when decoded."""


class Unfit(OSError):  # noqa: N818 - what it says, not what it is
    """Not a regular file, or too large; `strerror` says which."""


@contextmanager
def opened(path: Path, most: int | None) -> Iterator[BinaryIO]:
    """Open the regular file at `path`, of at most `most` bytes, without blocking; raises `OSError`.

    `most` None: any size, for callers that read only a part.
    """
    checked(path)
    flags = (
        os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0) | getattr(os, "O_BINARY", 0)
    )
    with open(os.open(path, flags), "rb") as stream:  # noqa: PTH123 - a descriptor has no path
        _check(os.fstat(stream.fileno()), path, most)
        yield stream


def read(path: Path, most: int) -> bytes:
    """The content of the regular file at `path`; raises as `opened` does."""
    with opened(path, most) as stream:
        raw = stream.read(most + 1)  # it may grow meanwhile
    if len(raw) > most:
        raise _too_large(path, most)
    return raw


def text(path: Path, most: int) -> str:
    """The content as text; also raises `UnicodeDecodeError` if it is not UTF-8."""
    return read(path, most).decode("utf-8-sig").replace("\r\n", "\n")


def checked(path: Path) -> os.stat_result:
    """`stat` of a regular file, checked before it is opened: opening a device may have side effects."""
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
    """Parse TOML from elsewhere; raises `ValueError` for any mistake in it.

    A `tomllib.TOMLDecodeError` names line and column.
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
