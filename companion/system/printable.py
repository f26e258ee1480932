"""Escaping of control characters in text from files and devices.

A name may contain a line break, a terminal's control sequence or a character that reverses the direction of
writing. Printed as it is, it could forge a line of output or hide one.
"""

import re

INVISIBLE_CHARACTERS = re.compile(
    "[\x00-\x1f\x7f-\x9f"  # controls, among them line breaks and what begins a terminal's sequences
    "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"  # which way writing runs
    "\u00ad\u180e\u200b\u2060-\u2065\u206a-\u206f\ufeff\ufff9-\ufffb"  # no width, and no letters joined
    "\u2028\u2029"  # other line breaks
    "\ud800-\udfff"  # bytes of a file's name that are no letters
    "\U000e0000-\U000e007f]"  # letters that nobody sees
)
MAX_WORD_LENGTH = 200
"""Characters without a space between them; file names have at most 255."""
MAX_LINE_LENGTH = 1_000
"""Characters in a line of an error message."""


def to_printable(text: str) -> str:
    """The text on one line, with control and formatting characters escaped as \\uXXXX.

    JSON remains equivalent, because its strings may use those escapes.
    """
    return INVISIBLE_CHARACTERS.sub(_json_escape, text)


def shorten_text(text: str) -> str:
    """The text, with overlong words and lines shortened to their beginning and end."""
    words = _LONG_WORD.sub(lambda found: _shorten(found[0], MAX_WORD_LENGTH), text)
    return _shorten(words, MAX_LINE_LENGTH)


def count_with_noun(count: int, one: str, many: str = "") -> str:
    """A count with its noun: 1 game, 2 games; `many` is an irregular plural."""
    return f"{count} {one if count == 1 else many or f'{one}s'}"


_LONG_WORD = re.compile(rf"\S{{{MAX_WORD_LENGTH + 1},}}")


def _shorten(text: str, most: int) -> str:
    end = most // 4
    return text if len(text) <= most else f"{text[: most - end - 1]}…{text[-end:]}"


def _json_escape(found: re.Match[str]) -> str:
    """The JSON escape: a surrogate pair beyond U+FFFF."""
    units = found[0].encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[at : at + 2].hex()}" for at in range(0, len(units), 2))
