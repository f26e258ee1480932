"""The vectors IO32 to IO40 of docs/rules.md, section 14: what the camera reads on the heap."""

from __future__ import annotations

from companion.core import observations as ob
from companion.core.observations import UNKNOWN
from tests.games.in_order.order_table import A, B, C, Table, how, kinds


def undo(table: Table) -> None:
    table.at += 1
    table.see(ob.UndoRequested(at=table.at))


def test_io32_what_is_read_is_laid_by_who_alone_is_in_the_line() -> None:
    table = Table()
    table.press(A)
    read = table.read("12")
    assert (kinds(read), how(read), table.state.top) == (["NumberLaid"], "up", 12)
    assert table.read("12") == ()
    table.press(B)
    assert kinds(table.read("12", "5")) == ["NumberLaid", "LifeLost"]


def test_io33_what_is_read_while_nobody_has_pressed_is_laid_by_who_presses_next() -> None:
    table = Table()
    assert table.read("12") == ()
    assert kinds(table.press(B)) == ["LayPressed", "NumberLaid"]
    assert table.state.hands == (1, 0, 1)


def test_io34_with_two_in_the_line_nothing_that_is_read_is_laid() -> None:
    table = Table()
    table.press(A)
    table.press(B)
    assert table.read("12", "30") == ()
    assert table.offered() == {A: {"number"}}
    assert kinds(table.tell(A, 12)) == ["NumberLaid", "NumberLaid"]
    assert table.state.hands == (0, 0, 1)


def test_io35_what_is_told_lies_there_already() -> None:
    table = Table()
    table.press(A)
    table.press(B)
    table.read("30", "12")
    assert kinds(table.tell(A, 12)) == ["NumberLaid"]
    assert table.offered() == {B: {"number"}}


def test_io36_what_cannot_be_read_is_asked_for() -> None:
    table = Table()
    table.press(A)
    assert table.read(UNKNOWN) == ()
    assert table.offered() == {A: {"number"}}


def test_io37_what_lies_there_before_the_level_or_is_laid_away_is_nobodys() -> None:
    table = Table(begun=False)
    table.read("40")
    table.ready()
    assert kinds(table.press(A)) == ["LayPressed"]
    table.tell(A, 12)
    table.lay(B, 5)
    table.read("5", "3")
    table.say(C, "away", 0)
    assert kinds(table.press(C)) == ["LayPressed"]


def test_io38_undo_lays_no_card_again() -> None:
    table = Table()
    table.press(A)
    table.read("12")
    undo(table)
    assert table.read("12") == ()
    assert table.offered() == {A: {"number"}}


def test_io39_a_number_that_was_taken_back_is_nobodys() -> None:
    table = Table()
    table.read("12")
    table.press(B)
    undo(table)
    assert kinds(table.press(C)) == ["LayPressed"]


def test_io40_what_is_taken_away_before_somebody_presses_is_forgotten() -> None:
    table = Table()
    table.read("12")
    table.read()
    assert kinds(table.press(C)) == ["LayPressed"]


def test_io41_what_is_owed_is_laid_by_who_is_left_in_the_line() -> None:
    table = Table()
    table.press(A)
    table.press(B)
    table.read("12")
    undo(table)
    assert table.offered() == {A: {"number"}}
    assert kinds(table.read("12")) == ["NumberLaid"]
