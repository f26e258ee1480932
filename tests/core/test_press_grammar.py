"""The one-button grammar that all games share, on a game in which people and seats differ."""

from __future__ import annotations

import pytest
from lantern.rules import (
    LANTERN,
    Answered,
    CardLaid,
    CardTurned,
    Caught,
    LanternState,
    LotFell,
    NumberNamed,
    WindowClosed,
    WindowOpened,
)

from companion.core import events as ev
from companion.core import observations as ob
from companion.core.actions import HOLD_TIME, Action, Chair
from companion.core.button_choices import STEP
from companion.core.events import Event
from tests.referee.lantern_play import SETUP

FIRST, SECOND_CHAIR = SETUP.chairs
STRANGER = 7


def given(*events: Event) -> LanternState:
    state = LANTERN.initial_state(SETUP)
    for event in events:
        state = LANTERN.evolve(state, event)
    return state


def turning() -> LanternState:
    """Seat 2, of the first chair, is asked one thing."""
    return given(LotFell(2), CardLaid(2, "sun"))


def naming() -> LanternState:
    """Seat 2 is asked one of five."""
    return LANTERN.evolve(turning(), CardTurned(2))


def window() -> LanternState:
    return given(LotFell(2), CardLaid(2, "sun"), CardTurned(2), NumberNamed(2, 3), WindowOpened(50))


def answering() -> LanternState:
    """Seat 2 is asked one of two."""
    state = LANTERN.evolve(window(), Caught(SECOND_CHAIR))
    return LANTERN.evolve(state, WindowClosed(2, SECOND_CHAIR))


def pressed(chair: Chair | None, button: str = "seat") -> ob.ButtonPressed:
    return ob.ButtonPressed(at=100, chair=chair, button=button)


def released(chair: Chair | None, button: str = "seat") -> ob.ButtonReleased:
    return ob.ButtonReleased(at=200, chair=chair, button=button)


def held(chair: Chair | None, button: str = "seat") -> ob.ButtonHeld:
    return ob.ButtonHeld(at=100 + HOLD_TIME, chair=chair, button=button)


def after(state: LanternState, *seen: ob.Observation) -> tuple[LanternState, tuple[Event, ...]]:
    """The state after some observations, and what the last of them ruled."""
    events: tuple[Event, ...] = ()
    for one in seen:
        events = LANTERN.decide(state, one)
        for event in events:
            state = LANTERN.evolve(state, event)
    return state, events


def test_one_choice_acts_at_the_edge_of_the_press() -> None:
    assert LANTERN.decide(turning(), pressed(FIRST)) == (CardTurned(2),)


def test_a_chair_that_is_not_asked_does_nothing_with_its_button() -> None:
    assert LANTERN.decide(turning(), pressed(SECOND_CHAIR)) == ()


def test_a_chair_that_is_not_in_the_game_does_nothing_with_its_button() -> None:
    for seen in (pressed(STRANGER), released(STRANGER), held(STRANGER)):
        assert LANTERN.decide(turning(), seen) == ()
        assert LANTERN.decide(answering(), seen) == ()


def test_with_two_choices_a_tap_is_the_first() -> None:
    _, events = after(answering(), pressed(FIRST), released(FIRST))
    assert events == (ev.PressEnded(FIRST), Answered(2, gave=False, next_seat=3))


def test_with_two_choices_a_hold_is_the_second() -> None:
    _, events = after(answering(), pressed(FIRST), held(FIRST))
    assert events == (ev.PressEnded(FIRST), Answered(2, gave=True, next_seat=3))


def test_the_release_after_a_hold_says_nothing_more() -> None:
    state, _ = after(answering(), pressed(FIRST), held(FIRST))
    assert LANTERN.decide(state, released(FIRST)) == ()


def test_with_two_choices_the_press_alone_decides_nothing() -> None:
    state, events = after(answering(), pressed(FIRST))
    assert events == (ev.PressBegan(FIRST, (Action(2, "keep"), Action(2, "give"))),)
    assert state.phase == "answer"


def test_with_many_choices_taps_step_through_them_and_come_round() -> None:
    state = naming()
    (prompt,) = LANTERN.prompts(state)
    marks = []
    for _ in range(6):
        state, _ = after(state, pressed(FIRST), released(FIRST))
        marks.append(state.desk.choice_index(prompt))
    assert marks == [1, 2, 3, 4, 0, 1]


def test_with_many_choices_a_hold_confirms_the_marked_one() -> None:
    _, events = after(naming(), pressed(FIRST), released(FIRST), pressed(FIRST), held(FIRST))
    assert events == (ev.PressEnded(FIRST), NumberNamed(2, 2))


def test_the_mark_is_gone_once_the_choice_is_made() -> None:
    state, _ = after(naming(), pressed(FIRST), released(FIRST), pressed(FIRST), held(FIRST))
    assert state.desk.pending_choice(FIRST) is None


def test_a_press_begun_under_one_prompt_never_answers_another() -> None:
    """The button went down to step through numbers; by touch the number was named and the game moved on."""
    state, _ = after(naming(), pressed(FIRST))
    moved = given(LotFell(2), CardLaid(2, "sun"), CardTurned(2), NumberNamed(2, 3), WindowOpened(50))
    moved = LANTERN.evolve(LANTERN.evolve(moved, Caught(SECOND_CHAIR)), WindowClosed(2, SECOND_CHAIR))
    carried = LANTERN.evolve(moved, ev.PressBegan(FIRST, LANTERN.prompts(state)[0].actions))
    assert LANTERN.decide(carried, held(FIRST)) == (ev.PressEnded(FIRST),)
    assert LANTERN.decide(carried, released(FIRST)) == (ev.PressEnded(FIRST),)


