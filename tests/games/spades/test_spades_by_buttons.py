"""A deal of Spades by nothing but buttons: bids by halves, every card in two steps."""

from __future__ import annotations

from random import Random

import pytest

from companion.core.actions import Action
from companion.core.events import kind_of
from companion.games.spades.players import SpadesPeople
from tests.games.hearts.hearts_table import SEATS
from tests.games.spades.spades_table import Table

PEACEFUL = {"BidMade", "CardPlayed", "TrickTaken", "DealScored", "PressBegan", "PressEnded", "ChoiceStepped"}


@pytest.mark.parametrize("bid", range(14))
def test_every_bid_takes_at_most_four_presses(bid: int) -> None:
    table = Table()
    assert table.choose(Action(0, "bid", bid)) in {3, 4}
    assert table.state.bid_of(0) == bid


def test_a_deal_is_told_by_buttons_alone_and_counted() -> None:
    table = Table()
    people = SpadesPeople(tuple(SEATS), Random(5), ("strong",) * len(SEATS))
    presses: dict[str, list[int]] = {"bid": [], "play": []}
    while table.state.deal == 1:
        _, deed = people.plan(table.state)[-1]
        presses[deed.action.verb].append(table.choose(deed.action))  # type: ignore[union-attr]
    told = [event for entry in table.referee.journal.entries for event in entry.events]
    assert {kind_of(event) for event in told} <= PEACEFUL
    assert [len(many) for many in presses.values()] == [4, 52]
    assert max(presses["play"]) <= 4 + 13
