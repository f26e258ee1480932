"""Debouncer that turns button edges into presses, each stamped at its first edge.

A switch bounces for some milliseconds, a cable picks up spikes, a kernel may lose an edge. An edge counts if
its level persists for most of the next `settle`, or keeps recurring until it does (a worn switch makes short
contacts only). Otherwise it is a glitch, which is counted and never judged. After an edge that counts,
further edges are ignored until the lockout ends, which lasts longer after a release: a worn contact opens
slowly. The level at that moment decides whether the button was released (or pressed) in the meantime, and is
stamped there. Polling the pins finds lost edges; such a press
carries the interval in which it must have happened.

Where the pin can be read, it decides. While it contradicts the last edge, another edge is in transit, and the
edges so far may be half a burst. If a lockout seems to end with the button up while the pin says down, an
edge is missing. A second edge down without one up in between is a new press if the pin is down: the release
was lost.

An edge may reach the program late. Nothing is judged until every edge that matters must have arrived, so the
observations depend only on the edges' time stamps, not on when they were delivered or how often `advance` is
called. An edge that arrives even later belongs to the burst of its time stamp and is not a new press. A press
is decided `settle + delivery` after its edge, that of a worn switch `lockout + delivery`, and a release
inside the lockout `lockout + settle + delivery`: all within the 40 ms for which observations are held anyway.
Only if the pin contradicts the edges is the wait longer: `MAX_EDGE_DELAY`. What it said counts if no edge
explains it by then.

A disturbance is not a finger: its edges, on all pins, are forgotten. What they left `CALM` after the last of
them is told by the next edge, or by the pin where none comes: what is closed then was pressed at an unknown
instant in between. Two presses within `TOGETHER` may be all that arrived of one, so they wait for
`MAX_EDGE_DELAY`.
"""

from __future__ import annotations

from bisect import insort_right
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

from companion.core.actions import HOLD_TIME, Chair, Micros
from companion.core.observations import ButtonHeld, ButtonPressed, ButtonReleased, Observation
from companion.core.switch import (
    MAX_EDGE_DELAY,
    NEVER,
    SWITCH_TIMING,
    TIMINGS,
    TOGETHER,
    ButtonId,
    ButtonKey,
    ButtonStatistics,
    Edge,
    LevelMark,
    Switch,
)

PIN_POLL_INTERVAL = 50_000
"""Polling interval, in microseconds, while the time of a press matters."""
MAX_DISTURBANCES = 8
"""So many are remembered after the pins were read, until the last edges of each have arrived."""
CALM = 50_000
"""How long after a disturbance, in microseconds, the pins say again what is pressed."""


