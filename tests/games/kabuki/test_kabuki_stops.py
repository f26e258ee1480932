"""Whose Stop counts and which mask it is about: pending calls, photo finishes, and presses nobody meant."""

from __future__ import annotations

import pytest

from companion.core import observations as ob
from companion.core.actions import Action, Micros
from companion.core.events import Event
from companion.games.kabuki.rules.model import (
    UNREAD,
    CallerAsked,
    FaceForgotten,
    KabukiPhase,
    MaskAsked,
    MaskPlaced,
    OwnMaskCalled,
    StopAssigned,
    StopCalled,
    StopRight,
    StopTooEarly,
    StopVoided,
)
from companion.games.kit.race import TIE_WINDOW
from tests.games.game_table import broken, kinds
from tests.games.kabuki.kabuki_table import MS, RULES, SECOND, TURN, A, B, C, D, E, F, Table, table

WAVES = (("wave", 1), ("leaf", 1), ("sun", 2))
"""A, B and C have placed; D is in turn."""


def astride(game: Table, press: Micros, caller: int = A) -> tuple[Micros, tuple[object, ...]]:
    """D lays a wave on stack 1 between two pictures; `caller` calls `press` after the first of them."""
    clear = game.at + TURN
    game.press(caller, clear + press)
    return clear, game.stack(1, "mask:wave", clear=clear, since=clear + 600 * MS)


def test_a_stop_is_announced_at_once_without_naming_a_stack() -> None:
    game = table().lay(WAVES)
    (called,) = game.press(A)
    assert isinstance(called, StopCalled)
    told = RULES.sentence(game.state, called)
    assert told is not None
    assert dict(told.parts) == {"chair": A}
    assert game.phase == "called"


def test_a_press_ten_milliseconds_before_the_last_clear_picture_is_about_the_mask_before() -> None:
    game = table().lay(WAVES)
    _, ruled = astride(game, -10 * MS)
    (assigned,) = [event for event in ruled if isinstance(event, StopAssigned)]
    assert (assigned.number, assigned.placer, assigned.stack) == (3, C, 2)
    assert not any(isinstance(event, MaskPlaced) for event in ruled), "the wave waits"
    game.check(0)
    resumed = game.restore()
    assert [event.number for event in resumed if isinstance(event, MaskPlaced)] == [4], "nothing is lost"
    assert game.state.drawer == A


def test_a_press_between_the_pictures_is_asked_about_and_the_new_mask_comes_first() -> None:
    game = table().lay(WAVES)
    _, ruled = astride(game, 300 * MS)
    assert kinds(ruled) == ["PlacementQueued", "MaskAsked"]
    assert [str(action) for action in RULES.prompts(game.state)[0].actions] == ["0:newer", "0:older"]
    answered = game.say(A, "newer")
    assert kinds(answered) == ["MaskPlaced", "StopAssigned"]
    assert (game.about.number, game.about.placer, game.about.stack) == (4, D, 1)


def test_the_caller_may_have_meant_the_mask_before() -> None:
    game = table().lay(WAVES)
    astride(game, 300 * MS)
    assert kinds(game.say(A, "older")) == ["StopAssigned"]
    assert (game.about.number, game.about.placer) == (3, C)


def test_a_press_ten_milliseconds_after_the_mask_lay_is_about_the_new_mask() -> None:
    game = table().lay(WAVES)
    clear, ruled = astride(game, 610 * MS)
    assert kinds(ruled) == ["PlacementQueued", "MaskPlaced", "StopAssigned"]
    assert game.about.number == 4
    assert game.about.at == clear + 610 * MS
    assert StopRight(A, D, 1, 1) in game.check(1)


@pytest.mark.parametrize(("press", "number"), [(0, 3), (600 * MS, 4)])
def test_the_pictures_themselves_decide_at_their_own_instants(press: Micros, number: int) -> None:
    game = table().lay(WAVES)
    astride(game, press)
    assert game.about.number == number


@pytest.mark.parametrize(("caller", "number"), [(C, 4), (D, 3)])
def test_between_the_pictures_nobody_is_asked_who_placed_one_of_the_two(caller: int, number: int) -> None:
    game = table().lay(WAVES)
    astride(game, 300 * MS, caller)
    assert game.about.number == number
    assert game.of(MaskAsked) == []


