"""The table found by marks, four corners and a sheet of paper, kept, and missed when the camera moved."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import cv2
import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from companion.core.errors import InputError
from companion.games import mat_layout
from companion.system.asset_paths import bundled_assets_folder
from companion.vision import calibration as cal
from companion.vision.calibration import (
    SavedCalibration,
    calibrate_by_corners,
    calibrate_by_marks,
    check_calibration,
    find_marks,
    guess_corners,
    make_saved_calibration,
)
from companion.vision.layout import MAT_MM, Calibration, fit_homography
from companion.vision.renderer import EASY, HARD, MIDDLE, RenderedHand, TableRenderer, TableScene, Textures
from tests.thorough import examples

Picture = NDArray[np.uint8]
LAYOUT = mat_layout("kinapa", 4)
SIZE = (1280, 720)
CORNERS = ((0.0, 0.0), (MAT_MM[0], 0.0), MAT_MM, (0.0, MAT_MM[1]))


@pytest.fixture(scope="module")
def textures() -> Textures:
    return Textures.load(bundled_assets_folder() / "decks" / "kinapa")


@pytest.fixture(scope="module")
def renderer(textures: Textures) -> TableRenderer:
    return TableRenderer(textures, LAYOUT, MIDDLE)


def picture(
    renderer: TableRenderer, *cards: str, hands: tuple[RenderedHand, ...] = (), seed: int = 1
) -> Picture:
    places = [LAYOUT.object_card_place(f"slot:{n}") for n in range(1, 9)]
    laid = tuple((card, place.centre_mm, 3.0) for card, place in zip(cards, places, strict=False))
    return renderer.render(TableScene(laid, hands), np.random.default_rng(seed))


def shifted(image: Picture, x: float, y: float, turn: float = 0.0) -> Picture:
    """The same table after somebody knocked against the camera."""
    move = np.array(cv2.getRotationMatrix2D((640, 360), turn, 1.0))
    move[:, 2] += x, y
    return np.asarray(cv2.warpAffine(image, move, SIZE, borderMode=cv2.BORDER_REPLICATE), np.uint8)


def off(one: Calibration, other: Calibration) -> float:
    """By how many pixels two calibrations differ at most, over the mat."""
    spots = [(x, y) for x in (0.0, 297.0, 594.0) for y in (0.0, 210.0, 420.0)]
    return float(np.linalg.norm(one.to_pixels(spots) - other.to_pixels(spots), axis=1).max())


# By marks ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("conditions", [EASY, MIDDLE, HARD])
def test_the_marks_say_where_the_mat_lies(textures: Textures, conditions: object) -> None:
    renderer = TableRenderer(textures, LAYOUT, conditions)  # type: ignore[arg-type]
    found = calibrate_by_marks(find_marks(picture(renderer)), LAYOUT, SIZE)
    assert off(found, renderer.calibration) < 1.5


def test_three_marks_are_enough_and_two_are_not(renderer: TableRenderer) -> None:
    found = find_marks(picture(renderer))
    del found[6]
    assert off(calibrate_by_marks(found, LAYOUT, SIZE), renderer.calibration) < 3.0
    del found[4]
    with pytest.raises(ValueError, match="too few"):
        calibrate_by_marks(found, LAYOUT, SIZE)


def test_pages_of_a_mat_that_changed_places_are_no_mat(renderer: TableRenderer) -> None:
    bare = picture(renderer)
    found = find_marks(bare)
    exchanged = {**found, 4: found[5], 5: found[4]}
    with pytest.raises(InputError, match="lay its pages in their order"):
        calibrate_by_marks(exchanged, LAYOUT, SIZE)


@pytest.mark.parametrize("bent", [0.0, -0.1, -0.3])
def test_a_lens_that_bends_is_no_page_out_of_its_place(bent: float) -> None:
    """Barrel distortion, as a share of the radius at the mat's corners."""
    middle, reach = np.array(MAT_MM) / 2, np.linalg.norm(MAT_MM) / 2
    table = np.concatenate(list(LAYOUT.marks_mm.values()))
    out = (table - middle) / reach
    seen = out * (1 + bent * (out**2).sum(axis=1, keepdims=True)) * 600 + (640, 360)
    assert fit_homography(table, seen) is not None


