"""Kobayakawa's reckoning by value; names carry the vectors of the rules specification they cover."""

from __future__ import annotations

from itertools import permutations

import pytest

from companion.games.kobayakawa.rules.model import (
    LAST_ROUND_CENTRE,
    STARTING_CENTRE,
    centre_bonus,
    fight_cost,
    fighter_totals,
    showdown_winner,
)

A, B, C, D = range(4)


def test_o_t01_the_lowest_fighter_adds_the_kobayakawa() -> None:
    assert fighter_totals({A: 8, B: 11}, 7) == {A: 15, B: 11}


def test_o_t02_the_helped_lowest_beats_two_higher_cards() -> None:
    fighters = {A: 9, C: 15, D: 12}
    assert fighter_totals(fighters, 8) == {A: 17, C: 15, D: 12}
    assert showdown_winner(fighters, 8, (A, B, C, D)) == A


def test_o_t05_after_six_rounds_with_a_winner_the_next_is_the_last() -> None:
    centre = STARTING_CENTRE
    for _ in range(6):
        assert centre != LAST_ROUND_CENTRE
        centre -= centre_bonus(centre)
    assert centre == LAST_ROUND_CENTRE


@pytest.mark.parametrize(("kamons", "paid"), [(1, 1), (2, 2), (9, 2)])
def test_o_t06_the_last_round_costs_two_or_the_only_kamon_left(kamons: int, paid: int) -> None:
    assert fight_cost(kamons, LAST_ROUND_CENTRE) == paid
    assert fight_cost(kamons, LAST_ROUND_CENTRE + 1) == 1
    assert centre_bonus(LAST_ROUND_CENTRE) == 2


def test_o_t07_a_tie_goes_to_the_one_earlier_in_turn_order() -> None:
    assert showdown_winner({A: 5, B: 12}, 7, (A, B)) == A
    assert showdown_winner({A: 5, B: 12}, 7, (B, A)) == B


def test_o_t11_a_lower_card_that_passed_takes_no_help_away() -> None:
    assert fighter_totals({A: 6, B: 9}, 5) == {A: 11, B: 9}


def test_only_the_helped_lowest_and_the_highest_ever_tie() -> None:
    for low, middle, high, middle_card in permutations(range(1, 16), 4):
        if low < middle < high:
            reached = fighter_totals({A: low, B: middle, C: high}, middle_card)
            assert reached[B] < reached[C]
            top = max(reached.values())
            assert {seat for seat in reached if reached[seat] == top} <= {A, C}
