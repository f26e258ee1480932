"""The check: the players look, the referee's count is the second opinion, and the log can be put right."""

from __future__ import annotations

from typing import Any

import pytest

from companion.core import observations as ob
from companion.core.events import Event
from companion.core.observations import CameraLost, ProgramRestarted
from companion.core.view import Choice, Sentence
from companion.games.kabuki.rules import model, recap
from companion.games.kabuki.rules.model import (
    DECK_SIZE,
    CheckDiffers,
    DeckDoubted,
    DeckShort,
    FaceForgotten,
    KabukiPhase,
    KabukiRoundEnded,
    SixthCopySeen,
    StackMisread,
    StackOrderChanged,
    StackUnknown,
    StopRight,
    StopWrong,
)
from tests.games.game_table import broken, kinds
from tests.games.kabuki.kabuki_table import MS, RULES, SECOND, TURN, A, B, C, D, Table, table, whole_deck

TWINS = (("wave", 1), ("leaf", 1), ("sun", 2), ("wave", 1))
"""D has placed a wave over a wave."""


def checking(*stacks: tuple[str, int]) -> Table:
    """A has stopped the last mask and everybody looks."""
    game = table().lay(stacks or TWINS)
    game.stop(A)
    game.say(A, "look")
    return game


def test_the_callers_button_steps_through_the_counts() -> None:
    game = checking()
    (prompt,) = RULES.prompts(game.state)
    assert prompt.chair == A
    assert [action.value for action in prompt.actions] == [0, 1, 2, 3, 4]


def test_where_table_and_referee_agree_the_tokens_move_at_once() -> None:
    game = checking()
    assert kinds(game.say(A, "twins", 1)) == ["CheckSaid", "StopRight"]
    assert game.tokens == (6, 5, 5, 4)


def test_another_stack_of_which_the_top_is_unknown_is_read_meanwhile() -> None:
    game = checking()
    for stack in (1, 2):  # as after an undo, since when nobody has seen them
        game.state = RULES.evolve(game.state, FaceForgotten(f"stack:{stack}"))
    assert kinds(game.looks("stack:1", "mask:leaf")) == []
    assert kinds(game.looks("stack:2", "mask:sun")) == ["MaskRead"]
    assert game.designs(2) == ("sun",)


def test_where_they_differ_the_stack_is_shown_and_nothing_moves_yet() -> None:
    game = checking()
    ruled = game.say(A, "twins", 2)
    assert CheckDiffers(1, 1) in ruled
    assert game.phase == "showing"
    assert game.tokens == (5, 5, 5, 5)


def test_a_stack_shown_at_once_settles_by_what_lies_there() -> None:
    game = checking()
    game.say(A, "twins", 2)
    ruled = game.looks("audit", "mask:wave", "mask:leaf", "mask:wave")
    assert StopRight(A, D, 1, 1) in ruled
    assert not any(isinstance(event, StackMisread) for event in ruled)


def test_a_stack_shown_card_by_card_corrects_the_log() -> None:
    game = checking()
    game.say(A, "twins", 2)
    for card in ("mask:wave", "mask:wave"):
        game.looks("show", card)
        game.looks("show")
    ruled = game.looks("show", "mask:wave")
    assert StackMisread(1) in ruled
    assert StopRight(A, D, 2, 2) in ruled
    assert game.designs(1) == ("wave", "wave", "wave")


def test_the_fanned_stack_may_answer_for_the_players() -> None:
    game = checking()
    ruled = game.looks("audit", "mask:wave", "mask:leaf", "mask:wave")
    assert kinds(ruled) == ["StackRead", "StopRight"]


def test_bi1_a_stack_put_back_in_another_order_is_told_at_its_next_check() -> None:
    game = checking()
    ruled = game.looks("audit", "mask:leaf", "mask:wave", "mask:wave")
    assert StackOrderChanged(1) in ruled
    assert broken(ruled) == [], "nobody is accused"
    assert game.designs(1) == ("leaf", "wave", "wave")


def test_a_shown_stack_of_another_height_settles_nothing() -> None:
    game = checking()
    assert broken(game.looks("audit", "mask:wave", "mask:wave")) == ["stack.count"]
    assert game.phase == "checking"


