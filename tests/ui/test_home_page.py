"""Home: where a game is chosen."""

from __future__ import annotations

import dataclasses

import pytest

from companion.core.observations import ButtonPressed
from companion.games import RULES
from companion.table.games import taught
from companion.teach.lesson import lesson_named, load, shipped
from companion.ui import inputs
from companion.ui.commands import Command, Learn, Show
from companion.ui.frame import HomeFrame, Offer
from companion.ui.glass import Glass
from companion.ui.pages.home import HomePage
from tests.ui import shown
from tests.ui.shown import OFFERED

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


def touched(page: HomePage, frame: HomeFrame, key: str) -> tuple[HomeFrame, tuple[Command, ...]]:
    target = next(one for one in page.sheet(frame).targets if one.key == key)
    glass, commands = page.handle(inputs.Tap(*target.rect.center), frame)
    return HomeFrame(glass=glass, offered=frame.offered), commands


@pytest.mark.parametrize(
    ("keys", "wanted"),
    [
        (("learn", "game:kabuki", "everybody"), Learn("kabuki/2-6")),
        (("learn", "game:kinapa", "lesson:kinapa/3", "everybody"), Learn("kinapa/3")),
        (("learn", "game:kinapa", "lesson:kinapa/4-8", "pupil:2"), Learn("kinapa/4-8", (), (2,))),
    ],
)
def test_a_lesson_is_begun_on_the_screen(page: HomePage, keys: tuple[str, ...], wanted: Learn) -> None:
    frame = HomeFrame(glass=Glass(), offered=OFFERED)
    commands: tuple[Command, ...] = ()
    for key in keys:
        assert commands == ()
        frame, commands = touched(page, frame, key)
    assert commands == (wanted,)
    assert frame.glass.overlay == ""


def test_where_nothing_can_be_learnt_nothing_is_offered(page: HomePage) -> None:
    targets = page.sheet(HomeFrame(glass=Glass(), offered=TWO)).targets
    assert "learn" not in {target.key for target in targets}


def test_every_shipped_lesson_can_be_begun() -> None:
    found = {one.lesson for game in RULES for one in taught(game)}
    assert found == {f"{load(file).game}/{load(file).mode}" for file in shipped()}
    assert all(lesson_named(name).mode == name.partition("/")[2] for name in found)
