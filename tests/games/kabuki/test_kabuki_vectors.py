"""The numbered vectors B-T01 to B-T15, B-T41 and B-T42 of the rules specification."""

from __future__ import annotations

import pytest

from companion.core.actions import Action, Outcome
from companion.core.events import Event
from companion.core.observations import (
    ActionDeclared,
    ButtonPressed,
    RandomDraw,
    RegionReading,
    SeenCard,
    TableSeen,
)
from companion.games.kabuki.rules.model import (
    DECK_SIZE,
    CheckBegan,
    CheckDiffers,
    KabukiGameWon,
    KabukiRoundBegan,
    KabukiRoundEnded,
    KabukiState,
    StackRestored,
    StopAssigned,
    StopRight,
    StopVoided,
    StopWrong,
)
from companion.referee.journal import Entry, MemoryJournal, make_header
from companion.referee.referee import NotCorrectableError, Referee
from tests.games.kabuki.kabuki_table import MS, RULES, SECOND, A, B, C, D, Table, setup, table, whole_deck


def filled(game: Table, designs: list[str]) -> Table:
    """These masks one after another, on the four stacks in turn."""
    return game.lay((design, number % 4 + 1) for number, design in enumerate(designs))


def test_b_t01_one_twin_costs_the_placer_one_token_and_other_doubles_are_forgiven() -> None:
    game = table().lay([("wave", 1), ("leaf", 1), ("sun", 2), ("leaf", 1), ("demon", 3), ("wave", 1)])
    order = game.designs(1)
    placer = game.last.seat
    ruled = game.settle(placer + 1, 1)
    assert StopRight(placer + 1, placer, 1, 1) in ruled
    assert (game.tokens[placer], game.tokens[placer + 1]) == (4, 6)
    assert game.designs(1) == order
    assert isinstance(ruled[-1], StackRestored)


def test_b_t02_two_twins_cost_two_tokens() -> None:
    game = table().lay([("wave", 1), ("leaf", 1), ("wave", 1), ("sun", 1), ("wave", 1)])
    assert game.last.seat == A
    game.settle(B, 2)
    assert game.tokens == (3, 7, 5, 5)


def test_b_t03_no_match_costs_the_caller_a_token_that_goes_to_the_box() -> None:
    game = table().lay([("wave", 1), ("leaf", 1)])
    ruled = game.settle(C, 0)
    assert StopWrong(C) in ruled
    assert game.tokens == (5, 5, 4, 5)
    assert game.state.box == 1


@pytest.mark.parametrize(("players", "tokens"), [(2, 5), (3, 5), (4, 5), (5, 4), (6, 4)])
def test_b_t04_five_tokens_each_up_to_four_players_and_four_tokens_beyond(players: int, tokens: int) -> None:
    assert table(players).tokens == (tokens,) * players


def test_b_t05_a_placer_gives_all_he_has_and_without_a_token_the_round_ends() -> None:
    game = table().lay([("wave", 1), ("leaf", 1), ("wave", 1), ("sun", 1)]).hand_out(1, 5, 5, 5)
    game.place("wave", 1)
    ruled = game.settle(B, 2)
    assert StopRight(B, A, 2, 1) in ruled
    assert KabukiRoundEnded(A, "token", (0, 6, 5, 5)) in ruled


def test_b_t06_a_wrong_call_with_the_last_token_ends_the_round() -> None:
    game = table().lay([("wave", 1)]).hand_out(5, 5, 1, 5)
    assert KabukiRoundEnded(C, "token", (5, 5, 0, 5)) in game.settle(C, 0)
    assert game.state.drawer == C


def test_b_t07_after_the_decks_last_mask_there_are_ten_seconds_and_all_score() -> None:
    game = filled(table(), whole_deck())
    assert game.state.placed == DECK_SIZE
    due = RULES.next_timer(game.state)
    assert due is not None
    assert due.due == game.at + 10 * SECOND
    ruled = game.wait(10 * SECOND)
    assert KabukiRoundEnded(game.state.drawer, "deck", (5, 5, 5, 5)) in ruled
    assert game.state.totals == (5, 5, 5, 5)


