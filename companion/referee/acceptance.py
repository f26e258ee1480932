"""Checks that a journal from elsewhere can be shown, announced and continued, before it is stored."""

from collections.abc import Callable, Sequence
from typing import Any

from msgspec.structs import replace

from companion.core.events import Event
from companion.core.observations import Corrected, TakenBack
from companion.core.rules import Rules
from companion.core.view import View
from companion.referee.game_log import lines_of, worded_in
from companion.referee.journal import Entry, Header, JournalError, MemoryJournal
from companion.referee.journal.codec import CHAIRS
from companion.referee.journal.line import UNFIT, unfit
from companion.referee.named import check_named
from companion.referee.referee import Referee


def shown(rules: Rules[Any], state: Any, events: Sequence[Event], *, again: bool) -> None:
    """Word these rulings as a trial, so that errors surface now; `again`: as part of a correction."""
    for event in events:
        rules.sentence(state, event, log=again)
        rules.sentence(state, event, log=True)
        rules.notice(event)
        rules.why(state, event)


def looked_at(rules: Rules[Any], state: Any, at: int) -> View:
    """The view of a state; raises whatever showing it and prompting the players would raise."""
    view = rules.view(state)
    rules.next_timer(state)
    rules.window_open(state)
    rules.look(state, at)
    if not state.desk.paused:
        rules.awaited_cue(state)
        rules.awaited_draw(state)
    return view


def accepted(
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
    check = check_named(rules, referee.setup)
    before = referee.state_before(0)
    # A long journal repeats itself, and equal states have equal views.
    looked: set[Any] = set()
    told: set[Any] = set()
    for entry in entries:
        _check_chair(entry)
        after = referee.state_after(entry.seq)
        try:
            for event in (*entry.events, *(event for one in entry.rejudged for event in one.events)):
                check(event)
            news, again = referee.news(entry), entry.corrects is not None
            if news and (after, news, again) not in told:
                shown(rules, after, news, again=again)
                told.add((after, news, again))
            if after is not before and after not in looked:
                looked_at(rules, after, entry.cause.at)
                rules.controls(after)
                looked.add(after)
        except UNFIT as error:
            raise unfit(error, entry.seq) from error
        before = after
        step(entry.seq + 1)
    check_goes_on(referee)
    return referee


def _check_chair(entry: Entry[Event]) -> None:
    """Raise `JournalError` if a cause is about a chair that no table has."""
    for cause in (entry.cause, getattr(entry.cause, "truth", None)):
        chair = getattr(cause, "chair", None)
        if chair is not None and chair not in CHAIRS:
            what = f"no table has a chair {chair}"
            raise JournalError("damaged", what, line=entry.seq + 2, where="$.cause.chair")


def check_goes_on(referee: Referee[Any]) -> None:
    """Raise `JournalError` if the current state cannot be shown or the log cannot be worded."""
    seq = len(referee.journal.entries) - 1
    told: set[Any] = set()
    try:
        looked_at(referee.rules, referee.state, referee.at)
        referee.rules.controls(referee.state)
        for entry in referee.standing():
            seq = entry.seq
            if not entry.events:
                continue
            hidden = tuple(worded_in(referee, seq, event) is not referee.state for event in entry.events)
            mends = entry.retracts is not None or entry.corrects is not None
            same = (referee.state_before(seq), replace(entry.cause, at=0), entry.events, hidden, mends)
            if same not in told:
                lines_of(referee, seq, seq, entry.events, cause=entry.cause)
                told.add(same)
    except UNFIT as error:
        raise unfit(error, seq) from error


def judged_now(referee: Referee[Any], entry: Entry[Event]) -> Entry[Event] | None:
    """The entry as this program would write it; None where it takes back what its cause cannot."""
    takes_back = isinstance(entry.cause, (TakenBack, Corrected))
    if entry.retracts is not None and not takes_back:
        return None
    if isinstance(entry.cause, Corrected) and entry.corrects != entry.cause.seq:
        return None
    return referee.judged(entry.cause)
