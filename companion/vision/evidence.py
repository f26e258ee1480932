"""A picture of the table as a file: whole or not there."""

from __future__ import annotations

import os
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

QUALITY = 90
"""Of the JPEG: a card that was misread has to be read again from it."""


def kept(path: Path, picture: NDArray[np.uint8]) -> None:
    """Writes a picture (height, width, 3), BGR; `OSError` if there is no room or no leave."""
    path.parent.mkdir(parents=True, exist_ok=True)
    half = path.with_name(f".{path.name}.part")
    with half.open("wb") as file:
        file.write(cv2.imencode(".jpg", picture, (cv2.IMWRITE_JPEG_QUALITY, QUALITY))[1].tobytes())
        file.flush()
        os.fsync(file.fileno())
    half.replace(path)
