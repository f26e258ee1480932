"""The house rules of Kabuki, BA1 to BA14."""

from __future__ import annotations

import msgspec
import pytest

from companion.core import observations as ob
from companion.core.actions import Action, Micros, Outcome
from companion.core.exhibits import RoundRecap
from companion.games.kabuki.rules.model import (
    KabukiOptions,
    KabukiRoundEnded,
    OwnMaskCalled,
    StopRight,
    StopTooLate,
    StopWrong,
)
from tests.games.game_table import broken, kinds
from tests.games.kabuki.kabuki_table import MS, RULES, SECOND, TURN, A, B, C, D, Table, table, whole_deck

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


@pytest.mark.parametrize("closes", ["next_show", "next_draw"])
@pytest.mark.parametrize(("late", "told"), [(-1, "StopAssigned"), (0, "StopTooLate")])
def test_ba3_a_stop_counts_until_the_next_mask_is_shown_however_late_that_picture_comes(
    closes: str, late: Micros, told: str
) -> None:
    game = table(stop_until=closes).lay([("wave", 1)])
    shown = game.at + SECOND
    game.press(C, shown + late)
    game.see(("show", ("mask:sun",)), clear=shown - 1, since=shown)
    assert told in kinds(game.wait(3 * SECOND))


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
    game.observe(ob.PauseRequested(at=game.at + SECOND))
    game.observe(ob.ResumeRequested(at=game.at + SECOND))
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


def test_b_t40_a_proven_twin_pays_once_and_to_stop_it_again_is_wrong() -> None:
    game = table(second_stop=True).lay(WAVES)
    assert StopRight(A, C, 1, 1) in game.settle(A, 1)
    assert game.tokens == (6, 5, 4, 5)
    game.stop(A)
    game.say(A, "look")
    hint = RULES.view(game.state).hint
    assert hint is not None
    assert hint.key == "kabuki.hint.checking.again"
    assert StopWrong(A) in game.say(A, "twins", 1)
    assert (game.tokens, game.state.box) == ((5, 5, 4, 5), 1)


def test_b_t40_a_twin_that_the_first_check_overlooked_is_paid_by_the_second() -> None:
    game = table(second_stop=True).lay([("wave", 1), ("wave", 1), ("leaf", 1)])
    game.place("wave", 1)
    game.stop(A)
    game.say(A, "look")
    game.say(A, "twins", 1)
    assert StopRight(A, D, 1, 1) in game.say(A, "twins", 1)  # the table's word, said twice
    game.restore()
    assert StopRight(B, D, 1, 1) in game.settle(B, 2)
    assert game.tokens == (6, 6, 5, 3)


def test_b_t40_over_the_next_mask_the_same_twins_pay_again() -> None:
    game = table(second_stop=True).lay(WAVES)
    game.settle(A, 1)
    game.place("wave", 1)
    assert StopRight(A, D, 2, 2) in game.settle(A, 2)


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
    assert [action.verb for action in RULES.prompts(game.state)[0].actions] == ["look"]


def test_ba13_each_player_may_withdraw_one_stop_about_a_mask() -> None:
    game = table().lay(WAVES)
    game.stop(A)
    assert not broken(game.say(A, "withdraw"))
    game.stop(A)
    assert [action.verb for action in RULES.prompts(game.state)[0].actions] == ["look"]
    assert broken(game.say(A, "withdraw")) == ["stop.withdrawn"]
    hint = RULES.view(game.state).hint
    assert hint is not None
    assert hint.key == "kabuki.hint.stopped.binding"
    game.check(1)
    assert game.tokens == (6, 5, 4, 5)


def test_ba13_others_may_withdraw_theirs_and_so_may_the_same_player_about_the_next_mask() -> None:
    game = table().lay(WAVES)
    for seat in (A, B):
        game.stop(seat)
        assert not broken(game.say(seat, "withdraw"))
    game.place("crab", 2)
    game.stop(A)
    assert not broken(game.say(A, "withdraw"))


def last_mask(**options: object) -> Table:
    """The deck's last mask was placed by B, and its ten seconds run."""
    return table(**options).lay((design, number % 4 + 1) for number, design in enumerate(whole_deck()))


