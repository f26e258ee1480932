"""How high a camera hangs over the mat: from its angles of view and the mat's size."""

from math import ceil, radians, tan
from typing import NamedTuple

from companion.vision.layout import MAT_MM

SPARE = 1.1
"""Of the mat's size is in the picture: 5 % on every side."""
STEP = 10
"""Heights are told in whole centimetres, upwards: rather too high than too low."""


class Lens(NamedTuple):
    """A camera by what its 16:9 picture covers, in degrees."""

    name: str
    across: float
    down: float

    @property
    def height(self) -> int:
        """Millimetres from the mat to the lens, at which both sides of the mat are in the picture."""
        needs = (MAT_MM[0] / 2 / tan(radians(self.across / 2)), MAT_MM[1] / 2 / tan(radians(self.down / 2)))
        return ceil(SPARE * max(needs) / STEP) * STEP


LENSES = (
    Lens("Camera Module 3", 66, 41),
    Lens("Camera Module 2", 62, 37),
    Lens("webcam of 78° diagonal", 70, 43),
)
"""From the makers' data sheets; of Camera Module 2 the 16:9 part."""
