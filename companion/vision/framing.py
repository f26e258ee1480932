"""How much of the mat is in the camera's picture, told by those of its marks that are.

What a lens sees grows with its height over the mat (the pinhole model), so the share that is missing says how
much higher the camera has to hang.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.core.errors import InputError
from companion.vision.calibration import MISPLACED, Quad, choose_mat_by_marks, find_marks, pixels_per_mm
from companion.vision.layout import Calibration, Layout, fit_homography
from companion.vision.lighting import LightingMeasurement, measure_blur
from companion.vision.pictures import check_picture

FIELD_MARGIN = 1.1
"""A picture of this many times the mat's size has 5 % around it on every side."""
TURN_GAIN = 0.85
"""A camera that would see the mat from this share of its height is turned before it is raised."""
Side = Literal["left", "right", "top", "bottom"]


@dataclass(frozen=True, slots=True)
class MatFraming:
    """Where the whole mat would be, beyond the picture's edges as well."""

    outline: NDArray[np.float32]
    """(4, 2) pixels, clockwise from the mat's top left."""
    height_ratio: float
    """How many times as high the camera has to hang, over the mat's middle; 1 or less: high enough."""
    missing_mm: Mapping[Side, float]
    """Millimetres of the mat beyond each edge of the picture, where there are any."""
    width_mm: float
    """How much of the table the picture shows across, in millimetres."""
    pixels_per_mm: float
    """At the mat's middle."""

    straight_ratio: float
    """As `height_ratio`, once the picture's long side lies along the mat's."""
    turn_degrees: float
    """By how much the camera has to be turned for that, 0 to 90."""

    @property
    def lies_across(self) -> bool:
        """Whether the camera has to be turned, before anybody raises or moves it."""
        return self.straight_ratio < TURN_GAIN * self.height_ratio

    @property
    def is_quarter_turned(self) -> bool:
        return self.lies_across and self.turn_degrees > 60

    def raise_mm(self, horizontal_angle: float) -> float:
        """By how many millimetres the camera has to go up, of an angle of so many degrees."""
        height = self.width_mm / 2 / math.tan(math.radians(horizontal_angle / 2))
        return (self.height_ratio - 1) * height


def measure_framing(found: Mapping[int, Quad], layout: Layout, size: tuple[int, int]) -> MatFraming | None:
    """By one of the mat's marks or more, (4, 2) in pixels each; `size`: the picture's, (width, height).

    None without a mark of this mat, or where they do not lie as on it.
    """
    known = [mark for mark in layout.marks_mm if mark in found]
    if not known:
        return None
    table = np.concatenate([layout.marks_mm[mark] for mark in known])
    picture = np.concatenate([found[mark] for mark in known])
    homography = _fit_similarity(table, picture) if len(known) == 1 else fit_homography(table, picture)
    if homography is None:
        return None
    calibration = Calibration(homography, size)
    width, height = layout.mat_size_mm
    outline = calibration.to_pixels(((0.0, 0.0), (width, 0.0), (width, height), (0.0, height)))
    scale, (low, high) = pixels_per_mm(calibration), (outline.min(axis=0), outline.max(axis=0))
    beyond: dict[Side, float] = {
        "left": -low[0],
        "right": high[0] - size[0],
        "top": -low[1],
        "bottom": high[1] - size[1],
    }
    across, down = outline[1] + outline[2] - outline[0] - outline[3], outline[2:].sum(0) - outline[:2].sum(0)
    long, short = float(np.linalg.norm(across)) / 2, float(np.linalg.norm(down)) / 2
    return MatFraming(
        outline,
        FIELD_MARGIN * float(((high - low) / size).max()),
        {side: float(pixels) / scale for side, pixels in beyond.items() if pixels > 0},
        size[0] / scale,
        scale,
        FIELD_MARGIN * max(long / size[0], short / size[1]),
        math.degrees(math.atan2(abs(float(across[1])), abs(float(across[0])))),
    )


def _fit_similarity(table: NDArray[np.float64], picture: Quad) -> NDArray[np.float64] | None:
    """As a camera sees it that looks straight down: one mark is too small to tell a tilt by."""
    moved, _ = cv2.estimateAffinePartial2D(table, picture.astype(np.float64))
    return None if moved is None else np.vstack((moved, (0.0, 0.0, 1.0)))


Bgr = NDArray[np.uint8]


class MatView(NamedTuple):
    """The mat, as far as the picture shows it."""

    share: float
    """Of the mat's area that is in the picture: 0 to 1."""
    framing: MatFraming
    """How the camera has to be moved to see all of it."""
    blur: LightingMeasurement | None
    """None: no edge was clear enough to measure."""


MIN_LIGHT, MAX_LIGHT = 0.06, 0.97
"""Share of white in a picture's mean, below which it is black and above which it is white."""


def mean_light(frame: Bgr) -> float:
    """The mean of all pixels of a picture (height, width, 3), as a share of white."""
    return float(check_picture(frame).mean()) / 255


def look_at_mat(frame: Bgr, mats: Sequence[Layout]) -> MatView | None:
    """How the picture (height, width, 3) shows one of these mats; None: it shows no mark of any.

    Raises `InputError` where its marks do not lie as on the mat.
    """
    found = find_marks(frame)
    mat = choose_mat_by_marks(found, mats)
    height, width = frame.shape[:2]
    framing = measure_framing(found, mat, (width, height))
    if framing is None:
        if found.keys() & mat.marks_mm.keys():
            raise InputError(MISPLACED)
        return None
    picture = np.array([(0, 0), (width, 0), (width, height), (0, height)], np.float32)
    inside, _ = cv2.intersectConvexConvex(framing.outline, picture)
    marks = [found[mark] for mark in mat.marks_mm if mark in found]
    blur = measure_blur(frame, marks, framing.pixels_per_mm)
    return MatView(inside / max(1.0, cv2.contourArea(framing.outline)), framing, blur)
