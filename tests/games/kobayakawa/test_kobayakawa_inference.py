"""OI1 to OI3: what the referee finds out by counting, without accusing anybody."""

from __future__ import annotations

import pytest

from companion.games.kobayakawa.rules import model
from companion.games.kobayakawa.rules.camera_rulings import BACK
from companion.games.kobayakawa.rules.model import UNREAD, KobayakawaPhase
from tests.games.game_table import broken, kinds
from tests.games.kobayakawa.kobayakawa_table import A, B, C, Table, table


def test_oi1_a_shown_number_that_was_laid_open_is_doubted() -> None:
    game = table(3).deal(7)
    game.say(A, "draw")
    game.say(A, "discard", 4)
    game.draw_all()
    game.bets(A, B)
    ruled = game.say(B, "show", 4)
    assert ruled == (model.NumberDoubted(4, "hand:1", B),)
    assert game.state.unseen_fighters == (A, B)
    game.show(b=5)
    assert game.state.hands[B].shown == 5


@pytest.mark.parametrize("number", [7, 9])
def test_oi1_a_shown_number_that_was_ever_the_kobayakawa_is_doubted(number: int) -> None:
    game = table(3).deal(7)
    game.say(A, "kobayakawa", 9)
    game.draw_all()
    game.bets(A, B)
    assert kinds(game.say(A, "show", number)) == ["NumberDoubted"]


def test_oi1_two_fighters_never_show_the_same_number() -> None:
    game = table(3).deal(7).draw_all()
    game.bets(A, B)
    game.show(a=12)
    assert kinds(game.say(B, "show", 12)) == ["NumberDoubted"]


def test_oi1_said_twice_the_tables_word_counts_against_a_discard() -> None:
    game = table(3).deal(7)
    game.say(A, "discard", 4)
    game.draw_all()
    game.bets(A, B)
    game.say(B, "show", 4)
    assert kinds(game.say(B, "show", 4)) == ["NumberForgotten", "CardShown"]
    assert game.state.hands[A].discard == UNREAD


def test_oi1_said_twice_against_the_kobayakawa_its_number_is_asked_anew() -> None:
    game = table(3).deal(7).draw_all()
    game.bets(A, B)
    game.say(A, "show", 7)
    game.say(A, "show", 7)
    game.show(b=9)
    assert game.phase == KobayakawaPhase.SHOWDOWN
    assert game.state.kobayakawa == UNREAD
    assert [prompt.actions[0].verb for prompt in game.rules.prompts(game.state)] == ["kobayakawa"]
    ruled = game.say(A, "kobayakawa", 8)
    assert kinds(ruled) == ["KobayakawaRead", "RoundWon"]
    assert dict(game.of(model.RoundWon)[-1].totals) == {A: 15, B: 9}


def test_oi1_a_doubtful_reading_of_the_camera_is_doubted_once_and_never_believed() -> None:
    game = table(3)
    game.see("kobayakawa")
    game.see("kobayakawa", 7)
    game.draw_all()
    game.bets(A, B)
    assert "NumberDoubted" in kinds(game.see("hand:1", 7))
    game.see("hand:1", BACK)
    assert kinds(game.see("hand:1", 7)) == ["RegionSeen"]
    assert game.state.unseen_fighters == (A, B)


def test_oi1_a_discard_read_as_a_known_number_lies_unread() -> None:
    game = table(3)
    game.see("kobayakawa")
    game.see("kobayakawa", 7)
    ruled = game.see("discard:1", 7)
    assert kinds(ruled) == ["RegionSeen", "CardDrawn", "NumberDoubted", "CardDiscarded"]
    assert game.state.hands[A].discard == UNREAD
    assert game.state.actor == B


