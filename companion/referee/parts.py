"""Parts that may fail while the game goes on.

What escapes a part goes into the log with its traceback. The part is switched off until the next game begins,
and the table is told in one sentence which part it was. `caught` is the one place below the command itself
that catches whatever comes: nobody can list what a driver, a font or a rule may raise.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from queue import Empty, SimpleQueue
from types import MappingProxyType
from typing import ParamSpec, TypeVar

from companion.core.errors import CompanionError
from companion.core.view import Sentence

T = TypeVar("T")
P = ParamSpec("P")

OF_THREADS: Mapping[str, str] = MappingProxyType(
    {"edges": "buttons", "fingers": "people", "backup": "appliance", "camera": "preview"}
)
"""Thread → the part that ends with it."""

SAID_AS: Mapping[str, str] = MappingProxyType(
    {"frame": "page", "host": "other", "listener": "other", "thread": "other"}
)
"""Parts that people know by another name."""

log = logging.getLogger(__name__)


def caught(what: str, step: Callable[[], object], *, known: bool = False) -> Exception | None:
    """Run `step`; what escaped it, which is in the log by then. A reader who left is no failure.

    `known`: the log has it already.
    """
    try:
        step()
    except BrokenPipeError:
        raise
    except CompanionError as problem:  # says itself what to do
        if not known:
            log.warning("%s", problem)
        return problem
    except Exception as failure:  # whatever it is, the people at the table play on
        if not known:
            log.exception("%s failed", what)
        return failure
    return None


class Parts:
    """What may fail at one table, and what has."""

    def __init__(self) -> None:
        self._off: dict[str, None] = {}
        self._news: SimpleQueue[str] = SimpleQueue()

    def run(self, name: str, step: Callable[[], T], otherwise: T, *, stays: bool = False) -> T:
        """What `step` gives; `otherwise` when it fails, and from then on.

        `stays`: it is tried again every time, and only told and logged once.
        """
        known = name in self._off
        if known and not stays:
            return otherwise
        found: list[T] = []
        if caught(f"The part {name}", lambda: found.append(step()), known=known) is None:
            return found[0]
        self.fell(name)
        return otherwise

    def guard(self, name: str, step: Callable[P, T], otherwise: T) -> Callable[P, T]:
        """`step` as a part that may fail."""

        def guarded(*args: P.args, **named: P.kwargs) -> T:
            return self.run(name, lambda: step(*args, **named), otherwise)

        return guarded

    def fell(self, name: str) -> None:
        """A part is off; any thread may say so."""
        if name not in self._off:
            self._off[name] = None
            self.tell(name)

    def tell(self, name: str) -> None:
        """Have the table told that a part failed."""
        self._news.put(name)

    def news(self) -> Iterator[Sentence]:
        """What the table has not been told yet."""
        while True:
            try:
                yield _sentence(self._news.get_nowait())
            except Empty:
                return

    def off(self) -> tuple[Sentence, ...]:
        """Everything that is switched off now."""
        return tuple(map(_sentence, tuple(self._off)))

    def anew(self) -> None:
        """Another game begins: every part may try again."""
        self._off.clear()


def _sentence(name: str) -> Sentence:
    return Sentence(f"shared.part.{SAID_AS.get(name, name)}")


@contextmanager
def watched_threads(parts: Parts, wake: Callable[[], None]) -> Iterator[None]:
    """A thread that ends by an exception is a part that failed: it is logged and told."""

    def fell(args: threading.ExceptHookArgs) -> None:
        log_thread(args)
        name = "" if args.thread is None else args.thread.name
        parts.fell(OF_THREADS.get(name, "thread"))
        wake()

    before, threading.excepthook = threading.excepthook, fell
    try:
        yield
    finally:
        threading.excepthook = before


def log_thread(args: threading.ExceptHookArgs) -> None:
    """What ended a thread goes into the log, not onto the terminal."""
    if args.exc_value is not None:
        name = "?" if args.thread is None else args.thread.name
        log.error("The thread %s ended", name, exc_info=args.exc_value)
