"""Calibrating with a drawn table: found, measured, locked, kept; and the games that are read by it."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import cv2
import numpy as np
import pytest
from msgspec.structs import replace

from companion.__main__ import main
from companion.camera import CALIBRATION_FILE
from companion.camera.calibration_file import TableCalibration, load_calibration, save_calibration
from companion.camera.calibration_task import LOOKS_WITHOUT_MARK, PICTURES_UNTIL_LOCKED, CalibrationTask
from companion.core.actions import SECOND
from companion.core.camera_tasks import CameraCommand
from companion.core.clock import ManualClock
from companion.core.errors import InputError
from companion.core.view import Sentence
from companion.system import asset_paths
from companion.vision.calibration import CALIBRATION_METHODS, pixels_per_mm
from companion.vision.layout import MAT_MM, Place
from companion.vision.lighting import MIN_FLICKER_FRAMES
from companion.vision.renderer import EASY, MIDDLE, RenderedHand, TableRenderer, TableScene, Textures
from hardware.camera_usb import UsbCamera
from tests.camera.calibration_cameras import LAYOUT, LOCK, Calibrating, Camera, Picture, see_at_a_slant

MAT = Place("mat", (MAT_MM[0] / 2, MAT_MM[1] / 2), MAT_MM)


@pytest.fixture(scope="module")
def textures() -> Textures:
    return Textures.load(asset_paths.bundled_assets_folder() / "decks" / "kinapa")


@pytest.fixture(scope="module")
def mat(textures: Textures) -> TableRenderer:
    return TableRenderer(textures, LAYOUT, MIDDLE)


@pytest.fixture
def calibrating(tmp_path: Path, mat: TableRenderer) -> Calibrating:
    return Calibrating(tmp_path, mat)


# At the bench -----------------------------------------------------------------------------------------------


def test_the_mat_is_found_by_its_marks_and_every_place_is_drawn(calibrating: Calibrating) -> None:
    view = calibrating.look(MIN_FLICKER_FRAMES)
    assert (view.ready, view.hint.key, view.warnings) == (True, "ui.calibrate.found", ())
    assert {zone.name for zone in view.zones} >= {"slot:1", "slot:16", "audit", "emperor"}
    true = calibrating.renderer.calibration.place_corners(LAYOUT.place("slot:3"))
    (slot,) = [zone for zone in view.zones if zone.name == "slot:3"]
    assert np.allclose(np.array(slot.corners) * (1280, 720), true, atol=2.0)


def test_keeping_locks_the_camera_and_stores_everything(calibrating: Calibrating) -> None:
    calibrating.look(MIN_FLICKER_FRAMES)
    view = calibrating.keep()
    assert (view.kept, view.hint.key) == (True, "ui.calibrate.kept")
    stored = load_calibration(calibrating.folder)
    assert stored is not None
    assert (stored.lock, stored.date, stored.kept.method) == (LOCK, "2026-11-21T20:00:00", "marks")
    assert calibrating.camera.locked == [50]
    assert calibrating.bench.lock == LOCK


def test_a_camera_with_nothing_to_lock_is_kept_and_says_so(tmp_path: Path, mat: TableRenderer) -> None:
    calibrating = Calibrating(tmp_path, mat, Camera(lock=None))
    calibrating.look()
    assert calibrating.keep().hint.key == "ui.calibrate.kept_unlocked"
    stored = load_calibration(tmp_path)
    assert stored is not None
    assert stored.lock is None


def test_a_camera_that_does_not_hold_its_lock_is_not_believed(tmp_path: Path, mat: TableRenderer) -> None:
    calibrating = Calibrating(tmp_path, mat, Camera(after=0.6))
    calibrating.look()
    view = calibrating.keep()
    assert "ui.calibrate.not_held" in {warning.key for warning in view.warnings}
    stored = load_calibration(tmp_path)
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
    view = calibrating.look(MIN_FLICKER_FRAMES)
    assert "ui.calibrate.flicker" in {warning.key for warning in view.warnings}


def test_pages_that_changed_places_are_told_and_nothing_can_be_kept(calibrating: Calibrating) -> None:
    (left, top), (right, _) = calibrating.renderer.calibration.to_pixels(((0, 0), (594, 0))).astype(int)
    page = (right - left) // 3

    def exchange(image: Picture, number: int) -> Picture:
        taped = image.copy()
        taped[top:360, left : left + page] = image[top:360, right - page : right]
        taped[top:360, right - page : right] = image[top:360, left : left + page]
        return taped

    calibrating.spoil = exchange
    view = calibrating.look()
    assert (view.ready, view.hint.key) == (False, "ui.calibrate.misplaced")


def test_a_mark_that_is_covered_is_named_and_nothing_can_be_kept(calibrating: Calibrating) -> None:
    view = calibrating.look(1, RenderedHand((30.0, 35.0), 180.0))
    assert (view.ready, view.hint.key) == (False, "ui.calibrate.missing.top_left")
    calibrating.bench.add_command(CameraCommand("keep"))
    assert not calibrating.look(2 * PICTURES_UNTIL_LOCKED, RenderedHand((30.0, 35.0), 180.0)).kept
    calibrating.spoil = lambda image, number: np.full_like(image, 120)
    view = calibrating.look()
    assert dict(view.hint.parts)["left"] == 4


def test_a_cap_on_the_lens_is_not_a_camera_that_hangs_too_low(calibrating: Calibrating) -> None:
    calibrating.spoil = lambda image, number: np.zeros_like(image)
    for method in CALIBRATION_METHODS:
        calibrating.bench.add_command(CameraCommand("method", (method,)))
        assert calibrating.look().hint.key == "shared.camera.black"


def test_a_picture_that_is_white_mirrored_or_not_sharp_says_so_though_no_mark_is_seen(
    calibrating: Calibrating,
) -> None:
    calibrating.spoil = lambda image, number: np.full_like(image, 254)
    assert calibrating.look().hint.key == "ui.calibrate.white"
    calibrating.spoil = lambda image, number: np.ascontiguousarray(image[:, ::-1])
    assert calibrating.look(LOOKS_WITHOUT_MARK).hint.key == "ui.calibrate.mirrored"
    calibrating.spoil = lambda image, number: np.asarray(cv2.GaussianBlur(image, (0, 0), 8), np.uint8)
    assert calibrating.look(LOOKS_WITHOUT_MARK).hint.key == "ui.calibrate.blur"
    calibrating.spoil = lambda image, number: np.asarray(cv2.GaussianBlur(image, (0, 0), 3), np.uint8)
    warned = calibrating.look().warnings
    assert Sentence("ui.calibrate.blur") in warned
    assert Sentence("ui.calibrate.apart") not in warned
    calibrating.spoil = lambda image, number: np.asarray(image * 0.2, np.uint8)
    view = calibrating.look()
    assert Sentence("ui.calibrate.dark") in view.warnings
    assert Sentence("ui.calibrate.coloured") not in view.warnings


@pytest.mark.parametrize(("weakest", "told"), [(0.05, True), (0.3, False)])
def test_light_in_which_colours_are_lost_is_told(
    calibrating: Calibrating, weakest: float, *, told: bool
) -> None:
    """As of a coloured strip of LEDs; a lamp that is only warm is none."""
    calibrating.spoil = lambda image, number: np.asarray(image * (1.0, 0.5, weakest), np.uint8)
    assert (Sentence("ui.calibrate.coloured") in calibrating.look().warnings) == told


def test_a_camera_that_hangs_too_high_or_has_a_lens_that_bends_is_told(
    calibrating: Calibrating, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def far(image: Picture, number: int) -> Picture:
        small = cv2.resize(image, (640, 360), interpolation=cv2.INTER_AREA)
        return np.asarray(cv2.copyMakeBorder(small, 180, 180, 320, 320, cv2.BORDER_REPLICATE), dtype=np.uint8)

    def told(calibrating: Calibrating) -> Sentence:
        calibrating.spoil = far
        (found,) = [one for one in calibrating.look().warnings if "too_high" in one.key]
        return found

    assert told(calibrating).key == "ui.calibrate.too_high.share"
    monkeypatch.setattr("companion.camera.calibration_task.horizontal_angle", lambda camera: 66.0)
    monkeypatch.setattr("companion.camera.calibration_task.unfit_lens", lambda camera: "wide")
    again = Calibrating(tmp_path, calibrating.renderer)
    height_mm = 1280 / (pixels_per_mm(again.renderer.calibration) / 2) / 2 / np.tan(np.radians(33))
    share = dict(told(calibrating).parts)["percent"]
    found = told(again)
    assert dict(found.parts)["cm"] == pytest.approx(height_mm / 10 * int(share) / 100, abs=2.0)
    assert Sentence("ui.calibrate.lens.wide") in again.look().warnings


def test_glare_is_told_by_the_number_of_its_slot_and_drawn_there(calibrating: Calibrating) -> None:
    x, y = calibrating.renderer.calibration.place_corners(LAYOUT.object_card_place("slot:8")).mean(axis=0)

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
    stored = load_calibration(calibrating.folder)
    assert stored is not None
    assert stored.warned == ("glare",)


def test_four_corners_told_by_fingers_are_as_good_as_marks(calibrating: Calibrating) -> None:
    calibrating.want("method", "corners")
    corners = ((0.0, 0.0), (MAT_MM[0], 0.0), MAT_MM, (0.0, MAT_MM[1]))
    for x, y in calibrating.renderer.calibration.to_pixels(corners):
        calibrating.want("point", float(x) / 1280, float(y) / 720)
    calibrating.keep()
    stored = load_calibration(calibrating.folder)
    assert stored is not None
    found, true = stored.kept.to_calibration(), calibrating.renderer.calibration
    assert np.allclose(found.to_pixels(corners), true.to_pixels(corners), atol=0.5)


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
        calibrating.bench.add_command(CameraCommand("move", (1, 0)))
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
    stored = load_calibration(calibrating.folder)
    assert stored is not None
    moved = stored.kept.adjust_layout("kinapa", LAYOUT)
    middle = stored.kept.to_calibration().to_millimetres([(0.42 * 1280, 360.0)])[0]
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


def test_calibrating_again_begins_with_what_was_kept(calibrating: Calibrating, mat: TableRenderer) -> None:
    calibrating.want("method", "corners")
    corners = calibrating.want("point", 0.15, 0.05).corners
    calibrating.keep()
    again = Calibrating(calibrating.folder, mat).look()
    assert again.method == "corners"
    assert np.allclose(again.corners, corners, atol=1e-6)


def test_a_disk_that_is_full_is_told_and_nothing_is_called_kept(
    tmp_path: Path, mat: TableRenderer, monkeypatch: pytest.MonkeyPatch
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
    (tmp_path / CALIBRATION_FILE).write_text(damage)
    with pytest.raises(InputError, match="calibrat"):
        load_calibration(tmp_path)


def test_a_file_of_a_newer_version_is_refused(calibrating: Calibrating) -> None:
    calibrating.look()
    calibrating.keep()
    stored = load_calibration(calibrating.folder)
    assert stored is not None
    save_calibration(calibrating.folder, replace(stored, format=99))
    with pytest.raises(InputError, match="newer"):
        load_calibration(calibrating.folder)


# The verb ---------------------------------------------------------------------------------------------------


def test_a_folder_of_pictures_is_calibrated_without_a_screen(
    tmp_path: Path, mat: TableRenderer, capsys: pytest.CaptureFixture[str]
) -> None:
    pictures, noise = tmp_path / "pictures", np.random.default_rng(1)
    pictures.mkdir()
    for number in range(4):
        cv2.imwrite(str(pictures / f"{number}.png"), mat.render(TableScene(), noise))
    where = ["--set", f"storage.folder={tmp_path / 'store'}"]
    assert main([*where, "calibrate", "kinapa", "--from", str(pictures), "--once"]) == 0
    assert "nothing to lock" in capsys.readouterr().out
    found = load_calibration(tmp_path / "store" / "table")
    assert isinstance(found, TableCalibration)
    true = mat.calibration.to_pixels([(297.0, 210.0)])
    assert np.allclose(found.kept.to_calibration().to_pixels([(297.0, 210.0)]), true, atol=2.0)


def test_a_picture_without_the_mat_is_not_kept(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pictures = tmp_path / "pictures"
    pictures.mkdir()
    cv2.imwrite(str(pictures / "1.png"), np.full((360, 640, 3), 90, np.uint8))
    where = ["--set", f"storage.folder={tmp_path / 'store'}"]
    assert main([*where, "calibrate", "--from", str(pictures), "--once"]) == 1
    assert "4 of the mat’s four marks" in capsys.readouterr().out
    assert load_calibration(tmp_path / "store" / "table") is None


def test_the_drawn_table_can_be_calibrated_on_any_laptop(tmp_path: Path) -> None:
    where = ["--set", f"storage.folder={tmp_path}"]
    assert main([*where, "calibrate", "kabuki", "--simulate", "--once"]) == 0
    assert main([*where, "calibrate", "kabuki", "--simulate", "--from", str(tmp_path)]) == 2


# A picture that shows only part of the mat ------------------------------------------------------------------


def show_part(share: float, x: float, y: float) -> Any:
    """A camera whose picture is only this share of the whole one, from (x, y) in shares of what is left."""

    def crop(image: Picture, number: int) -> Picture:
        height, width = round(720 * share), round(1280 * share)
        top, left = round((720 - height) * y), round((1280 - width) * x)
        part = image[top : top + height, left : left + width]
        return np.asarray(cv2.resize(part, (1280, 720), interpolation=cv2.INTER_CUBIC), np.uint8)

    return crop


PARTS = [(0.67, 0.0, 0.0), (0.67, 1.0, 1.0), (0.8, 0.5, 0.0), (0.8, 1.0, 0.0)]


@pytest.mark.parametrize("part", PARTS)
def test_a_camera_that_hangs_too_low_is_told_by_how_many_centimetres(
    tmp_path: Path, textures: Textures, part: tuple[float, float, float], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("companion.camera.calibration_task.horizontal_angle", lambda camera: 66.0)
    calibrating = Calibrating(tmp_path, TableRenderer(textures, LAYOUT, EASY))
    whole, share = calibrating.renderer.calibration, part[0]
    ratio = 1.1 * np.ptp(whole.place_corners(MAT), axis=0)[1] / (720 * share)
    height_mm = 1280 * share / pixels_per_mm(whole) / 2 / np.tan(np.radians(33))
    calibrating.spoil = show_part(*part)
    view = calibrating.look()
    assert view.hint.key == "ui.calibrate.too_low"
    assert dict(view.hint.parts)["cm"] == pytest.approx(0.5 + (ratio - 1) * height_mm / 10, abs=1.0)
    assert not view.ready


def test_the_outline_of_the_whole_mat_is_drawn_where_it_would_be(tmp_path: Path, mat: TableRenderer) -> None:
    calibrating = Calibrating(tmp_path, mat)
    calibrating.spoil = show_part(0.8, 0.5, 0.0)
    outline = np.array(calibrating.look().outline)
    true = (mat.calibration.place_corners(MAT) - (128, 0)) / (0.8 * 1280, 0.8 * 720)
    assert np.abs(outline - true).max() < 0.02
    calibrating.spoil = lambda image, number: image
    assert calibrating.look().outline == ()


@pytest.mark.parametrize(
    ("turn", "told"),
    [
        (90, "ui.calibrate.turned"),
        (-90, "ui.calibrate.turned"),
        (35, "ui.calibrate.askew"),
        (6, "ui.calibrate.askew"),
    ],
)
def test_a_camera_that_is_turned_is_not_to_be_raised(
    tmp_path: Path, mat: TableRenderer, turn: int, told: str
) -> None:
    """What is cut off would be seen from the same height, once the picture's long side is along the mat's."""
    whole = mat.render(TableScene(()), np.random.default_rng(1))
    height, width = whole.shape[:2]
    to = cv2.getRotationMatrix2D((width / 2, height / 2), turn, 1.0)
    to[0, 2] += 0.12 * width * (abs(turn) == 90)
    to[1, 2] += 0.2 * height * (abs(turn) == 90)
    turned = cv2.warpAffine(whole, to, (width, height), borderMode=cv2.BORDER_REPLICATE)
    task = CalibrationTask(tmp_path, "kinapa", do=lambda job: None, wall_time=lambda: "2026-11-29T20:00:00Z")
    task.step(turned, 0)
    assert task.view().hint == Sentence(told)


def test_a_camera_that_sees_the_whole_mat_across_is_told_that_it_may_hang_lower(
    tmp_path: Path, mat: TableRenderer
) -> None:
    whole = mat.render(TableScene(()), np.random.default_rng(1))
    height, width = whole.shape[:2]
    to = cv2.getRotationMatrix2D((width / 2, height / 2), 90, 0.6)
    turned = cv2.warpAffine(whole, to, (width, height), borderMode=cv2.BORDER_REPLICATE, flags=cv2.INTER_AREA)
    task = CalibrationTask(tmp_path, "kinapa", do=lambda job: None, wall_time=lambda: "2026-11-29T20:00:00Z")
    task.step(turned, 0)
    assert task.view().ready
    assert Sentence("ui.calibrate.across") in task.view().warnings


def test_a_camera_that_looks_at_a_slant_is_told_and_nothing_else_of_its_place(
    tmp_path: Path, mat: TableRenderer
) -> None:
    whole = mat.render(TableScene(()), np.random.default_rng(1))
    task = CalibrationTask(tmp_path, "kinapa", do=lambda job: None, wall_time=lambda: "2026-11-29T20:00:00Z")
    task.step(see_at_a_slant(whole, 45), 0)
    assert task.view().warnings == (Sentence("ui.calibrate.slant", (("degrees", 45),)),)


def test_where_no_mat_is_seen_the_other_webcam_is_named(tmp_path: Path, mat: TableRenderer) -> None:
    """A laptop's own looks at a face."""
    for number, name in ((0, "Integrated Camera"), (2, "C270 HD WEBCAM")):
        (tmp_path / "dev").mkdir(exist_ok=True)
        (tmp_path / f"dev/video{number}").touch()
        about = tmp_path / f"sys/class/video4linux/video{number}"
        about.mkdir(parents=True)
        (about / "name").write_text(f"{name}\n")
    device = SimpleNamespace(isOpened=lambda: True, set=lambda *_: True, get=lambda _: 0.0)
    camera = UsbCamera(0, ManualClock(), open_device=lambda _: device, devices=tmp_path / "dev")
    task = CalibrationTask(
        tmp_path, "kinapa", do=lambda job: job(camera), wall_time=lambda: "2026-11-29T20:00:00Z"
    )
    task.step(np.full((720, 1280, 3), 120, np.uint8), 0)
    assert task.view().hint == Sentence("ui.calibrate.other_webcam", (("webcam", "C270 HD WEBCAM"),))
    task.step(mat.render(TableScene(()), np.random.default_rng(1)), 1)
    assert task.view().ready


