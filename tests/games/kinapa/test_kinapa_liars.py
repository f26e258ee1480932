"""Liars, Foxes and the audit."""

from __future__ import annotations

import pytest

from companion.games.kinapa.rules.model import (
    AuditOpened,
    CardFound,
    CardHanded,
    CardNotFound,
    CardReturned,
    EmperorCrowned,
    EmperorStays,
    FoxRemoved,
    LiarCalled,
    LiarPunished,
    NumberDenied,
    ObjectTurned,
    PairPlaced,
    PairShown,
    SheepReturned,
    SheepTaken,
    TwoHolders,
)
from tests.games.game_table import broken, kinds
from tests.games.kinapa.kinapa_table import A, B, C, D, Table, crowned, given, new_table


def searching(*raised: int, number: int = 7, **options: object) -> Table:
    """The Emperor A has no pair; whoever is lowered has not the number."""
    table = given(**options)
    table.count(number, raised)
    table.say(A, "no_pair")
    for seat in table.state.lowered:
        table.say(seat, "has_not")
    return table


def test_k_t17_liar_caught_hands_over_is_punished_and_must_become_emperor():
    table = given()
    table.count(7, [B, C])
    table.say(A, "no_pair")
    assert table.say(D, "has_not") == (NumberDenied(D), LiarCalled(7))
    table.say(C, "has_not")
    table.say(B, "has")
    assert table.say(A, "receive") == (CardHanded(B, 7), LiarPunished(B, 2, True))
    assert table.say(A, "return") == (CardReturned(B),)
    assert table.foxes == {B: 2}
    assert table.seat(B).cards == 4
    ruled = table.miss()
    assert ruled[-2:] == (EmperorCrowned(B), SheepTaken(B)), "Nobody is asked: B is forced"
    assert table.state.left_one == "caught"
    assert table.foxes == {B: 2}, "The transfer that ends the punishing turn removes no Fox"
    assert table.sheep == {A, B}


def test_k_t17_the_three_old_cards_lie_open_and_the_received_one_stays_hidden():
    table = searching(B, C)
    table.say(C, "has_not")
    table.say(B, "has")
    table.say(A, "receive")
    table.say(A, "return")
    assert not broken(table.region("hand:1", "animal:1", "animal:2", "shelter:3"))
    assert table.seat(B).opened == ("animal:1", "animal:2", "shelter:3")


def test_k_t18_foxes_leave_one_by_one_with_the_next_two_transfers():
    table = given()
    table.caught(7, B, raised=[B, C])
    table.miss()
    table.region("hand:1", "animal:1", "animal:2", "shelter:3")
    assert (table.emperor, table.foxes) == (B, {B: 2})
    ruled = table.turn(7, raised=[C])
    assert FoxRemoved(B, 1) in ruled
    assert (table.emperor, table.foxes) == (C, {B: 1})
    ruled = table.turn(7, raised=[D])
    assert FoxRemoved(B, 0) in ruled
    assert (table.emperor, table.foxes) == (D, {})
    assert table.seat(B).opened == (), "B took the cards up"


def test_k_t18_a_fox_leaves_before_the_crown_is_taken():
    table = given()
    table.caught(7, B, raised=[B, C])
    table.miss()
    ruled = kinds(table.turn(7, raised=[C]))
    assert ruled.index("FoxRemoved") < ruled.index("EmperorCrowned") < ruled.index("SheepTaken")


def test_k_t18_a_seat_without_foxes_may_raise_again():
    table = given()
    table.caught(7, B, raised=[B, C])
    table.miss()
    table.turn(7, raised=[C])
    table.turn(7, raised=[D])
    table.count(7, [B])
    assert table.state.raised == (B,)


def test_k_t30_both_holders_declare_and_only_the_one_picked_gives_and_is_punished():
    table = searching(B, C)
    table.say(B, "has")
    assert table.phase == "searching", "Everybody declares"
    assert TwoHolders((B, C)) in table.say(C, "has")
    assert table.legal_values("pick") == {B, C}
    assert broken(table.say(A, "pick", D))
    table.say(A, "pick", B)
    table.say(A, "receive")
    table.say(A, "return")
    assert table.of(LiarPunished) == [LiarPunished(B, 2, True)]
    assert [seat.received for seat in table.state.seats] == [1, 1, 0, 0]
    assert table.miss()[-2] == EmperorCrowned(B)