def test_of_two_calls_astride_the_change_the_first_counts_and_the_other_is_void() -> None:
    game = table().lay(WAVES)
    clear = game.at + TURN
    game.press(A, clear - 10 * MS)
    game.press(B, clear + 610 * MS)
    ruled = game.stack(1, "mask:wave", clear=clear, since=clear + 600 * MS)
    assert (game.about.seat, game.about.number) == (A, 3)
    assert StopVoided(B, 620 * MS) in ruled
    game.check(0)
    game.restore()
    assert game.last.number == 4
    assert kinds(game.press(B)) == ["StopCalled"], "the new mask may still be stopped"


def test_a_first_call_on_the_own_mask_leaves_the_second_its_right() -> None:
    game = table().lay(WAVES)
    clear = game.at + TURN
    game.press(C, clear - 10 * MS)
    game.press(B, clear + 610 * MS)
    ruled = game.stack(1, "mask:wave", clear=clear, since=clear + 600 * MS)
    assert (game.about.seat, game.about.number) == (B, 4)
    assert OwnMaskCalled(C) not in ruled, "it was about the mask before, and void only by order"
    assert StopVoided(C, -620 * MS) in ruled


def test_without_any_new_reading_a_stop_is_about_the_mask_that_lies() -> None:
    game = table().lay(WAVES)
    ruled = game.stop(A)
    assert kinds(ruled) == ["StopCalled", "CallsLocked", "StopAssigned"]
    assert game.about.number == 3


def test_a_reading_that_settles_after_all_moves_the_stop_to_the_mask_that_lay_there() -> None:
    game = table().lay(WAVES)
    clear = game.at + TURN
    game.press(A, clear + 700 * MS)
    game.elapse(clear + 3 * SECOND)
    assert game.about.number == 3
    game.see(("stack:1", ("mask:wave",)), clear=clear, since=clear + 600 * MS, at=clear + 4 * SECOND)
    assert game.about.number == 4


def test_a_reading_that_never_settles_is_said_and_the_stop_is_asked_about() -> None:
    game = table().lay(WAVES)
    game.stop(A)
    assert game.about.number == 3
    assert kinds(game.say(D, "place", "wave@1")) == ["PlacementQueued", "MaskAsked"]
    game.say(A, "newer")
    assert (game.about.number, game.about.stack) == (4, 1)


def test_a_mask_that_cannot_be_read_stands_as_unread_and_a_stop_on_it_is_resolved_by_looking() -> None:
    game = table().lay([("wave", 1), ("sun", 2)])
    start = game.at + TURN
    game.stack(1, "unknown", clear=start, since=start + 500 * MS)
    (placed,) = game.wait(2 * SECOND)
    assert isinstance(placed, MaskPlaced)
    assert placed.mask == ""
    hint = RULES.view(game.state).hint
    assert hint is not None
    assert hint.key == "kabuki.hint.unread"
    ruled = game.settle(D, 1)
    assert StopRight(D, C, 1, 1) in ruled, "the referee has no opinion, the table's word counts"


def test_a_stop_on_a_mask_that_is_still_unread_finds_it() -> None:
    game = table().lay([("wave", 1), ("sun", 2)])
    start = game.at + TURN
    game.stack(1, "unknown", clear=start, since=start + 500 * MS)
    game.press(D, start + 1_200 * MS)
    game.wait(2 * SECOND)
    assert (game.about.number, game.about.stack) == (3, 1)


def test_of_a_deck_that_was_said_to_be_empty_nothing_unread_is_a_mask() -> None:
    game = table().lay([("wave", 1), ("sun", 2)])
    start = game.at + TURN
    game.stack(1, "unknown", clear=start, since=start + 500 * MS)
    game.say(game.state.drawer, "deck_empty")
    game.press(D)
    game.wait(2 * SECOND)
    assert (game.about.number, game.about.stack) == (2, 2)
    assert RULES.find_violation(game.state) is None


def test_a_face_that_is_read_at_last_lay_since_before_it_was_unreadable() -> None:
    game = table().lay([("wave", 1), ("sun", 2)])
    start = game.at + TURN
    game.stack(1, "unknown", clear=start, since=start + 500 * MS)
    game.press(D, start + 600 * MS)
    game.stack(1, "mask:crab", clear=start + 1_000 * MS, since=start + 1_400 * MS)
    assert game.of(MaskAsked), "between the last picture without it and the first that shows it"