def test_ba13_a_withdrawn_stop_never_lengthens_the_last_window() -> None:
    game = last_mask()
    until = game.state.until
    assert until is not None
    for seat in (A, C):
        game.stop(seat)
        game.say(seat, "withdraw")
        assert game.state.until == until
    assert [event.how for event in game.elapse(until) if isinstance(event, KabukiRoundEnded)] == ["deck"]


def test_ba13_the_last_window_runs_from_the_ruling_on_its_mask_also_where_that_came_after_a_stop() -> None:
    game = table(masks=12).lay((design, number % 4 + 1) for number, design in enumerate(whole_deck()[:11]))
    clear = game.at + TURN
    game.press(C, clear + 600 * MS)
    game.stack(4, "mask:moon", clear=clear, since=clear + 500 * MS)
    ruled_at = game.at
    assert game.phase == "stopped"
    game.wait(5 * SECOND)
    game.say(game.about.seat, "withdraw")
    assert game.state.until == ruled_at + 10 * SECOND


def test_ba13_a_stop_that_is_withdrawn_after_the_last_window_ends_the_round() -> None:
    game = last_mask()
    game.stop(A)
    game.wait(30 * SECOND)
    assert game.phase == "stopped"
    assert kinds(game.say(A, "withdraw"))[:3] == ["StopWithdrawn", "WindowClosed", "RoundEnded"]


def test_a_void_call_never_lengthens_the_last_window() -> None:
    game = last_mask()
    until, placer = game.state.until, game.last.seat
    assert until is not None
    for _ in range(3):
        assert OwnMaskCalled(placer) in game.stop(placer)
        assert game.state.until == until
    game.elapse(until - SECOND)
    ended = game.stop(placer)
    assert [event.how for event in ended if isinstance(event, KabukiRoundEnded)] == ["deck"]


def test_who_joins_a_void_call_after_the_last_window_is_too_late() -> None:
    game = last_mask()
    until = game.state.until
    assert until is not None
    game.press(game.last.seat, until - 10_000)
    game.press(A, until + 1)
    ruled = game.wait(2 * SECOND)
    assert StopTooLate(A) in ruled
    assert game.state.stop is None


def test_ba13_a_stop_that_is_withdrawn_under_seconds_closes_a_window_that_is_over() -> None:
    game = table(stop_until="seconds", window_s=5).lay(WAVES)
    game.stop(A)
    game.wait(10 * SECOND)
    assert kinds(game.say(A, "withdraw")) == ["StopWithdrawn", "WindowClosed"]
    assert StopTooLate(B) in game.stop(B)


