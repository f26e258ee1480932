"""dnup's reckoning against every deal of a small deck, each card lying either way."""

from __future__ import annotations

from itertools import permutations, product
from typing import Any

import numpy as np
import pytest
from msgspec.structs import replace

from companion.core.actions import Setup
from companion.games.dnup.belief import DnupBelief, DnupPlayModel
from companion.games.dnup.rules import Dnup, DnupOptions, model
from companion.games.dnup.rules import cards as card
from companion.games.dnup.rules.cards import HIGHEST_VALUE

DECK = ("1-5", "1-6", "2-5", "2-6", "5-7", "1-2")
SEATS, EACH = 3, 2
CUSTOM = DnupPlayModel(largest=0.8)
HISTORIES: dict[str, tuple[Any, ...]] = {
    "a deal": (),
    "one card played": (model.SetPlayed(0, 0, 1, 6, ("6/1",), ()),),
    "another rotates first": (
        model.SetPlayed(0, 0, 1, 5, ("5/1",), ()),
        model.TurnBegan(1, 1, 0),
        model.HandRotated(1),
        model.TurnBegan(2, 2, 0),
        model.SetPlayed(2, 2, 1, 6, ("6/2",), ()),
    ),
    "a card kept back is seen later": (
        model.SetPlayed(0, 0, 1, 5, ("5/2",), ()),
        model.TurnBegan(1, 1, 0),
        model.SetPlayed(1, 1, 1, 6, ("6/1",), ()),
        model.TurnBegan(0, 0, 0),
        model.SetPlayed(0, 0, 1, 5, ("5/1",), ()),
    ),
}


def told(history: tuple[Any, ...], size: int = 20_000) -> tuple[DnupBelief, Any]:
    rules = Dnup()
    state = rules.initial_state(Setup((0, 1, 2), DnupOptions()))
    state = replace(state, deck=DECK)
    reckoning = DnupBelief(SEATS, CUSTOM, size=size, steps=60, seed=5)
    for event in (
        model.DeckSorted(len(DECK)),
        model.DnupRoundBegan(0, 0, 1, EACH),
        model.TurnBegan(0, 0, 0),
        *history,
    ):
        reckoning.observe_event(state, event)
        state = rules.evolve(state, event)
    return reckoning, state


def better(
    hand: list[str], lying: dict[int, tuple[str, ...]], size: int = 0, worth: int = HIGHEST_VALUE
) -> bool:
    """Whether a better set could have been played."""
    rivals = {len(cards): card.active_value(cards[0]) for cards in lying.values()}
    ups = list(map(card.active_value, hand))
    return any(
        rivals.get(more, 0) < value and (more > size or value >= worth + CUSTOM.higher)
        for value in set(ups)
        for more in range(max(1, size), ups.count(value) + 1)
    )


def odds(hands: list[list[str]], history: tuple[Any, ...]) -> float:
    """How likely this history is from these hands, and what they come to (in place)."""
    likely, lying = 1.0, {}
    for event in history:
        seat = event.seat
        match event:
            case model.TurnBegan():
                lying.pop(event.area, None)
            case model.SetPlayed():
                if not card.contains_cards(event.cards, hands[seat]):
                    return 0.0
                could = better(hands[seat], lying, event.count, event.value)
                likely *= 1 - CUSTOM.largest if could else CUSTOM.largest
                for one in event.cards:
                    hands[seat].remove(one)
                lying[event.area] = event.cards
            case model.HandRotated():
                likely *= 1 - CUSTOM.largest if better(hands[seat], lying) else CUSTOM.largest
                hands[seat][:] = map(card.rotate_card, hands[seat])
    return likely


@pytest.mark.parametrize("name", HISTORIES)
def test_the_reckoning_says_what_counting_every_deal_says(name: str) -> None:
    history = HISTORIES[name]
    counted, total = np.zeros((SEATS, HIGHEST_VALUE + 1)), 0.0
    for order in set(permutations(range(len(DECK)))):
        if "1-5" not in (DECK[order[0]], DECK[order[1]]) or any(
            order[2 * seat] > order[2 * seat + 1] for seat in range(SEATS)
        ):
            continue  # the first player says to hold the star; two cards of a hand have no order
        for turns in product((0, 180), repeat=len(DECK)):
            lying = [card.card_as_read(DECK[one], turns[one]) for one in order]
            hands = [lying[2 * seat : 2 * seat + 2] for seat in range(SEATS)]
            likely = odds(hands, history)
            total += likely
            for seat, hand in enumerate(hands):
                for value in set(map(card.active_value, hand)):
                    counted[seat, value] += likely
    reckoning, state = told(history)
    assert reckoning.card_probabilities(state) == pytest.approx(counted / total, abs=0.012)


def test_nobody_else_is_thought_to_hold_the_own_cards() -> None:
    reckoning, _ = told(HISTORIES["a deal"], size=100)
    reckoning.learn_hand(1, ("2/5", "7/5"))
    assert not {"2-5", "5-7"} & set(reckoning.unseen)
    assert set(np.unique(reckoning.owner)) == {0, 2}


def test_cards_that_were_mixed_up_are_all_unseen_again() -> None:
    reckoning, state = told(HISTORIES["another rotates first"])
    reckoning.observe_event(state, model.HandDoubted(1))
    assert sorted(reckoning.unseen) == sorted(set(DECK) - {"1-5", "2-6"})
    assert not reckoning.facts
