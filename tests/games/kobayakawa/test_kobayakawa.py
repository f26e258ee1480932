"""Kobayakawa's reckoning against every deal, played one by one as people are assumed to play."""

from __future__ import annotations

from collections import defaultdict
from itertools import permutations
from typing import Any

import numpy as np
import pytest

from companion.core.actions import Setup
from companion.games.kobayakawa.belief import KobayakawaBelief, KobayakawaPlayModel
from companion.games.kobayakawa.rules import Kobayakawa, model
from companion.games.kobayakawa.rules.model import KobayakawaOptions

CARDS, SEATS = 7, 3
MANNER = KobayakawaPlayModel(high=6, low=2)
FIRST = 4
"""The first Kobayakawa."""
ROUND = model.KobayakawaRoundBegan(0, 1, FIRST, (0, 1, 2))
HISTORIES: dict[str, tuple[Any, ...]] = {
    "a deal": (),
    "a card laid open": (model.CardDiscarded(0, 3, 1),),
    "a new Kobayakawa": (model.KobayakawaReplaced(0, 2, 1),),
    "everybody draws": (
        model.CardDiscarded(0, 3, 1),
        model.CardDiscarded(1, 6, 2),
        model.CardDiscarded(2, 1, 3),
    ),
    "a whole round": (
        model.CardDiscarded(0, 3, 1),
        model.KobayakawaReplaced(1, 5, 2),
        model.CardDiscarded(2, 1, 3),
        model.PlayerFought(0, 1, 1),
        model.PlayerPassed(1, 2),
        model.PlayerFought(2, 1, 3),
    ),
    "all but the last pass": (
        model.KobayakawaReplaced(0, 2, 1),
        model.CardDiscarded(1, 7, 2),
        model.CardDiscarded(2, 3, 3),
        model.PlayerPassed(0, 1),
        model.PlayerPassed(1, 2),
        model.PlayerFought(2, 1, 3),
    ),
}


class SmallDeck(Kobayakawa):
    cards = CARDS


def told(history: tuple[Any, ...]) -> KobayakawaBelief:
    rules = SmallDeck()
    state = rules.initial_state(Setup((0, 1, 2), KobayakawaOptions()))
    reckoning = KobayakawaBelief(SEATS, MANNER, cards=CARDS)
    for event in (ROUND, *history):
        reckoning.observe_event(state, event)
        state = rules.evolve(state, event)
    return reckoning


def odds(deal: tuple[int, ...], history: tuple[Any, ...]) -> dict[tuple[int, ...], float]:
    """From one deal, the hands that end up where exactly this is seen, and how likely each way is."""
    hands, deck, kobayakawa, likely = list(deal[:SEATS]), list(deal[SEATS:]), FIRST, 1.0
    fought = False
    for event in history:
        seat = event.seat
        match event:
            case model.CardDiscarded():
                drawn = deck.pop(0)
                if event.number not in {hands[seat], drawn}:
                    return {}
                likely *= 1.0 - MANNER.replace_probability(hands[seat])
                kept = hands[seat] + drawn - event.number
                likely *= MANNER.keep_probability(kept, event.number, kobayakawa)
                hands[seat] = kept
            case model.KobayakawaReplaced():
                likely *= MANNER.replace_probability(hands[seat])
                kobayakawa = deck.pop(0)
                if kobayakawa != event.number:
                    return {}
            case model.PlayerFought() | model.PlayerPassed():
                alone = seat == SEATS - 1 and not fought
                chance = MANNER.fight_probability(hands[seat], kobayakawa, alone=alone)
                fought |= isinstance(event, model.PlayerFought)
                likely *= chance if isinstance(event, model.PlayerFought) else 1.0 - chance
    return {tuple(hands): likely}


@pytest.mark.parametrize("name", HISTORIES)
def test_the_reckoning_says_what_counting_every_deal_says(name: str) -> None:
    history = HISTORIES[name]
    weights: dict[tuple[int, ...], float] = defaultdict(float)
    for deal in permutations([number for number in range(1, CARDS + 1) if number != FIRST]):
        for hands, likely in odds(deal, history).items():
            weights[hands] += likely
    counted = np.zeros((SEATS, CARDS + 1))
    for hands, likely in weights.items():
        for seat, number in enumerate(hands):
            counted[seat, number] += likely / sum(weights.values())
    assert told(history).card_probabilities() == pytest.approx(counted, abs=1e-9)


def test_sampled_deals_have_the_counted_chances() -> None:
    reckoning = told(HISTORIES["a whole round"])
    rows, weights = reckoning.sample_deals(60_000, np.random.default_rng(1))
    for seat in range(SEATS):
        for number in range(1, CARDS + 1):
            sampled = weights[rows[:, seat] == number].sum()
            assert sampled == pytest.approx(reckoning.card_probabilities()[seat, number], abs=0.01)


def test_a_card_that_is_shown_is_certain_and_in_no_other_hand() -> None:
    table = told((*HISTORIES["a whole round"], model.FighterCardShown(0, 7))).card_probabilities()
    assert table[0, 7] == 1.0
    assert table[1:, 7].sum() == 0.0


def test_a_discard_that_nobody_read_only_tells_that_somebody_drew() -> None:
    table = told((model.CardDiscarded(0, 0, 1),)).card_probabilities()
    assert table[0, 1:].sum() == pytest.approx(1.0)
    assert (table[0, [1, 2, 3, 5, 6, 7]] > 0).all()
