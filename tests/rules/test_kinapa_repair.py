"""A table that says what is where: it is believed if it can be, and refused by name if it cannot."""

from __future__ import annotations

import pytest
from kinapa_table import RULES, A, B, C, Table, broken, given, kinds

from companion.events import Event
from companion.observations import TableDeclared


def declared(table: Table, **places: str | int) -> tuple[Event, ...]:
    """`sheep_2=1` stands for the place `sheep:2`."""
    told = tuple((name.replace("_", ":"), value) for name, value in places.items())
    return table.observe(TableDeclared(at=table.at + 1, table=told))


@pytest.mark.parametrize(
    "places",
    [
        {"slot_0": 0},
        {"slot_9": 5},
        {"slot_-1": 0},
        {"slot_1": 99},
        {"slot_1": 5, "slot_2": 5, "placed_1": "5"},
        {"slot_1": 5},
        {"emperor": -1},
        {"emperor": 4},
        {"emperor": "red"},
        {"sheep_-1": 1},
        {"sheep_7": 1},
        {"foxes_1": 3},
        {"placed_1": "5,6"},
        {"placed_1": "9"},
        {"placed_1": "5", "placed_2": "5"},
        {"sheep_0": 0},
        {"sheep_0": 1, "sheep_1": 1, "sheep_2": 1, "sheep_3": 1},
    ],
)
def test_a_table_that_cannot_be_is_refused_and_nothing_changes(places: dict[str, str | int]):
    table = given()
    before = table.state
    assert broken(declared(table, **places))
    assert table.state == before


def test_a_declared_table_is_how_it_stands_and_the_turn_begins_anew():
    table = given()
    table.count(7, [B])
    table.say(A, "no_pair")
    table.say(A, "draw_from", C)
    table.say(A, "drawn")
    assert not broken(declared(table, emperor=2, sheep_2=1, placed_1="5", slot_3=5, foxes_3=1))
    assert (table.emperor, table.phase) == (C, "announcing")
    assert [seat.cards for seat in table.state.seats] == [4, 2, 4, 4], "In the middle of an exchange too"
    assert table.foxes == {3: 1}
    assert 5 not in table.legal_values("announce")


def test_a_declared_table_is_the_table_that_is_told():
    table = given()
    declared(table, placed_1="5", slot_3=5)
    (place,) = (place for place in RULES.view(table.state).places if place.region == "slot:3")
    assert place.card == "object:5-6"
    assert place.on_top == ("animal:5", "shelter:5")


def test_a_repair_in_the_count_voids_it():
    table = given()
    table.say(A, "announce", 7)
    table.cue()
    assert "WindowVoided" in kinds(declared(table, emperor=0))
    assert RULES.next_timer(table.state) is None


def test_nothing_is_repaired_before_the_game_began():
    table = given()
    table.state = RULES.initial_state(table.state.setup)
    assert broken(declared(table, emperor=2))