class Debouncer:
    """Turns edges into presses and releases; used by the main loop only."""

    def __init__(self, level: Callable[[Chair | None, str], bool | None] | None = None) -> None:
        """`level` reads a pin (None: there is none); it is called when a lockout of `gpio` ends."""
        self._level = level
        self._switches: dict[ButtonKey, Switch] = {}
        self._lit: frozenset[ButtonId] | None = None
        self._due: tuple[Micros | None] | None = None
        """What `lit` and `next_due` say, until anything is noted or judged."""
        self._disturbances: list[tuple[Micros, Micros]] = []
        """From when until when edges of pins say nothing: disturbances and `CALM`, the last noticed last.

        After the program stood still each pin tells of all of them in turn.
        """

    def add_edge(self, edge: Edge, arrived: Micros | None = None, ruled: Micros = -1) -> None:
        """Add an edge; `arrived` is when it arrived, for the statistics.

        What was found up to `ruled` stays as it is, should the edge tell of a disturbance.
        """
        self._lit = self._due = None
        switch = self._switch(edge.source, edge.chair, edge.button)
        if edge.disturbed:
            self._disturb(edge.at, ruled)
        hidden_since = self._hidden_since(edge.at) if edge.source == "gpio" else None
        if hidden_since is not None:
            switch.note_unheard(hidden_since, edge.at)
        elif edge.at >= switch.last_lockout_end:
            switch.add_edge(edge)
            if edge.source == "gpio" and edge.level:
                self._wait_for_third(switch, edge.at)
        if arrived is not None:
            switch.last_arrival = arrived
            switch.statistics.delay = arrived - edge.at
            switch.statistics.worst_delay = max(switch.statistics.delay, switch.statistics.worst_delay)

    def advance(self, now: Micros, read_at: Micros | None = None) -> list[Observation]:
        """The presses and releases that are decided by `now`, in order of their time stamps.

        `read_at` is when the pins are read, if that is later: after the program stood still.
        """
        due = self.next_due()
        if due is None or due > now:
            return []
        read_at = now if read_at is None else read_at
        self._lit = self._due = None
        self._read_when_calm(read_at)
        decided: list[Observation] = []
        for key, switch in self._switches.items():
            while (due := switch.due_at()) is not None and due <= now:
                decided += self._judge_switch(key, switch, now, read_at)
        return sorted(decided, key=lambda observation: observation.at)

    def _judge_switch(
        self, key: ButtonKey, switch: Switch, now: Micros, read_at: Micros
    ) -> Iterator[Observation]:
        """One step of a switch that is due; a step that decides nothing may only say when the next is."""
        source, chair, button = key
        pin = self._read_pin(source, chair, button)
        if switch.locked_from is not None:
            switch.unlock(pin=pin)
            if pin is not None and not switch.marks:
                switch.add_polled_level(read_at, pin, switch.timing.settle + switch.timing.delivery)
            return
        if pin is not None and switch.awaits_edge(pin=pin):
            if pin != switch.level() and self._hidden_since(read_at) is None:  # stands if that edge was lost
                begun = switch.marks[0].at
                mark = LevelMark(read_at, pin, read=True, since=begun, wait=MAX_EDGE_DELAY)
                insort_right(switch.marks, mark)
            if not switch.awaiting_edge:
                switch.awaiting_edge = True
                return
        switch.awaiting_edge = False
        if switch.is_repeated_press() and pin:
            down, at = switch.marks[0].since, switch.judge_repeated_press()
            yield ButtonReleased(at=at, chair=chair, button=button, source=source, since=down)
            yield ButtonPressed(at=at, chair=chair, button=button, source=source)
            return
        first = switch.marks[0]
        switch.drop_repeats()
        if not switch.marks or switch.marks[0] is not first or (switch.due_at() or now) > now:
            return
        if pin and first.read and first.hidden is None and len(switch.marks) == 1 and not first.level:
            switch.marks.pop()  # polled during a short loss of contact
            return
        since, settled_at = switch.uncertain_since(), switch.judge_first_mark()
        if settled_at is not None and switch.down:
            yield ButtonPressed(at=settled_at, chair=chair, button=button, source=source, since=since)
        elif settled_at is not None:
            yield ButtonReleased(at=settled_at, chair=chair, button=button, source=source, since=since)

    def next_due(self) -> Micros | None:
        """When `advance` next has something to judge, unless something happens before."""
        if self._due is None:
            dues = (due for switch in self._switches.values() if (due := switch.due_at()) is not None)
            calm = [] if self._unknown_since is None else [self._calm_at()]
            self._due = (min([*dues, *calm], default=None),)
        return self._due[0]

    def compare_levels(
        self,
        now: Micros,
        levels: Mapping[ButtonId, bool],
        *,
        wait: Micros = SWITCH_TIMING.settle + SWITCH_TIMING.delivery,
        read_at: Micros | None = None,
    ) -> None:
        """Compare with the pins' `levels`, read just *after* `now` was taken from the clock.

        A level that no edge explains becomes a press or release at `now`, unless its edge arrives within
        `wait`; then that edge's time stamp counts. `read_at`: when they were read, if that was later; what
        was read in a disturbance counts for nothing.
        """
        read_at = now if read_at is None else read_at
        if self._hidden_since(now) is not None or self._hidden_since(read_at) is not None:
            return
        self._lit = self._due = None
        for (chair, button), level in levels.items():
            self._switch("gpio", chair, button).add_polled_level(now, level, wait, read_at)

    def postpone_readings(self, since: Micros, until: Micros) -> None:
        """What was read off the pins after `since` may have been read as late as `until`."""
        self._lit = self._due = None
        for switch in self._switches.values():
            switch.postpone_readings(since, until)

    def _disturb(self, at: Micros, ruled: Micros) -> None:
        """A disturbance goes on at `at`: forget what pins said since it began."""
        since, until = at - TOGETHER, at + CALM
        same = [one for one in self._disturbances if since <= one[1] and until >= one[0]]
        since, until = min([since, *(one[0] for one in same)]), max([until, *(one[1] for one in same)])
        others = [one for one in self._disturbances if one not in same]
        self._disturbances = [*others, (since, until)]
        for (source, _, _), switch in self._switches.items():
            if source == "gpio":
                switch.forget(since, until, ruled)

    def _wait_for_third(self, switch: Switch, at: Micros) -> None:
        """Two pins together may be two of a disturbance's: a third one's edge may be late."""
        others = (other for key, other in self._switches.items() if key[0] == "gpio" and other is not switch)
        near = [mark for other in others for mark in other.edges_near(at)]
        for mark in (*near, *switch.edges_near(at)) if near else ():
            mark.wait = MAX_EDGE_DELAY

    def _hidden_since(self, at: Micros) -> Micros | None:
        """Since when a disturbance hides what pins say at `at`; None: none does."""
        return min((since for since, until in self._disturbances if since <= at <= until), default=None)

    def _calm_at(self) -> Micros:
        """When the last disturbance is over."""
        return max((until for _, until in self._disturbances), default=0)

    @property
    def _unknown_since(self) -> Micros | None:
        """Since when it is not known what pins were, until they are read; None: it is."""
        marks = (mark for switch in self._switches.values() for mark in switch.marks)
        return min((mark.since for mark in marks if mark.at == NEVER), default=None)

    def _read_when_calm(self, now: Micros) -> None:
        """After a disturbance: what is closed then was pressed in it, and what is open was let go."""
        if self._unknown_since is None or now < self._calm_at():
            return
        self._disturbances = self._disturbances[-MAX_DISTURBANCES:]
        for (source, chair, button), switch in self._switches.items():
            switch.read_hidden(now, self._read_pin(source, chair, button))

    @property
    def disturbed(self) -> tuple[Micros, Micros] | None:
        """From when until when edges of pins say nothing: the disturbance noticed last, and `CALM`."""
        return self._disturbances[-1] if self._disturbances else None

    def stands(self, seen: ButtonPressed | ButtonReleased) -> bool:
        """Whether what was found is still so after a disturbance."""
        switch = self._switch(seen.source, seen.chair, seen.button)
        return any(turn.at == seen.at for turn in switch.turned)

    @property
    def awaits_calm(self) -> bool:
        """Whether the pins are still to be read after a disturbance."""
        return self._unknown_since is not None

    def may_find_press(self, at: Micros) -> bool:
        """Whether a press may still be found that was no later than `at`: it is not judged yet."""
        since = self._unknown_since
        switches = (switch for switch in self._switches.values() if switch.locked_from is None)
        marks = (mark for one in switches for mark in one.marks if mark.level or mark.hidden is not None)
        return (since is not None and since <= at) or any(
            mark.since < at if mark.read else mark.at <= at for mark in marks
        )

    def awaits_release(self, key: ButtonKey, due: Micros, now: Micros) -> bool:
        """Whether a button that was judged to be down may have been let go by `due`, as its pin is up `now`.

        Its edge may be lost, or in transit: what was read becomes a release unless that tells when it was.
        """
        switch = self._switches.get(key)
        if switch is None or not switch.down:
            return False
        if not any(not mark.level for mark in switch.marks):
            if self._read_pin(*key) is not False or self._hidden_since(now) is not None:
                return False
            self._lit = self._due = None
            switch.add_polled_level(now, level=False, wait=MAX_EDGE_DELAY)
        return any(not mark.level and (mark.read or mark.at <= due) for mark in switch.marks)

    def set_initial_levels(self, levels: Mapping[ButtonId, bool]) -> None:
        """Set the initial levels: a button held down at the start was not pressed."""
        self._lit = self._due = None
        for (chair, button), level in levels.items():
            switch = self._switch("gpio", chair, button)
            switch.down = switch.raw = level

    def copy_levels_from(self, before: Debouncer) -> None:
        """Take over another debouncer's levels, except for pins that were already read here."""
        self._lit = self._due = None
        for key, switch in before._switches.items():
            if key not in self._switches:
                heir = self._switch(*key)
                heir.down = heir.raw = switch.level()

    def pressed_buttons(self) -> list[ButtonKey]:
        """The buttons that are judged to be down."""
        return [key for key, switch in self._switches.items() if switch.down]

    def may_be_down(self, key: ButtonKey) -> bool:
        """Whether a button is down or may be."""
        switch = self._switches.get(key)
        return switch is not None and switch.may_be_down()

    def buttons_maybe_down(self) -> frozenset[ButtonId]:
        """The buttons that are down or may be: for immediate feedback, before anything is judged."""
        if self._lit is None:
            self._lit = frozenset(
                (chair, button)
                for (_, chair, button), switch in self._switches.items()
                if switch.may_be_down()
            )
        return self._lit

    def statistics(self) -> dict[ButtonKey, ButtonStatistics]:
        """Statistics by (source, chair, button)."""
        return {key: replace(switch.statistics) for key, switch in self._switches.items()}

    def _switch(self, source: str, chair: Chair | None, button: str) -> Switch:
        key = source, chair, button
        if key not in self._switches:
            self._switches[key] = Switch(TIMINGS[source])
        return self._switches[key]

    def _read_pin(self, source: str, chair: Chair | None, button: str) -> bool | None:
        """The level of a pin; None if it cannot be read."""
        return self._level(chair, button) if self._level and source == "gpio" else None


