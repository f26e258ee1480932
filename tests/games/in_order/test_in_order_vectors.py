"""The vectors IO1 to IO31 of docs/rules.md, section 14."""

from __future__ import annotations

import pytest

from companion.core import observations as ob
from companion.core.actions import LOST, Action
from companion.games.in_order.rules.model import InOrderPhase, LayPressed, LifeLost
from tests.games.in_order.order_table import MS, RULES, A, B, C, Table, how, kinds, rule_broken


def test_io1_the_level_begins_when_all_are_ready() -> None:
    table = Table(begun=False)
    assert table.offered() == {A: {"ready"}, B: {"ready"}, C: {"ready"}}
    assert kinds(table.say(A, "ready")) == ["PlayerReady"]
    assert rule_broken(table.say(A, "ready")) == "turn.not_now"
    assert table.press(A) == ()
    assert rule_broken(table.say(A, "lay")) == "turn.not_now"
    table.press(B)
    assert kinds(table.press(C)) == ["PlayerReady", "LevelBegan"]
    assert table.offered() == {A: {"lay"}, B: {"lay"}, C: {"lay"}}


def test_io2_who_has_pressed_tells_a_number_and_the_others_may_press() -> None:
    table = Table()
    assert kinds(table.press(A)) == ["LayPressed"]
    assert table.offered() == {A: {"number"}}
    assert {Action(seat, "lay") for seat in (B, C)} < RULES.legal_actions(table.state)
    assert rule_broken(table.tell(B, 12)) == "turn.not_yours"
    assert rule_broken(table.say(A, "lay")) == "turn.not_now"


def test_io3_a_number_lies_on_the_table() -> None:
    table = Table()
    told = table.lay(A, 12)
    assert (kinds(told), how(told), table.state.top) == (["NumberLaid"], "up", 12)
    assert table.offered() == {B: {"lay"}, C: {"lay"}}


def test_io4_the_last_number_wins_the_level() -> None:
    table = Table()
    table.lay(A, 12)
    table.lay(B, 30)
    assert kinds(table.lay(C, 44)) == ["NumberLaid", "LevelWon"]
    assert (table.state.level, table.state.hands) == (2, (2, 2, 2))
    assert table.offered() == {A: {"ready"}, B: {"ready"}, C: {"ready"}}


def mistake() -> Table:
    """B lays 5 after A's 12."""
    table = Table()
    table.lay(A, 12)
    told = table.lay(B, 5)
    assert (kinds(told), how(told), told[1]) == (["NumberLaid", "LifeLost"], "low", LifeLost(4))
    return table


def test_io5_a_lower_number_costs_a_life() -> None:
    table = mistake()
    assert (table.offered(), table.values(C)) == ({C: {"away"}}, [0, 1])


@pytest.mark.parametrize(("away", "then"), [(1, "ready"), (0, "play")])
def test_io6_lower_numbers_are_laid_away(away: int, then: str) -> None:
    table = mistake()
    assert rule_broken(table.say(C, "away", 2)) == "turn.not_now"
    ruled = kinds(table.say(C, "away", away))
    assert ruled == (["LowerLaid", "LevelWon"] if away else ["LowerLaid"])
    assert table.state.phase == then


def test_io7_a_number_that_was_told_is_refused() -> None:
    table = Table()
    table.lay(A, 12)
    table.press(B)
    assert rule_broken(table.tell(B, 12)) == "number.laid"
    assert table.offered()[B] == {"number"}


def test_io8_who_was_certainly_later_tells_later() -> None:
    table = Table()
    table.press(A)
    (pressed,) = table.press(B, 5 * MS)
    assert isinstance(pressed, LayPressed)
    assert (pressed.how, pressed.ms) == ("after", 5)
    table.tell(A, 12)
    assert table.offered() == {B: {"number"}}
    assert how(table.tell(B, 9)) == "low"


