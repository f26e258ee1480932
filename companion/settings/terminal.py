"""What is said on the terminal: lines that nothing from a file can steer, and what programs read."""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Iterable
from contextlib import suppress

from companion.core.errors import CompanionError
from companion.core.plain import plain, short

_ENDS = re.compile("(\r?\n)")


class Unheard(CompanionError):  # noqa: N818 - what it says, not what it is
    """What should have been said has no room: a full disk, a closed output."""


def say(*lines: str, error: bool = False) -> None:
    """Lines on the terminal, at once; `error`: where errors go, at a length that people read."""
    if error:
        with suppress(OSError):  # nowhere is left to say it
            sys.stderr.write("".join(f"{short(plain(line))}\n" for line in lines))
            sys.stderr.flush()
        return
    _out("".join(f"{plain(line)}\n" for line in lines))


def say_heading(line: str) -> None:
    """A line that others stand under: bold where somebody looks and nobody asked for plain text."""
    wanted = sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    _out(f"\033[1m{plain(line)}\033[0m\n" if wanted else f"{plain(line)}\n")


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


def say_json_list(values: Iterable[object]) -> None:
    """Values as one JSON list, each said as it comes."""
    last = ""
    for value in values:
        whole = json.dumps(value, indent=2, ensure_ascii=False)
        said = [f"{last}," if last else "[", *(f"  {line}" for line in whole.split("\n"))]
        last = said.pop()
        say(*said)
    say(*([last, "]"] if last else ["[]"]))


def hand_over(text: str) -> None:
    """A whole text to whatever reads our output, its line ends as they are."""
    _out("".join(part if part in {"\n", "\r\n"} else plain(part) for part in _ENDS.split(text)))


def _out(text: str) -> None:
    """All of it, or `Unheard`; `BrokenPipeError` where whoever read it has gone."""
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        nobody_hears()
        raise Unheard(f"can't write the output: {error.strerror}.") from error
