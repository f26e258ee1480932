"""The test vectors of the rules specification, one test each, named by its number."""

from __future__ import annotations

import pytest

from companion.core.actions import Action, Outcome
from companion.core.events import Infraction
from companion.games.kobayakawa.rules import model
from companion.games.kobayakawa.rules.model import (
    KAMONS_IN_BOX,
    STARTING_CENTRE,
    STARTING_KAMONS,
    UNREAD,
    KobayakawaPhase,
)
from tests.games.game_table import broken, kinds
from tests.games.kobayakawa.kobayakawa_table import A, B, C, D, Table, table


def test_o_t01_the_lowest_fighter_adds_the_kobayakawa() -> None:
    game = table(3)
    game.round(7, a=8, b=14)
    won = game.of(model.RoundWon)[-1]
    assert dict(won.totals) == {A: 15, B: 14}
    assert (won.seat, won.total, won.how) == (A, 15, "showdown")


def test_o_t02_the_helped_lowest_beats_two_higher_cards_and_takes_three_stakes_and_one() -> None:
    game = table(4)
    game.round(8, a=9, c=15, d=12)
    won = game.of(model.RoundWon)[-1]
    assert dict(won.totals) == {A: 17, C: 15, D: 12}
    assert (won.seat, won.count, won.bonus) == (A, 4, 1)
    assert game.kamons == (7, 4, 3, 3)


def test_o_t03_a_lone_fighter_wins_at_once_and_shows_nothing() -> None:
    game = table(4)
    ruled = game.round(8, b=0)
    assert "ShowdownBegan" not in kinds(ruled)
    assert "CardShown" not in kinds(ruled)
    won = game.of(model.RoundWon)[-1]
    assert (won.seat, won.how, won.total, won.totals) == (B, "alone", 0, ())
    assert game.kamons == (4, 5, 4, 4)
    assert game.state.centre == STARTING_CENTRE - 1
    assert all(hand.shown == UNREAD for hand in game.state.hands)


@pytest.mark.parametrize(("players", "left"), [(6, 0), (3, 12)])
def test_o_t04_everybody_has_four_kamons_the_centre_eight_and_the_box_the_rest(
    players: int, left: int
) -> None:
    game = Table(players)
    assert game.kamons == (STARTING_KAMONS,) * players
    assert game.state.centre == STARTING_CENTRE
    assert KAMONS_IN_BOX - game.state.total_kamons == left
    hint = game.rules.view(game.state).hint
    assert hint is not None
    assert hint.parts == (("left", left),)


def test_o_t05_after_six_rounds_with_a_winner_the_next_is_the_last() -> None:
    game = table(4)
    for winner in "abcdab":
        assert not game.state.next_round_is_last
        game.round(8, **{winner: 0})
    assert game.state.centre == 2
    game.deal(8)
    assert game.state.last


def test_o_t06_the_last_round_costs_two_or_the_only_kamon_left_and_pays_two() -> None:
    game = table(4).set(kamons=(1, 7, 7, 7), centre=2)
    game.deal(8).draw_all()
    game.bets(A, B)
    assert [hand.stake for hand in game.state.hands] == [1, 2, 0, 0]
    game.show(a=3, b=4)
    won = game.of(model.RoundWon)[-1]
    assert (won.seat, won.count, won.bonus) == (A, 5, 2)
    assert game.kamons == (5, 5, 7, 7)
    assert game.state.centre == 0


@pytest.mark.parametrize(("starter", "winner"), [(A, A), (B, B)])
def test_o_t07_a_tie_goes_to_the_one_earlier_in_turn_order(starter: int, winner: int) -> None:
    game = table(3, starter=starter)
    game.round(7, a=5, b=12)
    won = game.of(model.RoundWon)[-1]
    assert (won.seat, won.how, won.total) == (winner, "tie", 12)


