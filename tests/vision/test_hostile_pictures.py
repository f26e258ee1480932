"""Whatever is handed in as a picture or a place is answered, or refused in a sentence, and nothing else.

Each call is made from a number, so that a failure is made again by it. Of each kind 200 pictures or places
are looked at, small ones against few faces; `make fuzz` makes 10,000 cases of each kind, more than 100,000
calls in all.
Warnings of numpy (a division by zero, a cast of what is no number) are failures too.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from companion.camera.calibration_task import CalibrationTask
from companion.camera.enrolment_task import EnrolmentTask
from companion.camera.picture_tasks import WatchTask
from companion.core.camera_tasks import CameraCommand
from companion.core.errors import CompanionError
from companion.core.observations import UNKNOWN
from companion.games import games_with_mat, printed_mat
from companion.vision import calibration as table
from companion.vision.card_capture import CardCapture, FaceIndex, face_difference
from companion.vision.decks import build_deck
from companion.vision.drawing import draw_sightings
from companion.vision.layout import MAT_MM, Calibration
from companion.vision.lighting import measure_blur, measure_flicker, measure_places
from companion.vision.outline_reading import Sighting
from companion.vision.pictures import decode_picture
from companion.vision.recogniser import Recogniser
from companion.vision.table_watcher import TableWatcher
from companion.vision.tracker import ChangeTracker
from tests.vision import hostile


def pictures(each: int = 1) -> settings:
    """So many cases that 100 pictures are looked at, `each` of them in one; `make fuzz` makes all cases."""
    few = 100 // each
    return settings(
        max_examples=int(os.environ["FUZZ_EXAMPLES"]) // 2 if hostile.THOROUGH else few,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
    )


numbers = st.integers(0, 2**63 - 1).map(np.random.default_rng)
Rng = np.random.Generator


@cache
def decks() -> tuple[tuple[dict[str, Any], Recogniser], ...]:
    """Faces and their reader: mostly paper, full of detail."""
    return tuple(
        (faces, Recogniser(build_deck(faces.items())))
        for faces in (hostile.plain_faces(), hostile.detailed_faces())
    )


def drawn_deck(rng: Rng) -> tuple[dict[str, Any], Recogniser]:
    return decks()[int(rng.integers(2))]


def answered(call: Callable[[], Any]) -> Any:
    """What a call answers; None if it is refused, in one sentence of one line."""
    try:
        return call()
    except CompanionError as refused:
        sentence = str(refused)
        assert len(sentence) > 20
        assert "\n" not in sentence
        return None


def assert_sightings(seen: list[Sighting] | None, cards: tuple[str, ...]) -> None:
    for one in seen or ():
        assert one.card in {*cards, UNKNOWN, ""}
        assert one.corners.shape == (4, 2)
        assert np.isfinite(one.corners).all()
        assert 0 <= one.confidence <= 1


def size_of(picture: np.ndarray) -> tuple[int, int]:
    return (picture.shape[1], picture.shape[0]) if picture.ndim > 1 else (100, 100)


@pictures()
@given(rng=numbers)
def test_any_picture_is_searched_for_cards_and_drawn_or_refused(rng: Rng) -> None:
    faces, recogniser = drawn_deck(rng)
    picture = hostile.picture(rng, faces)
    seen = answered(lambda: recogniser.recognise(picture))
    assert_sightings(seen, tuple(faces))
    made = answered(lambda: draw_sightings(picture, seen or []))
    assert (made is None) == (seen is None)


@pictures(each=3)
@given(rng=numbers)
def test_any_place_of_any_picture_is_read_or_refused(rng: Rng) -> None:
    faces, recogniser = drawn_deck(rng)
    picture = hostile.picture(rng, faces)
    for _ in range(3):
        place = hostile.place(rng, size_of(picture))
        found = answered(lambda place=place: recogniser.read_place(picture, place))
        assert_sightings(None if found is None else [found], tuple(faces))


@pictures(each=3)
@given(rng=numbers)
def test_any_row_of_pictures_is_tracked_shown_and_enrolled_or_refused(rng: Rng) -> None:
    faces, recogniser = drawn_deck(rng)
    tracker, easel = ChangeTracker(recogniser), CardCapture()
    album = FaceIndex(list(faces.items())[:3])
    picture = hostile.picture(rng, faces)
    for _ in range(int(rng.integers(1, 6))):
        if rng.random() < 0.5:
            picture = hostile.picture(rng, faces, strange=0.1)
        assert_sightings(answered(partial(tracker.step, picture)), tuple(faces))
        shown = answered(partial(easel.step, picture))
        if shown is not None:
            album.has_wrong_shape(shown)
            album.identify(shown)


@pictures(each=3)
@given(rng=numbers)
def test_a_deck_of_any_pictures_is_made_and_reads_or_is_refused(rng: Rng) -> None:
    faces, _ = drawn_deck(rng)
    count = int(rng.integers(0, 5))
    own = [(f"card {rng.integers(3)}", hostile.picture(rng, faces, strange=0.05)) for _ in range(count)]
    deck = answered(lambda: build_deck(own))
    if deck is None:
        return
    assert all(apart <= 2 for _, _, apart in deck.find_look_alikes())
    deck.find_swapped_pictures()
    assert 0 <= face_difference(own[0][1], own[-1][1]) <= 2
    picture = hostile.picture(rng, dict(own))
    assert_sightings(answered(lambda: Recogniser(deck).recognise(picture)), deck.cards)


def any_calibration(rng: Rng, size: tuple[int, int]) -> Calibration:
    """Somewhere in the picture, beside it, behind the camera, or a line."""
    scale = np.diag([*(np.array(size) / MAT_MM), 1.0])
    homography = scale @ (np.eye(3) + rng.normal(0, 10.0 ** rng.integers(-4, 1), (3, 3)) / [1, 1, 500])
    if rng.random() < 0.1:
        homography[:2] *= 10.0 ** rng.integers(-6, 9)
    homography[2] *= rng.choice([1, 1, 1, -1, 0.01])
    return Calibration.from_numbers(homography, size)


@pictures(each=5)
@given(rng=numbers)
def test_a_table_found_anyhow_in_any_picture_is_watched_or_refused(rng: Rng) -> None:
    faces, recogniser = drawn_deck(rng)
    picture = hostile.picture(rng, faces, strange=0.05)
    layout = printed_mat(str(rng.choice(games_with_mat())))
    found = answered(lambda: any_calibration(rng, size_of(picture)))
    if found is None:
        return
    spots = [(p.name, found.place_corners(spot)) for p in layout.places for spot in layout.spots(p.name)]
    answered(lambda: measure_places(picture, spots))
    answered(lambda: measure_blur(picture, [quad for _, quad in spots], table.pixels_per_mm(found)))
    answered(lambda: measure_flicker([picture] * 6))
    watcher = TableWatcher(recogniser, layout, found)
    only = frozenset(str(rng.choice([p.name for p in layout.places])) for _ in range(2))
    for at in range(5):
        answered(partial(watcher.step, picture, at * 1_000_000, only))
        if rng.random() < 0.1:
            picture = hostile.picture(rng, faces, strange=0.05)


def with_marks(rng: Rng, picture: Any, layout: Any) -> None:
    """Lay some of the mat's marks anywhere into a picture."""
    dictionary = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_50)
    for mark in layout.marks_mm:
        side = int(rng.integers(20, 60))
        drawing = cv2.copyMakeBorder(
            cv2.aruco.generateImageMarker(dictionary, mark, side), *(6,) * 4, cv2.BORDER_CONSTANT, value=255
        )
        high, wide = drawing.shape
        if picture.shape[0] > high and picture.shape[1] > wide and rng.random() < 0.9:
            y, x = rng.integers(picture.shape[0] - high), rng.integers(picture.shape[1] - wide)
            picture[y : y + high, x : x + wide] = drawing[..., None]


