"""Games that are read as calibrated, and cameras that move."""

from __future__ import annotations

import shutil
from dataclasses import replace as with_
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from msgspec.structs import replace

from companion.camera import CALIBRATION_FILE
from companion.camera.calibration_file import TableCalibration, load_calibration, save_calibration
from companion.camera.table_reader import (
    BLACK,
    CHECK_INTERVAL,
    DARK,
    MAX_FAILED_TRIES,
    NOTICE_TIME,
    RETRY_INTERVAL,
    TableReader,
)
from companion.core.actions import SECOND
from companion.core.clock import ManualClock
from companion.core.observations import CameraLost, CameraRecovered, RegionReading, TableSeen
from companion.core.view import Sentence
from companion.system import asset_paths
from companion.vision.calibration import make_saved_calibration, make_thumbnail
from companion.vision.renderer import EASY, MIDDLE, Conditions, TableRenderer, TableScene, Textures
from tests.camera.calibration_cameras import LAYOUT, Calibrating, Picture

PICTURES = 3
"""A second, in a game."""


@pytest.fixture(scope="module")
def textures() -> Textures:
    return Textures.load(asset_paths.bundled_assets_folder() / "decks" / "kinapa")


@pytest.fixture(scope="module")
def mat(textures: Textures) -> TableRenderer:
    return TableRenderer(textures, LAYOUT, MIDDLE)


def shifted(image: Picture, x: float, y: float) -> Picture:
    move = np.array([[1, 0, x], [0, 1, y]], np.float64)
    return np.asarray(cv2.warpAffine(image, move, image.shape[1::-1]), np.uint8)


@pytest.fixture
def calibrating(tmp_path: Path, mat: TableRenderer) -> Calibrating:
    return Calibrating(tmp_path, mat)


# In a game --------------------------------------------------------------------------------------------------


class Playing:
    """The eye of a table, shown pictures of a game."""

    def __init__(self, folder: Path) -> None:
        self.clock, self.folder = ManualClock(), folder
        self.eye = TableReader(self.clock, folder)
        self.eye.begin_game("kinapa", 4)
        self.noise = np.random.default_rng(3)

    def show(self, image: Picture, seconds: float) -> list[Any]:
        """What is reported while this picture is seen for so long."""
        told: list[Any] = []
        for _ in range(round(seconds * PICTURES)):
            self.clock.move_to(self.clock.now() + SECOND // PICTURES)
            told += self.eye.step(image, self.clock.now())
        return told

    def table(self, renderer: TableRenderer, *cards: str) -> Picture:
        places = [LAYOUT.object_card_place(f"slot:{n}") for n in range(1, 9)]
        laid = tuple((card, place.centre_mm, 2.0) for card, place in zip(cards, places, strict=False))
        return renderer.render(TableScene(laid), self.noise)


def regions_in(told: list[Any]) -> list[RegionReading]:
    return [region for seen in told if isinstance(seen, TableSeen) for region in seen.regions]


def cards_in(told: list[Any]) -> dict[str, str]:
    return {region.name: region.faces[0].card for region in regions_in(told) if region.faces}


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory, mat: TableRenderer) -> Path:
    """The file of a table that was calibrated."""
    calibrating = Calibrating(tmp_path_factory.mktemp("kept"), mat)
    calibrating.look()
    assert calibrating.keep().kept
    return calibrating.folder / CALIBRATION_FILE


@pytest.fixture
def calibrated(tmp_path: Path, kept: Path) -> Path:
    shutil.copy(kept, tmp_path)
    return tmp_path


def test_a_game_is_read_as_calibrated_even_with_a_hand_over_a_mark(
    calibrated: Path, mat: TableRenderer
) -> None:
    playing = Playing(calibrated)
    image = playing.table(mat, "object:1-2", "object:3-4")
    covered = image.copy()
    covered[:110, :330] = (90, 120, 160)
    told = playing.show(covered, 3)
    assert cards_in(told)["slot:2"] == "object:3-4"
    assert playing.eye.trouble is None


def test_a_camera_that_moved_finds_the_mat_again_and_says_so_for_a_while(
    calibrated: Path, mat: TableRenderer
) -> None:
    playing = Playing(calibrated)
    told = playing.show(shifted(playing.table(mat, "object:1-2"), 25, -10), 3)
    assert playing.eye.trouble is not None
    assert playing.eye.trouble.key == "shared.camera.found"
    assert cards_in(told) == {"slot:1": "object:1-2"}
    assert not any(isinstance(seen, CameraLost) for seen in told)
    playing.show(shifted(playing.table(mat, "object:1-2"), 25, -10), NOTICE_TIME / SECOND)
    assert playing.eye.trouble is None


