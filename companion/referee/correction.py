"""A correction: one cause was otherwise, and what stood after it is judged again, timers in their places.

Nobody is punished for the referee's mistake: what was lawful as ruled then and would be an infraction now
becomes a repair. A press chose among what its button offered then; where it offers something else now, it
chooses nothing. Where a later cause has no meaning any more the correction stops, and says so.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Generic

from companion.core import events as ev
from companion.core import observations as ob
from companion.core.actions import Micros
from companion.core.desk import S
from companion.core.events import Event
from companion.core.rules import Rules
from companion.referee.journal.entry import Entry, Rejudged
from companion.referee.journal.line import fold

WAS_LAWFUL = "was_lawful"
"""`Repair.what`: this was lawful as it was ruled then; put it right, nobody is at fault."""
STOPPED = "correction_stopped"
"""`Repair.what`: what came after has no meaning any more; the game goes on from here."""


BUTTONS = (ob.ButtonPressed, ob.ButtonReleased, ob.ButtonHeld)
CARRIED = (ev.GamePaused, ev.GameResumed, ev.CameraWentDark, ev.CameraCameBack)
"""Circumstances that last: they hold on whatever is taken back."""
CIRCUMSTANCES = (*CARRIED, ev.GameRestarted, ev.WindowVoided)
"""Facts about the table, not about the game."""


class StuckTimer(RuntimeError):  # noqa: N818 - what it says, not what it is
    """A timer stands unchanged after its own ruling: the rules would judge it for ever."""


class Rejudging(Generic[S]):
    """The state as it is judged again, and the rulings on the way."""

    def __init__(self, rules: Rules[S], state: S, seq: int, forgets: tuple[Event, ...] = ()) -> None:
        self.rules = rules
        self.state = fold(rules.evolve, state, forgets)
        self.forgets = forgets
        """What is forgotten before anything is judged; it stands before the first ruling."""
        self.seq = seq
        """The correction's own place in the journal."""
        self.rulings: list[Rejudged[Event]] = []
        self.stopped: tuple[Event, ...] = ()
        self.said = self.state
        """The state once the truth was ruled: what it names, the table has named now."""

    def judge_all(
        self,
        original: Entry[Event],
        truth: ob.AnyObservation | None,
        later: Sequence[tuple[Entry[Event], S]],
        at: Micros,
    ) -> None:
        """Judge `truth` for `original`, then what stood after it, up to the correction at `at`.

        Each later entry comes with the state in which it was judged then.
        """
        if truth is not None:
            events = self.rules.decide(self.state, truth)
            followed = any(is_ruling(self.rules, entry.events) for entry, _ in later)
            self._rule(original.seq, forgiven(original.events, events) if followed else events)
            self.said = self.state
        for entry, then in later:
            cause = entry.cause
            if isinstance(cause, ob.TimerElapsed):
                self._fire(through=cause.at - 1)
                self._fire(through=cause.at, recorded=entry)
                continue
            self._fire(through=cause.at - 1)
            if isinstance(cause, (ob.TakenBack, ob.Corrected)):
                self._rule(entry.seq, self._circumstances(entry.events))
                continue
            events = self._anew(cause, then)
            if is_ruling(self.rules, entry.events) and not is_ruling(self.rules, events):
                self.stopped = (ev.Repair(STOPPED),)
                return
            self._rule(entry.seq, forgiven(entry.events, events))
        self._fire(through=at - 1)

    def _anew(self, cause: ob.AnyObservation, then: S) -> tuple[Event, ...]:
        """Judge a later cause again: a press of a button that meant something else `then` only ends."""
        rules = self.rules
        if (
            not isinstance(cause, BUTTONS)
            or (rules.window_open(then) and rules.window_open(self.state))
            or rules.meaning(then, cause) == rules.meaning(self.state, cause)
        ):
            return rules.decide(self.state, cause)
        if cause.chair is None:
            return ()
        if isinstance(cause, ob.ButtonPressed):
            return rules.raced(self.state, cause.chair, cause) or ()
        return (ev.PressEnded(cause.chair),) if isinstance(cause, ob.ButtonReleased) else ()

    def _rule(self, seq: int, events: tuple[Event, ...], timer: ob.TimerElapsed | None = None) -> None:
        self.state = fold(self.rules.evolve, self.state, events)
        self.rulings.append(Rejudged(seq, (*self.forgets, *events), timer))
        self.forgets = ()

    def _fire(self, *, through: Micros, recorded: Entry[Event] | None = None) -> None:
        """Judge the timers due by `through`: all, or the one that was `recorded` if it stands again."""
        while (timer := self.rules.next_timer(self.state)) is not None and timer.due <= through:
            seen = ob.TimerElapsed(at=timer.due, timer=timer.name)
            if recorded is None:
                self._rule(self.seq, self._moving(seen, ()), seen)
            elif recorded.cause == seen:
                self._rule(recorded.seq, self._moving(seen, recorded.events), seen)
            else:
                return

    def _moving(self, seen: ob.TimerElapsed, old: tuple[Event, ...]) -> tuple[Event, ...]:
        """A timer's ruling, as mild as it may be without leaving the timer where it was."""
        events = self.rules.decide(self.state, seen)
        for milder in (forgiven(old, events), softened(old, events)):
            if not stands(self.rules, seen, fold(self.rules.evolve, self.state, milder)):
                return milder
        check_moved(self.rules, seen, fold(self.rules.evolve, self.state, events))
        return events

    def _circumstances(self, events: tuple[Event, ...]) -> tuple[Event, ...]:
        """What an undo or an earlier correction carried along, as far as it holds here."""
        kept = tuple(event for event in events if isinstance(event, CARRIED))
        return (*self.rules.voided(self.state, "undo"), *kept)


def is_ruling(rules: Rules[Any], events: tuple[Event, ...]) -> bool:
    """Whether anything was ruled that a table could take back: no bookkeeping, no circumstance."""
    return any(not isinstance(event, CIRCUMSTANCES) and not rules.silent(event) for event in events)


def forgiven(old: tuple[Event, ...], events: tuple[Event, ...]) -> tuple[Event, ...]:
    """The new ruling, or a repair in its place if it would be an infraction and was none."""
    fault = _new_fault(old, events)
    return events if fault is None else (_repair(fault),)


def softened(old: tuple[Event, ...], events: tuple[Event, ...]) -> tuple[Event, ...]:
    """The new ruling with a repair for each infraction that was none, its consequences kept."""
    if _new_fault(old, events) is None:
        return events
    return tuple(_repair(event) if isinstance(event, ev.Infraction) else event for event in events)


def _new_fault(old: tuple[Event, ...], events: tuple[Event, ...]) -> ev.Infraction | None:
    if any(isinstance(event, ev.Infraction) for event in old):
        return None
    return next((event for event in events if isinstance(event, ev.Infraction)), None)


def _repair(fault: ev.Infraction) -> ev.Repair:
    return ev.Repair(WAS_LAWFUL, where=fault.what, seat=fault.seat)


def stands(rules: Rules[S], seen: ob.TimerElapsed, after: S) -> bool:
    """Whether the timer that elapsed is still the next one."""
    timer = rules.next_timer(after)
    return timer is not None and timer.name == seen.timer and timer.due == seen.at


def check_moved(rules: Rules[S], seen: ob.TimerElapsed, after: S) -> None:
    """Raise if a timer stands unchanged after its own ruling: the loop would never end."""
    if stands(rules, seen, after):
        raise StuckTimer(f"{rules.name}: timer {seen.timer} at {seen.at} stands after its own ruling")