def test_b_t08_equal_totals_share_the_victory() -> None:
    game = Table(3)
    for score in ((4, 5, 3), (5, 4, 3), (3, 3, 2)):
        filled(game.begin().hand_out(*score), whole_deck())
        game.wait(10 * SECOND)
    assert game.state.totals == (12, 12, 8)
    assert RULES.outcome(game.state) == Outcome("three_rounds", (A, B))


def test_b_t08_the_screen_calls_a_shared_victory_one() -> None:
    game = table()
    for winners, key in (((A, B), "kabuki.phase.over.shared"), ((C,), "kabuki.phase.over")):
        over = RULES.evolve(game.state, KabukiGameWon(winners))
        assert RULES.view(over).headline.key == key


def test_b_t09_of_two_calls_the_earlier_stamp_checks_and_the_other_is_void() -> None:
    game = table().lay([("wave", 1), ("leaf", 2)])
    start = game.at + SECOND
    game.press(D, start + 2 * MS)
    game.press(C, start + 3_400)
    ruled = game.wait(2 * SECOND)
    assert [event for event in ruled if isinstance(event, StopAssigned)] == [
        StopAssigned(D, start + 2 * MS, 2, 2, B)
    ]
    assert StopVoided(C, 1_400) in ruled


def test_b_t10_the_same_colour_of_another_design_is_no_match() -> None:
    game = table().lay([("wave", 1), ("storm", 1)])
    ruled = game.settle(C, 0)
    assert StopWrong(C) in ruled
    assert not game.of(CheckDiffers), "the referee counts the same"


def test_b_t11_a_call_on_the_first_mask_of_an_actor_is_wrong() -> None:
    game = table().lay([("wave", 1)])
    assert StopWrong(B) in game.settle(B, 0)


def test_b_t12_a_past_duplicate_under_a_fresh_mask_does_not_count() -> None:
    game = table().lay([("wave", 1), ("leaf", 1), ("wave", 1), ("sun", 1)])
    assert StopWrong(A) in game.settle(A, 0)


def test_b_t13_the_next_round_has_new_tokens_and_masks_and_the_ender_starts() -> None:
    game = filled(table(), whole_deck())
    last = game.last.seat
    game.wait(10 * SECOND)
    assert (game.state.drawer, game.phase) == (last, "shuffling")
    assert game.say(last, "begin") == (KabukiRoundBegan(last, 2, 5),)
    assert game.tokens == (5, 5, 5, 5)
    assert game.state.stacks == ((), (), (), ())
    assert game.state.deck == DECK_SIZE


def test_b_t14_a_stop_while_the_next_player_holds_a_mask_is_about_the_last_placed_one() -> None:
    game = table().lay([("wave", 1), ("leaf", 2), ("sun", 1), ("wave", 1)])
    game.looks("show", "mask:leaf")
    ruled = game.settle(B, 1)
    assigned = next(event for event in ruled if isinstance(event, StopAssigned))
    assert (assigned.seat, assigned.number, assigned.placer) == (B, 4, D)
    assert game.state.hand.design == "leaf", "the drawn mask is still in hand"
    game.place("leaf", 4)
    assert game.last.seat == A


def test_b_t15_a_wrong_stop_on_the_last_mask_that_takes_the_last_token_starts_the_next_round() -> None:
    game = filled(table(), whole_deck()[:-1]).hand_out(5, 5, 5, 1)
    game.lay([("moon", 1)])
    assert game.designs(1).count("moon") == 1
    assert KabukiRoundEnded(D, "token", (5, 5, 5, 0)) in game.settle(D, 0)
    assert game.state.drawer == D