def test_k_t30_an_audit_goes_through_all_seats_and_never_stops_at_the_first_hit():
    table = searching(B, C, D)
    for seat in (B, C, D):
        table.say(seat, "has_not")
    assert table.of(AuditOpened) == [AuditOpened((B, C, D))]
    assert table.say(B, "found") == (CardFound(B),)
    assert table.say(C, "not_found") == (CardNotFound(C),)
    assert TwoHolders((B, D)) in table.say(D, "found")
    assert table.legal_values("pick") == {B, D}


@pytest.mark.parametrize("emperor", range(4))
def test_the_audit_begins_with_the_asked_seat_then_the_raised_ones_clockwise(emperor: int):
    left, across, right = ((emperor + step) % 4 for step in (1, 2, 3))
    table = given(*crowned(emperor))
    table.count(7, [right, left])
    table.say(emperor, "no_pair")
    for seat in (across, left, right):
        table.say(seat, "has_not")
    assert table.of(AuditOpened) == [AuditOpened((across, left, right))]


def test_k_t48_no_pair_nobody_lowered_audit_negative_the_pair_is_shown_and_nothing_exchanged():
    table = searching(B, C, D)
    for seat in (B, C, D):
        table.say(seat, "has_not")
    for seat in (B, C):
        table.say(seat, "not_found")
    ruled = table.say(D, "not_found")
    shown = [event for event in ruled if isinstance(event, PairShown)]
    assert [event.number for event in shown] == [7]
    assert table.phase == "turning", "X1"
    assert table.foxes == {}
    assert broken(table.rulings) == []


def test_k_t48_with_one_lowered_a_negative_audit_leads_to_x2():
    table = searching(B, C)
    table.say(B, "has_not")
    table.say(C, "has_not")
    for seat in (D, B, C):
        table.say(seat, "not_found")
    assert [event.number for event in table.of(PairShown)] == [7]
    assert broken(table.say(A, "turn", "1-2@1")), "A card must be drawn from the lowered seat"
    table.say(A, "draw_from", D) if table.phase == "choosing" else None
    table.say(A, "drawn")
    assert table.say(A, "return") == (CardReturned(D),)
    assert table.foxes == {}


def test_the_camera_finds_the_number_at_an_audit_in_either_way():
    table = searching(B, C, D)
    for seat in (B, C, D):
        table.say(seat, "has_not")
    assert CardNotFound(B) in table.region("audit", "animal:1", "animal:2", "shelter:3", "animal:8")
    assert CardFound(C) in table.shows(C, "shelter:1", "shelter:7", "shelter:4", "animal:4")
    assert CardNotFound(D) in table.shows(D, "shelter:2", "animal:3", "shelter:5", "animal:5")
    assert table.phase == "handing"


def test_an_unreadable_hand_at_an_audit_decides_nothing():
    table = searching(B, C, D)
    for seat in (B, C, D):
        table.say(seat, "has_not")
    ruled = table.region("audit", "animal:1", "unknown", "shelter:3", "animal:8")
    assert not {"CardFound", "CardNotFound"} & set(kinds(ruled))


def test_a_raised_holder_found_at_an_audit_is_a_liar_with_all_consequences():
    table = searching(B, C, D)
    for seat in (B, C, D):
        table.say(seat, "has_not")
    for seat, verb in ((B, "not_found"), (C, "found"), (D, "not_found")):
        table.say(seat, verb)
    assert LiarPunished(C, 2, True) in table.say(A, "receive")
    table.say(A, "return")
    assert EmperorCrowned(C) in table.miss()


def test_a_lowered_holder_found_at_an_audit_gets_foxes_but_no_crown():
    table = searching(B, C)
    table.say(B, "has_not")
    table.say(C, "has_not")
    for seat, verb in ((D, "found"), (B, "not_found"), (C, "not_found")):
        table.say(seat, verb)
    assert LiarPunished(D, 2, False) in table.say(A, "receive")
    table.say(A, "return")
    table.miss()
    assert table.legal_values("crown") == {B, C}
    assert table.foxes == {D: 2}