def test_ba14_a_last_token_lost_on_the_last_mask_counts_as_the_end_by_token() -> None:
    game = table().lay((design, number % 4 + 1) for number, design in enumerate(whole_deck()[:-1]))
    game.hand_out(1, 5, 5, 5)
    assert game.last.seat == A
    start = game.at + TURN
    game.stack(1, "mask:moon", clear=start, since=start + SECOND // 2)
    (ended,) = [event for event in game.settle(A, 0) if isinstance(event, KabukiRoundEnded)]
    assert (ended.seat, ended.how) == (A, "token")


def test_after_a_checked_last_mask_the_round_is_over() -> None:
    game = table().lay((design, number % 4 + 1) for number, design in enumerate(whole_deck()))
    twins = game.designs(2)[:-1].count(game.last.design)
    ruled = game.settle(game.state.drawer, twins)
    (ended,) = [event for event in ruled if isinstance(event, KabukiRoundEnded)]
    assert (ended.seat, ended.how) == (B, "deck")


def test_a_deck_of_twelve_ends_the_round_after_its_last_window_and_names_what_nobody_noticed() -> None:
    game = table(3, masks=12)
    twelve = ["crab", "moon", "sun", "wave", "crab", "leaf", "lion", "demon", "plum", "ghost", "storm", "sun"]
    game.lay((design, number % 4 + 1) for number, design in enumerate(twelve[:-1]))
    assert game.state.until is None, "every mask but the last may be stopped without a clock"
    game.place(twelve[-1], 3)
    assert game.state.until == game.at + 10 * SECOND
    assert broken(game.say(game.state.drawer, "place", "leaf@2")) == ["place.deck_empty"]
    (ended,) = [event for event in game.wait(10 * SECOND) if isinstance(event, KabukiRoundEnded)]
    assert (ended.seat, ended.how) == (C, "deck")
    seen = RULES.exhibit(game.state, game.standing)
    assert isinstance(seen, RoundRecap)
    assert [(one.face, one.stack, one.chair) for one in seen.missed] == [
        ("mask:crab", 1, B),
        ("mask:sun", 3, C),
    ]


@pytest.mark.parametrize(("late", "counts"), [(0, True), (1, False)])
def test_b_t47_a_stop_at_the_last_instant_of_a_timed_window_counts(late: int, *, counts: bool) -> None:
    game = table(stop_until="seconds", window_s=5).lay(WAVES)
    until = game.state.until
    assert until is not None
    game.press(A, until + late)
    assert (StopTooLate(A) in game.wait(2 * SECOND)) is not counts
    assert (game.state.stop is not None) is counts


@pytest.mark.parametrize("until", ["next_place", "next_show", "next_draw", "seconds"])
def test_b_t50_the_placers_button_marks_nothing_before_the_mask_was_shown(until: str) -> None:
    game = table(placed_by="button", stop_until=until)
    if until == "next_draw":
        game.say(A, "draw")
    assert broken(game.say(A, "put")) == ["turn.not_now"]
    assert Action(A, "put") not in set(RULES.legal_actions(game.state))
    game.looks("show", "mask:sun")
    assert kinds(game.press(A)) == ["PlacementMarked"]


@pytest.mark.parametrize(("early", "design"), [(0, "moon"), (1, "wave")])
def test_b_t50_by_button_a_mask_lies_from_the_placers_edge_on(early: int, design: str) -> None:
    game = table(placed_by="button").lay(WAVES[:1])
    game.say(B, "show", "moon")
    edge = game.at + SECOND
    game.press(C, edge - early) if early else None
    game.press(B, edge)
    game.press(C, edge) if not early else None
    game.stack(2, "mask:moon", clear=edge + SECOND // 4, since=edge + SECOND // 3)
    game.wait(2 * SECOND)
    about = game.about
    assert [mask.design for mask in game.state.stacks[about.stack - 1] if mask.number == about.number] == [
        design
    ]


@pytest.mark.parametrize(
    ("sources", "apart", "equal"),
    [
        (("gpio", "gpio"), 999, True),
        (("gpio", "gpio"), 1_000, False),
        (("usb", "gpio"), 7_999, True),
        (("usb", "usb"), 8_000, False),
        (("gpio", "touch"), 15_999, True),
        (("key", "key"), 16_000, False),
    ],
)
def test_b_t52_the_coarser_source_says_which_stops_are_equal(
    sources: tuple[str, str], apart: int, *, equal: bool
) -> None:
    game = table().lay([("wave", 1), ("leaf", 2)])  # B placed; clockwise C comes before D
    first = game.at + SECOND
    game.observe(ob.ButtonPressed(at=first, chair=D, source=sources[0]))
    game.observe(ob.ButtonPressed(at=first + apart, chair=C, source=sources[1]))
    game.wait(2 * SECOND)
    assert game.about.seat == (C if equal else D)


@pytest.mark.parametrize(("phones", "may"), [("all_phones", ()), ("mixed", (A, B)), ("no", ())])
def test_b_t53_who_may_call_by_phone(phones: str, may: tuple[int, ...]) -> None:
    chairs, held = frozenset({A, B, C}), frozenset({A, B})
    options = KabukiOptions(phones=phones).adapt_to_phones(chairs, held, held)
    assert options.chairs_allowed_phones(chairs, held, held) == frozenset(may)
    everybody = KabukiOptions(phones=phones).adapt_to_phones(chairs, chairs, chairs)
    assert everybody.chairs_allowed_phones(chairs, chairs, chairs) == (
        frozenset() if phones == "no" else chairs
    )
    assert b"phone" not in msgspec.json.encode(KabukiOptions())
