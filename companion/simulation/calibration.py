"""Calibration of inferred chances against the truth in simulated games."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from companion.core.actions import Setup
from companion.core.intervals import Z
from companion.games import GAMES
from companion.games.kit.world import Style
from companion.simulation.play import Simulation

BINS = 10


class Bin(NamedTuple):
    """All chances between two tenths."""

    said: float
    """Their mean."""
    true: float
    """The share that came true."""
    chances: int
    error: float
    """Half the width of the 95 % interval; clustered by game, as the chances of a game are correlated."""


def played(
    game: str, players: int, seed: int, styles: Sequence[Style], *, bot: bool = False, **effort: int
) -> Iterator[tuple[float, bool]]:
    """Every chance inferred in one simulated game, and whether it came true.

    `effort` is passed to the game, which defines it, e.g. as a sample size.
    """
    record = GAMES[game]
    assert record.calibrated is not None, f"nothing is inferred in {game}"
    setup = Setup(tuple(range(players)), record.rules.options(), bot)
    inferred = record.calibrated(record.rules.seats(setup), seed, **effort)
    simulation = Simulation(record.rules, setup, seed=seed, styles=styles)
    heard, before = 0, simulation.referee.state
    for _ in simulation.steps():
        entries = simulation.referee.journal.entries
        for entry in entries[heard:]:
            for event in entry.events:
                yield from inferred.hear(before, event, simulation.world, simulation.referee.state)
                before = record.rules.evolve(before, event)
        heard = len(entries)


def calibrated(games: Sequence[Sequence[tuple[float, bool]]]) -> tuple[Bin, ...]:
    """The chances of whole games in ten bins, with intervals clustered by game."""
    bins = []
    for place in range(BINS):
        low, high = place / BINS, (place + 1) / BINS
        inside = [
            [(said, true) for said, true in game if low <= said < high or (said == 1.0 and place == BINS - 1)]
            for game in games
        ]
        counts = np.array([len(game) for game in inside], dtype=float)
        if not counts.sum():
            continue
        trues = np.array([sum(true for _, true in game) for game in inside], dtype=float)
        share = float(trues.sum() / counts.sum())
        # The ratio of two sums over games (the usual estimate for clusters).
        spread = np.sqrt(np.square(trues - share * counts).sum()) / counts.sum()
        mean = sum(said for game in inside for said, _ in game) / counts.sum()
        bins.append(Bin(float(mean), share, int(counts.sum()), float(Z * spread)))
    return tuple(bins)


def brier(games: Sequence[Sequence[tuple[float, bool]]]) -> tuple[float, float]:
    """The Brier score of the chances, and that of always predicting the base rate."""
    said = np.array([chance for game in games for chance, _ in game])
    true = np.array([float(so) for game in games for _, so in game])
    return float(np.square(said - true).mean()), float(true.var())


def plot(bins: Sequence[Bin], title: str) -> str:
    """A reliability diagram of the bins, as SVG."""
    side, edge = 400, 50

    def at(x: float, y: float) -> tuple[float, float]:
        return edge + x * side, edge + (1 - y) * side

    marks = []
    for one in bins:
        x, y = at(one.said, one.true)
        low, high = (
            at(0, min(1.0, max(0.0, end)))[1] for end in (one.true - one.error, one.true + one.error)
        )
        marks.append(f'<line x1="{x:.1f}" y1="{low:.1f}" x2="{x:.1f}" y2="{high:.1f}" stroke="#345"/>')
        marks.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="5" fill="#c33"/>')
    ticks = []
    for tenth in range(0, 11, 2):
        x, y = at(tenth / 10, tenth / 10)
        ticks.append(f'<text x="{x:.0f}" y="{edge + side + 18}" text-anchor="middle">{tenth / 10:.1f}</text>')
        ticks.append(f'<text x="{edge - 8}" y="{y + 5:.0f}" text-anchor="end">{tenth / 10:.1f}</text>')
    (x0, y0), (x1, y1) = at(0, 0), at(1, 1)
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {side + 2 * edge} {side + 2 * edge}"',
            ' font-family="sans-serif" font-size="14">',
            f'<rect width="{side + 2 * edge}" height="{side + 2 * edge}" fill="white"/>',
            f'<text x="{edge}" y="30" font-weight="bold">{title}</text>',
            f'<rect x="{edge}" y="{edge}" width="{side}" height="{side}" fill="none" stroke="#999"/>',
            f'<line x1="{x0}" y1="{y0}" x2="{x1}" y2="{y1}" stroke="#999" stroke-dasharray="4"/>',
            *ticks,
            *marks,
            f'<text x="{edge + side / 2}" y="{edge + side + 40}" text-anchor="middle">chance said</text>',
            "</svg>",
            "",
        ]
    )