def camera(referee: Referee[KabukiState], stack: int, design: str) -> Entry[Event]:
    """The camera reads this mask on top of a stack, a turn later."""
    at = referee.at + 4 * SECOND
    top = (SeenCard(f"mask:{design}"),)
    return referee.observe(
        TableSeen(at=at, regions=(RegionReading(f"stack:{stack}", top, at - 900 * MS, at - 400 * MS),))
    )


def say(referee: Referee[KabukiState], verb: str, value: str | None = None) -> Entry[Event]:
    """Who is in turn says so."""
    action = Action(referee.state.drawer, verb, value)
    return referee.observe(ActionDeclared(at=referee.at + MS, action=action))


def begun() -> Referee[KabukiState]:
    referee = Referee(RULES, MemoryJournal(make_header(RULES.name, setup())))
    referee.observe(RandomDraw(at=0, choices=RULES.awaited_draw(referee.state) or (), index=0))
    say(referee, "begin")
    return referee


def tops(referee: Referee[KabukiState]) -> list[str]:
    """What everybody is shown on the four stacks."""
    return [place.card for place in RULES.view(referee.state).places if place.region.startswith("stack:")]


def test_b_t41_a_mask_that_was_read_again_is_no_other_because_it_was_forgotten_as_often() -> None:
    referee = begun()
    for design, stack in (("leaf", 1), ("lion", 2), ("sun", 1), ("demon", 2)):
        say(referee, "place", f"{design}@{stack}")
    referee.undo(referee.at)
    referee.undo(referee.at)
    for design, stack in (("leaf", 1), ("lion", 2)):
        say(referee, "name", f"{design}@{stack}")
    say(referee, "place", "sun@1")
    referee.undo(referee.at)
    assert tops(referee) == ["unknown", "mask:lion", "actor:3", "actor:4"]


def test_b_t42_a_mask_that_is_covered_is_no_other_because_it_has_its_number_now() -> None:
    referee = begun()
    first, *_ = [camera(referee, stack, design) for stack, design in ((1, "demon"), (2, "lion"), (3, "moon"))]
    say(referee, "place", "leaf@2")
    with pytest.raises(NotCorrectableError):  # judged again, the lion would be a witness
        referee.correct(first.seq, None, referee.at)
    assert tops(referee)[1] == "mask:leaf"


def test_what_is_older_than_a_mask_that_was_covered_is_corrected_no_more_whatever_it_is_named_now() -> None:
    referee = begun()
    first, second, _ = [say(referee, "place", where) for where in ("demon@3", "leaf@1", "lion@1")]
    referee.undo(referee.at)
    say(referee, "name", "leaf@1")
    assert tops(referee) == ["mask:leaf", "actor:2", "mask:demon", "actor:4"]
    assert referee.is_correctable(second.seq)
    assert not referee.is_correctable(first.seq)


def test_a_mask_in_hand_is_no_other_because_the_same_undo_went_back_to_both() -> None:
    referee = begun()
    say(referee, "show", "wave")
    first, _ = [say(referee, "place", where) for where in ("wave@1", "lion@4")]
    referee.undo(referee.at)
    say(referee, "show", "lion")
    referee.correct(first.seq, None, referee.at)
    assert all(place.card != "mask:wave" for place in RULES.view(referee.state).places)


def test_a_look_that_comes_about_by_a_correction_settles_that_too() -> None:
    """The first mask did not happen, so the Stop was of no own mask and the stack is looked into now."""
    referee = begun()
    laid = enumerate(("demon", "lion", "moon", "leaf"), 1)
    first, *_ = [camera(referee, stack, design) for stack, design in laid]
    referee.observe(ButtonPressed(at=referee.at + MS, chair=D))
    referee.fire_timers(referee.at + 3 * SECOND)
    refused = referee.observe(ActionDeclared(at=referee.at + SECOND, action=Action(D, "look")))
    referee.correct(first.seq, None, referee.at)
    assert CheckBegan(D, 4) in referee.new_events(referee.journal.entries[-1])
    assert referee.find_undoable() is None
    assert not referee.is_correctable(refused.seq)
