"""Event loop of one refereed game: observations judged in order, rulings announced once durable.

Observations are held for `GRACE` (with phones `PHONE_GRACE`) and judged in the order in which they happened,
with timers and holds in between at their due times. A ruling is announced once its entry is durable. The time
is passed in; no clock is read here. If an observation cannot be judged, nothing is written and the game
pauses.
"""

import heapq
import logging
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from functools import reduce
from itertools import count, islice
from queue import SimpleQueue
from typing import Any, Protocol, TypeGuard

from msgspec import Struct
from msgspec.structs import replace

from companion.core import observations as ob
from companion.core.actions import MAX_PHONE_LAG, SECOND, Chair, Cue, Micros, Timer
from companion.core.debounce import PIN_POLL_INTERVAL, HoldDetector
from companion.core.errors import RepeatedFailureError
from companion.core.events import Event
from companion.core.switch import MAX_EDGE_DELAY, SWITCH_TIMING, ButtonId, Edge
from companion.core.view import CountView, View
from companion.referee.button_router import ButtonRouter, PressOwner
from companion.referee.dry_run import dry_run_view, try_wording
from companion.referee.game_log import find_correction_offer
from companion.referee.journal import Entry, StorageFailure, WriteTicket
from companion.referee.phone_chairs import PhoneAnswer, PhoneChairs, is_phone_press
from companion.referee.reading_threshold import discard_doubtful
from companion.referee.referee import Referee
from companion.system.fault_isolation import run_and_log

log = logging.getLogger(__name__)

GRACE: Micros = 40_000
"""How far judging is behind real time, so that a late delivery does not change the order."""

PHONE_GRACE: Micros = MAX_PHONE_LAG + GRACE
"""The same where a phone holds a chair: a phone's press counts up to `MAX_PHONE_LAG` before it came."""

MAX_ROUND_INTERVAL: Micros = SECOND // 30
"""The longest time from one round of the loop to the next, even where nothing is due."""

PHONE_SILENCE: Micros = SECOND
"""So long after the last word of a phone nothing of its kind is under way any more."""

STUCK_AFTER: Micros = 10 * SECOND
"""A button that is down for longer is stuck, or something is on it."""

REPEATED_FAILURE_SPAN: Micros = 60 * SECOND
"""The same failure twice within this time ends the program, so that it can be restarted."""

STALL_RECHECK_INTERVAL: Micros = 4_000
"""How often it is asked again whether a count could be followed."""

CALM_PATIENCE: Micros = SECOND
"""How long the end of a window waits, while the program runs, until the pins say who pressed before it."""

DEADLINE_CLOSE: Micros = SECOND
"""So long before a deadline buttons, keys and touch are asked as often as in a window."""

MAX_STOPS = 4
"""So many late rounds with no grace between are standstills; where there are more, the table is slow."""

KEY_RESOLUTION: Micros = 16_000
"""What is stated of keys and touch: where they were asked for as often, when they were decides."""

Inbox = SimpleQueue[Edge | ob.Observation | None]
"""What every thread reports to the loop; None only wakes it."""
_TieBreak = tuple[int, int, str, str]
_FailureKey = tuple[str, str, int]


class RandomSource(Protocol):
    """A source of chance: a random index below `choices`."""

    def __call__(self, choices: int, /) -> int: ...


class Announcement(Struct, frozen=True):
    """An announcement: a durable entry, its new events, and the states before and after it."""

    entry: Entry[Event]
    news: tuple[Event, ...]
    before: Any
    state: Any
    late: Micros = 0
    """How late its press arrived to be judged in order; 0 if in time, or if that made no difference."""
    unsure: Micros = 0
    """Within how long its release was, if an earlier one would have been ruled otherwise."""
    offers: Mapping[Chair, int] = {}
    """Chair held by a phone → the number of its current offer."""


