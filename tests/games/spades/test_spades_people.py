"""The people of Spades: they bid, help each other and play whole games; the referee names nobody."""

from __future__ import annotations

from collections import Counter
from itertools import permutations, product
from random import Random

import pytest

from companion.core import observations as ob
from companion.core.events import kind_of
from companion.games.kit.cards import CARDS, DECK, FACES, cards_in
from companion.games.kit.trick_table import SIDES
from companion.games.spades.players import SpadesPeople, sensible_bid, tricks_expected
from tests.games.hearts.hearts_table import SEATS, cards
from tests.games.spades.spades_table import RULES, Table
from tests.thorough import examples, some

PEACEFUL = {"BidMade", "CardPlayed", "TrickTaken", "DealScored", "GameWon"}
LEVELS = ("easy", "usual", "strong")


def play_game(seed: int, *strengths: str, **options: object) -> tuple[Table, Counter[str]]:
    """A whole game of these people, and how many contracts and bids of nil each side made and failed."""
    table, counted = Table(**options), Counter[str]()
    people = SpadesPeople(tuple(SEATS), Random(seed), strengths)
    taken = Counter[int]()
    while RULES.outcome(table.state) is None:
        before = table.state
        _, deed = people.plan(before)[-1]
        for event in table.see(ob.ActionDeclared(at=table.at, action=deed.action)):  # type: ignore[union-attr]
            assert kind_of(event) in PEACEFUL, event
            taken[getattr(event, "seat", -1)] += kind_of(event) == "TrickTaken"
            if kind_of(event) == "DealScored":
                count_contracts([before.bid_of(seat) for seat in SEATS], taken, counted)
                taken.clear()
    return table, counted


def bid_of(table: Table, hand: int) -> int:
    """Of somebody who misjudges nothing."""
    return sensible_bid(table.state, hand, tricks_expected(hand))


def count_contracts(bids: list[int], taken: Counter[int], counted: Counter[str]) -> None:
    for side in range(SIDES):
        bidders = [seat for seat in SEATS if seat % SIDES == side and bids[seat]]
        made = sum(taken[seat] for seat in bidders) >= sum(bids[seat] for seat in bidders)
        counted["made" if made else "failed"] += 1
    for seat in SEATS:
        if not bids[seat]:
            counted["no trick on nil" if not taken[seat] else "a trick on nil"] += 1


@pytest.mark.slow
@pytest.mark.parametrize("level", some(LEVELS))
def test_people_play_to_the_end_make_most_contracts_and_nothing_is_said_against_them(level: str) -> None:
    counted = Counter[str]()
    house_rules: tuple[dict[str, object], ...] = (
        {},
        {"revoke": "again", "failed_nil": "counts", "target": 250},
        {"floor": "200", "bags": "none", "spade_leads": "any", "target": 300},
    )
    for seed, options in enumerate(house_rules * examples(16)):
        table, more = play_game(seed, *[level] * 4, **options)
        counted += more
        outcome = RULES.outcome(table.state)
        assert outcome is not None
        side = table.state.points.index(max(table.state.points))
        assert outcome.winners == (side, side + SIDES)
    assert counted["made"] > counted["failed"], counted


@pytest.mark.long
def test_the_strong_beat_the_easy() -> None:
    """Every game is played twice with the same cards, and the sides change places."""
    points = Counter[str]()
    for seed, levels in product(range(20), permutations(("strong", "easy"))):
        table, _ = play_game(seed, *levels * SIDES)
        points.update(dict(zip(levels, table.state.points, strict=True)))
    assert points["strong"] > 1.1 * points["easy"]


