"""The mat: what lies where, and how a picture is matched to it."""

from __future__ import annotations

from itertools import combinations

import cv2
import numpy as np
import pytest
from numpy.typing import ArrayLike

from companion.games import mat_layout
from companion.vision.layout import CARD_MM, MAT_MM, Calibration, MarksNotFoundError, Place

FULL = mat_layout("kinapa", 8)


def box(place: Place) -> tuple[float, float, float, float]:
    corners = place.corners_mm()
    return (*corners.min(axis=0), *corners.max(axis=0))


def apart(one: tuple[float, ...], other: tuple[float, ...]) -> bool:
    return one[2] <= other[0] or other[2] <= one[0] or one[3] <= other[1] or other[3] <= one[1]


@pytest.mark.parametrize("players", range(4, 9))
def test_every_player_adds_two_slots_and_none_ever_moves(players: int) -> None:
    layout = mat_layout("kinapa", players)
    assert [slot.name for slot in layout.slots(2 * players)] == [
        f"slot:{n}" for n in range(1, 2 * players + 1)
    ]
    assert layout.slots(2 * players) == FULL.slots(2 * players)
    with pytest.raises(KeyError):
        layout.place(f"slot:{2 * players + 1}")


def test_no_place_covers_another_or_a_mark_or_leaves_the_mat() -> None:
    marks = [(*corners.min(axis=0), *corners.max(axis=0)) for corners in FULL.marks_mm.values()]
    boxes = [box(place) for place in (*FULL.places, *FULL.banks)]
    assert all(apart(one, other) for one, other in combinations([*boxes, *marks], 2) if one not in boxes[-3:])
    assert all(0 <= x1 < x2 <= MAT_MM[0] and 0 <= y1 < y2 <= MAT_MM[1] for x1, y1, x2, y2 in [*boxes, *marks])


@pytest.mark.parametrize("slot", FULL.slots(16))
def test_object_and_pair_fit_their_slot_and_the_objects_label_stays_in_sight(slot: Place) -> None:
    left, top, right, bottom = box(slot)
    cards = [box(place) for place in (FULL.object_card_place(slot.name), *FULL.pair_places(slot.name))]
    assert all(left <= x1 and x2 <= right and top <= y1 and y2 <= bottom for x1, y1, x2, y2 in cards)
    lying, animal, shelter = cards
    assert apart(animal, shelter)
    assert min(animal[1], shelter[1]) - lying[1] >= 12


def test_a_shown_hand_of_four_fits_the_middle() -> None:
    places = FULL.hand_places()
    assert len(places) == 4
    assert all(apart(box(one), box(other)) for one, other in combinations(places, 2))
    assert all(not apart(box(place), box(FULL.place("audit"))) for place in places)


@pytest.mark.parametrize(("game", "players"), [("kinapa", 3), ("kinapa", 9), ("whist", 4)])
def test_a_mat_that_does_not_exist_is_refused(game: str, players: int) -> None:
    with pytest.raises(ValueError, match="kinapa"):
        mat_layout(game, players)


TILTED = Calibration(np.array([[1.6, 0.1, 40.0], [-0.05, 1.5, 30.0], [1e-5, 2e-4, 1.0]]), (1280, 720))


@pytest.mark.parametrize("angle", [0.0, 72.0, 90.0, 180.0, 270.0])
@pytest.mark.parametrize("lies", [0.0, 30.0, 180.0, 315.0])
def test_turn_is_measured_from_the_owners_upright(angle: float, lies: float) -> None:
    seat = Place("seat", (300.0, 200.0), (90.0, 70.0), angle)
    card = Place("card", (300.0, 200.0), CARD_MM, angle + lies)
    turned = TILTED.card_rotation(TILTED.place_corners(card), seat)
    assert abs((turned - lies + 180) % 360 - 180) < 0.1


def test_a_quad_goes_clockwise_from_the_owners_top_left() -> None:
    flat = Calibration(np.eye(3), (600, 420))
    turned = Place("seat", (100.0, 100.0), (40.0, 20.0), 90.0)
    assert flat.place_corners(turned).round().tolist() == [[110, 80], [110, 120], [90, 120], [90, 80]]


def test_pixels_and_millimetres_are_inverse() -> None:
    points = [(0.0, 0.0), (594.0, 0.0), (297.0, 210.0)]
    assert TILTED.to_millimetres(TILTED.to_pixels(points)) == pytest.approx(np.array(points), abs=1e-3)


@pytest.mark.parametrize(
    ("homography", "size"),
    [
        ([], [1280, 720]),
        ([[1, 0], [0, 1]], [1280, 720]),
        ([[0, 0, 0], [0, 0, 0], [0, 0, 1]], [1280, 720]),
        ([[1, 0, 0], [0, 1, 0], [0, 0, float("nan")]], [1280, 720]),
        (np.eye(3), [1280]),
    ],
)
def test_what_is_no_calibration_is_refused(homography: ArrayLike, size: list[int]) -> None:
    with pytest.raises(ValueError, match="calibrat"):
        Calibration.from_numbers(homography, size)


def test_missing_marks_are_named() -> None:
    frame = np.full((720, 1280, 3), 200, dtype=np.uint8)
    dictionary = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_50)
    for mark, x in ((0, 100), (2, 600)):
        frame[300:400, x : x + 100] = np.asarray(cv2.aruco.generateImageMarker(dictionary, mark, 100))[
            :, :, None
        ]
    with pytest.raises(MarksNotFoundError, match=r"top right \(mark 1\), bottom left \(mark 3\)") as caught:
        Calibration.from_marks(frame, mat_layout("kabuki", 4))
    assert caught.value.missing == (1, 3)