def test_said_twice_the_tables_word_counts_and_the_log_of_that_stack_is_unknown() -> None:
    game = checking()
    game.say(A, "twins", 0)
    ruled = game.say(A, "twins", 0)
    assert StackUnknown(1) in ruled
    assert StopWrong(A) in ruled
    assert game.designs(1) == ("", "", "wave")
    assert model.find_violation(game.state) is None


def test_fewer_twins_than_surely_lie_there_are_questioned_also_over_masks_that_are_unknown() -> None:
    game = checking()
    for _ in range(2):
        game.say(A, "twins", 0)
    game.restore()
    game.lay([("crab", 1), ("moon", 1), ("crab", 1)])
    game.stop(A if game.last.seat != A else B)
    ruled = game.check(0)
    assert CheckDiffers(1, 1) in ruled
    assert game.phase == "showing"


@pytest.mark.parametrize("count", [-1, 5, "two", None])
def test_a_count_that_cannot_be_is_refused(count: int | str | None) -> None:
    assert broken(checking().say(A, "twins", count)) == ["check.count"]


def test_only_the_caller_counts() -> None:
    assert broken(checking().say(B, "twins", 1)) == ["turn.not_yours"]


def test_the_stack_is_put_back_when_the_camera_sees_its_top_again() -> None:
    game = checking()
    game.say(A, "twins", 1)
    assert game.looks("stack:1", "mask:leaf") == (), "a buried mask lies open while the stack is sorted"
    assert kinds(game.looks("stack:1", "mask:wave")) == ["StackRestored"]
    assert game.phase == "playing"


def test_without_a_camera_the_players_say_stack_and_result() -> None:
    game = table()
    for seat, stack in ((A, 1), (B, 2), (C, 2)):
        assert kinds(game.say(seat, "place", stack)) == ["MaskPlaced"]
    ruled = game.settle(D, 1) if game.last.seat != D else ()
    assert StopRight(D, C, 1, 1) in ruled


def test_without_a_camera_the_shared_buttons_point_and_place() -> None:
    game = table()
    game.press(None, button="next")
    game.press(None, button="next")
    assert kinds(game.press(None, button="ok")) == ["MaskPlaced"]
    assert [len(stack) for stack in game.state.stacks] == [0, 0, 1, 0]


def test_ok_places_nothing_before_somebody_points_where_a_camera_sees() -> None:
    game = table()
    assert game.press(None, button="ok") == ()
    game.observe(ob.CameraLost(at=game.at + MS))
    assert kinds(game.press(None, button="ok")) == ["MaskPlaced"]


def marked(game: Table) -> list[str]:
    return [place.region for place in RULES.view(game.state).places if place.marked]


def test_the_mask_that_may_be_stopped_is_marked_and_a_stop_names_none() -> None:
    game = table()
    assert marked(game) == []
    game.lay([("wave", 1), ("leaf", 3)])
    assert marked(game) == ["stack:3"]
    game.press(A)
    assert marked(game) == []
    game.wait(2 * SECOND)
    assert marked(game) == ["stack:3"]
    game.check(0)
    game.restore()
    assert marked(game) == [], "it cannot be stopped again"
    game.press(None, button="next")
    assert marked(game) == ["stack:2"], "the shared buttons point"


# Counting masks ---------------------------------------------------------------------------------------------


def six_waves() -> Table:
    game = table()
    for turn in range(6):
        game.lay([("wave", turn % 3 + 1), ("leaf" if turn % 2 else "sun", 4)])
    return game


def test_bi3_a_sixth_copy_is_kept_silently_and_told_when_the_round_is_over() -> None:
    game = six_waves()
    assert game.of(SixthCopySeen) == [SixthCopySeen("wave")]
    for event in game.of(SixthCopySeen):
        assert RULES.sentence(game.state, event) is None
    assert model.find_violation(game.state) is None
    game.hand_out(*(1 if seat == B else 5 for seat in range(4)))
    game.lay([("crab", 3)])
    caller = B if game.last.seat != B else C
    game.hand_out(*(1 if seat == caller else 5 for seat in range(4)))
    assert DeckDoubted("wave") in game.settle(caller, 0)


