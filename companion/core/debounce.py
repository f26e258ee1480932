"""From edges to presses: a press is its first edge, and what a switch does after that is not.

A switch bounces for some milliseconds, a cable picks up spikes, a kernel may lose an edge. So an edge counts
when the level stays for most of the next `settle`; shorter is a glitch: counted, never ruled. After an edge
that counts, further edges are ignored until the lockout ends; then the level at that moment decides whether
the button came up (or went down) meanwhile, stamped there. Levels read from the pin find lost edges.

Where the pin can be read it has the last word: while it says other than the last edge, an edge is under way,
and what came so far may be half a burst; a lockout that seems to end with the button up, while the pin
says down, misses an edge; and a second edge down without one up between them is a new press, if the pin is
down: the release before it was lost.

An edge may reach the program late. Nothing is judged before every edge that matters must have arrived, so
the observations depend on the edges' stamps alone: not on when they were delivered, nor on how often
`advance` is called. What comes later than that belongs to the burst it is stamped in, and is no new press.
The last word on a press falls `settle + delivery` after its edge, on a release inside the lockout
`lockout + settle + delivery`: both within the 40 ms that observations wait anyway.
"""

from __future__ import annotations

from bisect import insort_right
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from companion.core.actions import HOLD, Chair, Micros, Value
from companion.core.observations import ButtonHeld, ButtonPressed, ButtonReleased, Observation

Line = tuple[Chair | None, str]
"""One button: (chair, `seat`) or (None, `back`|`next`|`ok`)."""
Key = tuple[str, Chair | None, str]
"""A button as one source knows it: (source, chair, button)."""


class Edge(Value, frozen=True):
    """A button's level changed to `level` (down is True) at the instant `at`."""

    chair: Chair | None
    button: str
    level: bool
    at: Micros
    source: str = "gpio"


class Timing(Value, frozen=True):
    """How a source of edges behaves."""

    settle: Micros
    """The level has to stay for most of this time after an edge."""
    lockout: Micros
    """After an edge that counts, further ones are bounce for this long."""
    delivery: Micros
    """An edge reaches the program at the latest this long after its stamp."""


SWITCH = Timing(settle=4_000, lockout=16_000, delivery=16_000)
"""A real switch. Callbacks of gpiozero on lgpio were at most 16 ms late in a loaded virtual Pi; together the
three stay below the 40 ms after which the loop judges."""
OVERDUE: Micros = 64_000
"""So long an edge is waited for that must be under way, as the pin is not where the edges so far lead: half a
spike looks like a press, half a burst like a spike."""
CLEAN = Timing(settle=0, lockout=0, delivery=0)
"""Keys and the touch screen: debounced before we see them, and the loop itself makes their edges."""
TIMINGS: Mapping[str, Timing] = {"gpio": SWITCH, "usb": SWITCH, "key": CLEAN, "touch": CLEAN}

REREAD = 50_000
"""While a timed window is open, levels are read again this often."""


class Tally(Value, frozen=True):
    """What one button has done so far: for `press` and `doctor`."""

    presses: int = 0
    glitches: int = 0
    lost: int = 0
    """Edges that never arrived: found by reading the level, or by two equal edges in a row."""
    bounce: Micros = 0
    """From the first to the last edge of the last press's burst."""
    worst_bounce: Micros = 0
    delay: Micros = 0
    """From the last edge's stamp to the program."""
    worst_delay: Micros = 0


@dataclass(slots=True, order=True)
class _Mark:
    """The level is known to be `level` from `at` on."""

    at: Micros
    level: bool = field(compare=False)
    read: bool = field(compare=False, default=False)
    """Known by reading the pin, not by an edge."""


