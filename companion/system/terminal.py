"""Terminal output that is safe to print, as lines, JSON or progress."""

import json
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from companion.core.errors import CompanionError, InputError

_ENDS = re.compile("(\r?\n)")


class OutputError(CompanionError):
    """The output could not be written: a full disk, a closed file."""


def print_lines(*lines: str, error: bool = False) -> None:
    """Print lines and flush; `error`: to standard error, with overlong lines shortened."""
    if error:
        with suppress(OSError):  # there is nowhere left to report it
            sys.stderr.write("".join(f"{shorten_text(to_printable(line))}\n" for line in lines))
            sys.stderr.flush()
        return
    _write_out("".join(f"{to_printable(line)}\n" for line in lines))


def print_heading(line: str) -> None:
    """Print a heading: bold on a terminal, unless `NO_COLOR` or a dumb terminal says otherwise."""
    wanted = sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    _write_out(f"\033[1m{to_printable(line)}\033[0m\n" if wanted else f"{to_printable(line)}\n")


def print_unless_closed(*lines: str) -> None:
    """Like `print_lines`, but a reader that has closed the pipe silences all further output instead of
    raising.
    """
    try:
        print_lines(*lines)
    except BrokenPipeError:
        silence_output()


def silence_output() -> None:
    """Redirect standard output to the null device, so that a closed pipe is not written to again."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)


def print_json(value: object, *, indent: int | None = 2) -> None:
    """Print a value as JSON."""
    print_lines(*json.dumps(value, indent=indent, ensure_ascii=False).split("\n"))


def print_json_list(values: Iterable[object]) -> None:
    """Print values as one JSON list, each as soon as it is there."""
    last = ""
    for value in values:
        whole = json.dumps(value, indent=2, ensure_ascii=False)
        said = [f"{last}," if last else "[", *(f"  {line}" for line in whole.split("\n"))]
        last = said.pop()
        print_lines(*said)
    print_lines(*([last, "]"] if last else ["[]"]))


def print_text(text: str) -> None:
    """Print a whole text with its line endings unchanged."""
    _write_out("".join(part if part in {"\n", "\r\n"} else to_printable(part) for part in _ENDS.split(text)))


@contextmanager
def explain_write_errors(path: Path) -> Iterator[None]:
    """While a file that the user named is written: an `OSError` becomes an `InputError` that names it."""
    try:
        yield
    except OSError as error:
        raise InputError(f"can't write {path} ({error.strerror or error}); name another file.") from error


def _write_out(text: str) -> None:
    """Write and flush.

    Raises `BrokenPipeError` if the reader has gone, `OutputError` for any other failure.
    """
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        silence_output()
        raise OutputError(f"can't write the output: {error.strerror}.") from error


BAR_WIDTH = 30
REPORT_INTERVAL = 500
"""Steps after which a long work says how far it is."""


def draw_bar(done: int, whole: int, more: str = "") -> None:
    """So much of the whole is done; `more` stands behind it."""
    filled = BAR_WIDTH * done // whole
    end = "\n" if done == whole else ""
    _overwrite_line(f"[{'█' * filled}{'·' * (BAR_WIDTH - filled)}] {done}/{whole}{more}{end}")


def draw_count(done: int, what: str) -> None:
    """A count of what is done, where the total is unknown."""
    _overwrite_line(f"{done} {what} ")


@contextmanager
def show_activity(what: str) -> Iterator[None]:
    """Say what is being done while it lasts; nothing of it stays on the terminal."""
    _overwrite_line(f"{what} … ")
    try:
        yield
    finally:
        erase_line()


def erase_line() -> None:
    """Take away what was drawn over and over."""
    _overwrite_line("\033[K")


def _overwrite_line(line: str) -> None:
    """Draw it over the line before."""
    if sys.stderr.isatty():
        sys.stderr.write(f"\r{line}")
        sys.stderr.flush()


def make_progress_bar(whole: int) -> Callable[[int], None]:
    """A bar for this many steps, where they are many."""

    def report(done: int) -> None:
        if whole >= 2 * REPORT_INTERVAL and (done % REPORT_INTERVAL == 0 or done == whole):
            draw_bar(done, whole)

    return report


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
