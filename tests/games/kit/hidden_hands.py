"""Two deals that differ in hidden cards alone have to look the same, whatever the game of tricks."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from random import Random
from typing import Any

import msgspec

from companion.core.actions import Action
from companion.core.events import Event
from companion.games.kit.cards import cards_in
from companion.games.kit.proof import Deal, Holder, can_be_dealt, read_hands
from companion.games.kit.tricks import TrickRules, lawful_cards
from tests.games.hearts.hearts_table import SEATS, TrickTable


def everything_seen(table: TrickTable, ruled: tuple[Event, ...]) -> Any:
    """What leaves the rules for screen, lamps, voice, phones and log."""
    rules, state = table.rules, table.state
    said = [rules.sentence(state, event, log=log) for event in ruled for log in (False, True)]
    return (
        rules.view(state),
        rules.exhibit(state, table.referee.standing_entries()),
        said,
        [rules.follow_up_sentences(state, event) for event in ruled],
        [rules.explanation_key(state, event) for event in ruled],
        sorted(map(str, rules.legal_actions(state))),
        rules.camera_request(state, 0),
        msgspec.json.encode(ruled),
    )


def other_hands(rules: TrickRules, plays: Any, chance: Random) -> list[int]:
    """Hands of the unseen cards, dealt in another way in which all of these plays are lawful."""
    hands = read_hands(rules, Deal(tuple(plays)))
    assert hands is not None
    holders = list(hands.holders)
    dealt = [0] * len(holders)
    left = hands.unseen
    for card in chance.sample(list(cards_in(left)), left.bit_count()):
        left &= ~(1 << card)
        for seat in chance.sample(range(len(holders)), len(holders)):
            holder = holders[seat]
            if not holder.size or not holder.may_have >> card & 1:
                continue
            tried = [*holders]
            tried[seat] = Holder(holder.size - 1, holder.may_have)
            if can_be_dealt(hands._replace(unseen=left, holders=tuple(tried))):
                holders, dealt[seat] = tried, dealt[seat] | 1 << card
                break
    assert sum(dealt) == hands.unseen
    return dealt[: len(SEATS)]


def played(people: Any, table: TrickTable) -> Iterator[tuple[Action, Any]]:
    """A deal card by card: what is done, and all that is seen of it."""
    while table.state.deal == 1:
        _, deed = people.plan(table.state)[-1]
        ruled = table.say(deed.action.seat, deed.action.verb, deed.action.value)
        yield deed.action, everything_seen(table, ruled)


def check_that_hidden_hands_are_not_seen(
    new_table: Callable[[], TrickTable],
    people_of: Callable[..., Any],
    seed: int,
    stops: Sequence[int] = (4, 13, 26, 40),
) -> None:
    """Every deed of a deal looks the same, however the cards that nobody has seen lie."""
    chance = Random(seed)
    for stop in stops:
        first, people = new_table(), people_of(tuple(SEATS), Random(seed), ("usual",) * 4)
        seen = []
        for deed, look in played(people, first):
            seen.append((deed, look))
            if len(first.state.plays) == stop:
                break
        left = [people.hand(first.state, seat) for seat in SEATS]
        hidden = other_hands(first.state.rules, first.state.plays, chance)
        assert [hand.bit_count() for hand in left] == [hand.bit_count() for hand in hidden]
        assert left != hidden or stop == stops[-1]
        second = new_table()
        for deed, look in seen:
            assert everything_seen(second, second.say(deed.seat, deed.verb, deed.value)) == look
        for seat in SEATS:  # each may now play something that it could not play in the other deal
            if seat == second.state.seat:
                assert any(lawful_cards(second.state.rules, second.state.plays, hidden[seat]))
