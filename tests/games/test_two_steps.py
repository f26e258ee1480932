"""A choice with two values: rows, then what is in them; by button, by the shared buttons, by touch."""

from __future__ import annotations

from functools import reduce
from typing import Any

import pytest
from cups import GAME
from cups.rules import CUPS, BidMade, CupsState

from companion.core import observations as ob
from companion.core.actions import HOLD_TIME, Action, Setup, pair_value
from companion.core.button_choices import PICK, STEP, presses_to
from companion.testing import conformance
from companion.testing.random_walks import GameCase, make_cases
from tests.thorough import examples

CASES = tuple(make_cases(GAME.rules))
BY_HAND = (conformance.check_playable_by_buttons, conformance.check_playable_by_touch)


def table(players: int = 6) -> CupsState:
    return CUPS.initial_state(Setup(tuple(range(players)), CUPS.options()))


def told(state: CupsState, *seen: Any) -> CupsState:
    return reduce(
        lambda now, one: reduce(CUPS.evolve, CUPS.decide(now, one), now),  # type: ignore[arg-type]
        seen,
        state,
    )


def press(state: CupsState, chair: int, kind: str) -> CupsState:
    end = ob.ButtonHeld if kind == "hold" else ob.ButtonReleased
    return told(state, ob.ButtonPressed(at=1, chair=chair), end(at=1 + HOLD_TIME, chair=chair))


def said(state: CupsState, seat: int, verb: str, value: str | int | None = None) -> CupsState:
    return told(state, ob.ActionDeclared(at=0, action=Action(seat, verb, value)))


def bidding() -> CupsState:
    """Seat 1 is asked: to doubt 4 × 6, or to bid 5 of anything or more."""
    return said(table(), 0, "bid", "4|6")


@pytest.mark.parametrize("seed", range(examples(3)))
@pytest.mark.parametrize("check", [*conformance.CONFORMANCE_CHECKS, *BY_HAND], ids=lambda one: one.__name__)
@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_game_without_cards_keeps_what_every_game_promises(
    case: GameCase, check: conformance.ConformanceCheck, seed: int
) -> None:
    check(case, seed)


def test_a_value_has_its_two_parts() -> None:
    assert Action(0, "bid", pair_value(5, 3)).parts == (5, 3)
    assert Action(0, "tell", pair_value("spy", 3)).parts == ("spy", 3)
    assert (Action(0, "name", 7).parts, Action(0, "name").parts) == ((7,), ())


def test_taps_step_through_the_first_values_and_a_hold_picks_one() -> None:
    state = press(press(bidding(), 1, "tap"), 1, "tap")
    marked = {one.action.parts[0] for one in CUPS.view(state).chairs[1].choices if one.marked}
    assert marked == {6}
    state = press(state, 1, "hold")
    assert state.bid == (4, 6), "nothing is said yet"
    marked = {one.action.parts for one in CUPS.view(state).chairs[1].choices if one.marked}
    assert marked == {(6, 1)}
    state = press(press(state, 1, "tap"), 1, "hold")
    assert (state.bid, state.bidder) == ((6, 2), 1)


@pytest.mark.parametrize(
    "chosen",
    [
        ob.ActionDeclared(at=9, action=Action(1, "bid", "6|1")),
        ob.ButtonPressed(at=9, chair=None, button="ok"),
    ],
)
def test_what_is_chosen_without_the_own_button_begins_the_next_choice_at_the_rows(
    chosen: ob.Observation,
) -> None:
    state = reduce(lambda now, kind: press(now, 1, kind), ("tap", "tap", "hold"), bidding())
    state = told(state, chosen)
    assert (state.bid, state.desk.marks) == ((6, 1), ())


def test_what_has_one_step_is_held_at_once() -> None:
    assert press(bidding(), 1, "hold").phase == "count"


def test_a_tap_beyond_the_last_of_a_row_is_back_at_the_rows() -> None:
    state = press(press(bidding(), 1, "tap"), 1, "hold")
    for _ in range(6):
        state = press(state, 1, "tap")
    marked = {one.action.parts for one in CUPS.view(state).chairs[1].choices if one.marked}
    assert marked == {(5, face) for face in range(1, 7)}


@pytest.mark.parametrize("begun", [(), ("tap",), ("tap", "hold"), ("tap", "tap", "hold", "tap", "tap")])
def test_the_presses_to_every_choice_lead_there_from_wherever_somebody_is(begun: tuple[str, ...]) -> None:
    start = reduce(lambda state, kind: press(state, 1, kind), begun, bidding())
    (prompt,) = CUPS.prompts(start)
    for action in prompt.actions[:20]:
        state = start
        for kind in presses_to(start.desk, prompt, action):
            state = press(state, 1, kind)
        assert state.phase == "count" if action.verb == "doubt" else state.bid == action.parts


def test_the_shared_buttons_step_and_pick_too() -> None:
    state = told(bidding(), ob.ButtonPressed(at=1, chair=None, button="next"))
    state = told(state, ob.ButtonPressed(at=2, chair=None, button="ok"))
    state = told(state, ob.ButtonPressed(at=3, chair=None, button="back"))
    marked = {one.action.parts[0] for one in CUPS.view(state).chairs[1].choices if one.marked}
    assert marked == {5}, "a step back from the first of a row leads out of it"


def test_a_row_that_is_touched_is_picked_and_left_again() -> None:
    (prompt,) = CUPS.prompts(bidding())
    place = prompt.actions.index(Action(1, "bid", "7|1"))
    state = said(bidding(), 1, STEP, f"{PICK}{place}")
    assert {one.action.parts[0] for one in CUPS.view(state).chairs[1].choices if one.press} == {7}
    back = said(state, 1, STEP, PICK)
    assert all(one.press for one in CUPS.view(back).chairs[1].choices)
    for nonsense in ("row:-3", "row:x", "row:9999", "row:2", "second"):
        assert said(bidding(), 1, STEP, nonsense) == bidding()


def test_the_voice_says_the_first_value_when_it_was_picked() -> None:
    state = press(bidding(), 1, "tap")
    (begun,) = CUPS.decide(state, ob.ButtonPressed(at=1, chair=1))
    down = CUPS.evolve(state, begun)
    ruled = CUPS.decide(down, ob.ButtonHeld(at=1 + HOLD_TIME, chair=1))
    spoken = [CUPS.picked_row(down, event) for event in ruled]
    assert [one.parts for one in spoken if one is not None] == [(("first", 5),)]


def test_every_bid_is_an_event_of_its_own() -> None:
    seen = ob.ActionDeclared(at=0, action=Action(1, "bid", "5|2"))
    assert CUPS.decide(bidding(), seen) == (BidMade(1, 5, 2),)
