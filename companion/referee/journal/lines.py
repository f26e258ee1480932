"""A journal as JSON Lines: the header, then one entry per line. For export, import and playthroughs."""

from codecs import BOM_UTF8
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from companion.core import strangers
from companion.core.events import Event
from companion.core.rules import Rules
from companion.core.strangers import Most
from companion.referee.journal.codec import MAX_ENTRIES, MAX_HEADER, MAX_LINE, Codec, encoded, game_of
from companion.referee.journal.entry import Entry, Header, JournalError


def written(header: Header, entries: Iterable[Entry[Event]]) -> Iterator[bytes]:
    """The lines of a journal, with line endings."""
    yield encoded(header) + b"\n"
    for entry in entries:
        yield encoded(entry) + b"\n"


def text(header: Header, entries: Iterable[Entry[Event]]) -> bytes:
    """A whole journal as JSON Lines."""
    return b"".join(written(header, entries))


def parse(raw: bytes, games: Mapping[str, Rules[Any]]) -> tuple[Header, list[Entry[Event]]]:
    """Parse a journal; raises `JournalError` with the line and key of the first error."""
    if (
        raw.count(b"\n") > MAX_ENTRIES + 1
    ):  # counted first, because a list of lines takes eight times the memory
        raise JournalError("too_long", f"more than {MAX_ENTRIES} entries")
    lines = raw.removeprefix(BOM_UTF8).split(b"\n")
    whole = not lines[-1]
    if whole:
        lines.pop()
    if not lines:
        raise JournalError("foreign", "the file is empty", line=1)
    if len(lines) > MAX_ENTRIES + 1:
        raise JournalError("too_long", f"more than {MAX_ENTRIES} entries")
    name = game_of(lines[0])
    for number, line in enumerate(lines, 1):
        if number > 1 and not line.strip():
            raise JournalError("damaged", "the line is empty", line=number)
        if len(line) > MAX_LINE:
            raise JournalError("too_long", f"more than {MAX_LINE} bytes", line=number)
    if name not in games:
        raise JournalError("unknown_game", f"no rules of a game called {name}", line=1, where="$.game")
    try:
        return Codec(games[name]).read(lines[0], lines[1:])
    except JournalError as error:
        if not whole and error.line == len(lines):
            what = "the file ends in the middle of this line"
            raise JournalError("truncated", what, line=error.line) from error
        raise


def read(path: Path, games: Mapping[str, Rules[Any]]) -> tuple[Header, list[Entry[Event]]]:
    """Read a journal from a file."""
    with strangers.opened(path, Most.JOURNAL) as stream:
        head = stream.readline(MAX_HEADER + 1)
        game_of(head.removeprefix(BOM_UTF8))  # anything but a journal is not read further
        return parse(head + stream.read(Most.JOURNAL), games)