def test_a_camera_that_lost_the_mat_leaves_the_game_to_the_hands_until_it_is_found_again(
    calibrated: Path, mat: TableRenderer
) -> None:
    playing = Playing(calibrated)
    image = playing.table(mat, "object:1-2")
    told = playing.show(shifted(image, 600, 0), 2 * MAX_FAILED_TRIES * RETRY_INTERVAL / SECOND)
    assert [type(seen) for seen in told] == [CameraLost]
    assert playing.eye.trouble is not None
    assert playing.eye.trouble.key == "shared.camera.moved"
    told = playing.show(image, 4)
    assert isinstance(told[0], CameraRecovered)
    assert cards_in(told) == {"slot:1": "object:1-2"}
    assert playing.eye.trouble is None


def test_a_lamp_that_flickers_too_much_is_told(calibrated: Path, mat: TableRenderer) -> None:
    playing = Playing(calibrated)
    image = playing.table(mat, "object:1-2")
    playing.show(image, 1)
    assert playing.eye.trouble is None
    rows = np.arange(len(image)) / len(image)
    for at in range(4 * PICTURES):
        light = 1 + 0.7 * np.sin(2 * np.pi * (100 / 30 * rows + 0.381966 * at))
        playing.show(np.clip(image * light[:, None, None], 0, 255).astype(np.uint8), 1 / PICTURES)
    assert playing.eye.trouble is not None
    assert playing.eye.trouble.key == "shared.camera.flicker"


def test_what_moves_on_over_a_place_that_the_game_waits_for_is_told_and_over_another_is_not(
    calibrated: Path, mat: TableRenderer
) -> None:
    playing = Playing(calibrated)
    still = playing.table(mat, "object:1-2")
    corners = mat.calibration.place_corners(LAYOUT.place("slot:1"))
    shade = cv2.fillConvexPoly(np.ones(still.shape, np.float32), corners.astype(np.int32), (0.3,) * 3)
    playing.show(still, 2)
    for waits_for, told in (("slot:2", None), ("slot:1", Sentence("shared.camera.covered"))):
        playing.show(still, 2)
        playing.eye.awaited = frozenset({waits_for})
        for at in range(4 * PICTURES):  # as of a fan
            playing.show(still if at % 2 else np.asarray(still * shade, np.uint8), 1 / PICTURES)
        assert playing.eye.trouble == told


@pytest.mark.parametrize(("right", "down", "told"), [(0, 0, None), (75, 0, "beside"), (-80, 10, "beside")])
def test_a_card_that_lies_wholly_beside_the_place_that_the_game_waits_for_is_told(
    calibrated: Path, mat: TableRenderer, right: float, down: float, told: str | None
) -> None:
    playing = Playing(calibrated)
    place = LAYOUT.place("slot:5")
    playing.eye.awaited = frozenset({place.name})
    playing.show(playing.table(mat), 2)
    laid = TableScene((("object:1-2", place.point_at((right, down)), place.angle),))
    playing.show(mat.render(laid, playing.noise), 3 * CHECK_INTERVAL / SECOND)
    assert playing.eye.trouble == (told and Sentence(f"shared.camera.{told}"))


def test_a_deck_that_cannot_be_read_is_told_and_the_game_goes_on_by_hand(
    calibrated: Path, mat: TableRenderer
) -> None:
    (calibrated / "decks").mkdir()
    own = calibrated / "decks" / "kinapa.deck"
    own.write_bytes(b"PK\x03\x04 cut short")
    playing = Playing(calibrated)
    image = playing.table(mat, "object:1-2")
    told = playing.show(image, 2 * MAX_FAILED_TRIES * RETRY_INTERVAL / SECOND)
    assert [type(seen) for seen in told] == [CameraLost]
    assert playing.eye.trouble is not None
    assert playing.eye.trouble.key == "ui.watch.no_deck"
    own.unlink()
    assert cards_in(playing.show(image, 4)) == {"slot:1": "object:1-2"}


def test_the_camera_is_looked_at_again_when_a_game_is_gone_on_with(
    calibrated: Path, mat: TableRenderer
) -> None:
    playing = Playing(calibrated)
    image = playing.table(mat, "object:1-2")
    playing.show(image, 3)
    playing.eye.end_game()
    playing.eye.begin_game("kinapa", 4)
    playing.show(shifted(image, 30, 0), 1)
    assert playing.eye.trouble is not None
    assert playing.eye.trouble.key == "shared.camera.found"


def test_reading_again_looks_whether_the_camera_moved(calibrated: Path, mat: TableRenderer) -> None:
    playing = Playing(calibrated)
    image = playing.table(mat, "object:1-2")
    playing.show(image, 3)
    playing.eye.read_again()
    told = playing.show(shifted(image, 30, 0), 3)
    assert playing.eye.trouble is not None
    assert cards_in(told) == {"slot:1": "object:1-2"}


