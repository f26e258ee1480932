"""The edge of the terminal and of the screen: what files, headers and devices say is shown, never obeyed.

A name may hold a line break, a terminal's control sequence or a mark that turns the writing round; as it is,
it could forge a line of a list or hide what stands there.
"""

from __future__ import annotations

import re

UNSEEN = re.compile(
    "[\x00-\x1f\x7f-\x9f"  # controls, among them line breaks and what begins a terminal's sequences
    "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"  # which way writing runs
    "\u2028\u2029"  # other line breaks
    "\ud800-\udfff]"  # bytes of a file's name that are no letters
)


def plain(text: str) -> str:
    """The text on one line; what steers a terminal or the direction of writing is spelled out as \\uXXXX.

    JSON stays the same JSON: its strings may hold those characters in that form.
    """
    return UNSEEN.sub(lambda found: f"\\u{ord(found[0]):04x}", text)