def test_bi3_of_a_doubted_design_the_referee_has_no_opinion() -> None:
    game = six_waves()
    game.lay([("plum", 4), ("wave", 1)])
    caller = (game.last.seat + 1) % 4
    ruled = game.settle(caller, 1)
    assert not any(isinstance(event, CheckDiffers) for event in ruled)


def test_bi2_a_deck_that_is_empty_too_early_is_said_and_its_last_mask_may_be_stopped() -> None:
    game = table().lay(TWINS)
    ruled = game.say(game.state.drawer, "deck_empty")
    assert DeckShort(DECK_SIZE - 4) in ruled
    assert game.state.out
    assert model.find_violation(game.state) is None
    game.elapse(game.at + 11_000_000)
    assert isinstance(game.rulings[-1], KabukiRoundEnded)


def test_more_masks_than_the_deck_has_are_called() -> None:
    game = table().lay((design, number % 4 + 1) for number, design in enumerate(whole_deck()))
    start = game.at + 1_000_000
    ruled = game.stack(1, "mask:crab", clear=start, since=start + 500_000)
    assert broken(ruled) == ["place.deck_empty"]


# What may not lie so ----------------------------------------------------------------------------------------


def test_a_mask_on_two_stacks_is_one_mistake_and_counts_once_it_is_put_right() -> None:
    game = table().lay([("sun", 3)])
    start = game.at + TURN
    both = (("stack:1", ("mask:wave",)), ("stack:2", ("mask:wave",)))
    ruled = game.see(*both, clear=start, since=start + 500_000)
    assert broken(ruled) == ["place.two_stacks"]
    assert game.state.placed == 1
    assert kinds(game.looks("stack:2", "actor:2")) == ["PutRight", "MaskPlaced"]
    assert game.designs(1) == ("wave",)


def test_of_two_masks_that_lie_wrong_the_one_that_is_left_waits_and_lies_wrong_no_more() -> None:
    game = table().lay([("sun", 1), ("wave", 2), ("ghost", 3)])
    game.press(A)
    start = game.at + 200 * MS
    both = (("stack:1", ("mask:demon",)), ("stack:3", ("mask:moon",)))
    game.see(*both, clear=start, since=start + 500 * MS)
    game.wait(2 * SECOND)
    assert kinds(game.looks("stack:1", "mask:sun"))[:2] == ["PutRight", "PlacementQueued"]
    assert game.state.misplaced == ()


@pytest.mark.parametrize("gone", [CameraLost, ProgramRestarted])
def test_what_lies_wrong_or_waits_is_placed_by_nobody_before_it_is_read_again(gone: type[Any]) -> None:
    wrong, waits = (table().lay([("sun", 1), ("wave", 2), ("ghost", 3)]) for _ in range(2))
    start = wrong.at + TURN
    both = (("stack:1", ("mask:demon",)), ("stack:3", ("mask:moon",)))
    wrong.see(*both, clear=start, since=start + 500 * MS)
    wrong.observe(gone(at=wrong.at))
    assert kinds(wrong.looks("stack:1", "mask:sun")) == ["PutRight"]
    assert "MaskPlaced" in kinds(wrong.looks("stack:3", "mask:moon")), "it is read again"
    waits.stop(A)
    waits.looks("stack:2", "mask:lion")
    waits.observe(gone(at=waits.at))
    waits.say(A, "withdraw")
    assert waits.designs(2) == ("wave", "")


def test_a_stack_whose_top_is_read_once_more_holds_nothing_wrong() -> None:
    game = table().lay([("sun", 1), ("ghost", 3)])
    start = game.at + TURN
    both = (("stack:1", ("mask:demon",)), ("stack:3", ("mask:moon",)))
    game.see(*both, clear=start, since=start + 500 * MS)
    for place in ("stack:3", "misplaced:1"):  # the moon was placed, and that was taken back
        game.state = RULES.evolve(game.state, FaceForgotten(place))
    game.looks("stack:3", "mask:ghost")
    assert "MaskPlaced" in kinds(game.looks("stack:2", "mask:moon"))


