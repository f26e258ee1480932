"""Kabuki: windows that close, and people who mash their button."""

from __future__ import annotations

import pytest

from companion.core import observations as ob
from companion.core.actions import HOLD_TIME, Action, Micros
from companion.games.kabuki.rules.model import (
    CooledDown,
    PlacementQueued,
    StopInCooldown,
    StopTooLate,
    StopVoided,
    StopWithdrawn,
)
from tests.games.game_table import broken, kinds
from tests.games.kabuki.kabuki_table import MS, RULES, SECOND, TURN, A, B, C, D, table

WAVES = (("wave", 1), ("leaf", 1), ("sun", 2))
"""A, B and C have placed; D is in turn."""


# Windows ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("late", "stopped"), [(-1, True), (0, True), (1, False)])
def test_a_press_at_the_end_of_the_last_window_counts_and_one_a_microsecond_later_does_not(
    late: Micros, stopped: bool
) -> None:
    from tests.games.kabuki.test_kabuki_vectors import filled, whole_deck

    game = filled(table(), whole_deck())
    until = game.state.until
    assert until is not None
    ruled = game.press(game.state.drawer, until + late)
    assert kinds(ruled) == (["StopCalled"] if stopped else ["StopTooLate"])
    assert game.phase == ("called" if stopped else "shuffling")


def test_a_press_after_the_last_window_is_told_once_and_presses_between_rounds_mean_nothing() -> None:
    from tests.games.kabuki.test_kabuki_vectors import filled, whole_deck

    game = filled(table(), whole_deck())
    until = game.state.until
    assert until is not None
    assert kinds(game.press(A, until + 1)) == ["StopTooLate"]
    assert game.press(A, until + 500 * MS) == ()
    assert game.press(D, until + 30 * SECOND) == ()


def test_a_mask_that_was_checked_cannot_be_stopped_again() -> None:
    game = table().lay(WAVES)
    game.settle(A, 0)
    assert StopTooLate(B) in game.stop(B)
    assert game.tokens == (4, 5, 5, 5)


def test_a_pause_inside_the_tie_voids_the_calls_and_the_mask_may_be_stopped_again() -> None:
    game = table().lay(WAVES)
    game.press(A)
    ruled = game.observe(ob.PauseRequested(at=game.at + MS))
    assert kinds(ruled) == ["WindowVoided", "GamePaused"]
    assert RULES.next_timer(game.state) is None
    game.observe(ob.ResumeRequested(at=game.at + SECOND))
    assert game.phase == "playing"
    game.stop(B)
    assert game.about.number == 3


@pytest.mark.parametrize("stalled", [False, True])
def test_a_cable_pulled_or_a_stop_in_the_last_window_opens_it_again_whole(*, stalled: bool) -> None:
    from tests.games.kabuki.test_kabuki_vectors import filled, whole_deck

    game = filled(table(), whole_deck())
    lost = ob.AdapterLost(at=game.at + SECOND, adapter="usb", reason="pulled")
    ruled = game.observe(ob.CountStalled(at=game.at + SECOND) if stalled else lost)
    assert kinds(ruled) == ["WindowVoided"]
    assert game.phase == "reopening"
    game.say(game.last.seat, "reopen")
    assert game.state.until == game.at + 10 * SECOND


def test_a_cable_pulled_while_a_mask_may_be_stopped_loses_nothing() -> None:
    game = table().lay(WAVES)
    before = game.state
    assert game.observe(ob.AdapterLost(at=game.at + SECOND, adapter="usb", reason="pulled")) == ()
    assert game.state == before


def test_a_button_stuck_down_is_one_call() -> None:
    game = table().lay(WAVES)
    game.press(A)
    held = game.observe(ob.ButtonHeld(at=game.at + HOLD_TIME, chair=A))
    assert held == ()
    game.wait(2 * SECOND)
    assert game.observe(ob.ButtonReleased(at=game.at + SECOND, chair=A)) == ()
    assert game.phase == "stopped", "a release of the Stop chooses nothing"


# Mashing ----------------------------------------------------------------------------------------------------


def test_mashing_the_own_button_calls_once_and_answers_nothing() -> None:
    game = table().lay(WAVES)
    for _ in range(10):
        game.press(A, game.at + 120 * MS)
    assert kinds(game.rulings).count("StopCalled") == 1
    assert game.phase == "called"


