"""House rules of demands, objects and counts: what each changes at the table."""

from __future__ import annotations

import pytest

from companion.core.actions import SECOND, Action
from companion.games.kinapa.rules.model import (
    CardHanded,
    ExchangeDeclined,
    FalseDenialProven,
    HandsLocked,
    ObjectTurned,
    PairPlaced,
)
from tests.games.game_table import broken
from tests.games.kinapa.kinapa_table import RULES, A, B, C, D, Table, crowned, given

# giveback ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("rule", "allowed"), [("card", True), ("number", False)])
def test_whether_the_twin_may_go_back(rule: str, allowed: bool):
    table = given(*crowned(), CardHanded(B, 7, "animal:7"), giveback=rule)
    assert (broken(table.say(A, "return", "shelter:7")) == []) is allowed
    table = given(*crowned(), CardHanded(B, 7, "animal:7"), giveback=rule)
    assert not broken(table.say(A, "return", "shelter:3"))


def test_a_card_drawn_unseen_is_not_suspected_under_either_rule():
    for rule in ("card", "number"):
        table = given(giveback=rule)
        table.count(7, [B])
        table.say(A, "no_pair")
        table.say(A, "draw_from", C)
        table.say(A, "drawn")
        assert not broken(table.say(A, "return", "animal:7"))


# drawn_named ---------------------------------------------------------------------------------------------


def drawing(**options: object) -> Table:
    """A is to draw a card of C's hidden hand."""
    table = given(**options)
    table.count(7, [B])
    table.say(A, "no_pair")
    table.say(A, "draw_from", C)
    return table


@pytest.mark.parametrize(("rule", "card", "number"), [("card", True, False), ("number", True, True)])
def test_a_card_that_was_named_when_it_was_drawn_may_not_go_back(rule: str, card: bool, number: bool):
    table = drawing(giveback=rule, drawn_named=True)
    assert not broken(table.say(A, "drawn", "animal:5"))
    assert bool(broken(table.say(A, "return", "animal:5"))) is card
    assert bool(broken(table.say(A, "return", "shelter:5"))) is number


def test_whoever_draws_may_name_the_card_by_the_button_or_not_name_it():
    offered = drawing(drawn_named=True).legal_values("drawn")
    assert offered == {None, *(f"{kind}:{n}" for kind in ("animal", "shelter") for n in range(1, 9))}
    assert drawing().legal_values("drawn") == {None}
    assert not broken(drawing(drawn_named=True).say(A, "drawn"))


def test_a_card_of_a_pair_that_lies_or_that_lies_open_is_not_the_one_that_was_drawn():
    table = given(ObjectTurned("5-6", 1), PairPlaced(B, 5, 1), *crowned(), drawn_named=True)
    table.count(7, [B])
    table.say(A, "no_pair")
    table.say(A, "draw_from", C)
    assert broken(table.say(A, "drawn", "animal:5"))
    assert broken(table.say(A, "drawn", "animal:9"))


def test_where_the_house_does_not_allow_it_a_name_that_is_said_means_nothing():
    table = drawing()
    table.say(A, "drawn", "animal:5")
    assert table.state.turn.card == ""


def test_under_number_a_demanded_number_may_not_go_back_even_if_the_card_was_not_seen():
    table = given(giveback="number")
    table.count(7, [B, C])
    table.say(A, "no_pair")
    table.say(D, "has")
    table.say(A, "receive")
    assert broken(table.say(A, "return", "shelter:7"))


# false_denial_penalty ------------------------------------------------------------------------------------


def audited(**options: object) -> Table:
    """D, lowered, denied the number; the audit found it with D, who handed it over."""
    table = given(**options)
    table.count(7, [B, C])
    table.say(A, "no_pair")
    for seat in (D, B, C):
        table.say(seat, "has_not")
    for seat, verb in ((D, "found"), (B, "not_found"), (C, "not_found")):
        table.say(seat, verb)
    table.say(A, "receive")
    table.say(A, "return")
    return table