@pytest.mark.parametrize("over", ["mask:storm", "back:mask"])
def test_a_mask_that_lies_wrong_and_is_covered_is_placed_by_nobody(over: str) -> None:
    game = table().lay([("sun", 1), ("ghost", 3)])
    start = game.at + TURN
    both = (("stack:1", ("mask:demon",)), ("stack:3", ("mask:moon",)))
    game.see(*both, clear=start, since=start + 500 * MS)
    game.looks("stack:3", over)
    assert kinds(game.looks("stack:1", "mask:sun")) == ["PutRight"]
    assert game.designs(3) == ("ghost",)
    assert "MaskPlaced" in kinds(game.looks("stack:3", "mask:moon")), "it is seen again"


def test_a_mask_between_two_stacks_that_settles_on_the_second_a_moment_later_is_one_mask() -> None:
    game = table().lay([("wave", 1), ("leaf", 2)])
    start = game.at + TURN
    game.stack(3, "mask:moon", clear=start, since=start + 500 * MS)
    ruled = game.stack(2, "mask:moon", clear=start, since=start + 700 * MS)
    assert broken(ruled) == ["place.two_stacks"]
    assert (game.state.placed, game.last.seat, game.state.drawer) == (3, C, D)
    assert game.looks("stack:2", "mask:moon") == (), "it is called once"
    assert kinds(game.looks("stack:2", "mask:leaf")) == ["PutRight"]
    game.place("moon", 4)
    assert (game.state.placed, game.last.seat) == (4, D), "a like one of the next turn is another mask"


def test_a_mask_face_down_is_called_once_and_counts_once_it_is_turned() -> None:
    game = table()
    assert broken(game.looks("stack:1", "back:mask")) == ["place.face_down"]
    assert game.looks("stack:1", "back:mask") == ()
    assert kinds(game.looks("stack:1", "mask:wave")) == ["MaskPlaced"]


def test_whoever_is_not_in_turn_places_nothing() -> None:
    game = table()
    assert broken(game.say(B, "place", "wave@1")) == ["place.not_your_turn"]
    assert game.state.placed == 0


def test_a_shown_mask_that_went_where_its_like_lies_is_asked_for() -> None:
    game = table().lay([("wave", 1)])
    game.looks("show", "mask:wave")
    game.looks("show")
    assert kinds(game.wait(5_000_000)) == ["PlacementMissed"]
    assert kinds(game.say(B, "place", 1)) == ["MaskPlaced"]
    assert game.designs(1) == ("wave", "wave"), "its face is known from the show place"


def laid_on_its_like() -> Table:
    """B showed the wave and laid it on the wave; C shows the sun at once."""
    game = table().lay([("wave", 1)])
    game.looks("show", "mask:wave")
    game.looks("show")
    return game


@pytest.mark.parametrize("seconds", [0, 2, 4, 6])
def test_b_t43_a_stop_waits_until_it_is_said_where_a_mask_on_its_like_lies(seconds: int) -> None:
    game = laid_on_its_like()
    game.wait(seconds * SECOND)
    assert "PlacementMissed" in kinds(game.stop(C))
    assert game.state.stop is None
    assert broken(game.say(C, "older")) == ["turn.not_now"]
    assert kinds(game.say(B, "place", 1)) == ["PlacementQueued", "MaskPlaced", "StopAssigned"]
    assert (game.about.seat, game.about.placer, game.about.number) == (C, B, 2)
    assert "StopRight" in kinds(game.check(1))
    assert game.tokens == (5, 4, 6, 5)


def test_b_t43_a_mask_that_was_not_down_yet_leaves_the_stop_to_the_mask_before() -> None:
    game = laid_on_its_like()
    game.stop(C)
    assert kinds(game.press(B)) == ["StopAssigned"], "the button of who is asked says so"
    assert (game.about.seat, game.about.placer, game.about.number) == (C, A, 1)
    assert "StopWrong" in kinds(game.check(0))
    game.restore()
    assert "MaskPlaced" in kinds(game.say(B, "place", 1))


def test_b_t43_who_laid_a_mask_on_its_like_gains_nothing_by_calling() -> None:
    game = laid_on_its_like()
    game.stop(B)
    assert kinds(game.say(B, "place", 1))[-3:] == ["OwnMaskCalled", "CallsDropped", "MaskPlaced"]
    assert game.tokens == (5,) * 4
    game.settle(C, 1)
    assert game.tokens == (5, 4, 6, 5)


