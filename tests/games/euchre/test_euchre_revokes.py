"""Every revoke of a whole deal is proved by its end, and nothing else is, whatever lies in the kitty."""

from __future__ import annotations

from random import Random

import pytest

from companion.core.events import kind_of
from companion.games.euchre.rules.model import DECK, HAND
from companion.games.kit.cards import CARDS, VALUES, cards_in
from companion.games.kit.tricks import lawful_cards
from tests.games.euchre.euchre_table import RULES, Table
from tests.games.hearts.hearts_table import SEATS
from tests.thorough import examples


def play_deal(chance: Random, breaks: float) -> tuple[set[tuple[int, int]], set[tuple[int, int]], set[str]]:
    """Who did not follow in which trick although they could, who was named for it, and what else was told."""
    cards = chance.sample(list(cards_in(DECK)), DECK.bit_count())
    hands = [sum(1 << card for card in cards[HAND * seat : HAND * (seat + 1)]) for seat in SEATS]
    table, up = Table(up=""), VALUES[cards[-1]]
    table.say(table.state.dealer, "turn_up", up)
    broken, named, told = set(), set(), set[str]()
    while table.state.deal == 1:
        state = table.state
        seat = table.asked()[0]
        said = chance.choice([action for action in RULES.prompts(state)[0].actions if action.verb != "short"])
        if table.phase == "check":
            ruled = table.say(seat, "right")
        elif table.phase == "play":
            lawful = list(lawful_cards(state.rules, state.plays, hands[seat]))
            others = list(cards_in(hands[seat] & ~sum(1 << card for card in lawful)))
            card = chance.choice(others if others and chance.random() < breaks else lawful)
            if card in others:
                broken.add((seat, state.trick_of(len(state.plays))))
            hands[seat] &= ~(1 << card)
            ruled = table.say(seat, "play", VALUES[card])
        else:
            ruled = table.say(seat, said.verb, said.value)
            if said.verb == "discarded":
                hands[seat] |= 1 << CARDS[up]
                hands[seat] &= ~(1 << chance.choice(list(cards_in(hands[seat]))))
        told |= {kind_of(event) for event in ruled}
        named |= {(event.seat, event.trick) for event in ruled if kind_of(event) == "RevokeProved"}  # type: ignore[attr-defined]
    return broken, named, told


def test_in_lawful_play_nothing_is_said_against_anybody() -> None:
    for seed in range(examples(150)):
        broken, named, told = play_deal(Random(seed), 0)
        assert not broken | named
        assert not told & {"CheckAsked", "CardsDisagree", "CardTwice", "Infraction"}, seed


@pytest.mark.parametrize("breaks", [0.2, 0.6])
def test_every_revoke_is_proved_by_the_end_and_nobody_else_is_named(breaks: float) -> None:
    found = 0
    for seed in range(examples(60)):
        broken, named, _ = play_deal(Random(seed), breaks)
        assert named == broken, seed
        found += len(named)
    assert found
