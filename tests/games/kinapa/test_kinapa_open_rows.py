"""The mat's open rows: they belong to nobody, so whose cards lie in one follows from who was punished."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from companion.core.events import Infraction
from companion.games.kinapa.rules.model import FoxRemoved, KinapaCardDrawn, LiarPunished, OpenCardsSeen
from tests.games.game_table import broken
from tests.games.kinapa.kinapa_table import A, B, C, Table, crowned, fold, given

HIDDEN = "back:white"
ROW = ("animal:1", "animal:2", "shelter:3", HIDDEN)


def punished(*seats: int) -> Table:
    return given(*(LiarPunished(seat, 2, priority=False) for seat in seats), *crowned())


def test_a_row_is_that_of_the_only_punished_seat():
    assert punished(B).region("open:3", *ROW) == (OpenCardsSeen(B, ROW, 3),)


def test_two_who_were_punished_at_once_with_hands_of_one_size_cannot_be_told_apart():
    assert punished(B, C).region("open:3", *ROW) == ()


def test_two_who_were_punished_at_once_are_told_apart_by_the_size_of_their_hands():
    table = punished(B, C)
    smaller = replace(table.state.seats[C], cards=3)
    table.state = replace(table.state, seats=(*table.state.seats[:C], smaller, *table.state.seats[C + 1 :]))
    three = ("animal:4", "shelter:5", HIDDEN)
    assert table.region("open:2", *three) == (), "B may keep one in hand"
    assert table.region("open:3", *ROW) == (OpenCardsSeen(B, ROW, 3),)
    assert table.region("open:2", *three) == (OpenCardsSeen(C, three, 2),)


def test_whoever_is_punished_next_has_another_row():
    table = punished(B)
    table.region("open:3", *ROW)
    table.state = fold(table.state, [LiarPunished(C, 2, priority=False)])
    other = ("animal:4", "animal:5", "shelter:6", HIDDEN)
    assert table.region("open:1", *other) == (OpenCardsSeen(C, other, 1),)
    assert table.region("open:3", "animal:1", "animal:2", HIDDEN) == (Infraction("fox.open_card_gone", B),)


@pytest.mark.parametrize(
    "cards",
    [
        ("animal:1", "shelter:1"),
        ("animal:1", "animal:2", "sheep"),
        ("object:1-2", "animal:2", "shelter:3"),
        ("unknown",),
        (HIDDEN, HIDDEN, HIDDEN, HIDDEN),
        (),
    ],
)
def test_what_is_no_row_of_open_cards_is_nobodys(cards: tuple[str, ...]):
    assert punished(B).region("open:1", *cards) == ()


def test_without_a_punished_seat_a_row_tells_nothing():
    assert given().region("open:1", *ROW) == ()


def test_chance_points_into_the_row_as_it_lay_before_the_card_was_taken():
    table = punished(B)
    table.region("open:2", *ROW)
    table.count(7)
    table.say(A, "no_pair")
    table.say(A, "draw_from", B)
    table.lot(1)
    assert table.region("open:2", "animal:1", "shelter:3", HIDDEN) == ()
    assert KinapaCardDrawn(B, "animal:2") in table.say(A, "drawn")
    returned = ("animal:1", "shelter:3", HIDDEN, HIDDEN)
    assert table.region("open:2", *returned) == (OpenCardsSeen(B, returned, 2),)


def test_a_card_that_is_asked_for_may_be_gone_before_it_is_said_who_gives_it():
    table = punished(B)
    table.region("open:2", *ROW)
    table.count(7)
    table.say(A, "no_pair")
    assert table.phase == "choosing"
    assert not broken(table.region("open:2", "animal:1", "shelter:3", HIDDEN))


def test_while_objects_are_turned_only_the_emperor_may_take_cards_from_the_own_row():
    for seat, called in ((A, []), (B, ["fox.open_card_gone"])):
        table = punished(seat)
        table.count(7, [C])
        table.say(A, "no_pair")
        table.draw(table.state.lowered[-1])
        assert table.phase == "turning"
        table.region("open:2", *ROW)
        assert broken(table.region("open:2", "shelter:3", HIDDEN)) == called


def test_a_hand_that_is_shown_at_an_audit_opens_no_row():
    table = punished(B)
    table.count(7, [C, 3])
    table.say(A, "no_pair")
    table.say(B, "has_not")
    for seat in (C, 3):
        table.say(seat, "has_not")
    assert table.phase == "auditing"
    assert table.region("open:2", *ROW) == ()


def test_a_row_is_anybodys_again_when_the_cards_are_taken_up():
    table = punished(B)
    table.region("open:2", *ROW)
    table.state = given(
        LiarPunished(B, 1, priority=False), OpenCardsSeen(B, ROW, 2), FoxRemoved(B, 0), *crowned()
    ).state
    assert (table.seat(B).opened, table.seat(B).row) == ((), 0)
    assert table.region("open:2", *ROW) == ()
