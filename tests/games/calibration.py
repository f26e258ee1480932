"""Calibration of inferred chances against the truth in simulated games.

Each game asks at its own moments: Kinapa at the end of every turn, dnup at the beginning of every turn,
Kobayakawa when betting begins and before the showdown.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from companion.core.actions import Setup
from companion.core.events import Event
from companion.games import RULES
from companion.games.dnup.belief import DnupBelief
from companion.games.dnup.rules import cards as card
from companion.games.dnup.rules import model as dnup
from companion.games.dnup.rules.cards import HIGHEST_VALUE
from companion.games.kinapa.belief import KinapaBelief
from companion.games.kinapa.players import card_number
from companion.games.kinapa.rules import model as kinapa
from companion.games.kit.world import PlayStyle
from companion.games.kobayakawa.belief import KobayakawaBelief
from companion.games.kobayakawa.rules import model as kobayakawa
from companion.simulation.game_simulation import GameSimulation
from tests.intervals import Z

BINS = 10
Chances = Iterator[tuple[float, bool]]
"""A chance, and whether it is so."""


class DnupCalibrated:
    """For each seat and value that is not known to be there: the chance that it is, and whether it is."""

    def __init__(self, hands: int, seed: int) -> None:
        self._reckoning = DnupBelief(hands, seed=seed)

    def hear(self, before: Any, event: Event, world: Any, state: Any) -> Chances:
        """A ruling; `world` and `state` as they are once its whole entry stands."""
        self._reckoning.observe_event(before, event)
        if not isinstance(event, dnup.TurnBegan) or not state.is_turn_running:
            return
        table = self._reckoning.card_probabilities(state)
        for seat, hand in enumerate(world.hands):
            known = set(map(card.active_value, state.hands[seat].known))
            held = set(map(card.active_value, hand))
            if len(state.hands[seat].known) < len(hand):
                yield from (
                    (float(table[seat, value]), value in held)
                    for value in range(1, HIGHEST_VALUE + 1)
                    if value not in known
                )


class KinapaCalibrated:
    """For each hand (BOT decks too) and number: the chance that it is there, and whether it is."""

    def __init__(self, hands: int, seed: int, *, size: int = 400, moves: int = 160) -> None:
        self._reckoning = KinapaBelief(hands, size=size, moves=moves, seed=seed)

    def hear(self, before: Any, event: Event, world: Any, state: Any) -> Chances:
        """A ruling; `world` and `state` as they are once its whole entry stands."""
        self._reckoning.observe_event(before, event)
        # Decks that change places do so before the crown is taken, in the same entry.
        if not isinstance(event, kinapa.EmperorCrowned | kinapa.EmperorStays) or not before.turns:
            return
        table = self._reckoning.card_probabilities()
        for seat, hand in enumerate(world.hands):
            held = {card_number(one) for one in hand}
            for number in range(1, self._reckoning.numbers + 1):
                if number not in before.placed_numbers:
                    yield float(table[seat, number - 1]), number in held


class KobayakawaCalibrated:
    """For each seat and number that is not open: the chance that it is there, and whether it is."""

    def __init__(self, hands: int, seed: int) -> None:
        self._reckoning = KobayakawaBelief(hands)

    def hear(self, before: Any, event: Event, world: Any, state: Any) -> Chances:
        """A ruling; `world` and `state` as they are once its whole entry stands."""
        if isinstance(event, kobayakawa.ShowdownBegan):
            yield from self._numbers(world)
        self._reckoning.observe_event(before, event)
        if isinstance(event, kobayakawa.BettingBegan):
            yield from self._numbers(world)

    def _numbers(self, world: Any) -> Chances:
        table = self._reckoning.card_probabilities()
        for seat in self._reckoning.playing:
            for number in range(1, self._reckoning.cards + 1):
                if number not in self._reckoning.open:
                    yield float(table[seat, number]), world.holds(seat) == number


INFERRED: dict[str, Any] = {
    "dnup": DnupCalibrated,
    "kinapa": KinapaCalibrated,
    "kobayakawa": KobayakawaCalibrated,
}


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
    game: str, players: int, seed: int, styles: Sequence[PlayStyle], *, bot: bool = False, **effort: int
) -> Iterator[tuple[float, bool]]:
    """Every chance inferred in one simulated game, and whether it came true.

    `effort` is passed to the game, which defines it, e.g. as a sample size.
    """
    rules = RULES[game]
    setup = Setup(tuple(range(players)), rules.options(), bot)
    inferred = INFERRED[game](rules.hand_count(setup), seed, **effort)
    simulation = GameSimulation(rules, setup, seed=seed, styles=styles)
    heard, before = 0, simulation.referee.state
    for _ in simulation.run_entries():
        entries = simulation.referee.journal.entries
        for entry in entries[heard:]:
            for event in entry.events:
                yield from inferred.hear(before, event, simulation.world, simulation.referee.state)
                before = rules.evolve(before, event)
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