@dataclass(slots=True)
class _Switch:
    """One button of one source. Unless locked, the raw level before `marks` is `down`."""

    timing: Timing
    down: bool = False
    raw: bool = False
    locked_from: Micros | None = None
    ended: Micros = -1
    """Where the last lockout ended: edges stamped before are part of its burst, however late they come."""
    patient: bool = False
    """The first mark waits for an edge that is under way."""
    heard: Micros = 0
    """When the last edge reached the program, if that was told."""
    marks: list[_Mark] = field(default_factory=list)
    presses: int = 0
    glitches: int = 0
    lost: int = 0
    bounce: Micros = 0
    worst_bounce: Micros = 0
    delay: Micros = 0
    worst_delay: Micros = 0

    def level(self) -> bool:
        return self.marks[-1].level if self.marks else self.raw

    def lit(self) -> bool:
        """Whether it is down or may be."""
        return self.down or any(mark.level for mark in self.marks)

    def due(self) -> Micros | None:
        """The instant at which everything needed for the next judgement has arrived."""
        if self.locked_from is not None:
            return self.locked_from + self.timing.lockout + self.timing.delivery
        if self.marks and self.patient:
            return max(self.marks[0].at, self.heard) + OVERDUE
        if self.marks:
            return self.marks[0].at + self.timing.settle + self.timing.delivery
        return None

    def is_half_told(self, *, pin: bool) -> bool:
        """Whether an edge is under way that may change what the first mark is, as the pin has moved on.

        Edges of a button come in their order: one that is known from after the settling leaves nothing open.
        """
        told = [mark for mark in self.marks if not mark.read]
        if not told or told[-1].level == pin:
            return False
        return told[-1].at - self.marks[0].at < self.timing.settle

    def unlock(self, *, pin: bool | None) -> None:
        """End the lockout; a level that is not the one judged becomes an edge at its end.

        `pin` is the level read now: an edge that is still under way would say the same.
        """
        assert self.locked_from is not None
        end = self.ended = self.locked_from + self.timing.lockout
        bounced = self.locked_from
        while self.marks and self.marks[0].at < end:
            mark = self.marks.pop(0)
            self.raw = mark.level
            if mark.level == self.down:
                bounced = mark.at
        if self.down:
            self.bounce = bounced - self.locked_from
            self.worst_bounce = max(self.bounce, self.worst_bounce)
        self.locked_from = None
        if self.raw != self.down and (self.marks or pin is not self.down):
            self.marks.insert(0, _Mark(end, self.raw))
        self.raw = self.down

    def presses_again(self) -> bool:
        """Whether the first mark is a press without a release before it."""
        first = self.marks[0]
        return first.level and self.down and self.raw and not first.read

    def press_again(self) -> Micros:
        """Take the first mark for a press whose release before it was lost; its stamp."""
        mark = self.marks.pop(0)
        self.lost += 1
        self.presses += 1
        self.locked_from = mark.at if self.timing.lockout else None
        return mark.at

    def forget_repeats(self) -> None:
        """Drop marks that say what is known already."""
        while self.marks and self.marks[0].level == self.down:
            mark = self.marks.pop(0)
            self.lost += self.raw == mark.level and not mark.read
            self.raw = mark.level
        if len(self.marks) > 1 and self.marks[0].read and self._explains(self.marks[1]):
            self.marks.pop(0)

    def _explains(self, edge: _Mark) -> bool:
        """Whether an edge lies between a reading's stamp and the moment the pin was really read."""
        reading = self.marks[0]
        return edge.level == reading.level and edge.at - reading.at <= self.timing.delivery

    def stays(self) -> bool:
        """Whether the level of the first mark holds for most of the time to settle."""
        first, end, held = self.marks[0], self.marks[0].at + self.timing.settle, 0
        for mark, following in zip(self.marks, [*self.marks[1:], _Mark(end, level=False)], strict=True):
            if mark.level == first.level:
                held += max(0, min(following.at, end) - mark.at)
        return 2 * held > self.timing.settle or self.timing.settle == 0

    def judge(self) -> Micros | None:
        """The stamp of the first mark if it counts; a glitch otherwise."""
        counts = self.stays()
        mark = self.marks.pop(0)
        self.raw = mark.level
        if not counts:
            self.glitches += 1
            return None
        self.down = mark.level
        self.lost += mark.read
        self.presses += mark.level
        self.locked_from = mark.at if self.timing.lockout else None
        return mark.at