def test_neighbouring_pages_that_changed_places_are_no_mat() -> None:
    beside = {
        mark: corners + np.array((198, 0)) if mark == 4 else corners
        for mark, corners in LAYOUT.marks_mm.items()
    }
    with pytest.raises(InputError, match="lay its pages in their order"):
        calibrate_by_marks({m: np.float32(1.6 * corners) for m, corners in beside.items()}, LAYOUT, SIZE)


def test_a_still_camera_is_the_same_with_cards_and_a_hand_over_a_mark(renderer: TableRenderer) -> None:
    bare = picture(renderer)
    known = make_saved_calibration("marks", bare, calibrate_by_marks(find_marks(bare), LAYOUT, SIZE))
    hand = RenderedHand((30.0, 30.0), 0.0)
    verdict = check_calibration(
        picture(renderer, "object:1-2", "object:5-6", hands=(hand,), seed=9), known, LAYOUT
    )
    assert verdict.state == "same"
    assert verdict.calibration is not None
    assert verdict.shift_mm < 1.0


@pytest.mark.parametrize(("x", "y", "turn"), [(12, 0, 0), (0, -9, 0), (0, 0, 1.5), (30, 20, -4)])
def test_a_camera_that_moved_finds_the_mat_again_by_its_marks(
    renderer: TableRenderer, x: float, y: float, turn: float
) -> None:
    bare = picture(renderer)
    known = make_saved_calibration("marks", bare, calibrate_by_marks(find_marks(bare), LAYOUT, SIZE))
    moved = shifted(picture(renderer, seed=2), x, y, turn)
    verdict = check_calibration(moved, known, LAYOUT)
    assert verdict.state == "found"
    assert verdict.shift_mm > cal.MOVED_MM
    assert verdict.calibration is not None
    assert off(verdict.calibration, calibrate_by_marks(find_marks(moved), LAYOUT, SIZE)) < 0.01


def test_a_camera_that_moved_so_far_that_marks_are_missing_is_moved_or_unseen(
    renderer: TableRenderer,
) -> None:
    bare = picture(renderer)
    known = make_saved_calibration("marks", bare, calibrate_by_marks(find_marks(bare), LAYOUT, SIZE))
    for x, state in ((200.0, "moved"), (2000.0, "unseen")):
        verdict = check_calibration(shifted(picture(renderer, seed=2), x, 0.0), known, LAYOUT)
        assert (verdict.state, verdict.calibration) == (state, None)


def test_a_picture_of_another_size_has_no_calibration(renderer: TableRenderer) -> None:
    bare = picture(renderer)
    known = make_saved_calibration("marks", bare, calibrate_by_marks(find_marks(bare), LAYOUT, SIZE))
    small = np.asarray(cv2.resize(bare, (640, 360)), np.uint8)
    assert check_calibration(small, known, LAYOUT).state == "size"


# By hand ----------------------------------------------------------------------------------------------------


def test_the_mats_corners_told_by_hand_say_where_it_lies(renderer: TableRenderer) -> None:
    points = [(float(x), float(y)) for x, y in renderer.calibration.to_pixels(CORNERS)]
    assert off(calibrate_by_corners("corners", points, SIZE), renderer.calibration) < 0.1


def test_corners_that_cross_or_coincide_are_refused() -> None:
    for points in ([(0, 0), (9, 9), (9, 0), (0, 9)], [(5, 5)] * 4, [(0, 0), (900, 0), (100, 20), (0, 900)]):
        with pytest.raises(ValueError, match="convex"):
            calibrate_by_corners("corners", [(float(x), float(y)) for x, y in points], SIZE)


@cache
def wooden(seed: int = 1) -> Picture:
    """A bare table: its grain, no mat. It is one picture for all; who changes it takes a copy."""
    chance = np.random.default_rng(7)
    grain = cv2.GaussianBlur(chance.normal(0, 60, (720, 1280)).astype(np.float32), (0, 0), 9, sigmaY=1.5)
    noise = np.random.default_rng(seed).normal(0, 3, (720, 1280))
    table = np.array([60, 95, 130]) + (3 * grain + noise)[..., None]
    return np.clip(table, 0, 255).astype(np.uint8)


