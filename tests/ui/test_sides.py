"""Who sits at which side of the screen: asked in set-up, and so on every page that shows the table."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest
from msgspec.structs import replace

from companion.core.observations import ButtonPressed
from companion.games.kinapa.rules import KinapaOptions
from companion.ui.commands import Change
from companion.ui.frame import HomeFrame, SetupFrame
from companion.ui.glass import Draft, Glass
from companion.ui.sides import in_order, sat
from tests.ui import games, shown

TURNED = Glass(first_chair=4)
MIRRORED = Glass(first_chair=4, mirrored=True)


@pytest.mark.parametrize(
    ("glass", "stand"),
    [
        (Glass(), (0, 1, 2, 3, 4, 5, 6, 7)),
        (TURNED, (3, 4, 5, 6, 7, 0, 1, 2)),
        (MIRRORED, (3, 2, 1, 0, 7, 6, 5, 4)),
    ],
)
def test_the_order_round_the_table_is_turned_and_mirrored_and_never_broken(
    glass: Glass, stand: tuple[int, ...]
) -> None:
    assert in_order(glass, range(8)) == stand
    assert in_order(glass, (0, 2, 4, 6)) == tuple(chair for chair in stand if chair % 2 == 0)
    assert in_order(glass, range(5)) == tuple(chair for chair in stand if chair < 5)


@pytest.mark.parametrize(
    ("left", "right", "chairs", "told"),
    [
        (0, 7, 8, (1, False)),
        (3, 2, 8, (4, False)),
        (3, 4, 8, (4, True)),
        (0, 6, 8, (1, False)),
        (0, 2, 8, (1, True)),
        (4, 0, 5, (5, True)),
    ],
)
def test_the_two_next_to_the_screen_say_how_the_table_stands(
    left: int, right: int, chairs: int, told: tuple[int, bool]
) -> None:
    assert sat(left, right, chairs) == told


def asking(**glass: Any) -> SetupFrame:
    front = Glass(draft=Draft("kinapa", chairs=(0, 1)), overlay="sides", **glass)
    return SetupFrame(glass=front, options=KinapaOptions())


def test_set_up_asks_by_a_press_of_each_of_the_two() -> None:
    page, now = shown.pages((1280, 720))["setup"], asking()
    glass, commands = page.handle(ButtonPressed(at=0, chair=3), now)
    assert (commands, glass.overlay, glass.draft) == ((), "sides", now.glass.draft)
    now = dataclasses.replace(now, glass=glass)
    assert page.handle(ButtonPressed(at=0, chair=3), now)[1] == (), "nobody sits on both sides"
    glass, commands = page.handle(ButtonPressed(at=0, chair=4), now)
    assert commands == (Change("first_chair", 4), Change("mirrored", value=True))
    assert (glass.overlay, glass.draft) == ("", now.glass.draft)


def bottom_left(targets: Any, name: str) -> str:
    seats = [target for target in targets if target.key.startswith(name)]
    return min(seats, key=lambda one: (one.rect.centerx > 640, -one.rect.bottom)).key  # type: ignore[no-any-return]


@pytest.mark.parametrize(("glass", "first"), [(Glass(), 0), (TURNED, 3), (MIRRORED, 3)])
def test_whoever_sits_left_of_the_screen_has_the_lower_left_plate(glass: Glass, first: int) -> None:
    pages = shown.pages((1280, 720))
    setup = SetupFrame(glass=replace(glass, draft=Draft("kinapa")), options=KinapaOptions())
    assert bottom_left(pages["setup"].sheet(setup).targets, "chair:") == f"chair:{first}"
    sheet = pages["game"].sheet(games.frame("announcing", 8, glass))
    assert bottom_left(sheet.targets, "chair:") == f"chair:{first}"


def test_home_has_everybody_where_the_game_has_them() -> None:
    page = shown.pages((1280, 720))["home"]
    front = replace(MIRRORED, draft=Draft("kinapa"))
    targets = page.sheet(HomeFrame(glass=front, offered=shown.OFFERED)).targets
    spots = {target.key: target.rect for target in targets if target.key.startswith("chair:")}
    middle = sum(rect.centerx for rect in spots.values()) / len(spots)
    left = [key for key, rect in spots.items() if rect.centerx < middle]
    assert sorted(left, key=lambda key: -spots[key].y) == ["chair:3", "chair:2", "chair:1", "chair:0"]
