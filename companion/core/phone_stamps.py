"""Time stamp of a phone's press, so that nobody gains by a slow link or a false clock.

    stamp = max(middle of its interval, arrival − PHONE_LAG), at most its arrival

So a slow link counts later, a forged stamp gains at most `MAX_PHONE_LAG`, and no press arrives after it
should have been judged. The interval itself is evidence: it is kept and drawn, and never compared. A press
that is not synchronised (`PhoneClock.press_interval`) counts from its arrival.

A press waits for the exchange that follows it as long as its instant is not judged. If that moves its instant
to before what is judged by then, it counts from the earliest instant that is not. Instants are nanoseconds of
the table's clock, but for `pressed`, which is the phone's.
"""

from typing import Any, NamedTuple

from companion.core.actions import MAX_PHONE_LAG
from companion.core.phone_clock import MS, Nanos, PhoneClock, TimeInterval

MAX_LAG: Nanos = MAX_PHONE_LAG * 1_000
MAX_WAIT: Nanos = MAX_LAG + 35 * MS
"""So long after its stamp a press is handed on at the latest: 5 ms before the loop judges that instant."""


class PressStamp(NamedTuple):
    """When a press counts, and what is known of when it was."""

    at: Nanos
    within: TimeInterval | None
    """The interval in which it happened; None: not synchronised, it counts from its arrival."""
    arrival: Nanos

    @property
    def added_delay(self) -> Nanos:
        """By how much it counts later than the middle of its interval, because the link is slow."""
        return 0 if self.within is None else max(0, self.at - self.within.middle)


def stamp_press(within: TimeInterval | None, arrival: Nanos, now: Nanos) -> PressStamp:
    """The stamp of a press that arrived at `arrival`, happened `within` and is handed on `now`."""
    if within is None:
        return PressStamp(arrival, None, arrival)
    earliest = max(arrival - MAX_LAG, now - MAX_WAIT)
    return PressStamp(min(arrival, max(within.middle, earliest)), within, arrival)


class _PendingPress(NamedTuple):
    pressed: Nanos
    arrival: Nanos
    restarts: int
    """The clock's `restarts` at the press: if they grow, nothing dates this press any more."""
    what: Any


class PendingPresses:
    """The presses of one phone whose stamp is not certain yet."""

    def __init__(self, clock: PhoneClock) -> None:
        self._clock = clock
        self._presses: list[_PendingPress] = []

    def add_press(self, pressed: Nanos, arrival: Nanos, what: Any) -> None:
        """The phone says that `what` was pressed when its clock showed `pressed`."""
        self._presses.append(_PendingPress(pressed, arrival, self._clock.restarts, what))

    def take_stamped(self, now: Nanos) -> list[tuple[Any, PressStamp]]:
        """What is certain by `now`, or cannot wait any longer, in the order in which it arrived."""
        ready, waiting = [], []
        for press in self._presses:
            within = self._within(press)
            if within is not None or now >= self._deadline(press):
                ready.append((press.what, stamp_press(within, press.arrival, now)))
            else:
                waiting.append(press)
        self._presses = waiting
        return ready

    def next_due(self) -> Nanos | None:
        """When `stamped` has something to give, if no exchange comes in before."""
        return min(map(self._deadline, self._presses), default=None)

    def _within(self, press: _PendingPress) -> TimeInterval | None:
        stands = press.restarts == self._clock.restarts
        return self._clock.press_interval(press.pressed) if stands else None

    def _deadline(self, press: _PendingPress) -> Nanos:
        """Until when an answer may still place it: its instant is judged `MAX_LAG` and a grace later."""
        stands = press.restarts == self._clock.restarts
        expected = self._clock.expected_interval(press.pressed) if stands else None
        if expected is None:
            return press.arrival
        return stamp_press(expected, press.arrival, press.arrival).at + MAX_WAIT