@pytest.mark.parametrize(("x", "y"), [(100, 36), (380, 0)])
def test_a_camera_that_is_knocked_in_a_game_is_told_and_no_card_is_taken_for_gone(
    calibrated: Path, mat: TableRenderer, x: float, y: float
) -> None:
    playing = Playing(calibrated)
    image = playing.table(mat, "object:1-2", "object:3-4")
    laid = {"slot:1": "object:1-2", "slot:2": "object:3-4"}
    assert cards_in(playing.show(image, 3)) == laid
    told = playing.show(shifted(image, x, y), 8)
    assert playing.eye.trouble is not None
    assert playing.eye.trouble.key in {"shared.camera.found", "shared.camera.moved"}
    assert all(region.faces for region in regions_in(told) if region.name in laid)


def test_a_lamp_that_goes_off_in_a_game_is_told_until_it_is_on_again(
    calibrated: Path, mat: TableRenderer, caplog: pytest.LogCaptureFixture
) -> None:
    playing = Playing(calibrated)
    image = playing.table(mat, "object:1-2")
    playing.show(image, 3)
    for light in (0.35, 0.2):
        dark = np.asarray(image * light, np.uint8)
        told = playing.show(dark, 2 * CHECK_INTERVAL / SECOND)
        assert playing.eye.trouble == DARK
        assert all(region.faces for region in regions_in(told) if region.name == "slot:1")
    playing.eye.read_again()
    playing.show(dark, 1)
    assert playing.eye.trouble == DARK
    assert len([line for line in caplog.messages if "dark" in line]) == 1
    assert cards_in(playing.show(image, 8)) == {"slot:1": "object:1-2"}
    assert playing.eye.trouble is None


def test_a_hand_over_marks_is_no_camera_that_moved(calibrated: Path, mat: TableRenderer) -> None:
    playing = Playing(calibrated)
    image = playing.table(mat, "object:1-2")
    playing.show(image, 3)
    covered = image.copy()
    covered[:110] = (90, 120, 160)
    told = playing.show(covered, 3 * CHECK_INTERVAL / SECOND)
    assert playing.eye.trouble is None
    assert not any(isinstance(seen, CameraLost) for seen in told)


def test_a_table_that_was_never_calibrated_still_notices_a_camera_that_moved(
    tmp_path: Path, mat: TableRenderer
) -> None:
    playing = Playing(tmp_path)
    image = playing.table(mat, "object:1-2")
    playing.show(image, 1)
    assert playing.eye.trouble is None
    playing.eye.begin_game("kinapa", 4)
    playing.show(shifted(image, 30, 0), 1)
    assert playing.eye.trouble is not None
    assert playing.eye.trouble.key == "shared.camera.found"


def test_pictures_of_another_size_are_not_read_by_an_old_calibration(
    calibrated: Path, mat: TableRenderer
) -> None:
    playing = Playing(calibrated)
    small = np.asarray(cv2.resize(playing.table(mat, "object:1-2"), (640, 360)), np.uint8)
    playing.show(small, 1)
    assert playing.eye.trouble is not None
    assert playing.eye.trouble.key == "shared.camera.size"


def test_a_camera_that_changes_the_size_of_its_pictures_in_a_game_is_told(
    calibrated: Path, mat: TableRenderer
) -> None:
    playing = Playing(calibrated)
    whole = playing.table(mat, "object:1-2")
    assert cards_in(playing.show(whole, 2)) == {"slot:1": "object:1-2"}
    small = np.asarray(cv2.resize(whole, (640, 360)), np.uint8)
    assert [type(told) for told in playing.show(small, 8)] == [CameraLost]
    assert playing.eye.trouble is not None
    assert playing.eye.trouble.key == "shared.camera.size"
    assert CameraRecovered in {type(told) for told in playing.show(whole, 4)}


def test_a_damaged_calibration_is_as_none(tmp_path: Path, mat: TableRenderer) -> None:
    (tmp_path / CALIBRATION_FILE).write_text("{")
    playing = Playing(tmp_path)
    told = playing.show(playing.table(mat, "object:1-2"), 3)
    assert cards_in(told) == {"slot:1": "object:1-2"}


@pytest.fixture(scope="module")
def bare(textures: Textures) -> TableRenderer:
    return wooden(textures, EASY)


@pytest.fixture
def bare_table(tmp_path: Path, bare: TableRenderer) -> Path:
    """One without marks, calibrated by a sheet of paper."""
    empty = bare.render(TableScene(), np.random.default_rng(1))
    kept = make_saved_calibration("sheet", empty, bare.calibration)
    save_calibration(tmp_path, TableCalibration(kept))
    return tmp_path