@pictures()
@given(rng=numbers)
def test_a_table_is_looked_for_in_any_picture_and_found_again_or_refused(rng: Rng) -> None:
    faces, _ = drawn_deck(rng)
    layout = printed_mat(str(rng.choice(games_with_mat())))
    picture = hostile.picture(rng, faces, strange=0.1)
    if picture.ndim == 3 and picture.flags.writeable and picture.dtype == np.uint8:
        with_marks(rng, picture, layout)
    answered(lambda: Calibration.from_marks(picture, layout))
    method = table.CALIBRATION_METHODS[int(rng.integers(3))]
    corners = answered(lambda: table.guess_corners(method, picture))
    if corners is None or rng.random() < 0.5:
        corners = hostile.place(rng, size_of(picture))
    found = answered(lambda: table.calibrate_by_corners(method, corners, size_of(picture)))
    kept = found and answered(lambda: table.make_saved_calibration(method, picture, found))
    if kept:
        later = picture if rng.random() < 0.5 else hostile.picture(rng, faces, strange=0.1)
        assert table.has_enough_texture(kept.glimpse) in {True, False}
        answered(lambda: table.check_calibration(later, kept, layout))


WORKS = (
    *map(CameraCommand, ("keep", "game", "aim", "next", "fine", "turn", "retake")),
    *map(CameraCommand, ("bare", "later", "anew", "afresh")),
    CameraCommand("mine", ("mine",)),
    *(CameraCommand("method", (method,)) for method in (*table.CALIBRATION_METHODS, "none")),
    *(CameraCommand("point", at) for at in ((0.5, 0.5), (0.0, 1.0), (-3.0, 9.0), (float("nan"), 0.5))),
    *(CameraCommand("move", at) for at in ((1, 0), (0, -1))),
    CameraCommand("again", ("object:5-6",)), CameraCommand("again", ("x",)),
)  # fmt: skip


