"""Progress bars and counters on a terminal."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

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
