"""Computes how high a camera must hang to see the whole mat."""

from math import ceil, radians, tan
from typing import NamedTuple

from companion.vision.layout import MAT_MM

FIELD_MARGIN = 1.1
"""Of the mat's size is in the picture: 5 % on every side."""
HEIGHT_STEP_MM = 10
"""Heights are told in whole centimetres, upwards: rather too high than too low."""


class CameraLens(NamedTuple):
    """A camera by what its 16:9 picture covers, in degrees."""

    name: str
    horizontal_angle: float
    vertical_angle: float

    @property
    def mounting_height_mm(self) -> int:
        """Millimetres from the mat to the lens, at which both sides of the mat are in the picture."""
        needs = (
            MAT_MM[0] / 2 / tan(radians(self.horizontal_angle / 2)),
            MAT_MM[1] / 2 / tan(radians(self.vertical_angle / 2)),
        )
        return ceil(FIELD_MARGIN * max(needs) / HEIGHT_STEP_MM) * HEIGHT_STEP_MM


KNOWN_LENSES = (
    CameraLens("Camera Module 3", 66, 41),
    CameraLens("Camera Module 2", 62, 37),
    CameraLens("webcam of 78° diagonal", 70, 43),
)
"""From the makers' data sheets; of Camera Module 2 the 16:9 part."""