@cache
def bench_folder(base: Path) -> Path:
    """A table's folder with a deck of its own, which is opened quickly."""
    folder = base / "bench"
    (folder / "decks").mkdir(parents=True)
    build_deck(hostile.plain_faces().items()).save(folder / "decks" / "kabuki.deck")
    return folder


@pytest.mark.slow
@pictures(each=6)
@given(rng=numbers)
def test_calibrating_enrolling_and_watching_answer_any_touch_on_any_picture(
    rng: Rng, tmp_path_factory: pytest.TempPathFactory
) -> None:
    faces, _ = drawn_deck(rng)
    folder = bench_folder(tmp_path_factory.getbasetemp())
    kind = int(rng.integers(12))
    bench: Any
    if kind == 0:
        bench = WatchTask(folder, "kabuki")
    elif kind == 1:
        bench = EnrolmentTask(folder, "kabuki")
    else:
        bench = CalibrationTask(folder, "kinapa", do=lambda _: None, wall_time=lambda: "2026-01-01")
    picture = hostile.picture(rng, faces, strange=0.0)
    for at in range(6):
        for _ in range(int(rng.integers(0, 3))):
            bench.add_command(WORKS[int(rng.integers(len(WORKS)))])
        answered(partial(bench.step, picture, at * 700_000))
        assert bench.view() is not None
        if rng.random() < 0.2:
            picture = hostile.picture(rng, faces, strange=0.1)


@cache
def files() -> tuple[bytes, ...]:
    """The same picture in the usual formats."""
    picture = hostile.detailed_faces()["d0"]
    return tuple(
        cv2.imencode(ending, picture)[1].tobytes() for ending in (".jpg", ".png", ".bmp", ".webp", ".tiff")
    )


@pictures()
@given(rng=numbers)
def test_any_bytes_are_a_picture_or_none(rng: Rng) -> None:
    data = bytearray(files()[int(rng.integers(len(files())))])
    for _ in range(int(rng.integers(0, 9))):
        data[int(len(data) * rng.random() ** rng.integers(1, 5))] = int(rng.integers(256))
    cut = len(data) if rng.random() < 0.6 else int(rng.integers(len(data)))
    picture = decode_picture(bytes(data[:cut]))
    assert picture is None or (picture.ndim == 3 and picture.size and picture.dtype == np.uint8)


def test_a_picture_that_is_none_is_told_what_a_picture_is() -> None:
    _, recogniser = decks()[0]
    for none in (np.zeros((4, 4), np.uint8), np.zeros((4, 4, 4), np.uint8), np.zeros((0, 4, 3), np.uint8)):
        with pytest.raises(CompanionError, match=r"a picture is \(height, width, 3\)"):
            recogniser.recognise(none)
    with pytest.raises(CompanionError, match="four corners"):
        recogniser.read_place(np.zeros((40, 40, 3), np.uint8), np.full((4, 2), np.nan))
