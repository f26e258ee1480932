"""The people of Hearts: they pass, follow suit and play whole games; the referee names nobody."""

from __future__ import annotations

from random import Random

import pytest
from msgspec.structs import replace

from companion.core import observations as ob
from companion.core.actions import Action
from companion.core.events import kind_of
from companion.games.hearts.players import HeartsPeople, cards_to_pass, sensible_card
from companion.games.hearts.rules.view import passing
from companion.games.kit.cards import VALUES, cards_in, suit_set
from companion.games.kit.tricks import lawful_cards
from tests.games.hearts.hearts_table import RULES, SEATS, A, Table, card, cards
from tests.thorough import examples

STRANGE = {"CardTwice", "CardsDisagree", "CheckAsked", "RevokeProved", "Infraction"}


def play_game(seed: int, *strengths: str, **options: object) -> Table:
    """A whole game of these people."""
    table = Table(opens=None, **options)
    people = HeartsPeople(tuple(SEATS), Random(seed), strengths)
    while RULES.outcome(table.state) is None:
        _, deed = people.plan(table.state)[-1]
        seen = table.see(ob.ActionDeclared(at=table.at, action=deed.action))  # type: ignore[union-attr]
        assert not {kind_of(event) for event in seen} & STRANGE, seen
    return table


@pytest.mark.slow
def test_people_play_to_the_end_and_nothing_is_said_against_them() -> None:
    for seed, options in enumerate(({}, {"moon": "choice", "revoke": "all"}, {"jack": True, "target": 50})):
        table = play_game(seed, *["usual"] * 4, **options)
        outcome = RULES.outcome(table.state)
        assert outcome is not None
        fewest = min(table.state.points)
        assert outcome.winners == tuple(seat for seat in SEATS if table.state.points[seat] == fewest)


@pytest.mark.slow
def test_the_strong_beat_the_easy() -> None:
    points = [0, 0]
    for seed in range(examples(40)):
        table = play_game(seed, "strong", "easy", "strong", "easy")
        for seat in SEATS:
            points[seat % 2] += table.state.points[seat]
    assert 1.3 * points[0] < points[1]


def test_everybody_holds_thirteen_cards_after_passing() -> None:
    people = HeartsPeople(tuple(SEATS), Random(1), ["usual"] * 4)
    for deal in range(1, 5):
        table = Table(opens=None)
        table.declare((0,) * 4, deal)
        hands = people.dealt_hands(table.state)
        assert [hand.bit_count() for hand in hands] == [13] * 4
        assert sum(hands) == (1 << len(VALUES)) - 1, passing(table.state)


def test_what_is_dangerous_is_passed() -> None:
    hand = cards("♠Q ♠K ♠A ♥A ♥K ♦2 ♦3 ♦4 ♦5 ♣2 ♣3 ♣4 ♣5")
    assert set(cards_in(cards_to_pass(hand))) == set(cards_in(cards("♠Q ♠K ♠A")))
    guarded = cards("♠2 ♠3 ♠4 ♠5 ♠Q ♥A ♥K ♦A ♦3 ♦4 ♣2 ♣3 ♣4")
    assert not cards_to_pass(guarded) & cards("♠Q")


@pytest.mark.parametrize(
    ("played", "hand", "best"),
    [
        ("", "♦A ♦2 ♠Q", "♦A"),
        ("♣3 ♣4 ♣6", "♠A ♦3 ♦K", "♦3"),
        ("♣3 ♣4 ♣6 ♦9", "♦10 ♦8 ♦2", "♦8"),
        ("♣3 ♣4 ♣6 ♦9", "♣10 ♥8 ♠Q", "♠Q"),
        ("♣3 ♣4 ♣6 ♦9 ♦2 ♦4", "♦10 ♦K ♥2", "♦K"),
        ("♣3 ♣4 ♣6 ♦9 ♦2 ♥4", "♦10 ♦K ♥2", "♦10"),
    ],
)
def test_a_sensible_card(played: str, hand: str, best: str) -> None:
    """The first: nobody can follow in the first trick, and points may not be discarded."""
    table = Table()
    table.lay(played)
    assert VALUES[sensible_card(table.state, cards(hand))] == card(best)


def test_people_know_what_may_be_played_and_advise_it() -> None:
    table = Table(opens=None)
    people = HeartsPeople(tuple(SEATS), Random(3), ["usual"] * 4)
    _, deed = people.plan(table.state)[-1]
    table.see(ob.ActionDeclared(at=0, action=deed.action))  # type: ignore[union-attr]
    state = table.state
    hand = people.hand(state, state.seat)
    able = {action.value for action in RULES.prompts(state)[0].actions if people.is_possible(state, action)}
    assert able == {VALUES[one] for one in lawful_cards(state.rules, state.plays, hand)}
    advice = people.advice(state, state.seat)
    assert advice is not None
    assert advice.action.value in able
    assert people.advice(state, (state.seat + 1) % 4) is None
    assert not people.is_possible(state, Action(state.seat, "short")), "every hand has thirteen"
    assert A in SEATS


def test_whoever_is_asked_for_a_card_that_was_read_as_another_says_what_it_was() -> None:
    """A demo stood still: what was read went out of its owner's hand, which was empty a trick early."""
    table, people = Table(opens=None), HeartsPeople(tuple(SEATS), Random(6), ["strong"] * 4)
    told: list[str] = []
    while table.state.deal == 1:
        _, deed = people.plan(table.state)[-1]
        action = deed.action  # type: ignore[union-attr]
        if action.verb == "play" and len(table.state.plays) == 5:
            others = [people.hand(table.state, seat) for seat in SEATS if seat != action.seat]
            led = table.state.plays[4].card
            misread = max(one for hand in others for one in cards_in(hand) if not suit_set(led) >> one & 1)
            action = replace(action, value=VALUES[misread])
        told += map(kind_of, table.see(ob.ActionDeclared(at=table.at, action=action)))
    assert "CardCorrected" in told
    assert not {"CardTwice", "RevokeProved"} & set(told)


def test_a_card_that_was_read_as_one_that_comes_later_is_put_right_once_that_one_comes() -> None:
    """A demo stood still: whoever played the other card was told for ever that it was played before."""
    table, people = Table(opens=None), HeartsPeople(tuple(SEATS), Random(6), ["strong"] * 4)
    told: list[str] = []
    while table.state.deal == 1:
        _, deed = people.plan(table.state)[-1]
        action = deed.action  # type: ignore[union-attr]
        if action.verb == "play" and len(table.state.plays) == 5:
            others = [people.hand(table.state, seat) for seat in SEATS if seat != action.seat]
            led = suit_set(table.state.plays[4].card)
            action = replace(action, value=VALUES[min(cards_in(sum(others) & led))])
        told += map(kind_of, table.see(ob.ActionDeclared(at=table.at, action=action)))
        assert len(told) < 200
    assert told[told.index("CardTwice") :][:4] == ["CardTwice", "CheckAsked", "CardCorrected", "CardPlayed"]
    assert not {"MisdealFound", "RevokeProved"} & set(told)
