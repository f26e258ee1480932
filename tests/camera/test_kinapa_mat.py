"""Kinapa's mat at a drawn table: its rows of open cards, and what a mat's marks tell."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from companion.camera import CALIBRATION_FILE
from companion.camera.calibration_file import load_calibration
from companion.camera.calibration_task import PICTURES_UNTIL_LOCKED, CalibrationTask
from companion.camera.table_reader import TableReader
from companion.core.actions import SECOND, Seat, Setup
from companion.core.camera_tasks import CameraCommand
from companion.core.clock import ManualClock
from companion.core.events import Infraction
from companion.core.observations import RegionReading, TableSeen
from companion.games import RULES, deck_folder, mat_layout, printed_mat
from companion.games.kinapa.rules.model import EmperorCrowned, LiarPunished, OpenCardsSeen
from companion.simulation.simulated_table import SceneBuilder
from companion.vision.layout import Layout
from companion.vision.renderer import MIDDLE, TableRenderer, Textures

OLDER_FILES = Path(__file__).parents[1] / "whole" / "written_by_3d656623"
KINAPA = RULES["kinapa"]
MAT = printed_mat("kinapa")
HIDDEN = "back:white"
ROWS = {
    "open:1": ("animal:3", "shelter:12", "animal:9", HIDDEN),
    "open:2": ("shelter:6", HIDDEN),
    "open:3": ("animal:16", "shelter:1", "shelter:8"),
    "open:4": ("shelter:9", "animal:6", "shelter:3", HIDDEN),
}


class Drawn:
    """One mat under the camera."""

    def __init__(self, mat: Layout, textures: Textures) -> None:
        self.mat = mat
        self.renderer = TableRenderer(textures, mat, MIDDLE)
        self.noise = np.random.default_rng(2)

    def picture(self, **places: tuple[str, ...]) -> Any:
        lying = {name.replace("_", ":"): cards for name, cards in places.items()}
        scene = SceneBuilder(self.mat, range(8), random.Random(1)).build_scene(lying, ())
        return self.renderer.render(scene, self.noise)


def drawn(game: str) -> Drawn:
    return Drawn(printed_mat(game), Textures.load(deck_folder(game)))


@pytest.fixture(scope="module")
def new() -> Drawn:
    return drawn("kinapa")


@pytest.fixture(scope="module")
def kabuki() -> Drawn:
    return drawn("kabuki")


def read(image: Any, folder: Path, *, hands: int = 8) -> dict[str, RegionReading]:
    """What the table's eye reads in a game."""
    clock = ManualClock()
    eye = TableReader(clock, folder)
    eye.begin_game("kinapa", hands)
    seen: dict[str, RegionReading] = {}
    for _ in range(8):
        clock.move_to(clock.now() + SECOND // 4)
        for told in eye.step(image, clock.now()):
            assert isinstance(told, TableSeen)
            seen |= {region.name: region for region in told.regions if region.faces}
    return seen


def cards(seen: dict[str, RegionReading]) -> dict[str, tuple[str, ...]]:
    return {name: tuple(face.card for face in region.faces) for name, region in seen.items()}


@pytest.fixture(scope="module")
def rows(new: Drawn, tmp_path_factory: pytest.TempPathFactory) -> dict[str, RegionReading]:
    """All four rows, read from one picture of the new mat."""
    laid = {name.replace(":", "_"): row for name, row in ROWS.items()}
    return read(new.picture(**laid, slot_3=("object:5-6",)), tmp_path_factory.mktemp("table"))


# Open cards ------------------------------------------------------------------------------------------------


def test_open_cards_are_read_from_their_owners_left_with_the_face_down_one_beside(
    rows: dict[str, RegionReading],
) -> None:
    assert cards(rows) == {**ROWS, "slot:3": ("object:5-6",)}


def test_the_rows_lie_at_the_same_places_for_every_number_of_hands() -> None:
    printed = {place for place in MAT.places if place.name in ROWS}
    assert len(printed) == len(ROWS)
    assert all(printed <= set(mat_layout("kinapa", hands).places) for hands in range(4, 9))


@pytest.mark.parametrize(("players", "bot"), KINAPA.table_sizes())
def test_at_every_table_a_row_is_that_of_whoever_was_punished(
    rows: dict[str, RegionReading], players: int, bot: bool
) -> None:
    """The last deck: with BOT decks one of them."""
    setup = Setup(tuple(range(players)), KINAPA.options(), bot)
    state = KINAPA.initial_state(setup)
    last: Seat = KINAPA.hand_count(setup) - 1
    for event in (EmperorCrowned(0), LiarPunished(last, 2, priority=False)):
        state = KINAPA.evolve(state, event)
    for row in (1, 4):
        ruled = KINAPA.decide(state, TableSeen(at=SECOND, regions=(rows[f"open:{row}"],)))
        assert OpenCardsSeen(last, ROWS[f"open:{row}"], row) in ruled
        assert not any(isinstance(event, Infraction) for event in ruled)


# What its marks tell ----------------------------------------------------------------------------------------


def test_a_calibration_of_before_is_read_by(new: Drawn, tmp_path: Path) -> None:
    (tmp_path / CALIBRATION_FILE).write_bytes((OLDER_FILES / CALIBRATION_FILE).read_bytes())
    found = load_calibration(tmp_path)
    assert found is not None
    assert found.kept.edition == MAT.edition
    assert cards(read(new.picture(open_2=ROWS["open:2"]), tmp_path)) == {"open:2": ROWS["open:2"]}


class Unlockable:
    """A camera that has nothing to hold."""

    def lock_exposure(self, hertz: int = 50) -> None:
        """Nothing is found."""


def bench_at(table: Drawn, folder: Path, game: str = "kinapa") -> CalibrationTask:
    bench = CalibrationTask(
        folder, game, do=lambda job: job(Unlockable()), wall_time=lambda: "2026-11-22T20:00:00"
    )
    bench.step(table.picture(), SECOND)
    return bench


def test_a_games_own_mat_needs_no_remark(new: Drawn, kabuki: Drawn, tmp_path: Path) -> None:
    for table, game in ((new, "kinapa"), (kabuki, "kabuki")):
        view = bench_at(table, tmp_path, game).view()
        assert (view.ready, view.mat) == (True, None)


def test_by_another_games_mat_the_table_is_calibrated_all_the_same(
    new: Drawn, kabuki: Drawn, tmp_path: Path
) -> None:
    for table, game in ((new, "kabuki"), (kabuki, "kinapa")):
        view = bench_at(table, tmp_path, game).view()
        assert (view.ready, view.mat and view.mat.key) == (True, "ui.calibrate.mat.other")


def test_another_games_mat_that_lies_there_in_a_game_is_told(
    new: Drawn, kabuki: Drawn, tmp_path: Path
) -> None:
    for table, told in ((kabuki, "shared.camera.other_mat"), (new, None)):
        eye = TableReader(ManualClock(), tmp_path)
        eye.begin_game("kinapa", 8)
        list(eye.step(table.picture(), SECOND))
        assert (eye.trouble and eye.trouble.key) == told


def test_a_mark_that_is_covered_is_named_by_its_corner_on_any_mat(
    new: Drawn, kabuki: Drawn, tmp_path: Path
) -> None:
    for table in (new, kabuki):
        bench, image = bench_at(table, tmp_path), table.picture().copy()
        x, y = table.renderer.calibration.to_pixels([(28.0, 392.0)])[0]
        image[round(float(y)) - 40 :, : round(float(x)) + 40] = 90
        bench.step(image, 2 * SECOND)
        assert bench.view().hint.key == "ui.calibrate.missing.bottom_left"


def test_what_is_kept_remembers_which_mat_it_was(new: Drawn, kabuki: Drawn, tmp_path: Path) -> None:
    for table, edition in ((new, 1), (kabuki, 0)):
        bench, image = bench_at(table, tmp_path), table.picture()
        bench.add_command(CameraCommand("keep"))
        for number in range(PICTURES_UNTIL_LOCKED + 1):
            bench.step(image, (2 + number) * SECOND)
        stored = load_calibration(tmp_path)
        assert stored is not None
        assert stored.kept.edition == edition
