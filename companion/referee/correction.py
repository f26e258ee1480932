"""Correction of one observation, with every later entry judged again.

No player is punished for the referee's mistake: an action that was legal by the ruling then and would be an
infraction now becomes a repair. A press chose among the options its button had then; if they differ now, it
chooses nothing. If a later observation has lost its meaning, the correction stops there and says so.
"""

from collections.abc import Hashable, Mapping, Sequence
from typing import Any, Generic, NamedTuple

from companion.core import events as ev
from companion.core import observations as ob
from companion.core.actions import Micros
from companion.core.events import Event
from companion.core.game_status import S
from companion.core.rules import Rules
from companion.referee.journal.entry import Entry, RejudgedRuling
from companion.referee.journal.valid_entries import Node, fold, next_node

WAS_LAWFUL = "was_lawful"
"""`Repair.what`: the action was legal by the ruling of the time; put it right, without blame."""
CORRECTION_STOPPED = "correction_stopped"
"""`Repair.what`: what followed has lost its meaning; the game continues from here."""


BUTTON_OBSERVATIONS = (ob.ButtonPressed, ob.ButtonReleased, ob.ButtonHeld)
CLOCK_EVENTS = (ev.ClocksStopped, ev.ClocksShifted)
PERSISTENT_EVENTS = (
    ev.GamePaused,
    ev.GameResumed,
    *CLOCK_EVENTS,
    ev.TableUnseen,
    ev.CameraWentDark,
    ev.CameraCameBack,
)
"""Circumstances that persist through an undo."""
CIRCUMSTANCE_EVENTS = (*PERSISTENT_EVENTS, ev.GameRestarted, ev.WindowVoided)
"""Events about the table rather than the game."""


NamedFace = tuple[Hashable, Hashable]
"""The position and the card of an open face that is known."""


class StuckTimerError(RuntimeError):
    """A timer is unchanged after its own ruling, so the rules would judge it forever."""


class Truth(NamedTuple):
    """What a corrected entry is judged as, in place of its cause."""

    seen: tuple[ob.AnyObservation, ...]
    misread: ob.RegionReading | None = None
    """What the camera read instead."""


