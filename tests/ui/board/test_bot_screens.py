"""The screen of games with decks that nobody holds: whose each is, what is done with it, by touch alone."""

from __future__ import annotations

from typing import Any

import pytest

from companion.core.view import BotView, ChairView, repairable_values
from companion.ui.board.panels import chairs_and_decks
from companion.ui.board.plate_choices import CHOICES_OVERLAY
from companion.ui.commands import DeclareAction, RepairTable
from companion.ui.frame import UiState, is_window_open
from companion.ui.pages.game import GamePage
from tests.ui import bot_games, shown


@pytest.fixture(scope="module")
def page() -> GamePage:
    return shown.pages((1280, 720))["game"]  # type: ignore[no-any-return]


def strings(page: GamePage, frame: Any) -> str:
    return " ".join(text.string for text in page.painted_sheet(frame).text_lines)


def commands(page: GamePage, frame: Any) -> set[Any]:
    return {command for target in page.painted_sheet(frame).targets for command in target.action.commands}


@pytest.mark.parametrize(("players", "bot"), bot_games.TABLES)
def test_every_choice_can_be_said_by_touch(page: GamePage, players: int, bot: bool) -> None:
    for story in bot_games.stories(players, bot):
        frame = bot_games.frame(story, players, bot=bot)
        if not is_window_open(frame.view):
            wanted = {DeclareAction(choice.action) for chair in frame.view.chairs for choice in chair.choices}
            asked = next((chair.chair for chair in frame.view.chairs if chair.choices), 0)
            large = UiState(overlay=CHOICES_OVERLAY, about=asked)
            enlarged = bot_games.frame(story, players, large, bot=bot)
            assert wanted <= commands(page, frame) | commands(page, enlarged), story


def test_a_deck_stands_below_its_owner_and_the_common_one_after_everybody() -> None:
    for players, bot in bot_games.TABLES:
        view = bot_games.frame("turning", players, bot=bot).view
        stood = chairs_and_decks(view, UiState())
        assert {one.seat for one in stood} == set(range(len(view.chairs) + len(view.bots)))
        if players == 2:
            kinds = [(type(one), one.chair if isinstance(one, ChairView) else one.owner) for one in stood]
            assert kinds == [(BotView, 0), (ChairView, 0), (ChairView, 1), (BotView, 1)]
        else:
            assert isinstance(stood[-1], BotView)


def test_whose_a_deck_is_and_how_its_aid_lies_is_written(page: GamePage) -> None:
    frame = bot_games.frame("choosing", 2)
    told = strings(page, frame)
    assert "BOT Anna" in told
    for deck in frame.view.bots:
        assert {"up": "Hand up", "down": "Hand down"}[deck.aid] in told


@pytest.mark.parametrize(("players", "bot"), bot_games.TABLES)
def test_every_deck_says_what_is_done_with_it(page: GamePage, players: int, bot: bool) -> None:
    for story in bot_games.stories(players, bot):
        frame = bot_games.frame(story, players, bot=bot)
        if frame.view.dark or frame.view.outcome is not None:
            continue
        told = strings(page, frame).replace(" ", "")
        for deck in frame.view.bots:
            assert deck.says is not None, story
            assert page.painted_sheet(frame).words.text(deck.says, frame.names).replace(" ", "") in told, (
                story
            )


def test_a_repair_knows_the_decks_that_nobody_holds(page: GamePage) -> None:
    frame = bot_games.frame("turning", 2, UiState(overlay="repair"))
    table = dict(repairable_values(frame.view))
    assert {f"{what}:{seat}" for what in ("sheep", "foxes", "placed") for seat in range(4)} <= table.keys()
    keys = {target.key for target in page.painted_sheet(frame).targets}
    assert {"sheep:3", "fox:3", "emperor:1"} <= keys
    assert not {"emperor:2", "emperor:3"} & keys, "nobody sits in a deck"
    assert RepairTable(repairable_values(frame.view)) in commands(page, frame)