def test_a_button_held_while_its_question_was_away_answers_nothing_when_the_question_is_back() -> None:
    """It was held while something else was asked, which was undone before its release."""
    began = LANTERN.decide(naming(), pressed(FIRST))
    elsewhere = LANTERN.evolve(answering(), *began)
    held_elsewhere = LANTERN.decide(elsewhere, held(FIRST))
    back = naming()
    for event in (*began, *held_elsewhere):
        back = LANTERN.evolve(back, event)
    assert LANTERN.decide(back, released(FIRST)) == ()


def test_a_hold_without_its_press_decides_nothing() -> None:
    assert LANTERN.decide(answering(), held(FIRST)) == ()


def test_a_release_without_its_press_decides_nothing() -> None:
    assert LANTERN.decide(answering(), released(FIRST)) == ()


def test_the_shared_ok_confirms_for_the_one_chair_that_is_asked() -> None:
    assert LANTERN.decide(naming(), pressed(None, "ok")) == (NumberNamed(2, 1),)


def test_shared_back_and_next_step_through_the_choices_of_the_one_chair_that_is_asked() -> None:
    state, _ = after(naming(), pressed(None, "next"), pressed(None, "next"), pressed(None, "back"))
    assert LANTERN.decide(state, pressed(None, "ok")) == (ev.PressEnded(FIRST), NumberNamed(2, 2))


def test_stepping_back_from_the_first_choice_comes_to_the_last() -> None:
    state, _ = after(naming(), pressed(None, "back"))
    assert LANTERN.decide(state, pressed(None, "ok")) == (ev.PressEnded(FIRST), NumberNamed(2, 5))


def test_the_shared_buttons_step_through_two_choices_as_well() -> None:
    state, _ = after(answering(), pressed(None, "next"))
    answered = (ev.PressEnded(FIRST), Answered(2, gave=True, next_seat=3))
    assert LANTERN.decide(state, pressed(None, "ok")) == answered


def test_the_chairs_own_button_and_the_shared_ones_move_the_same_mark() -> None:
    _, events = after(
        naming(), pressed(FIRST), released(FIRST), pressed(None, "next"), pressed(FIRST), held(FIRST)
    )
    assert events == (ev.PressEnded(FIRST), NumberNamed(2, 3))


def test_no_shared_button_acts_while_a_window_is_open() -> None:
    for button in ("back", "next", "ok"):
        assert LANTERN.decide(window(), pressed(None, button)) == ()


def test_holding_back_pauses_and_ok_goes_on() -> None:
    paused, events = after(naming(), held(None, "back"))
    assert events == (ev.GamePaused(),)
    _, events = after(paused, pressed(None, "ok"))
    assert events == (ev.GameResumed(),)


def test_a_pause_closes_every_control_but_resume() -> None:
    paused, _ = after(naming(), ob.PauseRequested(at=1))
    assert LANTERN.controls(paused) == {}
    assert LANTERN.legal_actions(paused) == frozenset()
    assert LANTERN.next_timer(LANTERN.evolve(window(), ev.GamePaused())) is None
    for seen in (
        pressed(FIRST),
        held(FIRST),
        pressed(None, "next"),
        ob.ActionDeclared(at=3, action=Action(2, "name", 1)),
    ):
        assert LANTERN.decide(paused, seen) == ()


def test_a_pause_inside_a_window_voids_it() -> None:
    state, events = after(window(), ob.PauseRequested(at=99))
    assert events == (ev.WindowVoided("pause"), ev.GamePaused())
    assert (state.phase, state.attempt) == ("call", 1)


def test_a_pause_forgets_what_a_finger_began() -> None:
    state, _ = after(naming(), pressed(FIRST), ob.PauseRequested(at=150), ob.ResumeRequested(at=160))
    assert LANTERN.decide(state, released(FIRST)) == ()


@pytest.mark.parametrize(
    ("state", "expected"),
    [
        (turning(), {(FIRST, "press"), (None, "ok")}),
        (naming(), {(FIRST, "tap"), (FIRST, "hold"), (None, "ok"), (None, "next"), (None, "back")}),
        (window(), {(SECOND_CHAIR, "press")}),
        (answering(), {(FIRST, "tap"), (FIRST, "hold"), (None, "ok"), (None, "next"), (None, "back")}),
        (given(), set()),
    ],
)
def test_the_controls_are_those_of_the_prompt(
    state: LanternState, expected: set[tuple[Chair | None, str]]
) -> None:
    assert set(LANTERN.controls(state)) == expected


def test_a_panel_shows_each_choice_with_the_press_that_makes_it() -> None:
    (one,) = LANTERN.prompts(turning())
    (two,) = LANTERN.prompts(answering())
    (many,) = LANTERN.prompts(naming())
    assert [choice.press for choice in LANTERN.choices(turning(), one)] == ["press"]
    assert [choice.press for choice in LANTERN.choices(answering(), two)] == ["tap", "hold"]
    shown = LANTERN.choices(naming(), many)
    assert [choice.press for choice in shown] == ["hold", "tap", "tap", "tap", "tap"]
    assert [choice.marked for choice in shown] == [True, False, False, False, False]


def test_stepping_by_declaration_moves_the_mark_too() -> None:
    state, events = after(naming(), ob.ActionDeclared(at=1, action=Action(2, STEP, -1)))
    assert events == (ev.ChoiceStepped(FIRST, 4, LANTERN.prompts(state)[0].actions),)
