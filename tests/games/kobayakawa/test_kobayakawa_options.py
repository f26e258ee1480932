"""House rules OA1 to OA6, and what OA7 to OA12 settle without a choice."""

from __future__ import annotations

import pytest

from companion.core.actions import Action, Outcome
from companion.core.events import Infraction
from companion.core.view import LampSignal
from companion.games.kobayakawa.rules import model
from companion.games.kobayakawa.rules.model import KobayakawaPhase
from tests.games.game_table import broken, kinds
from tests.games.kobayakawa.kobayakawa_table import A, B, C, D, Table, table


def options(game: Table) -> tuple[str, ...]:
    """The verbs that the one chair asked is offered."""
    (prompt,) = game.rules.prompts(game.state)
    return tuple(action.verb for action in prompt.actions)


def test_oa1_drawing_or_replacing_is_obligatory() -> None:
    game = table(3).deal(7)
    assert options(game) == ("draw", "replace")
    assert broken(game.say(A, "neither")) == ["draw.must"]


def test_oa1_optional_adds_a_third_choice() -> None:
    game = table(3, draw_optional=True).deal(7)
    assert options(game) == ("draw", "replace", "neither")
    assert kinds(game.say(A, "neither")) == ["DrawSkipped"]
    assert (game.state.actor, game.state.deck) == (B, 15 - 3 - 1)


def test_oa2_box_pays_the_centres_part_to_the_box() -> None:
    game = table(3, nobody_fights="box")
    game.round(7)
    assert (game.state.centre, game.state.box) == (7, 1)


def test_oa2_box_ends_a_last_round_that_nobody_fights() -> None:
    game = table(3, nobody_fights="box").set(centre=2, box=6, kamons=(4, 6, 2))
    assert kinds(game.round(7))[-1] == "GameWon"
    assert (game.state.centre, game.state.box) == (0, 8)
    assert game.rules.outcome(game.state) == Outcome("last_round", (B,))


def test_oa2_carried_waits_for_the_next_winner() -> None:
    game = table(3, nobody_fights="carried")
    game.round(7)
    assert (game.state.centre, game.state.carried) == (7, 1)
    game.round(7, b=0)
    assert game.of(model.RoundWon)[-1].count == 1 + 1 + 1
    assert (game.kamons, game.state.centre, game.state.carried) == ((4, 6, 4), 6, 0)


def test_oa2_carried_repeats_the_last_round() -> None:
    game = table(3, nobody_fights="carried").set(centre=2, carried=1, kamons=(5, 5, 7))
    game.round(7)
    assert (game.state.centre, game.state.carried, game.phase) == (2, 1, KobayakawaPhase.DEALING)


def test_oa2_the_last_to_bet_wins_as_soon_as_all_others_passed() -> None:
    game = table(3, nobody_fights="last_player").deal(7).draw_all()
    game.say(A, "pass")
    ruled = game.say(B, "pass")
    assert kinds(ruled) == ["Passed", "RoundWon"]
    won = game.of(model.RoundWon)[-1]
    assert (won.seat, won.how, won.count) == (C, "last", 1)
    assert game.kamons == (4, 4, 5)


def test_to_the_last_player_it_is_said_that_all_others_passed() -> None:
    game = table(4).deal(7).draw_all()
    for seat in (A, B):
        game.say(seat, "pass")
    assert model.AllPassed(D, 3) in game.say(C, "pass")
    hint = game.rules.view(game.state).hint
    assert hint is not None
    assert hint.key == "kobayakawa.hint.betting.alone"


@pytest.mark.parametrize(("rule", "starter"), [("same", B), ("next", C)])
def test_oa3_who_starts_after_a_round_that_nobody_fought(rule: str, starter: int) -> None:
    game = table(4, starter=B, start_after_no_fight=rule)
    game.round(7)
    assert game.state.starter == starter


def test_oa4_the_centre_counts_the_rounds() -> None:
    game = table(3)
    for _ in range(9):
        game.round(7)
    assert game.state.centre == 8
    assert not game.state.next_round_is_last


def test_oa5_one_player_left_wins_at_once() -> None:
    game = table(3).set(kamons=(1, 1, 10))
    game.round(8, a=1, b=2, c=13)
    assert game.rules.outcome(game.state) == Outcome("last_survivor", (C,))


def test_oa5_or_plays_on_alone_to_the_last_round() -> None:
    game = table(3, last_survivor_wins=False).set(kamons=(1, 1, 14), centre=4)
    game.round(8, a=1, b=2, c=13)
    assert game.phase == KobayakawaPhase.DEALING
    game.round(8, c=0)
    assert game.state.next_round_is_last
    game.round(8, c=0)
    assert game.rules.outcome(game.state) == Outcome("last_round", (C,))


@pytest.mark.parametrize(
    ("rule", "winners"), [("shared", (A, B)), ("last_round", (A,)), ("turn_order", (B,))]
)
def test_oa6_a_tie_at_the_end(rule: str, winners: tuple[int, ...]) -> None:
    game = table(3, starter=B, final_tie=rule).set(kamons=(7, 9, 2), centre=2)
    game.round(8, a=0)
    assert game.state.winners == winners


