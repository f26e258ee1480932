"""Clock synchronisation with one phone, and the presses that wait for it."""

from collections.abc import Sequence
from typing import NamedTuple

from companion.core.phone_clock import MS, ClockExchange, Nanos, PhoneClock, clock_grain
from companion.core.phone_stamps import PendingPresses, PressStamp
from companion.network.web.browser_messages import (
    MAX_CLOCK_READINGS,
    BrowserPress,
    ClockReset,
    Heartbeat,
    TimeQuestion,
    TimeReceipt,
    to_nanoseconds,
)

MAX_CLOCK_GRAIN: Nanos = 100 * MS
"""The grain of a clock that was never seen to move."""
MAX_PENDING_QUESTIONS = 8
"""Questions for the time whose answer may still come back."""
UNFIT_SECONDS = 3
"""Seconds in a row in which a phone's clock was not known finely enough before it says so."""


class PlacedPress(NamedTuple):
    """A press, and what is known of when it happened."""

    press: BrowserPress
    stamp: PressStamp


class ClockSync:
    """What one connection of a phone proves about its clock."""

    def __init__(self, readings: Sequence[float]) -> None:
        """`readings` of its clock, one after the other."""
        grain = clock_grain(to_nanoseconds(one) for one in readings[:MAX_CLOCK_READINGS])
        self._clock = PhoneClock(min(grain, MAX_CLOCK_GRAIN) or MAX_CLOCK_GRAIN)
        self._waiting = PendingPresses(self._clock)
        self._asked: dict[int, tuple[Nanos, Nanos, Nanos]] = {}
        """Number of a question → when it was asked by the phone, came and was answered by the table."""
        self._unfit = 0

    @property
    def fit(self) -> bool:
        """Whether its presses can be placed finely enough for races."""
        return self._unfit < UNFIT_SECONDS and not self._clock.is_contradictory

    def on_heartbeat(self, said: Heartbeat) -> None:
        """What its two clocks show now."""
        now = to_nanoseconds(said.now)
        self._clock.note_clock_reading(now, to_nanoseconds(said.date))
        self._unfit = 0 if self._clock.is_fit_for_races(now) else self._unfit + said.seen

    def on_clock_reset(self, said: ClockReset) -> None:
        self._clock.discard_exchanges(to_nanoseconds(said.now))

    def on_time_question(self, said: TimeQuestion, came: Nanos, answered: Nanos) -> None:
        """A question for the time came, and was answered."""
        self._asked[said.n] = to_nanoseconds(said.t0), came, answered
        while len(self._asked) > MAX_PENDING_QUESTIONS:
            del self._asked[next(iter(self._asked))]

    def on_time_receipt(self, said: TimeReceipt) -> None:
        """It says when the answer came."""
        known = self._asked.pop(said.n, None)
        if known is not None:
            t0, t1, t2 = known
            self._clock.add_exchange(ClockExchange(t0, t1, t2, to_nanoseconds(said.t3)))

    def add_press(self, said: BrowserPress, arrival: Nanos) -> None:
        self._waiting.add_press(to_nanoseconds(said.at), arrival, said)

    def take_placed(self, now: Nanos) -> list[PlacedPress]:
        """The presses whose instant is certain, or that cannot wait any longer."""
        return [PlacedPress(press, stamp) for press, stamp in self._waiting.take_stamped(now)]

    def next_due(self) -> Nanos | None:
        """When `placed` has something to give, if nothing is heard before."""
        return self._waiting.next_due()
