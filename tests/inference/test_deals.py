"""The sample of deals against all deals counted one by one."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from itertools import permutations
from typing import Any

import numpy as np
import pytest

from companion.inference.deals import Sample

SEATS, CARDS, SIZE = 3, 6, 60_000
Deal = tuple[int, ...]
"""Card → seat."""


def deals() -> set[Deal]:
    return set(permutations((0, 0, 1, 1, 2, 2)))


class Counted:
    """The same history, on every deal and every hidden choice."""

    def __init__(self) -> None:
        even = deals()
        self.odds: dict[tuple[Deal, int], float] = {(deal, -1): 1 / len(even) for deal in even}

    def _each(self, step: Callable[[Deal, int], Iterator[tuple[Deal, int, float]]]) -> None:
        after: dict[tuple[Deal, int], float] = defaultdict(float)
        for (deal, received), odds in self.odds.items():
            for new, got, share in step(deal, received):
                after[new, got] += odds * share
        total = sum(after.values())
        self.odds = {key: odds / total for key, odds in after.items() if odds}

    def say(self, true: Callable[[Deal], bool], likely: float, else_likely: float) -> None:
        self._each(lambda deal, got: iter([(deal, got, likely if true(deal) else else_likely)]))

    def pass_one(self, giver: int, taker: int, among: tuple[int, ...] = tuple(range(CARDS))) -> None:
        def step(deal: Deal, _: int) -> Iterator[tuple[Deal, int, float]]:
            there = [card for card in among if deal[card] == giver]
            for card in there:
                yield (*deal[:card], taker, *deal[card + 1 :]), card, 1 / len(there)

        self._each(step)

    def give_back(self, giver: int, taker: int) -> None:
        def step(deal: Deal, got: int) -> Iterator[tuple[Deal, int, float]]:
            there = [card for card in range(CARDS) if deal[card] == giver and card != got]
            for card in there:
                yield (*deal[:card], taker, *deal[card + 1 :]), -1, 1 / len(there)

        self._each(step)

    def chance(self, true: Callable[[Deal], bool]) -> float:
        return sum(odds for (deal, _), odds in self.odds.items() if true(deal))


def both(history: list[tuple[Any, ...]]) -> tuple[Sample, Counted]:
    """One history told to both."""
    sample, counted = Sample(seats=SEATS, cards=CARDS, size=SIZE, seed=3), Counted()
    even = np.ones((SIZE, CARDS))
    for what, *rest in history:
        if what == "say":
            seat, cards, likely, otherwise = rest
            sample.say(sample.holds(seat, cards) > 0, likely=likely, else_likely=otherwise)
            counted.say(lambda deal, s=seat, c=cards: any(deal[card] == s for card in c), likely, otherwise)
        elif what == "draw":
            giver, taker = rest
            sample.pass_one(giver, taker)
            counted.pass_one(giver, taker)
        elif what == "hand":
            giver, taker, cards = rest
            sample.pass_one(giver, taker, cards)
            counted.pass_one(giver, taker, tuple(cards))
        elif what == "back":
            giver, taker = rest
            sample.give_back(giver, taker, even)
            counted.give_back(giver, taker)
    return sample, counted


HISTORIES = {
    "a deal": [],
    "a claim": [("say", 1, (0, 1), 0.1, 0.8)],
    "a blind exchange": [("say", 1, (0, 1), 0.1, 0.8), ("draw", 1, 0), ("back", 0, 1)],
    "a demand": [("say", 1, (0, 1), 0.1, 0.8), ("hand", 2, 0, (0, 1)), ("back", 0, 2)],
    "a long game": [
        ("say", 1, (0, 1), 0.1, 0.8),
        ("say", 2, (0, 1), 0.9, 0.2),
        ("hand", 2, 0, (0, 1)),
        ("back", 0, 2),
        ("say", 2, (4, 5), 0.15, 0.75),
        ("draw", 0, 1),
        ("back", 1, 0),
        ("say", 0, (2, 3), 0.02, 0.98),
        ("hand", 1, 2, (2, 3)),
        ("back", 2, 1),
    ],
}


@pytest.mark.parametrize("name", HISTORIES)
def test_a_sample_says_what_counting_every_deal_says(name: str) -> None:
    sample, counted = both(HISTORIES[name])
    for seat in range(SEATS):
        for card in range(CARDS):
            sampled = sample.chance(sample.where[:, card] == seat)
            exact = counted.chance(lambda deal, s=seat, c=card: deal[c] == s)
            assert sampled == pytest.approx(exact, abs=0.02), (seat, card)


def test_hands_keep_their_size_through_every_exchange() -> None:
    sample, _ = both(HISTORIES["a long game"])
    likely = sample.where[sample.weights > 0]
    assert len(likely)
    assert all(((likely == seat).sum(axis=1) == 2).all() for seat in range(SEATS))


def test_a_card_that_nobody_could_have_is_put_right_instead_of_losing_every_deal() -> None:
    sample = Sample(seats=SEATS, cards=CARDS, size=100, seed=1)
    sample.must(sample.where[:, 0] == 1)
    sample.put(0, 2)
    assert (sample.where[:, 0] == 2).all()
    assert sample.lost == 1
    assert ((sample.where == 2).sum(axis=1) == 2).all()


def test_the_same_seed_reckons_the_same() -> None:
    one, other = (both(HISTORIES["a long game"])[0] for _ in range(2))
    assert np.array_equal(one.where, other.where)
