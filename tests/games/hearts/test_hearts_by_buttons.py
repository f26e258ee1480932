"""A whole game of Hearts by nothing but buttons: every card is told in two steps."""

from __future__ import annotations

from random import Random

from companion.core.events import kind_of
from companion.games.hearts.players import HeartsPeople
from companion.games.hearts.rules import model
from tests.games.hearts.hearts_table import SEATS, Table

NEVER = {"Infraction", "CardTwice", "CheckAsked", "RevokeProved", "CardsDisagree"}


def test_a_deal_is_told_by_buttons_alone_and_counted() -> None:
    table = Table(opens=None)
    people = HeartsPeople(tuple(SEATS), Random(5), ("strong",) * len(SEATS))
    presses = []
    while table.state.deal == 1:
        _, deed = people.plan(table.state)[-1]
        presses.append(table.choose(deed.action))  # type: ignore[union-attr]
    told = [event for entry in table.referee.journal.entries for event in entry.events]
    assert not {kind_of(event) for event in told} & NEVER
    (scored,) = (event for event in told if isinstance(event, model.DealScored))
    assert sum(scored.points) in {26, 78}
    assert len(presses) == len(table.referee.setup.chairs) * 13
    assert max(presses) <= 4 + 13
