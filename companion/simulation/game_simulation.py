"""Simulates whole games without a camera, under a real referee.

It checks the referee: lawful players are never penalised, a rule broken in public is called in the same step,
and the referee's counts match the hidden truth. Asked to, it shows each state and words each ruling, as a
table would.
"""

import random
from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from traceback import walk_tb
from typing import Any

from msgspec import Struct

from companion.core import events as shared
from companion.core import observations as ob
from companion.core.actions import SECOND, Chair, Micros, Options, Outcome, Setup
from companion.core.events import Event, kind_of
from companion.core.game import make_people
from companion.core.rules import Rules
from companion.games import GAMES, RULES
from companion.games.kit.world import (
    ArrangeCards,
    PlayStyle,
    PressOwnButton,
    SimulatedAction,
    TakeAction,
    World,
)
from companion.referee.dry_run import dry_run_view, try_wording
from companion.referee.journal import Entry, MemoryJournal, make_header
from companion.referee.referee import Referee
from companion.simulation.simulated_players import Agenda, read_places

LEAD_IN: Micros = SECOND
"""Time from the announcement to the first beat."""
READING_DELAY: Micros = SECOND // 2
"""Time from a hand's leaving a place to the settled reading."""
MAX_ENTRIES = 5_000
"""Number of entries after which a game is abandoned."""


class FailedCheck(Struct, frozen=True):
    """A check that failed."""

    seed: int
    seq: int
    what: str


class SimulatedGame(Struct, frozen=True):
    """One simulated game."""

    seed: int
    outcome: Outcome | None
    entries: int
    turns: int | None
    """The last value of the state's field `turns`; None where it has none."""
    events: Counter[str]
    faults: tuple[FailedCheck, ...]