def test_b_t43_a_call_before_the_mask_left_the_show_place_stays_about_the_one_before() -> None:
    game = table().lay([("wave", 1)])
    game.looks("show", "mask:wave")
    game.press(C)
    left = game.at + 20 * MS
    game.elapse(left + 10 * MS)
    game.press(D)
    game.see(("show", ()), clear=left, since=left, at=left + 30 * MS)
    assert "PlacementMissed" in kinds(game.wait(2 * SECOND))
    game.say(B, "place", 1)
    assert (game.about.seat, game.about.placer) == (C, A)


def test_b_t43_a_later_mask_that_was_seen_waits_for_the_one_that_was_not() -> None:
    game = laid_on_its_like()
    game.looks("stack:2", "mask:sun")
    assert "PlacementMissed" in kinds(game.stop(D))
    assert kinds(game.say(B, "place", 1)) == ["MaskPlaced", "PlacementQueued", "MaskPlaced", "StopAssigned"]
    assert (game.about.placer, game.about.stack, game.about.number) == (C, 2, 3)
    assert game.designs(1) == ("wave", "wave")


def test_b_t43_once_the_stop_has_its_mask_the_next_players_moves_it_no_more() -> None:
    game = laid_on_its_like()
    game.stop(D)
    game.say(B, "place", 1)
    assert kinds(game.say(C, "place", "sun@2")) == ["PlacementQueued"]
    assert (game.about.placer, game.about.number) == (B, 2)


def test_b_t43_told_of_the_very_stack_where_the_later_mask_was_seen_there_was_no_other() -> None:
    game = laid_on_its_like()
    game.looks("stack:2", "mask:sun")
    game.stop(D)
    assert "StopAssigned" in kinds(game.say(B, "place", 2))
    assert (game.about.placer, game.about.number, game.designs(2)) == (B, 2, ("sun",))


def stopped_with_two_on_a_stack() -> Table:
    """A's moon is stopped; while it is judged B lays a sun on stack 2, and C a leaf on the sun."""
    game = table().lay([("moon", 3)])
    game.stop(D)
    assert kinds(game.looks("stack:2", "mask:sun")) == ["PlacementQueued"]
    assert kinds(game.looks("stack:2", "mask:leaf")) == ["PlacementQueued"]
    return game


def test_b_t56_a_mask_covered_while_it_waits_is_placed_unread_and_the_one_on_it_by_the_next_player() -> None:
    game = stopped_with_two_on_a_stack()
    assert "StopWrong" in kinds(game.check(0))
    ruled = game.restore()
    assert kinds(ruled) == ["StackRestored", "MaskPlaced", "MaskPlaced"]
    told = [sentence for event in ruled if (sentence := RULES.sentence(game.state, event)) is not None]
    assert [one.key for one in told[-2:]] == ["kabuki.MaskPlaced.hidden", "kabuki.MaskPlaced"]
    assert (game.designs(2), game.state.drawer) == (("", "leaf"), D)
    assert not any(action.verb == "name" for action in RULES.legal_actions(game.state))
    game.stop(A)
    assert (game.about.placer, game.about.number) == (C, 3)
    assert "StopRight" in kinds(game.check(1)), "the table's count is believed where a mask is unread"


def test_b_t56_of_a_stack_that_is_looked_through_what_is_seen_hides_the_mask_and_is_none() -> None:
    game = table().lay([("moon", 2)])
    game.press(D)
    game.looks("stack:2", "mask:sun")
    game.wait(2 * SECOND)
    assert (game.about.placer, game.about.stack) == (A, 2)
    game.say(D, "look")
    game.looks("stack:2", "mask:moon")
    game.say(D, "twins", 0)
    told = [RULES.sentence(game.state, event) for event in game.restore()]
    assert [one.key for one in told if one is not None][-1] == "kabuki.MaskPlaced.unread"
    assert (game.designs(2), game.last.seat) == (("moon", ""), B)
    assert kinds(game.looks("stack:2", "mask:sun")) == ["MaskRead"]


