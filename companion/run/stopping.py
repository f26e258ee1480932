"""A signal ends what runs in order, or from outside where its loop is too busy to notice."""

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Timer
from types import FrameType

STOPPING = (signal.SIGTERM, signal.SIGINT)
HANGUP = getattr(signal, "SIGHUP", None)
"""The terminal was closed, or the connection lost; Windows has none. Under nohup it stays ignored."""
LONGEST_BUSY = 1.0
"""Seconds until a loop that does not end is ended from outside; all it ruled is written."""


class Signals:
    """Which signals came, and that each ends what runs: in order if the loop notices it, else at once."""

    def __init__(self, stop: Callable[[], object]) -> None:
        self.came: list[int] = []
        self._stop = stop
        self._unnoticed: list[Timer] = []

    def heard(self, number: int, frame: FrameType | None) -> None:
        """A signal came; the same one again ends the program at once."""
        self.came.append(number)
        signal.signal(number, signal.SIG_DFL)
        self._stop()
        timer = Timer(LONGEST_BUSY, os.kill, (os.getpid(), number))
        timer.daemon = True
        timer.start()
        self._unnoticed.append(timer)

    def noticed(self) -> None:
        """The loop has ended: what is open is closed now, however long the disk takes."""
        for timer in self._unnoticed:
            timer.cancel()


@contextmanager
def stopped_in_order(stop: Callable[[], object]) -> Iterator[Signals]:
    """A signal has what runs `stop`."""
    signals = Signals(stop)
    before = {number: signal.signal(number, signals.heard) for number in _stopping()}
    try:
        yield signals
    finally:
        signals.noticed()
        for number, handler in before.items():
            signal.signal(number, handler)


def _stopping() -> tuple[int, ...]:
    if HANGUP is None or signal.getsignal(HANGUP) is signal.SIG_IGN:
        return STOPPING
    return (*STOPPING, HANGUP)
