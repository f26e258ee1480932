"""Parts that may fail while the game continues.

An exception that escapes a part is logged with its traceback. The part is switched off until the next game,
and one sentence on the screen names it. `caught` is the only place below the command itself that catches
every exception, because nobody can list what a driver, a font or a rule may raise.
"""

import logging
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
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
"""Name of a thread → the part that depends on it."""

SAID_AS: Mapping[str, str] = MappingProxyType(
    {"door": "other", "frame": "page", "host": "other", "listener": "other", "thread": "other"}
)
"""Parts that are called differently on the screen."""

log = logging.getLogger(__name__)


def taken_out(queue: SimpleQueue[T]) -> Iterator[T]:
    """Everything that waits in a queue now."""
    with suppress(Empty):
        while True:
            yield queue.get_nowait()


def caught(what: str, step: Callable[[], object], *, known: bool = False) -> Exception | None:
    """Run `step`; returns the exception that escaped it, after logging it. A closed pipe is not a failure.

    `known`: it was logged before and is not logged again.
    """
    try:
        step()
    except BrokenPipeError:
        raise
    except CompanionError as problem:  # its text says what to do
        if not known:
            log.warning("%s", problem)
        return problem
    except Exception as failure:  # whatever it is, the game continues
        if not known:
            log.exception("%s failed", what)
        return failure
    return None


class Parts:
    """The parts of one table, and which have failed."""

    def __init__(self) -> None:
        self._off: dict[str, None] = {}
        self._news: SimpleQueue[str] = SimpleQueue()

    def run(self, name: str, step: Callable[[], T], otherwise: T, *, stays: bool = False) -> T:
        """The result of `step`, or `otherwise` once it has failed.

        `stays`: it is tried again every time, and reported and logged once.
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
        """`step` wrapped as a part that may fail."""

        def guarded(*args: P.args, **named: P.kwargs) -> T:
            return self.run(name, lambda: step(*args, **named), otherwise)

        return guarded

    def fell(self, name: str) -> None:
        """Switch a part off; may be called from any thread."""
        if name not in self._off:
            self._off[name] = None
            self.tell(name)

    def tell(self, name: str) -> None:
        """Report on the screen that a part failed."""
        self._news.put(name)

    def news(self) -> Iterator[Sentence]:
        """Failures not reported yet."""
        return map(_sentence, taken_out(self._news))

    def off(self) -> tuple[Sentence, ...]:
        """All parts that are switched off."""
        return tuple(map(_sentence, tuple(self._off)))

    def reset(self) -> None:
        """Another game begins: switch every part on again."""
        self._off.clear()


def _sentence(name: str) -> Sentence:
    return Sentence(f"shared.part.{SAID_AS.get(name, name)}")


@contextmanager
def watched_threads(parts: Parts, wake: Callable[[], None]) -> Iterator[None]:
    """Treat a thread that ends with an exception as a failed part: log and report it."""

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
    """Log the exception that ended a thread, instead of printing it."""
    if args.exc_value is not None:
        name = "?" if args.thread is None else args.thread.name
        log.error("The thread %s ended", name, exc_info=args.exc_value)
