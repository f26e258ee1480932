"""Home: where a game is chosen."""

from __future__ import annotations

import dataclasses

import pytest

from companion.observations import ButtonPressed
from companion.ui.commands import Show
from companion.ui.frame import HomeFrame, Offer
from companion.ui.glass import Glass
from companion.ui.pages.home import HomePage
from tests.ui import shown

TWO = (Offer("kinapa", 4, 8), Offer("kabuki", 2, 6))


@pytest.fixture
def page() -> HomePage:
    return shown.pages((1280, 720))["home"]  # type: ignore[no-any-return]


def by_three_buttons(page: HomePage, now: HomeFrame, *buttons: str) -> tuple[HomeFrame, tuple[object, ...]]:
    commands: tuple[object, ...] = ()
    for button in buttons:
        glass, commands = page.handle(ButtonPressed(at=0, chair=None, button=button), now)
        now = dataclasses.replace(now, glass=glass)
    return now, commands


def test_play_asks_which_game_and_three_buttons_answer(page: HomePage) -> None:
    asked, commands = by_three_buttons(page, HomeFrame(glass=Glass(), offered=TWO), "ok")
    assert (asked.glass.overlay, commands) == ("which:setup", ())
    _, commands = by_three_buttons(page, asked, "next", "ok")
    assert commands == (Show("setup", "kabuki"),)


def test_the_demo_asks_the_same(page: HomePage) -> None:
    now = HomeFrame(glass=Glass(overlay="which:demo"), offered=TWO)
    _, commands = by_three_buttons(page, now, "ok")
    assert commands == (Show("demo", "kinapa"),)


def test_a_table_with_one_game_is_not_asked(page: HomePage) -> None:
    _, commands = by_three_buttons(page, HomeFrame(glass=Glass(), offered=TWO[1:]), "ok")
    assert commands == (Show("setup", "kabuki"),)
