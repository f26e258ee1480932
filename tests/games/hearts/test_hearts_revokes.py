"""Whole deals in which people revoke, and cards are misread: what is proved, and who is named."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from random import Random
from typing import NamedTuple

import pytest

from companion.games.hearts.rules.model import HeartsOptions, trick_rules
from companion.games.kit.cards import DECK, VALUES, cards_in, suit_set
from companion.games.kit.proof import Deal, examine
from companion.games.kit.tricks import Play, lawful_cards, trick_taker
from tests.thorough import RARE, examples

RULES = trick_rules(HeartsOptions())
CARDS = tuple(range(len(VALUES)))


class Truth(NamedTuple):
    """A deal as it was played."""

    plays: list[Play]
    revokes: set[int]


def deal_played(chance: Random, breaks: float) -> Truth:
    """A deal by chance; of those who can follow suit, so many discard something else."""
    order = chance.sample(CARDS, len(CARDS))
    hands = [sum(1 << card for card in order[seat::4]) for seat in range(4)]
    seat = next(seat for seat in range(4) if hands[seat] & 1)
    plays: list[Play] = []
    revokes = set[int]()
    while len(plays) < len(CARDS):
        lawful = list(lawful_cards(RULES, plays, hands[seat]))
        led = plays[len(plays) - len(plays) % 4].card if len(plays) % 4 else None
        others = 0 if led is None else hands[seat] & ~suit_set(led)
        if led is not None and hands[seat] & suit_set(led) and others and chance.random() < breaks:
            revokes.add(len(plays))
            lawful = list(cards_in(others))
        card = chance.choice(lawful) if plays else min(lawful)  # the two of clubs
        hands[seat] &= ~(1 << card)
        plays.append(Play(seat, card))
        seat = (seat + 1) % 4 if len(plays) % 4 else trick_taker(RULES, plays[-4:])
    return Truth(plays, revokes)


class Session(NamedTuple):
    """What was told, what was asked and who was named."""

    named: dict[int, int]
    """The play that was proved to be unlawful → after how many plays."""
    asked: int


def told(truth: Truth, chance: Random, misread: float) -> Session:
    """A deal as a referee is told it: so many cards are read as another one that nobody has told.

    A card that was told before is looked at again, with the play that told it; what is asked is answered as
    it was.
    """
    deal, named, asked = Deal((), confirmed=frozenset({0})), dict[int, int](), 0
    for number, play in enumerate(truth.plays):
        plays = set_right((*deal.plays, play), truth, number)
        if number and chance.random() < misread:
            known = {one.card for one in plays}
            plays = (*plays[:-1], play._replace(card=chance.choice([*{*CARDS} - known, play.card])))
        deal = deal._replace(plays=plays)
        while (found := examine(RULES, deal)) is not None and found.conflict is not None:
            if not found.check:
                named |= dict.fromkeys(found.conflict.earlier, number + 1)
                deal = deal._replace(revokes=deal.revokes | set(found.conflict.earlier))
                continue
            asked += len(found.check)
            for one in found.check:
                right = truth.plays[one] == deal.plays[one]
                deal = deal._replace(
                    plays=set_right(deal.plays, truth, one), confirmed=deal.confirmed | {one}
                )
                if not right:
                    break
    return Session(named, asked)


def set_right(plays: tuple[Play, ...], truth: Truth, number: int) -> tuple[Play, ...]:
    """With the true card of one play, and of another play that has told that card."""
    true = truth.plays[number]
    twice = next((at for at, play in enumerate(plays) if at != number and play.card == true.card), None)
    plays = (*plays[:number], true, *plays[number + 1 :])
    return plays if twice is None else set_right(plays, truth, twice)


def sessions(seed: str, many: int, breaks: float, misread: float) -> Iterator[tuple[Truth, Session]]:
    chance = Random(seed)
    for _ in range(many):
        truth = deal_played(chance, breaks)
        yield truth, told(truth, chance, misread)


def check_revokes(many: int) -> Counter[str]:
    """All are proved by the end, and nobody is named falsely; how many, and how soon."""
    counted: Counter[str] = Counter()
    for truth, session in sessions("revokes", many, 0.02, 0.0):
        assert set(session.named) == truth.revokes
        counted["deals"] += 1
        counted["revokes"] += len(truth.revokes)
        for play, after in session.named.items():
            counted["within two tricks"] += (after - 1) // 4 - play // 4 <= 2
    return counted


@pytest.mark.slow
def test_every_revoke_is_proved_by_the_end_and_nobody_is_named_falsely() -> None:
    counted = check_revokes(examples(2_400, RARE))
    assert counted["revokes"] > 100


@pytest.mark.long
def test_every_revoke_of_a_hundred_thousand_deals_is_proved() -> None:
    counted = check_revokes(100_000)
    print(dict(counted))
    assert counted["revokes"] > 10_000


@pytest.mark.slow
def test_with_misread_cards_and_revokes_only_those_who_revoked_are_named() -> None:
    for truth, session in sessions("both", examples(2_400, RARE), 0.02, 0.02):
        assert set(session.named) <= truth.revokes


def test_every_card_belongs_to_one_kind() -> None:
    assert sum(RULES.kinds) == DECK
