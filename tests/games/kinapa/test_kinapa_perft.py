"""The lawful lines of Kinapa, counted: without a BOT, with two decks each, and with one for all."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from companion.games.kinapa.rules.model import KinapaState
from companion.testing import perft
from tests.games.kinapa.kinapa_table import RULES, crowned, given, setup


def fresh(players: int) -> KinapaState:
    return RULES.initial_state(setup(players))


def counted(players: int, *raised: int) -> KinapaState:
    """A 3 was announced, and the count is over; these seats raised."""
    table = given(*crowned(), players=players)
    table.count(3, raised)
    return table.state


# 4 claims, 8 numbers; then the count, its timer, or one of 3 hands.
# Two: a claim or "nobody" each; after both Switched only the claims. Then 2 faces of each aid, no hand yet.
# Three: the same with 3 people, and "nobody" again up to animal 4.
# Every hand up: no pair, or the pair (X1) and 4 objects, each in one of 8 places or none; 3 seats have or
# have not, in any order. One hand down: it has or has not; the pair means a draw (X2).
# Two, every hand up: the opponent answers, then one deck after the other is looked into.
TABLES: Mapping[str, tuple[Any, Mapping[int, int]]] = {
    "four": (fresh(4), {1: 4, 2: 4 * 8, 3: 32 * 5, 4: 736}),
    "two": (fresh(2), {1: 4, 2: 2 * 8 + 2 * 2, 3: 16 * 2 + 4 * 8, 4: 16 * 2 * 2 + 4 * 8 * 2}),
    "three": (fresh(3), {1: 6, 2: 3 * 8 + 3 * 6, 3: 24 * 4 + 9 * 8 + 9 * 6, 4: 1_050}),
    "four, every hand up": (counted(4, 1, 2, 3), {1: 2, 2: 6 + 36, 3: 6 * 4 + 36 * 3, 4: 2_492, 5: 7_384}),
    "four, one hand down": (counted(4, 1, 2), {1: 2, 2: 3, 3: 7, 4: 47, 5: 163, 6: 2_583}),
    "two, every hand up": (counted(2, 1, 2, 3), {1: 2, 2: 2 + 36, 3: 4 + 108, 4: 2_451, 5: 7_333}),
    "two, the own BOT down": (counted(2, 1, 3), {1: 2, 2: 3, 3: 4, 4: 76, 5: 223, 6: 4_862}),
    "three, the BOT down": (counted(3, 1, 2), {1: 2, 2: 3, 3: 6, 4: 80, 5: 232, 6: 4_844}),
}


@pytest.mark.parametrize("game", TABLES)
def test_the_lawful_lines_are_as_many_as_ever(game: str) -> None:
    state, counts = TABLES[game]
    perft.check_counts(RULES, state, counts)
