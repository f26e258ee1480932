"""A deal of Euchre by nothing but buttons."""

from __future__ import annotations

from random import Random

from companion.core.events import kind_of
from companion.games.euchre.players import EuchrePeople
from tests.games.euchre.euchre_table import Table
from tests.games.euchre.test_euchre_people import PEACEFUL
from tests.games.hearts.hearts_table import SEATS


def test_a_deal_is_told_by_buttons_alone() -> None:
    table, people = Table(up=""), EuchrePeople(tuple(SEATS), Random(5), ("strong",) * len(SEATS))
    people.tells_cards = True
    presses = []
    while table.state.deal == 1:
        _, deed = people.plan(table.state)[-1]
        presses.append(table.choose(deed.action))  # type: ignore[union-attr]
    told = [event for entry in table.referee.journal.entries for event in entry.events]
    assert {kind_of(event) for event in told} <= PEACEFUL | {"PressBegan", "PressEnded", "ChoiceStepped"}
    assert max(presses) <= 4 + 6
