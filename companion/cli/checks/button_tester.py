"""Tests buttons live by debouncing each press exactly as the game's loop does."""

from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from companion.core.actions import Micros
from companion.core.clock import Clock
from companion.core.debounce import PIN_POLL_INTERVAL, Debouncer
from companion.core.observations import ButtonPressed
from companion.core.switch import SWITCH_TIMING, ButtonId, ButtonStatistics, Edge

REPORT_DELAY: Micros = 40_000
"""A press is reported when its burst is over for certain."""
ENCODER_POLL_INTERVAL: Micros = 4_000
"""How often a USB encoder is asked."""


class PartsUnderTest:
    """The parts under test, as the tester uses them."""

    def __init__(
        self,
        *,
        levels: Callable[[], dict[ButtonId, bool]] = dict,
        show: Callable[[frozenset[ButtonId], Micros], None] | None = None,
        poll: Callable[[], object] | None = None,
        turbo: Callable[[], Mapping[ButtonId, int]] = dict,
    ) -> None:
        """`turbo`: the buttons that press themselves, and how often a second."""
        self.levels = levels
        self.show = show
        self.poll = poll
        self.turbo = turbo


class ButtonTestResult(NamedTuple):
    """One button, as it was seen; times in microseconds."""

    button: str
    source: str
    presses: int
    glitches: int
    lost: int
    """Edges that never came: found by reading the pin."""
    worst_bounce: Micros
    worst_delay: Micros
    turbo: int = 0
    """How often a second it presses itself."""


class ButtonTester:
    """Feeds a `Debouncer` and tells about every press, as the game's loop would judge it."""

    def __init__(self, clock: Clock, table: PartsUnderTest) -> None:
        self.reported = 0
        self.delays: dict[ButtonId, list[Micros]] = {}
        """From the edge to the program, press by press."""
        self._clock = clock
        self._table = table
        self._debouncer = Debouncer()
        self._debouncer.set_initial_levels(table.levels())
        self._waiting: list[ButtonPressed] = []
        self._delays: dict[tuple[int | None, str, Micros], Micros] = {}
        self._glitches: dict[tuple[str, int | None, str], int] = {}
        self._reread_at = clock.now() + PIN_POLL_INTERVAL

    def add_edge(self, edge: Edge) -> None:
        """Take an edge in as the program gets it."""
        now = self._clock.now()
        self._debouncer.add_edge(edge, arrived=now)
        if edge.level:
            self._delays[edge.chair, edge.button, edge.at] = now - edge.at

    def report_presses(self) -> Iterator[str]:
        """Judge and light what there is now; the lines to print."""
        if self._table.poll is not None:
            self._table.poll()
        now = self._clock.now()
        if now >= self._reread_at:
            self._debouncer.compare_levels(now, self._table.levels())
            self._reread_at = now + PIN_POLL_INTERVAL
        self._waiting += [seen for seen in self._debouncer.advance(now) if isinstance(seen, ButtonPressed)]
        if self._table.show is not None:
            self._table.show(self._debouncer.buttons_maybe_down(), now)
        tallies = self._debouncer.statistics()
        while self._waiting and self._waiting[0].at + REPORT_DELAY <= now:
            press = self._waiting.pop(0)
            self.reported += 1
            tally = tallies[press.source, press.chair, press.button]
            delay = self._delays.get((press.chair, press.button, press.at))
            line = (press.chair, press.button)
            if delay is not None:
                self.delays.setdefault(line, []).append(delay)
            # What is left of this button is of bounce, and of earlier presses.
            self._delays = {key: kept for key, kept in self._delays.items() if key[:2] != line}
            when = "unknown (found by reading the pin)" if delay is None else f"{delay / 1000:.2f} ms"
            yield (
                f"{_button_name(press.chair, press.button):<8} press {tally.presses:<4}"
                f" bounce {tally.bounce / 1000:4.1f} ms   glitches {tally.glitches:<3}"
                f" delay {when}"
            )
        for key, tally in tallies.items():
            if tally.glitches > self._glitches.get(key, 0):
                self._glitches[key] = tally.glitches
                shorter = f"a glitch shorter than {SWITCH_TIMING.settle / 2000:g} ms"
                yield f"{_button_name(*key[1:]):<8} {shorter}: not a press"

    def tallies(self) -> dict[tuple[str, int | None, str], ButtonStatistics]:
        """What every button did so far."""
        return self._debouncer.statistics()

    def turbo(self) -> Mapping[ButtonId, int]:
        """The buttons that press themselves, and how often a second."""
        return self._table.turbo()

    def seconds_until_due(self) -> float:
        """Seconds, at least 0, until there is something to do, if no edge comes before."""
        dues = [self._reread_at, *(press.at + REPORT_DELAY for press in self._waiting)]
        if (due := self._debouncer.next_due()) is not None:
            dues.append(due)
        if self._table.poll is not None:
            dues.append(self._clock.now() + ENCODER_POLL_INTERVAL)
        return max(0, min(dues) - self._clock.now()) / 1e6

    def results(self) -> list[ButtonTestResult]:
        """What every button did that did something, by source, chair and name."""
        tallies = sorted(self._debouncer.statistics().items(), key=str)
        return [
            ButtonTestResult(
                _button_name(chair, button),
                source,
                tally.presses,
                tally.glitches,
                tally.lost,
                tally.worst_bounce,
                tally.worst_delay,
                self.turbo().get((chair, button), 0),
            )
            for (source, chair, button), tally in tallies
            if tally != ButtonStatistics()
        ]

    def summary_lines(self) -> Iterator[str]:
        """What every button did, and what to do about a bad one."""
        tested = self.results()
        if not tested:
            yield "No button was pressed."
            return
        yield f"{'button':<8} presses  glitches  lost edges  worst bounce  worst delay"
        for each in tested:
            yield (
                f"{each.button:<8} {each.presses:>7}  {each.glitches:>8}  {each.lost:>10}"
                f"  {each.worst_bounce / 1000:>9.1f} ms  {each.worst_delay / 1000:>8.2f} ms"
            )
            if each.worst_bounce > SWITCH_TIMING.lockout * 3 // 4:
                yield f"{'':<8} bounces too long: replace this switch"
            if each.glitches:
                yield f"{'':<8} glitches: add a pull-up of 1 to 4.7 kΩ at the Pi and twist the wires"
            if each.turbo:
                yield f"{'':<8} {turbo_fault(each.turbo)}"


def turbo_fault(rate: int) -> str:
    """What a button that presses itself so often a second is told to be."""
    return f"repeats by itself {rate} times a second: switch the encoder's turbo off, or plug it in again"


def _button_name(chair: int | None, button: str) -> str:
    return button if chair is None else f"chair {chair + 1}"