class Rejudgement(Generic[S]):
    """The state and the rulings while entries are judged again from `start` on."""

    def __init__(
        self,
        rules: Rules[S],
        start: Node[S],
        nodes: Sequence[Node[S]],
        entries: Sequence[Entry[Event]],
        forgets: tuple[Event, ...] = (),
    ) -> None:
        self.rules = rules
        self.nodes, self.entries = nodes, entries
        """The newest node before each entry of the journal was added, and the entries."""
        self.state = fold(rules.evolve, start.state, forgets)
        self.node = start
        """The newest entry that was judged again, as the journal will hold it."""
        self.forget_events = forgets
        """Events that forget hidden cards, applied before anything is judged."""
        self.seq = len(entries)
        """The correction's own number in the journal."""
        self.rulings: list[RejudgedRuling[Event]] = []
        self.stop_events: tuple[Event, ...] = ()
        self.stopped_at: Micros | None = None
        """When the first entry was judged that has lost its meaning: what came after it is taken back."""
        self.state_after_truth = start
        """The node of the truth: whatever it names is now known to the players."""
        self.named = frozenset[NamedFace]()
        """The faces that it names anew, as long as they lie there."""

    def judge_all(
        self,
        original: Entry[Event],
        truth: ob.AnyObservation | None,
        later: Sequence[tuple[Entry[Event], S, S]],
        at: Micros,
        truths: Mapping[int, Truth],
    ) -> None:
        """Judge `truth` in place of `original`, then all valid later entries, up to the correction at `at`.

        Each later entry comes with the states before and after it as it stands. `truths`: what the entries
        are judged as that are corrected now or were before.
        """
        told, said = truths.get(original.seq) or Truth((truth or original.cause,)), frozenset[NamedFace]()
        if told.seen:
            known, events = self._known_faces(self.state), self._judge_truth(told)
            followed = any(is_ruling(self.rules, entry.events) for entry, _, _ in later)
            self._apply_ruling(
                original.seq,
                truth or told.seen[-1],
                forgive_infraction(original.events, events) if followed else events,
            )
            self.state_after_truth = self.node
            said = self._known_faces(self.state) - known
            self.named = said if truth != original.cause else frozenset()
        for entry, then, led_to in later:
            cause = entry.cause
            if isinstance(cause, ob.TimerElapsed):
                self._fire_timers(through=cause.at - 1)
                self._fire_timers(through=cause.at, recorded=entry)
                continue
            written = self.entries[entry.seq]  # judged again it may not say any more where it stopped
            gone = written.retracts
            left = cause if gone is None else self.entries[gone].cause
            if ev.Repair(CORRECTION_STOPPED) not in written.events:
                self._fire_timers(through=left.at - 1)  # what came after it was taken back
            undone = gone is not None and self.entries[gone].corrects == original.seq
            self._forget(entry.events, then, said if undone else frozenset())
            if isinstance(cause, (ob.UndoRequested, ob.CorrectionRequested)):
                nothing = gone is None and isinstance(cause, ob.UndoRequested)  # could be taken back
                events = () if nothing else self._carry_circumstances(entry.events)
                went_on = not nothing and self.rules.outcome(self.nodes[entry.seq].state) is not None
                if went_on:  # all is read anew, as then
                    events += tuple(self.rules.unread_places(self.state))
                self._apply_ruling(entry.seq, cause, self._lasting(events, then, led_to))
                continue
            again, stood = truths.get(entry.seq), self.nodes[entry.seq].state
            events = self._judge_truth(again) if again else self._judge_again(cause, stood)
            if is_ruling(self.rules, entry.events) and not is_ruling(self.rules, events):
                self.stop_events, self.stopped_at = (ev.Repair(CORRECTION_STOPPED),), cause.at
                return
            events = forgive_infraction(entry.events, events)
            if events != entry.events and cause == written.cause:  # what was misread does not last
                events = self._lasting(events, then, led_to)
            self._apply_ruling(entry.seq, cause, events)
        self._fire_timers(through=at - 1)

    def _judge_truth(self, told: Truth) -> tuple[Event, ...]:
        events: tuple[Event, ...] = ()
        for one in told.seen:
            now = fold(self.rules.evolve, self.state, events)
            events += self.rules.judge_truth(now, one, told.misread)
        return events

    def _judge_again(self, cause: ob.AnyObservation, then: S) -> tuple[Event, ...]:
        """Judge a later observation again; a press whose button had another meaning `then` has none."""
        rules = self.rules
        if (
            not isinstance(cause, BUTTON_OBSERVATIONS)
            or (rules.is_window_open(then) and rules.is_window_open(self.state))
            or rules.press_meaning(then, cause) == rules.press_meaning(self.state, cause)
        ):
            return rules.decide(self.state, cause)
        if cause.chair is None:
            return ()
        if isinstance(cause, ob.ButtonPressed):
            return rules.judge_race_press(self.state, cause.chair, cause) or ()
        return (ev.PressEnded(cause.chair),) if isinstance(cause, ob.ButtonReleased) else ()

    def _apply_ruling(self, seq: int, cause: ob.AnyObservation, events: tuple[Event, ...]) -> None:
        self.state = fold(self.rules.evolve, self.state, events)
        events = (*self.forget_events, *events)
        self.node = next_node(self.node, Entry(seq, cause, events), self.state)
        timer = cause if isinstance(cause, ob.TimerElapsed) else None
        self.rulings.append(RejudgedRuling(seq, events, timer))
        self.forget_events = ()

    def _forget(self, events: tuple[Event, ...], then: S, said: frozenset[NamedFace]) -> None:
        """Forget again what an entry forgot `then`, when somebody went back: nobody has seen it since.

        By its place, and by its position: what was placed then may be still to be placed now. What the truth
        names was named in the correction; `said`: even if it was named before, and that taken back.
        """
        rules = self.rules
        self.named &= self._known_faces(self.state)
        gone = {face.position for face in rules.open_faces(then) if rules.forget(then, face.place) in events}
        faces = rules.open_faces(self.state)
        known = [face for face in faces if face.card and (face.position, face.card) not in said]
        gone -= {position for position, _ in self.named}
        found = ((face.position in gone, rules.forget(self.state, face.place)) for face in known)
        forgets = tuple({event: None for lay, event in found if event and (lay or event in events)})
        self.state = fold(rules.evolve, self.state, forgets)
        self.forget_events += forgets

    def _known_faces(self, state: S) -> frozenset[NamedFace]:
        return frozenset((face.position, face.card) for face in self.rules.open_faces(state) if face.card)

    def _fire_timers(self, *, through: Micros, recorded: Entry[Event] | None = None) -> None:
        """Judge the timers due by `through`: all of them, or only the `recorded` one if it is next again."""
        while (timer := self.rules.next_timer(self.state)) is not None and timer.due <= through:
            seen = ob.TimerElapsed(at=timer.due, timer=timer.name)
            if recorded is None:
                self._apply_ruling(self.seq, seen, self._judge_timer(seen, ()))
            elif recorded.cause == seen:
                self._apply_ruling(recorded.seq, seen, self._judge_timer(seen, recorded.events))
            else:
                return

    def _judge_timer(self, seen: ob.TimerElapsed, old: tuple[Event, ...]) -> tuple[Event, ...]:
        """The mildest ruling on a timer that still moves it."""
        events = self.rules.decide(self.state, seen)
        for milder in (forgive_infraction(old, events), soften_infractions(old, events)):
            if not is_timer_unchanged(self.rules, seen, fold(self.rules.evolve, self.state, milder)):
                return milder
        check_timer_moved(self.rules, seen, fold(self.rules.evolve, self.state, events))
        return events

    def _carry_circumstances(self, events: tuple[Event, ...]) -> tuple[Event, ...]:
        """The events that an undo or an earlier correction carried along, as far as they still apply."""
        kept = tuple(event for event in events if isinstance(event, PERSISTENT_EVENTS))
        return (*self.rules.void_window(self.state, "undo"), *kept)

    def _lasting(self, events: tuple[Event, ...], then: S, led_to: S) -> tuple[Event, ...]:
        """A ruling, and whatever no undo changes but this entry changed, between `then` and `led_to`.

        So a button is down when it was down, whatever its press means now.
        """
        rules = self.rules
        lasts = tuple(rules.persistent(then, led_to)) if rules.outcome(led_to) is None else ()
        if not lasts:
            return events
        after = fold(rules.evolve, self.state, events)
        return (*events, *rules.persistent(after, fold(rules.evolve, after, lasts)))


