"""The house rules of Kabuki, BA1 to BA14."""

from __future__ import annotations

import pytest
from kabuki_table import RULES, SECOND, TURN, A, B, C, D, Table, broken, kinds, table, whole_deck

from companion import observations as ob
from companion.actions import Outcome
from companion.exhibits import RoundRecap
from companion.rules.kabuki.events import OwnMaskCalled, RoundEnded, StopRight, StopTooLate, StopWrong

WAVES = (("wave", 1), ("leaf", 1), ("wave", 1))
"""C has placed a wave over a wave."""


@pytest.mark.parametrize(("rule", "ender"), [("loser_or_last_placer", A), ("placer", C), ("caller", A)])
def test_ba1_who_ended_a_round_by_a_wrong_call(rule: str, ender: int) -> None:
    game = table(round_ender=rule).lay([("wave", 1), ("leaf", 1), ("sun", 1)]).hand_out(1, 5, 5, 5)
    game.settle(A, 0)
    assert game.state.drawer == ender


@pytest.mark.parametrize(("rule", "ender"), [("loser_or_last_placer", C), ("placer", C), ("caller", A)])
def test_ba1_who_ended_a_round_by_a_right_call(rule: str, ender: int) -> None:
    game = table(round_ender=rule).lay([("wave", 1), ("leaf", 1)]).hand_out(5, 5, 1, 5)
    game.place("wave", 1)
    game.settle(A, 1)
    assert game.state.drawer == ender


def test_ba2_a_placer_may_stop_the_own_mask_where_the_table_says_so() -> None:
    game = table(self_stop=True).lay(WAVES)
    assert StopRight(C, C, 1, 0) in game.settle(C, 1)
    assert game.tokens == (5, 5, 5, 5), "he would take from himself"
    plain = table().lay(WAVES)
    assert OwnMaskCalled(C) in plain.stop(C)


def test_ba3_by_default_a_mask_may_be_stopped_until_the_next_is_placed() -> None:
    game = table().lay(WAVES)
    game.looks("show", "mask:crab")
    game.elapse(game.at + 60 * SECOND)
    game.stop(D)
    assert game.about.number == 3


def test_ba3_under_next_show_the_shown_mask_closes_the_window() -> None:
    game = table(stop_until="next_show").lay(WAVES)
    game.looks("show", "mask:crab")
    assert StopTooLate(A) in game.stop(A)


def test_ba3_under_next_draw_the_draw_is_said_and_closes_the_window() -> None:
    game = table(stop_until="next_draw").lay(WAVES)
    assert kinds(game.say(D, "draw")) == ["MaskDrawn"]
    assert StopTooLate(A) in game.stop(A)
    assert broken(table().lay(WAVES).say(D, "draw")) == ["turn.not_now"]


def test_ba3_under_seconds_the_window_is_timed() -> None:
    game = table(stop_until="seconds", window_s=5).lay(WAVES)
    until = game.state.until
    assert until == game.at + 5 * SECOND
    game.elapse(until)
    assert StopTooLate(A) in game.stop(A)


def test_ba3_a_timed_window_that_was_voided_is_opened_again_or_passed_over() -> None:
    game = table(stop_until="seconds").lay(WAVES)
    game.observe(ob.Paused(at=game.at + SECOND))
    game.observe(ob.Resumed(at=game.at + SECOND))
    assert game.phase == "reopening"
    game.place("crab", 2)
    assert game.phase == "playing"
    assert game.state.until is not None


@pytest.mark.parametrize("seconds", [5, 10, 15, 20])
def test_ba3_the_last_window_is_as_long_as_the_table_wants(seconds: int) -> None:
    game = table(last_window_s=seconds)
    game.lay((design, number % 4 + 1) for number, design in enumerate(whole_deck()))
    assert game.state.until == game.at + seconds * SECOND


def test_ba4_a_placer_pays_at_most_what_he_has() -> None:
    game = table().lay([*WAVES, ("sun", 2), ("crab", 2), ("plum", 2)]).hand_out(5, 5, 1, 5)
    game.place("wave", 1)
    assert StopRight(A, C, 2, 1) in game.settle(A, 2)