def test_b_t56_a_mask_seen_twice_while_it_waits_is_one() -> None:
    game = stopped_with_two_on_a_stack()
    assert not game.looks("stack:2", "mask:leaf")
    game.check(0)
    game.restore()
    assert game.state.placed == 3


def test_b_t56_the_decks_last_mask_has_none_on_it() -> None:
    game = table(masks=12).lay(
        [(design, stack) for stack in (1, 3) for design in ("leaf", "sun", "lion", "demon", "crab")]
    )
    game.place("ghost", 4)
    game.stop(D)
    game.looks("stack:2", "mask:plum")
    game.looks("stack:2", "mask:wave")
    game.check(0)
    assert kinds(game.restore()) == ["StackRestored", "MaskPlaced", "WindowOpened"]
    assert (game.designs(2), game.state.placed) == (("",), 12)


def test_b_t56_while_an_earlier_mask_is_asked_for_a_covered_one_waits_behind_it() -> None:
    game = laid_on_its_like()
    game.looks("stack:2", "mask:sun")
    assert kinds(game.looks("stack:2", "mask:leaf")) == ["PlacementQueued"]
    game.wait(10 * SECOND)
    game.say(B, "place", 1)
    assert (game.designs(1), game.designs(2)) == (("wave", "wave"), ("", "leaf"))
    assert [mask.seat for mask in game.state.stacks[1]] == [C, D]


def test_where_the_next_mask_is_shown_before_the_last_was_seen_to_lie_the_table_is_asked_at_once() -> None:
    game = laid_on_its_like()
    assert kinds(game.looks("show", "mask:sun")) == ["PlacementMissed"]
    assert kinds(game.say(B, "place", 1)) == ["MaskPlaced"]
    game.looks("stack:2", "mask:sun")
    assert [(mask.seat, mask.design) for mask in map(game.state.top, (1, 2)) if mask] == [
        (B, "wave"),
        (C, "sun"),
    ]


def test_a_mask_that_lies_before_the_shown_one_was_found_waits_and_is_the_next_players() -> None:
    game = laid_on_its_like()
    assert kinds(game.looks("stack:2", "mask:sun")) == ["PlacementQueued", "PlacementMissed"]
    game.wait(10 * SECOND)
    assert game.state.placed == 1, "nothing is booked to anybody before it is said"
    assert kinds(game.say(B, "place", 1)) == ["MaskPlaced", "MaskPlaced"]
    assert game.designs(1) == ("wave", "wave")
    assert [mask.seat for mask in map(game.state.top, (1, 2)) if mask] == [B, C]
    assert game.state.drawer == D


def test_the_table_may_say_that_the_mask_seen_is_the_one_that_was_shown_and_misread() -> None:
    game = laid_on_its_like()
    game.looks("stack:2", "mask:sun")
    assert kinds(game.say(B, "place", 2)) == ["MaskPlaced"]
    assert (game.designs(2), game.last.seat) == (("sun",), B)


@pytest.mark.parametrize("stopped", [False, True])
def test_told_that_the_shown_mask_lies_where_another_was_seen_that_one_was_misread(*, stopped: bool) -> None:
    game = laid_on_its_like()
    game.looks("stack:2", "mask:sun")
    if stopped:
        game.stop(C)
    game.say(B, "place", "wave@2")
    assert (game.designs(2), game.last.seat) == (("wave",), B)


def test_another_mask_than_the_shown_one_is_taken_where_no_like_of_it_lies_open() -> None:
    game = table().lay([("moon", 1)])
    game.looks("show", "mask:wave")
    game.looks("show")
    assert kinds(game.looks("stack:2", "mask:sun")) == ["MaskPlaced"]


def test_whoever_is_told_that_the_mask_is_the_own_one_reads_how_turns_may_have_parted() -> None:
    game = table().lay([("wave", 1)])
    game.stop(A)
    hint = game.rules.view(game.state).hint
    assert hint is not None
    assert hint.key == "kabuki.hint.parted"
    game.place("sun", 2)
    hint = game.rules.view(game.state).hint
    assert hint is not None
    assert hint.key == "kabuki.hint.playing"


def test_a_shown_mask_names_one_that_cannot_be_read_on_its_stack() -> None:
    game = table()
    game.looks("show", "mask:wave")
    game.looks("stack:2", "unknown")
    game.wait(2 * SECOND)
    assert game.designs(2) == ("wave",)


