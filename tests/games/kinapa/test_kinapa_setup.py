"""Setting up Kinapa: what is in play for each number of players, and who starts."""

from __future__ import annotations

import pytest

from companion.core.actions import Setup
from companion.games.kinapa.rules.model import EmperorCrowned, KinapaOptions, SheepTaken
from tests.games.game_table import broken, kinds
from tests.games.kinapa.kinapa_table import RULES, A, B, C, D, new_table

PLAYERS = range(4, 9)


def test_k_t02_four_players_play_numbers_1_to_8_with_eight_objects():
    table = new_table(4)
    table.say(A, "claim_cat")
    assert table.legal_values("announce") == set(range(1, 9))
    assert sum(seat.cards for seat in table.state.seats) == 16
    assert len(table.state.slots) == 8
    table.turn(1, raised=[B])
    table.count(1, [A])
    table.say(B, "no_pair")
    table.draw(C)
    assert {value for value in table.legal_values("turn") if "@" not in str(value)} == {
        "1-2",
        "3-4",
        "5-6",
        "7-8",
    }


@pytest.mark.parametrize("players", PLAYERS)
def test_k_t02_every_seat_adds_two_numbers_four_cards_and_two_objects(players: int):
    table = new_table(players)
    table.say(A, "claim_cat")
    assert table.legal_values("announce") == set(range(1, 2 * players + 1))
    assert [seat.cards for seat in table.state.seats] == [4] * players
    assert len(table.state.slots) == 2 * players


def test_kinapa_is_played_by_two_to_eight_and_a_bot_can_be_added_to_four_to_seven():
    assert list(RULES.players) == list(range(2, 9))
    assert list(RULES.players_with_bot) == list(range(4, 8)), "KA35: eight and a BOT would need 36 cards"


def test_k_t03_whoever_holds_cat_1_is_emperor_and_takes_the_only_sheep():
    table = new_table()
    assert kinds(table.say(D, "claim_cat")) == ["EmperorCrowned", "SheepTaken"]
    assert table.emperor == D
    assert table.sheep == {D}
    assert table.foxes == {}


@pytest.mark.parametrize("holder", range(4))
def test_k_t03_any_seat_can_say_by_its_button_that_it_holds_cat_1(holder: int):
    table = new_table()
    assert table.press(holder) == (EmperorCrowned(holder), SheepTaken(holder))


def test_the_camera_sees_cat_1_laid_down_only_by_somebody_who_says_so():
    table = new_table()
    table.slot(1, "back:blue")
    assert table.phase == "starting"


def test_cat_1_is_claimed_once():
    table = new_table()
    table.say(D, "claim_cat")
    assert broken(table.say(B, "claim_cat"))
    assert table.emperor == D
    assert table.sheep == {D}


def test_nothing_else_can_be_done_before_cat_1_is_claimed():
    table = new_table()
    for verb, value in (("announce", 3), ("raise", None), ("turn", "1-2"), ("crown", 2), ("draw_from", 1)):
        assert broken(table.say(A, verb, value)), verb
    assert table.phase == "starting"


def test_chairs_need_not_be_neighbours_and_seats_count_only_those_in_the_game():
    setup = Setup(chairs=(1, 2, 5, 7), options=KinapaOptions())
    table = new_table()
    table.state = RULES.initial_state(setup)
    assert table.press(5) == (EmperorCrowned(C), SheepTaken(C))
    table.say(C, "announce", 4)
    table.press(7)
    table.cue()
    table.elapse(table.at + 3_000_000)
    assert table.state.raised == (D,)


def test_a_press_from_a_chair_that_is_not_in_the_game_is_no_ruling():
    setup = Setup(chairs=(1, 2, 5, 7), options=KinapaOptions())
    table = new_table()
    table.state = RULES.initial_state(setup)
    assert table.tap(0) == table.hold(3) == table.press(8) == ()
    table.press(5)
    table.say(C, "announce", 4)
    assert table.press(0) == ()
    table.cue()
    assert table.press(3) == table.release(3) == ()
    table.elapse(table.at + 3_000_000)
    assert table.tap(0) == ()
    assert table.state.raised == ()


def test_two_chairs_that_claim_cat_1_at_the_same_instant_make_one_emperor():
    table = new_table()
    table.press(B, at=1_000)
    table.press(C, at=1_000)
    assert table.of(EmperorCrowned) == [EmperorCrowned(B)]
    assert table.sheep == {B}
