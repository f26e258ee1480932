"""Finds a name in bytes, in any encoding: JSON, HTML, TOML, a URL, UTF-16."""

import json
import re
from collections.abc import Iterable, Iterator
from html import escape
from html.entities import codepoint2name
from pathlib import Path
from typing import NamedTuple
from unicodedata import normalize
from urllib.parse import quote

from companion.core import strangers

UNMISTAKABLE = 5
"""Bytes. Shorter ones occur by chance in pictures and other binary files."""
NEAR = 8
"""Bytes before and after a name by which it is told from a part of a longer word."""
PART = 32 << 20
"""Bytes of a file that are looked through at once."""
PICTURE = re.compile(rb"data:image/[a-z]+;base64,[A-Za-z0-9+/=]+")
ESCAPED = re.compile(rb"\\[bfnrt]$")
LATIN = "\u024f"
"""The last letter of Latin Extended-B."""
OPENING, CLOSING = "\"'>", "\"'<"


class Spelling(NamedTuple):
    """One encoding of a name."""

    raw: bytes
    encoding: str


def same(one: str, other: str) -> bool:
    """Whether two names are equal; é may be one code point or two."""
    return normalize("NFC", one) == normalize("NFC", other)


def spellings(name: str) -> tuple[Spelling, ...]:
    """All encodings of `name`, case-sensitive."""
    texts = {form: None for whole in ("NFC", "NFD") for form in _forms(normalize(whole, name))}
    found = {Spelling(text.encode(), "utf-8"): None for text in texts}
    for plain in dict.fromkeys((name, normalize("NFC", name), normalize("NFD", name))):
        for encoding in ("utf-16-le", "utf-16-be", "latin-1"):
            raw = plain.encode(encoding, "ignore")
            if raw.decode(encoding) == plain and not (encoding == "latin-1" and plain.isascii()):
                found[Spelling(raw, encoding)] = None
    return tuple(found)


def _forms(name: str) -> Iterator[str]:
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


def stands_in(data: bytes, name: str) -> bool:
    """Whether the name occurs as a word of its own. Names drawn in pictures are not found."""
    if b"data:image/" in data:
        data = PICTURE.sub(b"", data)
    return next(_places(data, name, binary=b"\0" in data), None) is not None


def named_in(path: Path, names: Iterable[str]) -> set[str]:
    """Which of these names stand in a file of any size, which is read in parts; raises `OSError`."""
    wanted, found = list(names), set[str]()
    context = max((len(raw) for name in wanted for raw, _ in spellings(name)), default=0) + NEAR
    with strangers.opened(path, None) as stream:
        data, first, binary = stream.read(PART), 0, False
        while data:
            binary = binary or b"\0" in data
            data = PICTURE.sub(b"", data) if b"data:image/" in data else data
            more = stream.read(PART)
            last = len(data) - (NEAR if more else 0)
            for name in set(wanted) - found:
                if any(first <= at and end <= last for at, end in _places(data, name, binary=binary)):
                    found.add(name)
            # A name at the seam is looked at with what stands before and after it.
            data, first = (data[-context - NEAR :] + more, NEAR) if more else (b"", 0)
    return found


def cut(data: bytes, name: str) -> bytes:
    """The data without the name."""
    for start, end in sorted(set(_places(data, name, binary=b"\0" in data)), reverse=True):
        data = data[:start] + data[end:]
    return data


def _places(data: bytes, name: str, *, binary: bool) -> Iterator[tuple[int, int]]:
    for raw, encoding in spellings(name):
        start = data.find(raw)
        while start >= 0:
            end = start + len(raw)
            if _is_word(data, start, end, encoding, quoted=binary and len(raw) < UNMISTAKABLE):
                yield start, end
            start = data.find(raw, end)


def _is_word(data: bytes, start: int, end: int, encoding: str, *, quoted: bool) -> bool:
    near = min(NEAR, start - start % 2) if encoding.startswith("utf-16") else NEAR
    head = data[max(0, start - near) : start]
    before = "" if ESCAPED.search(head) else head.decode(encoding, "ignore")[-1:]
    after = data[end : end + NEAR].decode(encoding, "ignore")[:1]
    if quoted:
        return bool(before and after) and before in OPENING and after in CLOSING
    return not (_is_letter(before, encoding) or _is_letter(after, encoding))


def _is_letter(sign: str, encoding: str) -> bool:
    """Whether a character continues the word; in UTF-16, arbitrary neighbouring bytes look like Chinese."""
    return sign.isalnum() and not (encoding.startswith("utf-16") and sign > LATIN)
