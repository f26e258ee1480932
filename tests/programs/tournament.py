"""Tournaments between strengths of opponents, with confidence intervals."""

from __future__ import annotations

import random
from typing import NamedTuple

from companion.core.actions import Chair, Setup
from companion.core.game import make_people
from companion.games import GAMES, RULES
from companion.games.kit.world import PlayStyle
from companion.simulation.game_simulation import GameSimulation
from companion.ui.overlays.home_dialogs import STRENGTHS
from tests.intervals import wilson


class Score(NamedTuple):
    """The result of one strength against another."""

    strength: str
    wins: float
    """Number of wins; shared ones count in part."""
    games: int
    low: float
    high: float
    """Bounds of the 95 % interval of its share of the wins, 0 to 1."""

    @property
    def share(self) -> float:
        return self.wins / self.games


def seated(players: int, one: str, other: str, number: int) -> tuple[str, ...]:
    """Seats for two strengths, half each, rotated from game to game so that neither always begins.

    With an odd number of players, one has a seat more in every other game.
    """
    if players % 2 and number % 2:
        one, other = other, one
    half = [one if seat % 2 == 0 else other for seat in range(players)]
    turned = number % players
    return (*half[turned:], *half[:turned])


def winners(game: str, strengths: tuple[str, ...], seed: int, *, bot: bool = False) -> tuple[Chair, ...]:
    """Play one game; returns the winners, none if it was abandoned."""
    rules = RULES[game]
    players = len(strengths)
    setup = Setup(tuple(range(players)), rules.options(), bot)
    simulation = GameSimulation(rules, setup, seed=seed, styles=[PlayStyle.LAWFUL] * players)
    simulation.world = make_people(GAMES[game], "opponents", setup, random.Random(seed), strengths)
    played = simulation.run()
    if played.outcome is None:
        return ()
    return played.outcome.winners


def match(
    game: str,
    one: str,
    other: str,
    *,
    games: int,
    players: int,
    bot: bool = False,
    seed: int = 0,
) -> Score:
    """Play games of `one` against `other`, with half of the seats each."""
    wins, counted = 0.0, 0
    for number in range(games):
        strengths = seated(players, one, other, number)
        won = winners(game, strengths, seed + number, bot=bot)
        if won:
            counted += 1
            wins += sum(strengths[chair] == one for chair in won) / len(won)
    low, high = wilson(wins, max(1, counted))
    return Score(one, wins, max(1, counted), low, high)


def ladder() -> tuple[tuple[str, str], ...]:
    """Each strength against the one below it."""
    return tuple(zip(STRENGTHS[1:], STRENGTHS[:-1], strict=True))
