"""Presses behind the horizon, holds and levels of buttons in a refereed game."""

from __future__ import annotations

from typing import Any

import pytest

from companion.core import observations as ob
from companion.core.actions import HOLD_TIME, SECOND, Micros
from companion.core.events import kind_of
from companion.core.switch import Edge
from companion.games.kinapa.rules.model import CountOpened, HandLowered, HandRaised, HandsLocked, HandTooLate
from companion.referee.journal import MemoryJournal
from companion.referee.loop import GRACE, RefereedGame
from tests.referee.game_hands import Delivered, delivered, lateness, run_on, tap
from tests.referee.lantern_play import FIRST, OTHER
from tests.table.loop import (
    LOCK,
    MILLI,
    causes,
    events,
    kinapa_count,
    kinapa_game,
    kinapa_header,
    lantern_count,
    lantern_game,
    run,
)


def at_rest(game: RefereedGame, since: Micros) -> None:
    """Step until everything that happened is judged."""
    run_on(game, since, since + 200 * MILLI)


def test_a_press_behind_the_horizon_is_journalled_and_told_by_how_much_it_was_late() -> None:
    game = kinapa_game()
    run(game, kinapa_count(), until=LOCK + 300 * MILLI)
    press = Edge(1, "seat", level=True, at=LOCK - 10 * MILLI)
    game.post(press, LOCK + 300 * MILLI)
    run_on(game, LOCK + 301 * MILLI, LOCK + 400 * MILLI)
    assert lateness(game) == [(1, LOCK + 260 * MILLI - press.at)]
    last = game.referee.journal.entries[-1]
    assert last.cause == ob.ButtonPressed(at=press.at, chair=1)
    assert last.events == (HandTooLate(1),)
    assert events(game, HandsLocked) == [HandsLocked((), (1, 2, 3))]


def test_a_late_press_is_told_only_if_it_would_have_been_ruled_otherwise_in_time() -> None:
    game = kinapa_game()
    run(game, kinapa_count(), until=LOCK - 200 * MILLI)
    game.post(Edge(1, "seat", level=True, at=LOCK - 500 * MILLI), LOCK - 200 * MILLI)
    run_on(game, LOCK - 199 * MILLI, LOCK - 100 * MILLI)
    assert events(game, HandRaised) == [HandRaised(1)], "in the same count it is as if it had come in time"
    assert lateness(game) == []


def test_a_press_just_inside_the_grace_is_not_late() -> None:
    game = kinapa_game()
    run(game, [*kinapa_count(), *delivered(tap(1, LOCK - 5 * MILLI), GRACE - 1)], until=8 * SECOND)
    assert lateness(game) == []
    assert events(game, HandsLocked) == [HandsLocked((1,), (2, 3))]


# Holds ------------------------------------------------------------------------------------------------------


def asked_keep_or_give() -> tuple[RefereedGame, Delivered]:
    """Caught at 5.5 s: from 7 s on chair 1 is asked to keep (tap) or give (hold)."""
    return lantern_game(), [*lantern_count(), *delivered(tap(OTHER, 5_500 * MILLI))]


def test_a_hold_falls_at_press_plus_hold_without_a_release() -> None:
    game, reports = asked_keep_or_give()
    press = Edge(FIRST, "seat", level=True, at=8 * SECOND)
    run(game, [*reports, (press.at, press)], until=10 * SECOND, frames=[333 * MILLI] * 40)
    assert causes(game, ob.ButtonHeld)[-1] == ob.ButtonHeld(at=8 * SECOND + HOLD_TIME, chair=FIRST)
    assert [event.gave for event in events(game) if kind_of(event) == "Answered"] == [True]


@pytest.mark.parametrize(
    ("length", "gave"), [(HOLD_TIME - 1, False), (HOLD_TIME, True), (HOLD_TIME + 1, True)]
)
def test_a_tap_ends_before_the_hold_begins(length: Micros, gave: bool) -> None:
    game, reports = asked_keep_or_give()
    run(game, [*reports, *delivered(tap(FIRST, 8 * SECOND, length))], until=10 * SECOND)
    assert [event.gave for event in events(game) if kind_of(event) == "Answered"] == [gave]


def test_a_button_held_through_a_pause_is_no_hold_afterwards() -> None:
    game, reports = asked_keep_or_give()
    press = Edge(FIRST, "seat", level=True, at=8 * SECOND)
    pause = [ob.PauseRequested(at=8_100 * MILLI), ob.ResumeRequested(at=8_200 * MILLI)]
    run(game, [*reports, (press.at, press), *((one.at, one) for one in pause)], until=10 * SECOND)
    assert causes(game, ob.ButtonHeld) == []
    assert game.referee.state.phase == "answer"


