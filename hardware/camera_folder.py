"""A folder of pictures as a camera: recorded tables, tests, a demo without a table."""

from __future__ import annotations

from pathlib import Path

from companion.actions import Micros
from companion.clock import Clock
from hardware.camera import Frame
from hardware.errors import CameraError

SUFFIXES = frozenset({".bmp", ".jpeg", ".jpg", ".png"})


class FolderCamera:
    """Gives the pictures of a folder by name, one a capture; from the start again if it loops."""

    def __init__(self, folder: Path, clock: Clock, *, loop: bool = True) -> None:
        self._folder = folder
        self._clock = clock
        self._loop = loop
        self._next = 0
        if not folder.is_dir():
            raise CameraError(f"There is no folder {folder}: name one with pictures in camera.device.")
        self._paths = sorted(path for path in folder.iterdir() if path.suffix.lower() in SUFFIXES)
        if not self._paths:
            raise CameraError(f"{folder} has no pictures: put PNG or JPEG files there.")

    def capture(self, newer_than: Micros) -> Frame:
        import cv2
        import numpy as np

        if self._next == len(self._paths):
            if not self._loop:
                raise CameraError(f"{self._folder} has no more pictures.")
            self._next = 0
        path = self._paths[self._next]
        self._next += 1
        image = cv2.imread(str(path), cv2.IMREAD_COLOR)
        if image is None:
            raise CameraError(f"{path} is not a picture that can be read: take it out of the folder.")
        return Frame(np.asarray(image, dtype=np.uint8), max(self._clock.now(), newer_than + 1))

    def lock(self, hertz: int = 50) -> None:
        """There is nothing to keep."""

    def close(self) -> None:
        """Nothing is held."""
