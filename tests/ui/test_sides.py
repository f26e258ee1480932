"""Who sits at which side of the screen: asked in set-up, and so on every page that shows the table."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest
from msgspec.structs import replace

from companion.core.observations import ButtonPressed
from companion.games.kinapa.rules.model import KinapaOptions
from companion.ui.commands import ChangeSetting
from companion.ui.frame import GameDraft, HomeFrame, UiState
from companion.ui.toolkit.chair_tiles import in_screen_order, seat_orientation
from tests.ui import games, shown

TURNED = UiState(first_chair=4)
MIRRORED = UiState(first_chair=4, mirrored=True)


@pytest.mark.parametrize(
    ("ui_state", "stand"),
    [
        (UiState(), (0, 1, 2, 3, 4, 5, 6, 7)),
        (TURNED, (3, 4, 5, 6, 7, 0, 1, 2)),
        (MIRRORED, (3, 2, 1, 0, 7, 6, 5, 4)),
    ],
)
def test_the_order_round_the_table_is_turned_and_mirrored_and_never_broken(
    ui_state: UiState, stand: tuple[int, ...]
) -> None:
    assert in_screen_order(ui_state, range(8)) == stand
    assert in_screen_order(ui_state, (0, 2, 4, 6)) == tuple(chair for chair in stand if chair % 2 == 0)
    assert in_screen_order(ui_state, range(5)) == tuple(chair for chair in stand if chair < 5)


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
    assert seat_orientation(left, right, chairs) == told


def asking(**ui_state: Any) -> HomeFrame:
    front = UiState(draft=GameDraft("kinapa", chairs=(0, 1)), overlay="sides", **ui_state)
    return shown.setup_frame(front, options=KinapaOptions())


def test_set_up_asks_by_a_press_of_each_of_the_two() -> None:
    page, now = shown.pages((1280, 720))["setup"], asking()
    ui_state, commands = page.handle(ButtonPressed(at=0, chair=3), now)
    assert (commands, ui_state.overlay, ui_state.draft) == ((), "sides", now.ui_state.draft)
    now = dataclasses.replace(now, ui_state=ui_state)
    assert page.handle(ButtonPressed(at=0, chair=3), now)[1] == (), "nobody sits on both sides"
    ui_state, commands = page.handle(ButtonPressed(at=0, chair=4), now)
    assert commands == (ChangeSetting("first_chair", 4), ChangeSetting("mirrored", value=True))
    assert (ui_state.overlay, ui_state.draft) == ("", now.ui_state.draft)


def bottom_left(targets: Any, name: str) -> str:
    seats = [target for target in targets if target.key.startswith(name)]
    return min(seats, key=lambda one: (one.rect.centerx > 640, -one.rect.bottom)).key  # type: ignore[no-any-return]


@pytest.mark.parametrize(("ui_state", "first"), [(UiState(), 0), (TURNED, 3), (MIRRORED, 3)])
def test_whoever_sits_left_of_the_screen_has_the_lower_left_plate(ui_state: UiState, first: int) -> None:
    pages = shown.pages((1280, 720))
    setup = shown.setup_frame(replace(ui_state, draft=GameDraft("kinapa")), options=KinapaOptions())
    assert bottom_left(pages["setup"].painted_sheet(setup).targets, "chair:") == f"chair:{first}"
    sheet = pages["game"].painted_sheet(games.frame("announcing", 8, ui_state))
    assert bottom_left(sheet.targets, "chair:") == f"chair:{first}"


def test_home_has_everybody_where_the_game_has_them() -> None:
    page = shown.pages((1280, 720))["home"]
    front = replace(MIRRORED, draft=GameDraft("kinapa"))
    targets = page.painted_sheet(HomeFrame(ui_state=front, offered=shown.OFFERED)).targets
    spots = {target.key: target.rect for target in targets if target.key.startswith("chair:")}
    middle = sum(rect.centerx for rect in spots.values()) / len(spots)
    left = [key for key, rect in spots.items() if rect.centerx < middle]
    assert sorted(left, key=lambda key: -spots[key].y) == ["chair:3", "chair:2", "chair:1", "chair:0"]