def test_a_button_down_at_the_first_beat_is_a_raised_hand_under_hold() -> None:
    game = kinapa_game(MemoryJournal(kinapa_header(hand="hold")))
    down = Edge(2, "seat", level=True, at=2_900 * MILLI)
    run(game, [*kinapa_count(), (down.at, down)], until=8 * SECOND)
    opened = next(e for e in game.referee.journal.entries if CountOpened in map(type, e.events))
    assert opened.events[1:] == (HandRaised(2),)
    assert events(game, HandsLocked) == [HandsLocked((2,), (1, 3))]


def test_under_hold_a_button_let_go_before_the_end_is_a_lowered_hand() -> None:
    game = kinapa_game(MemoryJournal(kinapa_header(hand="hold")))
    run(game, [*kinapa_count(), *delivered(tap(2, 5 * SECOND, SECOND))], until=8 * SECOND)
    assert events(game, HandRaised, HandLowered) == [HandRaised(2), HandLowered(2)]
    assert events(game, HandsLocked) == [HandsLocked((), (1, 2, 3))]


# Levels -----------------------------------------------------------------------------------------------------


class Panel:
    """Real buttons whose levels can be read; their edges may be lost."""

    def __init__(self) -> None:
        self.down: set[int] = set()

    def levels(self) -> dict[Any, bool]:
        return {(chair, "seat"): chair in self.down for chair in range(4)}


def counting_with(panel: Panel) -> RefereedGame:
    """A count that runs since 4 s, at 5 s."""
    game = kinapa_game(levels=panel.levels)
    run(game, kinapa_count(), until=5 * SECOND)
    return game


def test_a_lost_edge_is_found_by_reading_the_levels_while_the_window_is_open() -> None:
    panel = Panel()
    game = counting_with(panel)
    panel.down = {3}
    run_on(game, 5_005 * MILLI, 5_200 * MILLI)
    (press,) = causes(game, ob.ButtonPressed)
    assert press.chair == 3
    assert 5 * SECOND < press.at <= 5_055 * MILLI
    assert events(game, HandRaised) == [HandRaised(3)]


def test_an_edge_lost_just_before_the_end_is_found_at_the_end() -> None:
    panel = Panel()
    game = counting_with(panel)
    run_on(game, 5_005 * MILLI, LOCK - 10 * MILLI)
    panel.down = {1}
    due = game.next_due()
    while due is not None and due <= LOCK:
        game.step(due)
        due = game.next_due()
    at_rest(game, LOCK + 2 * MILLI)
    assert events(game, HandsLocked) == [HandsLocked((1,), (2, 3))]


def test_a_loop_that_comes_too_late_does_not_date_a_press_back_into_the_window() -> None:
    panel = Panel()
    game = counting_with(panel)
    run_on(game, 5_005 * MILLI, LOCK - 5 * MILLI)
    panel.down = {1}  # after the end; its edge is still on its way
    game.step(LOCK + 30 * MILLI)
    game.post(Edge(1, "seat", level=True, at=LOCK + 28 * MILLI), LOCK + 31 * MILLI)
    at_rest(game, LOCK + 35 * MILLI)
    assert events(game, HandsLocked) == [HandsLocked((), (1, 2, 3))]
    assert events(game, HandTooLate) == [HandTooLate(1)]


@pytest.mark.parametrize("told", ["before the pins are read", "after that"])
def test_what_a_disturbance_right_after_the_end_makes_of_the_pins_is_no_hand(told: str) -> None:
    """The pins are read a millisecond after the end, for the end: what struck them came between."""
    panel = Panel()
    game = counting_with(panel)
    run_on(game, 5_005 * MILLI, LOCK - 5 * MILLI)

    def strike(at: Micros, *, level: bool) -> None:
        for chair in (1, 2, 3):
            game.post(Edge(chair, "seat", level=level, at=at, disturbed=True), LOCK + MILLI)

    panel.down = {1, 2, 3}
    if told == "before the pins are read":
        strike(LOCK + 400, level=True)
    game.step(LOCK + MILLI)
    panel.down = set()
    if told == "after that":
        strike(LOCK + 400, level=True)
    strike(LOCK + 1_300, level=False)
    at_rest(game, LOCK + 2 * MILLI)
    assert events(game, HandsLocked) == [HandsLocked((), (1, 2, 3))]


def test_a_button_held_down_since_before_the_game_was_not_pressed() -> None:
    panel = Panel()
    panel.down = {2}
    game = counting_with(panel)
    assert causes(game, ob.ButtonPressed) == []


def test_levels_are_left_alone_while_no_window_is_open() -> None:
    panel = Panel()
    game = kinapa_game(levels=panel.levels)
    panel.down = {2}
    run(game, kinapa_count()[:1], until=2 * SECOND)
    assert causes(game, ob.ButtonPressed) == []
