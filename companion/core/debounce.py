"""From edges to presses: a press is stamped at its first edge, and the bounce after it is ignored.

A switch bounces for some milliseconds, a cable picks up spikes, a kernel may lose an edge. So an edge counts
when the level stays for most of the next `settle`, or comes back and back until it does (a worn switch
touches for moments only); else it is a glitch: counted, never ruled. After an edge that counts, further edges
are ignored until the lockout ends; then the level at that moment decides whether the button came up (or went
down) meanwhile, stamped there. Levels read from the pin find lost edges: such a press has the interval in
which it fell.

Where the pin can be read it has the last word: while it says other than the last edge, an edge is under way,
and what came so far may be half a burst; a lockout that seems to end with the button up, while the pin
says down, misses an edge; and a second edge down without one up between them is a new press, if the pin is
down: the release before it was lost.

An edge may reach the program late. Nothing is judged before every edge that matters must have arrived, so
the observations depend on the edges' stamps alone: not on when they were delivered, nor on how often
`advance` is called. What comes later than that belongs to the burst it is stamped in, and is no new press.
The last word on a press falls `settle + delivery` after its edge, of a worn switch `lockout + delivery`, on a
release inside the lockout `lockout + settle + delivery`: all within the 40 ms that observations wait anyway.
Only where the pin contradicts the edges is one waited for longer: `OVERDUE`.
"""

from __future__ import annotations

from bisect import insort_right
from collections.abc import Callable, Mapping
from dataclasses import replace

from companion.core.actions import HOLD, Chair, Micros
from companion.core.observations import ButtonHeld, ButtonPressed, ButtonReleased, Observation
from companion.core.one_button import (
    SWITCH,
    TIMINGS,
    Edge,
    Key,
    Line,
    Mark,
    Switch,
    Tally,
    Timing,
)

REREAD = 50_000
"""While the instant of a press matters, levels are read again this often."""


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
        self._switches: dict[Key, Switch] = {}

    def edge(self, edge: Edge, heard: Micros | None = None) -> None:
        """Take an edge in; `heard` is when the program got it, for the tally."""
        switch = self._switch(edge.source, edge.chair, edge.button)
        if edge.at >= switch.ended:
            switch.told(edge)
        if heard is not None:
            switch.heard = heard
            switch.did.delay = heard - edge.at
            switch.did.worst_delay = max(switch.did.delay, switch.did.worst_delay)

    def advance(self, now: Micros) -> list[Observation]:
        """The presses and releases that are certain by `now`, in the order of their stamps."""
        found: list[Observation] = []
        for (source, chair, button), switch in self._switches.items():
            while (due := switch.due()) is not None and due <= now:
                pin = self._pin(source, chair, button)
                if switch.locked_from is not None:
                    switch.unlock(pin=pin)
                    if pin is not None and not switch.marks:
                        switch.read(now, pin, switch.timing.settle + switch.timing.delivery)
                    continue
                if pin is not None and switch.is_half_told(pin=pin):
                    if not switch.patient:
                        switch.patient = True
                        continue
                    if pin != switch.level():  # that edge was lost
                        wait = switch.timing.settle + switch.timing.delivery
                        insort_right(
                            switch.marks, Mark(now, pin, read=True, since=switch.marks[0].at, wait=wait)
                        )
                switch.patient = False
                if switch.presses_again() and pin:
                    again = switch.press_again()
                    found += [
                        what(at=again, chair=chair, button=button, source=source)
                        for what in (ButtonReleased, ButtonPressed)
                    ]
                    continue
                first = switch.marks[0]
                switch.forget_repeats()
                if not switch.marks or switch.marks[0] is not first or (switch.due() or now) > now:
                    continue
                if pin and switch.marks[0].read and len(switch.marks) == 1 and not switch.marks[0].level:
                    switch.marks.pop()  # read while it was open for a moment
                    continue
                since = switch.unsure()
                at = switch.judge()
                if at is not None and switch.down:
                    found.append(ButtonPressed(at=at, chair=chair, button=button, source=source, since=since))
                elif at is not None:
                    found.append(ButtonReleased(at=at, chair=chair, button=button, source=source))
        return sorted(found, key=lambda seen: seen.at)

    def next_due(self) -> Micros | None:
        """When `advance` has something to judge, if nothing else happens before."""
        return min(
            (due for switch in self._switches.values() if (due := switch.due()) is not None), default=None
        )

    def reread(
        self,
        now: Micros,
        levels: Mapping[Line, bool],
        source: str = "gpio",
        *,
        wait: Micros = SWITCH.settle + SWITCH.delivery,
    ) -> None:
        """Compare with the pins' `levels`, read just *after* `now` was taken from the clock.

        A level that no edge explains becomes a press or a release at `now`, unless its edge still arrives
        within `wait`: then that edge's stamp counts.
        """
        for (chair, button), level in levels.items():
            self._switch(source, chair, button).read(now, level, wait)

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
        return {key: replace(switch.did) for key, switch in self._switches.items()}

    def _switch(self, source: str, chair: Chair | None, button: str) -> Switch:
        key = source, chair, button
        if key not in self._switches:
            self._switches[key] = Switch(self._timings[source])
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
