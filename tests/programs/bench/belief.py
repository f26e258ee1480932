"""Whether the chances that a belief gives to hidden cards come true: simulated games, beside the base rate.

The figure is the mean squared error of all chances (Brier 1950). Guessing without the history
gives every card the share of those that were there. The note says which chances came true how often, in ten
bins with 95 % intervals clustered by game.
"""

from __future__ import annotations

import random
from collections.abc import Iterator

from companion.games.kit.world import PlayStyle
from tests.games.calibration import brier, calibrated, played
from tests.programs.bench.figures import Row

GAMES_EACH = 10
TABLES = (("kinapa", 4, False), ("kinapa", 2, True), ("kobayakawa", 4, False), ("dnup", 4, False))
"""Game, players, and whether a BOT deck is dealt."""


def rows() -> Iterator[Row]:
    for game, players, bot in TABLES:
        games = []
        for seed in range(GAMES_EACH):
            chance = random.Random(f"{seed} styles")
            styles = [chance.choice((PlayStyle.LAWFUL, PlayStyle.BLUFFING)) for _ in range(players)]
            games.append(list(played(game, players, seed, styles, bot=bot)))
        error, blind = brier(games)
        said = ", ".join(f"{one.said:.2f}: {one.true:.2f} ± {one.error:.2f}" for one in calibrated(games))
        table = f"{game}, {players} players{' and a BOT' if bot else ''}"
        yield Row(
            figure=f"{table}: squared error",
            value=error,
            unit="",
            baseline="base rate",
            beside=blind,
            ratio=error / blind,
            aim="below 1 ×",
            met=error < blind,
            note=f"{table}: {said}",
        )
