"""The referee's loop for one game: from observations to rulings that may be announced.

Observations are held for `GRACE` (with phones `PHONE_GRACE`) and judged in the order in which they happened,
with timers and holds in between at their due times. A ruling is announced once its entry is durable. The time
is passed in; no clock is read here. If an observation cannot be judged, nothing is written and the game
pauses.
"""

import heapq
import logging
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from itertools import count
from typing import Any, Protocol

from msgspec import Struct

from companion.core import observations as ob
from companion.core.actions import PHONE_LAG, SECOND, Chair, Cue, Micros, Timer
from companion.core.debounce import REREAD, Holds
from companion.core.errors import Stopped
from companion.core.events import Event
from companion.core.one_button import OVERDUE, SWITCH, Edge, Line
from companion.core.view import CountView, View
from companion.referee.acceptance import looked_at, shown
from companion.referee.buttons import Buttons, Whose
from companion.referee.confidence import weighed
from companion.referee.journal import Entry, Ticket, Trouble
from companion.referee.parts import caught
from companion.referee.phones import Answer, Phones, by_phone
from companion.referee.referee import Referee

log = logging.getLogger(__name__)

GRACE: Micros = 40_000
"""How far judging is behind real time, so that a late delivery does not change the order."""

PHONE_GRACE: Micros = PHONE_LAG + GRACE
"""The same where a phone holds a chair: a phone's press counts up to `PHONE_LAG` before it came."""

PACE: Micros = SECOND // 30
"""The longest time from one round of the loop to the next, even where nothing is due."""

QUIET: Micros = SECOND
"""So long after the last word of a phone nothing of its kind is under way any more."""

STUCK: Micros = 10 * SECOND
"""A button that is down for longer is stuck, or something is on it."""

AGAIN: Micros = 60 * SECOND
"""The same failure twice within this time ends the program, so that it can be restarted."""

POLL: Micros = 4_000
"""How often it is asked again whether a count could be followed."""

_Tie = tuple[int, int, str, str]
_Mark = tuple[str, str, int]


class Lot(Protocol):
    """A source of chance: a random index below `choices`."""

    def __call__(self, choices: int, /) -> int: ...


class Announced(Struct, frozen=True):
    """An announcement: a durable entry, its new events, and the states before and after it."""

    entry: Entry[Event]
    news: tuple[Event, ...]
    before: Any
    state: Any
    late: Micros = 0
    """How late its press arrived to be judged in order; 0 if in time, or if that made no difference."""
    offers: Mapping[Chair, int] = {}
    """Chair held by a phone → the number of its current offer."""


