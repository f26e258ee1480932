"""The log's lines for an entry: its rulings, and the choice behind them where they do not say it.

Everything is worded as it may be now: a card that is hidden by now is named by its place.
"""

from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from companion.core import observations as ob
from companion.core.actions import Action, Chair
from companion.core.events import Event, kind_of
from companion.core.rules import Rules
from companion.core.view import Sentence
from companion.referee.confidence import chance
from companion.referee.correction import CARRIED
from companion.referee.journal import Entry
from companion.referee.referee import Referee, mending


class Line(Struct, frozen=True):
    """One ruling as the log may show it now."""

    seq: int
    sentence: Sentence
    why: str
    taken_back: bool = False
    chance: float | None = None
    """Probability that the reading behind it is right; None: the camera did not read it."""
    by: Chair | None = None
    """The chair whose choice it was, if the sentence does not name it."""


def lines_of(
    referee: Referee[Any], seq: int, of: int, events: tuple[Event, ...], *, cause: ob.Observation | None
) -> list[Line]:
    """The lines of entry `of` as ruled in entry `seq`.

    `cause` is the observation it is based on now; None: it was retracted, and is worded without any face.
    Pauses and a lost camera are left out of a retracted ruling, because they persist.
    """
    rules, gone = referee.rules, cause is None
    entry = _caused(referee, seq, of, events)
    silent = _silently_chosen(referee, entry)
    lines = [] if silent is None else [replace(silent, seq=seq, taken_back=gone)]
    mends = mending(entry) is not None
    for event in events:
        lasts = isinstance(event, CARRIED)
        state = _covered(referee) if gone else worded_in(referee, seq, event)
        sentence = None if lasts and mends else rules.sentence(state, event, log=True)
        if sentence is not None:
            sure = chance_of(rules, state, event, cause)
            lines.append(Line(seq, sentence, rules.why(state, event), gone and not lasts, sure))
    return lines


def chance_of(rules: Rules[Any], state: Any, event: Event, cause: ob.Observation | None) -> float | None:
    """Probability that the reading behind a ruling is right; None if its card is not face up."""
    place = rules.lies_at(state, event) if isinstance(cause, ob.TableSeen) else None
    if place is None or not isinstance(cause, ob.TableSeen):
        return None
    return chance(replace(cause, regions=tuple(one for one in cause.regions if one.name == place)))


def headed(referee: Referee[Any], entry: Entry[Event]) -> Line | None:
    """An entry as dialogs name it: the choice and whose it was, or else the first ruling."""
    mended = mending(entry)
    if mended is not None:
        return Line(entry.seq, mended, "")
    silent = _silently_chosen(referee, entry)
    if silent is not None:
        return silent
    said = _first_sentence(referee, entry)
    if said is None:
        return None
    action = referee.chose(entry)
    by = None if action is None else _speaker(referee, entry, action)
    return Line(entry.seq, said, "", by=None if ("chair", by) in said.parts else by)


def _first_sentence(referee: Referee[Any], entry: Entry[Event]) -> Sentence | None:
    for event in entry.events:
        told = referee.rules.sentence(worded_in(referee, entry.seq, event), event, log=True)
        if told is not None:
            return told
    return None


def worded_in(referee: Referee[Any], seq: int, event: Event) -> Any:
    """The state by which a ruling is worded: one with all cards hidden, if its card was ever covered."""
    lies_open = referee.rules.lies_at(referee.state, event) is not None
    return _covered(referee) if lies_open and not referee.open_since(seq, event) else referee.state


def _covered(referee: Referee[Any]) -> Any:
    """A state with all cards hidden; in a game that is open anyway, the current state."""
    if referee.rules.is_open(referee.state):
        return referee.state
    return referee.rules.initial_state(referee.setup)


def _caused(referee: Referee[Any], seq: int, of: int, events: tuple[Event, ...]) -> Entry[Event]:
    """Entry `of` with the observation on which entry `seq` ruled: for a correction, the corrected one."""
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
    """The line for a choice whose rulings are silent."""
    rules = referee.rules
    event = next((event for event in entry.events if not isinstance(event, rules.steering)), None)
    if event is None or not rules.silent(event):
        return None
    action = referee.chose(entry)
    if action is None or (by := _speaker(referee, entry, action)) is None:
        return None
    before = referee.state_before(entry.seq)
    row = rules.why(before, event)
    why = "" if row == kind_of(event) else row
    return Line(entry.seq, rules.chosen(before, action), why, by=by)


def _speaker(referee: Referee[Any], entry: Entry[Event], action: Action) -> Chair | None:
    """The chair that made the choice: it pressed, or it was its turn to declare."""
    pressed: Chair | None = getattr(entry.cause, "chair", None)
    return pressed if pressed is not None else referee.rules.speaker(referee.state_before(entry.seq), action)