def test_an_arm_over_a_stack_is_no_mask() -> None:
    game = table().lay([("wave", 1)])
    game.looks("stack:1", "unknown")
    assert kinds(game.looks("stack:1", "mask:wave")) == ["UnreadGone"]
    game.wait(5 * SECOND)
    assert game.state.placed == 1


def test_an_arm_over_one_stack_while_a_mask_is_laid_on_another_is_no_second_mask() -> None:
    game = table().lay([("sun", 1), ("leaf", 4)])
    game.looks("stack:1", "unknown")
    assert kinds(game.looks("stack:4", "mask:moon")) == ["MaskPlaced"]
    assert game.last.seat == C
    assert game.looks("stack:1", "mask:sun") == ()
    assert [len(stack) for stack in game.state.stacks] == [1, 0, 0, 2]


def test_what_cannot_be_read_is_no_mask_once_the_deck_is_said_to_be_empty() -> None:
    game = table().lay([("sun", 1)])
    game.looks("stack:2", "unknown")
    game.say(B, "deck_empty")
    assert kinds(game.wait(3 * SECOND)) == ["UnreadGone"]


def test_two_stacks_that_cannot_be_read_are_asked_about() -> None:
    game = table()
    game.looks("stack:1", "unknown")
    game.looks("stack:2", "unknown")
    assert kinds(game.wait(3 * SECOND)) == ["PlacementMissed"]
    assert game.state.placed == 0


def test_tokens_can_be_put_right_and_nonsense_is_refused() -> None:
    from companion.core import observations as ob

    game = table().hand_out(3, 5, 5, 5)
    assert game.state.box == 2
    for wrong in ((("tokens:0", 99),), (("stack:1", 3),), (("tokens:9", 1),), (("drawer", 7),)):
        assert broken(game.observe(ob.TableDeclared(at=game.at, table=wrong))) == ["repair.impossible"]
    assert game.tokens == (3, 5, 5, 5)


# The recap --------------------------------------------------------------------------------------------------


def test_the_recap_counts_stops_and_the_doubles_nobody_noticed() -> None:
    game = table().lay([("wave", 1), ("leaf", 1), ("wave", 1), ("sun", 2), ("leaf", 1)])
    game.settle(B, 1)  # the leaf; the second wave was missed
    game.lay([("crab", 2)])
    game.settle(A, 0)
    game.hand_out(*(1 if seat == D else 5 for seat in range(4)))
    game.lay([("plum", 3)])
    game.settle(D, 0)
    assert game.phase == KabukiPhase.SHUFFLING
    assert dict(recap.recap_statistics(game.rulings)) == {
        "rounds": 1,
        "stops_right": 1,
        "stops_wrong": 2,
        "missed": 1,
    }


# A hand over a stack that looks as before (B-T43) ----------------------------------------------------------


def hand_over(game: Table, stack: int, seconds: float = 1.2) -> tuple[Event, ...]:
    """The player in turn shows nothing; a hand is over a stack, and its top looks as before."""
    top, start = game.state.top(stack), game.at + SECOND
    assert top is not None
    since = start + round(seconds * SECOND)
    return game.stack(stack, f"mask:{top.design}", clear=start, since=since)


def asked_about_a_like() -> Table:
    game = table().lay([("wave", 1)])
    assert kinds(hand_over(game, 1)) == ["HandWithdrawn"]
    assert kinds(game.wait(3 * SECOND)) == ["LikeAsked"]
    return game


def test_b_t43_a_hand_over_a_stack_without_a_change_is_asked_about_once_at_the_drawers_plate() -> None:
    game = asked_about_a_like()
    assert game.wait(20 * SECOND) == (), "it is asked once"
    asked = {chair: [choice.label.key for choice in said] for chair, said in choices(game).items()}
    assert asked[B] == ["kabuki.do.not_laid.like", "kabuki.do.place.like"]
    assert asked[C] == ["kabuki.do.stop"]
    hint = RULES.view(game.state).hint
    assert hint == Sentence("kabuki.hint.like", (("chair", B),))


