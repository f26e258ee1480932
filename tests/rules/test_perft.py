"""Lawful lines of reduced games, counted; each table was first worked out on paper where that is possible."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import perft
import pytest
from fake_game import LANTERN, SETUP
from kobayakawa_table import table

from companion.actions import Setup
from companion.rules.kobayakawa import Kobayakawa, KobayakawaOptions
from companion.rules.kobayakawa.state import KobayakawaState, Phase


class FewCards(Kobayakawa):
    """Kobayakawa with the numbers 1 to 7: enough for three players."""

    cards: ClassVar[int] = 7


FEW = FewCards()


def fresh(**options: Any) -> KobayakawaState:
    return FEW.initial_state(Setup((0, 1, 2), KobayakawaOptions(**options)))


def bets(**options: Any) -> KobayakawaState:
    """Everybody has replaced the Kobayakawa: four of seven numbers are known, no discard lies open."""
    game = table(3, rules=FEW, **options).deal(1)
    for seat in range(3):
        game.say(seat, "kobayakawa", seat + 2)
    assert game.phase == Phase.BETTING
    return game.state


# 3 may begin; 1 + 7 ways to turn up; then draw, replace, or say one of 7 discards or of 7 new cards:
# 3, 3·8, 3·(7 + 7·16), 3·(7·16 + 7·(9 + 15 + 7·16 + 6·16 + 15)).
# The three bets give 8 lines; a showdown of two has 14 answers, of three 21, and a new deal 8:
# 8, 4·8 + 3·14 + 21, 4·119 + 3·2·(4·14 + 3·7) + 3·(4·21 + 3·14).
TABLES: Mapping[str, tuple[Any, Any, Mapping[int, int]]] = {
    "kobayakawa": (FEW, fresh(), {1: 3, 2: 24, 3: 357, 4: 5_523}),
    "kobayakawa, one may do neither": (FEW, fresh(draw_optional=True), {2: 24, 3: 378, 4: 6_174}),
    "kobayakawa, the bets": (FEW, bets(), {1: 2, 2: 4, 3: 8, 4: 95, 5: 1_316}),
    "kobayakawa, the bets, the last one wins": (FEW, bets(nobody_fights="last_player"), {2: 4, 3: 14}),
}


@pytest.mark.parametrize("game", TABLES)
def test_the_lawful_lines_are_as_many_as_ever(game: str) -> None:
    rules, state, counts = TABLES[game]
    perft.check(rules, state, counts)


def test_the_lines_of_a_first_step_add_up_to_the_whole() -> None:
    assert sum(perft.divide(FEW, fresh(), 3).values()) == perft.lines(FEW, fresh(), 3)
    lantern = LANTERN.initial_state(SETUP)
    assert sum(perft.divide(LANTERN, lantern, 3).values()) == perft.lines(LANTERN, lantern, 3)


def test_a_wrong_count_is_told_by_its_first_steps() -> None:
    with pytest.raises(AssertionError, match=r"(?s)24 lines of 2 steps, expected 25.*8  Declared 0:start"):
        perft.check(FEW, fresh(), {2: 25})