def test_an_unread_mask_can_be_named_or_read_later() -> None:
    for name in (lambda g: g.say(A, "name", "wave@1"), lambda g: g.looks("stack:1", "mask:wave")):
        game = table().lay([("sun", 2)])
        start = game.at + TURN
        game.stack(1, "unknown", clear=start, since=start + 500 * MS)
        game.wait(2 * SECOND)
        assert kinds(name(game)) == ["MaskRead"]
        assert game.designs(1) == ("wave",)


def test_without_a_camera_a_name_on_a_mask_nobody_read_answers_which_one_it_is() -> None:
    game = table()
    game.observe(ob.CameraLost(at=game.at + MS))
    game.say(A, "place", 1)
    offered = [one for one in RULES.view(game.state).shared if one.region == "stack:1" and one.card]
    assert {one.action.verb for one in offered} == {"name"}
    (demon,) = (one.action for one in offered if one.card == "mask:demon")
    drawer = game.state.drawer
    assert kinds(game.say(demon.seat, demon.verb, demon.value)) == ["MaskRead"]
    assert (game.state.drawer, game.designs(1)) == (drawer, ("demon",))
    asked = {one.action.verb for one in RULES.view(game.state).shared if one.card}
    assert asked == {"place"}, "then the next turn is told"


def test_a_mask_that_was_told_without_its_name_can_be_corrected_to_any() -> None:
    game = table()
    bare = ob.ActionDeclared(at=game.at + MS, action=Action(A, "place", 1))
    assert Action(A, "place", "demon@1") in set(RULES.correction_choices(game.state, bare))


def test_the_placers_own_press_is_void_and_costs_nothing() -> None:
    game = table().lay(WAVES)
    ruled = game.stop(C)
    assert OwnMaskCalled(C) in ruled
    assert broken(ruled) == []
    assert game.tokens == (5, 5, 5, 5)
    assert game.phase == "playing"


def test_a_placers_void_call_counts_after_all_when_the_next_mask_lay_there_before_it() -> None:
    game = table(2).lay([("wave", 1), ("leaf", 2)])  # A, B: A is in turn
    clear = game.at + TURN
    game.press(B, clear + 700 * MS)
    game.elapse(clear + 3 * SECOND)
    assert OwnMaskCalled(B) in game.rulings
    game.see(("stack:1", ("mask:sun",)), clear=clear, since=clear + 600 * MS, at=clear + 3 * SECOND)
    assert (game.about.seat, game.about.number) == (B, 3)


def test_a_press_with_no_mask_placed_is_a_false_start() -> None:
    game = table()
    assert kinds(game.press(C)) == ["StopCalled"], "the first mask may lie already"
    assert StopTooEarly(C) in game.wait(2 * SECOND)
    assert game.phase == "playing"


def test_a_press_just_before_the_first_mask_lay_is_a_false_start() -> None:
    game = table()
    clear = game.at + TURN
    game.press(C, clear)
    game.stack(1, "mask:wave", clear=clear, since=clear + 500 * MS)
    assert game.of(StopTooEarly) == [StopTooEarly(C)]


def test_a_stop_on_the_first_mask_comes_before_its_reading() -> None:
    game = table()
    clear = game.at + TURN
    game.press(C, clear + 200 * MS)
    game.stack(1, "mask:wave", clear=clear, since=clear + 500 * MS)
    assert (game.about.seat, game.about.number) == (C, 1)


# The finish -------------------------------------------------------------------------------------------------


def finish(gap: Micros, *, first: str = "gpio", second: str = "gpio") -> Table:
    """D and, `gap` later, C call the mask of B."""
    game = table().lay([("wave", 1), ("leaf", 2)])
    start = game.at + SECOND
    game.press(D, start, source=first)
    game.press(C, start + gap, source=second)
    game.wait(2 * SECOND)
    return game


def test_presses_apart_by_the_stated_resolution_are_told_apart() -> None:
    game = finish(1_000)
    assert game.about.seat == D
    assert game.of(StopVoided) == [StopVoided(C, 1_000)]
    assert game.of(StopAssigned)[0].tied == ()


def test_presses_closer_than_the_resolution_are_equal_and_go_clockwise_from_the_placer() -> None:
    game = finish(999)
    assert game.about.seat == C, "the nearest clockwise after B"
    assert game.of(StopAssigned)[0].tied == (D,)
    assert game.of(StopVoided) == [StopVoided(D, -999)], "its distance is kept"


def test_the_coarser_of_two_sources_decides() -> None:
    assert finish(5 * MS, first="gpio", second="usb").about.seat == C
    assert finish(5 * MS, first="gpio", second="gpio").about.seat == D
    assert finish(12 * MS, first="usb", second="key").about.seat == C


