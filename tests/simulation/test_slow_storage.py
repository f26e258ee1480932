"""Simulated people at a table whose storage is slow: they know a ruling when it is told, not before."""

from __future__ import annotations

import os
import random
from collections import deque
from collections.abc import Iterator, Sequence
from queue import SimpleQueue
from typing import Any

import pytest

from companion.core import observations as ob
from companion.core.actions import SECOND, Micros, Outcome, Setup
from companion.core.clock import Clock, ManualClock, earliest
from companion.core.events import Event
from companion.core.rules import Rules
from companion.games import RULES, games_with_mat, mat_layout
from companion.games.kit.world import PlayStyle
from companion.language.language import Language
from companion.programs.build_app import open_voice
from companion.programs.simulated_host import DemoHost
from companion.referee.journal import Entry, Header, make_header
from companion.referee.loop import Inbox
from companion.settings.model import SoundSettings
from companion.simulation.game_simulation import random_styles
from companion.simulation.simulated_players import read_places
from companion.simulation.simulated_table import READING_TIME, SimulatedTable
from companion.system.fault_isolation import drain_queue
from companion.table.runtime import Runtime
from companion.table.session import STALL
from companion.vision.renderer import Conditions
from tests.thorough import some

SLOWEST: Micros = 3 * SECOND
"""A commit takes up to so long."""
STUCK: Micros = 120 * SECOND
"""Simulated people who do nothing for so long do nothing any more."""
MANY = 150 if os.environ.get("THOROUGH") else 75
"""Rulings that are enough of a game; `make long` has the greater number."""
SEEDS = (1, 2)


def tables(first: int) -> list[Any]:
    """Each game at its smallest and its largest table; the others than `first` take long."""
    return [
        pytest.param(game, rules.players[size], marks=[pytest.mark.long] * (size != first))
        for game, rules in some(list(RULES.items()))
        for size in (0, -1)
    ]


class Committed:
    """The ticket of an entry that is durable from an instant on."""

    def __init__(self, clock: Clock, at: Micros) -> None:
        self._clock = clock
        self.at = at

    @property
    def durable(self) -> bool:
        return self._clock.now() >= self.at

    announceable = durable


class SlowJournal:
    """Commits in order, each in its own time."""

    trouble = None
    rewrite_count = 0

    def __init__(self, header: Header, clock: Clock, rng: random.Random) -> None:
        self.header = header
        self.entries: list[Entry[Event]] = []
        self._last: Micros = 0
        self._due: deque[Micros] = deque()
        self._clock = clock
        self._rng = rng

    def append(self, entry: Entry[Event], outcome: Outcome | None = None) -> Committed:
        self.entries.append(entry)
        self._last = max(self._last, self._clock.now() + self._rng.randrange(SLOWEST))
        self._due.append(self._last)
        return Committed(self._clock, self._last)

    def next_due(self) -> Micros | None:
        """When the next entry is durable."""
        while self._due and self._due[0] <= self._clock.now():
            self._due.popleft()
        return self._due[0] if self._due else None

    def flush(self) -> None:
        """Every entry is on its way."""

    def close(self) -> bool:
        return True


class SeenTable(SimulatedTable):
    """Its camera tells what lies there without a picture: a game of an hour takes a second."""

    def _set_up_camera(self, rules: Rules[Any], setup: Setup, seed: int, conditions: Conditions) -> None:
        self._mat = self.watcher = None
        self.seen_places: dict[str, tuple[str, ...]] = {}
        self.mat: set[str] = set()
        if rules.name in games_with_mat():
            self.mat = {place.name for place in mat_layout(rules.name, rules.hand_count(setup)).places}

    def next_step_due(self) -> Micros | None:
        return earliest(self._next_picture(), super().next_step_due())

    def update_picture(self, now: Micros) -> None:
        if now < self._next_picture():
            return
        self._picture_at = now
        reached = {hand.place for hand in self.people.hands}
        changed = {
            name: cards
            for name, cards in self.people.world.places.items()
            if name in self.mat - reached and self.seen_places.get(name, ()) != cards
        }
        self.seen_places.update(changed)
        if changed:
            regions = read_places(changed.items(), max(0, now - 1), now)
            self._inbox.put(ob.TableSeen(at=now + READING_TIME, regions=regions))


