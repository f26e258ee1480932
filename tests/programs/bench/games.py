"""Simulated games as the bench replays them: the causes alone, without the people who thought of them."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

from msgspec import Struct

from companion.core.actions import Setup
from companion.core.events import Event
from companion.games import RULES
from companion.referee.journal import Entry, Header, MemoryJournal, make_header
from companion.referee.referee import Referee
from companion.simulation.game_simulation import GameSimulation, random_styles


class Recorded(Struct, frozen=True):
    """One whole simulated game."""

    header: Header
    entries: tuple[Entry[Event], ...]

    def referee(self) -> Referee[Any]:
        """A fresh referee of the same game."""
        return Referee(RULES[self.header.game], MemoryJournal(self.header))


def recorded(game: str, *, players: int, seed: int) -> Recorded:
    """A game of people of mixed habits, played to its end."""
    rules = RULES[game]
    setup = Setup(tuple(range(players)), rules.options())
    played = GameSimulation(
        rules, setup, seed=seed, styles=random_styles(players, random.Random(f"{seed} styles"))
    )
    for _ in played.run_entries():
        pass
    journal = played.referee.journal
    return Recorded(make_header(game, setup, kind="simulation", seed=seed), tuple(journal.entries))


def whole_games(game: str = "kinapa", count: int = 10) -> list[Recorded]:
    """Games of every number of players, seed by seed."""
    players: Sequence[int] = RULES[game].players
    return [recorded(game, players=players[seed % len(players)], seed=seed) for seed in range(count)]
