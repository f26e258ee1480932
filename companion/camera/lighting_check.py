"""Reports lighting faults by place while the table is calibrated."""

from collections import deque
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from companion.core.actions import SECOND, Micros
from companion.core.view import Sentence
from companion.vision.calibration import pixels_per_mm
from companion.vision.layout import Calibration, Layout
from companion.vision.lighting import (
    MIN_FLICKER_FRAMES,
    LightingMeasurement,
    measure_blur,
    measure_flicker,
    measure_places,
)
from companion.vision.outlines import Bgr

MEASURE_INTERVAL: Micros = SECOND // 2
"""How often."""
MAX_NAMED_PLACES = 3


class LightingMonitor:
    """The newest pictures, and what is wrong with the light in them."""

    def __init__(self) -> None:
        self._recent: deque[Bgr] = deque(maxlen=MIN_FLICKER_FRAMES)
        self._measured: Micros = -MEASURE_INTERVAL
        self._found: tuple[LightingMeasurement, ...] = ()

    def add_picture(self, image: Bgr) -> None:
        """Keep one more picture, (height, width, 3) in BGR, for measuring flicker."""
        self._recent.append(image)

    def request_measurement(self) -> None:
        """Measure with the next picture: something else is looked at."""
        self._measured = -MEASURE_INTERVAL

    def measure(
        self,
        image: Bgr,
        at: Micros,
        layout: Layout,
        calibration: Calibration,
        edges: Sequence[NDArray[np.float32]],
    ) -> None:
        """Look at every place of the layout, and at things known to be sharp, if it is time.

        `image`: (height, width, 3), BGR, exposed at `at` (µs of game time). `edges`: (n, 2) each, in pixels.
        """
        if 0 <= at - self._measured < MEASURE_INTERVAL:
            return
        self._measured = at
        spots = [
            (p.name, calibration.place_corners(spot)) for p in layout.places for spot in layout.spots(p.name)
        ]
        blur = measure_blur(image, edges, pixels_per_mm(calibration))
        moving = measure_flicker(tuple(self._recent))
        found = (*measure_places(image, spots), *(one for one in (blur, moving) if one is not None))
        self._found = tuple(one for one in found if one.exceeds_limit)

    def has_flicker(self) -> bool:
        """Whether the newest pictures show bands."""
        found = measure_flicker(tuple(self._recent))
        return found is not None and found.exceeds_limit

    def fault_names(self) -> tuple[str, ...]:
        """Everything that is wrong, by name."""
        return tuple(sorted({found.fault for found in self._found}))

    def faults_by_place(self) -> Mapping[str, str]:
        """Place → what is wrong there."""
        return {found.place: found.fault for found in self._found if found.place}

    def warning_sentences(self) -> tuple[Sentence, ...]:
        """What people read."""
        told = []
        for fault in self.fault_names():
            places = [found.place for found in self._found if found.fault == fault and found.place]
            # A place without a number is shown by its red outline alone.
            numbers = [number for name in places if (number := name.partition(":")[2])]
            where = ", ".join(numbers[:MAX_NAMED_PLACES]) + (" …" if len(numbers) > MAX_NAMED_PLACES else "")
            told.append(Sentence(f"ui.calibrate.{fault}", (("where", where),) if where else ()))
        return tuple(told)
