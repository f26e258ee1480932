"""Calibrating with a drawn table: found, measured, locked, kept; and the games that are read by it."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import replace as with_
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from msgspec.structs import replace
from numpy.typing import NDArray

from companion.__main__ import main
from companion.camera import CALIBRATION
from companion.camera.calibrate import AFTER_LOCK, CalibrationBench
from companion.camera.calibration_file import TableCalibration, load, save
from companion.camera.reader import RETRY, TOLD, TRIES, TableReader
from companion.core.actions import SECOND
from companion.core.camera_views import Work
from companion.core.clock import ManualClock
from companion.core.errors import InputError
from companion.core.observations import CameraBack, CameraLost, TableSeen
from companion.games import mat_layout, paths
from companion.vision.layout import MAT_MM
from companion.vision.lighting import FLICKER_FRAMES
from companion.vision.render import EASY, MIDDLE, Conditions, Hand, Renderer, Scene, Textures
from hardware.camera_lock import CameraLock, Lock

Picture = NDArray[np.uint8]
STEP = 100_000
PICTURES = 3
"""A second, in a game."""
LAYOUT = mat_layout("kinapa", 4)
LOCK = CameraLock(20_000, 2.0, (1.5, 2.5), 1.0)


@pytest.fixture(scope="module")
def textures() -> Textures:
    return Textures.load(paths.assets() / "decks" / "kinapa")


@pytest.fixture(scope="module")
def mat(textures: Textures) -> Renderer:
    return Renderer(textures, LAYOUT, MIDDLE)


def shifted(image: Picture, x: float, y: float) -> Picture:
    move = np.array([[1, 0, x], [0, 1, y]], np.float64)
    return np.asarray(cv2.warpAffine(image, move, image.shape[1::-1]), np.uint8)


class Camera:
    """A camera that can be locked; afterwards its pictures are `after` times as bright."""

    def __init__(self, *, lock: Lock | None = LOCK, after: float = 1.0) -> None:
        self.found, self.after = lock, after
        self.locked: list[int] = []

    def lock(self, hertz: int = 50) -> Lock | None:
        self.locked.append(hertz)
        return self.found


class Calibrating:
    """A bench, and the pictures it is shown."""

    def __init__(self, folder: Path, renderer: Renderer, camera: Camera | None = None) -> None:
        self.renderer, self.camera = renderer, camera or Camera()
        self.folder, self.at, self.noise = folder, 0, np.random.default_rng(1)
        self.bench = CalibrationBench(folder, "kinapa", do=self._do, wall_time=lambda: "2026-11-21T20:00:00")
        self.spoil: Callable[[Picture, int], Picture] = lambda image, number: image

    def _do(self, job: Callable[[Any], None]) -> None:
        job(self.camera)

    def look(self, pictures: int = 1, *hands: Hand) -> Any:
        """What is seen after so many pictures."""
        for _ in range(pictures):
            self.at += STEP
            image = self.renderer.render(Scene(hands=hands), self.noise)
            if self.camera.locked:
                image = np.clip(image * self.camera.after, 0, 255).astype(np.uint8)
            self.bench.step(self.spoil(image, self.at // STEP), self.at)
        return self.bench.view()

    def want(self, what: str, *values: str | float) -> Any:
        self.bench.work(Work(what, values))
        return self.look()

    def keep(self) -> Any:
        self.want("keep")
        return self.look(2 * AFTER_LOCK)


@pytest.fixture
def calibrating(tmp_path: Path, mat: Renderer) -> Calibrating:
    return Calibrating(tmp_path, mat)


# At the bench -----------------------------------------------------------------------------------------------


def test_the_mat_is_found_by_its_marks_and_every_place_is_drawn(calibrating: Calibrating) -> None:
    view = calibrating.look(FLICKER_FRAMES)
    assert (view.ready, view.hint.key, view.warnings) == (True, "ui.calibrate.found", ())
    assert {zone.name for zone in view.zones} >= {"slot:1", "slot:16", "audit", "emperor"}
    true = calibrating.renderer.calibration.quad(LAYOUT.place("slot:3"))
    (slot,) = [zone for zone in view.zones if zone.name == "slot:3"]
    assert np.allclose(np.array(slot.corners) * (1280, 720), true, atol=2.0)


def test_keeping_locks_the_camera_and_stores_everything(calibrating: Calibrating) -> None:
    calibrating.look(FLICKER_FRAMES)
    view = calibrating.keep()
    assert (view.kept, view.hint.key) == (True, "ui.calibrate.kept")
    stored = load(calibrating.folder)
    assert stored is not None
    assert (stored.lock, stored.date, stored.kept.method) == (LOCK, "2026-11-21T20:00:00", "marks")
    assert calibrating.camera.locked == [50]
    assert calibrating.bench.lock == LOCK


def test_a_camera_with_nothing_to_lock_is_kept_and_says_so(tmp_path: Path, mat: Renderer) -> None:
    calibrating = Calibrating(tmp_path, mat, Camera(lock=None))
    calibrating.look()
    assert calibrating.keep().hint.key == "ui.calibrate.kept_unlocked"
    stored = load(tmp_path)
    assert stored is not None
    assert stored.lock is None


def test_a_camera_that_does_not_hold_its_lock_is_not_believed(tmp_path: Path, mat: Renderer) -> None:
    calibrating = Calibrating(tmp_path, mat, Camera(after=0.6))
    calibrating.look()
    view = calibrating.keep()
    assert "ui.calibrate.not_held" in {warning.key for warning in view.warnings}
    stored = load(tmp_path)
    assert stored is not None
    assert stored.lock is None


def test_if_the_light_flickers_with_one_exposure_that_of_the_other_mains_is_tried(
    calibrating: Calibrating,
) -> None:
    def bands(image: Picture, number: int) -> Picture:
        rows = np.arange(720) / 720
        light = 1 - 0.4 * (0.5 + 0.5 * np.sin(2 * np.pi * 3.3 * (number + rows)))
        return np.asarray(image * light[:, None, None], np.uint8)

    calibrating.look()
    calibrating.spoil = bands
    view = calibrating.keep()
    assert calibrating.camera.locked == [50, 60]
    view = calibrating.look(FLICKER_FRAMES)
    assert "ui.calibrate.flicker" in {warning.key for warning in view.warnings}


def test_a_mark_that_is_covered_is_named_and_nothing_can_be_kept(calibrating: Calibrating) -> None:
    view = calibrating.look(1, Hand((30.0, 35.0), 180.0))
    assert (view.ready, view.hint.key) == (False, "ui.calibrate.missing.top_left")
    calibrating.bench.work(Work("keep"))
    assert not calibrating.look(2 * AFTER_LOCK, Hand((30.0, 35.0), 180.0)).kept
    calibrating.spoil = lambda image, number: np.zeros_like(image)
    view = calibrating.look()
    assert dict(view.hint.parts)["left"] == 4


def test_glare_is_told_by_the_number_of_its_slot_and_drawn_there(calibrating: Calibrating) -> None:
    x, y = calibrating.renderer.calibration.quad(LAYOUT.object_place("slot:8")).mean(axis=0)

    def lamp(image: Picture, number: int) -> Picture:
        down, across = np.mgrid[0:720, 0:1280]
        light = 150 * np.exp(-((across - x) ** 2 + (down - y) ** 2) / 7200)
        return np.asarray(cv2.add(image, cv2.merge([light.astype(np.uint8)] * 3)), np.uint8)

    calibrating.spoil = lamp
    view = calibrating.look(6)
    (glare,) = [warning for warning in view.warnings if warning.key == "ui.calibrate.glare"]
    assert dict(glare.parts) == {"where": "8"}
    assert {zone.name for zone in view.zones if zone.fault == "glare"} == {"slot:8"}
    calibrating.keep()
    stored = load(calibrating.folder)
    assert stored is not None
    assert stored.warned == ("glare",)


def test_four_corners_told_by_fingers_are_as_good_as_marks(calibrating: Calibrating) -> None:
    calibrating.want("method", "corners")
    corners = ((0.0, 0.0), (MAT_MM[0], 0.0), MAT_MM, (0.0, MAT_MM[1]))
    for x, y in calibrating.renderer.calibration.pixels(corners):
        calibrating.want("point", float(x) / 1280, float(y) / 720)
    calibrating.keep()
    stored = load(calibrating.folder)
    assert stored is not None
    found, true = stored.kept.calibration(), calibrating.renderer.calibration
    assert np.allclose(found.pixels(corners), true.pixels(corners), atol=0.5)


def test_keys_move_the_chosen_corner_coarsely_and_finely(calibrating: Calibrating) -> None:
    before = calibrating.want("method", "corners").corners
    calibrating.want("next")
    calibrating.want("move", 1, 0)
    calibrating.want("fine")
    after = calibrating.want("move", 0, -1).corners
    assert after[0] == before[0]
    assert after[1][0] - before[1][0] == pytest.approx(0.02)
    assert (after[1][1] - before[1][1]) * 720 / 1280 == pytest.approx(-0.002)


def test_corners_are_moved_only_where_there_are_any(calibrating: Calibrating) -> None:
    for wanted in (("aim",), ("point", 0.5, 0.5), ("move", 1, 0)):
        view = calibrating.want(*wanted)
    assert view.aim == ""
    assert view.ready


@pytest.mark.parametrize("method", ["marks", "corners", "sheet"])
def test_what_is_no_picture_is_refused_in_a_sentence(calibrating: Calibrating, method: str) -> None:
    calibrating.want("method", method)
    for none in (np.zeros(7, np.uint8), np.zeros((9, 9), np.uint8), np.zeros((0, 9, 3), np.uint8)):
        with pytest.raises(InputError, match="a picture is"):
            calibrating.bench.step(none, SECOND)


def test_corners_that_cross_cannot_be_kept(calibrating: Calibrating) -> None:
    calibrating.want("method", "corners")
    for _ in range(40):
        calibrating.bench.work(Work("move", (1, 0)))
    view = calibrating.look()
    assert (view.ready, view.hint.key) == (False, "ui.calibrate.crossed")


def test_places_drawn_by_hand_on_a_bare_table_are_kept_for_their_game(calibrating: Calibrating) -> None:
    calibrating.want("method", "sheet")
    view = calibrating.want("aim")
    assert view.aim == "zones"
    calibrating.want("point", 0.42, 0.5)  # slot 1 comes to the middle
    calibrating.want("turn")
    calibrating.want("next")
    calibrating.want("move", 1, 0)
    calibrating.keep()
    stored = load(calibrating.folder)
    assert stored is not None
    moved = stored.kept.layout("kinapa", LAYOUT)
    middle = stored.kept.calibration().millimetres([(0.42 * 1280, 360.0)])[0]
    assert moved.place("slot:1").centre_mm == pytest.approx(tuple(middle), abs=0.1)
    assert moved.place("slot:1").angle == 15.0
    assert moved.place("slot:2").centre_mm[0] == LAYOUT.place("slot:2").centre_mm[0] + 10.0
    assert moved.place("slot:3") == LAYOUT.place("slot:3")


def test_a_finger_on_another_place_chooses_it(calibrating: Calibrating) -> None:
    calibrating.want("method", "sheet")
    view = calibrating.want("aim")
    (third,) = [zone for zone in view.zones if zone.name == "slot:3"]
    x, y = np.array(third.corners).mean(axis=0)
    view = calibrating.want("point", float(x), float(y))
    assert [zone.name for zone in view.zones if zone.read][view.chosen] == "slot:3"
    assert [zone for zone in view.zones if zone.name == "slot:3"] == [third]


def test_calibrating_again_begins_with_what_was_kept(calibrating: Calibrating, mat: Renderer) -> None:
    calibrating.want("method", "corners")
    corners = calibrating.want("point", 0.15, 0.05).corners
    calibrating.keep()
    again = Calibrating(calibrating.folder, mat).look()
    assert again.method == "corners"
    assert np.allclose(again.corners, corners, atol=1e-6)


def test_a_disk_that_is_full_is_told_and_nothing_is_called_kept(
    tmp_path: Path, mat: Renderer, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("in the way")
    calibrating = Calibrating(tmp_path / "file", mat)
    calibrating.look()
    view = calibrating.keep()
    assert not view.kept
    assert "ui.calibrate.not_saved" in {warning.key for warning in view.warnings}


# The file ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("damage", ["", "{", '{"kept": 3}', '{"kept": {"method": "marks"}}', "x" * (1 << 21)])
def test_a_file_that_is_no_calibration_is_refused_with_a_sentence(tmp_path: Path, damage: str) -> None:
    (tmp_path / CALIBRATION).write_text(damage)
    with pytest.raises(InputError, match="calibrat"):
        load(tmp_path)


def test_a_file_of_a_newer_version_is_refused(calibrating: Calibrating) -> None:
    calibrating.look()
    calibrating.keep()
    stored = load(calibrating.folder)
    assert stored is not None
    save(calibrating.folder, replace(stored, format=99))
    with pytest.raises(InputError, match="newer"):
        load(calibrating.folder)


# In a game --------------------------------------------------------------------------------------------------


class Playing:
    """The eye of a table, shown pictures of a game."""

    def __init__(self, folder: Path) -> None:
        self.clock, self.folder = ManualClock(), folder
        self.eye = TableReader(self.clock, folder)
        self.eye.begin("kinapa", 4)
        self.noise = np.random.default_rng(3)

    def show(self, image: Picture, seconds: float) -> list[Any]:
        """What is reported while this picture is seen for so long."""
        told: list[Any] = []
        for _ in range(round(seconds * PICTURES)):
            self.clock.move_to(self.clock.now() + SECOND // PICTURES)
            told += self.eye.step(image, self.clock.now())
        return told

    def table(self, renderer: Renderer, *cards: str) -> Picture:
        places = [LAYOUT.object_place(f"slot:{n}") for n in range(1, 9)]
        laid = tuple((card, place.centre_mm, 2.0) for card, place in zip(cards, places, strict=False))
        return renderer.render(Scene(laid), self.noise)


def cards_in(told: list[Any]) -> dict[str, str]:
    regions = [region for seen in told if isinstance(seen, TableSeen) for region in seen.regions]
    return {region.name: region.faces[0].card for region in regions if region.faces}


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory, mat: Renderer) -> Path:
    """The file of a table that was calibrated."""
    calibrating = Calibrating(tmp_path_factory.mktemp("kept"), mat)
    calibrating.look()
    assert calibrating.keep().kept
    return calibrating.folder / CALIBRATION


@pytest.fixture
def calibrated(tmp_path: Path, kept: Path) -> Path:
    shutil.copy(kept, tmp_path)
    return tmp_path


def test_a_game_is_read_as_calibrated_even_with_a_hand_over_a_mark(calibrated: Path, mat: Renderer) -> None:
    playing = Playing(calibrated)
    image = playing.table(mat, "object:1-2", "object:3-4")
    covered = image.copy()
    covered[:110, :330] = (90, 120, 160)
    told = playing.show(covered, 3)
    assert cards_in(told)["slot:2"] == "object:3-4"
    assert playing.eye.unseen is None


def test_a_camera_that_moved_finds_the_mat_again_and_says_so_for_a_while(
    calibrated: Path, mat: Renderer
) -> None:
    playing = Playing(calibrated)
    told = playing.show(shifted(playing.table(mat, "object:1-2"), 25, -10), 3)
    assert playing.eye.unseen is not None
    assert playing.eye.unseen.key == "shared.camera.found"
    assert cards_in(told) == {"slot:1": "object:1-2"}
    assert not any(isinstance(seen, CameraLost) for seen in told)
    playing.show(shifted(playing.table(mat, "object:1-2"), 25, -10), TOLD / SECOND)
    assert playing.eye.unseen is None


def test_a_camera_that_lost_the_mat_leaves_the_game_to_the_hands_until_it_is_found_again(
    calibrated: Path, mat: Renderer
) -> None:
    playing = Playing(calibrated)
    image = playing.table(mat, "object:1-2")
    told = playing.show(shifted(image, 600, 0), 2 * TRIES * RETRY / SECOND)
    assert [type(seen) for seen in told] == [CameraLost]
    assert playing.eye.unseen is not None
    assert playing.eye.unseen.key == "shared.camera.moved"
    told = playing.show(image, 4)
    assert isinstance(told[0], CameraBack)
    assert cards_in(told) == {"slot:1": "object:1-2"}
    assert playing.eye.unseen is None


def test_a_deck_that_cannot_be_read_is_told_and_the_game_goes_on_by_hand(
    calibrated: Path, mat: Renderer
) -> None:
    (calibrated / "decks").mkdir()
    own = calibrated / "decks" / "kinapa.deck"
    own.write_bytes(b"PK\x03\x04 cut short")
    playing = Playing(calibrated)
    image = playing.table(mat, "object:1-2")
    told = playing.show(image, 2 * TRIES * RETRY / SECOND)
    assert [type(seen) for seen in told] == [CameraLost]
    assert playing.eye.unseen is not None
    assert playing.eye.unseen.key == "ui.watch.no_deck"
    own.unlink()
    assert cards_in(playing.show(image, 4)) == {"slot:1": "object:1-2"}


def test_the_camera_is_looked_at_again_when_a_game_is_gone_on_with(calibrated: Path, mat: Renderer) -> None:
    playing = Playing(calibrated)
    image = playing.table(mat, "object:1-2")
    playing.show(image, 3)
    playing.eye.end()
    playing.eye.begin("kinapa", 4)
    playing.show(shifted(image, 30, 0), 1)
    assert playing.eye.unseen is not None
    assert playing.eye.unseen.key == "shared.camera.found"


def test_reading_again_looks_whether_the_camera_moved(calibrated: Path, mat: Renderer) -> None:
    playing = Playing(calibrated)
    image = playing.table(mat, "object:1-2")
    playing.show(image, 3)
    playing.eye.read_again()
    told = playing.show(shifted(image, 30, 0), 3)
    assert playing.eye.unseen is not None
    assert cards_in(told) == {"slot:1": "object:1-2"}


def test_a_table_that_was_never_calibrated_still_notices_a_camera_that_moved(
    tmp_path: Path, mat: Renderer
) -> None:
    playing = Playing(tmp_path)
    image = playing.table(mat, "object:1-2")
    playing.show(image, 1)
    assert playing.eye.unseen is None
    playing.eye.begin("kinapa", 4)
    playing.show(shifted(image, 30, 0), 1)
    assert playing.eye.unseen is not None
    assert playing.eye.unseen.key == "shared.camera.found"


def test_pictures_of_another_size_are_not_read_by_an_old_calibration(calibrated: Path, mat: Renderer) -> None:
    playing = Playing(calibrated)
    small = np.asarray(cv2.resize(playing.table(mat, "object:1-2"), (640, 360)), np.uint8)
    playing.show(small, 1)
    assert playing.eye.unseen is not None
    assert playing.eye.unseen.key == "shared.camera.size"


def test_a_camera_that_changes_the_size_of_its_pictures_in_a_game_is_told(
    calibrated: Path, mat: Renderer
) -> None:
    playing = Playing(calibrated)
    whole = playing.table(mat, "object:1-2")
    assert cards_in(playing.show(whole, 2)) == {"slot:1": "object:1-2"}
    small = np.asarray(cv2.resize(whole, (640, 360)), np.uint8)
    assert [type(told) for told in playing.show(small, 8)] == [CameraLost]
    assert playing.eye.unseen is not None
    assert playing.eye.unseen.key == "shared.camera.size"
    assert CameraBack in {type(told) for told in playing.show(whole, 4)}


def test_a_damaged_calibration_is_as_none(tmp_path: Path, mat: Renderer) -> None:
    (tmp_path / CALIBRATION).write_text("{")
    playing = Playing(tmp_path)
    told = playing.show(playing.table(mat, "object:1-2"), 3)
    assert cards_in(told) == {"slot:1": "object:1-2"}


@pytest.mark.long
def test_cards_are_read_on_a_bare_table_at_places_drawn_by_hand(tmp_path: Path, textures: Textures) -> None:
    bare = wooden(textures, EASY)
    calibrating = Calibrating(tmp_path, bare)
    calibrating.want("method", "sheet")
    corners = bare.calibration.pixels([(148.5, 105.0), (445.5, 105.0), (445.5, 315.0), (148.5, 315.0)])
    for x, y in corners:
        calibrating.want("point", float(x) / 1280, float(y) / 720)
    calibrating.want("aim")
    x, y = bare.calibration.pixels([(200.0, 210.0)])[0] / (1280, 720)
    calibrating.want("point", float(x), float(y))  # slot 1 moves into the middle, where the mat has none
    assert calibrating.keep().kept
    playing = Playing(tmp_path)
    image = bare.render(Scene((("object:5-6", (200.0, 203.0), 3.0),)), playing.noise)
    assert cards_in(playing.show(image, 3)) == {"slot:1": "object:5-6"}


def wooden(textures: Textures, conditions: Conditions) -> Renderer:
    """A table without a mat."""
    chance = np.random.default_rng(7)
    grain = cv2.GaussianBlur(chance.normal(0, 60, (990, 1400)).astype(np.float32), (0, 0), 9, sigmaY=1.5)
    table = np.clip(np.array([60, 95, 130]) + 2 * grain[..., None], 0, 255).astype(np.uint8)
    return Renderer(with_(textures, mat=table), LAYOUT, conditions)


# The verb ---------------------------------------------------------------------------------------------------


def test_a_folder_of_pictures_is_calibrated_without_a_screen(
    tmp_path: Path, mat: Renderer, capsys: pytest.CaptureFixture[str]
) -> None:
    pictures, noise = tmp_path / "pictures", np.random.default_rng(1)
    pictures.mkdir()
    for number in range(4):
        cv2.imwrite(str(pictures / f"{number}.png"), mat.render(Scene(), noise))
    where = ["--set", f"storage.folder={tmp_path / 'store'}"]
    assert main([*where, "calibrate", "kinapa", "--from", str(pictures), "--once"]) == 0
    assert "nothing to lock" in capsys.readouterr().out
    found = load(tmp_path / "store" / "table")
    assert isinstance(found, TableCalibration)
    true = mat.calibration.pixels([(297.0, 210.0)])
    assert np.allclose(found.kept.calibration().pixels([(297.0, 210.0)]), true, atol=2.0)


def test_a_picture_without_the_mat_is_not_kept(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pictures = tmp_path / "pictures"
    pictures.mkdir()
    cv2.imwrite(str(pictures / "1.png"), np.full((360, 640, 3), 90, np.uint8))
    where = ["--set", f"storage.folder={tmp_path / 'store'}"]
    assert main([*where, "calibrate", "--from", str(pictures), "--once"]) == 1
    assert "4 of the mat’s four marks" in capsys.readouterr().out
    assert load(tmp_path / "store" / "table") is None


def test_the_drawn_table_can_be_calibrated_on_any_laptop(tmp_path: Path) -> None:
    where = ["--set", f"storage.folder={tmp_path}"]
    assert main([*where, "calibrate", "kabuki", "--simulate", "--once"]) == 0
    assert main([*where, "calibrate", "kabuki", "--simulate", "--from", str(tmp_path)]) == 2