def test_without_the_angle_of_the_lens_the_height_is_told_in_shares(
    tmp_path: Path, textures: Textures
) -> None:
    calibrating = Calibrating(tmp_path, TableRenderer(textures, LAYOUT, EASY))
    calibrating.spoil = show_part(0.67, 0.0, 0.0)
    hint = calibrating.look().hint
    extent = np.ptp(calibrating.renderer.calibration.place_corners(MAT), axis=0)[1]
    assert hint.key == "ui.calibrate.too_low.share"
    assert dict(hint.parts)["percent"] == pytest.approx(100 * (1.1 * extent / 720 / 0.67 - 1), abs=2)


def test_a_mat_that_is_only_beside_the_picture_is_to_be_moved(tmp_path: Path, textures: Textures) -> None:
    calibrating = Calibrating(tmp_path, TableRenderer(textures, LAYOUT, EASY))
    aside = np.float32([[0.7, 0, -140], [0, 0.7, 108]])
    calibrating.spoil = lambda image, number: cv2.warpAffine(
        image, aside, (1280, 720), borderValue=(90, 90, 90)
    )
    hint = calibrating.look().hint
    left = -(0.7 * calibrating.renderer.calibration.place_corners(MAT)[0, 0] - 140)
    assert hint.key == "ui.calibrate.cut_off.left"
    per_cm = 7 * pixels_per_mm(calibrating.renderer.calibration)
    assert dict(hint.parts)["cm"] == pytest.approx(left / per_cm + 0.5, abs=1)


def test_a_mark_that_is_only_covered_is_still_named(calibrating: Calibrating) -> None:
    view = calibrating.look(1, RenderedHand((30.0, 35.0), 180.0))
    assert view.hint.key == "ui.calibrate.missing.top_left"
