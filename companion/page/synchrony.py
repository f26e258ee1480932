"""One phone's clock and the presses that wait for it; knows no socket and reads no clock."""

from collections.abc import Sequence
from typing import NamedTuple

from companion.page.said import MOST_READINGS, Anew, Here, Press, Time, Timed, nanos
from companion.phones.clock import MS, Exchange, Nanos, PhoneClock, grain_of
from companion.phones.stamps import Stamp, Waiting

COARSEST: Nanos = 100 * MS
"""The grain of a clock that was never seen to move."""
MOST_PENDING = 8
"""Questions for the time whose answer may still come back."""
UNFIT_FOR = 3
"""Seconds in a row in which a phone's clock was not known finely enough before it says so."""


class Placed(NamedTuple):
    """A press, and what is known of when it happened."""

    press: Press
    stamp: Stamp


class Synchrony:
    """What one connection of a phone proves about its clock."""

    def __init__(self, readings: Sequence[float]) -> None:
        """`readings` of its clock, one after the other."""
        grain = grain_of(nanos(one) for one in readings[:MOST_READINGS])
        self._clock = PhoneClock(min(grain, COARSEST) or COARSEST)
        self._waiting = Waiting(self._clock)
        self._asked: dict[int, tuple[Nanos, Nanos, Nanos]] = {}
        """Number of a question → when it was asked by the phone, came and was answered by the table."""
        self._unfit = 0

    @property
    def fit(self) -> bool:
        """Whether its presses can be placed finely enough for races."""
        return self._unfit < UNFIT_FOR and not self._clock.unfit

    def here(self, said: Here) -> None:
        """What its two clocks show now."""
        now = nanos(said.now)
        self._clock.heard(now, nanos(said.date))
        self._unfit = 0 if self._clock.fit_for_races(now) else self._unfit + said.seen

    def anew(self, said: Anew) -> None:
        self._clock.restart(nanos(said.now))

    def asked(self, said: Time, came: Nanos, answered: Nanos) -> None:
        """A question for the time came, and was answered."""
        self._asked[said.n] = nanos(said.t0), came, answered
        while len(self._asked) > MOST_PENDING:
            del self._asked[next(iter(self._asked))]

    def timed(self, said: Timed) -> None:
        """It says when the answer came."""
        known = self._asked.pop(said.n, None)
        if known is not None:
            t0, t1, t2 = known
            self._clock.exchanged(Exchange(t0, t1, t2, nanos(said.t3)))

    def pressed(self, said: Press, arrival: Nanos) -> None:
        self._waiting.press(nanos(said.at), arrival, said)

    def placed(self, now: Nanos) -> list[Placed]:
        """The presses whose instant is certain, or that cannot wait any longer."""
        return [Placed(press, stamp) for press, stamp in self._waiting.stamped(now)]

    def next_due(self) -> Nanos | None:
        """When `placed` has something to give, if nothing is heard before."""
        return self._waiting.next_due()
