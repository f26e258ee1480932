"""The edge of the terminal and of the screen: what files, headers and devices say is shown, never obeyed.

A name may hold a line break, a terminal's control sequence or a mark that turns the writing round; as it is,
it could forge a line of a list or hide what stands there.
"""

from __future__ import annotations

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
"""Signs without a space; a file's name has at most 255."""
LONGEST_LINE = 1_000
"""Signs of a line that somebody is to read."""


def plain(text: str) -> str:
    """The text on one line; what steers a terminal or the direction of writing is spelled out as \\uXXXX.

    JSON stays the same JSON: its strings may hold those characters in that form.
    """
    return UNSEEN.sub(_spelled, text)


def short(text: str) -> str:
    """The text at a length that people read: of what is longer the beginning and the end."""
    words = _LONG.sub(lambda found: _clipped(found[0], LONGEST_WORD), text)
    return _clipped(words, LONGEST_LINE)


def counted(count: int, one: str, many: str = "") -> str:
    """So many of something: 1 game, 2 games; `many`: where that is not one with an s."""
    return f"{count} {one if count == 1 else many or f'{one}s'}"


_LONG = re.compile(rf"\S{{{LONGEST_WORD + 1},}}")


def _clipped(text: str, most: int) -> str:
    end = most // 4
    return text if len(text) <= most else f"{text[: most - end - 1]}…{text[-end:]}"


def _spelled(found: re.Match[str]) -> str:
    """As JSON spells it: beyond four digits in two halves."""
    units = found[0].encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[at : at + 2].hex()}" for at in range(0, len(units), 2))
