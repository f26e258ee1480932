"""Succession: who is the next Emperor, and what happens to Sheep."""

from __future__ import annotations

from itertools import permutations

import pytest

from companion.games.kinapa.rules.model import (
    EmperorCrowned,
    EmperorStays,
    FoxRemoved,
    SheepReturned,
    SheepTaken,
    SuccessorAsked,
)
from tests.games.game_table import broken, kinds
from tests.games.kinapa.kinapa_table import A, B, C, D, Table, crowned, given


def succeeding(*raised: int, sheep: tuple[int, ...] = (), players: int = 4, **options: object) -> Table:
    """A's turn ended; `raised` had their hands up, `sheep` have one besides A."""
    table = given(*crowned(A, *sheep), players=players, **options)
    table.count(7, raised)
    if table.state.lowered:
        table.say(A, "show_pair")
        if table.phase == "choosing":
            table.say(A, "draw_from", table.state.lowered[0])
        table.say(A, "drawn")
        table.say(A, "return")
    else:
        table.say(A, "show_pair")
    table.miss()
    return table


def test_k_t14_a_raised_seat_without_a_sheep_goes_before_one_with_a_sheep():
    table = succeeding(B, C, sheep=(B,))
    assert table.emperor == C, "The only lawful successor needs no question"
    assert table.of(SheepTaken) == [SheepTaken(C)]


def test_k_t14_among_several_sheepless_raised_seats_the_emperor_chooses():
    table = succeeding(B, C, D, sheep=(B,))
    assert table.of(SuccessorAsked) == [SuccessorAsked((C, D))]
    assert table.legal_values("crown") == {C, D}
    for seat in (A, B):
        assert broken(table.say(A, "crown", seat))
    assert broken(table.say(C, "crown", C))
    assert table.say(A, "crown", D) == (EmperorCrowned(D), SheepTaken(D))
    assert table.emperor == D


def test_k_t14_a_lowered_seat_is_never_a_successor():
    table = succeeding(B, C)
    assert broken(table.say(A, "crown", D))
    assert table.emperor == A


def test_k_t15_nobody_raised_the_emperor_stays_and_nothing_moves():
    table = succeeding()
    assert table.of(EmperorStays) == [EmperorStays(A)]
    assert (table.emperor, table.phase) == (A, "announcing")
    assert table.sheep == {A}
    assert not table.of(SheepTaken) + table.of(FoxRemoved) + table.of(EmperorCrowned)  # type: ignore[operator]


@pytest.mark.parametrize(("outgoing", "last"), [*permutations(range(4), 2)])
def test_k_t16_when_the_last_sheepless_seat_is_crowned_only_it_keeps_a_sheep(outgoing: int, last: int):
    everybody_else = [seat for seat in range(4) if seat not in {outgoing, last}]
    table = given(*crowned(outgoing, *everybody_else))
    assert table.sheep == {A, B, C, D} - {last}
    ruled = table.turn(7, raised=[last])
    assert ruled[-3:] == (EmperorCrowned(last), SheepTaken(last), SheepReturned(last))
    assert table.sheep == {last}


@pytest.mark.parametrize("players", range(4, 9))
def test_k_t16_the_reset_comes_only_with_the_very_last_seat(players: int):
    table = given(*crowned(A), players=players)
    for seat in range(1, players):
        table.turn(7, raised=[seat])
        assert table.emperor == seat
        expected = {seat} if seat == players - 1 else set(range(seat + 1))
        assert table.sheep == expected
    table.turn(7, raised=[A])
    assert table.sheep == {players - 1, A}, "After the reset they are given out anew"


def test_k_t42_when_all_raised_have_a_sheep_any_of_them_may_follow():
    table = succeeding(B, C, sheep=(B, C))
    assert table.legal_values("crown") == {B, C}
    assert broken(table.say(A, "crown", D)), "D has no Sheep, but did not raise"
    ruled = table.say(A, "crown", B)
    assert ruled == (EmperorCrowned(B),), "No second Sheep"
    assert table.sheep == {A, B, C}


def test_k_t42_a_single_raised_seat_with_a_sheep_follows_without_a_question():
    table = succeeding(B, sheep=(B,))
    assert table.emperor == B
    assert table.of(SuccessorAsked) == []


def why_it_was(table: Table, seat: int) -> str:
    """What is said of a crown that could go to one seat only."""
    said = table.rules.sentence(table.state, EmperorCrowned(seat))
    assert said is not None
    return str(dict(said.parts).get("left_one", ""))


def test_nobody_was_asked_and_it_is_said_why():
    assert why_it_was(succeeding(B, C, sheep=(B,)), C) == "sheepless"
    assert why_it_was(succeeding(B), B) == "alone"
    assert why_it_was(succeeding(B, sheep=(B,)), B) == "alone"
    table = succeeding(B, C, D)
    table.say(A, "crown", D)
    assert why_it_was(table, D) == "", "The Emperor chose"


def test_the_history_says_only_who_was_crowned():
    """It is written later, when somebody else may be Emperor by another reason."""
    table = succeeding(B)
    said = table.rules.sentence(table.state, EmperorCrowned(B), log=True)
    assert said is not None
    assert said.parts == (("chair", B),)


def test_the_outgoing_emperor_is_never_his_own_successor():
    table = succeeding(B, C, D)
    assert A not in table.legal_values("crown")


def test_the_crown_moves_only_after_the_object():
    table = given()
    table.count(7, [B, C])
    assert broken(table.say(A, "crown", B))


def test_a_new_turn_begins_with_clean_hands():
    table = succeeding(B)
    assert table.state.raised == ()
    assert kinds(table.say(B, "announce", 3)) == ["NumberAnnounced"]


def test_the_successor_is_chosen_by_button():
    table = succeeding(B, C)
    tapped = table.tap(A)
    first, second = table.of(SuccessorAsked)[0].seats
    assert EmperorCrowned(first) in tapped
    table = succeeding(B, C)
    assert EmperorCrowned(second) in table.hold(A)
