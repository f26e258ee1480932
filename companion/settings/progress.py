"""How far something long has come, at a terminal; nothing is written elsewhere."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

WIDE = 30
EVERY = 500
"""Steps after which a long work says how far it is."""


def bar(done: int, whole: int, more: str = "") -> None:
    """So much of the whole is done; `more` stands behind it."""
    filled = WIDE * done // whole
    end = "\n" if done == whole else ""
    _over(f"[{'█' * filled}{'·' * (WIDE - filled)}] {done}/{whole}{more}{end}")


def count(done: int, what: str) -> None:
    """A count of what is done, where the total is unknown."""
    _over(f"{done} {what} ")


@contextmanager
def working(what: str) -> Iterator[None]:
    """Say what is being done while it lasts; nothing of it stays on the terminal."""
    _over(f"{what} … ")
    try:
        yield
    finally:
        erase()


def erase() -> None:
    """Take away what was drawn over and over."""
    _over("\033[K")


def _over(line: str) -> None:
    """Draw it over the line before."""
    if sys.stderr.isatty():
        sys.stderr.write(f"\r{line}")
        sys.stderr.flush()


def progress(whole: int) -> Callable[[int], None]:
    """A bar for this many steps, where they are many."""

    def tell(done: int) -> None:
        if whole >= 2 * EVERY and (done % EVERY == 0 or done == whole):
            bar(done, whole)

    return tell