def test_who_certainly_came_after_another_has_no_part_in_the_tie_of_that_one_with_a_third() -> None:
    game = table(6).lay([("wave", 1), ("leaf", 2)])
    at = game.at + SECOND
    game.press(F, at, source="usb")
    game.press(E, at + 300, source="gpio")
    game.press(C, at + 4_078, source="gpio")
    game.wait(2 * SECOND)
    (assigned,) = game.of(StopAssigned)
    assert (assigned.seat, assigned.tied) == (E, (F,)), "B placed: C is nearest, but came after E"
    assert StopVoided(C, 3_778) in game.of(StopVoided)


def test_the_earlier_stamp_wins_even_if_it_is_judged_second() -> None:
    game = table().lay([("wave", 1), ("leaf", 2)])
    start = game.at + SECOND
    game.press(C, start)
    game.state = fold_late(game, D, start - 2 * MS)
    game.wait(2 * SECOND)
    assert game.about.seat == D


def fold_late(game: Table, chair: int, at: Micros):  # type: ignore[no-untyped-def]
    from tests.games.kabuki.kabuki_table import fold

    return fold(game.state, RULES.decide(game.state, ob.ButtonPressed(at=at, chair=chair)))


def test_all_six_at_once_are_ruled_and_the_placer_has_no_call() -> None:
    game = table(6).lay([("wave", 1), ("leaf", 2)])
    start = game.at + SECOND
    for seat in range(6):
        game.press(seat, start)
    ruled = game.wait(2 * SECOND)
    assert game.about.seat == C, "the nearest clockwise after the placer B"
    assert game.of(StopAssigned)[0].tied == (A, D, E, F)
    assert OwnMaskCalled(B) in ruled
    assert {event.seat for event in game.of(StopVoided)} == {A, D, E, F}


@pytest.mark.parametrize(("coarsest", "due"), [(16 * MS, TIE_WINDOW), (60 * MS, 60 * MS)])
def test_the_order_is_ruled_when_no_press_can_equal_the_first_or_still_be_under_way(
    coarsest: Micros, due: Micros
) -> None:
    game = table(touch_us=coarsest).lay([("wave", 1)])
    game.press(B)
    timer = RULES.next_timer(game.state)
    assert timer is not None
    assert (timer.name, timer.due) == ("tie", game.at + due)


def by_level(game: Table, seat: int, since: Micros, at: Micros) -> tuple[Event, ...]:
    """A press whose edge was lost: read up at `since` and down at `at`."""
    return game.observe(ob.ButtonPressed(at=at, chair=seat, since=since))


def of_unknown_order() -> Table:
    """F presses, and D does so while nobody looks."""
    game = table(6).lay([("wave", 1), ("leaf", 2)])
    at = game.at + SECOND
    game.press(F, at)
    by_level(game, D, at - 10 * MS, at + 16 * MS)
    game.wait(2 * SECOND)
    return game


def test_of_presses_whose_order_nobody_knows_none_has_the_stop_and_the_placer_is_asked() -> None:
    game = of_unknown_order()
    assert game.of(StopAssigned) == []
    (asked,) = game.of(CallerAsked)
    assert asked == CallerAsked(B, (D, F), 26 * MS, newer=False)
    (prompt,) = RULES.prompts(game.state)
    assert prompt.chair == B
    assert [(action.verb, action.value) for action in prompt.actions] == [("first", D), ("first", F)]


@pytest.mark.parametrize(("named", "other"), [(D, F), (F, D)])
def test_whom_the_placer_names_has_the_stop(named: int, other: int) -> None:
    game = of_unknown_order()
    assert kinds(game.say(B, "first", named)) == ["StopAssigned", "StopVoided"]
    assert (game.about.seat, game.about.placer, game.about.number) == (named, B, 2)
    assert game.of(StopVoided) == [StopVoided(other, 0)], "and not how much later"


def test_nobody_else_says_who_was_first_and_nobody_else_is_named() -> None:
    game = of_unknown_order()
    assert kinds(game.say(D, "first", D)) == ["Infraction"]
    assert kinds(game.say(B, "first", A)) == ["Infraction"]
    assert kinds(game.say(F, "newer")) == ["Infraction"]
    assert game.phase == "asking"


