"""Runs inside the guest: people who know what everybody may know, from the journal that the table stores.

`hands.py` and `phones.py` say by what they answer: wires and pictures, or phones.
"""

from __future__ import annotations

import random
import time
from pathlib import Path
from typing import Any

from companion.core.actions import Micros, Setup
from companion.games import RULES
from companion.games.kit.world import PlayStyle
from companion.referee.journal import Entry, standing_entries
from companion.referee.store import GameStore
from companion.simulation.game_simulation import build_world
from companion.simulation.simulated_players import PlayerSimulator

READ_ANYWAY_NS = 3_000_000_000


def now() -> Micros:
    return time.monotonic_ns() // 1000


class Onlooker:
    """A game as it is read from the disk, with the people who play it."""

    people: PlayerSimulator

    def __init__(self, store: Path, seed: int, game: str, people: int) -> None:
        self.store = GameStore(store, RULES)
        self.rules = RULES[game]
        self.chairs = tuple(range(people))
        self.setup = Setup(self.chairs, self.rules.options())
        self.rng = random.Random(seed)
        self._seed = seed
        self.world: Any = build_world(game, self.setup, self.rng, (PlayStyle.LAWFUL,) * people)
        self.state: Any = self.rules.initial_state(self.setup)
        self.entries = 0
        self.told: list[Any] = []
        """Every event that was ruled since this began."""
        self._written: tuple[int, int, int] | None = None

    def follow(self) -> None:
        """Take in what was ruled since."""
        try:
            wal = self.store.path.with_name(self.store.path.name + "-wal").stat()
        except FileNotFoundError:
            return  # a game is stored with its first ruling
        # A second write in one tick of the kernel's clock changes neither: look again now and then.
        written = wal.st_mtime_ns, wal.st_size, time.monotonic_ns() // READ_ANYWAY_NS
        if self._written == written:
            return
        self._written = written
        newest = next((game for game in self.store.list_games() if game.name == self.rules.name), None)
        entries: list[Entry[Any]] = []
        if newest is not None:
            header, entries = self.store.read_game(newest.game)
            self.setup = header.setup.with_options(self.rules.options)
        state = self.rules.initial_state(self.setup)
        for entry in entries[self.entries :]:
            self.heard(entry)
        for entry in standing_entries(entries):
            fresh = entry.seq >= self.entries
            if fresh:
                self.seen(entry)
            for event in entry.events:
                if fresh:
                    # What people pick from their hands depends on nothing but the game so far.
                    self.rng.seed(f"{self._seed} {entry.seq}")
                    self.people.apply_event(state, event)
                    self.told.append(event)
                state = self.rules.evolve(state, event)
        self.entries = len(entries)
        self.state = self.people.state = state

    def heard(self, entry: Entry[Any]) -> None:
        """A new entry, taken back or not."""

    def seen(self, entry: Entry[Any]) -> None:
        """A new entry that stands, before its events."""

    def over(self) -> str | None:
        """How the game ended, once it has."""
        outcome = self.rules.outcome(self.state)
        if outcome is None:
            return None
        return f"{outcome.termination}; winners {[chair + 1 for chair in outcome.winners]}"
