"""State machine that judges the edges of one button.

`companion/core/debounce.py` drives it and documents the rules.
"""

from bisect import insort_right
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field

from companion.core.actions import Chair, Micros, Value

ButtonId = tuple[Chair | None, str]
"""One button: (chair, `seat`) or (None, `back`|`next`|`ok`)."""
ButtonKey = tuple[str, Chair | None, str]
"""A button of one source: (source, chair, button)."""


class Edge(Value, frozen=True):
    """A button's level changed to `level` (True: down) at `at`."""

    chair: Chair | None
    button: str
    level: bool
    at: Micros
    source: str = "gpio"
    disturbed: bool = False
    """The same edge was on so many pins within so short a time that no finger made it."""
    gap: bool = False
    """Edges before it were dropped: when the level changed first is not known."""
    since: Micros | None = None
    """Of a key or a finger: when it was asked for before, and was not so yet."""


class Timing(Value, frozen=True):
    """The timing of a source of edges, in microseconds."""

    settle: Micros
    """The level must persist for most of this time after an edge."""
    lockout: Micros
    """Edges within this time after a press that counts are bounce."""
    release: Micros
    """The same after a release: a worn contact opens slowly, and no finger presses again so soon."""
    delivery: Micros
    """The longest time from an edge to its arrival in the program."""


SWITCH_TIMING = Timing(settle=4_000, lockout=16_000, release=32_000, delivery=16_000)
"""A real switch. gpiozero's callbacks on lgpio were at most 16 ms late in a loaded virtual Pi. The lockout,
settling and delivery together are below the 40 ms after which the loop judges."""
TOGETHER: Micros = 100
"""Fingers do not move so closely together on three or more pins; what cables pick up does."""
KNOWN = 64
"""So many instants at which the level was known are kept: a burst that comes late has dozens."""
TURNS = 8
"""More than a button can be judged to turn before a disturbance is noticed."""
MAX_EDGE_DELAY: Micros = 64_000
"""How long to wait for an edge that must still be in transit, because the pin contradicts the edges so far.
Half a spike looks like a press, half a burst like a spike."""
WORN_CONTACT_GAP: Micros = 2_000
"""A worn switch makes contact again within this time; a later edge is another press or spike."""
NEVER: Micros = 1 << 60
"""When a pin is read after a disturbance, as long as it was not."""
NO_BOUNCE_TIMING = Timing(settle=0, lockout=0, release=0, delivery=0)
"""Keys, touch and simulated people, which arrive debounced and whose edges the program makes itself."""
TIMINGS: Mapping[str, Timing] = {
    "gpio": SWITCH_TIMING,
    "usb": SWITCH_TIMING,
    "key": NO_BOUNCE_TIMING,
    "touch": NO_BOUNCE_TIMING,
    "simulation": NO_BOUNCE_TIMING,
}


@dataclass(slots=True, order=True)
class LevelMark:
    """The level is known to be `level` from `at`."""

    at: Micros
    level: bool = field(compare=False)
    read: bool = field(compare=False, default=False)
    """Whether it is known from polling the pin rather than from an edge."""
    since: Micros = field(compare=False, default=0)
    """For a polled level: the last instant at which the level was known to differ."""
    wait: Micros = field(compare=False, default=0)
    """How long an edge that changes what it means may still be in transit."""
    gap: bool = field(compare=False, default=False)
    """Whether edges right before this one were dropped."""
    earliest: Micros | None = field(compare=False, default=None)
    """When a polled level may have been read already, if the program stood still about then."""
    read_at: Micros = field(compare=False, default=0)
    """When a level was read that is stamped earlier: at the end of a window."""
    hidden: Micros | None = field(compare=False, default=None)
    """Since when a disturbance hid the level: until `earliest`, after which something tells what it left."""


@dataclass(slots=True)
class ButtonStatistics:
    """Statistics of one button, for `press` and `doctor`."""

    presses: int = 0
    glitches: int = 0
    lost: int = 0
    """Lost edges, found by polling or by two equal edges in a row."""
    worn: int = 0
    """Presses and releases without contact for most of their first milliseconds."""
    bounce: Micros = 0
    """Duration of the last press's burst of edges."""
    worst_bounce: Micros = 0
    delay: Micros = 0
    """Delay from the last edge to its arrival in the program."""
    worst_delay: Micros = 0


