"""Lines of the game log: each ruling, or the choice behind a silent one.

Everything is worded as it may be now: a card that is hidden by now is named by its place.
"""

from itertools import islice
from typing import Any, NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from companion.core import observations as ob
from companion.core.actions import Action, Chair
from companion.core.events import Event, InterimEvent, kind_of
from companion.core.rules import Rules
from companion.core.view import Sentence
from companion.referee.correction import PERSISTENT_EVENTS
from companion.referee.journal import Entry
from companion.referee.reading_threshold import reading_probability
from companion.referee.referee import Referee, amendment_sentence

OFFERED_ENTRIES = 60
"""So many that can be corrected are looked through for one that a menu can name."""


class RulingLine(Struct, frozen=True):
    """One ruling as the log may show it now."""

    seq: int
    sentence: Sentence
    why: str
    taken_back: bool = False
    chance: float | None = None
    """Probability that the reading behind it is right; None: the camera did not read it."""
    by: Chair | None = None
    """The chair whose choice it was, if the sentence does not name it."""


def log_lines(
    referee: Referee[Any], seq: int, of: int, events: tuple[Event, ...], *, cause: ob.Observation | None
) -> list[RulingLine]:
    """The lines of entry `of` as ruled in entry `seq`.

    `cause` is the observation it is based on now; None: it was retracted, and is worded without any face.
    Pauses and a lost camera are left out of a retracted ruling, because they persist.
    """
    rules, gone = referee.rules, cause is None
    entry = _entry_with_cause(referee, seq, of, events)
    silent = _silent_choice_line(referee, entry)
    lines = [] if silent is None else [replace(silent, seq=seq, taken_back=gone)]
    mends = amendment_sentence(entry) is not None
    for event in events:
        lasts = isinstance(event, PERSISTENT_EVENTS)
        state = hidden_state(referee, seq) if gone else wording_state(referee, seq, event)
        sentence = None if lasts and mends else rules.sentence(state, event, log=True)
        if sentence is not None:
            sure = ruling_probability(rules, state, event, cause)
            lines.append(
                RulingLine(seq, sentence, rules.explanation_key(state, event), gone and not lasts, sure)
            )
    return lines


def ruling_probability(
    rules: Rules[Any], state: Any, event: Event, cause: ob.Observation | None
) -> float | None:
    """Probability that the reading behind a ruling is right; None if its card is not face up."""
    place = rules.open_position_of(state, event) if isinstance(cause, ob.TableSeen) else None
    if place is None or not isinstance(cause, ob.TableSeen):
        return None
    return reading_probability(
        replace(cause, regions=tuple(one for one in cause.regions if one.name == place))
    )


def entry_heading(referee: Referee[Any], entry: Entry[Event]) -> RulingLine | None:
    """An entry as dialogs name it: the choice and whose it was, or else the first ruling."""
    mended = amendment_sentence(entry)
    if mended is not None:
        return RulingLine(entry.seq, mended, "")
    silent = _silent_choice_line(referee, entry)
    if silent is not None:
        return silent
    said, action = _first_sentence(referee, entry), referee.chosen_action(entry)
    by = None if action is None else _acting_chair(referee, entry, action)
    if said is None and action is not None:
        said = referee.rules.choice_for_log(referee.state_before(entry.seq), action)
    if said is None:
        return None
    return RulingLine(entry.seq, said, "", by=None if ("chair", by) in said.parts else by)


class CorrectionOffer(NamedTuple):
    """What the table may say was otherwise: the newest ruling on something seen or said."""

    entry: Entry[Event]
    heading: RulingLine
    actions: tuple[Action, ...]
    """Any of these it may have been."""
    may_be_nothing: bool
    """Whether it may be said not to have happened."""
    early: dict[Action, int]
    """Those of the actions that are about a card which another entry had read before it counted."""

    def accept(self, wanted: ob.CorrectionRequested) -> ob.CorrectionRequested | None:
        """The correction of the entry that it is about; None if it is none of those offered."""
        truth = wanted.truth
        if wanted.seq != self.entry.seq:
            return None
        if truth is None:
            return wanted if self.may_be_nothing else None
        if not isinstance(truth, ob.ActionDeclared) or truth.action not in self.actions:
            return None
        return replace(wanted, seq=self.early.get(truth.action, wanted.seq))


