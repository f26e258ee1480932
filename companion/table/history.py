"""Cached look-ups in a game's journal: log, last reading, photo finishes, time line."""

import re
from collections.abc import Callable, Sequence
from itertools import islice
from typing import Any, TypeVar

from msgspec import Struct

from companion.core import observations as ob
from companion.core.actions import Action, Chair
from companion.core.events import Event, InterimEvent
from companion.core.exhibits import Exhibit, PhotoFinish, RecapMoment
from companion.core.rules import Rules
from companion.core.view import Sentence
from companion.referee.game_log import (
    RulingLine,
    entry_heading,
    find_correction_offer,
    log_lines,
    ruling_probability,
    wording_state,
)
from companion.referee.journal import Entry
from companion.referee.referee import Referee
from companion.ui.frame import AllowedActions

T = TypeVar("T")
LOG_LENGTH = 60


def allowed_actions(rules: Rules[Any], state: Any) -> tuple[AllowedActions, ...]:
    """What every chair may do now: what its button offers first, then what a touch says besides.

    Only choices as they are labelled, so that nothing that lies hidden tells which of their places is lawful.
    """
    offered = [action for prompt in rules.prompts(state) for action in prompt.actions]
    lawful = rules.legal_actions(state)
    known: dict[Chair, dict[Sentence, None]] = {chair.chair: {} for chair in rules.view(state).chairs}
    for action in (*(one for one in offered if one in lawful), *sorted(lawful, key=_natural_sort_key)):
        named = rules.first_label if action.has_two_steps else rules.label
        known.setdefault(state.chair_of(action.seat), {})[named(state, action)] = None
    return tuple(AllowedActions(chair, tuple(choices)) for chair, choices in known.items())


def _natural_sort_key(action: Action) -> tuple[Any, ...]:
    """An order of choices in which 9 comes before 10."""
    parts = re.split(r"(\d+)", str(action))
    return tuple(int(part) if part.isdigit() else part for part in parts)


class LastReading(Struct, frozen=True):
    """The last thing taken for a fact, and what it could have been instead."""

    seq: int
    sentence: Sentence
    choices: tuple[tuple[Sentence, ob.ActionDeclared | None], ...]
    chance: float | None = None
    """How likely it was right, if the camera read it."""
    by: Chair | None = None
    """Whose choice it was, where the sentence itself does not name them."""


