"""Game time: the only module that reads a clock."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from typing import Protocol

from companion.actions import Micros


class Clock(Protocol):
    """Microseconds of play; never stops, never goes back."""

    def now(self) -> Micros: ...


class GameClock:
    """The kernel's monotonic clock, resumed at the journal's last instant."""

    def __init__(self, resumed_at: Micros = 0) -> None:
        self._zero_ns = time.monotonic_ns() - resumed_at * 1000

    def now(self) -> Micros:
        return (time.monotonic_ns() - self._zero_ns) // 1000

    def from_monotonic_ns(self, stamp_ns: int) -> Micros:
        """The game time of a kernel stamp (CLOCK_MONOTONIC, nanoseconds)."""
        return (stamp_ns - self._zero_ns) // 1000

    def to_monotonic_ns(self, at: Micros) -> int:
        """The kernel time of a game instant, nanoseconds."""
        return at * 1000 + self._zero_ns


class ManualClock:
    """A clock that is moved by hand: tests and `--fast`."""

    def __init__(self, at: Micros = 0) -> None:
        self._at = at

    def now(self) -> Micros:
        return self._at

    def move_to(self, at: Micros) -> None:
        """Move to `at`; an instant that has passed is left where it is."""
        self._at = max(self._at, at)

    def from_monotonic_ns(self, stamp_ns: int) -> Micros:
        return stamp_ns // 1000

    def to_monotonic_ns(self, at: Micros) -> int:
        return at * 1000


def wall_time() -> str:
    """The wall clock in UTC, ISO 8601 to the second: for a journal's header only."""
    return datetime.now(UTC).isoformat(timespec="seconds")
