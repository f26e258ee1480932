"""Terminal output: lines that are safe to print, and JSON for programs."""

import json
import os
import re
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from companion.core.errors import CompanionError, InputError
from companion.core.plain import plain, short

_ENDS = re.compile("(\r?\n)")


class Unheard(CompanionError):  # noqa: N818 - named for what happened
    """The output could not be written: a full disk, a closed file."""


def say(*lines: str, error: bool = False) -> None:
    """Print lines and flush; `error`: to standard error, with overlong lines shortened."""
    if error:
        with suppress(OSError):  # there is nowhere left to report it
            sys.stderr.write("".join(f"{short(plain(line))}\n" for line in lines))
            sys.stderr.flush()
        return
    _out("".join(f"{plain(line)}\n" for line in lines))


def say_heading(line: str) -> None:
    """Print a heading: bold on a terminal, unless `NO_COLOR` or a dumb terminal says otherwise."""
    wanted = sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    _out(f"\033[1m{plain(line)}\033[0m\n" if wanted else f"{plain(line)}\n")


def say_if_heard(*lines: str) -> None:
    """Like `say`, but a reader that has closed the pipe silences all further output instead of raising."""
    try:
        say(*lines)
    except BrokenPipeError:
        nobody_hears()


def nobody_hears() -> None:
    """Redirect standard output to the null device, so that a closed pipe is not written to again."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)


def say_json(value: object, *, indent: int | None = 2) -> None:
    """Print a value as JSON."""
    say(*json.dumps(value, indent=indent, ensure_ascii=False).split("\n"))


def say_json_list(values: Iterable[object]) -> None:
    """Print values as one JSON list, each as soon as it is there."""
    last = ""
    for value in values:
        whole = json.dumps(value, indent=2, ensure_ascii=False)
        said = [f"{last}," if last else "[", *(f"  {line}" for line in whole.split("\n"))]
        last = said.pop()
        say(*said)
    say(*([last, "]"] if last else ["[]"]))


def hand_over(text: str) -> None:
    """Print a whole text with its line endings unchanged."""
    _out("".join(part if part in {"\n", "\r\n"} else plain(part) for part in _ENDS.split(text)))


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """While a file that the user named is written: an `OSError` becomes an `InputError` that names it."""
    try:
        yield
    except OSError as error:
        raise InputError(f"can't write {path} ({error.strerror or error}); name another file.") from error


def _out(text: str) -> None:
    """Write and flush. Raises `BrokenPipeError` if the reader has gone, `Unheard` for any other failure."""
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        nobody_hears()
        raise Unheard(f"can't write the output: {error.strerror}.") from error