class JournalHistory:
    """Looks things up, and each only once for every entry of the journal."""

    def __init__(self, referee: Referee[Any]) -> None:
        self._referee = referee
        self._known: dict[str, tuple[int, Any]] = {}
        """By its name, what was found, and how many entries there were then."""

    @property
    def is_log_safe(self) -> bool:
        """Whether the log names no more than it did while the game went on, or the game cannot go on."""
        rules, state = self._referee.rules, self._referee.state
        return not rules.is_open(state) or state.desk.uncovered

    def look_up_once(self, name: str, found: Callable[[], T]) -> T:
        """What is looked up by this name; the same object until the journal has another entry."""
        length = len(self._referee.journal.entries)
        if name not in self._known or self._known[name][0] != length:
            self._known[name] = length, found()
        known: T = self._known[name][1]
        return known

    def recent_lines(self) -> tuple[RulingLine, ...]:
        """The newest rulings, oldest first, as they may be shown now; what was taken back stays, marked."""
        entries = self._referee.journal.entries
        return self.look_up_once("log", lambda: self._lines(entries[-4 * LOG_LENGTH :]))

    def all_lines(self) -> tuple[RulingLine, ...]:
        """The same from the first ruling on."""
        entries = self._referee.journal.entries
        return self._lines(entries, most=None)

    def _lines(self, entries: Sequence[Any], most: int | None = LOG_LENGTH) -> tuple[RulingLine, ...]:
        referee = self._referee
        newest = islice(referee.standing_entries(), len(entries))
        standing = {id(entry.events): entry.cause for entry in newest}
        newest_first = (
            line
            for seq, of, alike in reversed(_ruling_versions(entries))
            for cause in (next((standing[id(one)] for one in alike if id(one) in standing), None),)
            for line in reversed(log_lines(referee, seq, of, alike[0], cause=cause))
        )
        return tuple(islice(newest_first, most))[::-1]

    def exhibit(self) -> Exhibit | None:
        """What is looked at now instead of the table."""
        referee = self._referee
        return self.look_up_once(
            "exhibit", lambda: referee.rules.exhibit(referee.state, referee.standing_entries())
        )

    def finishes(self) -> tuple[PhotoFinish, ...]:
        """The races of presses so far, from the journal."""
        referee = self._referee
        return self.look_up_once(
            "finishes", lambda: referee.rules.photo_finishes(referee.state, referee.standing_entries())
        )

    def moments(self) -> tuple[RecapMoment, ...]:
        """The time line of a game that is over."""
        from companion.table.recap.timeline import build_timeline

        return self.look_up_once("moments", lambda: build_timeline(self._referee))

    def next_undo(self) -> RulingLine | None:
        """What taking back would take back."""
        referee = self._referee
        entry = referee.find_undoable()
        return None if entry is None else entry_heading(referee, entry)

    def last_reading(self) -> LastReading | None:
        """What the table may say was otherwise: the newest ruling on something seen or said."""
        return self.look_up_once("reading", self._find_last_reading)

    def is_correction_closed(self) -> bool:
        """Whether there was a reading, and to correct it would tell a card that lies covered."""
        referee = self._referee
        return self.last_reading() is None and any(
            referee.can_correct(entry) and entry_heading(referee, entry) is not None
            for entry in islice(referee.standing_entries(), LOG_LENGTH)
        )

    def _find_last_reading(self) -> LastReading | None:
        referee = self._referee
        rules, offer = referee.rules, find_correction_offer(referee)
        if offer is None:
            return None
        entry = offer.entry
        before = referee.state_to_correct(entry.seq)
        choices: list[tuple[Sentence, ob.ActionDeclared | None]] = [
            (rules.label(before, action), ob.ActionDeclared(at=entry.cause.at, action=action))
            for action in sorted(offer.actions, key=_natural_sort_key)
        ]
        if offer.may_be_nothing:
            choices.append((Sentence("ui.correct.did_not_happen"), None))
        sure = (
            ruling_probability(rules, wording_state(referee, entry.seq, event), event, entry.cause)
            for event in entry.events
        )
        sure_of = next((one for one in sure if one is not None), None)
        return LastReading(entry.seq, offer.heading.sentence, tuple(choices), sure_of, offer.heading.by)


def _ruling_versions(entries: Sequence[Entry[Event]]) -> list[tuple[int, int, list[tuple[Event, ...]]]]:
    """What was ruled, in the order it was ruled: the ruling entry, the entry ruled on, and the events.

    What a correction judged again and alike is said once: the later events are beside the first. What is
    forgotten with it makes no difference, for it depends on hidden cards. What the correction is about itself
    is always said: silence would not show that it was right.
    """
    versions: dict[int, list[tuple[Event, ...]]] = {}
    ruled: list[tuple[int, int, list[tuple[Event, ...]]]] = []
    for entry in entries:
        for of, events in (
            (entry.seq, entry.events),
            *((again.seq, again.events) for again in entry.rejudged),
        ):
            again = of not in {entry.seq, entry.corrects} and of in versions
            if not again or _logged_events(versions[of][0]) != _logged_events(events):
                versions[of] = []
                ruled.append((entry.seq, of, versions[of]))
            versions[of].append(events)
    return ruled


def _logged_events(events: tuple[Event, ...]) -> tuple[Event, ...]:
    """Those of which a log tells."""
    return tuple(event for event in events if not isinstance(event, InterimEvent))
