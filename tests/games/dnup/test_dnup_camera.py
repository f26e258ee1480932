"""What the camera reads before the players: laid, added, taken, cleared; askew, unsure, a 6 or a 9."""

from __future__ import annotations

import pytest

from companion.core.actions import SECOND
from companion.core.observations import SeenCard
from companion.games.dnup.rules import model
from companion.games.dnup.rules.model import DnupPhase
from companion.games.dnup.rules.view import open_faces
from tests.games.dnup.dnup_table import A, B, C, Table, face, table
from tests.games.game_table import broken, kinds


def stood(*sets: tuple[str, ...], players: int = 4, turn: int = A, hands: tuple[int, ...] = ()) -> Table:
    return table(players).stand(*sets, turn=turn, hands=hands)


def test_nothing_counts_before_the_table_is_quiet() -> None:
    game = table()
    game.see((A, ("3/8",)))
    game.wait(SECOND)
    game.see((A, ("3/8", "3/7")))
    assert not game.of(model.SetPlayed)
    ruled = game.wait(2 * SECOND)
    assert [event.count for event in ruled if isinstance(event, model.SetPlayed)] == [2]


def test_the_own_button_says_that_it_lies() -> None:
    game = table()
    game.see((A, ("3/8",)))
    assert "SetPlayed" in kinds(game.press(A))


def test_the_others_buttons_say_nothing_of_it() -> None:
    game = table()
    game.see((A, ("3/8",)))
    assert not game.of(model.SetPlayed)
    assert "SetPlayed" not in kinds(game.press(B))


def test_what_is_gathered_up_again_was_no_play() -> None:
    game = table()
    game.see((A, ("3/8",)))
    game.see((A, ()))
    game.wait()
    assert not game.of(model.SetPlayed)
    assert game.state.seat == A


def test_a_card_is_read_as_its_owner_sees_it() -> None:
    game = table()
    game.look(("set:1", (SeenCard("pair:3-8", 180),)))
    game.wait()
    assert game.lies(A) == ("8/3",)


@pytest.mark.parametrize("askew", [-45, -30, 0, 30, 45])
def test_up_to_45_degrees_from_the_owners_axis_a_card_lies_upright(askew: int) -> None:
    game = table()
    game.look(("set:1", (face("3/8", askew=askew),)))
    game.wait()
    assert game.lies(A) == ("3/8",)


@pytest.mark.parametrize("askew", [60, 90, 120, 270])
def test_a_card_that_lies_across_is_asked_for(askew: int) -> None:
    game = table()
    ruled = game.look(("set:1", (face("3/8", askew=askew),)))
    assert kinds(ruled) == ["AreaUnread"]
    game.wait()
    assert not game.of(model.SetPlayed)


@pytest.mark.parametrize(
    ("card", "confidence", "read"),
    [
        ("1/6", 0.95, False),
        ("9/1", 0.95, False),
        ("1/6", 0.99, True),
        ("3/8", 0.95, True),
        ("3/8", 0.8, False),
    ],
)
def test_where_a_6_could_be_a_9_a_reading_must_be_surer(card: str, confidence: float, *, read: bool) -> None:
    game = table()
    ruled = game.look(("set:1", (face(card, confidence=confidence),)))
    assert ("AreaUnread" in kinds(ruled)) is not read
    game.wait()
    assert bool(game.of(model.SetPlayed)) is read


def test_what_cannot_be_read_is_said_by_button_and_then_known_by_its_value() -> None:
    game = table()
    game.look(("set:1", (SeenCard("unknown", 0, 0.0),)))
    assert "SetPlayed" in kinds(game.say(A, "play", "1x9"))
    assert game.lies(A) == ("9/?",)


def test_a_set_that_was_said_before_it_was_laid_is_filled_in_by_the_camera() -> None:
    game = table()
    game.see((A, ()))
    game.say(A, "play", "2x8")
    game.see((A, ("8/3",)))
    game.wait()
    assert game.state.seat == B, "half of it lies: nothing was taken"
    game.see((A, ("8/3", "8/1")))
    assert game.lies(A) == ("8/3", "8/1")
    assert not broken(game.rulings)


