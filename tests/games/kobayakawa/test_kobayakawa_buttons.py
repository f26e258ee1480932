"""Kobayakawa by buttons alone: short is the first choice, hold the second; of numbers they are halves."""

from __future__ import annotations

from random import Random

import pytest

from companion.core import observations as ob
from companion.core.actions import HOLD_TIME
from companion.core.events import Infraction
from companion.core.view import LampSignal
from companion.games.kobayakawa.rules import Kobayakawa, model
from companion.games.kobayakawa.rules.model import KobayakawaPhase
from tests.games.game_table import broken, kinds
from tests.games.kobayakawa.kobayakawa_table import A, B, C, Table, table

RULES = Kobayakawa()


def number(game: Table, chair: int, wanted: int) -> tuple[model.Event, ...]:
    """Take the half that has the number until it is said."""
    while True:
        shown = next(one for one in RULES.view(game.state).chairs if one.chair == chair).choices
        press = next(one.press for one in shown if one.action.value == wanted)
        ruled = game.tap(chair) if press == "tap" else game.hold(chair)
        if "ChoiceStepped" not in kinds(ruled):
            return ruled


def asked(game: Table) -> int:
    """The one chair that is asked."""
    (chair,) = [prompt.chair for prompt in RULES.prompts(game.state)]
    return chair


def test_short_fights_and_hold_passes() -> None:
    game = table(3).deal(7).draw_all()
    assert kinds(game.tap(A)) == ["PressBegan", "PressEnded", "Fought"]
    assert kinds(game.hold(B))[:3] == ["PressBegan", "PressEnded", "Passed"]
    assert game.state.actor == C


def test_short_draws_and_hold_replaces() -> None:
    game = table(3).deal(7)
    assert kinds(game.tap(A))[-1] == "CardDrawn"
    assert kinds(game.tap(A))[-1] == "CardDiscarded"
    assert kinds(game.hold(B))[-1] == "ReplaceAnnounced"
    assert kinds(number(game, B, 12))[-1] == "KobayakawaReplaced"
    assert game.state.opened == (7, 12)


def test_o_t40_once_a_card_was_drawn_the_button_only_says_that_one_lies_open() -> None:
    game = table(3).deal(7)
    game.tap(A)
    (prompt,) = RULES.prompts(game.state)
    assert [action.verb for action in prompt.actions] == ["done"]
    assert kinds(game.hold(A))[0] == "CardDiscarded"
    assert game.state.opened == (7,)


def test_the_shared_buttons_serve_whoever_is_asked_alone() -> None:
    game = table(3)
    game.press(None, button="ok")
    for button in ("back", "next", "back"):  # 1 to 7, 4 to 7, 4 and 5
        game.press(None, button=button)
    assert kinds(game.press(None, button="back")) == ["PressEnded", "RoundBegan"]
    assert game.state.kobayakawa == 4
    game.press(None, button="ok")
    assert game.phase == KobayakawaPhase.DISCARDING


@pytest.mark.parametrize("players", range(3, 7))
def test_a_whole_game_is_played_by_the_players_own_buttons(players: int) -> None:
    chance = Random(players)
    game = Table(players)
    game.tap(players - 1)
    for _ in range(3_000):
        if RULES.outcome(game.state) is not None:
            break
        chair = asked(game)
        (prompt,) = RULES.prompts(game.state)
        if len(prompt.actions) > 2:
            taken = {*game.state.opened, *(hand.shown for hand in game.state.hands)}
            number(game, chair, chance.choice([free for free in range(1, 16) if free not in taken]))
        elif chance.random() < 0.6:
            game.tap(chair)
        else:
            game.hold(chair)
    assert RULES.outcome(game.state) is not None
    assert not game.of(Infraction)


def test_whoever_is_not_asked_is_told_so_on_the_own_panel() -> None:
    game = table(3).deal(7)
    early = game.tap(B)
    game.say(A, "discard", 3)
    late = game.tap(A)
    assert [
        RULES.ineffective_press(event) for event in (*early, *late) if RULES.ineffective_press(event)
    ] == [
        (B, "too_early"),
        (A, "too_late"),
    ]
    assert all(RULES.is_silent(event) for event in early)


def test_a_player_who_is_out_is_not_told_anything() -> None:
    game = table(3).set(kamons=(6, 0, 6)).deal(7)
    assert game.tap(B) == ()


def test_a_bet_out_of_turn_by_touch_is_an_infraction_and_changes_nothing() -> None:
    game = table(3).deal(7).draw_all()
    before = game.state
    assert broken(game.say(C, "fight")) == ["turn.not_yours"]
    assert game.state == before


def test_a_press_begun_under_one_question_answers_no_other() -> None:
    game = table(3).deal(7).draw_all()
    game.observe(ob.ButtonPressed(at=game.at, chair=A))
    game.say(A, "pass")
    assert kinds(game.observe(ob.ButtonHeld(at=game.at + HOLD_TIME, chair=A))) == ["PressEnded"]
    assert game.of(model.PlayerFought) == []
    assert len(game.of(model.PlayerPassed)) == 1


def test_lamps_say_who_is_asked_who_fights_and_who_still_has_to_show() -> None:
    game = table(3).deal(7).draw_all()

    def lamps() -> list[LampSignal]:
        return [chair.lamp for chair in RULES.view(game.state).chairs]

    assert lamps() == [LampSignal.SLOW, LampSignal.DARK, LampSignal.DARK]
    game.tap(A)
    assert lamps() == [LampSignal.LIT, LampSignal.SLOW, LampSignal.DARK]
    game.hold(B)
    game.tap(C)
    assert lamps() == [LampSignal.FAST, LampSignal.DARK, LampSignal.FAST]
    game.say(A, "show", 9)
    assert lamps() == [LampSignal.LIT, LampSignal.DARK, LampSignal.FAST]