class Lockout:
    """Turns edges into presses and releases; owned by the main loop."""

    def __init__(
        self,
        level: Callable[[Chair | None, str], bool | None] | None = None,
        timings: Mapping[str, Timing] = TIMINGS,
    ) -> None:
        """`level` reads a pin now (None: there is none); it is asked when a lockout of `gpio` ends."""
        self._level = level
        self._timings = timings
        self._switches: dict[Key, _Switch] = {}

    def edge(self, edge: Edge, heard: Micros | None = None) -> None:
        """Take an edge in; `heard` is when the program got it, for the tally."""
        switch = self._switch(edge.source, edge.chair, edge.button)
        if edge.at >= switch.ended:
            insort_right(switch.marks, _Mark(edge.at, edge.level))
            switch.patient = False
        if heard is not None:
            switch.heard = heard
            switch.delay = heard - edge.at
            switch.worst_delay = max(switch.delay, switch.worst_delay)

    def advance(self, now: Micros) -> list[Observation]:
        """The presses and releases that are certain by `now`, in the order of their stamps."""
        found: list[Observation] = []
        for (source, chair, button), switch in self._switches.items():
            while (due := switch.due()) is not None and due <= now:
                pin = self._pin(source, chair, button)
                if switch.locked_from is not None:
                    switch.unlock(pin=pin)
                    if pin is not None and not switch.marks and pin != switch.level():
                        insort_right(switch.marks, _Mark(now, pin, read=True))
                    continue
                if pin is not None and switch.is_half_told(pin=pin):
                    if not switch.patient:
                        switch.patient = True
                        continue
                    if pin != switch.level():  # that edge was lost
                        insort_right(switch.marks, _Mark(now, pin, read=True))
                switch.patient = False
                if switch.presses_again() and pin:
                    again = switch.press_again()
                    found += [
                        what(at=again, chair=chair, button=button, source=source)
                        for what in (ButtonReleased, ButtonPressed)
                    ]
                    continue
                switch.forget_repeats()
                if not switch.marks or (switch.due() or now) > now:
                    continue
                at = switch.judge()
                if at is not None:
                    kind = ButtonPressed if switch.down else ButtonReleased
                    found.append(kind(at=at, chair=chair, button=button, source=source))
        return sorted(found, key=lambda seen: seen.at)

    def next_due(self) -> Micros | None:
        """When `advance` has something to judge, if nothing else happens before."""
        return min(
            (due for switch in self._switches.values() if (due := switch.due()) is not None), default=None
        )

    def reread(self, now: Micros, levels: Mapping[Line, bool], source: str = "gpio") -> None:
        """Compare with the pins' `levels`, read just *after* `now` was taken from the clock.

        A level that no edge explains becomes a press or a release at `now`, unless its edge still arrives
        in time: then that edge's stamp counts.
        """
        for (chair, button), level in levels.items():
            switch = self._switch(source, chair, button)
            if switch.level() != level:
                insort_right(switch.marks, _Mark(now, level, read=True))

    def adopt(self, levels: Mapping[Line, bool], source: str = "gpio") -> None:
        """Take `levels` as they are at the start: a button held down then was not pressed."""
        for (chair, button), level in levels.items():
            switch = self._switch(source, chair, button)
            switch.down = switch.raw = level

    def inherit(self, before: Lockout) -> None:
        """Go on from another lockout's levels; a pin that was read here already is known better."""
        for key, switch in before._switches.items():
            if key not in self._switches:
                heir = self._switch(*key)
                heir.down = heir.raw = switch.level()

    def down(self) -> list[Key]:
        """What is judged to be down."""
        return [key for key, switch in self._switches.items() if switch.down]

    def is_lit(self, key: Key) -> bool:
        """Whether this button is down or may be."""
        switch = self._switches.get(key)
        return switch is not None and switch.lit()

    def lit(self) -> frozenset[Line]:
        """The buttons that are down or may be: first light, before anything is judged."""
        return frozenset(
            (chair, button) for (_, chair, button), switch in self._switches.items() if switch.lit()
        )

    def tallies(self) -> dict[Key, Tally]:
        """What every button has done so far, by (source, chair, button)."""
        return {
            key: Tally(
                presses=switch.presses,
                glitches=switch.glitches,
                lost=switch.lost,
                bounce=switch.bounce,
                worst_bounce=switch.worst_bounce,
                delay=switch.delay,
                worst_delay=switch.worst_delay,
            )
            for key, switch in self._switches.items()
        }

    def _switch(self, source: str, chair: Chair | None, button: str) -> _Switch:
        key = source, chair, button
        if key not in self._switches:
            self._switches[key] = _Switch(self._timings[source])
        return self._switches[key]

    def _pin(self, source: str, chair: Chair | None, button: str) -> bool | None:
        """The level of a pin now; None where it cannot be read."""
        return self._level(chair, button) if self._level and source == "gpio" else None


class Holds:
    """Makes `ButtonHeld` at press + HOLD, as a timer: fed with the observations in the order of judgement."""

    def __init__(self) -> None:
        self._down: dict[Key, Micros] = {}

    def seen(self, observation: Observation) -> None:
        """Take note of a press or a release that is judged now; call `advance` up to its stamp first."""
        match observation:
            case ButtonPressed(at=at, chair=chair, button=button, source=source):
                self._down[source, chair, button] = at + HOLD
            case ButtonReleased(chair=chair, button=button, source=source):
                self._down.pop((source, chair, button), None)

    def due(self) -> Micros | None:
        """When the next hold falls."""
        return min(self._down.values(), default=None)

    def advance(self, until: Micros) -> list[ButtonHeld]:
        """The holds that fall at or before `until`, in their order."""
        fallen = sorted(
            (at, -1 if chair is None else chair, button, source)
            for (source, chair, button), at in self._down.items()
            if at <= until
        )
        return [
            self._fall((source, None if chair < 0 else chair, button), at)
            for at, chair, button, source in fallen
        ]

    def forget(self) -> None:
        """Buttons that are down now will not become holds: after a pause, undo or restart."""
        self._down.clear()

    def _fall(self, key: Key, at: Micros) -> ButtonHeld:
        source, chair, button = key
        del self._down[key]
        return ButtonHeld(at=at, chair=chair, button=button, source=source)
