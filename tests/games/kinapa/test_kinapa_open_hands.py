"""KI6 and KI7: what open rows and public demands prove."""

from __future__ import annotations

from msgspec.structs import replace

from companion.core.actions import SECOND
from companion.core.view import ViewMode
from companion.games.kinapa.rules.model import FalseDenialProven, LiarPunished, LieProven
from tests.games.game_table import broken, kinds
from tests.games.kinapa.kinapa_table import RULES, A, B, C, D, Table, asks, crowned, given, told


def open_row(*cards: str) -> Table:
    table = given(LiarPunished(B, 2, True), *crowned())
    table.region("hand:1", *cards)
    return table


def test_ki6_an_open_card_missing_without_an_exchange_is_illegal():
    table = open_row("animal:1", "animal:2", "shelter:3")
    assert broken(table.region("hand:1", "animal:1", "animal:2"))
    table = open_row("animal:1", "animal:2", "shelter:3")
    assert broken(table.region("hand:1", "animal:1", "animal:2", "shelter:4"))


def test_ki6_the_same_cards_in_another_order_are_no_offence():
    table = open_row("animal:1", "animal:2", "shelter:3")
    assert not broken(table.region("hand:1", "shelter:3", "animal:1", "animal:2"))


def test_ki6_an_open_card_that_was_drawn_may_be_missing():
    table = open_row("animal:1", "animal:2", "shelter:3")
    table.count(7, [])
    table.say(A, "no_pair")
    table.say(A, "draw_from", B)
    table.lot(1)
    table.say(A, "drawn")
    assert not broken(table.region("hand:1", "animal:1", "shelter:3"))


def test_ki6_an_open_card_that_was_demanded_may_be_missing():
    table = open_row("animal:1", "animal:7", "shelter:3")
    table.count(7, [C, D])
    table.say(A, "no_pair")
    table.say(B, "has")
    table.say(A, "receive")
    assert not broken(table.region("hand:1", "animal:1", "shelter:3"))


def test_ki6_a_seat_that_took_its_cards_up_shows_none():
    table = open_row("animal:1", "animal:2", "shelter:3")
    table.turn(7, raised=[C])
    table.turn(7, raised=[D])
    assert table.foxes == {}
    assert not broken(table.region("hand:1"))


def a_holds_a_seven() -> Table:
    """Turn 1: A got a 7 from D by a demand; B is Emperor now."""
    table = given()
    table.count(7, [B, C])
    table.say(A, "no_pair")
    table.say(D, "has")
    table.say(A, "receive")
    table.say(A, "return")
    table.miss()
    table.say(A, "crown", B)
    assert table.emperor == B
    return table


def test_ki7_who_publicly_holds_the_number_cannot_deny_it():
    table = a_holds_a_seven()
    assert FalseDenialProven(A, 7) in asks(table, 7, lowered=A, has=False)


def test_ki7_a_raised_hand_of_a_public_holder_is_legal_and_not_told():
    table = a_holds_a_seven()
    table.count(7, [A])
    assert table.state.raised == (A,)
    assert broken(table.rulings) == []
    assert told(table, LieProven) == []


def test_ki7_ends_with_the_next_exchange_of_that_seat():
    table = a_holds_a_seven()
    table.count(3, [])
    table.say(B, "no_pair")
    table.draw(A)
    table.miss()
    asks(table, 7, lowered=A, has=False)
    assert table.of(FalseDenialProven) == []


def test_ki7_lasts_over_the_exchanges_of_others():
    table = a_holds_a_seven()
    table.count(3, [])
    table.say(B, "no_pair")
    table.draw(C)
    table.miss()
    assert FalseDenialProven(A, 7) in asks(table, 7, lowered=A, has=False)


def test_ki7_ends_when_the_pair_is_placed():
    table = given()
    table.count(7, [B, C])
    table.say(A, "no_pair")
    table.say(D, "has")
    table.say(A, "receive")
    table.say(A, "return")
    table.say(A, "turn", "7-8@4")
    table.say(A, "place", 7)
    assert (A, 7) not in table.state.holds


def test_ki7_is_no_hint_in_play():
    table = a_holds_a_seven()
    assert table.state.holds
    assert RULES.view(table.state, ViewMode.PLAY) == RULES.view(replace(table.state, holds=()), ViewMode.PLAY)


def test_nothing_is_ever_proven_by_a_count_alone():
    table = given()
    table.say(A, "announce", 7)
    table.press(B)
    table.cue()
    table.elapse(table.at + 3 * SECOND)
    assert not {"FalseDenialProven", "LieProven", "Infraction"} & set(kinds(table.rulings))