@dataclass(slots=True)
class Switch:
    """One button of one source. Outside a lockout, the raw level before `marks` is `down`."""

    timing: Timing
    down: bool = False
    raw: bool = False
    locked_from: Micros | None = None
    locked_by_reading: bool = False
    """Whether what began the lockout was read off the pin: its edges may be no bounce."""
    last_lockout_end: Micros = -1
    """End of the last lockout: an edge stamped before it belongs to that burst, however late it arrives."""
    awaiting_edge: bool = False
    """Whether the first mark waits for an edge in transit."""
    last_arrival: Micros = 0
    """When the last edge arrived in the program, if known."""
    known: deque[Micros] = field(default_factory=lambda: deque(maxlen=KNOWN))
    """Instants at which the level was known, from an edge or by polling: the newest, in no order."""
    turned: deque[LevelMark] = field(default_factory=lambda: deque(maxlen=TURNS))
    """The last marks by which it was judged to be down or up."""
    repeated_mark: LevelMark | None = None
    """An edge to the level that was already known, so that the one before it was lost; with the interval."""
    unheard: deque[tuple[Micros, Micros]] = field(default_factory=lambda: deque(maxlen=KNOWN))
    """Edges that disturbances hid, each after the beginning of its own: what follows may be their bounce."""
    marks: list[LevelMark] = field(default_factory=list)
    statistics: ButtonStatistics = field(default_factory=ButtonStatistics)

    def level(self) -> bool:
        return self.level_at(NEVER - 1)

    def forget(self, since: Micros, until: Micros, ruled: Micros) -> None:
        """Forget the edges from `since` to `until`, and what was judged by them but not `ruled` on yet.

        What they left is not known until an edge after `until` tells, or the pin is read.
        """
        gone, kept = list[LevelMark](), list[LevelMark]()
        for mark in self.marks:
            first, last = mark.at, max(mark.at, mark.read_at)
            if mark.earliest is not None and mark.at < NEVER:
                first = mark.earliest  # it may have been read at any time since
            same = mark.hidden is not None and since <= mark.hidden <= until
            is_gone = same or (first <= until and last >= since)
            (gone if is_gone else kept).append(mark)
            if is_gone and not mark.read:
                self.note_unheard(since, mark.at)
                if kept and kept[-1].hidden is not None and kept[-1].at == kept[-1].earliest:
                    kept[-1].at, kept[-1].level = NEVER, False  # it was told by this edge
        self.marks = kept
        begun = [mark.since for mark in gone if mark.read or mark.gap]
        begun += [mark.at for mark in self.marks if since - self.timing.lockout <= mark.at < since]
        begun += [start for start, at in self.unheard if since - self.timing.lockout <= at < since]
        self.known = deque([at for at in self.known if at <= since] or [since], maxlen=KNOWN)
        begun.append(max(self.known))  # an edge before it may be lost
        left = LevelMark(NEVER, level=False, read=True, since=min(begun), earliest=until, hidden=since)
        left.wait = self.timing.settle + self.timing.delivery
        self.marks.append(left)
        self._place_readings()
        while self.turned and ruled < (turn := self.turned[-1]).at <= until:
            if turn.at + (0 if turn.read else self.timing.settle) <= since:
                break
            self.turned.pop()
            self.raw = self.down = not self.down
            self.locked_from = None
        self.awaiting_edge, self.repeated_mark = False, None

    def read_hidden(self, at: Micros, pin: bool | None) -> None:  # noqa: FBT001
        """The pin is read after the last disturbance; edges in transit from before it still tell more."""
        untold = [mark for mark in self.marks if mark.at == NEVER]
        self.marks = [mark for mark in self.marks if mark.at != NEVER]
        if untold and pin is not None:
            last = max(untold, key=lambda mark: mark.earliest or 0)
            last.at, last.level, last.since = at, pin, min(mark.since for mark in untold)
            insort_right(self.marks, last)
            self.known.append(at)

    def note_unheard(self, since: Micros, at: Micros) -> None:
        """A disturbance that began at `since` hides the edge at `at`."""
        self.unheard.append((since, at))

    def may_be_down(self) -> bool:
        """Whether the button is down or may be."""
        return self.down or (bool(self.marks) and any(mark.level for mark in self.marks))

    def due_at(self) -> Micros | None:
        """When everything needed for the next judgement has arrived."""
        if self.locked_from is not None:
            return self.locked_from + self._lockout() + self.timing.delivery
        if not self.marks:
            return None
        first = self.marks[0]
        if first.read:
            return first.at + first.wait
        if self.awaiting_edge:
            return max(first.at, self.last_arrival) + MAX_EDGE_DELAY
        return first.at + max(first.wait, self._decision_time() + self.timing.delivery)

    def _lockout(self) -> Micros:
        """For how long its edges are bounce now."""
        return self.timing.lockout if self.down else self.timing.release

    def _decision_time(self) -> Micros:
        """How much time after the first mark has to be known."""
        return self.timing.settle if self.level_persists() else self.timing.lockout

    def add_edge(self, edge: Edge) -> None:
        """Add an edge; a later polled level that agrees with it is dropped."""
        since = self._known_before(edge.at) if edge.since is None else edge.since
        gap = edge.gap or edge.since is not None
        insort_right(self.marks, LevelMark(edge.at, edge.level, since=since, gap=gap))
        pairs = zip(self.marks, self.marks[1:], strict=False)
        self.marks[1:] = [
            mark
            for before, mark in pairs
            if not mark.read or mark.level != before.level or mark.hidden is not None
        ]
        for mark in self.marks:
            if mark.hidden is not None and edge.at < mark.hidden <= edge.at + self.timing.lockout:
                mark.since = min(mark.since, edge.at)  # it came late, and what is hidden may have begun by it
        self._place_readings()
        self.known.append(edge.at)
        self.awaiting_edge = False

    def postpone_readings(self, since: Micros, until: Micros) -> None:
        """What was read after `since` may have been read as late as `until`."""
        for mark in self.marks:
            was_read = mark.read and since <= mark.at < NEVER
            if was_read and mark.hidden is None:
                mark.earliest = mark.at if mark.earliest is None else mark.earliest
                mark.at = until
            elif was_read and mark.at != mark.earliest:  # else an edge told
                mark.at, mark.level = NEVER, False
        self.marks.sort()
        self._place_readings()

    def _place_readings(self) -> None:
        """The next edge tells what was read if the program stood still then, or until when it was so.

        It also tells what a disturbance left, and nothing of those before it; where the pin was read in a
        glitch that the disturbance hid half of, the edge that ends it tells.
        """
        placed = [(one.earliest, one) for one in self.marks if one.earliest is not None]
        for since, mark in placed:
            edge = next((one for one in self.marks if not one.read and since <= one.at), None)
            if edge is None:
                continue
            hidden = max((at for _, at in self.unheard if at < edge.at), default=0)
            is_glitch = 2 * (edge.at - hidden) <= self.timing.settle
            if edge.at > mark.at and not (mark.hidden is not None and is_glitch and edge.level != mark.level):
                continue
            later = [(at, one) for at, one in placed if one.hidden is not None and since < at <= edge.at]
            if mark.hidden is not None and later:
                last = max(later, key=lambda one: one[0])[1]
                last.since = min(last.since, mark.since)
                self.marks = [one for one in self.marks if one is not mark]
            elif mark.hidden is not None:
                mark.level = edge.level == is_glitch
                # Where edges before it were dropped, it turned at any time up to then.
                mark.at = mark.earliest = edge.at - 1 if edge.gap else since
            elif edge.level == mark.level:
                self.marks = [one for one in self.marks if one is not mark]
            else:
                mark.at = edge.at - 1
        self.marks.sort()

    def level_at(self, at: Micros) -> bool:
        """The level at an instant, as far as it is known."""
        return next((mark.level for mark in reversed(self.marks) if mark.at <= at), self.raw)

    def edges_near(self, at: Micros) -> list[LevelMark]:
        """The edges of presses within `TOGETHER` of an instant that are not judged yet."""
        return [m for m in self.marks if m.level and not m.read and abs(m.at - at) <= TOGETHER]

    def add_polled_level(self, at: Micros, level: bool, wait: Micros, read_at: Micros = 0) -> None:  # noqa: FBT001
        """Add a polled level, unless a burst is still being judged; `read_at` if that was after `at`."""
        if self.locked_from is not None or any(mark.at == NEVER for mark in self.marks):
            return
        if self.marks and not self.marks[0].read and at - self.marks[0].at < self.timing.lockout:
            return
        if self.level() != level:
            since = self._known_before(at)
            insort_right(self.marks, LevelMark(at, level, read=True, since=since, wait=wait, read_at=read_at))
            return
        if self.marks and self.marks[-1].read:
            self.marks[-1].wait = min(self.marks[-1].wait, max(0, at - self.marks[-1].at) + wait)
        else:
            self.known.append(at)

    def _known_before(self, at: Micros) -> Micros:
        """The last instant up to `at` at which the level was known: edges come after later readings."""
        return max((known for known in self.known if known <= at), default=0)

    def awaits_edge(self, *, pin: bool) -> bool:
        """Whether an edge in transit may change the meaning of the first mark, as the pin has changed since.

        A button's edges arrive in order, so once one from after the settling time is known, nothing is open.
        """
        edges = [mark for mark in self.marks if not mark.read]
        if not edges or edges[-1].level == pin:
            return False
        return edges[-1].at - self.marks[0].at < self._decision_time()

    def unlock(self, *, pin: bool | None) -> None:
        """End the lockout; if the level differs from the judged one, that becomes an edge at its end.

        `pin` is the level read now, which includes edges that are still in transit. Where the edges differ
        but what came next says that the level did not, the last edge of the bounce was lost.
        """
        assert self.locked_from is not None
        end = self.last_lockout_end = self.locked_from + self._lockout()
        bounced = turned = since = self.locked_from
        uncertain = self.uncertain_since() if self.marks and self.marks[0].at < end else None
        while self.marks and self.marks[0].at < end:
            mark = self.marks.pop(0)
            turned = turned if mark.level == self.raw else mark.at
            self.raw = mark.level
            if mark.level == self.down:
                bounced = mark.at
        if self.down:
            self.statistics.bounce = bounced - self.locked_from
            self.statistics.worst_bounce = max(self.statistics.bounce, self.statistics.worst_bounce)
        self.locked_from = None
        hidden = self.marks[0].hidden if self.marks else None
        # A bounce may have ended unseen; that of a release which was read makes short contacts only.
        stays = hidden >= end if hidden is not None else self._level_before_marks(pin=pin) != self.down
        if self.locked_by_reading and (hidden is not None or self.raw):
            stays |= (hidden or end) - turned >= self.timing.settle
        if self.raw != self.down and stays:
            gap, since = self.locked_by_reading or uncertain is not None, min(since, uncertain or since)
            at = max(turned, end - self.timing.settle) if gap else end
            self.marks.insert(0, LevelMark(at, self.raw, since=since, gap=gap))
        elif self.locked_by_reading and self.marks and self.marks[0].at - turned < self.timing.lockout:
            first = self.marks[0]  # a press may have begun in the lockout and bounce beyond its end
            first.since, first.gap = min(since, first.since), True
        self.raw = self.down

    def _level_before_marks(self, *, pin: bool | None) -> bool | None:
        """The level by what was known next: an edge to a level tells that it had been the other."""
        if not self.marks:
            return pin
        return self.marks[0].level if self.marks[0].read else not self.marks[0].level

    def is_repeated_press(self) -> bool:
        """Whether the first mark is a press that no release precedes."""
        first = self.marks[0]
        return first.level and self.down and self.raw and not first.read

    def judge_repeated_press(self) -> Micros:
        """Judge the first mark as a press whose preceding release was lost; returns its time stamp."""
        mark = self.marks.pop(0)
        self.statistics.lost += 1
        self.statistics.presses += 1
        self.locked_from = mark.at if self.timing.lockout else None
        self.locked_by_reading = False
        return mark.at

    def drop_repeats(self) -> None:
        """Drop marks that repeat the known level."""
        first = self.marks[0]
        while self.marks and self.marks[0].level == self.down:
            if self.marks[0].hidden is not None and self.marks[0] is not first:
                break  # an edge that is in transit may still tell what a disturbance left
            mark = self.marks.pop(0)
            if self.raw == mark.level and not mark.read:
                self.statistics.lost += 1
                self.repeated_mark = mark
            self.raw = mark.level
        if len(self.marks) > 1 and self.marks[0].read and self._explains(self.marks[1]):
            self.marks.pop(0)

    def _explains(self, edge: LevelMark) -> bool:
        """Whether an edge is between the time stamp of a polled level and the actual reading."""
        reading = self.marks[0]
        read_at = max(reading.at, reading.read_at)
        return edge.level == reading.level and edge.at - read_at <= self.timing.delivery

    def level_persists(self, place: int = 0) -> bool:
        """Whether the level of a mark persists for most of the settling time, with no disturbance in it."""
        marks = self.marks[place:]
        first, end, held = marks[0], marks[0].at + self.timing.settle, 0
        begun = [mark.hidden for mark in marks[1:] if mark.hidden is not None]
        if any(first.at < at < end for at in (*begun, *(since for since, _ in self.unheard))):
            return False  # what was there before it may be its beginning
        for mark, following in zip(marks, [*marks[1:], LevelMark(end, level=False)], strict=True):
            if mark.level == first.level:
                held += max(0, min(following.at, end) - mark.at)
        return 2 * held > self.timing.settle or self.timing.settle == 0

    def _level_recurs(self) -> bool:
        """Whether the level of the first mark recurs in short contacts until it persists."""
        first, last = self.marks[0], self.marks[0]
        for place, mark in enumerate(self.marks[1:], 1):
            late = mark.at - first.at > self.timing.lockout - self.timing.settle
            if late or (last.level != first.level and mark.at - last.at > WORN_CONTACT_GAP):
                return False
            if mark.level == first.level and not mark.read and self.level_persists(place):
                return True
            last = mark
        return False

    def uncertain_since(self) -> Micros | None:
        """Since when the first mark's level may have been so, if no edge says it."""
        first, before = self.marks[0], self.repeated_mark
        since = first.since if first.read or first.gap else None
        for begun, unheard in self.unheard:
            if unheard <= first.at < unheard + self.timing.lockout:
                since = begun if since is None else min(since, begun)
        begins = first.at if since is None else since
        if before is not None and before.at <= begins < before.at + self.timing.lockout:
            since = before.since
        if since is None or not self.turned:
            return since
        return max(since, self.turned[-1].since)  # no release is before its press

    def judge_first_mark(self) -> Micros | None:
        """Judge the first mark: its time stamp if it counts, None if it is a glitch."""
        first = self.marks[0]
        # Where a reading says that it went down the edge is lost, and how long it had been down is not known;
        # nor how long it had been up, should the program have stood still then.
        counts = (first.read and (first.level or first.earliest is not None)) or self.level_persists()
        if not counts and self._level_recurs():
            counts = True
            self.statistics.worn += 1
        uncertain = self.uncertain_since()
        mark = self.marks.pop(0)
        self.raw = mark.level
        if not counts:
            self.statistics.glitches += 1
            return None
        self.down = mark.level
        self.statistics.lost += mark.read
        self.statistics.presses += mark.level
        mark.since = mark.at if uncertain is None else uncertain
        self.turned.append(mark)
        self.locked_from = self._bounces_from(mark) if self.timing.lockout else None
        self.locked_by_reading = mark.read or uncertain is not None
        return mark.at

    def _bounces_from(self, mark: LevelMark) -> Micros:
        """From when on edges may be the bounce of a level; of one that was read, since its hidden edge."""
        if mark.earliest is None:
            return mark.at
        return max((unheard for _, unheard in self.unheard if unheard <= mark.at), default=mark.at)
