"""When a phone was pressed: bounds of its clock's offset that message exchanges prove, and the stamps they
allow.

A phone stamps a press with its own clock, `performance.now()`. An exchange of messages gives t0 and t3 by the
phone (sent, answered) and t1 and t2 by the table (received, answered). A message never arrives before it was
sent, so whatever the way to and the way back took, the offset (table less phone) lies in

    [t2 − t3, t1 − t0]          (Marzullo and Owicki, "Maintaining the time in a distributed system", 1983)

Each bound is widened by `DRIFT_PPM` of its age and by `GRAINS` grains of the phone's clock. What several
exchanges say is intersected. Nothing is averaged, and no way is taken to be as long as the other.

Instants and spans are whole nanoseconds: CLOCK_MONOTONIC of the machine for the table, `performance.now()`
for the phone. Nothing here reads a clock.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from typing import Any, NamedTuple

from companion.core.actions import MAX_PHONE_LAG, Value

Nanos = int
"""Nanoseconds; which clock's is told by the name."""

MS: Nanos = 1_000_000
EXCHANGE_WINDOW: Nanos = 10_000 * MS
"""An exchange that is older than this tells nothing any more."""
DRIFT_PPM = 1_000
"""Parts of a million by which an offset may move: adjtimex(2) lets each end be slewed by 500."""
GRAINS = 2
"""A clock that rounds tells an instant up to one grain early or late. Two of its readings are compared: the
one in the exchange and the press's own."""
SLEEP_GAP: Nanos = 3_000 * MS
"""A page that is awake sends something each second; after such a silence it slept."""
MAX_CLOCK_JUMP: Nanos = 20 * MS
"""By how much `Date.now()` may move against `performance.now()`: beyond it, one of them stood or was set."""
MAX_RACE_HALF_WIDTH: Nanos = 25 * MS
"""A phone whose interval reaches further than this to either side is not fit for races."""


class ClockExchange(Value, frozen=True):
    """One message of the phone and its answer."""

    t0: Nanos
    """The phone sent, by its clock."""
    t1: Nanos
    """The table received it, by the table's clock."""
    t2: Nanos
    """The table answered, by the table's clock."""
    t3: Nanos
    """The phone received the answer, by its clock."""


class TimeInterval(NamedTuple):
    """From `low` to `high`, both included; empty if they are the wrong way round."""

    low: Nanos
    high: Nanos

    @property
    def is_empty(self) -> bool:
        return self.low > self.high

    @property
    def middle(self) -> Nanos:
        return (self.low + self.high) // 2

    @property
    def half_width(self) -> Nanos:
        """How far it reaches from its middle, rounded up."""
        return (self.high - self.low + 1) // 2

    def shift_by(self, by: Nanos) -> TimeInterval:
        return TimeInterval(self.low + by, self.high + by)


class PhoneClock:
    """What is known of one phone's clock since it connected; owned by what takes its messages in."""

    def __init__(self, grain: Nanos) -> None:
        """`grain` is the smallest step its clock was seen to make (`clock_grain`)."""
        self.grain = grain
        self.is_contradictory = False
        """An exchange contradicted itself, so its stamps mean nothing; stays so until it connects again."""
        self.restarts = 0
        """How often everything known was thrown away."""
        self._exchanges: list[ClockExchange] = []
        self._last_reading: tuple[Nanos, Nanos] | None = None
        self._restarted_at: Nanos | None = None
        """Where its clock stood at the last restart: answers to what was asked before do not count."""

    def note_clock_reading(self, monotonic: Nanos, date: Nanos) -> None:
        """A message says what the phone's two clocks, `performance.now()` and `Date.now()`, show now.

        If one of them stood still or was set since the last message, everything known is discarded.
        """
        if self._last_reading is not None:
            gone, by_date = monotonic - self._last_reading[0], date - self._last_reading[1]
            if not 0 <= gone <= SLEEP_GAP or abs(by_date - gone) > MAX_CLOCK_JUMP:
                self.discard_exchanges(monotonic)
        self._last_reading = monotonic, date

    def discard_exchanges(self, now: Nanos) -> None:
        """Forget what was asked up to `now` by the phone's clock: the page was hidden, shown again, or slept.

        That goes for the exchanges that are still under way, too.
        """
        self._exchanges.clear()
        self._restarted_at = now
        self.restarts += 1

    def add_exchange(self, exchange: ClockExchange) -> None:
        """Take an exchange in; one that contradicts those before it restarts all."""
        if self.is_contradictory or (self._restarted_at is not None and exchange.t0 <= self._restarted_at):
            return
        if self._offset_interval([exchange], exchange.t3).is_empty:
            self.is_contradictory = True
            self._exchanges.clear()
            return
        newest = max([exchange.t3, *(one.t3 for one in self._exchanges)])
        kept = [one for one in (*self._exchanges, exchange) if newest - one.t3 <= EXCHANGE_WINDOW]
        if self._offset_interval(kept, exchange.t3).is_empty:
            self.discard_exchanges(exchange.t0)
            kept = [exchange]
        self._exchanges = kept

    def press_interval(self, pressed: Nanos) -> TimeInterval | None:
        """When, by the table's clock, the phone's clock showed `pressed`; None: nobody can tell.

        It takes an answer received before the press and one received after it, and both must agree.
        """
        near = self._recent_exchanges(pressed)
        after = sum(one.t3 > pressed for one in near)
        return self.expected_interval(pressed) if 0 < after < len(near) else None

    def expected_interval(self, pressed: Nanos) -> TimeInterval | None:
        """The same by the exchanges there are so far, whether or not one came after the press."""
        near = self._recent_exchanges(pressed)
        if not near:
            return None
        offset = self._offset_interval(near, pressed)
        return None if offset.is_empty else offset.shift_by(pressed)

    def is_fit_for_races(self, now: Nanos) -> bool:
        """Whether a press at `now`, by the phone's clock, could be placed finely enough."""
        known = self.expected_interval(now)
        return known is not None and known.half_width <= MAX_RACE_HALF_WIDTH

    def _recent_exchanges(self, instant: Nanos) -> list[ClockExchange]:
        return [one for one in self._exchanges if abs(instant - one.t3) <= EXCHANGE_WINDOW]

    def _offset_interval(self, exchanges: Iterable[ClockExchange], at: Nanos) -> TimeInterval:
        """Table less phone when the phone's clock shows `at`, by all of these exchanges."""
        grains = GRAINS * self.grain
        bounds = [
            (
                one.t2 - one.t3 - _max_drift(at - one.t3) - grains,
                one.t1 - one.t0 + _max_drift(at - one.t0) + grains,
            )
            for one in exchanges
        ]
        return TimeInterval(max(low for low, _ in bounds), min(high for _, high in bounds))


def _max_drift(age: Nanos) -> Nanos:
    """By how much the offset may have moved in so long, rounded up."""
    return -(-abs(age) * DRIFT_PPM // 1_000_000)


def clock_grain(readings: Iterable[Nanos]) -> Nanos:
    """The smallest step between readings of one clock; 0 if it never moved."""
    shown = sorted(set(readings))
    return min((later - earlier for earlier, later in pairwise(shown)), default=0)


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
    """The stamp of a press that arrived at `arrival`, happened `within` and is handed on `now`.

    To a loop that stood still since, `now` is when it judged last.
    """
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
        """When `take_stamped` has something to give, if no exchange comes in before."""
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
