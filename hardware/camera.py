"""The interface of every camera: pictures with the time of their exposure."""

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from companion.core.actions import Micros
from hardware.camera_lock import AnyCameraLock

Image = NDArray[np.uint8]
"""Height × width × 3, blue first: OpenCV's order."""


@dataclass(frozen=True, slots=True, eq=False)
class CameraFrame:
    """One picture of the table."""

    image: Image
    at: Micros
    """Its exposure, in game time."""


class Camera(Protocol):
    """One source of pictures; its user opens and closes it."""

    def capture(self, newer_than: Micros) -> CameraFrame:
        """The next picture exposed after `newer_than`; `CameraError` if none comes."""
        ...

    def lock_exposure(self, hertz: int = 50) -> AnyCameraLock | None:
        """Keep exposure, white balance and focus as they are now; None: there is nothing to keep.

        `hertz` are the mains': an exposure of whole flickers shows no bands.
        """
        ...

    def close(self) -> None: ...
