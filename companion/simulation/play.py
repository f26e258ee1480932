"""Simulates whole games without a camera: players' actions become observations, which a referee judges.

It checks the referee: lawful players are never penalised, a rule broken in public is called in the same step,
and the referee's counts match the hidden truth.
"""

import heapq
import random
from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from typing import Any

from msgspec import Struct

from companion.core import events as shared
from companion.core import observations as ob
from companion.core.actions import SECOND, Chair, Micros, Options, Outcome, Setup
from companion.core.errors import InputError
from companion.core.events import kind_of
from companion.core.game import people
from companion.core.rules import Rules
from companion.games import GAMES, RULES
from companion.games.kit.world import Arrange, Choose, Deed, PressRaw, Style, World, lying
from companion.referee.journal import MemoryJournal, header_of
from companion.referee.referee import Referee

LEAD_IN: Micros = SECOND
"""Time from the announcement to the first beat."""
SEEN_AFTER: Micros = SECOND // 2
"""Time from a hand's leaving a place to the settled reading."""
LONGEST = 5_000
"""Number of entries after which a game is abandoned."""


class Fault(Struct, frozen=True):
    """A check that failed."""

    seed: int
    seq: int
    what: str


class Played(Struct, frozen=True):
    """One simulated game."""

    seed: int
    outcome: Outcome | None
    entries: int
    turns: int | None
    """The last value of the state's field `turns`; None where it has none."""
    events: Counter[str]
    faults: tuple[Fault, ...]


class Simulation:
    """One simulated game."""

    def __init__(self, rules: Rules[Any], setup: Setup, *, seed: int, styles: Sequence[Style]) -> None:
        self._rng = random.Random(seed)
        self.seed = seed
        self.rules = rules
        self.world: World[Any] = world_of(rules.name, setup, self._rng, styles)
        header = header_of(rules.name, setup, kind="simulation", seed=seed)
        self.referee: Referee[Any] = Referee(rules, MemoryJournal(header))
        self.faults: list[Fault] = []
        self.events: Counter[str] = Counter()
        self._at: Micros = 0
        self._due: list[tuple[Micros, int, Deed | ob.AnyObservation]] = []
        self._order = 0
        self._moment: Hashable = None
        self._cue: Hashable = None
        self._down: set[Chair] = set()
        """Whose button was pressed and not let go."""

    def play(self) -> Played:
        """Play the game to its end."""
        entries = 0
        for _ in self.steps():
            entries += 1
            if entries >= LONGEST:
                self._observe(ob.Abandoned(at=self._at), "")
                break
        turns = getattr(self.referee.state, "turns", None)
        outcome = self.rules.outcome(self.referee.state)
        return Played(self.seed, outcome, entries, turns, self.events, tuple(self.faults))

    def steps(self) -> Iterator[None]:
        """Play entry by entry until no player has anything to do."""
        while self.rules.outcome(self.referee.state) is None:
            self._ask()
            timer = self.referee.next_timer()
            if timer is not None and (not self._due or timer.due < self._due[0][0]):
                self._at = timer.due
                self._observe(ob.TimerElapsed(at=timer.due, timer=timer.name), "")
            elif self._due:
                at, _, deed = heapq.heappop(self._due)
                self._at = max(self._at, at)
                self._do(deed)
            else:
                self.faults.append(Fault(self.seed, len(self.referee.journal.entries), "the table is stuck"))
                return
            yield

    def _ask(self) -> None:
        """Answer what is called for: random draws, cues, and the players' actions."""
        cue = self.rules.awaited_cue(self.referee.state)
        if cue is None and not self.rules.window_open(self.referee.state):
            self._let_go()
        state = self.referee.state
        if cue != self._cue:
            self._cue = cue
            if cue is not None:
                self._post(
                    self._at + LEAD_IN, ob.CueHeard(at=self._at + LEAD_IN, cue=cue.name, attempt=cue.attempt)
                )
        moment = self.world.moment(state)
        if moment == self._moment:
            return
        self._moment = moment
        lots = self.rules.awaited_draw(state)
        if lots is not None:
            self._post(self._at, ob.Drawn(at=self._at, choices=lots, index=self._rng.randrange(len(lots))))
            return
        self._due = [due for due in self._due if isinstance(due[2], ob.Observation)]
        for delay, deed in self.world.plan(state):
            self._post(self._at + delay, deed)

    def _let_go(self) -> None:
        """Whoever pressed lets go of the button, which is told where the rules ask how long it was held."""
        for chair in sorted(self._down):
            released = ob.ButtonReleased(at=self._at, chair=chair)
            if self.rules.decide(self.referee.state, released):
                self._observe(released, "")
        self._down.clear()

    def _post(self, at: Micros, deed: Deed | ob.AnyObservation) -> None:
        self._order += 1
        heapq.heappush(self._due, (at, self._order, deed))

    def _do(self, deed: Deed | ob.AnyObservation) -> None:
        match deed:
            case Choose():
                self._observe(ob.Declared(at=self._at, action=deed.action), deed.breaks)
            case PressRaw():
                self._observe(ob.ButtonPressed(at=self._at, chair=deed.chair), deed.breaks)
                self._down.add(deed.chair)
            case Arrange():
                self.world.places.update(deed.places)
                at = self._at + SEEN_AFTER
                regions = tuple(
                    ob.Region(name, tuple(ob.Face(*lying(card)) for card in cards), self._at, self._at)
                    for name, cards in deed.places
                )
                self._at = at
                self._observe(ob.TableSeen(at=at, regions=regions), deed.breaks)
            case _:
                self._observe(deed, "")

    def _observe(self, seen: ob.AnyObservation, breaks: str) -> None:
        before = self.referee.state
        entry = self.referee.observe(seen)
        for event in entry.events:
            self.world.happened(before, event)
            self.events[kind_of(event)] += 1
            if (wrong := self.world.unjust(event)) is not None:
                self._fault(wrong)
        called = {event.rule for event in entry.events if isinstance(event, shared.Infraction)}
        if breaks and breaks not in called:
            self._fault(f"{breaks} was not called on {seen}")
        if (wrong := self.world.wrong(self.referee.state)) is not None:
            self._fault(wrong)

    def _fault(self, what: str) -> None:
        self.faults.append(Fault(self.seed, len(self.referee.journal.entries) - 1, what))


def world_of(game: str, setup: Setup, rng: random.Random, styles: Sequence[Style]) -> World[Any]:
    """The hidden truth of a new game; raises `InputError` if the game has no simulated players."""
    make = GAMES[game].players
    if make is None:
        raise InputError(f"{game} has no simulated players. Play it yourself: companion play {game}")
    world: World[Any] = people(make, setup, rng, styles)
    return world


def styles_for(players: int, rng: random.Random, mix: Sequence[Style] = tuple(Style)) -> tuple[Style, ...]:
    """A random mix of habits."""
    return tuple(rng.choice(mix) for _ in range(players))


def simulate(
    game: str,
    *,
    players: int,
    seed: int,
    options: Options | None = None,
    styles: Sequence[Style] | None = None,
    bot: bool = False,
) -> Played:
    """Play one whole game from a seed."""
    rules = RULES[game]
    setup = Setup(tuple(range(players)), options or rules.options(), bot)
    chosen = styles or styles_for(players, random.Random(f"{seed} styles"))
    return Simulation(rules, setup, seed=seed, styles=chosen).play()