class Evening:
    """One demo by a clock that is moved by hand."""

    def __init__(
        self, game: str, players: int, seed: int, mix: Sequence[PlayStyle] = tuple(PlayStyle)
    ) -> None:
        self.clock = ManualClock()
        self.rules = rules = RULES[game]
        inbox: Inbox = SimpleQueue()
        header = make_header(game, Setup(tuple(range(players)), rules.options()), kind="demo", seed=seed)
        self.journal = SlowJournal(header, self.clock, random.Random(f"{seed} commits"))
        self.host = DemoHost(
            lambda fingers: SeenTable(
                rules,
                self.journal,
                seed=seed,
                styles=random_styles(players, random.Random(f"{seed} styles"), mix),
                clock=self.clock,
                inbox=inbox,
                fingers=fingers,
            ),
            Runtime(self.clock, inbox, open_voice(Language("en"), SoundSettings(), self.clock, silent=True)),
            threads=False,
        )
        self.inbox = inbox
        self.rulings = 0
        self.behind = 0
        """How often people acted while a ruling waited to be stored."""

    def step(self) -> None:
        """Whatever is due now, then on to the next instant at which something is."""
        session = self.host.session
        self.behind += session.game.waiting
        self.host.tick()
        for seen in drain_queue(self.inbox):
            if seen is not None:
                session.submit(seen)
        for told in session.step():
            self.rulings += any(not self.rules.is_silent(event) for event in told.news)
        session.note_frame_shown(session.view)
        dues = [self.host.next_due(), session.next_due(), self.journal.next_due()]
        dues.append(self.clock.now() + STALL)  # a table that draws comes round sooner than that
        self.clock.move_to(max(self.clock.now() + 1, min(due for due in dues if due is not None)))

    def plays(self) -> Iterator[None]:
        """Step by step to the end of the game, or to many rulings."""
        ruled = 0
        while not self.host.session.game.over and self.rulings < MANY:
            before = self.rulings
            self.step()
            ruled = self.clock.now() if self.rulings > before else ruled
            assert self.clock.now() - ruled < STUCK, self.host.session.latest_sentence
            yield


@pytest.mark.slow
@pytest.mark.parametrize("seed", [SEEDS[0], pytest.param(SEEDS[1], marks=pytest.mark.long)])
@pytest.mark.slow
@pytest.mark.parametrize(("game", "players"), tables(0))
def test_people_play_on_however_late_a_ruling_is_told(game: str, players: int, seed: int) -> None:
    evening = Evening(game, players, seed)
    for _ in evening.plays():
        pass
    assert evening.behind > evening.rulings, "the storage was slow"


@pytest.mark.slow
@pytest.mark.parametrize(("game", "players"), tables(-1))
def test_the_referee_knows_what_careful_people_did_however_late_they_are_told(
    game: str, players: int
) -> None:
    evening = Evening(game, players, 3, (PlayStyle.LAWFUL, PlayStyle.BLUFFING))
    people = evening.host.table.people
    for _ in evening.plays():
        assert people.world.find_discrepancy(people.state) is None


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, *(pytest.param(seed, marks=pytest.mark.long) for seed in (2, 3))])
@pytest.mark.parametrize("game", some(list(RULES)))
def test_people_go_back_where_a_ruling_is_taken_back(game: str, seed: int) -> None:
    """They lay the table as it lay then, and play on from there."""
    evening = Evening(game, RULES[game].players[0], seed)
    whim, taken_back, before = random.Random(seed), 0, 0
    for _ in evening.plays():
        if evening.rulings > max(before, 4) and whim.random() < 0.1:
            evening.inbox.put(ob.UndoRequested(at=evening.clock.now()))
            taken_back += 1
        before = evening.rulings
    assert taken_back
