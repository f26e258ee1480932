"""A table that plays Kinapa into a real `GameStore`, step by step, and goes on where its journal ends.

Used by the guest whose power is cut, by the process that is killed, and by the judge of what is left.
"""

from __future__ import annotations

import hashlib
import random
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any

from companion.core import observations as ob
from companion.core.actions import Setup
from companion.core.events import Event
from companion.games import RULES
from companion.games.kit.world import PlayStyle
from companion.referee.journal import Entry, SqliteJournal, make_header, standing_entries
from companion.referee.journal.codec import json_line
from companion.referee.referee import CorrectableObservation, Referee
from companion.referee.store import GameStore
from companion.simulation.game_simulation import GameSimulation

GAME = "kinapa"
PEOPLE = 4
STYLES = (PlayStyle.LAWFUL, PlayStyle.BLUFFING, PlayStyle.LAWFUL, PlayStyle.CARELESS)
STILL = 20
"""Steps in which nothing is ruled before a table that was resumed is given up and a new game begins."""


def commit(connection: sqlite3.Connection) -> None:
    """As the product commits."""
    connection.execute("COMMIT")


def careless(connection: sqlite3.Connection) -> None:
    """The control: from the second commit on nothing waits for the disk."""
    connection.execute("COMMIT")
    connection.execute("PRAGMA synchronous = OFF")


class Chain:
    """A digest that names a whole prefix of a journal."""

    def __init__(self, entries: Sequence[Entry[Event]] = ()) -> None:
        self._sum = hashlib.sha256()
        for entry in entries:
            self.add(entry)

    def add(self, entry: Entry[Event]) -> str:
        self._sum.update(json_line(entry))
        return self.name

    @property
    def name(self) -> str:
        return self._sum.hexdigest()[:16]


class Sitting:
    """One evening: the game that was broken into is gone on with, then others follow."""

    def __init__(self, store: GameStore, seed: int, commit: Any = commit) -> None:
        self.store = store
        self._rng = random.Random(seed)
        self._commit = commit
        self._woken: SimpleQueue[None] = SimpleQueue()
        broken = store.find_unfinished()
        self.journal: SqliteJournal
        self._table: GameSimulation
        self.resumed = broken is not None
        if broken is None:
            self._begin()
        else:
            self._resume(broken.game)

    def _begin(self) -> None:
        setup = Setup(tuple(range(PEOPLE)), RULES[GAME].options())
        seed = self._rng.randrange(1 << 30)
        header = make_header(GAME, setup, date="2026-11-21T20:00:00+00:00", software="power cuts", seed=seed)
        self.journal = self.store.create_game(header, commit=self._commit, wake=self._wake)
        self._table = self._people()
        self.chain = Chain()

    def _resume(self, game: int) -> None:
        self.journal = self.store.open_game(game, commit=self._commit, wake=self._wake)
        self._table = self._people()
        with suppress(LookupError, ValueError):  # which card somebody gave in secret is not in the journal
            self._remember()
        self.chain = Chain(self.journal.entries)
        self._table.referee.observe(ob.ProgramRestarted(at=self._table.referee.at))

    def _remember(self) -> None:
        """The people's cards are where the journal left them, as far as it knows."""
        rules, world = self._table.rules, self._table.world
        state = rules.initial_state(self._table.referee.setup)
        for entry in standing_entries(self.journal.entries):
            if isinstance(entry.cause, ob.TableSeen):
                for region in entry.cause.regions:
                    world.places[region.name] = tuple(face.card for face in region.faces)
            for event in entry.events:
                world.apply_event(state, event)
                state = rules.evolve(state, event)

    def _people(self) -> GameSimulation:
        setup = self.journal.header.setup.with_options(RULES[GAME].options)
        table = GameSimulation(RULES[GAME], setup, seed=self.journal.header.seed or 0, styles=STYLES)
        table.referee = Referee(table.rules, self.journal)
        return table

    def _wake(self) -> None:
        self._woken.put(None)

    @property
    def referee(self) -> Referee[Any]:
        return self._table.referee

    def steps(self) -> Iterator[tuple[int, str]]:
        """Judge one step after another, not yet written: the number of entries then, and their digest."""
        while True:
            yield from self._game()
            self.journal.close()
            self._begin()

    def _game(self) -> Iterator[tuple[int, str]]:
        still = 0
        due = self._rng.randint(1, 3)
        written = len(self.journal.entries) - 1 if self.resumed else 0
        if self.resumed:
            self.resumed = False
            yield len(self.journal.entries), self._named(written)
            written += 1
        for _ in self._moves():
            self._mend()
            due -= 1
            still = 0 if self.journal.entries[-1].events else still + 1
            if still > STILL:
                break
            if due <= 0:
                due = self._rng.randint(1, 3)
                yield len(self.journal.entries), self._named(written)
                written = len(self.journal.entries)
        if self._table.rules.outcome(self.referee.state) is None:
            self.referee.observe(ob.AbandonRequested(at=self.referee.at + 1))
        if written < len(self.journal.entries):
            yield len(self.journal.entries), self._named(written)

    def _moves(self) -> Iterator[None]:
        """What the people do, as long as they still know their cards."""
        with suppress(LookupError, ValueError):
            yield from self._table.run_entries()

    def _named(self, written: int) -> str:
        for entry in self.journal.entries[written:]:
            self.chain.add(entry)
        return self.chain.name

    def _mend(self) -> None:
        """Now and then somebody takes back and brings back, or says again what a reading was."""
        entry = self.journal.entries[-1]
        at = entry.cause.at
        if self._rng.random() < 0.03 and self.referee.undo(at) is not None:
            self.referee.redo(at)
        elif (
            self._rng.random() < 0.05
            and isinstance(entry.cause, CorrectableObservation)
            and self.referee.is_correctable(entry.seq)
        ):
            self.referee.correct(entry.seq, entry.cause, at)

    def write(self, seconds: float = 60.0) -> bool:
        """End the step and wait until it is durable."""
        self.journal.flush()
        ticket = self.referee.ticket
        while ticket is not None and not ticket.durable:
            try:
                self._woken.get(timeout=seconds)
            except Empty:
                return False
            if self.journal.trouble is not None:
                return False
        return True


def open_store(path: Path) -> GameStore:
    return GameStore(path, RULES)
