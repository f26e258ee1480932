"""The edge of the terminal and of the screen: what files, headers and devices say is shown, never obeyed.

A name may hold a line break, a terminal's control sequence or a mark that turns the writing round; as it is,
it could forge a line of a list or hide what stands there.
"""

from __future__ import annotations

import json
import os
import re
import sys

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


def say(*lines: str, error: bool = False) -> None:
    """Lines on the terminal, at once; `error`: where errors go."""
    stream = sys.stderr if error else sys.stdout
    stream.write("".join(f"{plain(line)}\n" for line in lines))
    stream.flush()


def say_if_heard(*lines: str) -> None:
    """As `say`; where whoever read our output has gone, what is said from then on goes nowhere."""
    try:
        say(*lines)
    except BrokenPipeError:
        nobody_hears()


def nobody_hears() -> None:
    """Our output is taken by nobody any more, and what is in it must not be flushed there again."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)


def say_json(value: object, *, indent: int | None = 2) -> None:
    """A value as JSON, for people and programs."""
    say(*json.dumps(value, indent=indent, ensure_ascii=False).split("\n"))


def hand_over(text: str) -> None:
    """A file's content to whatever reads our output, as it is."""
    sys.stdout.write(text)
