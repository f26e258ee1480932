"""Game clocks, and the only place that reads the system's time. No other module reads a clock."""

import time
from datetime import UTC, datetime, timedelta
from typing import Protocol

from companion.core.actions import Micros


class Clock(Protocol):
    """Game time in microseconds. It never stops, and is reset only when another game begins."""

    speed: float
    """Game time per real time."""

    def restart(self, at: Micros = 0) -> None:
        """Begin another game at `at`: 0 for a new one, the journal's last instant for a resumed one."""

    def now(self) -> Micros: ...

    def from_monotonic_ns(self, stamp_ns: int) -> Micros:
        """The game time of a kernel stamp (CLOCK_MONOTONIC, nanoseconds)."""
        ...

    def to_monotonic_ns(self, at: Micros) -> int:
        """The kernel time (CLOCK_MONOTONIC, nanoseconds) of an instant in game time."""
        ...

    def seconds_until(self, at: Micros) -> float:
        """Real seconds until an instant in game time; 0 or less if it has passed."""
        ...


class GameClock:
    """Game time from the kernel's monotonic clock; a demo may run it faster or slower."""

    def __init__(self, at: Micros = 0) -> None:
        self.speed = 1.0
        self._at = at
        self._since_ns = time.monotonic_ns()

    def restart(self, at: Micros = 0) -> None:
        self._at, self._since_ns, self.speed = at, time.monotonic_ns(), 1.0

    def set_speed(self, speed: float) -> None:
        """Change the speed, in game seconds per real second, from now on; the game time does not jump."""
        self._at, self._since_ns, self.speed = self.now(), time.monotonic_ns(), speed

    def now(self) -> Micros:
        return self.from_monotonic_ns(time.monotonic_ns())

    def from_monotonic_ns(self, stamp_ns: int) -> Micros:
        return self._at + round((stamp_ns - self._since_ns) * self.speed) // 1000

    def to_monotonic_ns(self, at: Micros) -> int:
        return self._since_ns + round((at - self._at) * 1000 / self.speed)

    def seconds_until(self, at: Micros) -> float:
        """Real seconds, at the present speed, until an instant in game time; below 0 if it has passed."""
        return (at - self.now()) / 1e6 / self.speed


class ManualClock:
    """A clock that is moved explicitly, for tests and `--fast`."""

    speed = 1.0

    def __init__(self, at: Micros = 0) -> None:
        self._at = at

    def restart(self, at: Micros = 0) -> None:
        self._at = at

    def now(self) -> Micros:
        return self._at

    def move_to(self, at: Micros) -> None:
        """Move forward to `at`; never backward."""
        self._at = max(self._at, at)

    def from_monotonic_ns(self, stamp_ns: int) -> Micros:
        return stamp_ns // 1000

    def to_monotonic_ns(self, at: Micros) -> int:
        return at * 1000

    def seconds_until(self, at: Micros) -> float:
        """Always 0 seconds: nothing waits for a clock that is moved by hand."""
        return 0.0


def earliest(*dues: Micros | None) -> Micros | None:
    """The first of several instants at which something is due; None: of those for which nothing is."""
    return min((due for due in dues if due is not None), default=None)


def monotonic_ns() -> int:
    """The kernel's monotonic clock, in nanoseconds: the same for every process of a machine."""
    return time.monotonic_ns()


def wall_time() -> str:
    """Wall-clock time in UTC, ISO 8601 to the second, for a journal's header."""
    return datetime.now(UTC).isoformat(timespec="seconds")


EARLIEST, LATEST = "2026", "2056"
"""The year in which this program was written, as `wall_time` begins, and one when nobody uses it any more."""


def is_clock_wrong(wall: str) -> bool:
    """Whether a wall-clock time cannot be right: a machine without a battery starts in 1970, or anywhere."""
    return not EARLIEST <= wall < LATEST


def add_to_wall_time(wall: str, after: Micros) -> str:
    """The wall-clock time some microseconds after another, in the form of `wall_time`; empty: none."""
    try:
        return (datetime.fromisoformat(wall) + timedelta(microseconds=after)).isoformat(timespec="seconds")
    except (ValueError, OverflowError):
        return ""


def wall_time_difference(wall: str, other: str) -> float | None:
    """By how many seconds one wall-clock time is ahead of another; None: one of them is none."""
    try:
        return (datetime.fromisoformat(wall) - datetime.fromisoformat(other)).total_seconds()
    except (ValueError, TypeError):
        return None
