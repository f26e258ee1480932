"""Search for and removal of a player's name, in bytes of any encoding (JSON, HTML, TOML, URL, UTF-16) and in
the headers of journals of any format.
"""

import json
import re
from collections.abc import Iterable, Iterator
from html import escape
from html.entities import codepoint2name
from pathlib import Path
from typing import Any, NamedTuple
from unicodedata import category, normalize
from urllib.parse import quote

import msgspec

from companion.referee.journal.codec import DECODE_ERRORS, add_checksum, json_line, strip_checksum
from companion.referee.journal.entry import JOURNAL_FORMAT, Header
from companion.system import safe_files

MIN_UNQUOTED_BYTES = 5
"""Bytes. Shorter ones occur by chance in pictures and other binary files."""
CONTEXT_BYTES = 8
"""Bytes before and after a name by which it is told from a part of a longer word."""
CHUNK_BYTES = 32 << 20
"""Bytes of a file that are looked through at once."""
EMBEDDED_PICTURE = re.compile(rb"data:image/[a-z]+;base64,[A-Za-z0-9+/=]+")
ESCAPE_ENDING = re.compile(rb"\\[bfnrt]$")
LAST_LATIN_LETTER = "\u024f"
"""The last letter of Latin Extended-B."""
OPENING_QUOTES, CLOSING_QUOTES = "\"'>", "\"'<"


class EncodedName(NamedTuple):
    """One encoding of a name."""

    raw: bytes
    encoding: str


def is_same_name(one: str, other: str) -> bool:
    """Whether two names look the same: é may be one code point or two, and nobody sees outer spaces."""
    return _as_seen(one) == _as_seen(other)


def _as_seen(name: str) -> str:
    seen = (sign for sign in normalize("NFC", name) if category(sign) != "Cf")
    return " ".join("".join(seen).split()) or name


def name_encodings(name: str) -> tuple[EncodedName, ...]:
    """All encodings of `name`, case-sensitive."""
    texts = {form: None for whole in ("NFC", "NFD") for form in _text_forms(normalize(whole, name))}
    found = {EncodedName(text.encode(), "utf-8"): None for text in texts}
    for plain in dict.fromkeys((name, normalize("NFC", name), normalize("NFD", name))):
        for encoding in ("utf-16-le", "utf-16-be", "latin-1"):
            raw = plain.encode(encoding, "ignore")
            if raw.decode(encoding) == plain and not (encoding == "latin-1" and plain.isascii()):
                found[EncodedName(raw, encoding)] = None
    return tuple(found)


def _text_forms(name: str) -> Iterator[str]:
    yield name
    inner = json.dumps(name)[1:-1]
    yield inner
    yield re.sub(r"\\u([0-9a-f]{4})", lambda found: "\\u" + found[1].upper(), inner)
    yield json.dumps(name, ensure_ascii=False)[1:-1]
    yield ascii(name)[1:-1]
    yield quote(name)
    for marked in (escape(name), escape(name, quote=False), escape(name).replace("&#x27;", "&#39;")):
        yield marked
        yield marked.encode("ascii", "xmlcharrefreplace").decode()
        yield "".join(sign if sign.isascii() else f"&#x{ord(sign):x};" for sign in marked)
        yield "".join(
            f"&{codepoint2name[ord(s)]};" if ord(s) > 127 and ord(s) in codepoint2name else s for s in marked
        )


def contains_name(data: bytes, name: str) -> bool:
    """Whether the name occurs as a word of its own. Names drawn in pictures are not found."""
    if b"data:image/" in data:
        data = EMBEDDED_PICTURE.sub(b"", data)
    return next(_occurrences(data, name, binary=b"\0" in data), None) is not None


def find_names_in_file(path: Path, names: Iterable[str]) -> set[str]:
    """Which of these names stand in a file of any size, which is read in parts; raises `OSError`."""
    wanted, found = list(names), set[str]()
    context = max((len(raw) for name in wanted for raw, _ in name_encodings(name)), default=0) + CONTEXT_BYTES
    with safe_files.open_regular_file(path, None) as stream:
        data, first, binary = stream.read(CHUNK_BYTES), 0, False
        while data:
            binary = binary or b"\0" in data
            data = EMBEDDED_PICTURE.sub(b"", data) if b"data:image/" in data else data
            more = stream.read(CHUNK_BYTES)
            last = len(data) - (CONTEXT_BYTES if more else 0)
            for name in set(wanted) - found:
                if any(first <= at and end <= last for at, end in _occurrences(data, name, binary=binary)):
                    found.add(name)
            # A name at the seam is looked at with what stands before and after it.
            seam = data[-context - CONTEXT_BYTES :]
            first = first if len(seam) == len(data) else CONTEXT_BYTES
            data = seam + more if more else b""
    return found


