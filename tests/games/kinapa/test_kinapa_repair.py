"""A table that says what is where: it is believed if it can be, and refused by name if it cannot."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given as hypothesis_given
from hypothesis import settings
from hypothesis import strategies as st

from companion.core.events import Event
from companion.core.observations import PauseRequested, TableDeclared
from companion.core.view import repairable_values
from companion.games.kinapa.rules.model import EmperorCrowned, FoxRemoved, KinapaState
from companion.testing import invariants as promise
from companion.testing import random_walks
from tests.games.game_table import broken, kinds
from tests.games.kinapa.kinapa_table import RULES, A, B, C, D, Table, asks, crowned, fold, given, setup


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


def test_where_another_is_emperor_a_turn_begins():
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
    assert "WindowVoided" in kinds(declared(table, sheep_1=1))
    assert RULES.next_timer(table.state) is None
    assert table.phase == "recounting"


def test_nothing_is_repaired_before_the_game_began():
    table = given()
    table.state = RULES.initial_state(table.state.setup)
    assert broken(declared(table, emperor=2))


# What stays as it was ---------------------------------------------------------------------------------------


def after_a_forced_liar() -> Table:
    """B was caught without a Sheep; C raised too; the exchange is made."""
    table = given()
    table.caught(7, B, [B, C])
    assert (table.phase, table.foxes) == ("turning", {B: 2})
    return table


def prefilled(table: Table) -> TableDeclared:
    return TableDeclared(at=table.at + 1, table=repairable_values(RULES.view(table.state)))


def test_k_t62_a_table_that_is_right_already_keeps_who_is_forced_and_who_was_punished():
    table = after_a_forced_liar()
    before = table.state
    assert table.observe(prefilled(table)) == ()
    assert table.state == before
    crowning = table.miss()
    assert EmperorCrowned(B) in crowning
    assert FoxRemoved(B, 1) not in crowning


@pytest.mark.parametrize("places", [{"sheep_2": 1}, {"foxes_3": 1}, {"slot_2": 5, "placed_3": "5"}])
def test_what_a_repair_does_not_name_stays_as_it_was(places: dict[str, str | int]):
    table = after_a_forced_liar()
    before = table.state
    assert kinds(declared(table, **places)) == ["Repaired"]
    assert (table.phase, table.state.turn) == ("turning", before.turn)
    assert table.emperor == A
    for seat, (now, then) in enumerate(zip(table.state.seats, before.seats, strict=True)):
        named = any(int(name[-1]) == seat for name in places if not name.startswith("slot"))
        assert named or now == then
    crowning = table.miss("3-4", 1)
    assert EmperorCrowned(B) in crowning
    assert FoxRemoved(B, 1) not in crowning


def test_no_second_exchange_is_made_after_a_repair():
    table = given()
    table.count(7, [B])
    table.say(A, "no_pair")
    table.draw(C)
    declared(table, foxes_3=1)
    assert table.legal_seats("announce") == set()
    assert "turn" in {action.verb for action in table.legal}


def test_a_repair_in_mid_exchange_leaves_the_card_on_its_way():
    table = given()
    table.count(7, [B])
    for verb, value in (("no_pair", None), ("draw_from", C), ("drawn", None)):
        table.say(A, verb, value)
    assert not broken(declared(table, placed_1="5", slot_3=5))
    assert [seat.cards for seat in table.state.seats] == [5, 2, 3, 4]
    table.say(A, "return")
    assert [seat.cards for seat in table.state.seats] == [4, 2, 4, 4]


def test_a_liar_who_turns_out_to_have_a_sheep_is_not_forced():
    table = after_a_forced_liar()
    declared(table, sheep_1=1)
    assert EmperorCrowned(C) in table.miss(), "C raised and has none (K-T35)"


def test_a_liar_who_turns_out_to_have_no_sheep_is_forced():
    table = Table(fold(RULES.initial_state(given().state.setup), crowned(A, B)))
    table.caught(7, B, [B, C])
    assert table.state.turn.forced == ()
    declared(table, sheep_1=0)
    assert EmperorCrowned(B) in table.miss()


def test_whoever_may_be_crowned_is_asked_anew_once_the_sheep_are_right():
    table = given()
    asks(table, 7, D)
    table.say(A, "return")
    table.miss()
    assert table.legal_values("crown") == {B, C}
    ruled = declared(table, sheep_1=1)
    assert kinds(ruled) == ["Repaired", "EmperorCrowned", "SheepTaken"]
    assert table.emperor == C


def test_a_fox_put_right_while_hands_count_lowers_that_hand():
    table = given()
    table.count(7, [B, C])
    assert table.phase == "pairing"
    declared(table, foxes_1=1)
    assert table.state.lowered == (B, D)


@pytest.mark.parametrize(
    ("raised", "before", "after"), [([B], "pairing", "announcing"), ([B, C], "asking", "turning")]
)
def test_where_the_announced_pair_lies_its_demand_ends(raised: list[int], before: str, after: str):
    table = given()
    table.count(7, raised)
    if before == "asking":
        table.say(A, "no_pair")
    assert table.phase == before
    assert not broken(declared(table, placed_3="7", slot_3=7))
    assert table.phase == after
    assert 7 not in table.legal_values("announce")


def test_an_open_object_that_carries_a_pair_is_open_no_more():
    table = given()
    table.count(7, [B])
    table.say(A, "no_pair")
    table.draw(C)
    table.say(A, "turn", "5-6@3")
    assert not broken(declared(table, placed_3="5", slot_3=5))
    assert table.phase == "turning"
    assert broken(table.say(A, "turn", "5-6@3")) == ["object.closed"]


def test_the_labels_that_were_seen_are_remembered_after_a_repair():
    table = given()
    table.turn(7, [B])
    assert table.state.slots[0].label == "1-2"
    told = {**dict(prefilled(table).table), "foxes:3": 1}
    table.observe(TableDeclared(at=table.at + 1, table=tuple(told.items())))
    assert table.state.slots[0].label == "1-2"


def test_a_paused_table_can_be_put_right():
    table = given()
    table.observe(PauseRequested(at=table.at + 1))
    assert kinds(declared(table, foxes_3=1)) == ["Repaired"]
    assert (table.foxes, table.state.desk.paused) == ({D: 1}, True)


def test_with_pairs_that_count_for_people_a_pair_lies_where_its_owner_sits_and_old_ones_stay():
    table = given(players=2, switch_progress="person")
    assert not broken(declared(table, placed_0="3", slot_1=3))
    assert not broken(declared(table, placed_0="", placed_1="3"))
    assert (table.state.laid, table.state.seats[A].placed) == (((), (3,)), (3,))
    before = table.state
    assert table.observe(prefilled(table)) == ()
    assert table.state == before
    assert broken(declared(table, placed_2="5")) == ["repair.impossible"]


def otherwise(state: KinapaState, chance: Random) -> tuple[tuple[str, str | int], ...]:
    """The table as the repair page says it once somebody touched something there."""
    told = dict(repairable_values(RULES.view(state)))
    match chance.choice(("emperor", "sheep", "foxes", "pair", "pair gone")):
        case "emperor":
            told["emperor"] = chance.randrange(state.people)
            told[f"sheep:{told['emperor']}"] = 1
        case "pair":
            number = chance.randint(1, state.highest)
            told[f"slot:{chance.randint(1, len(state.slots))}"] = number
            told[f"placed:{chance.randrange(len(state.seats))}"] = str(number)
        case "pair gone":
            told[f"placed:{chance.randrange(len(state.seats))}"] = ""
        case what:
            told[f"{what}:{chance.randrange(len(state.seats))}"] = chance.randint(
                0, 2 if what == "foxes" else 1
            )
    return tuple(told.items())


@pytest.mark.parametrize("players", [2, 3, 4, 6])
@settings(max_examples=10)
@hypothesis_given(seed=st.integers(0, 2**32 - 1))
def test_whatever_is_put_right_in_whatever_phase_the_game_goes_on(players: int, seed: int):
    chance = Random(seed)
    house = {"hand": chance.choice(("toggle", "hold")), "switch_progress": chance.choice(("deck", "person"))}
    case = random_walks.GameCase(RULES, setup(players, **house), ())
    referee = random_walks.new_referee(case)
    for step in range(90):
        state = referee.state
        if RULES.outcome(state) is not None:
            break
        at = max(1_000 * step, referee.at)
        if chance.random() < 0.1 and state.phase != "starting":
            referee.observe(TableDeclared(at=at, table=otherwise(state, chance)))
        else:
            referee.observe(chance.choice(random_walks.lawful_observations(RULES, state, at)))
        promise.check_pieces_are_conserved(RULES, referee.state)
        promise.check_something_can_happen(RULES, referee.state)
        promise.check_legal_actions_pass(RULES, referee.state)