def with_sheet(table: Picture, calibration: Calibration) -> Picture:
    middle = np.array((MAT_MM[0] / 2, MAT_MM[1] / 2))
    half = np.array(cal.SHEET_MM) / 2
    corners = [middle + half * sign for sign in ((-1, -1), (1, -1), (1, 1), (-1, 1))]
    laid = table.copy()
    cv2.fillConvexPoly(
        laid,
        np.round(calibration.to_pixels(np.array(corners)) * 16).astype(np.int32),
        (235, 240, 240),
        cv2.LINE_AA,
        4,
    )
    return np.asarray(cv2.GaussianBlur(laid, (0, 0), 0.8), np.uint8)


@pytest.mark.slow
@settings(max_examples=examples(100))
@given(tilt=st.floats(0, 20), roll=st.floats(-12, 12))
def test_a_sheet_of_paper_on_a_bare_table_says_where_everything_lies(tilt: float, roll: float) -> None:
    true = Calibration(
        cal_overhead(tilt, roll),
        SIZE,
    )
    points = guess_corners("sheet", with_sheet(wooden(), true))
    assert off(calibrate_by_corners("sheet", points, SIZE), true) < 6.0


def cal_overhead(tilt: float, roll: float) -> NDArray[np.float64]:
    from companion.vision.camera_model import overhead_homography

    return overhead_homography(SIZE, MAT_MM, replace(EASY, tilt=tilt, roll=roll))


def test_without_a_sheet_four_corners_are_offered_all_the_same() -> None:
    for method in ("corners", "sheet"):
        points = guess_corners(method, np.full((720, 1280, 3), 90, np.uint8))  # type: ignore[arg-type]
        calibrate_by_corners(method, points, SIZE)  # type: ignore[arg-type]


def test_a_bare_table_with_grain_is_the_same_until_the_camera_moves(textures: Textures) -> None:
    true = Calibration(cal_overhead(8, 2), SIZE)
    points = guess_corners("sheet", with_sheet(wooden(), true))
    known = make_saved_calibration("sheet", wooden(), calibrate_by_corners("sheet", points, SIZE))
    later = wooden(5).copy()
    cards = list(textures.cards.values())[:10]
    for place, card in enumerate(cards):  # cards lie on it by now
        later[60 + 300 * (place % 2) :, 80 + 110 * place :][:100, :65] = cv2.resize(card, (65, 100))
    assert check_calibration(later, known, LAYOUT).state == "same"
    for x, y, turn in ((9, 0, 0), (0, 30, 0), (0, 0, 2)):
        assert check_calibration(shifted(later, x, y, turn), known, LAYOUT).state == "moved"


def test_a_table_without_features_is_never_said_to_have_moved() -> None:
    plain = np.full((720, 1280, 3), 90, np.uint8)
    known = make_saved_calibration("sheet", plain, Calibration(cal_overhead(0, 0), SIZE))
    assert not cal.has_enough_texture(known.glimpse)
    assert check_calibration(plain, known, LAYOUT).state == "same"


# Kept -------------------------------------------------------------------------------------------------------


def test_what_is_kept_comes_back_from_json_and_reads_the_same(renderer: TableRenderer) -> None:
    bare = picture(renderer)
    zones = {"kinapa": (("slot:1", 100.0, 60.0, 90.0),)}
    known = make_saved_calibration("corners", bare, renderer.calibration, zones)
    again = msgspec.json.decode(msgspec.json.encode(known), type=SavedCalibration)
    assert again == known
    assert off(again.to_calibration(), renderer.calibration) < 1e-6
    moved = again.adjust_layout("kinapa", LAYOUT)
    assert (moved.place("slot:1").centre_mm, moved.place("slot:1").angle) == ((100.0, 60.0), 90.0)
    assert moved.place("slot:2") == LAYOUT.place("slot:2")
    assert again.adjust_layout("kabuki", mat_layout("kabuki", 4)) == mat_layout("kabuki", 4)


def test_numbers_that_are_no_calibration_are_refused() -> None:
    broken = SavedCalibration("marks", SIZE, (0.0,) * 9)
    with pytest.raises(ValueError, match="calibrat"):
        broken.to_calibration()