def test_ba6_a_second_stop_on_the_same_mask_is_allowed_only_by_house_rule() -> None:
    for second, kind in ((True, StopWrong), (False, StopTooLate)):
        game = table(second_stop=second).lay([("wave", 1), ("leaf", 2), ("sun", 3)])
        game.settle(A, 0)
        ruled = game.settle(B, 0) if second else game.stop(B)
        assert kind(B) in ruled


def test_ba7_a_mask_without_a_readable_face_is_asked_for() -> None:
    game = table()
    game.looks("stack:1", "unknown")
    hint = RULES.view(game.state).hint
    assert hint is not None
    assert hint.key == "kabuki.hint.unread"


def finished(scores: tuple[tuple[int, ...], ...], **options: object) -> Outcome | None:
    game = Table(3, **options)
    for score in scores:
        game.begin().hand_out(*score)
        game.lay((design, number % 4 + 1) for number, design in enumerate(whole_deck()))
        game.wait(10 * SECOND)
    return RULES.outcome(game.state)


def test_ba9_and_ba10_the_sum_wins_or_most_rounds_and_ties_are_shared() -> None:
    scores = ((4, 5, 3), (4, 5, 3), (7, 1, 7))
    assert finished(scores) == Outcome("three_rounds", (A,))
    assert finished(scores, game_by="rounds") == Outcome("three_rounds", (B,))
    assert finished(((5, 5, 5),) * 3) == Outcome("three_rounds", (A, B, C))


def test_ba11_a_wrong_calls_token_may_go_to_the_placer() -> None:
    game = table(wrong_call="placer").lay([("wave", 1), ("leaf", 2)])
    assert StopWrong(C, B) in game.settle(C, 0)
    assert game.tokens == (5, 6, 4, 5)


def test_ba13_without_withdrawal_a_stop_is_binding() -> None:
    game = table(stop_withdraw=False).lay(WAVES)
    game.stop(A)
    assert broken(game.say(A, "withdraw")) == ["stop.binding"]
    assert [action.verb for action in RULES.prompts(game.state)[0].options] == ["look"]


def test_ba13_a_withdrawn_stop_on_the_last_mask_leaves_its_window_whole() -> None:
    game = table().lay((design, number % 4 + 1) for number, design in enumerate(whole_deck()))
    game.stop(game.state.drawer)
    game.say(game.about.seat, "withdraw")
    assert game.state.until == game.at + 10 * SECOND


def test_ba14_a_last_token_lost_on_the_last_mask_counts_as_the_end_by_token() -> None:
    game = table().lay((design, number % 4 + 1) for number, design in enumerate(whole_deck()[:-1]))
    game.hand_out(1, 5, 5, 5)
    assert game.last.seat == A
    start = game.at + TURN
    game.stack(1, "mask:moon", clear=start, since=start + SECOND // 2)
    (ended,) = [event for event in game.settle(A, 0) if isinstance(event, RoundEnded)]
    assert (ended.seat, ended.how) == (A, "token")


def test_after_a_checked_last_mask_the_round_is_over() -> None:
    game = table().lay((design, number % 4 + 1) for number, design in enumerate(whole_deck()))
    twins = game.designs(2)[:-1].count(game.last.design)
    ruled = game.settle(game.state.drawer, twins)
    (ended,) = [event for event in ruled if isinstance(event, RoundEnded)]
    assert (ended.seat, ended.how) == (B, "deck")


def test_a_deck_of_twelve_ends_the_round_after_its_last_window_and_names_what_nobody_noticed() -> None:
    game = table(3, masks=12)
    twelve = ["crab", "moon", "sun", "wave", "crab", "leaf", "lion", "demon", "plum", "ghost", "storm", "sun"]
    game.lay((design, number % 4 + 1) for number, design in enumerate(twelve[:-1]))
    assert game.state.until is None, "every mask but the last may be stopped without a clock"
    game.place(twelve[-1], 3)
    assert game.state.until == game.at + 10 * SECOND
    assert broken(game.say(game.state.drawer, "place", "leaf@2")) == ["place.deck_empty"]
    (ended,) = [event for event in game.wait(10 * SECOND) if isinstance(event, RoundEnded)]
    assert (ended.seat, ended.how) == (C, "deck")
    seen = RULES.exhibit(game.state, game.standing)
    assert isinstance(seen, RoundRecap)
    assert [(one.face, one.stack, one.chair) for one in seen.missed] == [
        ("mask:crab", 1, B),
        ("mask:sun", 3, C),
    ]