def remove_name(data: bytes, name: str) -> bytes:
    """The data without the name."""
    for start, end in sorted(set(_occurrences(data, name, binary=b"\0" in data)), reverse=True):
        data = data[:start] + data[end:]
    return data


def _occurrences(data: bytes, name: str, *, binary: bool) -> Iterator[tuple[int, int]]:
    for raw, encoding in name_encodings(name):
        start = data.find(raw)
        while start >= 0:
            end = start + len(raw)
            if _is_word(data, start, end, encoding, quoted=binary and len(raw) < MIN_UNQUOTED_BYTES):
                yield start, end
            start = data.find(raw, end)


def _is_word(data: bytes, start: int, end: int, encoding: str, *, quoted: bool) -> bool:
    near = min(CONTEXT_BYTES, start - start % 2) if encoding.startswith("utf-16") else CONTEXT_BYTES
    head = data[max(0, start - near) : start]
    before = "" if ESCAPE_ENDING.search(head) else head.decode(encoding, "ignore")[-1:]
    after = data[end : end + CONTEXT_BYTES].decode(encoding, "ignore")[:1]
    if quoted:
        return bool(before and after) and before in OPENING_QUOTES and after in CLOSING_QUOTES
    return not (_is_letter(before, encoding) or _is_letter(after, encoding))


def _is_letter(sign: str, encoding: str) -> bool:
    """Whether a character continues the word; in UTF-16, arbitrary neighbouring bytes look like Chinese."""
    return sign.isalnum() and not (encoding.startswith("utf-16") and sign > LAST_LATIN_LETTER)


KEYS_WITHOUT_NAMES = frozenset(
    {"format", "game", "setup", "kind", "date", "software", "language", "seed", "sum"}
)
"""Keys of a header that never contain names, in future formats either."""


def is_known_format(raw: bytes) -> bool:
    """Whether this program knows where a header of this format contains names."""
    try:
        plain = msgspec.json.decode(raw, type=dict[str, Any])
        plain.pop("sum", None)
        return msgspec.convert(plain, Header).format <= JOURNAL_FORMAT
    except DECODE_ERRORS:
        return False


def is_damaged(raw: bytes) -> bool:
    """Whether it is damaged, so that no version of the program can read it."""
    try:
        msgspec.json.decode(raw, type=dict[str, Any])
    except DECODE_ERRORS:
        return True
    return False


def names_in_header(raw: bytes) -> frozenset[str]:
    """The names in the header, as far as they can be found."""
    try:
        names = msgspec.json.decode(raw)["names"]
        found = names.values() if isinstance(names, dict) else names
        told = (one[1] if isinstance(one, list) else one for one in found)
        return frozenset(one for one in told if isinstance(one, str) and one)
    except (*DECODE_ERRORS, KeyError, TypeError, IndexError):
        return frozenset()  # damaged, or without names


def header_contains_name(raw: bytes, name: str) -> bool:
    """Whether the header contains the name."""
    if any(is_same_name(one, name) for one in names_in_header(raw)):
        return True
    return not is_known_format(raw) and remove_name_from_header(raw, name) is not None


def remove_name_from_header(raw: bytes, name: str) -> bytes | None:
    """The header without a name; None if it does not contain the name.

    In an unknown format, every string with the name becomes empty; if it is not JSON, the bytes are removed.
    A checksum that was right is right again, and a wrong one stays, so that the damage is still found.
    """
    try:
        plain = msgspec.json.decode(raw, type=dict[str, Any])
        kept = dict(plain)
        names = plain.get("names")
        if isinstance(names, list):
            kept["names"] = [one for one in names if not _names(one, name)]
        if not is_known_format(raw):
            kept = {key: one if key in KEYS_WITHOUT_NAMES else _blank(one, name) for key, one in kept.items()}
    except DECODE_ERRORS:
        left = remove_name(raw, name)
        return None if left == raw else left
    if kept == plain:
        return None
    if strip_checksum(raw) is None:
        return msgspec.json.encode(kept)
    del kept["sum"]
    kept["chain_rewritten"] = list(dict.fromkeys((*plain.get("chain_rewritten", ()), "forget")))
    return add_checksum(json_line(kept))


def _names(pair: Any, name: str) -> bool:
    return (
        isinstance(pair, list) and len(pair) == 2 and isinstance(pair[1], str) and is_same_name(pair[1], name)
    )


def _blank(value: Any, name: str) -> Any:
    """A JSON value with every string that contains the name made empty."""
    if isinstance(value, str):
        raw = value.encode("utf-8", "surrogatepass")
        return remove_name(raw, name).decode("utf-8", "surrogatepass") if contains_name(raw, name) else value
    if isinstance(value, list):
        return [_blank(one, name) for one in value]
    if isinstance(value, dict):
        return {_blank(key, name): _blank(one, name) for key, one in value.items()}
    return value