@pytest.mark.parametrize(("rule", "foxes"), [("none", {}), ("audit_only", {D: 2}), ("always", {D: 2})])
def test_a_denial_found_at_an_audit(rule: str, foxes: dict[int, int]):
    assert audited(false_denial_penalty=rule).foxes == foxes


@pytest.mark.parametrize(("rule", "foxes"), [("none", {}), ("audit_only", {}), ("always", {D: 2})])
def test_a_denial_proven_by_inference(rule: str, foxes: dict[int, int]):
    table = given(false_denial_penalty=rule)
    table.caught(7, B, raised=[B, C])
    table.miss()
    table.count(7, [A, C])
    table.say(B, "no_pair")
    table.say(D, "has")
    table.say(B, "receive")
    assert table.of(FalseDenialProven) == [FalseDenialProven(D, 7)]
    assert {seat: count for seat, count in table.foxes.items() if seat == D} == foxes


# place ---------------------------------------------------------------------------------------------------


def test_whether_a_matching_pair_must_be_placed_is_said_at_the_object():
    views = []
    for rule in ("may", "must"):
        table = given(place=rule)
        table.count(7, [B])
        table.say(A, "no_pair")
        table.draw(C)
        table.say(A, "turn", "7-8@2")
        views.append(RULES.view(table.state))
    assert views[0] != views[1]


# count_seconds, hand -------------------------------------------------------------------------------------


@pytest.mark.parametrize("seconds", [3, 5, 8])
def test_the_length_of_the_count(seconds: int):
    table = given(count_seconds=seconds)
    table.say(A, "announce", 7)
    cue = RULES.awaited_cue(table.state)
    assert cue is not None
    assert cue.beats == seconds
    table.cue(SECOND)
    table.elapse(SECOND + seconds * SECOND - 1)
    assert table.of(HandsLocked) == []
    table.press(B, at=SECOND + seconds * SECOND)
    table.elapse(SECOND + seconds * SECOND)
    assert table.of(HandsLocked) == [HandsLocked((B,), (C, D))]


def test_without_a_count_the_emperor_closes_it():
    table = given(count_seconds=0)
    table.say(A, "announce", 7)
    if RULES.awaited_cue(table.state) is not None:
        table.cue()
    table.elapse(table.at + 3600 * SECOND)
    assert table.of(HandsLocked) == []
    table.press(B)
    assert broken(table.say(C, "close"))
    assert Action(A, "close") in table.legal
    assert HandsLocked((B,), (C, D)) in table.say(A, "close")


@pytest.mark.parametrize(("rule", "raised"), [("toggle", (B,)), ("hold", ())])
def test_what_a_short_press_does_to_a_hand(rule: str, raised: tuple[int, ...]):
    table = given(hand=rule)
    table.say(A, "announce", 7)
    table.cue()
    table.tap(B)
    table.elapse(table.at + 3 * SECOND)
    assert table.state.raised == raised


# draw_is_duty, nobody_has, demand_open -------------------------------------------------------------------


@pytest.mark.parametrize("duty", [True, False])
def test_whether_the_emperor_must_exchange(duty: bool):
    table = given(draw_is_duty=duty)
    table.count(7, [B])
    table.say(A, "no_pair")
    ruled = table.say(A, "no_exchange")
    assert broken(ruled) if duty else ruled == (ExchangeDeclined(),)
    assert table.phase == ("choosing" if duty else "turning")


def test_even_where_it_is_no_duty_a_demand_must_be_answered():
    table = given(draw_is_duty=False)
    table.count(7, [B, C])
    table.say(A, "no_pair")
    assert broken(table.say(A, "no_exchange"))


def test_nobody_has_it_so_hands_are_shown():
    table = given(nobody_has="audit")
    table.count(7, [B, C, D])
    table.say(A, "no_pair")
    for seat in (B, C, D):
        table.say(seat, "has_not")
    assert table.phase == "auditing"


def test_whether_the_demanded_card_is_handed_over_open_is_said():
    views = []
    for demand_open in (False, True):
        table = given(demand_open=demand_open)
        table.count(7, [B, C])
        table.say(A, "no_pair")
        table.say(D, "has")
        views.append(RULES.view(table.state))
    assert views[0] != views[1]
