"""The vectors of In Order (docs/rules.md 14.4), played by its model and by the rules side by side."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any

import pytest

from companion.core import observations as ob
from companion.core.actions import SECOND, Action, Setup
from companion.referee.journal import MemoryJournal, make_header
from companion.referee.referee import Referee
from tests.models.compare import REFUSED, Fact
from tests.models.in_order import FORGIVEN, IN_ORDER, NUMBERS, InOrder, number_of

A, B, C = range(3)
MS = 1_000
NOTHING: Sequence[Fact] = []


class Played:
    """A game that is in play unless `ready` is asked for."""

    def __init__(self, players: int = 3, *, level: int = 1, ready: bool = False, **options: int) -> None:
        setup = Setup(tuple(range(players)), IN_ORDER.rules.options(**options))
        self.model = InOrder(setup, Random(0))
        self.referee = Referee(
            IN_ORDER.rules, MemoryJournal(make_header("in_order", setup, kind="simulation"))
        )
        self.at = SECOND
        if level > 1:
            self.repair(level=level)
        if not ready:
            self.all_ready()

    def do(self, seen: ob.AnyObservation) -> Sequence[Fact]:
        """What the model says of it, and the rules as well."""
        said = list(self.model.take(seen))
        entry = self.referee.observe(seen)
        ruled = [event for again in entry.rejudged for event in again.events]
        assert [fact for event in (*ruled, *entry.events) for fact in IN_ORDER.facts(event)] == said
        rules, state = IN_ORDER.rules, self.referee.state
        assert IN_ORDER.public(rules, state) == self.model.public()
        assert IN_ORDER.legal(rules, state) == self.model.legal()
        return said

    def say(self, seat: int, verb: str, value: str | int | None = None) -> Sequence[Fact]:
        self.at += SECOND
        return self.do(ob.ActionDeclared(at=self.at, action=Action(seat, verb, value)))

    def press(
        self, seat: int, after: int = SECOND, *, source: str = "gpio", polled: int | None = None
    ) -> Any:
        """A press so many microseconds after the last; `polled`: it may have been so much earlier."""
        self.at += after
        since = None if polled is None else self.at - polled
        return self.do(ob.ButtonPressed(at=self.at, chair=seat, source=source, since=since))

    def tell(self, seat: int, number: int) -> Sequence[Fact]:
        return self.say(seat, "number", number_of(number))

    def lay(self, seat: int, number: int) -> Sequence[Fact]:
        """A press, and the number that is told then."""
        self.press(seat)
        return self.tell(seat, number)

    def all_ready(self) -> None:
        for seat in self.model.seats:
            self.say(seat, "ready")

    def repair(self, **table: int) -> Sequence[Fact]:
        self.at += SECOND
        return self.do(ob.TableDeclared(at=self.at, table=tuple(table.items())))

    def undo(self, *, redo: bool = False) -> Sequence[Fact]:
        self.at += SECOND
        return self.do(ob.UndoRequested(at=self.at, redo=redo))

    def correct(self, seat: int, number: int, to: int) -> Sequence[Fact]:
        """The number that a seat told was another one."""
        told = Action(seat, "number", number_of(number))
        (seq,) = (
            step.seq
            for step in self.model.newest.back()
            if isinstance(step.seen, ob.ActionDeclared) and step.seen.action == told
        )
        truth = ob.ActionDeclared(at=0, action=Action(seat, "number", number_of(to)))
        return self.do(ob.CorrectionRequested(at=self.at, seq=seq, truth=truth))

    def asked(self) -> dict[int, set[str]]:
        """Who is asked, and for which verbs."""
        options = {seat: {one.verb for one in self.model._options(seat)} for seat in self.model.seats}
        return {seat: verbs for seat, verbs in options.items() if verbs}

    def may(self, verb: str) -> list[str]:
        """Who may say it, with which values."""
        return sorted(action for action in self.model.legal() if action.partition(":")[2].startswith(verb))


def test_io1_all_are_ready_before_a_level_begins() -> None:
    game = Played(ready=True)
    assert game.asked() == {A: {"ready"}, B: {"ready"}, C: {"ready"}}
    assert game.press(A) == [("PlayerReady", A)]
    assert game.say(A, "ready") == [REFUSED]
    assert game.press(A) == NOTHING
    assert game.say(A, "lay") == [REFUSED]
    assert game.say(B, "ready") == [("PlayerReady", B)]
    assert game.say(C, "ready") == [("PlayerReady", C), ("LevelBegan", 1)]
    assert game.asked() == {A: {"lay"}, B: {"lay"}, C: {"lay"}}


def test_io2_the_first_in_the_line_alone_is_asked() -> None:
    game = Played()
    assert game.press(A) == [("LayPressed", A, game.at, "gpio", None, "first", 0)]
    assert game.asked() == {A: {"number"}}
    assert game.may("lay") == ["1:lay", "2:lay"]
    assert game.tell(B, 5) == [REFUSED]
    assert game.say(A, "lay") == [REFUSED]
    assert game.press(B)[0][0] == "LayPressed"


def test_io3_io4_three_numbers_upwards_win_a_level() -> None:
    game = Played()
    assert game.lay(A, 12) == [("NumberLaid", A, 12, "up")]
    assert game.model.now.top == 12
    assert game.asked() == {B: {"lay"}, C: {"lay"}}
    game.lay(B, 30)
    assert game.lay(C, 44) == [("NumberLaid", C, 44, "up"), ("LevelWon", 1)]
    assert game.model.hands == [2, 2, 2]
    assert game.model.now.level == 2
    assert game.asked() == {A: {"ready"}, B: {"ready"}, C: {"ready"}}


def test_io5_io6_a_lower_number_costs_a_life() -> None:
    game = Played()
    game.lay(A, 12)
    assert game.lay(B, 5) == [("NumberLaid", B, 5, "low"), ("LifeLost", 4)]
    assert game.may("away") == ["2:away=0", "2:away=1"]
    assert game.say(C, "away", 2) == [REFUSED]
    assert game.say(C, "away", 1) == [("LowerLaid", C, 1), ("LevelWon", 1)]
    game.undo()
    assert game.say(C, "away", 0) == [("LowerLaid", C, 0)]
    assert game.asked() == {C: {"lay"}}


def test_io7_no_number_is_told_twice() -> None:
    game = Played()
    game.lay(A, 12)
    assert game.lay(B, 12) == [REFUSED]
    assert game.asked() == {B: {"number"}}


@pytest.mark.parametrize(
    ("vector", "after", "source", "polled", "how"),
    [
        ("IO8", 5_000, "gpio", None, "after"),
        ("IO9", 500, "gpio", None, "together"),
        ("IO11", 59 * MS, "phone", None, "together"),
        ("IO11", 60 * MS, "phone", None, "after"),
        ("IO12", 15 * MS, "touch", None, "together"),
        ("IO12", 16 * MS, "touch", None, "after"),
        ("IO13", 6 * MS, "gpio", 5_500, "together"),
    ],
)
def test_io8_to_io13_who_was_first(
    vector: str, after: int, source: str, polled: int | None, how: str
) -> None:
    game = Played()
    game.press(A, source="touch" if vector == "IO12" else "gpio")
    (pressed,) = game.press(B, after, source=source, polled=polled)
    assert pressed[-2:] == (how, after // MS), vector
    assert game.asked() == {A: {"number"}}
    game.tell(A, 12)
    assert game.asked() == {B: {"number"}}
    assert game.tell(B, 9)[0] == ("NumberLaid", B, 9, "low" if how == "after" else "together")
    assert game.model.now.top == 12
    assert game.model.now.lives == (4 if how == "after" else 5)


def test_io10_only_presses_that_were_together_are_forgiven() -> None:
    game = Played()
    game.press(A)
    game.press(B, 500)
    game.tell(A, 12)
    game.tell(B, 9)
    assert game.lay(C, 10)[0] == ("NumberLaid", C, 10, "low")


def test_io14_a_press_that_comes_late_takes_its_place() -> None:
    game = Played()
    game.press(A)
    assert game.press(B, -5 * MS)[0][-2:] == ("first", 0)
    assert game.asked() == {B: {"number"}}


def test_a_press_that_came_too_late_to_be_asked_first_is_not_wrong() -> None:
    game = Played()
    game.press(A)
    game.press(B, 500)
    game.tell(A, 40)
    assert game.press(C, -SECOND - 60 * MS)[0][-2:] == ("first", 0)
    assert game.tell(C, 28) == [("NumberLaid", C, 28, "together")]


def test_who_joins_after_the_line_was_empty_is_later_than_what_was_told_before() -> None:
    game = Played()
    game.press(A, source="phone")
    game.tell(A, 40)
    game.press(B, -SECOND + 50 * MS, source="phone")
    game.press(C, -MS, source="phone")
    assert game.tell(C, 28)[0] == ("NumberLaid", C, 28, "low")


def test_io15_after_a_mistake_the_line_is_empty() -> None:
    game = Played()
    for seat in (A, B, C):
        game.press(seat)
    game.tell(A, 30)
    assert game.tell(B, 20) == [("NumberLaid", B, 20, "low"), ("LifeLost", 4)]
    assert game.asked() == {C: {"away"}}
    game.say(C, "away", 0)
    assert game.asked() == {C: {"lay"}}


def test_io16_one_player_may_lay_twice() -> None:
    game = Played(level=2)
    assert game.lay(A, 12) == [("NumberLaid", A, 12, "up")]
    assert game.lay(A, 15) == [("NumberLaid", A, 15, "up")]
    assert game.asked() == {B: {"lay"}, C: {"lay"}}


def test_io17_a_mistake_costs_one_life() -> None:
    game = Played(level=2)
    game.lay(A, 30)
    assert game.lay(B, 20)[1:] == [("LifeLost", 4)]
    assert game.may("away") == ["0:away=0", "0:away=1", "1:away=0", "1:away=1"] + [
        f"2:away={many}" for many in range(3)
    ]


def test_io18_without_lives_the_game_is_lost() -> None:
    game = Played(lives=1)
    game.lay(A, 12)
    assert game.lay(B, 5) == [("NumberLaid", B, 5, "low"), ("LifeLost", 0), ("GameLost", 1)]
    assert game.model.legal() == set()
    assert game.model.now.winners == ()


@pytest.mark.parametrize(("lives", "follows"), [(5, ("LevelWon", 1)), (1, ("GameLost", 1))])
def test_io19_the_last_number_of_a_level_may_be_low(lives: int, follows: Fact) -> None:
    game = Played(lives=lives)
    game.lay(A, 12)
    game.lay(B, 30)
    assert game.lay(C, 20) == [("NumberLaid", C, 20, "low"), ("LifeLost", lives - 1), follows]


def test_io20_after_the_last_level_all_have_won() -> None:
    game = Played(2, level=3, levels=3)
    game.say(A, "show")
    game.say(A, "show")
    game.lay(A, 12)
    assert game.lay(B, 30)[1:] == [("LevelWon", 3), ("GameWon", 3)]
    assert game.model.now.winners == (A, B)


def test_io21_the_last_level() -> None:
    assert [Played(players).model.last for players in range(2, 9)] == [10, 10, 10, 8, 6, 5, 5]
    assert {Played(players, levels=5).model.last for players in range(2, 9)} == {5}


def test_io22_io23_a_show() -> None:
    game = Played(level=2)
    assert game.say(B, "show") == [("LowestShown", B)]
    assert game.model.hands == [1, 1, 1]
    assert game.model.now.shows == 1
    game.lay(A, 12)
    assert game.say(A, "show") == [REFUSED]
    game.press(B)
    assert game.may("show") == []
    assert game.say(C, "show") == [REFUSED]
    game.tell(B, 5)
    assert game.asked() == {C: {"away"}}
    assert game.say(C, "show") == [REFUSED]
    game.say(C, "away", 0)
    assert game.say(C, "show") == [("LowestShown", C), ("LevelWon", 2)]
    assert game.say(C, "show") == [REFUSED]
    game.all_ready()
    assert game.say(C, "show") == [REFUSED]
    assert Played().say(B, "show") == [("LowestShown", B), ("LevelWon", 1)]


def test_io24_what_was_laid_away_may_be_told() -> None:
    game = Played(level=3)
    game.say(A, "show")
    game.lay(A, 12)
    game.lay(A, 11)
    game.say(B, "away", 2)
    game.say(C, "away", 1)
    assert game.lay(C, 10)[0] == ("NumberLaid", C, 10, "low")


@pytest.mark.parametrize(
    ("top", "rows"),
    [
        (60, ["1-10", "11-20", "21-30", "31-40", "41-50", "51-60"]),
        (37, ["31-40", "41-50", "51-60", "1-10", "11-20", "21-30"]),
        (40, ["41-50", "51-60", "1-10", "11-20", "21-30", "31-40"]),
    ],
)
def test_io25_io26_the_rows_begin_above_the_highest(top: int, rows: list[str]) -> None:
    game = Played()
    game.lay(A, top)
    assert game.asked() == {B: {"lay"}, C: {"lay"}}
    game.press(B)
    offered = game.model._options(B)
    assert list(dict.fromkeys(action.parts[0] for action in offered)) == rows
    assert {action.parts[1] for action in offered} == set(NUMBERS) - {top}


def test_io27_io28_what_is_taken_back_with_a_number() -> None:
    game = Played()
    game.lay(A, 12)
    game.lay(B, 5)
    game.undo()
    assert game.model.now.lives == 5
    assert game.model.hands == [0, 1, 1]
    assert game.asked() == {B: {"number"}}
    game.undo(redo=True)
    assert game.asked() == {C: {"away"}}
    game.undo()
    game.tell(B, 30)
    game.lay(C, 44)
    assert game.model.now.level == 2
    game.undo()
    assert game.asked() == {C: {"number"}}
    assert game.model.now.level == 1


def test_io29_a_number_that_is_corrected_is_judged_as_if_told_at_first() -> None:
    game = Played()
    game.lay(A, 12)
    game.lay(B, 30)
    assert game.correct(A, 12, to=40)[-2:] == [("NumberLaid", B, 30, "low"), ("LifeLost", 4)]
    assert game.asked() == {C: {"away"}}
    game.undo()
    assert game.correct(A, 12, to=30)[-1] == FORGIVEN
    assert game.asked() == {B: {"number"}}


def test_io30_io31_a_repair_begins_the_level() -> None:
    game = Played()
    assert game.repair(level=3, lives=2, shows=0)[0][0] == "Repaired"
    assert game.model.hands == [3, 3, 3]
    assert game.asked() == {A: {"ready"}, B: {"ready"}, C: {"ready"}}
    assert (game.model.now.lives, game.model.now.shows) == (2, 0)
    for impossible in ({"level": 11}, {"lives": 0}, {"lives": 6}, {"shows": 3}, {"level": 1, "shows": -1}):
        assert game.repair(**impossible) == [REFUSED]
    game.all_ready()
    assert game.repair(level=3, lives=2, shows=0) == NOTHING
    game.lay(A, 12)
    game.lay(B, 5)
    assert set(game.asked()) == {A, B, C}
    assert game.repair(lives=5)[0][0] == "Repaired"
    assert game.model.hands == [3, 3, 3]
