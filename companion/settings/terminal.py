"""What is said on the terminal: lines that nothing from a file can steer, and what programs read."""

from __future__ import annotations

import json
import os
import sys

from companion.core.plain import plain


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
    """Whoever read our output has gone: what is left in it must not be flushed there again."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)


def say_json(value: object, *, indent: int | None = 2) -> None:
    """A value as JSON, for people and programs."""
    say(*json.dumps(value, indent=indent, ensure_ascii=False).split("\n"))


def hand_over(text: str) -> None:
    """A file's content to whatever reads our output, as it is."""
    sys.stdout.write(text)