class RefereedGame:
    """Judges one game's observations in order of their time stamps."""

    undo_overtaken = False
    """Whether an undo was refused, because another ruling came before it, until somebody says so."""
    _unseen = 0
    """How many rounds on end came so late that the rules are told."""

    def __init__(
        self,
        referee: Referee[Any],
        *,
        chance: RandomSource,
        levels: Callable[[], dict[ButtonId, bool]] | None = None,
        level: Callable[[Chair | None, str], bool | None] | None = None,
    ) -> None:
        """`levels` reads all real buttons, `level` one; None if there are none."""
        self.referee = referee
        self._chance = chance
        self._levels = levels
        self.buttons = ButtonRouter(level)
        self.page_presses: list[ob.Observation] = []
        """Presses and releases that belong to the page, for the app to fetch."""
        self.phones = PhoneChairs(referee.rules)
        self.grace = GRACE
        """How old an instant is when it is judged."""
        self.stalled: Callable[[CountView, Micros], bool | None] = lambda *_: False
        """Whether a count stood still, for the table, up to its beat `due`; None: that is not known yet."""
        self.asked_cue: Cue | None = None
        """The cue that the open window waits for, or waited for until a timer began it."""
        self._last_phone_activity: Micros = 0
        self._hold_detector = HoldDetector()
        self._pending: list[tuple[Micros, _TieBreak, int, ob.AnyObservation]] = []
        self._arrival = count()
        self._horizon: Micros = 0
        self._poll_at: Micros | None = None
        self._polled_window_end: Micros = 0
        self._unannounced: deque[tuple[WriteTicket, Announcement]] = deque()
        self._down: dict[ButtonId, Micros] = {}
        """Buttons whose press was judged and whose release was not, with the time of the press."""
        self._cached_view: tuple[Any, View] | None = None
        """The last state and its view, which the lamps need in every step."""
        self.presses = 0
        self.failed = False
        """Whether the game is paused because an observation could not be judged."""
        self._now: Micros = referee.at
        self.as_of: Micros = referee.at
        """When what is judged by now was a grace old."""
        self._woke: Micros | None = None
        """When the program ran again after it had stood still, until a grace has passed since."""
        self._stops = 0
        """How often it has stood still since a grace passed without that."""
        self._unsure = False
        """Whether it is not known yet if a beat that is due could be followed, or a button was held."""
        self._patience: tuple[Micros, Micros] = (-1, 0)
        """When a window ends, and until when that waits for the pins."""
        self._failures: dict[_FailureKey, Micros] = {}
        """Failures by kind and place, with the time of the last one."""
        self._unsaved: StorageFailure | None = None
        self._undo_up_to: dict[Micros, int] = {}
        """Time of an undo → the newest entry it may take back; two may have the same."""
        referee.dry_run = self._dry_run
        if levels is not None:
            self.buttons.debouncer.set_initial_levels(levels())
        if referee.journal.entries:
            # Before any timer: a window that was open when the program ended is void.
            self._judge(ob.ProgramRestarted(at=referee.at))

    # What comes in ----------------------------------------------------------------------------------------

    def post(
        self,
        report: Edge | ob.Observation | PhoneAnswer,
        arrived: Micros | None = None,
        whose: PressOwner = "game",
        announced: int | None = None,
    ) -> None:
        """Add an observation, an edge or an answer; `arrived`: when it did, `whose`: owner of a press.

        `announced` is the newest entry that was announced by then: an undo is meant of no later one.
        A page's press comes here, too: all edges of a button have to pass one debouncer, which is the game's.
        The page gets it back out of `page_presses`.
        """
        if isinstance(report, Edge):
            begins = self.buttons.add_edge(report, arrived, whose=whose, ruled=self._horizon)
            if report.disturbed:
                self._forget_disturbed()
            if begins and arrived is not None and self._poll_at is not None and report.chair is not None:
                self._poll_at = min(self._poll_at, arrived)  # others that are down were not pressed later
        else:
            if isinstance(report, ob.UndoRequested) and not report.redo and announced is not None:
                self._undo_up_to[report.at] = announced
            self._enqueue(report)

    def _forget_disturbed(self) -> None:
        """What pins said since the disturbance began, and is not judged yet, was no finger."""
        pins = self.buttons.debouncer
        since, until = pins.disturbed or (self._now, self._now)
        self._hold_detector.postpone(since, until + GRACE)
        since = max(since - SWITCH_TIMING.settle, self._horizon) + 1
        self._pending = [
            item
            for item in self._pending
            if not (_by_pin(item[3]) and since <= item[0] <= until and not pins.stands(item[3]))
        ]
        heapq.heapify(self._pending)

    def set_phone_chairs(self, chairs: Iterable[Chair]) -> None:
        """Phones hold these chairs from now on; everything waits longer as soon as there is one."""
        self._last_phone_activity = self._now
        self.phones.set_phone_chairs(chairs, self.referee.state, len(self.referee.journal.entries))
        if self.phones.chairs:
            self.grace = PHONE_GRACE

    def note_phone_activity(self) -> None:
        """A phone sent something, whatever it was."""
        self._last_phone_activity = self._now

    def _shorten_grace(self) -> None:
        """No phone holds a chair any more: judge sooner again, once nothing can be under way."""
        calm = not self._pending and not self.referee.rules.is_window_open(self.referee.state)
        if (
            self.grace != GRACE
            and not self.phones.chairs
            and calm
            and self._now - self._last_phone_activity >= PHONE_SILENCE
        ):
            self.grace = GRACE

    def _enqueue(self, item: Any) -> None:
        heapq.heappush(self._pending, (item.at, _tie_break(item), next(self._arrival), item))

    # What is judged ---------------------------------------------------------------------------------------

    def stood_still(self, now: Micros, *, unseen: bool = False) -> None:
        """The program did not run until `now`: for one more grace nothing is judged.

        `unseen`: for so long that the rules are told.

        The loop may run before the pins' thread, which first has to deliver what was pressed. On a table
        whose every round comes late, each judges what the round before would have judged.
        """
        self.note_reading(now)
        before = self._now
        stood, self._now, self._stops = now - self._now, now, self._stops + 1
        self._unseen = self._unseen + 1 if unseen else 0
        told = unseen and self._unseen <= MAX_STOPS
        if self._woke is not None and self._stops > MAX_STOPS and not told:
            self._judge_as_of(self._woke)
        else:
            due, until = self._patience
            self._patience = due, until + stood  # the pins had no chance to say anything
            if told:
                self._enqueue(ob.ProgramStalled(at=before, until=now))
                self._enqueue(ob.ProgramStalled(at=now))
        self._woke = now

    def note_reading(self, until: Micros) -> None:
        """What was read off the pins last may have been read as late as `until`."""
        self.buttons.debouncer.postpone_readings(self._now - SWITCH_TIMING.delivery, until)

    def step(self, now: Micros) -> None:
        """Judge everything that happened up to `GRACE` ago."""
        self._now = now
        if self._woke is None or now - self._woke >= GRACE:
            self._woke, self._stops, self._unseen = None, 0, 0
            self._judge_as_of(now)
        self._save_step()

    def _judge_as_of(self, now: Micros) -> None:
        """Judge what was a grace old at `now`; what is read off the pins meanwhile is read now."""
        self.as_of = now
        if not self.referee.journal.entries:
            self._draw_lots(max(0, now - self.grace))
        self._shorten_grace()
        self._poll_buttons(self._now)
        for press, owner in self.buttons.advance(now, self._now):
            self.presses += isinstance(press, ob.ButtonPressed)
            if owner == "game":
                self._enqueue(press)
            elif owner == "page":
                self.page_presses.append(press)
        horizon, waits = now - self.grace, False
        while self._pending and (at := self._pending[0][0]) <= horizon:
            if self._judge_due(at) < at:
                break
            if not self._pending or self._pending[0][0] != at:
                continue  # it was judged with the timer that it may have preceded
            item = self._pending[0][3]
            if not self._are_pins_known(item):
                horizon, waits = at, True
                break
            doubtful = self._take_doubtful(item)
            if doubtful is not None:
                self._judge(doubtful)
                continue
            heapq.heappop(self._pending)
            rules, state = self.referee.rules, self.referee.state
            stalled = isinstance(item, ob.ProgramStalled)
            if stalled and not self._defers_readings(state) and not rules.decide(state, item):
                continue  # nothing depends on it
            item = self._drop_short_interval(item)
            admitted: Any = item
            if isinstance(item, ob.ButtonPressed | PhoneAnswer):
                admitted = self.phones.admit(self.referee.state, item)
            if admitted is not None:
                self._judge(admitted)
        self._horizon = max(self._horizon, self._judge_due(horizon))
        self._unsure |= waits

    def _judge_due(self, until: Micros) -> Micros:
        """Judge timers before `until`, so that a press at a window's end counts, and holds up to it.

        Returns how far that was possible: `until`, or a beat that nobody is known to have followed.
        """
        self._unsure = False
        while True:
            hold_due, timer = self._hold_detector.next_due(), self.referee.next_timer()
            if hold_due is not None and hold_due <= until and (timer is None or hold_due <= timer.due):
                if not self._are_holds_known(hold_due):
                    self._unsure = True
                    return hold_due
                for hold in self._hold_detector.advance(hold_due):
                    self._judge(hold)
            elif timer is not None and timer.due < until:
                elapsed = ob.TimerElapsed(at=timer.due, timer=timer.name)
                stalled = self._stalled(timer.due)
                if stalled is None or not (stalled or self._are_pins_known(elapsed)):
                    self._unsure = True
                    return timer.due
                doubtful = None if stalled else self._take_doubtful(elapsed)
                self._judge(ob.CountStalled(at=timer.due) if stalled else doubtful or elapsed)
            else:
                return until

    def _are_holds_known(self, due: Micros) -> bool:
        """Whether no button may yet be found to have been let go by then; one that may have been was."""
        buttons = self.buttons.debouncer
        held = self._hold_detector.due_buttons(due)
        if any(buttons.awaits_release(key, due, self._now) for key in held):
            return False
        for *_, seen in self._pending:
            if not isinstance(seen, ob.ButtonReleased) or (seen.source, seen.chair, seen.button) not in held:
                continue
            if seen.since is not None and seen.since < due <= seen.at and seen.source == "gpio":
                self._hold_detector.drop((seen.source, seen.chair, seen.button))
        return True

    def _are_pins_known(self, end: Any) -> bool:
        """Whether no press can be found any more that came before the `end` of a window or a race."""
        if not self.buttons.debouncer.may_find_press(end.at):
            self._patience = (-1, 0)  # what comes next waits anew
            return True
        if not self._ends_window(end):
            return True
        due, until = self._patience
        if not due <= end.at <= until:  # else it has waited together with what came before it
            self._patience = end.at, self._now + CALM_PATIENCE
        return self._now >= self._patience[1]

    def _take_doubtful(self, end: Any) -> Any | None:
        """Take out a press that may have come before or after `end`, a window's or a race's: it was in time.

        Such a press was found by reading a pin, so only the interval is known in which it came.
        """
        due, rules, is_timer = end.at, self.referee.rules, isinstance(end, ob.TimerElapsed)
        for item in sorted(self._pending):
            press: Any = item[3] if is_timer else self._drop_short_interval(item[3])
            if (
                isinstance(press, ob.ButtonPressed | ob.ButtonReleased)
                and (isinstance(press, ob.ButtonPressed) or rules.is_race_on(self.referee.state))
                and press.since is not None
                and press.since < due < press.at
            ):
                if not self._ends_window(end):
                    return None
                self._pending.remove(item)
                heapq.heapify(self._pending)
                at_the_end = replace(press, at=due, within=(press.since, press.at))
                if isinstance(at_the_end, ob.ButtonReleased):
                    return at_the_end
                admitted = self.phones.admit(self.referee.state, at_the_end)
                if admitted is not None:
                    return admitted
        return None

    def _drop_short_interval(self, seen: ob.AnyObservation) -> ob.AnyObservation:
        """A key or a finger came since it was asked for last: but at a window's end that rarely matters."""
        short = (
            isinstance(seen, ob.ButtonPressed | ob.ButtonReleased)
            and seen.source in {"key", "touch"}
            and seen.since is not None
            and (seen.at - seen.since <= KEY_RESOLUTION or not self.are_presses_timed())
        )
        return replace(seen, since=None) if short else seen

    def _ends_window(self, end: Any) -> bool:
        """Whether this timer ends a window in which presses count, or what a press in time would have.

        In a race so may all that is no press.
        """
        rules, state = self.referee.rules, self.referee.state
        if not isinstance(end, ob.TimerElapsed):
            return rules.is_race_on(state) and not isinstance(end, ob.ButtonPressed | ob.ButtonReleased)
        if rules.is_deadline(state, end.timer):
            return True
        after = reduce(rules.evolve, rules.decide(state, end), state)
        return rules.is_window_open(state) and not rules.is_window_open(after)

    def _stalled(self, due: Micros) -> bool | None:
        """Whether the timer `due` is a beat of a count that stood still."""
        count = self.view.count if self.referee.rules.is_window_open(self.referee.state) else None
        if count is None or count.first_beat is None or not count.beats:
            return False
        return self.stalled(count, due)

    def _judge(self, observation: Any) -> None:
        """Judge an observation and make the random draws it calls for; pause the game if that fails."""
        before = self.referee.state
        what = f"Judging {type(observation).__name__}"
        failure = run_and_log(what, lambda: self._judge_and_write(observation))
        if failure is not None:
            self._pause_after_failure(failure, min(observation.at, self._now))
        elif self.referee.state is not before:
            self._draw_lots(observation.at)

    def _pause_after_failure(self, failure: Exception, at: Micros) -> None:
        """Pause. Nothing was written, so the players can undo or correct the cause and continue."""
        key = _failure_key(failure)
        last = self._failures.get(key)
        if last is not None and 0 <= self._now - last < REPEATED_FAILURE_SPAN:
            raise RepeatedFailureError(waits=self._can_be_resumed()) from failure
        self._failures[key] = self._now
        self.failed = True
        self._hold_detector.clear()
        if not self.referee.state.desk.paused:
            self._judge(ob.PauseRequested(at=at))

    def _can_be_resumed(self) -> bool:
        """Whether this game is stored and not over."""
        journal = self.referee.journal
        return journal.header.kind == "game" and bool(journal.entries) and not self.over

    def _dry_run(self, state: Any, entry: Entry[Event]) -> None:
        """View and word an entry as a trial, so that errors surface before it is written."""
        referee, rules = self.referee, self.referee.rules
        try_wording(rules, state, referee.new_events(entry), again=entry.corrects is not None)
        if state is not referee.state:
            self._cached_view = state, dry_run_view(rules, state, entry.cause.at)

    def _judge_and_write(self, observation: Any) -> None:
        referee, before = self.referee, self.referee.state
        if isinstance(observation, ob.TableSeen):
            new = [region for region in observation.regions if not self._lies_still(region)]
            observation = referee.without_misread(replace(observation, regions=tuple(new)))
            observation = discard_doubtful(referee.rules, before, observation)
        if isinstance(observation, ob.CorrectionRequested):
            offer, seq = find_correction_offer(referee), observation.seq
            observation = None if offer is None else offer.accept(observation)
            if observation is None:
                log.info("To correct entry %d in this way is not offered, or not any more", seq)
                return
        if isinstance(observation, ob.UndoRequested) and self._is_overtaken(observation):
            log.info("An undo was asked for before what it would take back was announced")
            self.undo_overtaken = True
            return
        in_time, unsure = self._ruling_in_time(observation), self._release_doubt(observation)
        entry = referee.observe(observation)
        if (
            entry.retracts is not None
            or entry.corrects is not None
            or isinstance(observation, ob.PauseRequested | ob.ProgramRestarted)
        ):
            self._hold_detector.clear()
        elif not is_phone_press(observation):
            self._hold_detector.note_observation(observation)
        match observation:
            case ob.ButtonPressed() if not is_phone_press(observation):
                self._down[observation.chair, observation.button] = observation.at
            case ob.ButtonReleased():
                self._down.pop((observation.chair, observation.button), None)
        cue = self.cue
        if cue is not None or not referee.rules.is_window_open(referee.state):
            self.asked_cue = cue
        assert referee.ticket is not None
        late = 0 if in_time is None or in_time == entry.events else self._horizon - observation.at
        self.phones.update_offers(referee.state, entry.seq + 1)
        ruling = Announcement(
            entry, referee.new_events(entry), before, referee.state, late, unsure, self.phones.offer_numbers()
        )
        self._unannounced.append((referee.ticket, ruling))
        self.failed = self.failed and referee.state.desk.paused
        if self._defers_readings(before) and not self._defers_readings(referee.state):
            for reading in self._unjudged_readings(entry):
                self._enqueue(replace(reading, at=observation.at))

    def _lies_still(self, region: ob.RegionReading) -> bool:
        """Whether a place in which one thing after another is shown holds what was last judged there."""
        referee = self.referee
        if region.name not in referee.rules.shown_in_turn(referee.state):
            return False
        for entry in reversed(referee.journal.entries):
            if isinstance(entry.cause, ob.TableSeen):
                old = next((one for one in entry.cause.regions if one.name == region.name), None)
                if old is not None and not self._defers_readings(referee.state_before(entry.seq)):
                    return old.content == region.content
        return False

    def _defers_readings(self, state: Any) -> bool:
        """Whether what the camera reads is judged when the game goes on: it is paused, or over."""
        return state.desk.paused or self.referee.rules.outcome(state) is not None

    def _unjudged_readings(self, end: Entry[Event]) -> list[ob.TableSeen]:
        """What the camera read in the pause that ended with this entry, or while the game was over, as far as
        it still lies so.

        The camera tells nothing twice, but after it saw nothing, and after the program stood still or was
        started again, it reads everything anew.
        """
        readings: list[ob.TableSeen] = []
        newer: set[str] = set()
        for entry in reversed(self.referee.journal.entries[: end.seq]):
            is_judged = not self._defers_readings(self.referee.state_before(entry.seq))
            if is_judged or isinstance(entry.cause, ob.Unseen):
                break
            if isinstance(entry.cause, ob.TableSeen):
                regions = tuple(region for region in entry.cause.regions if region.name not in newer)
                newer.update(region.name for region in regions)
                readings += [replace(entry.cause, regions=regions)] if regions else []
        return readings[::-1]

    def _is_overtaken(self, undo: ob.UndoRequested) -> bool:
        """Whether what it would take back, or another undo, was not yet announced when it was asked for."""
        announced, target = self._undo_up_to.get(undo.at), self.referee.find_undoable()
        if announced is None or target is None:
            return False
        untold = islice(self.referee.journal.entries, announced + 1, None)
        return target.seq > announced or any(entry.retracts is not None for entry in untold)

    def _ruling_in_time(self, observation: Any) -> tuple[Event, ...] | None:
        """The ruling a late press would have had in its time; None if it is in time."""
        is_press = isinstance(observation, ob.ButtonPressed | ob.ButtonReleased)
        if observation.at >= self._horizon or not is_press:
            return None
        return self.referee.rules.decide(self.referee.state_at(observation.at), observation)

    def _release_doubt(self, seen: Any) -> Micros:
        """Within how long it was, if in the window another ruling would follow from a release; else 0."""
        since = seen.since if isinstance(seen, ob.ButtonReleased) else None
        if since is None or seen.at - since <= KEY_RESOLUTION:
            return 0
        rules, now, then = self.referee.rules, self.referee.state, self.referee.state_at(since)
        same = not rules.is_window_open(then) or rules.decide(then, seen) == rules.decide(now, seen)
        return 0 if same else seen.at - since

    def _draw_lots(self, at: Micros) -> None:
        """Make the random draw that the rules call for, if any."""
        state = self.referee.state
        lots = None if state.desk.paused else self.referee.rules.awaited_draw(state)
        if lots is not None:
            self._judge(ob.RandomDraw(at=at, choices=lots, index=self._chance(len(lots))))

    def are_presses_timed(self) -> bool:
        """Whether the instant of a press may decide: in a timed window, in a race, close to a deadline."""
        rules, state = self.referee.rules, self.referee.state
        if state.desk.paused:
            return False
        return rules.is_race_on(state) or rules.is_window_open(state) or self._is_deadline_close()

    def _is_deadline_close(self) -> bool:
        timer = self.referee.next_timer()
        close = timer is not None and timer.due - self._now <= DEADLINE_CLOSE
        return close and timer is not None and self.referee.rules.is_deadline(self.referee.state, timer.name)

    def _poll_buttons(self, now: Micros) -> None:
        """Poll the buttons while presses matter, so that no press is missed whose edge the kernel lost.

        Between presses there is time to wait for an edge in transit; at the end of a window there is none.
        """
        races = self.referee.rules.is_race_on(self.referee.state)
        if self._levels is None or not self.are_presses_timed():
            self._poll_at = None
            return
        end = None if races else self.referee.next_timer()
        wait = MAX_EDGE_DELAY if races else SWITCH_TIMING.settle + SWITCH_TIMING.delivery
        if end is not None and self._polled_window_end < end.due <= now:
            self._polled_window_end = end.due
            # A loop that is late can no longer tell what was down when the timer expired.
            at = end.due if now - end.due <= SWITCH_TIMING.delivery else now
            self.buttons.debouncer.compare_levels(at, self._levels(), wait=GRACE, read_at=now)
        elif self._poll_at is None or now >= self._poll_at:
            self.buttons.debouncer.compare_levels(now, self._levels(), wait=wait)
            self._poll_at = now + PIN_POLL_INTERVAL

    def _window_end(self, timer: Timer | None) -> Micros | None:
        """When to poll the buttons at the end of a window; None if that is over."""
        if timer is None or self._poll_at is None or timer.due <= self._polled_window_end:
            return None
        return None if self.referee.rules.is_race_on(self.referee.state) else timer.due

    def rewind_to(self, seq: int, at: Micros) -> None:
        """Restart a lesson's step; a button that is down does not become a hold.

        What was sensed and is not judged yet was of the table that is gone.
        """
        self.referee.rewind_to(seq, at)
        self._pending.clear()
        self._hold_detector.clear()
        self.asked_cue = self.cue

    # What goes out ----------------------------------------------------------------------------------------

    def take_announcements(self) -> list[Announcement]:
        """The rulings that became durable since the last call, in order.

        While the store fails they are announced once the recovery log has them, and if that fails, too, then
        unsaved, with a warning: the game continues.
        """
        ready = []
        while self._unannounced and (self._unsaved or self._unannounced[0][0].announceable):
            ready.append(self._unannounced.popleft()[1])
        return ready

    def _save_step(self) -> None:
        """Save the step; on failure the game continues unsaved and the next step tries again."""
        known = self._unsaved is not None
        failure = run_and_log("Writing the game down", self.referee.journal.flush, known=known)
        self._unsaved = None if failure is None else StorageFailure("storage.lost", str(failure))

    @property
    def trouble(self) -> StorageFailure | None:
        """Why nothing is being saved, if so."""
        return self.referee.journal.trouble or self._unsaved

    @property
    def waiting(self) -> bool:
        """Whether a ruling is waiting to become durable."""
        return bool(self._unannounced)

    @property
    def view(self) -> View:
        state = self.referee.state
        if self._cached_view is None or self._cached_view[0] is not state:
            self._cached_view = state, self.referee.rules.view(state)
        return self._cached_view[1]

    @property
    def cue(self) -> Cue | None:
        """The cue whose first beat is awaited."""
        state = self.referee.state
        return None if state.desk.paused else self.referee.rules.awaited_cue(state)

    @property
    def over(self) -> bool:
        return self.referee.rules.outcome(self.referee.state) is not None

    def buttons_maybe_down(self) -> frozenset[ButtonId]:
        """Buttons that are down or may be, for immediate feedback before they are judged."""
        return self.buttons.debouncer.buttons_maybe_down()

    def unjudged_buttons(self) -> frozenset[ButtonId]:
        """Buttons whose press is not judged yet."""
        return self.buttons.debouncer.buttons_maybe_down().difference(self._down)

    def stuck_button(self, now: Micros) -> ButtonId | None:
        """A button that has been down for longer than `STUCK_AFTER`."""
        return next((line for line, since in self._down.items() if now - since > STUCK_AFTER), None)

    def next_due(self) -> Micros | None:
        """When `step` next has something to do, unless something happens before."""
        if self._woke is not None:
            return self._woke + GRACE
        if self._unsure:
            return self._now + STALL_RECHECK_INTERVAL
        timer: Timer | None = self.referee.next_timer()
        hold = self._hold_detector.next_due()
        dues = [
            self.buttons.debouncer.next_due(),
            self._pending[0][0] + self.grace if self._pending else None,
            None if timer is None else timer.due + self.grace + 1,
            self._window_end(timer),
            None if hold is None else hold + self.grace + 1,
            self._poll_at,
        ]
        return min((due for due in dues if due is not None), default=None)


def _failure_key(failure: Exception) -> _FailureKey:
    """What identifies a failure: its type, and the line that raised it."""
    place = failure.__traceback__
    while place is not None and place.tb_next is not None:
        place = place.tb_next
    where = ("", 0) if place is None else (place.tb_frame.f_code.co_filename, place.tb_lineno)
    return type(failure).__name__, *where


def _by_pin(observation: Any) -> TypeGuard[ob.ButtonPressed | ob.ButtonReleased]:
    return isinstance(observation, ob.ButtonPressed | ob.ButtonReleased) and observation.source == "gpio"


def _tie_break(item: Any) -> _TieBreak:
    """A fixed order for presses of the same microsecond, independent of their delivery."""
    if isinstance(item, PhoneAnswer):
        item = item.observation
    if isinstance(item, (ob.ButtonPressed, ob.ButtonReleased)):
        return 1, -1 if item.chair is None else item.chair, item.button, item.source
    return (0, 0, "", "")