def test_o_t08_who_stakes_the_last_kamon_and_loses_is_not_dealt_in_any_more() -> None:
    game = table(4).set(kamons=(7, 1, 4, 4))
    ruled = game.round(8, a=9, b=10)
    assert model.PlayerOut(B) in ruled
    game.deal(3)
    assert game.state.order == (A, C, D)
    assert broken(game.say(B, "draw")) == ["turn.not_yours"]


def test_o_t09_the_winner_of_a_round_starts_the_next() -> None:
    game = table(4)
    game.round(8, c=0)
    assert game.state.starter == C
    game.deal(1)
    assert game.state.order == (C, D, A, B)


def test_o_t10_drawing_leaves_one_open_card_and_replacing_none() -> None:
    game = table(3).deal(7)
    game.say(A, "draw")
    game.say(A, "discard", 4)
    game.say(B, "replace")
    game.say(B, "kobayakawa", 11)
    assert [hand.discard for hand in game.state.hands] == [4, -1, -1]
    assert game.state.opened == (7, 11)
    assert game.state.kobayakawa == 11
    assert game.state.deck == 15 - 3 - 1 - 2


def test_o_t11_a_lower_card_that_passed_takes_no_help_away() -> None:
    game = table(3)
    game.round(5, a=6, b=9)  # whatever C has
    assert dict(game.of(model.RoundWon)[-1].totals) == {A: 11, B: 9}


def test_o_t12_the_order_skips_players_who_are_out_and_the_winner_never_is() -> None:
    game = table(4).set(kamons=(6, 0, 1, 9))
    game.round(8, a=9, c=3)
    assert game.state.starter == C
    assert game.kamons == (5, 0, 3, 9)
    game.deal(8)
    assert game.state.order == (C, D, A)


def test_o_t13_where_nobody_fights_the_round_is_repeated_and_the_next_player_starts() -> None:
    game = table(4, starter=B)
    ruled = game.round(8)
    assert game.of(model.NobodyFought) == [model.NobodyFought("repeat", 0, C)]
    assert "RoundWon" not in kinds(ruled)
    assert (game.kamons, game.state.centre, game.state.starter) == ((4, 4, 4, 4), 8, C)
    assert game.phase == KobayakawaPhase.DEALING


def test_o_t14_equal_most_kamons_at_the_end_share_the_victory() -> None:
    game = table(3).set(kamons=(6, 9, 3), centre=2)
    ruled = game.round(8, a=0)
    assert ruled[-1] == model.KobayakawaGameWon((B,), "last_round")
    tied = Table(3).set(kamons=(7, 9, 2), centre=2)
    tied.say(A, "start")
    ruled = tied.round(8, a=0)
    assert ruled[-1] == model.KobayakawaGameWon((A, B), "last_round")
    assert tied.rules.outcome(tied.state) == Outcome("last_round", (A, B))


def test_o_t40_once_a_card_was_drawn_replacing_is_refused_and_the_draw_stands() -> None:
    game = table(3).deal(7)
    game.say(A, "draw")
    assert game.say(A, "replace") == (Infraction("draw.looked", A),)
    assert Action(A, "replace") not in game.legal
    assert (game.phase, game.state.actor, game.state.opened) == (KobayakawaPhase.DISCARDING, A, (7,))
    game.say(A, "discard", 4)
    assert game.state.hands[A].did == "draw"


def test_o_t40_a_discard_whose_number_is_doubted_was_drawn_all_the_same() -> None:
    game = table(3).deal(7)
    assert kinds(game.say(A, "discard", 7)) == ["CardDrawn", "NumberDoubted"]
    assert game.say(A, "replace") == (Infraction("draw.looked", A),)
    assert "CardDiscarded" in kinds(game.say(A, "discard", 7)), "said twice, it counts"


def test_a_replacement_that_was_only_announced_may_still_become_a_draw() -> None:
    game = table(3).deal(7)
    game.say(A, "replace")
    assert kinds(game.say(A, "draw")) == ["CardDrawn"]