def is_ruling(rules: Rules[Any], events: tuple[Event, ...]) -> bool:
    """Whether the events contain anything that can be undone, besides bookkeeping and circumstances."""
    return any(not isinstance(event, CIRCUMSTANCE_EVENTS) and not rules.is_silent(event) for event in events)


def forgive_infraction(old: tuple[Event, ...], events: tuple[Event, ...]) -> tuple[Event, ...]:
    """The new ruling, or a repair in its place if it is an infraction and the old one was not."""
    fault = _new_infraction(old, events)
    return events if fault is None else (_repair_for(fault),)


def soften_infractions(old: tuple[Event, ...], events: tuple[Event, ...]) -> tuple[Event, ...]:
    """The new ruling with a repair in place of each new infraction, and its consequences kept."""
    if _new_infraction(old, events) is None:
        return events
    return tuple(_repair_for(event) if isinstance(event, ev.Infraction) else event for event in events)


def _new_infraction(old: tuple[Event, ...], events: tuple[Event, ...]) -> ev.Infraction | None:
    if any(isinstance(event, ev.Infraction) for event in old):
        return None
    return next((event for event in events if isinstance(event, ev.Infraction)), None)


def _repair_for(fault: ev.Infraction) -> ev.Repair:
    return ev.Repair(WAS_LAWFUL, where=fault.what, seat=fault.seat)


def is_timer_unchanged(rules: Rules[S], seen: ob.TimerElapsed, after: S) -> bool:
    """Whether the timer that expired is still the next one."""
    timer = rules.next_timer(after)
    return timer is not None and timer.name == seen.timer and timer.due == seen.at


def check_timer_moved(rules: Rules[S], seen: ob.TimerElapsed, after: S) -> None:
    """Raise `StuckTimerError` if a timer is unchanged after its own ruling, as the loop would never end."""
    if is_timer_unchanged(rules, seen, after):
        raise StuckTimerError(f"{rules.name}: timer {seen.timer} at {seen.at} stands after its own ruling")
