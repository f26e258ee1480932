"""What the log says of an entry: the choice that was made, where nothing else tells it, and what was ruled.

All is told as it may be told now: what lies hidden by now is named by its place.
"""

from __future__ import annotations

from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from companion.core import observations as ob
from companion.core.actions import Action, Chair
from companion.core.events import Event
from companion.core.rules import Rules
from companion.core.view import Sentence
from companion.referee.confidence import chance
from companion.referee.correction import CARRIED
from companion.referee.journal import Entry
from companion.referee.referee import Referee, mending


class Line(Struct, frozen=True):
    """One ruling as the log may tell it now."""

    seq: int
    sentence: Sentence
    why: str
    taken_back: bool = False
    chance: float | None = None
    """How likely the reading behind it was right; None: it was not read by the camera."""
    by: Chair | None = None
    """Whose choice it was, where the sentence itself does not name them."""


def told_of(
    referee: Referee[Any], seq: int, of: int, events: tuple[Event, ...], *, cause: ob.Observation | None
) -> list[Line]:
    """The lines of entry `of` as it was ruled in entry `seq`.

    `cause` is what it is ruled on now; None: that does not stand any more, and it is told without any face. A
    pause and a lost camera are not taken back along with a ruling: they last.
    """
    rules, gone = referee.rules, cause is None
    entry = _caused(referee, seq, of, events)
    silent = _silently_chosen(referee, entry)
    lines = [] if silent is None else [replace(silent, seq=seq, taken_back=gone)]
    mends = mending(entry) is not None
    for event in events:
        lasts = isinstance(event, CARRIED)
        state = _covered(referee) if gone else told_in(referee, seq, event)
        sentence = None if lasts and mends else rules.sentence(state, event, log=True)
        if sentence is not None:
            sure = chance_of(rules, state, event, cause)
            lines.append(Line(seq, sentence, rules.why(event), gone and not lasts, sure))
    return lines


def chance_of(rules: Rules[Any], state: Any, event: Event, cause: ob.Observation | None) -> float | None:
    """How likely the reading behind a ruling was right; of what does not lie open nothing is told."""
    place = rules.lies_at(state, event) if isinstance(cause, ob.TableSeen) else None
    if place is None or not isinstance(cause, ob.TableSeen):
        return None
    return chance(replace(cause, regions=tuple(one for one in cause.regions if one.name == place)))


def headed(referee: Referee[Any], entry: Entry[Event]) -> Line | None:
    """An entry as a dialog names it: whose choice it was, and what; or the first thing that was ruled."""
    mended = mending(entry)
    if mended is not None:
        return Line(entry.seq, mended, "")
    silent = _silently_chosen(referee, entry)
    if silent is not None:
        return silent
    said = _first_told(referee, entry)
    if said is None:
        return None
    action = referee.chose(entry)
    by = None if action is None else _speaker(referee, entry, action)
    return Line(entry.seq, said, "", by=None if ("chair", by) in said.parts else by)


def _first_told(referee: Referee[Any], entry: Entry[Event]) -> Sentence | None:
    for event in entry.events:
        told = referee.rules.sentence(told_in(referee, entry.seq, event), event, log=True)
        if told is not None:
            return told
    return None


def told_in(referee: Referee[Any], seq: int, event: Event) -> Any:
    """The state in which a ruling is told: one where nothing lies open, if its face was ever covered."""
    lies_open = referee.rules.lies_at(referee.state, event) is not None
    return _covered(referee) if lies_open and not referee.open_since(seq, event) else referee.state


def _covered(referee: Referee[Any]) -> Any:
    """A state in which nothing lies open; where all is told anyway, what stands."""
    if referee.rules.is_open(referee.state):
        return referee.state
    return referee.rules.initial_state(referee.setup)


def _caused(referee: Referee[Any], seq: int, of: int, events: tuple[Event, ...]) -> Entry[Event]:
    """Entry `of` with the cause that entry `seq` ruled on: of a correction, what was so in truth."""
    entry: Entry[Event] = referee.journal.entries[of]
    corrected = referee.journal.entries[seq].cause
    if (
        seq != of
        and isinstance(corrected, ob.Corrected)
        and corrected.seq == of
        and corrected.truth is not None
    ):
        return Entry(of, corrected.truth, events)
    return replace(entry, events=events)


def _silently_chosen(referee: Referee[Any], entry: Entry[Event]) -> Line | None:
    """The log's line for a choice whose rulings say nothing themselves."""
    rules = referee.rules
    event = next((event for event in entry.events if not isinstance(event, rules.steering)), None)
    if event is None or not rules.silent(event):
        return None
    action = referee.chose(entry)
    if action is None or (by := _speaker(referee, entry, action)) is None:
        return None
    row = rules.why(event)
    why = "" if row == type(event).__name__ else row
    return Line(entry.seq, rules.chosen(referee.state_before(entry.seq), action), why, by=by)


def _speaker(referee: Referee[Any], entry: Entry[Event], action: Action) -> Chair | None:
    """Whose choice it was: who pressed, or whose it was to say."""
    pressed: Chair | None = getattr(entry.cause, "chair", None)
    return pressed if pressed is not None else referee.rules.speaker(referee.state_before(entry.seq), action)
