"""Nothing that follows about hands leaves the rules: two deals that differ in hidden cards look the same."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

import msgspec
import pytest

from companion.core.actions import Action
from companion.core.events import Event
from companion.games.hearts.players import HeartsPeople
from companion.games.kit.cards import DECK, VALUES, cards_in
from companion.games.kit.proof import Deal, Holder, can_be_dealt, read_hands
from companion.games.kit.tricks import lawful_cards
from tests.games.hearts.hearts_table import RULES, SEATS, Table


def everything_seen(table: Table, ruled: tuple[Event, ...]) -> Any:
    """What leaves the rules for screen, lamps, voice, phones and log."""
    state = table.state
    said = [RULES.sentence(state, event, log=log) for event in ruled for log in (False, True)]
    return (
        RULES.view(state),
        RULES.exhibit(state, table.referee.standing_entries()),
        said,
        [RULES.follow_up_sentences(state, event) for event in ruled],
        [RULES.explanation_key(state, event) for event in ruled],
        sorted(map(str, RULES.legal_actions(state))),
        RULES.camera_request(state, 0),
        msgspec.json.encode(ruled),
    )


def other_hands(plays: Any, chance: Random) -> list[int]:
    """The unseen cards dealt in another way in which all of these plays are lawful."""
    rules = Table(opens=None).state.rules
    hands = read_hands(rules, Deal(tuple(plays)))
    assert hands is not None
    dealt = [0] * len(SEATS)
    holders = list(hands.holders)
    left = hands.unseen
    for card in chance.sample(list(cards_in(left)), left.bit_count()):
        left &= ~(1 << card)
        for seat in chance.sample(SEATS, len(SEATS)):
            holder = holders[seat]
            if not holder.size or not holder.may_have >> card & 1:
                continue
            tried = [*holders]
            tried[seat] = Holder(holder.size - 1, holder.may_have)
            if can_be_dealt(hands._replace(unseen=left, holders=tuple(tried))):
                holders, dealt[seat] = tried, dealt[seat] | 1 << card
                break
    assert sum(dealt) == hands.unseen
    return dealt


def played(people: HeartsPeople, table: Table) -> Iterator[tuple[Action, Any]]:
    """A deal card by card: what is done, and all that is seen of it."""
    while table.state.deal == 1:
        _, deed = people.plan(table.state)[-1]
        ruled = table.say(deed.action.seat, deed.action.verb, deed.action.value)  # type: ignore[union-attr]
        yield deed.action, everything_seen(table, ruled)  # type: ignore[union-attr]


@pytest.mark.parametrize("seed", range(3))
def test_two_deals_that_differ_in_hidden_hands_alone_look_the_same(seed: int) -> None:
    chance = Random(seed)
    for stop in (4, 13, 26, 40):
        first, people = Table(opens=None), HeartsPeople(tuple(SEATS), Random(seed), ("usual",) * 4)
        seen = []
        for deed, look in played(people, first):
            seen.append((deed, look))
            if len(first.state.plays) == stop:
                break
        left = [people.hand(first.state, seat) for seat in SEATS]
        hidden = other_hands(first.state.plays, chance)
        assert sum(left) == sum(hidden)
        assert left != hidden or stop > 36
        second = Table(opens=None)
        for deed, look in seen:
            assert everything_seen(second, second.say(deed.seat, deed.verb, deed.value)) == look
        for seat in SEATS:  # each may now play something that it could not play in the other deal
            if seat == second.state.seat:
                assert any(lawful_cards(second.state.rules, second.state.plays, hidden[seat]))


def test_what_was_played_before_the_last_trick_changes_nothing_that_is_seen() -> None:
    """Who failed to follow, and which cards are out: the screen counts neither."""
    followed, discarded = Table(), Table()
    followed.lay("♣K ♣5 ♣A ♦2 ♦3 ♦4 ♦K")
    discarded.lay("♣K ♦7 ♣A ♦2 ♦3 ♦4 ♦K")
    for table in (followed, discarded):
        table.lay("♠2 ♠3")
    assert RULES.view(followed.state) == RULES.view(discarded.state)
    assert RULES.legal_actions(followed.state) == RULES.legal_actions(discarded.state)


def test_the_choice_is_always_the_whole_deck() -> None:
    table = Table()
    table.lay("♣K ♣5 ♣A ♦2 ♦3 ♦4 ♦K")
    offered = {action.value for action in RULES.legal_actions(table.state) if action.verb == "play"}
    assert offered == {*VALUES}
    assert len(offered) == DECK.bit_count()
    assert all(choice.press for choice in RULES.view(table.state).chairs[table.state.seat].choices)
