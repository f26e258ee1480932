"""Safe files: untrusted ones are read within bounds, and ours are replaced completely or not at all.

A pipe would block until there is a writer, and a device may never end. So anything but a regular file is
refused before it is read, as is a file larger than its kind can be.
"""

import os
import re
import secrets
import stat
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from enum import IntEnum
from pathlib import Path
from typing import Any, BinaryIO

MAX_LINE_LENGTH = 1_000
"""Characters of a line of TOML."""
MAX_LINE_DOTS = 40
"""Dots in a line of TOML outside quotes and comments: tomllib is quadratic in the parts of a key."""
_QUOTED_OR_COMMENT = re.compile(r""" "(?:\\.|[^"\\])*" | '[^']*' | \#.* """, re.VERBOSE)
_FILE_TYPES = (
    (stat.S_ISDIR, "a folder"),
    (stat.S_ISFIFO, "a pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
)


class SizeLimit(IntEnum):
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
    PHOTO = 1 << 20
    """On the lid of a box: ours have up to 200 kB, and the page waits while all are read."""
    PICTURE = 256 << 20
    """20 megapixels without compression are 60 MB."""


MAX_PIXELS = 64_000_000
"""Pixels in a picture: as many as the largest cameras of a Pi or phone have; 192 MB when decoded."""


class UnreadableFileError(OSError):
    """Not a regular file, or too large; `strerror` says which."""


@contextmanager
def open_regular_file(path: Path, most: int | None) -> Iterator[BinaryIO]:
    """Open the regular file at `path`, of at most `most` bytes, without blocking; raises `OSError`.

    `most` None: any size, for callers that read only a part.
    """
    stat_regular_file(path)
    flags = (
        os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0) | getattr(os, "O_BINARY", 0)
    )
    with open(os.open(path, flags), "rb") as stream:  # noqa: PTH123 - a descriptor has no path
        _check_file(os.fstat(stream.fileno()), path, most)
        yield stream


def read_bytes(path: Path, most: int) -> bytes:
    """The content of the regular file at `path`; raises as `open_regular_file` does."""
    with open_regular_file(path, most) as stream:
        raw = stream.read(most + 1)  # it may grow meanwhile
    if len(raw) > most:
        raise _too_large_error(path, most)
    return raw


def read_text(path: Path, most: int) -> str:
    """The content as text; also raises `UnicodeDecodeError` if it is not UTF-8."""
    return read_bytes(path, most).decode("utf-8-sig").replace("\r\n", "\n")


def stat_regular_file(path: Path) -> os.stat_result:
    """`stat` of a regular file, checked before it is opened: opening a device may have side effects."""
    found = path.stat()
    _check_file(found, path, None)
    return found


def _check_file(found: os.stat_result, path: Path, most: int | None) -> None:
    if not stat.S_ISREG(found.st_mode):
        sort = next((name for holds, name in _FILE_TYPES if holds(found.st_mode)), "something else")
        raise UnreadableFileError(0, f"it is {sort}, not a file", str(path))
    if most is not None and found.st_size > most:
        raise _too_large_error(path, most)


def _too_large_error(path: Path, most: int) -> UnreadableFileError:
    size = f"{most >> 20} MB" if most >= 1 << 20 else f"{most >> 10} kB"
    return UnreadableFileError(0, f"it is larger than {size}", str(path))


def parse_toml(source: str) -> dict[str, Any]:
    """Parse TOML from elsewhere; raises `ValueError` for any mistake in it.

    A `tomllib.TOMLDecodeError` names line and column.
    """
    for number, line in enumerate(source.split("\n"), 1):
        if len(line) > MAX_LINE_LENGTH:
            raise ValueError(f"line {number} is longer than {MAX_LINE_LENGTH} characters")
        if line.count(".") > MAX_LINE_DOTS and _QUOTED_OR_COMMENT.sub("", line).count(".") > MAX_LINE_DOTS:
            raise ValueError(f"line {number} has more than {MAX_LINE_DOTS} dots")
    try:
        return tomllib.loads(source)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    except tomllib.TOMLDecodeError:
        raise
    except ValueError as error:  # a number of thousands of digits
        raise ValueError("a number in it has too many digits") from error


@contextmanager
def atomic_write(path: Path, *, mode: int = 0o666) -> Iterator[BinaryIO]:
    """A new file that takes the place of `path` when the block ends; by then it is on the disk.

    Where the block fails, `path` is as it was. A file that is replaced hands on its permissions; those of a
    new one are `mode` less the process's umask. Folders that are missing are made. Raises `OSError`.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}.{secrets.token_hex(4)}.part")
    try:
        descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), mode)
        with os.fdopen(descriptor, "wb") as stream:
            yield stream
            stream.flush()
            os.fsync(descriptor)
        if path.exists():
            draft.chmod(path.stat().st_mode & 0o777)
        draft.replace(path)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise
    sync_to_disk(path.parent)


def sync_to_disk(path: Path) -> None:
    """Wait until the disk has stored a file, or what is in a folder."""
    if os.name == "nt":
        return  # it cannot sync folders, and writes files through on closing
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
