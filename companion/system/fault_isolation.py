"""Fault isolation: a part of the program that raises is logged and switched off, and the game continues.

An exception that escapes a part is logged with its traceback. The part is switched off until the next game,
and one sentence on the screen names it. `run_and_log` is the only place below the command itself that catches
every exception, because nobody can list what a driver, a font or a rule may raise.
"""

import logging
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from queue import Empty, SimpleQueue
from types import MappingProxyType
from typing import ParamSpec, TypeVar

from companion.core.actions import SECOND, Micros
from companion.core.errors import CompanionError
from companion.core.view import Sentence

T = TypeVar("T")
P = ParamSpec("P")

PART_OF_THREAD: Mapping[str, str] = MappingProxyType(
    {"edges": "buttons", "fingers": "people", "backup": "appliance", "camera": "preview"}
)
"""Name of a thread → the part that depends on it."""

SCREEN_NAMES: Mapping[str, str] = MappingProxyType(
    {"door": "other", "frame": "page", "host": "other", "listener": "other", "thread": "other"}
)
"""Parts that are called differently on the screen."""

log = logging.getLogger(__name__)


def drain_queue(queue: SimpleQueue[T]) -> Iterator[T]:
    """Everything that waits in a queue now."""
    with suppress(Empty):
        while True:
            yield queue.get_nowait()


def run_and_log(what: str, step: Callable[[], object], *, known: bool = False) -> Exception | None:
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


class FaultIsolation:
    """The parts of one table, and which have failed."""

    def __init__(self) -> None:
        self._switched_off: dict[str, None] = {}
        self._news: SimpleQueue[str] = SimpleQueue()

    def run(self, name: str, step: Callable[[], T], otherwise: T, *, stays: bool = False) -> T:
        """The result of `step`, or `otherwise` once it has failed.

        `stays`: it is tried again every time, and reported and logged once.
        """
        known = name in self._switched_off
        if known and not stays:
            return otherwise
        found: list[T] = []
        if run_and_log(f"The part {name}", lambda: found.append(step()), known=known) is None:
            return found[0]
        self.switch_off(name)
        return otherwise

    def wrap(self, name: str, step: Callable[P, T], otherwise: T) -> Callable[P, T]:
        """`step` wrapped as a part that may fail."""

        def call_guarded(*args: P.args, **named: P.kwargs) -> T:
            return self.run(name, lambda: step(*args, **named), otherwise)

        return call_guarded

    def switch_off(self, name: str) -> None:
        """Switch a part off; may be called from any thread."""
        if name not in self._switched_off:
            self._switched_off[name] = None
            self.report_failure(name)

    def report_failure(self, name: str) -> None:
        """Report on the screen that a part failed."""
        self._news.put(name)

    def unreported_failures(self) -> Iterator[Sentence]:
        """Failures not reported yet."""
        return map(_failure_sentence, drain_queue(self._news))

    def failed_parts(self) -> tuple[Sentence, ...]:
        """All parts that are switched off."""
        return tuple(map(_failure_sentence, tuple(self._switched_off)))

    def reset(self) -> None:
        """Another game begins: switch every part on again."""
        self._switched_off.clear()


def _failure_sentence(name: str) -> Sentence:
    return Sentence(f"shared.part.{SCREEN_NAMES.get(name, name)}")


@contextmanager
def report_thread_failures(parts: FaultIsolation, wake: Callable[[], None]) -> Iterator[None]:
    """Treat a thread that ends with an exception as a failed part: log and report it."""

    def on_thread_exception(args: threading.ExceptHookArgs) -> None:
        log_thread_failure(args)
        name = "" if args.thread is None else args.thread.name
        parts.switch_off(PART_OF_THREAD.get(name, "thread"))
        wake()

    before, threading.excepthook = threading.excepthook, on_thread_exception
    try:
        yield
    finally:
        threading.excepthook = before


def log_thread_failure(args: threading.ExceptHookArgs) -> None:
    """Log the exception that ended a thread, instead of printing it."""
    if args.exc_value is not None:
        name = "?" if args.thread is None else args.thread.name
        log.error("The thread %s ended", name, exc_info=args.exc_value)


LOG_INTERVAL: Micros = 60 * SECOND


class RateLimit:
    """Remembers when each thing was said last."""

    def __init__(self) -> None:
        self._said: dict[str, Micros] = {}

    def should_log(self, what: str, now: Micros) -> bool:
        """Whether it is worth saying now; then it counts as said. Time that went back is another game's."""
        said = self._said.get(what)
        if said is not None and 0 <= now - said < LOG_INTERVAL:
            return False
        self._said[what] = now
        return True

    def reset(self, what: str) -> None:
        """It went well: the next time is said at once."""
        self._said.pop(what, None)
