"""A photo for the lid of a box: what the camera sees is kept when somebody asks for it, and not before."""

from __future__ import annotations

import os
from pathlib import Path

import cv2
import numpy as np
import pytest

from companion.camera.picture_tasks import UNSTEADY, PhotoTask
from companion.camera.task_runner import CameraTaskRunner
from companion.core.actions import Micros
from companion.core.camera_tasks import CameraCommand, PhotoView
from companion.core.clock import Clock
from companion.core.game import Preset
from companion.core.view import Sentence
from companion.games import printed_mat
from companion.games.any_game.rules.model import AnyGameOptions
from companion.system import asset_paths
from companion.ui import commands as do
from companion.ui.frame import GameDraft
from companion.vision.box_photo import PHOTO_SIDE, crop_photo, read_photo
from companion.vision.calibration import find_marks, make_saved_calibration
from companion.vision.layout import Calibration
from companion.vision.outlines import Bgr
from companion.vision.pictures import decode_picture
from companion.vision.renderer import LIVE, TableRenderer, TableScene, Textures
from hardware.camera import CameraFrame
from hardware.camera_worker import CameraWorker
from tests.table.app_table import Table

RED = (30, 30, 220)


def picture(colour: tuple[int, int, int] = RED) -> Bgr:
    """A grey table with something of that colour in its middle."""
    seen = np.full((720, 1280, 3), 128, np.uint8)
    seen[240:480, 320:960] = colour
    return seen


@pytest.fixture
def runner(tmp_path: Path) -> CameraTaskRunner:
    (tmp_path / "cupboard" / "any_game").mkdir(parents=True)
    tasks = CameraTaskRunner(tmp_path, say=lambda _: None)
    tasks.open_page("photo", "any_game", "tiles")
    return tasks


def photo(tasks: CameraTaskRunner) -> Path:
    return tasks._folder / "cupboard" / "any_game" / "tiles.jpg"


def look(tasks: CameraTaskRunner, times: int = UNSTEADY + 1, colour: tuple[int, int, int] = RED) -> PhotoView:
    for at in range(times):
        assert tasks.step(picture(colour), at) == ()
        tasks.tick(picture(colour))
    return view(tasks)


def view(tasks: CameraTaskRunner) -> PhotoView:
    shown = tasks.page_input()
    assert shown is not None
    assert isinstance(shown.view, PhotoView)
    return shown.view


def test_the_camera_is_used_to_the_light_before_a_photo_can_be_kept(runner: CameraTaskRunner) -> None:
    assert view(runner).hint == Sentence("ui.calibrate.no_picture")
    assert not look(runner, UNSTEADY).ready
    assert look(runner, 1).ready
    assert not photo(runner).exists()


