"""Ends the program in order on a signal, or at once if its loop hangs."""

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Timer
from types import FrameType

STOP_SIGNALS = (signal.SIGTERM, signal.SIGINT)
HANGUP_SIGNAL = getattr(signal, "SIGHUP", None)
"""The terminal was closed, or the connection lost; Windows has none. Under nohup it stays ignored."""
MAX_BUSY_TIME = 5.0
"""Seconds until a loop that does not end is ended from outside; all it ruled is written.

So long because the first frame of a busy machine may take some; whoever cannot wait sends the signal twice.
"""


class SignalHandler:
    """Which signals came, and that each ends what runs: in order if the loop notices it, else at once."""

    def __init__(self, stop: Callable[[], object]) -> None:
        self.came: list[int] = []
        self._stop = stop
        self._unnoticed: list[Timer] = []

    def handle_signal(self, number: int, frame: FrameType | None) -> None:
        """A signal came; the same one again ends the program at once."""
        self.came.append(number)
        signal.signal(number, signal.SIG_DFL)
        self._stop()
        timer = Timer(MAX_BUSY_TIME, os.kill, (os.getpid(), number))
        timer.daemon = True
        timer.start()
        self._unnoticed.append(timer)

    def cancel_forced_exit(self) -> None:
        """The loop has ended: what is open is closed now, however long the disk takes."""
        for timer in self._unnoticed:
            timer.cancel()


@contextmanager
def stop_on_signals(stop: Callable[[], object]) -> Iterator[SignalHandler]:
    """A signal has what runs `stop`."""
    signals = SignalHandler(stop)
    before = {number: signal.signal(number, signals.handle_signal) for number in _stop_signals()}
    try:
        yield signals
    finally:
        signals.cancel_forced_exit()
        for number, handler in before.items():
            signal.signal(number, handler)


def _stop_signals() -> tuple[int, ...]:
    if HANGUP_SIGNAL is None or signal.getsignal(HANGUP_SIGNAL) is signal.SIG_IGN:
        return STOP_SIGNALS
    return (*STOP_SIGNALS, HANGUP_SIGNAL)