class GameSimulation:
    """One simulated game."""

    def __init__(self, rules: Rules[Any], setup: Setup, *, seed: int, styles: Sequence[PlayStyle]) -> None:
        self._rng = random.Random(seed)
        self.seed = seed
        self.rules = rules
        self.world: World[Any] = build_world(rules.name, setup, self._rng, styles)
        header = make_header(rules.name, setup, kind="simulation", seed=seed)
        self.referee: Referee[Any] = Referee(rules, MemoryJournal(header))
        self.faults: list[FailedCheck] = []
        self.events: Counter[str] = Counter()
        self._at: Micros = 0
        self._agenda = Agenda()
        self._moment: Hashable = None
        self._cue: Hashable = None
        self._down: set[Chair] = set()
        """Whose button was pressed and not let go."""

    def run(self, *, shows: bool = False) -> SimulatedGame:
        """Play the game to its end; what it raises is its last fault. `shows`: all of it, as at a table."""
        entries, outcome = 0, None
        try:
            if shows:
                dry_run_view(self.rules, self.referee.state, self._at)
            for entries, _ in enumerate(self.run_entries(), 1):
                if shows:
                    self._try_to_show(self.referee.journal.entries[-1])
                if entries >= MAX_ENTRIES:
                    self._observe(ob.AbandonRequested(at=self._at), "")
                    break
            outcome = self.rules.outcome(self.referee.state)
        except Exception as error:  # noqa: BLE001 - whatever the author of a game has to mend
            self._record_failure(self._describe_error(error))
        turns = getattr(self.referee.state, "turns", None)
        return SimulatedGame(self.seed, outcome, entries, turns, self.events, tuple(self.faults))

    def _try_to_show(self, entry: Entry[Event]) -> None:
        """Raises what a table would raise that shows this entry and says it."""
        if entry.events:
            dry_run_view(self.rules, self.referee.state, self._at)
            try_wording(self.rules, self.referee.state, entry.events, again=False)

    def run_entries(self) -> Iterator[None]:
        """Play entry by entry until no player has anything to do."""
        while self.rules.outcome(self.referee.state) is None:
            self._answer_requests()
            timer, due = self.referee.next_timer(), self._agenda.next_due()
            if timer is not None and (due is None or timer.due < due):
                self._at = timer.due
                self._observe(ob.TimerElapsed(at=timer.due, timer=timer.name), "")
            elif due is not None:
                found = self._agenda.pop_due(due)
                if found is None:
                    continue
                self._at = max(self._at, found[0])
                self._perform(found[1])
            else:
                self.faults.append(
                    FailedCheck(self.seed, len(self.referee.journal.entries), "the table is stuck")
                )
                return
            yield

    def _answer_requests(self) -> None:
        """Answer what is called for: random draws, cues, and the players' actions."""
        cue = self.rules.awaited_cue(self.referee.state)
        if cue is None and not self.rules.is_window_open(self.referee.state):
            self._let_go()
        state = self.referee.state
        if cue != self._cue:
            self._cue = cue
            if cue is not None:
                at = self._at + LEAD_IN
                self._agenda.add(at, ob.CueHeard(at=at, cue=cue.name, attempt=cue.attempt), under_way=True)
        moment = self.world.decision_key(state)
        if moment == self._moment:
            return
        self._moment = moment
        lots = self.rules.awaited_draw(state)
        if lots is not None:
            drawn = ob.RandomDraw(at=self._at, choices=lots, index=self._rng.randrange(len(lots)))
            self._agenda.add(self._at, drawn, under_way=True)
            return
        self._agenda.replace_plan()
        for delay, deed in self.world.plan(state):
            self._agenda.add(self._at + delay, deed)

    def _let_go(self) -> None:
        """Whoever pressed lets go of the button, which is told where the rules ask how long it was held."""
        for chair in sorted(self._down):
            released = ob.ButtonReleased(at=self._at, chair=chair)
            if self.rules.decide(self.referee.state, released):
                self._observe(released, "")
        self._down.clear()

    def _perform(self, deed: SimulatedAction | ob.AnyObservation) -> None:
        match deed:
            case TakeAction():
                self._observe(ob.ActionDeclared(at=self._at, action=deed.action), deed.breaks)
            case PressOwnButton():
                self._observe(ob.ButtonPressed(at=self._at, chair=deed.chair), deed.breaks)
                self._down.add(deed.chair)
            case ArrangeCards():
                self.world.places.update(deed.places)
                at = self._at + READING_DELAY
                self._at = at
                self._observe(ob.TableSeen(at=at, regions=read_places(deed.places, at, at)), deed.breaks)
            case _:
                self._observe(deed, "")

    def read_table(self) -> None:
        """The camera reads anew what lies there, as it does once nobody has seen the table for a while."""
        at, still = self.referee.at, self.rules.shown_in_turn(self.referee.state)
        places = [place for place in self.world.places.items() if place[0] not in still]
        self._observe(ob.TableSeen(at=at, regions=read_places(places, at, at)), "")

    def _observe(self, seen: ob.AnyObservation, breaks: str) -> None:
        before = self.referee.state
        entry = self.referee.observe(seen)
        for event in entry.events:
            self.world.apply_event(before, event)
            self.events[kind_of(event)] += 1
            if (wrong := self.world.find_unjust_ruling(event)) is not None:
                self._record_failure(wrong)
        called = {event.rule for event in entry.events if isinstance(event, shared.Infraction)}
        if breaks and breaks not in called:
            self._record_failure(f"{breaks} was not called on {seen}")
        if (wrong := self.world.find_discrepancy(self.referee.state)) is not None:
            self._record_failure(wrong)

    def _describe_error(self, error: Exception) -> str:
        """What was raised, and the line of the game's own package that led to it."""
        package = type(self.rules).__module__.partition(".")[0]
        frames = list(walk_tb(error.__traceback__))
        own = [one for one in frames if one[0].f_globals.get("__name__", "").partition(".")[0] == package]
        frame, line = (own or frames)[-1]
        return f"{frame.f_code.co_filename}:{line}: {type(error).__name__}: {error}"

    def _record_failure(self, what: str) -> None:
        self.faults.append(FailedCheck(self.seed, len(self.referee.journal.entries) - 1, what))


def build_world(game: str, setup: Setup, rng: random.Random, styles: Sequence[PlayStyle]) -> World[Any]:
    """The hidden truth of a new game; raises `InputError` if the game has no simulated players."""
    world: World[Any] = make_people(GAMES[game], "simulated_players", setup, rng, styles)
    return world


def random_styles(
    players: int, rng: random.Random, mix: Sequence[PlayStyle] = tuple(PlayStyle)
) -> tuple[PlayStyle, ...]:
    """A random mix of habits."""
    return tuple(rng.choice(mix) for _ in range(players))


def simulate_game(
    game: str,
    *,
    players: int,
    seed: int,
    options: Options | None = None,
    styles: Sequence[PlayStyle] | None = None,
    bot: bool = False,
    shows: bool = False,
) -> SimulatedGame:
    """Play one whole game from a seed; `shows`: as in `GameSimulation.run`."""
    rules = RULES[game]
    setup = Setup(tuple(range(players)), options or rules.options(), bot)
    chosen = styles or random_styles(players, random.Random(f"{seed} styles"))
    return GameSimulation(rules, setup, seed=seed, styles=chosen).run(shows=shows)