def test_a_beaten_set_may_lie_on_for_a_while() -> None:
    game = stood((), ("7/1",))
    game.lay((A, ("8/1",)))
    assert game.lies(B) == ()
    assert not broken(game.wait())
    assert "SetTaken" not in kinds(game.see((B, ())))
    assert not broken(game.wait())


def test_the_next_player_may_be_quick() -> None:
    game = table(4)
    game.lay((A, ("7/1",)))
    game.see((B, ("8/1",)))
    game.press(B)
    game.see((C, ("2/4", "2/5")))
    game.wait()
    assert [event.seat for event in game.of(model.SetPlayed)] == [A, B, C]


def test_the_next_player_may_clear_the_own_area_while_the_one_in_turn_lays() -> None:
    game = stood((), ("7/1",), ("6/3", "6/4"))
    ruled = game.lay((A, ("2/4", "2/5", "2/6")), (B, ()))
    assert "SetPlayed" in kinds(ruled)
    assert "SetTaken" not in kinds(ruled)
    assert not broken(ruled)


def test_a_new_set_beside_the_old_one_is_called() -> None:
    game = stood((), (), (), ())
    game.lay((A, ("7/1",)))
    for seat in (B, C, 3):
        game.say(seat, "rotate")
    assert broken(game.lay((A, ("7/1", "8/1")))) == ["discard.first"]
    ruled = game.lay((A, ("8/1",)))
    assert "SetPlayed" in kinds(ruled)


def test_two_actions_in_a_turn_are_called() -> None:
    game = stood((), ("7/1",), ("6/3", "6/4"), ())
    assert broken(game.lay((A, ("2/4", "2/5", "2/6")), (C, ()))) == ["turn.one_action"]


@pytest.mark.parametrize(
    ("lying", "rule"),
    [
        (("6/1",), "take.whole_set"),
        (("6/1", "6/2", "6/3", "6/4"), "add.one_card"),
        (("6/1", "6/2", "7/3"), "add.other_value"),
        (("6/1", "5/2"), "set.changed"),
    ],
)
def test_a_set_is_not_changed_otherwise(lying: tuple[str, ...], rule: str) -> None:
    game = stood((), (), ("6/1", "6/2"))
    assert broken(game.lay((C, lying))) == [rule]
    assert game.lies(C) == ("6/1", "6/2")


def test_a_set_of_two_values_is_called_and_put_right() -> None:
    game = table()
    assert broken(game.lay((A, ("3/8", "5/7")))) == ["set.mixed"]
    assert "SetPlayed" in kinds(game.lay((A, ("3/8",))))


def test_d_t21_the_own_button_says_at_once_also_what_is_wrong() -> None:
    game = table()
    game.see((A, ("3/8", "5/7")))
    assert broken(game.press(A)) == ["set.mixed"]


def test_cards_laid_out_of_turn_are_called() -> None:
    game = table(4)
    ruled = game.lay((C, ("3/8",)))
    assert broken(ruled) == ["play.not_your_turn"]


def test_an_infraction_is_called_once_while_the_cards_lie_on() -> None:
    game = table()
    game.lay((A, ("3/8", "5/7")))
    assert broken(game.wait()) == []


def test_two_players_have_areas_of_their_own_way_up() -> None:
    game = table(2)
    assert game.state.area == 1
    ruled = game.lay((1, ("3/8",)))
    assert "SetPlayed" in kinds(ruled)
    assert (game.state.seat, game.state.area) == (B, 2)


def test_the_star_shown_before_its_holder_begins_the_round() -> None:
    game = Table(3)
    game.say(A, "prepared")
    game.see((C, ("5/1",)))
    assert game.state.seat == C
    assert game.phase == DnupPhase.ACTING


def test_backs_are_no_cards_of_a_set() -> None:
    game = table()
    game.look(("set:1", (SeenCard("back:pair"), face("3/8"))))
    game.wait()
    assert game.lies(A) == ("3/8",)


def test_what_is_being_laid_is_other_cards_once_one_more_is_laid() -> None:
    game = table()
    game.see((A, ("3/8",)))
    (begun,) = open_faces(game.state)
    game.see((A, ("3/8", "3/7")))
    (now,) = open_faces(game.state)
    assert (begun.place, now.place) == ("seen:1", "seen:1")
    assert begun.position != now.position
