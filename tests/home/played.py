"""Whole simulated games in a table's store."""

from __future__ import annotations

import random
from functools import cache
from pathlib import Path
from typing import Any

from companion.core.actions import Outcome, Setup
from companion.core.events import Event
from companion.games import RULES
from companion.referee.journal import Entry, make_header
from companion.referee.store import GameStore
from companion.simulation.game_simulation import GameSimulation, random_styles

GAME = "kobayakawa"
BEGAN = "2026-11-25T18:00:00+00:00"


@cache
def simulated(seed: int) -> tuple[tuple[Entry[Event], ...], Outcome | None]:
    """The entries of a whole game of three, and how it ended."""
    rules: Any = RULES[GAME]
    setup = Setup((0, 1, 2), rules.options())
    simulation = GameSimulation(rules, setup, seed=seed, styles=random_styles(3, random.Random(seed)))
    simulation.run()
    return tuple(simulation.referee.journal.entries), rules.outcome(simulation.referee.state)


def played(
    path: Path,
    *,
    seed: int = 1,
    names: tuple[tuple[int, str], ...] = (),
    steps: int | None = None,
    began: str = BEGAN,
    outcome: Outcome | None = None,
) -> int:
    """Write a game into the store, whole or only so many steps of it; its number.

    `outcome` ends it otherwise than it ended.
    """
    rules: Any = RULES[GAME]
    setup = Setup((0, 1, 2), rules.options())
    entries, ended = simulated(seed)
    with GameStore(path, RULES) as store:
        journal = store.create_game(make_header(GAME, setup, date=began, names=names))
        for entry in entries[:steps]:
            journal.append(entry, outcome or (ended if steps is None else None))
        assert journal.close()
    assert journal.game is not None
    return journal.game
