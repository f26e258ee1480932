"""What the referee knows of hands, when it speaks up (DI1 to DI4), and what it never tells."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from companion.core import observations as ob
from companion.core.view import ViewMode
from companion.games.dnup.rules import model
from companion.games.dnup.rules.model import KnownHand
from tests.games.dnup.dnup_table import A, B, C, Table, table
from tests.games.game_table import broken, kinds


def stood(*sets: tuple[str, ...], hands: tuple[int, ...] = (), turn: int = A, players: int = 4) -> Table:
    return table(players).stand(*sets, turn=turn, hands=hands)


def test_a_returned_card_is_known_turned_and_follows_every_rotation() -> None:
    game = stood((), ("7/1",))
    game.lay((A, ("8/1",)))
    assert game.known(B) == ("1/7",)
    game.say(B, "rotate")
    assert game.known(B) == ("7/1",)


def test_di1_a_known_card_that_comes_back_the_wrong_way_up_is_called() -> None:
    game = stood(players=5, hands=(2, 8, 8, 8, 8)).holding(A, "4/9f", "2/7s")
    assert broken(game.lay((A, ("9/4f",)))) == ["card.turned"]
    assert game.lies(A) == ()


def test_di1_forgetting_the_golden_rule_is_called() -> None:
    game = stood((), ("9/4f",), players=5, turn=A)
    game.lay((B, ()))
    assert game.known(A) == ("4/9f",)
    for seat in (1, 2, 3, 4):
        game.say(seat, "rotate")
    assert broken(game.lay((A, ("9/4f",)))) == ["card.turned"]


def test_di1_says_nothing_where_another_copy_may_have_been_meant() -> None:
    game = stood(hands=(5, 9, 9, 9)).holding(A, "1/6")
    ruled = game.lay((A, ("6/1",)))
    assert broken(ruled) == []
    assert "SetPlayed" in kinds(ruled)


def test_di2_a_card_that_is_known_to_be_elsewhere_is_called() -> None:
    game = stood(hands=(5, 9, 9, 9)).holding(B, "3/8")
    assert broken(game.lay((A, ("8/3",)))) == ["card.elsewhere"]


def test_di2_a_hand_that_is_known_whole_holds_nothing_else() -> None:
    game = stood(hands=(1, 9, 9, 9)).holding(A, "4/6")
    assert broken(game.lay((A, ("3/8",)))) == ["card.not_held"]


def test_di3_a_card_of_a_symbol_that_was_taken_out_is_called() -> None:
    game = stood(players=4)
    assert broken(game.lay((A, ("3/10f",)))) == ["deck.foreign"]


def test_di3_more_copies_than_there_are_is_called() -> None:
    game = stood((), ("3/8",))
    assert broken(game.lay((A, ("8/3",)))) == ["deck.too_many"]


def test_di4_a_hand_cannot_lay_more_than_it_holds() -> None:
    game = stood(hands=(1, 9, 9, 9))
    assert broken(game.lay((A, ("3/8", "3/7")))) == ["hand.count"]
    assert broken(game.say(A, "play", "2x3")) == ["hand.count"]


def test_said_once_more_the_tables_word_counts_and_nothing_is_claimed_any_more() -> None:
    game = stood(hands=(1, 9, 9, 9)).holding(A, "4/6")
    game.lay((A, ("3/8",)))
    ruled = game.say(A, "done")
    assert kinds(ruled)[:2] == ["HandDoubted", "SetPlayed"]
    assert all(not hand.known for hand in game.state.hands)


def test_what_was_doubted_before_nobody_saw_the_table_is_not_insisted_on() -> None:
    game = stood(hands=(1, 9, 9, 9)).holding(A, "4/6")
    game.lay((A, ("3/8",)))
    game.observe(ob.ProgramStalled(at=game.at, until=game.at))
    assert "SetPlayed" not in kinds(game.say(A, "done"))


def test_a_set_that_was_said_against_what_is_known_counts_too() -> None:
    game = stood(hands=(1, 9, 9, 9)).holding(A, "4/6")
    ruled = game.say(A, "play", "1x8")
    assert kinds(ruled)[:2] == ["HandDoubted", "SetPlayed"]
    assert not broken(ruled)


def test_what_was_only_said_makes_known_cards_uncertain_and_never_accuses() -> None:
    game = stood(hands=(3, 9, 9, 9)).holding(A, "8/3", "8/1")
    game.say(A, "play", "1x8")
    assert game.known(A) == (), "either may have left"


def test_what_was_only_said_leaves_the_other_values_known() -> None:
    game = stood(hands=(3, 9, 9, 9)).holding(A, "8/3", "2/4")
    game.say(A, "play", "1x8")
    assert game.known(A) == ("2/4",)


def test_a_star_that_may_have_left_unseen_blames_nobody() -> None:
    game = table(4, starter=A)
    game.say(A, "play", "1x5")
    game.say(B, "take", A + 1)
    game.say(C, "rotate")
    game.say(3, "rotate")
    game.say(A, "rotate")
    game.lay((B, ("1/5",)))
    assert not game.of(model.StarElsewhere)


@pytest.mark.parametrize("deed", ["rotate", "play", "see"])
def test_what_a_hand_holds_changes_nothing_that_is_told(deed: str) -> None:
    games = [stood((), ("7/1",), hands=(5, 8, 9, 9)) for _ in range(2)]
    for game, known in zip(games, (("3/8", "2/4"), ("9/4", "10/2")), strict=True):
        hands = (KnownHand(5), KnownHand(8, known), *game.state.hands[2:])
        game.state = replace(game.state, hands=hands)
        game.rulings = []
        if deed == "rotate":
            game.say(A, "rotate")
        elif deed == "play":
            game.say(A, "play", "1x8")
        else:
            game.see((A, ("8/2n",)))
    one, other = games
    for mode in ViewMode:
        assert one.rules.view(one.state, mode) == other.rules.view(other.state, mode)
    assert one.rules.legal_actions(one.state) == other.rules.legal_actions(other.state)
    assert one.rules.controls(one.state) == other.rules.controls(other.state)
    assert one.rules.next_timer(one.state) == other.rules.next_timer(other.state)
    told = [[game.rules.sentence(game.state, event, log=True) for event in game.rulings] for game in games]
    assert told[0] == told[1]


def test_the_log_names_no_value_of_cards_that_lie_there_no_more() -> None:
    game = stood((), ("7/1",))
    ruled = game.lay((A, ("8/1",)))
    for event in ruled:
        told = game.rules.sentence(game.state, event, log=True)
        if isinstance(event, model.SetReturned):
            assert told is not None
            assert "value" not in dict(told.parts)
            assert told.key.endswith(".hidden")
        if isinstance(event, model.SetPlayed):
            assert told is not None
            assert dict(told.parts)["value"] == 8
