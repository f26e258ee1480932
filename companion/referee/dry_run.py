"""Dry run of a journal from elsewhere: it must be shown, announced and continued without an error."""

from collections.abc import Callable, Container, Sequence
from functools import cache
from typing import Any, get_args, get_type_hints

from msgspec.structs import replace

from companion.core.actions import Action, Chair, Seat, Setup
from companion.core.events import Event, Repaired
from companion.core.observations import (
    ActionDeclared,
    AnyObservation,
    ButtonHeld,
    ButtonPressed,
    ButtonReleased,
    CorrectionRequested,
    HandShown,
    UndoRequested,
)
from companion.core.rules import Rules
from companion.core.view import View
from companion.referee.game_log import log_lines, wording_state
from companion.referee.journal import Entry, Header, JournalError, MemoryJournal
from companion.referee.journal.codec import CHAIRS
from companion.referee.journal.valid_entries import MISFIT_ERRORS, misfit_error
from companion.referee.referee import Referee


def build_event_check(rules: Rules[Any], setup: Setup) -> Callable[[Event], None]:
    """A function that raises `LookupError` for an event that names something this game does not have."""
    there: dict[Any, Container[Any]] = {Seat: range(rules.hand_count(setup)), Chair: frozenset(setup.chairs)}
    named = rules.valid_field_values(setup)

    def check(event: Event) -> None:
        for field, kind in _seat_and_chair_fields(type(event)):
            _check_within(getattr(event, field), there[kind])
        for field, known in named.items():
            if field in event.__struct_fields__:
                _check_within(getattr(event, field), known)

    return check


def _check_within(value: Any, known: Container[Any]) -> None:
    for one in value if isinstance(value, tuple) else (value,):
        if one is not None and one not in known:
            raise LookupError(one)


@cache
def _seat_and_chair_fields(event: type[Event]) -> tuple[tuple[str, Any], ...]:
    """The fields of an event that hold seats or chairs, one, none or several, with the kind of each."""
    hints = get_type_hints(event, include_extras=True)
    return tuple(
        (field, kind)
        for field, declared in hints.items()
        for kind in (Seat, Chair)
        if kind in (declared, *get_args(declared))
    )


def try_wording(rules: Rules[Any], state: Any, events: Sequence[Event], *, again: bool) -> None:
    """Word these rulings as a trial, so that errors surface now; `again`: as part of a correction."""
    for event in events:
        rules.sentence(state, event, log=again)
        rules.sentence(state, event, log=True)
        rules.ineffective_press(event)
        rules.explanation_key(state, event)


def dry_run_view(rules: Rules[Any], state: Any, at: int) -> View:
    """The view of a state; raises whatever showing it and prompting the players would raise."""
    view = rules.view(state)
    rules.next_timer(state)
    rules.is_window_open(state)
    rules.camera_request(state, at)
    if not state.desk.paused:
        rules.awaited_cue(state)
        rules.awaited_draw(state)
    return view


def check_journal(
    rules: Rules[Any],
    header: Header,
    entries: Sequence[Entry[Event]],
    *,
    step: Callable[[int], None] = lambda _: None,
) -> Referee[Any]:
    """The game of a journal; raises `JournalError` with the line of the first impossible entry.

    `step` is called with the number of entries checked so far.
    """
    referee = Referee(rules, MemoryJournal(header, entries))
    before, setup = referee.state_before(0), referee.setup
    check = build_event_check(rules, setup)
    # A long journal repeats itself, and equal states have equal views.
    looked: set[Any] = set()
    told: set[Any] = set()
    for entry in entries:
        after = referee.state_after(entry.seq)
        if (wider := max(before.setup, after.setup, key=rules.hand_count)) != setup:  # somebody came
            setup, check = wider, build_event_check(rules, wider)
        seats = range(rules.hand_count(setup))
        for cause in (entry.cause, getattr(entry.cause, "truth", None)):
            if stranger := _find_stranger(cause, seats):
                what, field = stranger
                raise JournalError("damaged", what, line=entry.seq + 2, where=f"$.cause.{field}")
        try:
            for event in (*entry.events, *(event for one in entry.rejudged for event in one.events)):
                check(event)
                if isinstance(event, Repaired) and (broken := rules.find_violation(after)):
                    raise JournalError("damaged", f"no table is like this: {broken}", line=entry.seq + 2)
            news, again = referee.new_events(entry), entry.corrects is not None
            if news and (after, news, again) not in told:
                try_wording(rules, after, news, again=again)
                told.add((after, news, again))
            if after is not before and after not in looked:
                dry_run_view(rules, after, entry.cause.at)
                rules.controls(after)
                looked.add(after)
        except MISFIT_ERRORS as error:
            raise misfit_error(error, entry.seq) from error
        before = after
        step(entry.seq + 1)
    check_can_continue(referee)
    return referee


def _find_stranger(cause: AnyObservation | None, seats: Container[Seat]) -> tuple[str, str] | None:
    """Who a cause is about that no table, or not this one, has, and the field that says so; None: nobody."""
    chair = getattr(cause, "chair", None)
    if chair is not None and chair not in CHAIRS:
        return f"no table has a chair {chair}", "chair"
    match cause:
        case ButtonPressed() | ButtonReleased() | ButtonHeld() if cause.button == "seat" and chair is None:
            return "a player's button belongs to a chair", "chair"
        case ActionDeclared(action=Action(seat=seat)) if seat not in seats:
            return f"this game has no seat {seat}", "action.seat"
        case HandShown(seat=seat) if seat not in seats:
            return f"this game has no seat {seat}", "seat"
    return None


def check_can_continue(referee: Referee[Any]) -> None:
    """Raise `JournalError` if the current state cannot be shown or the log cannot be worded."""
    seq = len(referee.journal.entries) - 1
    told: set[Any] = set()
    try:
        dry_run_view(referee.rules, referee.state, referee.at)
        referee.rules.controls(referee.state)
        for entry in referee.standing_entries():
            seq = entry.seq
            if not entry.events:
                continue
            hidden = tuple(wording_state(referee, seq, event) is not referee.state for event in entry.events)
            mends = entry.retracts is not None or entry.corrects is not None
            same = (referee.state_before(seq), replace(entry.cause, at=0), entry.events, hidden, mends)
            if same not in told:
                log_lines(referee, seq, seq, entry.events, cause=entry.cause)
                told.add(same)
    except MISFIT_ERRORS as error:
        raise misfit_error(error, seq) from error


def rejudge_entry(referee: Referee[Any], entry: Entry[Event]) -> Entry[Event] | None:
    """The entry as this program would write it; None where it takes back what its cause cannot."""
    takes_back = isinstance(entry.cause, (UndoRequested, CorrectionRequested))
    if entry.retracts is not None and not takes_back:
        return None
    if isinstance(entry.cause, CorrectionRequested) and entry.corrects != entry.cause.seq:
        return None
    return referee.judge(entry.cause)
