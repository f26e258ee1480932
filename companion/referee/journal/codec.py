"""JSON encoding of one game's entries; errors name the line and key of the damage."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from hashlib import sha256
from types import MappingProxyType
from typing import Any

import msgspec

from companion.core.actions import Micros, Outcome
from companion.core.events import Event
from companion.core.rules import Rules
from companion.referee.journal.entry import (
    JOURNAL_FORMAT,
    UNCHAINED_FORMAT,
    Entry,
    Header,
    JournalError,
    with_new_chain,
)
from companion.system.terminal import to_printable

DIGITS = 16
"""Hexadecimal digits of a checksum: the first 64 bits of SHA-256."""
_KEY, _END = b',"sum":"', b'"}'
_SUM = slice(-DIGITS - len(_END), -len(_END))
_SEAL = len(_KEY) + DIGITS + len(_END)

MAX_LINE = 1_000_000
"""Bytes of one entry; even a correction of a whole evening is far smaller."""
MAX_HEADER = 20_000
"""Bytes of a header; one with eight players has some hundreds."""
MAX_MENDED = 2_000
"""Bytes of a header of which every bit is tried."""
MAX_ENTRIES = 200_000
MAX_EVENTS = 100
"""Events of one entry; more than a handful is unusual."""
MAX_NAME_LENGTH = 24
"""Letters, as in the settings."""
CHAIRS = frozenset(range(8))
"""The chairs a table can have."""
DECODE_ERRORS = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)


def add_checksum(line: bytes, before: bytes = b"") -> bytes:
    """The JSON object `line` with its checksum as the last key; `before` is the line before it, if any."""
    body = line[:-1]
    return body + _KEY + sha256(before[_SUM] + body).hexdigest()[:DIGITS].encode() + _END


def strip_checksum(line: bytes, before: bytes = b"") -> bytes | None:
    """The line without its checksum; None if the checksum is wrong or missing."""
    body = line[:-_SEAL] + b"}"
    return body if add_checksum(body, before) == line else None


def mend_line(line: bytes) -> bytes | None:
    """A header as it was written, if no more than one bit of it has changed since; None if more has."""
    if strip_checksum(line) is not None:
        return line
    for at in range(len(line) if len(line) <= MAX_MENDED else 0):
        for bit in range(8):
            mended = line[:at] + bytes([line[at] ^ 1 << bit]) + line[at + 1 :]
            if strip_checksum(mended) is not None:
                return mended
    return None


def rewrite_checksums(lines: Iterable[bytes], was: bytes, now: bytes) -> Iterator[bytes]:
    """The lines after one that `was` and has become `now`, up to the first that is damaged.

    What is damaged stays as it is, so that it is still found.
    """
    for line in lines:
        body = strip_checksum(line, was)
        if body is None:
            return
        was, now = line, add_checksum(body, now)
        yield now


Json = dict[str, Any]
Upgrade = Callable[[Json, list[Json]], tuple[Json, list[Json]]]
"""(header, entries) in format N → the same in format N + 1; the arguments are not modified."""
Upgrades = Mapping[int, Upgrade]

UPGRADES: Upgrades = MappingProxyType({})
"""Format → the upgrade from it. Empty so far: format 1 is the first, and 2 is the same with a chain."""


def upgrade_journal(
    header: Json,
    entries: list[Json],
    written: int,
    upgrades: Upgrades = UPGRADES,
    upto: int = UNCHAINED_FORMAT,
) -> tuple[Json, list[Json]]:
    """The journal converted to format `upto`; raises `JournalError` if it is newer or damaged."""
    for step in range(written, upto):
        if step not in upgrades:
            what = f"journals of format {step} can no longer be read"
            raise JournalError("too_old", what, line=1, where="$.format")
        header, entries = upgrades[step](header, entries)
        header = {**header, "format": step + 1}
    return header, entries


_HEADER = msgspec.json.Decoder(Header)


class _FormatHeader(msgspec.Struct):
    """The part of a header that every format has."""

    format: int
    game: str


_STAMP = msgspec.json.Decoder(_FormatHeader)


class _EndOfGame(msgspec.Struct):
    """What of an outcome says that there is one."""

    termination: str
    winners: tuple[int, ...]


_END_OF_GAME = msgspec.json.Decoder(_EndOfGame)


def json_line(value: object) -> bytes:
    """A value as JSON that a terminal prints byte by byte, so that a checksum over it still holds there."""
    return to_printable(msgspec.json.encode(value).decode()).encode()


def header_line(header: Header) -> bytes:
    """The header as it is stored, without a line ending."""
    line = json_line(header)
    return add_checksum(line) if header.has_chain else line


def entry_lines(header: Header, entries: Iterable[Entry[Event]], before: bytes) -> Iterator[bytes]:
    """Entries as they are stored, without line endings; `before` is the line before the first of them."""
    for entry in entries:
        line = json_line(entry)
        before = add_checksum(line, before) if header.has_chain else line
        yield before


def outcome_line(header: Header, outcome: Outcome | None, last: bytes) -> bytes | None:
    """How a game ended, as it is stored: with a checksum over the last line of its journal and this one."""
    if outcome is None:
        return None
    line = json_line(outcome)
    return add_checksum(line, last) if header.has_chain else line


def read_outcome(raw: bytes, last: bytes) -> Outcome | None:
    """How a game ended; None if that is not as it was written. Older stores have it without a checksum."""
    line = strip_checksum(raw, last) or raw
    with suppress(*DECODE_ERRORS):
        outcome = msgspec.json.decode(line, type=Outcome)
        return outcome if json_line(outcome) == line else None
    return None


def says_end(raw: object) -> bool:
    """Whether this is how the end of some game is written; whose checksum stands there is not asked."""
    with suppress(*DECODE_ERRORS):
        return isinstance(raw, bytes) and bool(_END_OF_GAME.decode(raw).termination)
    return False


def journal_format(raw: bytes) -> int:
    """The format (a number) of the journal that begins with the line `raw`; raises `JournalError`."""
    if len(raw) > MAX_HEADER:
        raise JournalError("foreign", "this isn't a game of the table companion", line=1)
    try:
        stamp = _STAMP.decode(raw)
    except DECODE_ERRORS as error:
        raise JournalError("foreign", "this isn't a game of the table companion", line=1) from error
    if stamp.format > JOURNAL_FORMAT:
        raise JournalError(
            "newer",
            f"saved by a newer version: format {stamp.format}; this program knows {JOURNAL_FORMAT}",
            line=1,
            where="$.format",
        )
    return stamp.format


def journal_game(raw: bytes) -> str:
    """The game of the journal that begins with the line `raw`, whatever its format."""
    journal_format(raw)
    return _STAMP.decode(raw).game


class JournalCodec:
    """Decodes the entries of one game; built once, because building costs more than decoding."""

    def __init__(self, rules: Rules[Any], upgrades: Upgrades = UPGRADES) -> None:
        self.rules = rules
        self._type: Any = Entry[rules.events]  # type: ignore[name-defined]
        self._decoder: msgspec.json.Decoder[Entry[Event]] = msgspec.json.Decoder(self._type)
        self._upgrades = upgrades

    def read(self, header: bytes, lines: Sequence[bytes]) -> tuple[Header, list[Entry[Event]]]:
        """Decode a header and the lines after it; raises `JournalError` with the line that is damaged."""
        if len(lines) > MAX_ENTRIES:
            raise JournalError("too_long", f"more than {MAX_ENTRIES} entries")
        if (written := journal_format(header)) < UNCHAINED_FORMAT:
            return self._read_old_format(written, header, lines)
        head = self._read_header(header)
        entries: list[Entry[Event]] = []
        try:
            self._decode(lines, entries, head, header)
        except JournalError as error:
            error.at = last_entry_time(entries)
            raise
        return head, entries

    def salvage(
        self, header: bytes, lines: Sequence[bytes], stated: int | None = None
    ) -> tuple[Header, list[Entry[Event]]]:
        """The same, but only the entries before the first damaged one; raises if the header is damaged.

        `stated`: how many there should be, if the header does not say it.
        """
        if journal_format(header) < UNCHAINED_FORMAT:
            return self.read(header, lines)
        head = self._read_header(header)
        entries: list[Entry[Event]] = []
        with suppress(JournalError):
            self._decode(lines[:MAX_ENTRIES], entries, head, header)
        whole = next((count for count in (stated, head.entries) if count is not None), len(lines))
        return head if len(entries) == whole else with_new_chain(head, "repair"), entries

    def join(self, header: bytes, log: Sequence[bytes], rows: Mapping[int, bytes]) -> list[bytes] | None:
        """The lines of a game of which a log has some and a store some, by their numbers, up to the first
        that is whole in neither; None if the store's are of another game, or of one that went on otherwise.
        """
        head = self._read_header(header)
        joined = [header]
        while len(joined) <= MAX_ENTRIES:
            number = len(joined) - 1
            row, line = rows.get(number), log[number] if number < len(log) else None
            whole = [one for one in (row, line) if one and self._follows(head, number, one, joined[-1])]
            other = row and self._follows(head, number, row, rows.get(number - 1, header))
            if len(set(whole)) > 1 or (other and row not in whole):
                return None
            if not whole:
                break
            joined.append(whole[0])
        return joined[1:]

    def move_lines(self, lines: Sequence[bytes], raw: bytes) -> list[bytes] | None:
        """A journal's lines as they are after the header `raw`, up to the first that is damaged.

        None if that is the header of another game; without a name, or in another format, it is the same one.
        """
        if lines[0] == raw:
            return list(lines)
        try:
            was, now = (self.read(header, ())[0] for header in (lines[0], raw))
            setup, same = (head.setup.with_options(self.rules.options) for head in (was, now))
        except JournalError:
            return None
        if (setup, was.date, was.language, was.has_chain) != (same, now.date, now.language, now.has_chain):
            return None
        return [raw, *(rewrite_checksums(lines[1:], lines[0], raw) if now.has_chain else lines[1:])]

    def _follows(self, header: Header, number: int, line: bytes, before: bytes) -> bool:
        """Whether the line is entry `number`, as it was written after the line `before`."""
        raw = strip_checksum(line, before) if header.has_chain else line
        try:
            check_entry(self._decoder.decode(raw or b""), number)
        except (JournalError, *DECODE_ERRORS):
            return False
        return True

    def _decode(
        self, lines: Sequence[bytes], into: list[Entry[Event]], header: Header, before: bytes
    ) -> None:
        """Decode the lines, of which `before` is the one before, up to the first that is damaged."""
        decode = self._decoder.decode
        for number, line in enumerate(lines):
            raw: bytes | None = line
            if header.has_chain:
                raw, before = strip_checksum(line, before), line
            if raw is None:
                raise JournalError("altered", f"entry {number} is not as it was written", line=number + 2)
            try:
                entry = decode(raw)
            except DECODE_ERRORS as error:
                raise _damage_error(error, number + 2) from error
            check_entry(entry, number)
            into.append(entry)

    def _read_header(self, line: bytes) -> Header:
        raw = strip_checksum(line) if journal_format(line) > UNCHAINED_FORMAT else line
        if raw is None:
            raise JournalError("altered", "the header is not as it was written", line=1)
        try:
            header = _HEADER.decode(raw)
        except DECODE_ERRORS as error:
            raise _damage_error(error, 1) from error
        return self._check_header(header)

    def _check_header(self, header: Header) -> Header:
        if header.game != self.rules.name:
            what = f"a journal of {header.game}, not of {self.rules.name}"
            raise JournalError("other_game", what, line=1, where="$.game")
        setup = header.setup.with_options(self.rules.options)
        seated = set(setup.chairs) & CHAIRS
        sits = (setup.players, setup.bot) in self.rules.table_sizes()
        if not sits or len(seated) != setup.players:
            raise JournalError("damaged", "these chairs cannot play it", line=1, where="$.setup.chairs")
        negative = [
            name for name, value in header.setup.options.items() if isinstance(value, int) and value < 0
        ]
        if negative:
            where = f"$.setup.options.{negative[0]}"
            raise JournalError("damaged", "no house rule is less than nothing", line=1, where=where)
        named = [chair for chair, _ in header.names]
        if len(set(named) & CHAIRS) < len(named):
            raise JournalError("damaged", "these chairs have no names", line=1, where="$.names")
        if any(len(name) > MAX_NAME_LENGTH for _, name in header.names) or len(header.names) > len(CHAIRS):
            what = f"at most {len(CHAIRS)} names of at most {MAX_NAME_LENGTH} letters each"
            raise JournalError("damaged", what, line=1, where="$.names")
        return header

    def _read_old_format(
        self, written: int, header: bytes, lines: Iterable[bytes]
    ) -> tuple[Header, list[Entry[Event]]]:
        """Decode a journal of an older format: as JSON, upgraded step by step, then typed."""
        number = 1
        try:
            plain: Json = msgspec.json.decode(header)
            bodies: list[Json] = []
            for number, raw in enumerate(lines, 2):  # noqa: B007 - named in the error
                bodies.append(msgspec.json.decode(raw))
            plain, bodies = upgrade_journal(plain, bodies, written, self._upgrades)
            number = 1
            head = self._check_header(msgspec.convert(plain, Header))
            entries = []
            for number, body in enumerate(bodies, 2):
                entry: Entry[Event] = msgspec.convert(body, self._type)
                check_entry(entry, number - 2)
                entries.append(entry)
        except DECODE_ERRORS as error:
            raise _damage_error(error, number) from error
        return head, entries


def last_entry_time(entries: Sequence[Entry[Event]]) -> Micros:
    """When the last of these happened."""
    return entries[-1].cause.at if entries else 0


def check_entry(entry: Entry[Event], expected: int) -> None:
    """Raise `JournalError` unless the entry can be number `expected`."""
    line = expected + 2
    if entry.seq != expected:
        what = f"entry {entry.seq} stands where entry {expected} should"
        raise JournalError("damaged", what, line=line, where="$.seq")
    if entry.retracts is not None and not 0 <= entry.retracts < expected:
        raise JournalError("damaged", "it retracts no earlier entry", line=line, where="$.retracts")
    if entry.corrects is not None and not 0 <= entry.corrects < expected:
        raise JournalError("damaged", "it corrects no earlier entry", line=line, where="$.corrects")
    if any(len(events) > MAX_EVENTS for events in (entry.events, *(one.events for one in entry.rejudged))):
        raise JournalError("damaged", f"more than {MAX_EVENTS} events at once", line=line, where="$.events")
    if not 0 <= entry.cause.at < 2**53:
        raise JournalError("damaged", "no instant of a game", line=line, where="$.cause.at")


def _damage_error(error: Exception, line: int) -> JournalError:
    if isinstance(error, RecursionError):
        return JournalError("damaged", "it is nested too deeply", line=line)
    what, _, path = str(error).partition(" - at ")
    return JournalError("damaged", what, line=line, where=path.strip("`"))


def journal_schema(rules: Rules[Any]) -> dict[str, Any]:
    """The JSON Schema of one line of this game's journal: the header first, then entries."""
    entry: Any = Entry[rules.events]  # type: ignore[name-defined]
    (_, options, _), parts = msgspec.json.schema_components(
        [Header, rules.options, entry], ref_template="#/$defs/{name}"
    )
    shorter = {
        name: name.partition("_")[0] for name in parts if name.startswith(("Entry_", "RejudgedRuling_"))
    }
    for name, part in parts.items():  # events and observations are called as they are on disk
        if len(kinds := part.get("properties", {}).get("kind", {}).get("enum", ())) == 1:
            shorter[name] = part["title"] = kinds[0]
    parts["PlainSetup"]["properties"]["options"] = options
    for line in ("Header", next(name for name in parts if name.startswith("Entry_"))):
        parts[line]["properties"]["sum"] = {
            "type": "string",
            "pattern": f"^[0-9a-f]{{{DIGITS}}}$",
            "description": "Checksum over the line before and this one; always the last key.",
        }
    whole = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"One line of a journal of {rules.name}, format {JOURNAL_FORMAT}",
        "description": "The first line is a Header, every other line an Entry; `seq` counts from 0.",
        "anyOf": [{"$ref": "#/$defs/Header"}, {"$ref": "#/$defs/Entry"}],
        "$defs": dict(sorted((shorter.get(name, name), part) for name, part in parts.items())),
    }
    text = msgspec.json.encode(whole).decode()
    for long, short in shorter.items():
        text = text.replace(f'"#/$defs/{long}"', f'"#/$defs/{short}"')
    named: dict[str, Any] = msgspec.json.decode(text)
    return named
