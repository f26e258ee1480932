"""How well the recaps' chances foretell who wins: simulated games, beside everybody having the same chance.

Each game is looked at ten times, evenly spread. The figure is the mean surprise at who won (log loss, in
nats): less is better, and less than the baseline means that `lead` knows something. A scale of 1 says that
the weights in the games' `highlights` fit; 2 that they should be twice as large.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from companion.core.actions import Setup
from companion.games import GAMES, RULES
from companion.games.kit.commentary import winning_chances
from companion.simulation.game_simulation import GameSimulation, random_styles
from tests.programs.bench.figures import Row

GAMES_EACH = 200
FIRST_SEED = 10_000
"""The weights were chosen on games with smaller seeds."""
LOOKS = 10
SCALES = [step / 20 for step in range(10, 41)]


class Look(NamedTuple):
    """How far ahead everybody was, and what each had of the win in the end."""

    leads: Sequence[float]
    won: Sequence[float]


def rows() -> Iterator[Row]:
    for game in RULES:
        looks = list(looked(game))
        ours = surprise(looks)
        equal = surprise(looks, 0.0)
        fits = min(SCALES, key=lambda scale: surprise(looks, scale))
        yield Row(
            figure=f"{game}: surprise at who won",
            value=ours,
            unit="nats",
            baseline="equal chances",
            beside=equal,
            ratio=ours / equal,
            aim="below 1 ×",
            met=ours < equal,
            note=f"{game}: weights fit best times {fits:.2f}",
        )


def looked(game: str) -> Iterator[Look]:
    lead = GAMES[game].score_lead
    assert lead is not None
    rules = RULES[game]
    most, least = max(rules.players), min(rules.players)
    for seed in range(FIRST_SEED, FIRST_SEED + GAMES_EACH):
        players = least + seed % (min(most, 6) - least + 1)
        setup = Setup(tuple(range(players)), rules.options())
        table = GameSimulation(rules, setup, seed=seed, styles=random_styles(players, random.Random(seed)))
        states = [table.referee.state for _ in table.run_entries()]
        outcome = rules.outcome(states[-1])
        if outcome is None or not outcome.winners:
            continue
        won = [(chair in outcome.winners) / len(outcome.winners) for chair in setup.chairs]
        for look in range(LOOKS):
            yield Look(lead(states[len(states) * (2 * look + 1) // (2 * LOOKS)]), won)


def surprise(looks: Sequence[Look], scale: float = 1.0) -> float:
    """Mean log loss if every lead counted `scale` times."""
    lost = 0.0
    for leads, won in looks:
        likely = winning_chances([scale * lead for lead in leads])
        lost -= sum(share * math.log(max(chance, 1e-12)) for share, chance in zip(won, likely, strict=True))
    return lost / len(looks)
