"""Measures how one picture shows the table: its light, its sharpness, and how much of the mat."""

from collections.abc import Sequence
from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.vision.calibration import choose_mat_by_marks, find_marks
from companion.vision.layout import MAT_MM, Calibration, Layout, fit_homography
from companion.vision.lighting import LightingMeasurement, measure_blur
from companion.vision.pictures import check_picture

Bgr = NDArray[np.uint8]
MIN_MARKS = 2
"""Marks from which the whole mat follows: one alone is a twentieth of its width."""


class MatView(NamedTuple):
    """The mat, as far as the picture shows it."""

    share: float
    """Of the mat's area that is in the picture: 0 to 1."""
    zoom: float
    """How many times as much the picture would have to show, across, for the whole mat; 1: it does."""
    pixels_per_mm: float
    """At the picture's middle."""
    blur: LightingMeasurement | None
    """None: no edge was clear enough to measure."""


def mean_light(frame: Bgr) -> float:
    """The mean of all pixels of a picture (height, width, 3), as a share of white."""
    return float(check_picture(frame).mean()) / 255


def look_at_mat(frame: Bgr, mats: Sequence[Layout]) -> MatView | None:
    """How the picture (height, width, 3) shows one of these mats; None: it shows too few marks of any."""
    found = find_marks(frame)
    mat = choose_mat_by_marks(found, mats)
    known = [mark for mark in mat.marks_mm if mark in found]
    if len(known) < MIN_MARKS:
        return None
    table = np.concatenate([mat.marks_mm[mark] for mark in known])
    homography = fit_homography(table, np.concatenate([found[mark] for mark in known]))
    if homography is None:
        return None
    height, width = frame.shape[:2]
    seen = Calibration(homography, (width, height))
    corners = seen.to_pixels([(0, 0), (MAT_MM[0], 0), MAT_MM, (0, MAT_MM[1])])
    picture = np.array([(0, 0), (width, 0), (width, height), (0, height)], np.float32)
    inside, _ = cv2.intersectConvexConvex(corners, picture)
    middle = (picture[0] + picture[2]) / 2
    reach = float(np.max(np.abs(corners - middle) / middle))
    scale = _pixels_per_mm(seen, middle)
    blur = measure_blur(frame, [found[mark] for mark in known], scale)
    return MatView(inside / max(1.0, cv2.contourArea(corners)), max(1.0, reach), scale, blur)


def _pixels_per_mm(seen: Calibration, spot: NDArray[np.floating]) -> float:
    """How many pixels a millimetre of the table is at this spot of the picture."""
    x, y = float(spot[0]), float(spot[1])
    one, other = seen.to_millimetres([(x - 50, y), (x + 50, y)])
    return 100 / max(1e-6, float(np.linalg.norm(other - one)))
