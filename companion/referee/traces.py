"""Finds a name in bytes, in any encoding: JSON, HTML, TOML, a URL, UTF-16."""

import json
import re
from collections.abc import Iterator
from html import escape
from html.entities import codepoint2name
from typing import NamedTuple
from unicodedata import normalize
from urllib.parse import quote

UNMISTAKABLE = 5
"""Bytes. Shorter ones occur by chance in pictures and other binary files."""
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
    return next(_places(data, name), None) is not None


def cut(data: bytes, name: str) -> bytes:
    """The data without the name."""
    for start, end in sorted(set(_places(data, name)), reverse=True):
        data = data[:start] + data[end:]
    return data


def _places(data: bytes, name: str) -> Iterator[tuple[int, int]]:
    binary = b"\0" in data
    for raw, encoding in spellings(name):
        start = data.find(raw)
        while start >= 0:
            end = start + len(raw)
            if _is_word(data, start, end, encoding, quoted=binary and len(raw) < UNMISTAKABLE):
                yield start, end
            start = data.find(raw, end)


def _is_word(data: bytes, start: int, end: int, encoding: str, *, quoted: bool) -> bool:
    near = min(8, start - start % 2) if encoding.startswith("utf-16") else 8
    head = data[max(0, start - near) : start]
    before = "" if ESCAPED.search(head) else head.decode(encoding, "ignore")[-1:]
    after = data[end : end + 8].decode(encoding, "ignore")[:1]
    if quoted:
        return bool(before and after) and before in OPENING and after in CLOSING
    return not (_is_letter(before, encoding) or _is_letter(after, encoding))


def _is_letter(sign: str, encoding: str) -> bool:
    """Whether a character continues the word; in UTF-16, arbitrary neighbouring bytes look like Chinese."""
    return sign.isalnum() and not (encoding.startswith("utf-16") and sign > LATIN)