def test_k_t31_a_second_liar_gets_two_foxes_while_the_first_keeps_one():
    table = given()
    table.caught(7, B, raised=[B, C])
    table.miss()
    table.turn(7, raised=[C])
    assert (table.emperor, table.foxes) == (C, {B: 1})
    table.count(3, [A, D])
    table.say(C, "no_pair")
    table.say(B, "has_not")
    table.say(A, "has_not")
    table.say(D, "has")
    table.say(C, "receive")
    table.say(C, "return")
    assert table.foxes == {B: 1, D: 2}, "Each has a counter of its own"
    table.miss()
    assert (table.emperor, table.foxes) == (D, {D: 2}), "B's last Fox leaves with this transfer"
    table.turn(3, raised=[A])
    assert table.foxes == {D: 1}


def test_k_t35_a_punished_seat_with_a_sheep_leaves_the_choice_among_the_sheepless_raised():
    table = given(*crowned(A, B), players=5)
    table.count(7, [B, C, D])
    table.say(A, "no_pair")
    table.say(4, "has_not")
    for seat, verb in ((B, "has"), (C, "has_not"), (D, "has_not")):
        table.say(seat, verb)
    assert LiarPunished(B, 2, False) in table.say(A, "receive")
    table.say(A, "return")
    table.miss()
    assert table.legal_values("crown") == {C, D}


def test_k_t36_the_last_without_a_sheep_is_a_liar_and_keeps_the_only_sheep():
    table = given(*crowned(A, C, D))
    table.caught(7, B, raised=[B, C])
    ruled = table.miss()
    assert ruled[-3:] == (EmperorCrowned(B), SheepTaken(B), SheepReturned(B))
    assert table.sheep == {B}
    assert table.foxes == {B: 2}


def test_k_t37_while_the_emperor_stays_foxes_stay():
    table = given()
    table.caught(7, B, raised=[B, C])
    table.miss()
    for _ in range(2):
        ruled = table.turn(7)
        assert EmperorStays(B) in ruled
        assert table.foxes == {B: 2}


def test_k_t39_a_punished_seat_with_a_placed_pair_has_one_open_and_one_hidden_card():
    table = given(ObjectTurned("3-4", 2), PairPlaced(B, 3, 2), *crowned())
    table.caught(7, B, raised=[B, C])
    assert table.seat(B).cards == 2
    assert not broken(table.region("hand:1", "animal:1"))
    assert table.seat(B).opened == ("animal:1",)
    table.miss()
    assert table.emperor == B


def test_the_stalemate_of_two_foxed_seats_is_offered_a_count_per_turn():
    table = given(LiarPunished(B, 2, False), LiarPunished(C, 2, False), *crowned(A, B, C, D))
    for _ in range(2):
        assert table.legal_seats("tick_per_turn") == set()
        table.turn(7)
    assert table.foxes == {B: 2, C: 2}
    assert table.legal_seats("tick_per_turn") == {A, B, C, D}, "The whole table agrees on it"
    table.say(A, "tick_per_turn")
    table.turn(7)
    assert table.foxes == {B: 1, C: 1}


def test_the_count_per_turn_is_not_offered_where_no_fox_lies():
    table = given()
    for _ in range(3):
        table.turn(7)
    assert table.legal_seats("tick_per_turn") == set()


def test_everybody_asked_answers_once():
    table = searching(B, C, D)
    table.say(B, "has_not")
    assert broken(table.say(B, "has"))
    assert broken(table.say(A, "has"))


def test_a_foxed_seat_is_asked_like_any_other_and_is_no_liar():
    table = given(LiarPunished(D, 2, False), *crowned(A, B))
    table.count(7, [B, C])
    table.say(A, "no_pair")
    table.say(D, "has")
    assert table.say(A, "receive") == (CardHanded(D, 7),)
    assert table.foxes == {D: 2}


def test_a_new_table_has_no_foxes():
    assert new_table().foxes == {}