@pytest.mark.parametrize(
    ("hand", "bid"),
    [
        ("♠A ♠K ♠Q ♠J ♠10 ♠2 ♥A ♥K ♦A ♦K ♦2 ♣A ♣K", 10),
        ("♠2 ♠3 ♥2 ♥3 ♥4 ♥5 ♦2 ♦3 ♦4 ♦5 ♣2 ♣3 ♣4", 0),
        ("♠A ♠2 ♠3 ♥2 ♥3 ♥4 ♥K ♦2 ♦3 ♦4 ♣2 ♣3 ♣4", 2),
    ],
)
def test_a_sensible_bid(hand: str, bid: int) -> None:
    assert bid_of(Table(), cards(hand)) == bid


def test_who_is_easy_to_beat_misjudges_a_hand_and_the_strong_do_not() -> None:
    wrong = Counter[str]()
    for seed, level in product(range(60), LEVELS):
        table, people = Table(), SpadesPeople(tuple(SEATS), Random(seed), [level] * 4)
        _, deed = people.plan(table.state)[-1]
        hand = people.hand(table.state, 0)
        wrong[level] += abs(int(deed.action.value) - bid_of(table, hand))  # type: ignore[union-attr, arg-type]
    assert wrong["strong"] == 0 < wrong["usual"] < wrong["easy"]


def test_partners_never_bid_nil_both_nor_more_than_thirteen() -> None:
    nothing = cards("♠2 ♠3 ♥2 ♥3 ♥4 ♥5 ♦2 ♦3 ♦4 ♦5 ♣2 ♣3 ♣4")
    everything = cards("♠A ♠K ♠Q ♠J ♠10 ♠9 ♠8 ♠7 ♠6 ♠5 ♠4 ♠3 ♠2")
    assert bid_of(Table(0, 3), nothing) == 1
    assert bid_of(Table(10, 3), everything) == 3


def test_people_hold_the_whole_deck_and_advise_what_may_be_played() -> None:
    table, people = Table(), SpadesPeople(tuple(SEATS), Random(3), ["usual"] * 4)
    assert people.advice(table.state, 0) is None
    hands = people.dealt_hands(table.state)
    assert ([hand.bit_count() for hand in hands], sum(hands)) == ([13] * 4, DECK)
    table.bid(3, 3, 3, 3)
    for seat in (0, 1, 2, 3):
        advice = people.advice(table.state, seat)
        assert advice is not None
        assert advice.action in people.hand_actions(table.state, seat)
        table.say(seat, advice.action.verb, advice.action.value)


def test_a_card_that_is_not_lawful_is_refused_in_practice_by_the_rule_that_keeps_it() -> None:
    heard = set()
    for seed in range(4):
        table, people = Table(3, 3, 3, 3), SpadesPeople(tuple(SEATS), Random(seed), ["usual"] * 4)
        while table.phase == "play":
            state, seat = table.state, table.state.seat
            actions = people.hand_actions(state, seat)
            lawful = {CARDS[str(action.value)] for action in actions}
            for place, one in enumerate(cards_in(people.hand(state, seat))):
                refusal = people.tap_refusal(state, seat, place)
                assert (refusal is None) == (one in lawful)
                if refusal is not None:
                    rule = refusal.key.rpartition("_")[2]
                    assert rule == ("follow" if len(state.plays) % len(SEATS) else "lead")
                    heard.add(rule)
            table.say(seat, "play", actions[0].value)
    assert heard == {"follow", "lead"}


def test_people_agree_to_a_claim_if_nobody_else_can_take_a_trick() -> None:
    hands = ("♠A ♦K ♣A", "♠K ♦Q ♣K", "♠Q ♦J ♣Q", "♠J ♦10 ♣J")
    for claims, verb in ((0, "agree"), (1, "play_on")):
        table, people = Table(3, 3, 3, 3), SpadesPeople(tuple(SEATS), Random(1), ["usual"] * 4)
        held = {
            str(seat): tuple(FACES[card] for card in cards_in(cards(hand))) for seat, hand in enumerate(hands)
        }
        people.lay_out(held)
        table.say(claims, "claim")
        _, deed = people.plan(table.state)[-1]
        assert deed.action.verb == verb  # type: ignore[union-attr]
