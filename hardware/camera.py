"""What every camera gives: pictures with the instant of their exposure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from companion.actions import Micros

Image = NDArray[np.uint8]
"""Height × width × 3, blue first: OpenCV's order."""


@dataclass(frozen=True, slots=True, eq=False)
class Frame:
    """One picture of the table."""

    image: Image
    at: Micros
    """Its exposure, in game time."""


class Camera(Protocol):
    """One source of pictures; whoever opens it closes it."""

    def capture(self, newer_than: Micros) -> Frame:
        """The next picture exposed after `newer_than`; `CameraError` if none comes."""
        ...

    def close(self) -> None: ...
