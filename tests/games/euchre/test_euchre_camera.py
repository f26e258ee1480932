"""What lies before the players at the end of a deal of Euchre, and when one is turned up."""

from __future__ import annotations

import pytest

from companion.core import observations as ob
from companion.core.actions import SECOND
from companion.core.events import Infraction
from companion.games.euchre.rules.model import UpcardTurned
from tests.referee.test_misread_again import correct, read, unseen
from tests.referee.test_standstill_unseen import Still

TRICKS = (
    "clubs|A clubs|9 clubs|J hearts|9",
    "hearts|J spades|9 diamonds|J spades|10",
    "hearts|A diamonds|9 hearts|K spades|J",
    "hearts|10 diamonds|10 diamonds|Q spades|Q",
)
"""The dealer D takes them all."""
LAST = "diamonds|A", "diamonds|K", "spades|A", "hearts|Q"
"""From A to D, who leads."""


def at_last_trick() -> Still:
    table = Still("euchre")
    table.say(3, "turn_up", "hearts|10")
    for seat in range(3):
        table.say(seat, "pass")
    for verb in ("order", "with_partner", "discarded"):
        table.say(3, verb)
    for trick in TRICKS:
        for card in trick.split():
            table.say(table.game.referee.state.seat, "play", card)
    assert table.game.referee.state.seat == 3
    return table


def lie(table: Still, *seats: int) -> None:
    read(table, *((seat, LAST[seat].replace("|", ":")) for seat in seats))


def turned(table: Still) -> list[str]:
    assert table.replayed() == table.game.referee.state
    return [event.card for event in table.events(UpcardTurned)[1:]]


@pytest.mark.parametrize("how", ["dark", "standstill", "look again"])
@pytest.mark.parametrize("misread", ["clubs:A", "clubs:10"])
def test_the_last_trick_is_of_its_deal_though_its_last_card_was_corrected(misread: str, how: str) -> None:
    table = at_last_trick()
    lie(table, 3, 0, 1)
    read(table, (2, misread))
    correct(table, value=LAST[2])
    assert table.game.referee.state.deal == 2
    unseen(table, how)
    lie(table, 0, 1, 2, 3)
    assert turned(table) == []
    assert table.game.referee.state.lying == tuple(f"?{card}" for card in LAST)


def test_a_last_card_that_is_read_after_it_was_told_is_of_its_deal() -> None:
    table = at_last_trick()
    table.say(3, "play", LAST[3])
    read(table, (0, "unknown"))
    for seat in range(3):
        table.say(seat, "play", LAST[seat])
    lie(table, 0)
    assert turned(table) == []


@pytest.mark.parametrize("how", ["dark", "look again"])
def test_points_that_are_put_right_after_a_deal_leave_its_last_trick_where_it_belongs(how: str) -> None:
    table = at_last_trick()
    lie(table, 3, 0, 1, 2)
    table.session.submit(ob.TableDeclared(at=table.now, table=(("points:0", 3),)))
    table.run(SECOND)
    unseen(table, how)
    lie(table, 0, 1, 2, 3)
    assert turned(table) == []
    read(table, (0, "clubs:9"))
    assert turned(table) == ["clubs|9"]


@pytest.mark.parametrize("again", [False, True])
def test_a_last_card_that_is_taken_back_is_played_again_and_is_of_its_deal(*, again: bool) -> None:
    table = at_last_trick()
    lie(table, 1, 2, 3, 0)
    assert table.game.referee.state.deal == 2
    table.session.submit(ob.UndoRequested(at=table.now))
    table.run(SECOND)
    assert table.game.referee.state.deal == 1
    if not again:
        table.session.submit(ob.UndoRequested(at=table.now, redo=True))
        table.run(SECOND)
    lie(table, 0, 1, 2, 3)
    assert (table.game.referee.state.deal, turned(table)) == (2, [])


@pytest.mark.parametrize("how", ["dark", "standstill", "look again"])
def test_a_card_that_was_turned_up_and_is_taken_back_is_turned_up_once_it_is_read_again(how: str) -> None:
    table = Still("euchre")
    read(table, (3, "hearts:10"))
    table.session.submit(ob.UndoRequested(at=table.now))
    table.run(SECOND)
    assert table.game.referee.state.upcard == ""
    unseen(table, how)
    read(table, (3, "hearts:10"))
    assert table.game.referee.state.upcard == "hearts|10"
    assert table.events(Infraction) == []
