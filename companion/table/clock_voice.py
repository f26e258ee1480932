"""What the voice says while a clock runs down: nothing is ruled, so nothing of it is in the journal."""

from collections.abc import Iterator, Mapping

from companion.core.actions import SECOND, Chair, Micros
from companion.core.clock import earliest
from companion.core.view import ClockView, Sentence, View

MARKS = (30, 10)
"""So many seconds before its end a clock is told of."""


class ClockVoice:
    """Knows what each clock showed when it was looked at last."""

    def __init__(self) -> None:
        self._read: dict[Chair, tuple[ClockView, Micros]] = {}

    def sentences(self, view: View, now: Micros) -> Iterator[Sentence]:
        """What has to be said since it was last asked; of a clock that has just begun to run nothing."""
        read = {chair: (clock, clock.read(now)) for chair, clock in _running_clocks(view).items()}
        for chair, (clock, reading) in read.items():
            known, before = self._read.get(chair, (None, reading))
            passed = [mark for mark in MARKS if known == clock and before > mark * SECOND >= reading]
            if passed:
                yield Sentence(f"shared.clock.{passed[-1]}", (("chair", chair),))
        self._read = read

    def next_due(self) -> Micros | None:
        """When to ask again."""
        ends = [clock.reading + (clock.since or 0) for clock, _ in self._read.values()]
        left = [reading for _, reading in self._read.values()]
        marks = (
            end - mark * SECOND
            for end, now in zip(ends, left, strict=True)
            for mark in MARKS
            if now > mark * SECOND
        )
        return earliest(*marks)


def _running_clocks(view: View) -> Mapping[Chair, ClockView]:
    """The clock that runs down for each person: the one in the middle rather than that on the plate."""
    plates = {chair.chair: chair.clock for chair in view.chairs}
    middle = {
        cell.chair: cell.clock for row in view.rows for cell in row if cell.clock and cell.chair is not None
    }
    shown = {**plates, **middle}
    return {
        chair: clock for chair, clock in shown.items() if clock and clock.whole and clock.since is not None
    }


def has_running_clock(view: View) -> bool:
    """Whether anybody's time runs."""
    plates = (chair.clock for chair in view.chairs)
    cells = (cell.clock for row in view.rows for cell in row)
    return any(clock is not None and clock.since is not None for clock in (*plates, *cells))
