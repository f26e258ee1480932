"""Journals as JSON Lines files, for export, import and playthroughs. For export, import and playthroughs."""

from codecs import BOM_UTF8
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from companion.core.events import Event
from companion.core.rules import Rules
from companion.referee.journal.codec import (
    MAX_ENTRIES,
    MAX_HEADER,
    MAX_LINE,
    JournalCodec,
    entry_lines,
    header_line,
    journal_game,
    last_entry_time,
)
from companion.referee.journal.entry import Entry, Header, JournalError
from companion.system import safe_files
from companion.system.safe_files import SizeLimit


def encode_lines(header: Header, entries: Sequence[Entry[Event]]) -> Iterator[bytes]:
    """The lines of a journal, with line endings."""
    first = header_line(replace(header, entries=len(entries)) if header.has_chain else header)
    yield first + b"\n"
    for line in entry_lines(header, entries, first):
        yield line + b"\n"


def encode_journal(header: Header, entries: Sequence[Entry[Event]]) -> bytes:
    """A whole journal as JSON Lines."""
    return b"".join(encode_lines(header, entries))


def parse_journal(
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
    name = journal_game(lines[0])
    if name not in games:
        raise JournalError("unknown_game", f"no rules of a game called {name}", line=1, where="$.game")
    codec = JournalCodec(games[name])
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
        raise JournalError("truncated", what, line=len(entries) + 2, at=last_entry_time(entries))
    return replace(header, entries=None), entries


def read_journal_file(
    path: Path, games: Mapping[str, Rules[Any]], *, salvage: bool = False
) -> tuple[Header, list[Entry[Event]]]:
    """Read a journal from a file, as `parse_journal` does."""
    with safe_files.open_regular_file(path, SizeLimit.JOURNAL) as stream:
        head = stream.readline(MAX_HEADER + 1)
        journal_game(head.removeprefix(BOM_UTF8))  # anything but a journal is not read further
        return parse_journal(head + stream.read(SizeLimit.JOURNAL), games, salvage=salvage)