class RefereedGame:
    """Judges one game's observations in order of their time stamps."""

    def __init__(
        self,
        referee: Referee[Any],
        *,
        chance: Lot,
        levels: Callable[[], dict[Line, bool]] | None = None,
        level: Callable[[Chair | None, str], bool | None] | None = None,
    ) -> None:
        """`levels` reads all real buttons, `level` one; None if there are none."""
        self.referee = referee
        self._chance = chance
        self._levels = levels
        self.buttons = Buttons(level)
        self.aside: list[ob.Observation] = []
        """Presses and releases that belong to the page, for the app to fetch."""
        self.phones = Phones(referee.rules)
        self.grace = GRACE
        """How old an instant is when it is judged."""
        self.stalled: Callable[[CountView, Micros], bool | None] = lambda *_: False
        """Whether a count stood still, for the table, up to its beat `due`; None: that is not known yet."""
        self._phone_at: Micros = 0
        self._holds = Holds()
        self._held: list[tuple[Micros, _Tie, int, ob.AnyObservation]] = []
        self._arrival = count()
        self._horizon: Micros = 0
        self._reread_at: Micros | None = None
        self._reread_end: Micros = 0
        self._unannounced: deque[tuple[Ticket, Announced]] = deque()
        self._down: dict[Line, Micros] = {}
        """Buttons whose press was judged and whose release was not, with the time of the press."""
        self._seen: tuple[Any, View] | None = None
        """The last state and its view, which the lamps need in every step."""
        self.presses = 0
        self.failed = False
        """Whether the game is paused because an observation could not be judged."""
        self._now: Micros = referee.at
        self.as_of: Micros = referee.at
        """When what is judged by now was a grace old."""
        self._woke: Micros | None = None
        """When the program ran again after it had stood still, until a grace has passed since."""
        self._unsure = False
        """Whether it is not known yet if a beat that is due could be followed."""
        self._failures: dict[_Mark, Micros] = {}
        """Failures by kind and place, with the time of the last one."""
        self._unsaved: Trouble | None = None
        referee.prove = self._prove
        if levels is not None:
            self.buttons.adopt(levels())
        if referee.journal.entries:
            # Before any timer: a window that was open when the program ended is void.
            self._judge(ob.Restarted(at=referee.at))

    # What comes in ----------------------------------------------------------------------------------------

    def post(
        self, seen: Edge | ob.Observation | Answer, heard: Micros | None = None, whose: Whose = "game"
    ) -> None:
        """Add an observation, an edge or an answer; `heard`: when it arrived, `whose`: owner of a press."""
        if isinstance(seen, Edge):
            begins = self.buttons.edge(seen, heard, whose=whose)
            if seen.disturbed:
                self._forget_disturbed()
            if begins and heard is not None and self._reread_at is not None and seen.chair is not None:
                self._reread_at = min(self._reread_at, heard)  # others that are down were not pressed later
        else:
            self._hold(seen)

    def _forget_disturbed(self) -> None:
        """What pins said since the disturbance began, and is not judged yet, was no finger."""
        since, _ = self.buttons.disturbed or (self._now, self._now)
        self._held = [held for held in self._held if not (_by_pin(held[3]) and held[0] >= since)]
        heapq.heapify(self._held)

    def held_by_phones(self, chairs: Iterable[Chair]) -> None:
        """Phones hold these chairs from now on; everything waits longer as soon as there is one."""
        self._phone_at = self._now
        self.phones.held_by_phones(chairs, self.referee.state, len(self.referee.journal.entries))
        if self.phones.chairs:
            self.grace = PHONE_GRACE

    def heard_a_phone(self) -> None:
        """A phone sent something, whatever it was."""
        self._phone_at = self._now

    def _wait_less(self) -> None:
        """No phone holds a chair any more: judge sooner again, once nothing can be under way."""
        calm = not self._held and not self.referee.rules.window_open(self.referee.state)
        if self.grace != GRACE and not self.phones.chairs and calm and self._now - self._phone_at >= QUIET:
            self.grace = GRACE

    def _hold(self, seen: Any) -> None:
        heapq.heappush(self._held, (seen.at, _tie(seen), next(self._arrival), seen))

    # What is judged ---------------------------------------------------------------------------------------

    def stood_still(self, now: Micros) -> None:
        """The program did not run until `now`: for one more grace nothing is judged.

        The loop may run before the pins' thread, which first has to deliver what was pressed. Where
        every round comes late, each judges what the round before would have judged.
        """
        if self._woke is not None:
            self._judge_as_of(self._woke)
        self._woke = now

    def step(self, now: Micros) -> None:
        """Judge everything that happened up to `GRACE` ago."""
        self._now = now
        if self._woke is None or now - self._woke >= GRACE:
            self._woke = None
            self._judge_as_of(now)
        self._flush()

    def _judge_as_of(self, now: Micros) -> None:
        """Judge what was a grace old at `now`."""
        self.as_of = now
        if not self.referee.journal.entries:
            self._draw_lots(max(0, now - self.grace))
        self._wait_less()
        self._reread(now)
        for seen, whose in self.buttons.advance(now):
            self.presses += isinstance(seen, ob.ButtonPressed)
            if whose == "game":
                self._hold(seen)
            elif whose == "page":
                self.aside.append(seen)
        horizon = now - self.grace
        while self._held and (at := self._held[0][0]) <= horizon:
            if self._until(at) < at:
                break
            *_, seen = heapq.heappop(self._held)
            admitted = self.phones.admitted(self.referee.state, seen)
            if admitted is not None:
                self._judge(admitted)
        self._horizon = max(self._horizon, self._until(horizon))

    def _until(self, until: Micros) -> Micros:
        """Judge timers before `until`, so that a press at a window's end counts, and holds up to it.

        Returns how far that was possible: `until`, or a beat that nobody is known to have followed.
        """
        self._unsure = False
        while True:
            hold, timer = self._holds.due(), self.referee.next_timer()
            if hold is not None and hold <= until and (timer is None or hold <= timer.due):
                for held in self._holds.advance(hold):
                    self._judge(held)
            elif timer is not None and timer.due < until:
                stalled = self._stalled(timer.due)
                if stalled is None:
                    self._unsure = True
                    return timer.due
                elapsed = ob.TimerElapsed(at=timer.due, timer=timer.name)
                self._judge(ob.CountStalled(at=timer.due) if stalled else elapsed)
            else:
                return until

    def _stalled(self, due: Micros) -> bool | None:
        """Whether the timer `due` is a beat of a count that stood still."""
        count = self.view.count if self.referee.rules.window_open(self.referee.state) else None
        if count is None or count.first_beat is None or not count.beats:
            return False
        return self.stalled(count, due)

    def _judge(self, seen: Any) -> None:
        """Judge an observation and make the random draws it calls for; pause the game if that fails."""
        before = self.referee.state
        failure = caught(f"Judging {type(seen).__name__}", lambda: self._rule(seen))
        if failure is not None:
            self._pause_for(failure, min(seen.at, self._now))
        elif self.referee.state is not before:
            self._draw_lots(seen.at)

    def _pause_for(self, failure: Exception, at: Micros) -> None:
        """Pause. Nothing was written, so the players can undo or correct the cause and continue."""
        mark = _mark(failure)
        last = self._failures.get(mark)
        if last is not None and 0 <= self._now - last < AGAIN:
            raise Stopped(waits=self._waits()) from failure
        self._failures[mark] = self._now
        self.failed = True
        self._holds.forget()
        if not self.referee.state.desk.paused:
            self._judge(ob.Paused(at=at))

    def _waits(self) -> bool:
        """Whether this game is stored and not over."""
        journal = self.referee.journal
        return journal.header.kind == "game" and bool(journal.entries) and not self.over

    def _prove(self, state: Any, entry: Entry[Event]) -> None:
        """View and word an entry as a trial, so that errors surface before it is written."""
        referee, rules = self.referee, self.referee.rules
        shown(rules, state, referee.news(entry), again=entry.corrects is not None)
        if state is not referee.state:
            self._seen = state, looked_at(rules, state, entry.cause.at)

    def _rule(self, seen: Any) -> None:
        referee, before = self.referee, self.referee.state
        if isinstance(seen, ob.TableSeen):
            seen = weighed(referee.rules, before, seen)
        mends = isinstance(seen, ob.Corrected)
        if mends and not referee.correctable(seen.seq, to_nothing=seen.truth is None):
            log.info("Entry %d does not stand any more: there is nothing to correct", seen.seq)
            return
        in_time = self._in_time(seen)
        entry = referee.observe(seen)
        if (
            entry.retracts is not None
            or entry.corrects is not None
            or isinstance(seen, ob.Paused | ob.Restarted)
        ):
            self._holds.forget()
        elif not by_phone(seen):
            self._holds.seen(seen)
        match seen:
            case ob.ButtonPressed() if not by_phone(seen):
                self._down[seen.chair, seen.button] = seen.at
            case ob.ButtonReleased():
                self._down.pop((seen.chair, seen.button), None)
        assert referee.ticket is not None
        late = 0 if in_time is None or in_time == entry.events else self._horizon - seen.at
        self.phones.ruled(referee.state, entry.seq + 1)
        ruling = Announced(entry, referee.news(entry), before, referee.state, late, self.phones.offers())
        self._unannounced.append((referee.ticket, ruling))
        self.failed = self.failed and referee.state.desk.paused

    def _in_time(self, seen: Any) -> tuple[Event, ...] | None:
        """The ruling a late press would have had in its time; None if it is in time."""
        if seen.at >= self._horizon or not isinstance(seen, ob.ButtonPressed | ob.ButtonReleased):
            return None
        return self.referee.rules.decide(self.referee.state_at(seen.at), seen)

    def _draw_lots(self, at: Micros) -> None:
        """Make the random draw that the rules call for, if any."""
        state = self.referee.state
        lots = None if state.desk.paused else self.referee.rules.awaited_draw(state)
        if lots is not None:
            self._judge(ob.Drawn(at=at, choices=lots, index=self._chance(len(lots))))

    def _reread(self, now: Micros) -> None:
        """Poll the buttons while presses matter, so that no press is missed whose edge the kernel lost.

        Between presses there is time to wait for an edge in transit; at the end of a window there is none.
        """
        rules, state = self.referee.rules, self.referee.state
        races = rules.races(state)
        if self._levels is None or state.desk.paused or not (races or rules.window_open(state)):
            self._reread_at = None
            return
        end = None if races else self.referee.next_timer()
        wait = OVERDUE if races else SWITCH.settle + SWITCH.delivery
        if end is not None and self._reread_end < end.due <= now:
            self._reread_end = end.due
            # A loop that is late can no longer tell what was down when the timer expired.
            at = end.due if now - end.due <= SWITCH.delivery else now
            self.buttons.reread(at, self._levels(), wait=GRACE)
        elif self._reread_at is None or now >= self._reread_at:
            self.buttons.reread(now, self._levels(), wait=wait)
            self._reread_at = now + REREAD

    def _window_end(self, timer: Timer | None) -> Micros | None:
        """When to poll the buttons at the end of a window; None if that is over."""
        if timer is None or self._reread_at is None or timer.due <= self._reread_end:
            return None
        return None if self.referee.rules.races(self.referee.state) else timer.due

    def back_to(self, seq: int, at: Micros) -> None:
        """Restart a lesson's step; a button that is down does not become a hold."""
        self.referee.back_to(seq, at)
        self._holds.forget()

    # What goes out ----------------------------------------------------------------------------------------

    def announced(self) -> list[Announced]:
        """The rulings that became durable since the last call, in order.

        While the storage fails, rulings are announced unsaved, with a warning, and the game continues.
        """
        ready = []
        unsaved = self.trouble is not None
        while self._unannounced and (unsaved or self._unannounced[0][0].durable):
            ready.append(self._unannounced.popleft()[1])
        return ready

    def _flush(self) -> None:
        """Save the step; on failure the game continues unsaved and the next step tries again."""
        known = self._unsaved is not None
        failure = caught("Writing the game down", self.referee.journal.flush, known=known)
        self._unsaved = None if failure is None else Trouble("storage.lost", str(failure))

    @property
    def trouble(self) -> Trouble | None:
        """Why nothing is being saved, if so."""
        return self.referee.journal.trouble or self._unsaved

    @property
    def waiting(self) -> bool:
        """Whether a ruling is waiting to become durable."""
        return bool(self._unannounced)

    @property
    def view(self) -> View:
        state = self.referee.state
        if self._seen is None or self._seen[0] is not state:
            self._seen = state, self.referee.rules.view(state)
        return self._seen[1]

    @property
    def cue(self) -> Cue | None:
        """The cue whose first beat is awaited."""
        state = self.referee.state
        return None if state.desk.paused else self.referee.rules.awaited_cue(state)

    @property
    def over(self) -> bool:
        return self.referee.rules.outcome(self.referee.state) is not None

    def lit(self) -> frozenset[Line]:
        """Buttons that are down or may be, for immediate feedback before they are judged."""
        return self.buttons.lit()

    def unjudged(self) -> frozenset[Line]:
        """Buttons whose press is not judged yet."""
        return self.buttons.lit().difference(self._down)

    def stuck(self, now: Micros) -> Line | None:
        """A button that has been down for longer than `STUCK`."""
        return next((line for line, since in self._down.items() if now - since > STUCK), None)

    def tallies(self) -> Any:
        """Statistics of every button."""
        return self.buttons.tallies()

    def next_due(self) -> Micros | None:
        """When `step` next has something to do, unless something happens before."""
        if self._woke is not None:
            return self._woke + GRACE
        if self._unsure:
            return self._now + POLL
        timer: Timer | None = self.referee.next_timer()
        hold = self._holds.due()
        dues = [
            self.buttons.next_due(),
            self._held[0][0] + self.grace if self._held else None,
            None if timer is None else timer.due + self.grace + 1,
            self._window_end(timer),
            None if hold is None else hold + self.grace + 1,
            self._reread_at,
        ]
        return min((due for due in dues if due is not None), default=None)


def _mark(failure: Exception) -> _Mark:
    """What identifies a failure: its type, and the line that raised it."""
    place = failure.__traceback__
    while place is not None and place.tb_next is not None:
        place = place.tb_next
    where = ("", 0) if place is None else (place.tb_frame.f_code.co_filename, place.tb_lineno)
    return type(failure).__name__, *where


def _by_pin(seen: Any) -> bool:
    return isinstance(seen, ob.ButtonPressed | ob.ButtonReleased) and seen.source == "gpio"


def _tie(seen: Any) -> _Tie:
    """A fixed order for presses of the same microsecond, independent of their delivery."""
    if isinstance(seen, Answer):
        seen = seen.seen
    if isinstance(seen, (ob.ButtonPressed, ob.ButtonReleased)):
        return (1, -1 if seen.chair is None else seen.chair, seen.button, seen.source)
    return (0, 0, "", "")