class HoldDetector:
    """Makes `ButtonHeld` at press + `HOLD_TIME`. Pass it all observations in the order of judgement."""

    def __init__(self) -> None:
        self._down: dict[ButtonKey, Micros] = {}

    def note_observation(self, observation: Observation) -> None:
        """Note a press or release that is judged now; call `advance` up to its time stamp first."""
        match observation:
            case ButtonPressed(at=at, chair=chair, button=button, source=source):
                self._down[source, chair, button] = at + HOLD_TIME
            case ButtonReleased(chair=chair, button=button, source=source):
                self._down.pop((source, chair, button), None)

    def postpone(self, since: Micros, until: Micros) -> None:
        """No pin's hold from `since` to `until`: a disturbance hides whether the button is let go."""
        for key, due in self._down.items():
            self._down[key] = max(due, until) if key[0] == "gpio" and due >= since else due

    def due_buttons(self, until: Micros) -> list[ButtonKey]:
        """The buttons whose hold is due at or before `until`."""
        return [key for key, due in self._down.items() if due <= until]

    def drop(self, key: ButtonKey) -> None:
        """This button was let go in time: it becomes no hold."""
        self._down.pop(key, None)

    def next_due(self) -> Micros | None:
        """When the next hold is due."""
        return min(self._down.values(), default=None)

    def advance(self, until: Micros) -> list[ButtonHeld]:
        """The holds that are due at or before `until`, in order."""
        fallen = sorted(
            (at, -1 if chair is None else chair, button, source)
            for (source, chair, button), at in self._down.items()
            if at <= until
        )
        return [
            self._make_hold((source, None if chair < 0 else chair, button), at)
            for at, chair, button, source in fallen
        ]

    def clear(self) -> None:
        """Forget the buttons that are down, after a pause, undo or restart: they become no holds."""
        self._down.clear()

    def _make_hold(self, key: ButtonKey, at: Micros) -> ButtonHeld:
        source, chair, button = key
        del self._down[key]
        return ButtonHeld(at=at, chair=chair, button=button, source=source)
