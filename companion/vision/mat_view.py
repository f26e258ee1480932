"""Measures how one picture shows the table: its light, its sharpness, and how much of the mat."""

from collections.abc import Sequence
from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.vision.calibration import choose_mat_by_marks, find_marks
from companion.vision.framing import MatFraming, measure_framing
from companion.vision.layout import Layout
from companion.vision.lighting import LightingMeasurement, measure_blur
from companion.vision.pictures import check_picture

Bgr = NDArray[np.uint8]


class MatView(NamedTuple):
    """The mat, as far as the picture shows it."""

    share: float
    """Of the mat's area that is in the picture: 0 to 1."""
    framing: MatFraming
    """How the camera has to be moved to see all of it."""
    blur: LightingMeasurement | None
    """None: no edge was clear enough to measure."""


def mean_light(frame: Bgr) -> float:
    """The mean of all pixels of a picture (height, width, 3), as a share of white."""
    return float(check_picture(frame).mean()) / 255


def look_at_mat(frame: Bgr, mats: Sequence[Layout]) -> MatView | None:
    """How the picture (height, width, 3) shows one of these mats; None: it shows no mark of any."""
    found = find_marks(frame)
    mat = choose_mat_by_marks(found, mats)
    height, width = frame.shape[:2]
    framing = measure_framing(found, mat, (width, height))
    if framing is None:
        return None
    picture = np.array([(0, 0), (width, 0), (width, height), (0, height)], np.float32)
    inside, _ = cv2.intersectConvexConvex(framing.outline, picture)
    marks = [found[mark] for mark in mat.marks_mm if mark in found]
    blur = measure_blur(frame, marks, framing.pixels_per_mm)
    return MatView(inside / max(1.0, cv2.contourArea(framing.outline)), framing, blur)