def test_io9_io10_who_pressed_together_makes_no_mistake() -> None:
    table = Table()
    table.press(A)
    (pressed,) = table.press(B, MS // 2)
    assert isinstance(pressed, LayPressed)
    assert (pressed.how, pressed.ms) == ("together", 0)
    table.tell(A, 12)
    assert (kinds(table.tell(B, 9)), table.state.top, table.state.lives) == (["NumberLaid"], 12, 5)
    assert how(table.lay(C, 10)) == "low"


@pytest.mark.parametrize(
    ("source", "ms", "order"),
    [
        ("phone", 59, "together"),
        ("phone", 60, "after"),
        ("touch", 15, "together"),
        ("touch", 16, "after"),
    ],
)
def test_io11_io12_each_source_tells_as_finely_as_it_can(source: str, ms: int, order: str) -> None:
    table = Table()
    table.press(A)
    pressed = table.say(B, "lay", after=ms * MS) if source == "touch" else table.press(B, ms * MS, source)
    assert how(pressed) == order


def test_io13_a_press_that_was_found_by_polling_is_as_early_as_it_may_have_been() -> None:
    table = Table()
    table.press(A)
    assert how(table.press(B, 6 * MS, since=MS // 2)) == "together"


def test_io14_the_line_is_sorted_by_stamp() -> None:
    table = Table()
    table.press(A)
    assert how(table.press(B, -5 * MS)) == "first"
    assert table.offered() == {B: {"number"}}


def test_io15_a_mistake_empties_the_line() -> None:
    table = Table()
    for seat in (A, B, C):
        table.press(seat)
    table.tell(A, 30)
    assert kinds(table.tell(B, 20)) == ["NumberLaid", "LifeLost"]
    assert table.offered() == {C: {"away"}}
    table.say(C, "away", 0)
    assert table.offered() == {C: {"lay"}}


def test_io16_one_may_lay_several_in_a_row() -> None:
    table = Table(level=2)
    assert [how(table.lay(A, number)) for number in (12, 15)] == ["up", "up"]
    assert A not in table.offered()


def test_io17_a_mistake_costs_one_life_however_many_are_lower() -> None:
    table = Table(level=2)
    table.lay(A, 30)
    table.lay(B, 20)
    assert table.state.lives == 4
    assert [table.values(seat) for seat in (A, B, C)] == [[0, 1], [0, 1], [0, 1, 2]]


def test_io18_without_lives_all_have_lost() -> None:
    table = Table(lives=1)
    table.lay(A, 12)
    assert kinds(table.lay(B, 5)) == ["NumberLaid", "LifeLost", "GameLost"]
    assert (RULES.result(table.state), table.offered()) == ((LOST, ()), {})


@pytest.mark.parametrize(("lives", "ends"), [(5, "LevelWon"), (1, "GameLost")])
def test_io19_the_last_number_may_be_a_mistake(lives: int, ends: str) -> None:
    table = Table(2, lives=lives)
    table.lay(A, 12)
    assert kinds(table.lay(B, 5)) == ["NumberLaid", "LifeLost", ends]


def test_io20_after_the_last_level_all_have_won() -> None:
    table = Table(8, levels=5, level=5)
    for seat in range(8):
        for one in range(5):
            ruled = table.lay(seat, seat * 5 + one + 1)
    assert kinds(ruled) == ["NumberLaid", "LevelWon", "GameWon"]
    assert RULES.result(table.state) == ("levels", tuple(range(8)))


@pytest.mark.parametrize(("players", "last"), [(2, 10), (3, 10), (4, 10), (5, 8), (6, 6), (7, 5), (8, 5)])
def test_io21_no_more_than_forty_numbers_are_dealt(players: int, last: int) -> None:
    assert Table(players).state.last == last
    assert Table(players, levels=5).state.last == 5


def test_io22_all_show_their_lowest() -> None:
    table = Table(level=2)
    assert kinds(table.say(B, "show")) == ["LowestShown"]
    assert (table.state.hands, table.state.shows) == ((1, 1, 1), 1)
    assert kinds(table.say(B, "show")) == ["LowestShown", "LevelWon"]


def test_io23_when_nobody_may_ask_for_it() -> None:
    table = Table(begun=False)
    assert rule_broken(table.say(A, "show")) == "turn.not_now"
    table.ready()
    table.lay(A, 12)
    assert rule_broken(table.say(A, "show")) == "turn.not_now"
    table.press(B)
    assert rule_broken(table.say(C, "show")) == "turn.not_now"
    table.tell(B, 5)
    assert rule_broken(table.say(C, "show")) == "turn.not_now"
    assert rule_broken(Table(shows=0).say(A, "show")) == "turn.not_now"


def test_io24_what_was_shown_or_laid_away_may_be_told() -> None:
    table = mistake()
    table.say(C, "away", 0)
    table.press(C)
    assert 4 in table.values(C)
    assert kinds(table.tell(C, 4)) == ["NumberLaid", "LifeLost", "LevelWon"]


def test_io25_io26_rows_begin_above_the_highest_number() -> None:
    table = Table(level=2)
    table.lay(A, 37)
    table.press(B)
    values = table.values(B)
    assert [number for number in values if number % 10 == 1] == [31, 41, 51, 1, 11, 21]
    assert 37 not in values
    table.tell(B, 60)
    table.press(C)
    assert [number for number in table.values(C) if number % 10 == 1] == [1, 11, 21, 31, 41, 51]


def test_io27_undo_gives_life_and_number_back() -> None:
    table = mistake()
    table.referee.undo(table.at)
    assert (table.state.lives, table.state.hands, table.state.laid) == (5, (0, 1, 1), (12,))
    assert table.offered()[B] == {"number"}


def test_io28_undo_of_a_level() -> None:
    table = Table()
    for seat, number in ((A, 12), (B, 30), (C, 44)):
        table.lay(seat, number)
    later = table.state
    table.referee.undo(table.at)
    assert (table.state.level, table.offered()) == (1, {C: {"number"}})
    (said,) = RULES.restore_instructions(later, table.state)
    assert said.key == "in_order.back.level"


def test_io29_a_corrected_number_is_judged_as_if_told_at_first() -> None:
    table = Table()
    table.lay(A, 12)
    seq = len(table.referee.journal.entries) - 1
    table.lay(B, 30)
    truth = ob.ActionDeclared(at=table.at, action=Action(A, "number", "31-40|40"))
    table.referee.correct(seq, truth, table.at)
    assert (table.state.laid, table.state.lives) == ((40, 30), 4)


def test_io30_io31_the_table_says_what_is_so() -> None:
    table = mistake()
    table.declare(level=3, lives=2, shows=0)
    state = table.state
    assert (state.hands, state.lives, state.shows, state.phase) == ((3, 3, 3), 2, 0, InOrderPhase.READY)
    assert table.declare(level=3, lives=2, shows=0) == ()
    for wrong in ({"level": 11}, {"lives": 0}, {"lives": 6}, {"shows": 3}, {"hands": 1}):
        assert rule_broken(table.declare(**wrong)) == "repair.impossible"