def test_what_is_shown_is_kept_and_is_shown_until_it_is_taken_again(runner: CameraTaskRunner) -> None:
    look(runner)
    runner.carry_out(CameraCommand("keep"))
    assert (view(runner).kept, view(runner).has_photo) == (True, True)
    look(runner, colour=(0, 200, 0))
    shown, kept = runner.page_input(), decode_picture(read_photo(photo(runner)))
    assert shown is not None
    assert kept is not None
    assert kept.shape == shown.camera.shape
    for seen in (kept, shown.camera):
        assert np.abs(seen[seen.shape[0] // 2, seen.shape[1] // 2].astype(int) - RED).max() < 6
    runner.carry_out(CameraCommand("retake"))
    assert (view(runner).kept, view(runner).has_photo) == (False, True)
    runner.carry_out(CameraCommand("keep"))
    again = decode_picture(read_photo(photo(runner)))
    assert again is not None
    assert again[again.shape[0] // 2, again.shape[1] // 2, 1] > 180


@pytest.mark.skipif(os.name == "nt", reason="modes are another thing there")
def test_a_photo_is_its_owner_s_to_read(runner: CameraTaskRunner) -> None:
    look(runner)
    runner.carry_out(CameraCommand("keep"))
    assert photo(runner).stat().st_mode & 0o077 == 0


def test_a_photo_can_be_removed(runner: CameraTaskRunner) -> None:
    look(runner)
    runner.carry_out(CameraCommand("keep"))
    runner.carry_out(CameraCommand("remove"))
    assert not photo(runner).exists()
    assert (view(runner).kept, view(runner).has_photo) == (False, False)


def test_nothing_is_kept_by_looking_or_leaving(runner: CameraTaskRunner) -> None:
    look(runner)
    runner.open_page("setup", "any_game", "tiles")
    assert list(photo(runner).parent.iterdir()) == []
    assert not runner.busy


def test_where_a_folder_has_the_photo_s_name_nothing_is_lost(runner: CameraTaskRunner) -> None:
    photo(runner).mkdir()
    look(runner)
    for what in ("keep", "remove"):
        runner.carry_out(CameraCommand(what))
        assert view(runner).hint == Sentence("ui.enrol.not_saved")
        assert [one.name for one in photo(runner).parent.iterdir()] == ["tiles.jpg"]
    runner.carry_out(CameraCommand("retake"))
    assert view(runner).hint == Sentence("ui.photo.lay")


def test_without_a_mat_the_middle_is_taken() -> None:
    seen = crop_photo(picture(), None)
    assert max(seen.shape) == PHOTO_SIDE
    assert (seen[:60, :, 0] == 128).all()
    assert (seen[120:240, 180:460] == RED).all()


def test_of_a_calibrated_table_the_mat_is_taken() -> None:
    deck = asset_paths.bundled_assets_folder() / "decks" / "kobayakawa"
    layout = printed_mat("kobayakawa")
    table = TableRenderer(Textures.load(deck), layout, LIVE).render(TableScene(), np.random.default_rng(1))
    known = make_saved_calibration("marks", table, Calibration.from_marks(table, layout))
    flat = crop_photo(table, known)
    assert flat.shape == (453, PHOTO_SIDE, 3)
    large = np.asarray(cv2.resize(flat, None, fx=3, fy=3), np.uint8)  # for the marks are small in it
    found = find_marks(large)
    assert len(found) >= 3
    for mark, corners in found.items():
        assert np.abs(corners / 3 - layout.marks_mm[mark] * (PHOTO_SIDE / 594)).max() < 3
    half = crop_photo(
        np.ascontiguousarray(table[::2, ::2]), known
    )  # a camera that gives smaller pictures now
    assert np.abs(half.astype(int) - flat).mean() < 12


def test_a_photo_of_one_box_is_not_another_one_s(tmp_path: Path) -> None:
    task = PhotoTask(tmp_path / "chess.jpg", "any_game", None)
    task.step(picture(), 0)
    task.add_command(CameraCommand("keep"))
    assert [one.name for one in tmp_path.iterdir()] == ["chess.jpg"]


class Camera:
    """Sees one picture for ever."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock

    def capture(self, newer_than: Micros) -> CameraFrame:
        return CameraFrame(picture(), max(self._clock.now(), newer_than + 1))

    def lock_exposure(self, hertz: int = 50) -> None:
        """There is nothing to hold."""

    def close(self) -> None:
        """Nothing is open."""


def test_a_photo_is_asked_for_taken_and_left_by_keys_alone(runner: CameraTaskRunner) -> None:
    table = Table(GameDraft("any_game", chairs=(0, 1), box="tiles"), camera_tasks=lambda _: runner)
    title = Sentence("any_game.line.preset.own", (("name", "Tiles"),))
    table.host.presets = (Preset(title=title, options=AnyGameOptions(), file="tiles"),)
    runner.open_page("home", "")

    def walk_to(key: str) -> None:
        keys = [one.key for one in table.app._pages[table.app.page].painted_sheet(table.app.frame()).targets]
        assert key in keys
        for _ in keys:
            if table.app.ui_state.focus == key:
                break
            table.key("tab")
        table.key("return")

    def offered() -> set[str]:
        return {one.key for one in table.app._pages["setup"].painted_sheet(table.app.frame()).targets}

    table.app.carry_out(do.ShowPage("setup"))
    walk_to("presets")
    assert "photo" not in offered()
    worker = runner.worker = CameraWorker(
        lambda: Camera(table.clock), runner.step, table.inbox.put, table.clock
    )
    worker.run_once()
    table.run()
    walk_to("photo")
    assert table.app.page == "photo"
    for _ in range(UNSTEADY + 1):
        worker.run_once()
    table.run()
    table.key("return")
    assert photo(runner).exists()
    table.key("return")
    assert (table.app.page, table.app.ui_state.draft.box, runner.busy) == ("setup", "tiles", False)
    walk_to("presets")
    walk_to("photo")
    table.key("escape")
    assert (table.app.page, photo(runner).exists()) == ("setup", True)