def test_without_a_cooldown_a_false_start_costs_nothing() -> None:
    game = table()
    game.stop(B)
    game.lay([("wave", 1)])
    assert kinds(game.press(B)) == ["StopCalled"]
    assert game.of(CooledDown) == []


def test_with_a_cooldown_a_void_press_silences_its_chair_for_the_stated_time() -> None:
    game = table(cooldown_ms=2000)
    start = game.at + SECOND
    game.press(B, start)
    game.elapse(start + 3 * SECOND // 2)
    assert game.of(CooledDown) == [CooledDown(B, start + 2 * SECOND)]
    assert game.press(B, start + 2 * SECOND - 1) == (StopInCooldown(B),)
    assert kinds(game.press(C, start + 2 * SECOND - 1)) == ["StopCalled"]
    game.wait(2 * SECOND)
    assert kinds(game.press(B, game.at + 10)) == ["StopCalled"]


def test_b_t51_the_cooldown_of_a_withdrawn_stop_counts_from_its_press() -> None:
    game = table(cooldown_ms=2000).lay(WAVES)
    pressed = game.at + SECOND
    game.press(A, pressed)
    game.wait(3 * SECOND // 2)
    game.say(A, "withdraw")
    assert game.press(A, pressed + 2 * SECOND - 1) == (StopInCooldown(A),)
    assert kinds(game.press(A, pressed + 2 * SECOND)) == ["StopCalled"]


def test_b_t44_by_button_and_with_a_cooldown_stop_is_not_offered_in_a_check() -> None:
    game = table(placed_by="button", cooldown_ms=2000)
    for design, stack in WAVES:
        game.say(game.state.drawer, "show", design)
        game.say(game.state.drawer, "put")
        game.say(game.state.drawer, "place", f"{design}@{stack}")
    game.say(D, "show", "sun")
    game.press(A)
    assert kinds(game.press(B, game.at + 100 * MS)) == ["StopJoined"]
    game.wait(2 * SECOND)
    assert game.of(CooledDown), "B was too late"
    assert game.state.phase == "stopped"
    assert Action(B, "stop") not in RULES.legal_actions(game.state), "B said it already"
    game.say(A, "look")
    assert game.state.phase == "checking"
    assert not [action for action in RULES.legal_actions(game.state) if action.verb == "stop"]


def test_a_call_after_the_stop_has_its_mask_is_void_and_keeps_its_distance() -> None:
    game = table().lay(WAVES)
    game.stop(A)
    since = game.about.at
    assert game.press(D, since + 2_500 * MS + 300) == (StopVoided(D, 2_500_300),)
    assert game.press(D) == (), "once is enough"


def test_a_stop_may_be_withdrawn_until_the_stack_is_lifted() -> None:
    game = table().lay(WAVES)
    game.stop(A)
    assert game.say(A, "withdraw") == (StopWithdrawn(A),)
    assert game.phase == "playing"
    game.stop(B)
    assert game.about.number == 3
    game.say(B, "look")
    assert broken(game.say(B, "withdraw")) == ["turn.not_now"]


def test_a_mask_placed_during_the_check_waits_for_its_end() -> None:
    game = table().lay(WAVES)
    game.stop(A)
    game.say(A, "look")
    assert kinds(game.looks("stack:3", "mask:crab")) == ["PlacementQueued"]
    assert game.of(PlacementQueued)
    game.say(A, "twins", 0)
    assert kinds(game.restore()) == ["StackRestored", "MaskPlaced"]
    assert game.designs(3) == ("crab",)


def test_placed_by_button_the_placers_edge_is_the_instant() -> None:
    game = table(placed_by="button").lay(WAVES)
    game.looks("show", "mask:wave")
    clear = game.at + TURN
    assert kinds(game.press(D, clear + 250 * MS)) == ["PlacementMarked"]
    game.press(A, clear + 300 * MS)
    game.stack(1, "mask:wave", clear=clear, since=clear + 600 * MS)
    assert game.about.number == 4, "between the pictures, and nobody has to be asked"


def test_b_t50_a_mask_that_was_shown_while_a_stop_waited_is_marked_by_the_placers_button() -> None:
    game = table(placed_by="button").lay(WAVES)
    game.press(C)  # the own mask
    game.looks("show", "mask:moon")
    game.wait(2 * SECOND)
    assert kinds(game.press(D)) == ["PlacementMarked"]


def test_placed_by_button_a_press_before_the_mask_is_shown_says_stop() -> None:
    game = table(placed_by="button").lay(WAVES)
    assert kinds(game.press(D)) == ["StopCalled"]
