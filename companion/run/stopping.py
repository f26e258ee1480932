"""How a signal ends what runs: in order."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

STOPPING = (signal.SIGTERM, signal.SIGINT)


@contextmanager
def stopped_in_order(stop: Callable[[], object]) -> Iterator[list[int]]:
    """A signal has what runs `stop`, the same one again ends it at once; which ones came so far."""
    signals: list[int] = []

    def heard(number: int, frame: FrameType | None) -> None:
        signals.append(number)
        signal.signal(number, signal.SIG_DFL)
        stop()

    before = {number: signal.signal(number, heard) for number in STOPPING}
    try:
        yield signals
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