def test_oa6_a_last_winner_who_has_not_most_takes_nothing_from_those_who_share() -> None:
    game = table(3, final_tie="last_round").set(kamons=(2, 8, 8), centre=2)
    game.round(8, a=0)
    assert game.state.winners == (B, C)


def deciding(**options: object) -> Table:
    """A wins the last round and draws level with B; C is behind."""
    game = table(3, starter=B, final_tie="deciding_round", **options).set(kamons=(7, 9, 2), centre=2)
    assert game.round(8, a=0)[-1] == model.DecidingRoundDue((A, B))
    return game


def test_oa6_those_who_tied_play_a_deciding_round_without_bets() -> None:
    game = deciding()
    assert game.rules.outcome(game.state) is None
    game.deal(8)
    assert game.of(model.KobayakawaRoundBegan)[-1] == model.KobayakawaRoundBegan(
        A, 2, 8, (A, B), deciding=True
    )
    assert (game.state.order, game.state.deck) == ((A, B), 15 - 2 - 1)
    game.draw_all()
    assert game.phase == KobayakawaPhase.SHOWDOWN
    assert game.of(model.ShowdownBegan)[-1] == model.ShowdownBegan((A, B))
    ruled = game.show(a=6, b=12)
    assert ruled[-2:] == (
        model.RoundWon(A, "showdown", 0, 0, 14, ((A, 14), (B, 12))),
        model.KobayakawaGameWon((A,), "deciding_round"),
    )
    assert game.kamons == (9, 9, 6 - 4)
    assert game.rules.outcome(game.state) == Outcome("deciding_round", (A,))


def test_oa6_a_tie_in_the_deciding_round_goes_to_the_one_earlier_in_turn_order() -> None:
    game = deciding().deal(8).draw_all()
    game.show(b=5, a=13)
    assert game.state.winners == (A,)


def test_oa6_the_next_of_those_who_tied_deals_where_the_last_winner_is_behind() -> None:
    game = table(4, final_tie="deciding_round").set(kamons=(6, 2, 7, 7), centre=2)
    assert game.round(8, b=0)[-1] == model.DecidingRoundDue((C, D))
    assert game.state.starter == C


def test_oa6_a_last_round_that_nobody_fights_may_be_decided_too() -> None:
    game = table(3, starter=C, nobody_fights="box", final_tie="deciding_round")
    game.set(kamons=(7, 7, 2), centre=2, box=2)
    assert game.round(8)[-1] == model.DecidingRoundDue((A, B))
    assert game.state.centre == 0


def test_oa6_a_deciding_round_that_was_dealt_wrongly_is_dealt_again_to_the_same() -> None:
    game = deciding().deal(8)
    (number, deck) = game.rules.view(game.state).fields
    assert (number.name, deck.name) == ("number", "deck")
    game.declare(deck=3)
    assert game.of(model.DealVoided) == [model.DealVoided(3, 12)]
    (starter,) = game.rules.view(game.state).fields
    assert starter.choices == (A, B)
    game.declare(starter=B)
    game.deal(9)
    assert game.state.order == (B, A)


def test_oa6_whoever_plays_the_deciding_round_is_lit_and_dealt_in() -> None:
    game = deciding()
    assert [chair.lamp for chair in game.rules.view(game.state).chairs] == [
        LampSignal.SLOW,
        LampSignal.LIT,
        LampSignal.DARK,
    ]
    assert game.rules.view(game.state).headline.key == "kobayakawa.phase.dealing.deciding"
    game.deal(8)
    assert [chair.cards for chair in game.rules.view(game.state).chairs] == [1, 1, 0]
    assert game.say(C, "draw") == (Infraction("turn.not_yours", C),)


def test_oa7_a_lone_fighter_is_asked_for_nothing() -> None:
    game = table(3).deal(8).draw_all()
    game.bets(B)
    assert Action(B, "show", 9) not in game.legal


def test_oa8_who_has_two_kamons_stakes_two_in_the_last_round() -> None:
    game = table(3).set(kamons=(2, 8, 8), centre=2).deal(8).draw_all()
    game.say(A, "fight")
    assert game.state.hands[A].stake == 2


def test_oa10_a_former_kobayakawa_helps_nobody() -> None:
    game = table(3).deal(15)
    game.say(A, "kobayakawa", 2)
    game.draw_all()
    game.bets(A, B)
    game.show(a=3, b=6)
    assert dict(game.of(model.RoundWon)[-1].totals) == {A: 5, B: 6}


def test_oa12_the_last_kamon_is_staked_without_leaving_the_round() -> None:
    game = table(3).set(kamons=(1, 9, 2)).deal(8).draw_all()
    game.say(A, "fight")
    assert game.of(model.PlayerOut) == []
    game.bets(A)
    assert game.of(model.RoundWon)[-1].seat == A
    assert game.kamons[A] == 2
