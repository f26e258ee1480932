"""Describes the table mat's places in millimetres with the homography into the camera's picture.

The mat's frame: millimetres, x to the right and y down from the mat's top-left corner. Angles are degrees
clockwise, as seen in that frame. Pixels: x to the right and y down, (0, 0) is the centre of the first.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Self

import cv2
import numpy as np
from numpy.typing import ArrayLike, NDArray

from companion.core.errors import CompanionError, InputError
from companion.vision.outlines import MAX_COORDINATE
from companion.vision.pictures import check_picture

Millimetres = tuple[float, float]

CARD_MM: Millimetres = (44.0, 68.0)
"""A Mini-Euro card, width and height."""
MAT_MM: Millimetres = (594.0, 420.0)
"""A2, landscape."""
MARK_MM = 40.0
MARK_INSET_MM = 8.0
MARK_DICTIONARY = cv2.aruco.DICT_4X4_50
MARK_CORNERS = ("top left", "top right", "bottom right", "bottom left")

SINGULAR = 1e-12
"""A homography with a smaller determinant cannot be inverted."""
MAX_MISFIT_MM = 30.0
"""What lies further from where it belongs is out of its place.

A strong fish-eye (30 % at the picture's corners) bends marks by 24 mm; two neighbouring pages of a mat that
changed places leave 34 mm.
"""
HORIZON = 1e-9
"""Depth, the table's middle being at about 1, at which a point counts as on the horizon."""

# A slot: the object card at its top, and a pair laid side by side over it, low enough that the object's
# label still shows above.
SLOT_MM: Millimetres = (94.0, 82.0)
OBJECT_OFFSET_MM: Millimetres = (0.0, -7.0)
PAIR_OFFSETS_MM: tuple[Millimetres, Millimetres] = ((-22.5, 7.0), (22.5, 7.0))

STACK_MM: Millimetres = (72.0, 92.0)
"""A stack of cards, laid one over the other and never exactly."""
GRID_MM: Millimetres = (50.0, 74.0)
"""From card to card where several are side by side."""


class MarksNotFoundError(CompanionError, ValueError):
    """Some of the mat's corner marks are not in the picture."""

    on_screen = "marks"

    def __init__(self, missing: Sequence[int]) -> None:
        self.missing = tuple(missing)
        names = ", ".join(f"{MARK_CORNERS[mark_corner(mark)]} (mark {mark})" for mark in self.missing)
        super().__init__(
            f"the mat's corner marks are not all in view; missing: {names}. "
            "Uncover them, move the camera until it sees the whole mat, or add light."
        )


@dataclass(frozen=True, slots=True)
class Place:
    """A named region of the table."""

    name: str
    centre_mm: Millimetres
    size_mm: Millimetres
    """Width and height, before turning by `angle`."""
    angle: float = 0.0
    """Degrees clockwise by which its owner's upright is turned, as seen in the mat's frame."""
    grid: tuple[int, int] = (1, 1)
    """Columns and rows of cards, for a place where several are side by side."""
    step_mm: Millimetres = GRID_MM
    """From card to card of the grid."""
    takes_pair: bool = False
    """Whether it is for a card with two more that are laid over it."""

    def point_at(self, offset: Millimetres) -> Millimetres:
        """The mat point that is `offset` mm (right, down, for the owner) from the centre."""
        turn = math.radians(self.angle)
        x, y = offset
        return (
            self.centre_mm[0] + x * math.cos(turn) - y * math.sin(turn),
            self.centre_mm[1] + x * math.sin(turn) + y * math.cos(turn),
        )

    def corners_mm(self) -> NDArray[np.float64]:
        """(4, 2) in the mat's frame, clockwise from the owner's top left."""
        w, h = self.size_mm[0] / 2, self.size_mm[1] / 2
        return np.array([self.point_at(corner) for corner in ((-w, -h), (w, -h), (w, h), (-w, h))])


@dataclass(frozen=True, slots=True)
class Layout:
    """A mat: the regions the camera reads, the printed places it need not read, and the corner marks."""

    places: tuple[Place, ...]
    banks: tuple[Place, ...] = ()
    """Printed places whose content no rule needs to read."""
    edition: int = 0
    """Which print of its game's mat this is: each has marks of its own, so the camera tells them apart."""
    mat_size_mm: Millimetres = MAT_MM
    cards_in_hand_place: int = 4
    """How many cards are side by side where a hand or a stack is shown."""
    hand_told: tuple[str, ...] = ()
    """The places of which it is told that somebody's hand was over them, though they look as before."""
    hand_passes: tuple[str, ...] = ()
    """Places or banks: while something moves here, a hand over the others is only on its way."""

    @property
    def marks_mm(self) -> Mapping[int, NDArray[np.float64]]:
        """Mark id → its (4, 2) corners in mm, clockwise from the mark's own top left."""
        low, (right, bottom) = MARK_INSET_MM, self.mat_size_mm
        left_top = (
            (low, low),
            (right - low - MARK_MM, low),
            (right - low - MARK_MM, bottom - low - MARK_MM),
            (low, bottom - low - MARK_MM),
        )
        square = np.array([(0, 0), (1, 0), (1, 1), (0, 1)]) * MARK_MM
        first = len(left_top) * self.edition
        return {mark: square + corner for mark, corner in enumerate(left_top, first)}

    def place(self, name: str) -> Place:
        """The place or bank of this name; raises `KeyError` if there is none."""
        for place in (*self.places, *self.banks):
            if place.name == name:
                return place
        raise KeyError(name)

    def slots(self, n: int) -> tuple[Place, ...]:
        """The first `n` places that take a pair."""
        return tuple(place for place in self.places if place.takes_pair)[:n]

    def object_card_place(self, slot: str) -> Place:
        """The card's size of mat on which the object card of this slot is."""
        place = self.place(slot)
        return Place(slot, place.point_at(OBJECT_OFFSET_MM), CARD_MM, place.angle)

    def pair_places(self, slot: str) -> tuple[Place, Place]:
        """Where the animal (left) and the shelter (right) of a pair are, over the object of this slot."""
        place = self.place(slot)
        left, right = (
            Place(slot, place.point_at(offset), CARD_MM, place.angle) for offset in PAIR_OFFSETS_MM
        )
        return left, right

    def hand_places(self) -> tuple[Place, ...]:
        """Where the cards that are shown are side by side: a hand, or a stack that is checked."""
        place = self.place("audit")
        step = place.size_mm[0] / self.cards_in_hand_place
        middle = (self.cards_in_hand_place - 1) / 2
        return tuple(
            Place("audit", place.point_at((step * (card - middle), 0.0)), CARD_MM, place.angle)
            for card in range(self.cards_in_hand_place)
        )

    def spots(self, name: str) -> tuple[Place, ...]:
        """The card-sized parts of a place, lowest first: an object and a pair over it, or a shown hand."""
        if name == "audit":
            return self.hand_places()
        place = self.place(name)
        if not place.takes_pair:
            (columns, rows), (step_x, step_y) = place.grid, place.step_mm
            return tuple(
                Place(name, place.point_at((x, y)), CARD_MM, place.angle)
                for y in (step_y * (row - (rows - 1) / 2) for row in range(rows))
                for x in (step_x * (column - (columns - 1) / 2) for column in range(columns))
            )
        return (self.object_card_place(name), *self.pair_places(name))


def mark_corner(mark: int) -> int:
    """In which of the `MARK_CORNERS` a mark is, whatever the mat's edition."""
    return mark % len(MARK_CORNERS)


def mark_bits(mark: int) -> NDArray[np.bool_]:
    """(6, 6) cells of a corner mark with its black rim; True is black."""
    dictionary = cv2.aruco.getPredefinedDictionary(MARK_DICTIONARY)
    cells: NDArray[np.bool_] = np.asarray(cv2.aruco.generateImageMarker(dictionary, mark, 6)) < 128
    return cells


@dataclass(frozen=True, slots=True, eq=False)
class Calibration:
    """Where the mat's millimetres are in the camera's picture."""

    homography: NDArray[np.float64]
    """(3, 3), from (x mm, y mm, 1) to pixels."""
    frame_size: tuple[int, int]
    """Width and height in pixels of the pictures it holds for."""

    def to_pixels(self, points_mm: NDArray[np.float64] | Sequence[Millimetres]) -> NDArray[np.float32]:
        """(n, 2) mat points in mm → (n, 2) pixels; what is near the horizon is put `MAX_COORDINATE` away."""
        return np.clip(_project(self.homography, points_mm), -MAX_COORDINATE, MAX_COORDINATE).astype(
            np.float32
        )

    def to_millimetres(self, points: NDArray[np.float32] | Sequence[Millimetres]) -> NDArray[np.float64]:
        """(n, 2) pixels → (n, 2) points of the mat's plane in mm."""
        return _project(np.asarray(np.linalg.inv(self.homography), dtype=np.float64), points)

    def place_corners(self, place: Place) -> NDArray[np.float32]:
        """(4, 2) pixels: the corners of a place, clockwise from its owner's top left."""
        return self.to_pixels(place.corners_mm())

    def card_rotation(self, quad: NDArray[np.float32], place: Place) -> float:
        """Degrees in [0, 360) by which a card, (4, 2) pixels from its top left, is turned clockwise."""
        top_left, top_right, bottom_right, bottom_left = self.to_millimetres(quad)
        up = top_left + top_right - bottom_left - bottom_right
        return (math.degrees(math.atan2(up[0], -up[1])) - place.angle) % 360.0

    @classmethod
    def from_marks(cls, frame: NDArray[np.uint8], layout: Layout) -> Self:
        """Find the mat by its marks in `frame`, (height, width, 3) uint8; else `MarksNotFoundError`."""
        parameters = cv2.aruco.DetectorParameters()
        parameters.cornerRefinementMethod = cv2.aruco.CORNER_REFINE_SUBPIX
        detector = cv2.aruco.ArucoDetector(cv2.aruco.getPredefinedDictionary(MARK_DICTIONARY), parameters)
        corners, ids, _ = detector.detectMarkers(check_picture(frame))
        marks = layout.marks_mm
        found = {
            int(mark): np.asarray(quad).reshape(4, 2)
            for mark, quad in zip([] if ids is None else np.ravel(ids), corners, strict=True)
            if int(mark) in marks
        }
        if missing := [mark for mark in marks if mark not in found]:
            raise MarksNotFoundError(missing)
        table = np.concatenate([marks[mark] for mark in marks])
        picture = np.concatenate([found[mark] for mark in marks])
        homography = fit_homography(table, picture)
        if homography is None:  # of another sheet, or held up one by one: they are not placed as on the mat
            raise MarksNotFoundError(list(marks))
        return cls(homography, (frame.shape[1], frame.shape[0]))

    @classmethod
    def from_numbers(cls, homography: ArrayLike, size: Sequence[int]) -> Self:
        """By stored numbers: 3 × 3 and (width, height); `InputError` when they are no calibration."""
        known = np.array(homography, dtype=np.float64)
        if known.shape != (3, 3) or not np.isfinite(known).all() or len(size) != 2 or min(size) < 1:
            raise InputError("a calibration is a homography of 3 × 3 numbers and a frame_size of two")
        if abs(np.linalg.det(known)) < SINGULAR:
            raise InputError("the calibration's homography cannot be inverted: calibrate again")
        return cls(known, (int(size[0]), int(size[1])))


def fit_homography(table: NDArray[np.float64], picture: NDArray[np.floating]) -> NDArray[np.float64] | None:
    """From (n, 2) points of the mat in mm and the same in pixels; None if no flat table looks like that."""
    homography, _ = cv2.findHomography(table, picture.astype(np.float64), 0)
    if homography is None or not abs(np.linalg.det(homography)) > SINGULAR:
        return None
    fitted = np.asarray(homography, np.float64)
    seen = _project(np.asarray(np.linalg.inv(fitted), np.float64), picture)
    if not (np.linalg.norm(seen - table, axis=1) <= MAX_MISFIT_MM).all():
        return None
    return fitted


def _project(homography: NDArray[np.float64], points: object) -> NDArray[np.float64]:
    flat = np.asarray(points, dtype=np.float64).reshape(-1, 2)
    mapped = np.column_stack((flat, np.ones(len(flat)))) @ homography.T
    deep = mapped[:, 2:]
    projected: NDArray[np.float64] = mapped[:, :2] / np.where(np.abs(deep) < HORIZON, HORIZON, deep)
    return projected
