"""Glare, shadow, blur and flicker are measured on made pictures, and told only where they are."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from companion.games import mat_layout
from companion.system.asset_paths import bundled_assets_folder
from companion.vision.lighting import (
    MIN_FLICKER_FRAMES,
    LightingMeasurement,
    measure_blur,
    measure_flicker,
    measure_places,
)
from companion.vision.renderer import (
    EASY,
    HARD,
    MIDDLE,
    Conditions,
    RenderedHand,
    TableRenderer,
    TableScene,
    Textures,
)

Picture = NDArray[np.uint8]
LAYOUT = mat_layout("kinapa", 8)


@pytest.fixture(scope="module")
def textures() -> Textures:
    return Textures.load(bundled_assets_folder() / "decks" / "kinapa")


class Table:
    """A bare mat under some conditions."""

    def __init__(self, textures: Textures, conditions: Conditions) -> None:
        self.chance = np.random.default_rng(1)
        self.renderer = TableRenderer(textures, LAYOUT, conditions)
        quad = self.renderer.calibration.place_corners
        self.spots = [(p.name, quad(spot)) for p in LAYOUT.places for spot in LAYOUT.spots(p.name)]
        self.quads = dict(reversed(self.spots))

    def picture(self, *hands: RenderedHand) -> Picture:
        return self.renderer.render(TableScene(hands=hands), self.chance)

    def bad(self, picture: Picture) -> set[tuple[str, str]]:
        return {(f.fault, f.place) for f in measure_places(picture, self.spots) if f.exceeds_limit}

    def blur(self, picture: Picture) -> LightingMeasurement | None:
        homography = self.renderer.calibration.homography
        scale = float(np.sqrt(abs(np.linalg.det(homography[:2, :2]))))
        marks = [self.renderer.calibration.to_pixels(mark) for mark in LAYOUT.marks_mm.values()]
        return measure_blur(picture, marks, scale)


def spot(picture: Picture, centre: NDArray[np.float32], strength: float) -> Picture:
    """A lamp's reflection."""
    down, across = np.mgrid[0 : picture.shape[0], 0 : picture.shape[1]].astype(np.float32)
    light = 255 * strength * np.exp(-((across - centre[0]) ** 2 + (down - centre[1]) ** 2) / (2 * 60.0**2))
    return np.asarray(cv2.add(picture, cv2.merge([np.clip(light, 0, 255).astype(np.uint8)] * 3)), np.uint8)


def bands(picture: Picture, number: int, depth: float) -> Picture:
    """What a lamp at 50 Hz does to a sensor that reads its rows one after another, 30 pictures a second."""
    rows = np.arange(picture.shape[0]) / picture.shape[0]
    light = 1 - depth * (0.5 + 0.5 * np.sin(2 * np.pi * 100 * (number + rows) / 30))
    return np.asarray(picture * light[:, None, None], np.uint8)


def test_a_place_that_is_white_all_over_is_not_told_as_too_dark(textures: Textures) -> None:
    table = Table(textures, EASY)
    picture = table.picture()
    cv2.fillConvexPoly(picture, np.rint(table.quads["open:3"]).astype(np.int32), (255, 255, 255))
    assert table.bad(picture) == {("glare", "open:3")}


def test_where_a_lamp_shines_on_one_row_in_hard_light_that_row_alone_is_told(textures: Textures) -> None:
    table = Table(textures, HARD)
    assert table.bad(table.picture()) == {("glare", "open:2")}
    blur = table.blur(table.picture())
    assert blur is not None
    assert not blur.exceeds_limit


@pytest.mark.parametrize("conditions", [EASY, MIDDLE])
def test_a_table_on_which_everything_is_read_is_told_nothing(
    textures: Textures, conditions: Conditions
) -> None:
    table = Table(textures, conditions)
    assert table.bad(table.picture()) == set()
    blur = table.blur(table.picture())
    assert blur is not None
    assert not blur.exceeds_limit


@pytest.mark.parametrize("place", ["slot:8", "slot:4", "slot:10", "audit"])
def test_glare_is_told_with_its_place(textures: Textures, place: str) -> None:
    table = Table(textures, MIDDLE)
    picture = spot(table.picture(), table.quads[place].mean(axis=0), 0.45)
    assert ("glare", place) in table.bad(picture)
    assert {fault for fault, _ in table.bad(picture)} == {"glare"}


def test_glare_on_a_grey_table_is_seen_by_its_whiteness(textures: Textures) -> None:
    table = Table(textures, EASY)
    grey = np.full((720, 1280, 3), 110, np.uint8)
    assert table.bad(grey) == set()
    assert table.bad(spot(grey, table.quads["slot:8"].mean(axis=0), 0.75)) == {("glare", "slot:8")}


def test_a_shadow_is_told_with_its_place(textures: Textures) -> None:
    table = Table(textures, MIDDLE)
    picture = table.picture()
    light = np.ones((720, 1280, 1), np.float32)
    low, high = table.quads["slot:2"].min(axis=0).astype(int), table.quads["slot:2"].max(axis=0).astype(int)
    light[low[1] : high[1], low[0] : high[0]] = 0.3
    assert table.bad(np.asarray(picture * light, np.uint8)) == {("shadow", "slot:2")}


def test_blur_is_measured_in_millimetres_and_grows_with_the_lens_out_of_focus(textures: Textures) -> None:
    measured = []
    for blur in (0.4, 1.3, 2.3, 3.0):
        table = Table(textures, replace(MIDDLE, blur=blur))
        found = table.blur(table.picture())
        assert found is not None
        measured.append((found.value, found.exceeds_limit))
    assert [value for value, _ in measured] == sorted(value for value, _ in measured)
    assert [bad for _, bad in measured] == [False, False, True, True]


def test_a_table_without_an_edge_says_nothing_about_blur() -> None:
    quad = np.array([(100, 100), (200, 100), (200, 200), (100, 200)], np.float32)
    assert measure_blur(np.full((300, 300, 3), 90, np.uint8), [quad], 1.0) is None


@pytest.mark.parametrize(("depth", "bad"), [(0.0, False), (0.02, False), (0.15, True), (0.5, True)])
def test_bands_of_light_that_wander_are_mains_flicker(textures: Textures, depth: float, bad: bool) -> None:
    table = Table(textures, MIDDLE)
    found = measure_flicker([bands(table.picture(), n, depth) for n in range(MIN_FLICKER_FRAMES)])
    assert found is not None
    assert found.exceeds_limit is bad


def test_a_hand_that_moves_over_the_table_is_no_flicker(textures: Textures) -> None:
    table = Table(textures, MIDDLE)
    frames = [table.picture(RenderedHand((200.0 + 40 * n, 250.0), 0.0)) for n in range(MIN_FLICKER_FRAMES)]
    found = measure_flicker(frames)
    assert found is not None
    assert not found.exceeds_limit


def test_too_few_pictures_say_nothing_about_flicker() -> None:
    assert measure_flicker([np.zeros((20, 20, 3), np.uint8)] * (MIN_FLICKER_FRAMES - 1)) is None
