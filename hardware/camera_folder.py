"""A camera that replays a folder of pictures."""

import logging
from collections.abc import Callable
from pathlib import Path

from companion.core.actions import Micros
from companion.core.clock import Clock
from hardware.camera import CameraFrame
from hardware.errors import CameraError

log = logging.getLogger(__name__)
PICTURE_SUFFIXES = frozenset({".bmp", ".jpeg", ".jpg", ".png"})


class FolderCamera:
    """Gives the pictures of a folder by name, one a capture; from the start again if it loops.

    What is no picture is told once, to `refused`, and passed over.
    """

    def __init__(
        self, folder: Path, clock: Clock, *, loop: bool = True, refused: Callable[[str], None] = log.warning
    ) -> None:
        self._folder = folder
        self._clock = clock
        self._loop = loop
        self._refused = refused
        self._next = 0
        if not folder.is_dir():
            raise CameraError(f"There is no folder {folder}: name one with pictures in camera.device.")
        try:
            self._paths = sorted(path for path in folder.iterdir() if path.suffix.lower() in PICTURE_SUFFIXES)
        except OSError as trouble:
            raise CameraError(
                f"can't read the folder {folder} ({trouble.strerror}): name another one."
            ) from trouble
        if not self._paths:
            raise CameraError(f"{folder} has no pictures: put PNG or JPEG files there.")

    def capture(self, newer_than: Micros) -> CameraFrame:
        """The next readable picture of the folder, at once; raises `CameraError` when there are no more."""
        from companion.vision.pictures import PictureError, read_picture

        while self._paths:
            if self._next == len(self._paths):
                if not self._loop:
                    raise CameraError(f"{self._folder} has no more pictures.")
                self._next = 0
            try:
                image = read_picture(self._paths[self._next])
            except PictureError as trouble:
                del self._paths[self._next]
                self._refused(f"{trouble}, or take it out of the folder.")
                continue
            self._next += 1
            return CameraFrame(image, max(self._clock.now(), newer_than + 1))
        raise CameraError(f"{self._folder} has no picture that can be read: put PNG or JPEG files there.")

    def lock_exposure(self, hertz: int = 50) -> None:
        """There is nothing to keep."""

    def close(self) -> None:
        """Nothing is held."""