def test_a_lamp_that_goes_off_is_told_at_a_table_without_marks(
    bare_table: Path, bare: TableRenderer, caplog: pytest.LogCaptureFixture
) -> None:
    playing = Playing(bare_table)
    image = playing.table(bare, "object:1-2")
    playing.show(image, 3)
    assert playing.eye.trouble is None
    told = playing.show(np.asarray(image * 0.45, np.uint8), 2 * CHECK_INTERVAL / SECOND)
    assert playing.eye.trouble == DARK
    assert not any(isinstance(seen, CameraLost) for seen in told)
    assert [line for line in caplog.messages if "dark" in line] != []
    playing.show(np.zeros_like(image), 2 * CHECK_INTERVAL / SECOND)
    assert playing.eye.trouble == BLACK
    assert "its shutter" in caplog.messages[-1]
    playing.show(image, 2 * CHECK_INTERVAL / SECOND)
    assert playing.eye.trouble is None


def test_a_dark_table_in_good_light_is_not_said_to_be_dark(bare_table: Path, bare: TableRenderer) -> None:
    """As a dark cloth: nothing on it is as light as paper."""
    known = load_calibration(bare_table)
    assert known is not None
    playing = Playing(bare_table)
    cloth = np.asarray(playing.table(bare) * 0.5, np.uint8)
    kept = replace(known.kept, glimpse=make_thumbnail(cloth))
    save_calibration(bare_table, replace(known, kept=kept))
    playing.show(cloth, 2 * CHECK_INTERVAL / SECOND)
    assert playing.eye.trouble is None
    playing.show(np.asarray(cloth * 0.45, np.uint8), 2 * CHECK_INTERVAL / SECOND)
    assert playing.eye.trouble == DARK


@pytest.mark.parametrize(("x", "y"), [(30, 12), pytest.param(380, 0, marks=pytest.mark.long)])
def test_a_camera_that_is_knocked_at_a_table_without_marks_is_told_until_it_stands_again(
    bare_table: Path, bare: TableRenderer, x: float, y: float
) -> None:
    playing = Playing(bare_table)
    image = playing.table(bare, "object:1-2", "object:3-4")
    playing.show(image, 3)
    told = playing.show(shifted(image, x, y), 2 * MAX_FAILED_TRIES * RETRY_INTERVAL / SECOND)
    assert playing.eye.trouble == Sentence("shared.camera.moved")
    assert [type(seen) for seen in told if not isinstance(seen, TableSeen)] == [CameraLost]
    assert CameraRecovered in {type(seen) for seen in playing.show(image, 4)}
    assert playing.eye.trouble is None


def test_arms_and_cards_over_a_table_without_marks_are_no_camera_that_moved(
    bare_table: Path, bare: TableRenderer
) -> None:
    playing = Playing(bare_table)
    image = playing.table(bare, "object:1-2", "object:3-4", "object:5-6")
    playing.show(image, 3)
    image[:, :640] = (90, 120, 160)
    told = playing.show(image, 1.5 * CHECK_INTERVAL / SECOND)
    assert playing.eye.trouble is None
    assert not any(isinstance(seen, CameraLost) for seen in told)


@pytest.mark.long
def test_cards_are_read_on_a_bare_table_at_places_drawn_by_hand(tmp_path: Path, textures: Textures) -> None:
    bare = wooden(textures, EASY)
    calibrating = Calibrating(tmp_path, bare)
    calibrating.want("method", "sheet")
    corners = bare.calibration.to_pixels([(148.5, 105.0), (445.5, 105.0), (445.5, 315.0), (148.5, 315.0)])
    for x, y in corners:
        calibrating.want("point", float(x) / 1280, float(y) / 720)
    calibrating.want("aim")
    x, y = bare.calibration.to_pixels([(200.0, 210.0)])[0] / (1280, 720)
    calibrating.want("point", float(x), float(y))  # slot 1 moves into the middle, where the mat has none
    assert calibrating.keep().kept
    playing = Playing(tmp_path)
    image = bare.render(TableScene((("object:5-6", (200.0, 203.0), 3.0),)), playing.noise)
    assert cards_in(playing.show(image, 3)) == {"slot:1": "object:5-6"}


def wooden(textures: Textures, conditions: Conditions) -> TableRenderer:
    """A table without a mat."""
    chance = np.random.default_rng(7)
    grain = cv2.GaussianBlur(chance.normal(0, 60, (990, 1400)).astype(np.float32), (0, 0), 9, sigmaY=1.5)
    table = np.clip(np.array([60, 95, 130]) + 2 * grain[..., None], 0, 255).astype(np.uint8)
    return TableRenderer(with_(textures, mat=table), LAYOUT, conditions)
