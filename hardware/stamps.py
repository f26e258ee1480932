"""Kernel stamps and game time."""

from __future__ import annotations

from typing import Protocol

from companion.actions import Micros


class StampClock(Protocol):
    """A game clock that knows the kernel's monotonic clock: both clocks of `companion.clock` do."""

    def now(self) -> Micros: ...

    def from_monotonic_ns(self, stamp_ns: int) -> Micros: ...

    def to_monotonic_ns(self, at: Micros) -> int: ...
