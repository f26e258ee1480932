"""Cached look-ups in a game's journal: log, last reading, photo finishes, time line.

The time line is made of the decisive rulings of a finished game; each game defines which are highlights. A
running game has none, because it would reveal hidden cards.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby, islice
from typing import Any, NamedTuple, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from companion.core import observations as ob
from companion.core.actions import Action, Chair
from companion.core.events import Event, InterimEvent
from companion.core.exhibits import Exhibit, MomentKind, PhotoFinish, RecapMoment
from companion.core.rules import Rules
from companion.core.view import LampSignal, Sentence, View, ViewMode
from companion.games import GAMES
from companion.games.kit.commentary import HistoryStep, winning_chances
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


MAX_STOPS = 40
"""Most stops on a time line; beyond that, turning points in the middle are left out."""


class _Candidate(NamedTuple):
    step: HistoryStep
    kind: MomentKind
    sentence: Sentence


def build_timeline(referee: Referee[Any]) -> tuple[RecapMoment, ...]:
    """The stops of a game in which nothing is hidden any more; empty if the game defines no highlights."""
    rules = referee.rules
    find = GAMES[rules.name].highlights if rules.name in GAMES else None
    if not rules.is_open(referee.state) or find is None:
        return ()
    history = tuple(iterate_steps(referee))
    stops = [_Candidate(history[found.place], found.kind, found.sentence) for found in find(rules, history)]
    then = {step.seq: step.after for step in history}
    """Entry → the state after all its events; in between there may be states that cannot be drawn."""
    stops.sort(key=lambda stop: stop.step.order)
    return tuple(
        RecapMoment(
            stop.step.seq,
            stop.step.at,
            stop.kind,
            stop.sentence,
            _scene_view(rules, then[stop.step.seq], stop.sentence),
            _win_chances(rules, stop.step.before, then[stop.step.seq]),
        )
        for stop in _thin_out(stops)
    )


def _win_chances(rules: Rules[Any], before: Any, after: Any) -> tuple[tuple[float, float], ...]:
    """Everybody's chances of winning in two states."""
    lead = GAMES[rules.name].score_lead
    if lead is None:
        return ()
    outcome = rules.outcome(after)
    if outcome is not None and outcome.winners:
        share = 1 / len(outcome.winners)
        end = tuple(share * (chair in outcome.winners) for chair in after.setup.chairs)
    else:
        end = winning_chances(lead(after))
    return tuple(zip(winning_chances(lead(before)), end, strict=True))


def most_decisive(moments: Sequence[RecapMoment]) -> tuple[RecapMoment, ...]:
    """The three rulings that changed the chances most, in order; several stops of one ruling count as one."""
    rulings = [list(same) for _, same in groupby(moments, key=lambda one: one.seq)]
    whole = [replace(same[0], chances=_chance_change(same[0], same[-1])) for same in rulings]
    moved = sorted((one for one in whole if one.chance_shift > 0), key=lambda one: -one.chance_shift)[:3]
    return tuple(sorted(moved, key=lambda one: one.seq))


def _chance_change(first: RecapMoment, last: RecapMoment) -> tuple[tuple[float, float], ...]:
    """Everybody's chances before one stop and after another."""
    return tuple((one, other) for (one, _), (_, other) in zip(first.chances, last.chances, strict=True))


def iterate_steps(referee: Referee[Any]) -> Iterator[HistoryStep]:
    """All valid rulings, oldest first, with the states before and after."""
    rules = referee.rules
    state, order = rules.initial_state(referee.setup), 0
    for entry in reversed(list(referee.standing_entries())):
        for event in entry.events:
            after = rules.evolve(state, event)
            yield HistoryStep(order, entry.seq, entry.cause.at, state, event, after)
            state, order = after, order + 1


def _thin_out(stops: Sequence[_Candidate]) -> Sequence[_Candidate]:
    """Thin out the turning points evenly, except the last, until there are at most `MAX_STOPS` stops."""
    turning = [stop for stop in stops[:-1] if stop.kind == "turning"]
    spare = len(stops) - MAX_STOPS
    if spare <= 0 or not turning:
        return stops[-MAX_STOPS:]
    kept = max(1, len(turning) - spare)
    chosen = {turning[place * len(turning) // kept].step.order for place in range(kept)}
    rest = [
        stop for stop in stops if stop.kind != "turning" or stop.step.order in chosen or stop is stops[-1]
    ]
    return rest[-MAX_STOPS:]


def _scene_view(rules: Rules[Any], state: Any, said: Sentence) -> View:
    """The view of a state with the event as its headline, and without prompts."""
    view = rules.view(state, ViewMode.OPEN)
    chairs = tuple(
        replace(chair, choices=(), asked=False, note=None, lamp=LampSignal.DARK) for chair in view.chairs
    )
    bots = tuple(replace(bot, asked=False, says=None) for bot in view.bots)
    return replace(
        view, headline=said, hint=None, chairs=chairs, bots=bots, shared=(), count=None, cue=None,
        card="", dark=False, paused=False, outcome=None,
    )  # fmt: skip
