"""The line under the headline is true under every house rule: where one changes it, it says so."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from companion.games.kinapa.rules.model import FoxRemoved, LiarPunished
from tests.games.kinapa.kinapa_table import RULES, A, B, C, D, Table, given, new_table


def hint(table: Table) -> str:
    told = RULES.view(table.state).hint
    return "" if told is None else told.key.removeprefix("kinapa.hint.")


def fox(table: Table, seat: int) -> Table:
    """A seat that was punished in an earlier turn."""
    for event in (LiarPunished(seat, 2, priority=False), FoxRemoved(seat, 1)):
        table.state = RULES.evolve(table.state, event)
    return table


def two_liars(**options: object) -> Table:
    """B and C raised, and each has one 7."""
    table = given(**options)
    table.count(7, [B, C])
    for seat, verb in ((A, "no_pair"), (D, "has_not"), (B, "has"), (C, "has")):
        table.say(seat, verb)
    assert table.phase == "picking"
    return table


def two_found(**options: object) -> Table:
    """Everybody says no; the audit finds one 7 at B and one at C."""
    table = given(**options)
    table.count(7, [B, C])
    for seat, verb in ((A, "no_pair"), (D, "has_not"), (B, "has_not"), (C, "has_not")):
        table.say(seat, verb)
    while table.phase == "auditing":
        seat = table.state.turn.audit[0]
        table.say(seat, "found" if seat in (B, C) else "not_found")
    assert table.phase == "picking"
    return table


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({}, "picking"),
        ({"two_liars": "both"}, "picking.all"),
        ({"two_liars": "one_fox_each"}, "picking.all"),
    ],
)
def test_of_two_liars_it_is_said_who_is_punished(options: dict[str, object], told: str):
    table = two_liars(**options)
    assert hint(table) == told
    table.say(A, "pick", B)
    table.say(A, "receive")
    assert set(table.foxes) == ({B} if told == "picking" else {B, C})


def test_whoever_the_audit_found_is_punished_too():
    table = two_found()
    assert hint(table) == "picking.all"
    table.say(A, "pick", B)
    table.say(A, "receive")
    assert set(table.foxes) == {B, C}


def test_where_punishment_is_not_sure_none_is_promised():
    assert hint(two_found(false_denial_penalty="none")) == "picking.card"
    table = given(players=5, second_liar="none")
    fox(table, 4)
    table.count(7, [B, C, D])
    for seat, verb in ((A, "no_pair"), (4, "has_not"), (B, "has"), (C, "has"), (D, "has_not")):
        table.say(seat, verb)
    assert hint(table) == "picking.card"
    table.say(A, "pick", B)
    table.say(A, "receive")
    assert set(table.foxes) == {4}


@pytest.mark.parametrize(("hand", "version"), [("toggle", ""), ("hold", ".hold")])
def test_a_button_is_pressed_or_held(hand: str, version: str):
    table = given(hand=hand)
    table.say(A, "announce", 7)
    assert hint(table) == f"announced{version}"
    table.cue()
    table.state = RULES.evolve(table.state, RULES.void_window(table.state, "pause")[0])
    assert hint(table) == f"recounting{version}"


def test_a_pair_that_lies_cannot_be_shown():
    table = given(allow_dead_number=True)
    table.count(7, [B])
    assert hint(table) == "pairing.down"
    seats = (*table.state.seats[:D], replace(table.seat(D), cards=2, placed=(7,)))
    table.state = replace(table.state, seats=seats)
    assert hint(table) == "pairing.dead"


@pytest.mark.parametrize(("duty", "told"), [(True, "choosing"), (False, "choosing.may")])
def test_an_exchange_is_a_duty_or_not(duty: bool, told: str):
    table = given(draw_is_duty=duty)
    table.count(7, [B])
    table.say(A, "no_pair")
    assert hint(table) == told
    assert ("no_exchange" in {action.verb for action in table.legal}) is not duty


def test_to_show_the_pair_is_to_exchange():
    table = given(draw_is_duty=False)
    table.count(7, [B])
    table.say(A, "show_pair")
    assert hint(table) == "choosing"


@pytest.mark.parametrize(
    ("options", "open_row", "told"),
    [
        ({}, False, "drawing"),
        ({"fox_draw": "choice"}, False, "drawing"),
        ({"fox_draw": "choice"}, True, "drawing.open"),
    ],
)
def test_from_an_open_hand_a_card_may_be_chosen(options: dict[str, object], open_row: bool, told: str):
    table = given(**options)
    if open_row:
        fox(table, C)
    table.count(7, [B])
    table.say(A, "no_pair")
    table.say(A, "draw_from", C)
    assert hint(table) == told


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({}, "returning"),
        ({"giveback": "number"}, "returning.number"),
        ({"fox_receive": "open"}, "returning.open"),
        ({"fox_receive": "open", "giveback": "number"}, "returning.number.open"),
    ],
)
def test_what_goes_back_and_how_it_is_laid(options: dict[str, object], told: str):
    table = given(**options)
    fox(table, C)
    table.count(7, [B])
    table.say(A, "no_pair")
    table.say(A, "draw_from", C)
    if RULES.awaited_draw(table.state):
        table.lot(0)
    table.say(A, "drawn")
    assert hint(table) == told


@pytest.mark.parametrize(
    ("options", "foxes", "told"),
    [
        ({}, False, "returning.bot"),
        ({"giveback": "number"}, False, "returning.number.bot"),
        ({"fox_receive": "open"}, False, "returning.bot"),
        ({"fox_receive": "open"}, True, "returning.open"),
    ],
)
def test_a_card_for_a_bot_goes_under_its_aid_or_into_its_open_row(
    options: dict[str, object], foxes: bool, told: str
):
    table = given(players=3, **options)
    bot = D
    if foxes:
        fox(table, bot)
    table.count(7, [B])
    table.say(A, "no_pair")
    table.say(A, "draw_from", bot)
    if RULES.awaited_draw(table.state):
        table.lot(0)
    table.say(A, "drawn")
    assert hint(table) == told


@pytest.mark.parametrize(("progress", "told"), [("deck", "switching"), ("person", "switching.person")])
def test_a_pair_stays_with_its_deck_or_with_whoever_laid_it(progress: str, told: str):
    table = given(players=3, switch_progress=progress)
    table.count(3, [D])
    table.say(A, "no_pair")
    table.draw(B)
    table.miss()
    assert hint(table) == told


@pytest.mark.parametrize(
    ("people", "options", "told"),
    [
        (2, {}, "aiding.own"),
        (2, {"bot_can_be_emperor_2p": False}, "aiding"),
        (3, {}, "aiding"),
    ],
)
def test_whoever_lays_the_aid_of_an_own_bot_is_warned_that_a_switch_may_follow(
    people: int, options: dict[str, object], told: str
):
    table = new_table(people, **options)
    table.say(A, "claim_cat")
    table.say(A, "announce", 7)
    assert table.phase == "aiding"
    assert hint(table) == told