def test_oi1_a_doubtful_new_kobayakawa_is_asked_for() -> None:
    game = table(3)
    game.see("kobayakawa")
    game.see("kobayakawa", 7)
    game.see("discard:1", 4)
    assert kinds(game.see("kobayakawa", 7, 4)) == ["RegionSeen", "ReplaceAnnounced", "NumberDoubted"]
    assert game.phase == KobayakawaPhase.REPLACING
    game.say(B, "kobayakawa", 14)
    assert game.state.opened == (7, 14)


def test_oi2_two_cards_in_one_hand_are_called() -> None:
    game = table(3).deal(7).draw_all()
    game.bets(A, B)
    assert broken(game.see("hand:1", 9, 12)) == ["hand.two"]
    assert broken(game.see("hand:1", 9, 12)) == []
    assert (
        kinds(game.see("hand:1", 12)) == ["RegionSeen", "PutRight", "CardShown"]
        or game.state.hands[A].shown == 12
    )


def hint_of(game: Table) -> str:
    hint = game.rules.view(game.state).hint
    assert hint is not None
    return hint.key


def test_a_card_shown_too_early_is_asked_for_no_more_once_it_counts() -> None:
    game = table(3).deal(7).draw_all()
    assert broken(game.see("hand:1", 9)) == ["hand.shown"]
    assert hint_of(game) == "kobayakawa.hint.misplaced.shown"
    game.bets(A, B)
    assert game.state.hands[A].shown == 9
    assert hint_of(game) == "kobayakawa.hint.showdown.one"


def test_of_two_cards_one_is_asked_for() -> None:
    game = table(3).deal(7).draw_all()
    game.bets(A, B)
    game.see("hand:1", 9, 12)
    assert hint_of(game) == "kobayakawa.hint.misplaced.two"


def test_oi2_a_missing_discard_is_asked_for_where_the_camera_sees_the_table() -> None:
    game = table(3)
    game.see("kobayakawa")
    game.see("kobayakawa", 7)
    game.say(A, "draw")
    game.say(A, "done")
    game.see("discard:3", 4)
    game.see("discard:5", 5)
    assert game.of(model.DiscardMissing) == [model.DiscardMissing(A)]
    assert game.phase == KobayakawaPhase.BETTING


def test_oi3_a_deck_that_is_too_short_voids_the_deal_and_stakes_go_back() -> None:
    game = table(3).deal(7).draw_all()
    game.say(A, "fight")
    due = game.state.deck
    assert due == 15 - 3 - 1 - 3
    ruled = game.declare(deck=due - 1)
    assert kinds(ruled) == ["Repaired", "DealVoided"]
    assert ruled[-1] == model.DealVoided(due - 1, due)
    assert (game.kamons, game.state.stakes, game.phase) == ((4, 4, 4), 0, KobayakawaPhase.DEALING)
    game.deal(3)
    assert game.state.round == 1


def test_oi3_a_deck_of_the_right_length_changes_nothing() -> None:
    game = table(3).deal(7)
    before = game.state
    assert kinds(game.declare(deck=before.deck)) == []
    assert game.state == before


def test_the_table_may_say_how_it_stands_and_nonsense_is_refused() -> None:
    game = table(3).deal(7)
    assert kinds(game.declare(kamons_0=3, kamons_2=5, number=9)) == ["Repaired"]
    assert (game.kamons, game.state.kobayakawa) == ((3, 4, 5), 9)
    for wrong in ({"kamons_0": 9}, {"kamons_9": 1}, {"starter": 1}, {"number": 16}, {"number": 0}):
        assert broken(game.declare(**wrong)) == ["repair.impossible"], wrong
    game.draw_all()
    game.bets(A, B)
    assert broken(game.declare(kamons_0=3)) == ["repair.not_now"]


def test_the_table_may_say_who_deals_and_what_lies_in_the_middle() -> None:
    game = table(3)
    assert kinds(game.declare(starter=C, centre=6, kamons_1=6)) == ["Repaired"]
    assert (game.state.starter, game.state.centre, game.kamons) == (C, 6, (4, 6, 4))
    assert broken(game.declare(centre=7)) == ["repair.impossible"]