def test_the_order_is_asked_for_after_the_mask_where_both_are_unclear() -> None:
    game = table().lay(WAVES)
    clear = game.at + TURN
    game.press(A, clear + 300 * MS)
    by_level(game, B, clear + 290 * MS, clear + 310 * MS)
    game.stack(1, "mask:wave", clear=clear, since=clear + 600 * MS)
    assert kinds(game.say(A, "newer")) == ["CallerAsked"]
    assert kinds(game.say(D, "first", B)) == ["MaskPlaced", "StopAssigned", "StopVoided"]
    assert (game.about.seat, game.about.number) == (B, 4)


@pytest.mark.parametrize("since", [2 * MS, 10 * MS])
def test_a_press_found_by_its_level_that_began_later_is_later(since: Micros) -> None:
    game = table(6).lay([("wave", 1), ("leaf", 2)])
    at = game.at + SECOND
    game.press(F, at)
    by_level(game, D, at + since, at + 16 * MS)
    game.wait(2 * SECOND)
    assert (game.about.seat, game.of(StopAssigned)[0].tied) == (F, ())


def test_the_photo_finish_has_the_interval_of_a_press_that_was_found_by_its_level() -> None:
    game = table(6).lay([("wave", 1), ("leaf", 2)])
    at = game.at + SECOND
    by_level(game, D, at - 10 * MS, at)
    game.wait(2 * SECOND)
    (finish,) = RULES.photo_finishes(game.state, reversed(game.entries))
    assert [(press.since, press.at) for press in finish.presses] == [(at - 10 * MS, at)]


def test_a_press_that_is_delivered_after_a_later_one_still_has_the_stop() -> None:
    game = table().lay([("wave", 1), ("leaf", 2)])
    at = game.at + 300 * MS
    game.press(C, at + 5 * MS)
    game.press(A, at)
    game.wait(2 * SECOND)
    assert (game.about.seat, game.about.at) == (A, at)


# Unread masks and the mask in hand --------------------------------------------------------------------------


def test_a_mask_that_came_to_lie_unread_in_a_stop_is_not_one_that_is_shown_after_it() -> None:
    game = table(stop_withdraw=True).lay([("leaf", 1), ("wave", 2)])
    game.press(D)
    game.looks("stack:3", "unknown")
    assert "PlacementQueued" in kinds(game.wait(2 * SECOND))
    game.looks("show", "mask:sun")
    game.say(D, "withdraw")
    assert (game.last.design, game.state.stack_of(game.last)) == (UNREAD, 3)


def test_a_mask_that_came_to_lie_unread_in_a_stop_is_the_one_that_was_shown_before_it() -> None:
    game = table(stop_withdraw=True).lay([("leaf", 1), ("wave", 2)])
    game.looks("show", "mask:sun")
    game.press(D)
    game.looks("stack:3", "unknown")
    game.wait(2 * SECOND)
    game.say(D, "withdraw")
    assert (game.last.design, game.state.stack_of(game.last)) == ("sun", 3)


@pytest.mark.parametrize(("again", "named"), [(False, UNREAD), (True, "sun")])
def test_what_lay_unread_before_a_mask_was_shown_is_not_that_mask(again: bool, named: str) -> None:
    """`again`: something settled there once more, after the mask was shown."""
    game = table().lay([("leaf", 1), ("wave", 2)])
    game.looks("stack:3", "unknown")
    game.looks("show", "mask:sun")
    if again:
        game.looks("stack:3", "unknown")
    game.wait(20 * SECOND)
    assert (game.last.design, game.state.stack_of(game.last)) == (named, 3)


def test_a_mask_whose_name_was_forgotten_before_it_is_placed_is_not_the_one_in_hand() -> None:
    game = table(stop_withdraw=True).lay([("leaf", 1), ("wave", 2)])
    game.looks("show", "mask:sun")
    game.press(D)
    game.looks("stack:3", "mask:moon")
    assert game.state.pending.placement is not None
    game.state = RULES.evolve(game.state, FaceForgotten("queued"))
    game.wait(2 * SECOND)
    game.say(D, "withdraw")
    assert (game.last.design, game.state.stack_of(game.last)) == (UNREAD, 3)


def test_a_mask_in_hand_at_the_end_of_a_round_is_shuffled_in() -> None:
    game = table().lay([("leaf", 1), ("wave", 2)]).hand_out(4, 4, 4, 1)
    game.looks("show", "mask:sun")
    game.settle(D, 0)
    assert game.state.phase is KabukiPhase.SHUFFLING
    view = RULES.view(game.state)
    assert {place.region: place.card for place in view.places}["show"] == ""
    assert [chair.cards for chair in view.chairs] == [0] * 4
