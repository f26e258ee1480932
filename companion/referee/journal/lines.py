"""A journal as JSON Lines: the header, then one entry per line. For export, import and playthroughs."""

from codecs import BOM_UTF8
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from companion.core import strangers
from companion.core.events import Event
from companion.core.rules import Rules
from companion.core.strangers import Most
from companion.referee.journal.codec import (
    MAX_ENTRIES,
    MAX_HEADER,
    MAX_LINE,
    Codec,
    entry_lines,
    game_of,
    header_line,
    last_instant,
)
from companion.referee.journal.entry import Entry, Header, JournalError


def written(header: Header, entries: Sequence[Entry[Event]]) -> Iterator[bytes]:
    """The lines of a journal, with line endings."""
    first = header_line(replace(header, entries=len(entries)) if header.has_chain else header)
    yield first + b"\n"
    for line in entry_lines(header, entries, first):
        yield line + b"\n"


def text(header: Header, entries: Sequence[Entry[Event]]) -> bytes:
    """A whole journal as JSON Lines."""
    return b"".join(written(header, entries))


def parse(
    raw: bytes, games: Mapping[str, Rules[Any]], *, salvage: bool = False
) -> tuple[Header, list[Entry[Event]]]:
    """Parse a journal; raises `JournalError` with the line and key of the first error.

    `salvage`: the entries before the first damaged one, if its header is sound.
    """
    if (
        raw.count(b"\n") > MAX_ENTRIES + 1
    ):  # counted first, because a list of lines takes eight times the memory
        raise JournalError("too_long", f"more than {MAX_ENTRIES} entries")
    lines = raw.removeprefix(BOM_UTF8).replace(b"\r\n", b"\n").split(b"\n")
    whole = not lines[-1]
    if whole:
        lines.pop()
    if not lines:
        raise JournalError("foreign", "the file is empty", line=1)
    if len(lines) > MAX_ENTRIES + 1:
        raise JournalError("too_long", f"more than {MAX_ENTRIES} entries")
    name = game_of(lines[0])
    if name not in games:
        raise JournalError("unknown_game", f"no rules of a game called {name}", line=1, where="$.game")
    codec = Codec(games[name])
    if salvage:
        header, entries = codec.salvage(lines[0], lines[1:])
        return replace(header, entries=None), entries
    for number, line in enumerate(lines, 1):
        if number > 1 and not line.strip():
            raise JournalError("damaged", "the line is empty", line=number)
        if len(line) > MAX_LINE:
            raise JournalError("too_long", f"more than {MAX_LINE} bytes", line=number)
    try:
        header, entries = codec.read(lines[0], lines[1:])
    except JournalError as error:
        if not whole and error.line == len(lines):
            what = "the file ends in the middle of this line"
            raise JournalError("truncated", what, line=error.line, at=error.at) from error
        raise
    if header.has_chain and header.entries != len(entries):
        what = f"{len(entries)} of {header.entries or 'an unknown number of'} entries are there"
        raise JournalError("truncated", what, line=len(entries) + 2, at=last_instant(entries))
    return replace(header, entries=None), entries


def read(
    path: Path, games: Mapping[str, Rules[Any]], *, salvage: bool = False
) -> tuple[Header, list[Entry[Event]]]:
    """Read a journal from a file, as `parse` does."""
    with strangers.opened(path, Most.JOURNAL) as stream:
        head = stream.readline(MAX_HEADER + 1)
        game_of(head.removeprefix(BOM_UTF8))  # anything but a journal is not read further
        return parse(head + stream.read(Most.JOURNAL), games, salvage=salvage)
