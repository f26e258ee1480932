"""Makes text from files and devices safe to print.

A name may contain a line break, a terminal's control sequence or a character that reverses the direction of
writing. Printed as it is, it could forge a line of output or hide one.
"""

import re

UNSEEN = re.compile(
    "[\x00-\x1f\x7f-\x9f"  # controls, among them line breaks and what begins a terminal's sequences
    "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"  # which way writing runs
    "\u00ad\u180e\u200b\u2060-\u2065\u206a-\u206f\ufeff\ufff9-\ufffb"  # no width, and no letters joined
    "\u2028\u2029"  # other line breaks
    "\ud800-\udfff"  # bytes of a file's name that are no letters
    "\U000e0000-\U000e007f]"  # letters that nobody sees
)
LONGEST_WORD = 200
"""Characters without a space between them; file names have at most 255."""
LONGEST_LINE = 1_000
"""Characters in a line of an error message."""


def plain(text: str) -> str:
    """The text on one line, with control and formatting characters escaped as \\uXXXX.

    JSON remains equivalent, because its strings may use those escapes.
    """
    return UNSEEN.sub(_spelled, text)


def short(text: str) -> str:
    """The text, with overlong words and lines shortened to their beginning and end."""
    words = _LONG.sub(lambda found: _clipped(found[0], LONGEST_WORD), text)
    return _clipped(words, LONGEST_LINE)


def counted(count: int, one: str, many: str = "") -> str:
    """A count with its noun: 1 game, 2 games; `many` is an irregular plural."""
    return f"{count} {one if count == 1 else many or f'{one}s'}"


_LONG = re.compile(rf"\S{{{LONGEST_WORD + 1},}}")


def _clipped(text: str, most: int) -> str:
    end = most // 4
    return text if len(text) <= most else f"{text[: most - end - 1]}…{text[-end:]}"


def _spelled(found: re.Match[str]) -> str:
    """The JSON escape: a surrogate pair beyond U+FFFF."""
    units = found[0].encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[at : at + 2].hex()}" for at in range(0, len(units), 2))
