"""The people of Euchre: they make trump, help each other and play whole games; the referee names nobody."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest

from companion.core import observations as ob
from companion.core.events import kind_of
from companion.games.euchre.players import EuchrePeople, card_to_discard, tricks_expected
from companion.games.euchre.rules.model import DECK, HAND
from companion.games.kit.cards import CARDS
from tests.games.euchre.euchre_table import RULES, Table
from tests.games.hearts.hearts_table import SEATS, card, cards
from tests.thorough import examples

PEACEFUL = {"UpcardTurned", "Passed", "TrumpMade", "PlaysAlone", "PartnerKept", "DealerDiscarded"} | {
    *("CardPlayed", "TrickTaken", "DealScored", "DealPassed", "GameWon")
}


def play_game(seed: int, *strengths: str, **options: object) -> tuple[Table, Counter[str]]:
    """A whole game of these people, and how often what was told."""
    table, told = Table(up="", **options), Counter[str]()
    people = EuchrePeople(tuple(SEATS), Random(seed), strengths)
    while RULES.outcome(table.state) is None:
        _, deed = people.plan(table.state)[-1]
        kinds = [kind_of(event) for event in table.see(ob.ActionDeclared(at=table.at, action=deed.action))]  # type: ignore[union-attr]
        assert not {*kinds} - PEACEFUL, kinds
        told.update(kinds)
    return table, told


@pytest.mark.slow
def test_people_play_to_the_end_and_nothing_is_said_against_them() -> None:
    told = Counter[str]()
    for seed in range(examples(12)):
        for options in ({}, {"stick_the_dealer": False, "partner_orders": "alone", "target": 5}):
            table, more = play_game(seed, *["usual"] * 4, **options)
            told += more
            outcome = RULES.outcome(table.state)
            assert outcome is not None
            side = table.state.points.index(max(table.state.points))
            assert outcome.winners == (side, side + 2)
    assert told["PlaysAlone"]
    assert told["PartnerKept"] > told["PlaysAlone"]


@pytest.mark.slow
def test_the_strong_beat_the_easy() -> None:
    won = Counter[int]()
    for seed in range(examples(40)):
        levels = ("strong", "easy") if seed % 2 else ("easy", "strong")
        table, _ = play_game(seed // 2, *levels * 2)
        won[levels.index("strong") in RULES.outcome(table.state).winners] += 1  # type: ignore[union-attr]
    assert won[True] > 1.5 * won[False]


def test_what_a_hand_is_worth() -> None:
    best = cards("♥J ♦J ♥A ♠A ♣A")
    assert tricks_expected(best, "hearts") > 3.9 > tricks_expected(best, "spades")
    assert tricks_expected(cards("♠9 ♣9 ♦9 ♦10 ♣10"), "hearts") < 1


def test_the_dealer_keeps_trumps_and_aces_and_discards_a_lone_card() -> None:
    assert card_to_discard(cards("♥9 ♦J ♠A ♣K ♦9 ♦10"), "hearts") == CARDS[card("♣K")]


def test_the_deck_is_dealt_and_the_dealer_has_picked_up_what_was_turned_up() -> None:
    table, people = Table("order"), EuchrePeople(tuple(SEATS), Random(3), ["usual"] * 4)
    hands = people.dealt_hands(table.state)
    assert [hand.bit_count() for hand in hands] == [HAND] * 4
    assert sum(hands).bit_count() == HAND * 4
    assert not sum(hands) & ~DECK
    assert hands[table.state.dealer] >> CARDS[card("♥10")] & 1
    advice = people.advice(table.state, 0)
    assert advice is not None
    assert advice.action in people.hand_actions(table.state, 0)
