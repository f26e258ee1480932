"""Calibrating at the glass: a finger on the picture, the arrow keys, and what is drawn over the picture."""

from __future__ import annotations

from typing import Any

import pygame
import pytest
from msgspec.structs import replace

from companion.core.camera_tasks import CameraCommand, CameraPageInput
from companion.core.observations import ButtonPressed
from companion.ui.commands import ShowPage
from companion.ui.frame import CameraPageFrame, UiState
from companion.ui.toolkit import inputs
from companion.ui.toolkit.theme import GOLD, GOOD, NOTICE
from tests.ui import shown
from tests.ui.benches import ASKED, BY_HAND, FOUND, LAID, PICTURE, WATCHED

SIZE = (1280, 720)


@pytest.fixture
def page() -> Any:
    return shown.pages(SIZE)["calibrate"]


def frame(view: Any, **more: Any) -> CameraPageFrame:
    return CameraPageFrame(ui_state=UiState(**more), camera_input=CameraPageInput(view, PICTURE))


def seen(page: Any, now: CameraPageFrame) -> pygame.Rect:
    """Where the camera's picture is on the glass."""
    box = page.painted_sheet(now).moving["camera"]
    return pygame.Rect(
        page.painted_sheet(now).art.camera_picture(PICTURE, box.size).get_rect(midtop=(box.centerx, box.y))
    )


def drawn(page: Any, now: CameraPageFrame) -> pygame.Surface:
    surface = pygame.Surface(SIZE)
    page.draw(surface, now, 0)
    return surface


@pytest.mark.parametrize("name", ["calibrate", "enrol", "watch", "photo"])
def test_the_cameras_picture_fills_its_paper_and_is_large(name: str) -> None:
    view = {"calibrate": FOUND, "enrol": ASKED, "watch": WATCHED, "photo": LAID}[name]
    shot = CameraPageFrame(ui_state=UiState(), camera_input=CameraPageInput(view, PICTURE))
    box = shown.pages(SIZE)[name].painted_sheet(shot).moving["camera"]
    assert box.w / box.h == pytest.approx(PICTURE.shape[1] / PICTURE.shape[0], abs=0.01)
    assert box.h > SIZE[1] * (0.5 if name == "calibrate" else 0.35)  # the others show cards, too


@pytest.mark.parametrize("name", ["calibrate", "enrol", "watch", "photo"])
def test_without_a_picture_the_camera_is_shown_where_it_belongs(name: str) -> None:
    view = {"calibrate": FOUND, "enrol": ASKED, "watch": WATCHED, "photo": LAID}[name]
    shot = CameraPageFrame(ui_state=UiState(), camera_input=CameraPageInput(view, None))
    painter = shown.pages(SIZE)[name]
    sheet = painter.painted_sheet(shot)
    assert "camera" not in sheet.moving, "no black rectangle"
    surface = pygame.Surface(SIZE)
    painter.draw(surface, shot, 0)
    wide, high = SIZE[0] // 2, SIZE[1]
    gold = sum(
        surface.get_at((x, y))[:3] == GOLD for x in range(0, wide, 2) for y in range(high // 4, high, 2)
    )
    assert gold > 50, "what it sees is drawn down to the mat"


def test_without_a_picture_nothing_can_be_set_and_it_is_said_what_to_look_at(page: Any) -> None:
    shot = CameraPageFrame(ui_state=UiState(), camera_input=CameraPageInput(FOUND, None))
    sheet = page.painted_sheet(shot)
    assert [target.key for target in sheet.targets] == ["home"]
    assert "cable" in " ".join(line.string for line in sheet.text_lines)


def test_a_finger_on_the_picture_says_where(page: Any) -> None:
    now = frame(BY_HAND)
    picture = seen(page, now)
    spot = (picture.x + picture.w // 4, picture.y + picture.h // 2)
    _, commands = page.handle(inputs.FingerDown(*spot), now)
    (work,) = commands
    assert work.what == "point"
    assert work.values == pytest.approx((0.25, 0.5), abs=0.01)


def test_a_finger_on_the_picture_does_nothing_while_nothing_is_moved(page: Any) -> None:
    now = frame(FOUND)
    assert page.handle(inputs.FingerDown(*seen(page, now).center), now) == (now.ui_state, ())


def test_arrow_keys_move_what_is_chosen_and_tab_still_walks(page: Any) -> None:
    now = frame(BY_HAND)
    steps = {"left": (-1, 0), "right": (1, 0), "up": (0, -1), "down": (0, 1)}
    for key, step in steps.items():
        assert page.handle(inputs.KeyPressed(key), now)[1] == (CameraCommand("move", step),)
    ui_state, commands = page.handle(inputs.KeyPressed("tab"), now)
    assert commands == ()
    assert ui_state.focus


def test_three_buttons_alone_keep_a_calibration(page: Any) -> None:
    now = frame(FOUND)
    for _ in range(20):
        if page.focused_target(now).key == "keep":
            break
        ui_state, _ = page.handle(ButtonPressed(at=0, chair=None, button="next"), now)
        now = CameraPageFrame(ui_state=ui_state, camera_input=now.camera_input)
    _, commands = page.handle(ButtonPressed(at=0, chair=None, button="ok"), now)
    assert commands == (CameraCommand("keep"),)


def test_nothing_can_be_kept_until_the_table_is_found(page: Any) -> None:
    now = frame(replace(FOUND, ready=False))
    assert "keep" not in {target.key for target in page.painted_sheet(now).targets}


def test_every_place_is_outlined_in_the_colour_of_its_state(page: Any) -> None:
    surface, picture = drawn(page, frame(FOUND)), seen(page, frame(FOUND))
    zones = {zone.name: zone for zone in FOUND.zones}
    for zone, colour in ((zones["slot:7"], GOOD), (zones["slot:12"], NOTICE)):
        (x0, y0), (x1, _) = zone.corners[0], zone.corners[1]
        middle = (picture.x + round((x0 + x1) / 2 * picture.w), picture.y + round(y0 * picture.h))
        near = {surface.get_at((middle[0], middle[1] + off))[:3] for off in (-1, 0, 1)}
        assert colour in near, zone.name


def test_the_chosen_corner_stands_out(page: Any) -> None:
    golden = []
    for chosen in (0, 2):
        surface, picture = drawn(page, frame(replace(BY_HAND, chosen=chosen))), seen(page, frame(BY_HAND))
        x, y = BY_HAND.corners[0]
        around = pygame.Rect(0, 0, 40, 40)
        around.center = (picture.x + round(x * picture.w), picture.y + round(y * picture.h))
        golden.append(
            sum(
                surface.get_at((px, py))[:3] == GOLD
                for px in range(around.x, around.right)
                for py in range(around.y, around.bottom)
            )
        )
    assert golden[0] > golden[1]


def test_a_new_picture_of_the_camera_is_drawn(page: Any) -> None:
    drawn(page, frame(FOUND))
    assert not page.needs_redraw(frame(FOUND), 0)
    other = CameraPageFrame(ui_state=UiState(), camera_input=CameraPageInput(FOUND, PICTURE.copy()))
    assert page.needs_redraw(other, 0)


def test_escape_leads_home(page: Any) -> None:
    assert page.handle(inputs.KeyPressed("escape"), frame(FOUND))[1] == (ShowPage("home"),)
