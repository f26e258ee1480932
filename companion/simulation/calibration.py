"""How often what was called likely is true: reckoned chances against the simulator's deals."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from companion.core.actions import Setup
from companion.games import GAMES
from companion.games.dnup.belief import DnupReckoning
from companion.games.dnup.rules import cards as card
from companion.games.dnup.rules import events as dnup
from companion.games.dnup.rules.manifest import HIGHEST
from companion.games.kinapa.belief import KinapaReckoning
from companion.games.kinapa.players import number_of
from companion.games.kinapa.rules import events as kinapa
from companion.games.kit.world import Style
from companion.games.kobayakawa.belief import KobayakawaReckoning
from companion.games.kobayakawa.rules import events as kobayakawa
from companion.simulation.play import Simulation

BINS = 10


class Bin(NamedTuple):
    """All chances between two tenths."""

    said: float
    """Their mean."""
    true: float
    """How many of them came true."""
    chances: int
    error: float
    """Half the width of the 95 % interval, from whole games: chances of one game hang together."""


Chances = Iterator[tuple[float, bool]]
"""A chance, and whether it is so."""


Rulings = Iterator[tuple[Any, Any, Simulation]]
"""Every ruling of a simulated game: the state before it, the event, and the game as it stands then."""


def _rulings(game: str, players: int, seed: int, styles: Sequence[Style], *, bot: bool = False) -> Rulings:
    rules = GAMES[game]
    setup = Setup(tuple(range(players)), rules.options(), bot)
    simulation = Simulation(rules, setup, seed=seed, styles=styles)
    heard, before = 0, simulation.referee.state
    for _ in simulation.steps():
        entries = simulation.referee.journal.entries
        for entry in entries[heard:]:
            for event in entry.events:
                yield before, event, simulation
                before = rules.evolve(before, event)
        heard = len(entries)


def kinapa_game(
    players: int, seed: int, styles: Sequence[Style], *, bot: bool = False, size: int = 400, moves: int = 160
) -> Chances:
    """At the end of every turn, for each seat and number: the chance that it is there, and whether it is.

    BOT decks are seats too.
    """
    rules = GAMES["kinapa"]
    seats = rules.seats(Setup(tuple(range(players)), rules.options(), bot))
    reckoning = KinapaReckoning(seats, size=size, moves=moves, seed=seed)
    for before, event, simulation in _rulings("kinapa", players, seed, styles, bot=bot):
        reckoning.hear(before, event)
        # Decks that change places do so before the crown is taken, in the same entry.
        if not isinstance(event, kinapa.EmperorCrowned | kinapa.EmperorStays) or not before.turns:
            continue
        table = reckoning.chances()
        for seat, hand in enumerate(simulation.world.hands):
            held = {number_of(one) for one in hand}
            for number in range(1, reckoning.numbers + 1):
                if number not in before.dead:
                    yield float(table[seat, number - 1]), number in held


def kobayakawa_game(players: int, seed: int, styles: Sequence[Style]) -> Chances:
    """When betting begins and before the showdown: the same for each seat and number that is not open."""
    reckoning = KobayakawaReckoning(players)
    for before, event, simulation in _rulings("kobayakawa", players, seed, styles):
        if isinstance(event, kobayakawa.ShowdownBegan):
            yield from _numbers(reckoning, simulation.world)
        reckoning.hear(before, event)
        if isinstance(event, kobayakawa.BettingBegan):
            yield from _numbers(reckoning, simulation.world)


def _numbers(reckoning: KobayakawaReckoning, world: Any) -> Chances:
    table = reckoning.chances()
    for seat in reckoning.playing:
        for number in range(1, reckoning.cards + 1):
            if number not in reckoning.open:
                yield float(table[seat, number]), world.holds(seat) == number


def dnup_game(players: int, seed: int, styles: Sequence[Style]) -> Chances:
    """At the beginning of every turn: the same for each seat and value that is not known to be there."""
    reckoning = DnupReckoning(players, seed=seed)
    for before, event, simulation in _rulings("dnup", players, seed, styles):
        reckoning.hear(before, event)
        state = simulation.referee.state
        if not isinstance(event, dnup.TurnBegan) or not state.turn_phase:
            continue
        table = reckoning.chances(state)
        for seat, hand in enumerate(simulation.world.hands):
            known = set(map(card.up, state.hands[seat].known))
            held = set(map(card.up, hand))
            if len(state.hands[seat].known) < len(hand):
                yield from (
                    (float(table[seat, value]), value in held)
                    for value in range(1, HIGHEST + 1)
                    if value not in known
                )


PLAYED: Mapping[str, Callable[..., Chances]] = {
    "kinapa": kinapa_game,
    "kobayakawa": kobayakawa_game,
    "dnup": dnup_game,
}
"""The games whose hands can be reckoned; in Kabuki everything was seen, and only has to be remembered."""


def calibrated(games: Sequence[Sequence[tuple[float, bool]]]) -> tuple[Bin, ...]:
    """Chances of whole games in ten bins, each with an interval from game to game."""
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
        bins.append(Bin(float(mean), share, int(counts.sum()), float(1.96 * spread)))
    return tuple(bins)


def brier(games: Sequence[Sequence[tuple[float, bool]]]) -> tuple[float, float]:
    """The mean squared error of the chances, and of somebody who only knows how often it is so at all."""
    said = np.array([chance for game in games for chance, _ in game])
    true = np.array([float(so) for game in games for _, so in game])
    return float(np.square(said - true).mean()), float(true.var())


def plot(bins: Sequence[Bin], title: str) -> str:
    """The bins as a picture (SVG): the nearer to the line, the better."""
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