def find_correction_offer(referee: Referee[Any]) -> CorrectionOffer | None:
    """What a menu offers to correct, and nothing else is corrected in a game that is played.

    An older entry than the newest that a menu can name is not: what was ruled on it since may rest on cards
    that are covered now.
    """
    for entry in islice(referee.correctable_entries(), OFFERED_ENTRIES):
        heading = entry_heading(referee, entry)
        if heading is not None:
            before = referee.state_to_correct(entry.seq)
            seen = referee.journal.entries[entry.seq].cause  # whatever it was corrected to
            actions = tuple(referee.rules.correction_choices(before, seen))
            early = _find_early(referee, entry, before)
            nothing = referee.is_correctable(entry.seq, to_nothing=True)
            return CorrectionOffer(entry, heading, (*actions, *early), nothing, early)
    return None


def _find_early(referee: Referee[Any], entry: Entry[Event], before: Any) -> dict[Action, int]:
    """What cards may have been that count by this entry, and which entry had read each."""
    choices = [*referee.rules.early_choices(before, entry.events)]
    read = dict[str, int | None]()
    older = (one for one in referee.correctable_entries() if choices and one.seq < entry.seq)
    for one in islice(older, OFFERED_ENTRIES):
        seen = referee.journal.entries[one.seq].cause
        for region in seen.regions if isinstance(seen, ob.TableSeen) else ():
            read.setdefault(region.name, one.seq if region == referee.misread_place(one.seq) else None)
    found = ((action, read.get(place)) for place, action in choices)
    return {action: seq for action, seq in found if seq is not None}


def _first_sentence(referee: Referee[Any], entry: Entry[Event]) -> Sentence | None:
    for event in entry.events:
        told = referee.rules.sentence(wording_state(referee, entry.seq, event), event, log=True)
        if told is not None:
            return told
    return None


def wording_state(referee: Referee[Any], seq: int, event: Event) -> Any:
    """The state by which a ruling is worded: one with all cards hidden, if its card was ever covered."""
    lies_open = referee.rules.open_position_of(referee.state, event) is not None
    hidden = lies_open and not referee.is_open_since(seq, event)
    return hidden_state(referee, seq) if hidden else referee.state


def hidden_state(referee: Referee[Any], seq: int) -> Any:
    """A state with all cards hidden, for a ruling of entry `seq`; in a game that is open anyway, the current
    state. At its table are those who were when it was ruled: who came then may not have come by now.
    """
    setup = referee.state_after(seq).setup
    if referee.rules.is_open(referee.state):
        return replace(referee.state, setup=setup)
    return referee.rules.initial_state(setup)


def _entry_with_cause(referee: Referee[Any], seq: int, of: int, events: tuple[Event, ...]) -> Entry[Event]:
    """Entry `of` with the observation on which entry `seq` ruled: for a correction, the corrected one."""
    entry: Entry[Event] = referee.journal.entries[of]
    corrected = referee.journal.entries[seq].cause
    if (
        seq != of
        and isinstance(corrected, ob.CorrectionRequested)
        and corrected.seq == of
        and corrected.truth is not None
    ):
        return Entry(of, corrected.truth, events)
    return replace(entry, events=events)


def _silent_choice_line(referee: Referee[Any], entry: Entry[Event]) -> RulingLine | None:
    """The line for a choice whose rulings are silent."""
    rules = referee.rules
    event = next((event for event in entry.events if not isinstance(event, InterimEvent)), None)
    if event is None or not rules.is_silent(event):
        return None
    action = referee.chosen_action(entry)
    if action is None or (by := _acting_chair(referee, entry, action)) is None:
        return None
    before = referee.state_before(entry.seq)
    row = rules.explanation_key(before, event)
    why = "" if row == kind_of(event) else row
    return RulingLine(entry.seq, rules.choice_for_log(before, action), why, by=by)


def _acting_chair(referee: Referee[Any], entry: Entry[Event], action: Action) -> Chair | None:
    """The chair that made the choice: it pressed, or it was its turn to declare."""
    pressed: Chair | None = getattr(entry.cause, "chair", None)
    return (
        pressed
        if pressed is not None
        else referee.rules.acting_chair(referee.state_before(entry.seq), action)
    )