def choices(game: Table) -> dict[int, tuple[Choice, ...]]:
    return RULES.choices_by_chair(game.state)


def test_b_t43_yes_is_a_placement_when_the_hand_left() -> None:
    game = asked_about_a_like()
    (left,) = game.state.hand.handled
    assert kinds(game.hold(B))[-1] == "MaskPlaced"
    assert game.designs(1) == ("wave", "wave")
    assert (game.last.seat, game.state.drawer, game.state.lay) == (B, C, left.lies_since)
    game.settle(C, 1)
    assert game.tokens == (5, 4, 6, 5), "and may be stopped like any other"


def test_b_t43_no_changes_nothing() -> None:
    game = table().lay([("wave", 1)])
    before = game.state
    hand_over(game, 1)
    game.wait(3 * SECOND)
    assert "LikeDenied" in kinds(game.tap(B))
    assert (game.state.hand, game.state.stacks, game.state.drawer) == (
        before.hand,
        before.stacks,
        before.drawer,
    )
    assert "StopCalled" in kinds(game.press(B)), "the button says Stop again"


def test_b_t43_a_mask_laid_elsewhere_or_shown_meanwhile_leaves_nothing_to_ask() -> None:
    game = table().lay([("wave", 1)])
    hand_over(game, 1)
    start = game.at
    game.stack(2, "mask:sun", clear=start, since=start + 500 * MS)
    assert game.wait(20 * SECOND) == ()
    hand_over(game, 2)
    game.looks("show", "mask:leaf")
    assert "LikeAsked" not in kinds(game.wait(20 * SECOND))


@pytest.mark.parametrize("seconds", [0.2, 0.4])
def test_b_t43_a_hand_that_only_passes_is_not_asked_about(seconds: float) -> None:
    game = table().lay([("wave", 1)])
    assert hand_over(game, 1, seconds) == ()


def test_b_t43_a_hand_that_was_there_when_another_mask_came_to_lie_has_laid_that_one() -> None:
    game = table().lay([("wave", 1)])
    start = game.at + SECOND
    game.stack(2, "mask:sun", clear=start, since=start + 900 * MS)
    assert game.stack(1, "mask:wave", clear=start, since=start + 1200 * MS) == ()


def test_b_t43_a_hand_over_an_actor_or_over_another_mask_than_the_shown_one_laid_no_like() -> None:
    game = table().lay([("wave", 1)])
    start = game.at + SECOND
    assert game.stack(3, "actor:3", clear=start, since=start + 2 * SECOND) == ()
    game.looks("show", "mask:sun")
    assert hand_over(game, 1) == ()


@pytest.mark.parametrize("seconds", [0, 5])
def test_b_t43_a_stop_waits_until_the_hand_is_explained(seconds: int) -> None:
    game = table().lay([("wave", 1)])
    hand_over(game, 1)
    game.wait(seconds * SECOND)
    assert "PlacementMissed" in kinds(game.stop(C))
    assert kinds(game.say(B, "place", 1)) == ["PlacementQueued", "MaskPlaced", "StopAssigned"]
    assert (game.about.seat, game.about.placer, game.about.number) == (C, B, 2)


def test_b_t43_a_stop_is_about_the_mask_before_where_the_hand_laid_none() -> None:
    game = table().lay([("wave", 1)])
    hand_over(game, 1)
    game.stop(C)
    assert kinds(game.press(B)) == ["LikeDenied", "StopAssigned"]
    assert (game.about.placer, game.about.number) == (A, 1)
    game.check(0)
    game.restore()
    assert game.wait(20 * SECOND) == ()


def test_b_t43_of_hands_over_two_stacks_each_may_have_laid_the_mask() -> None:
    game = table().lay([("wave", 1), ("sun", 2)])
    start = game.at + SECOND
    both = (("stack:1", ("mask:wave",)), ("stack:2", ("mask:sun",)))
    assert kinds(game.see(*both, clear=start, since=start + 1200 * MS)) == ["HandWithdrawn"] * 2
    game.wait(3 * SECOND)
    assert [choice.action.value for choice in choices(game)[C]] == [None, 1, 2]
    assert kinds(game.say(C, "place", 2)) == ["MaskPlaced"]
    assert game.designs(2) == ("sun", "sun")
