"""Cameras that are files: a folder of pictures, a video."""

import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any

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


VIDEO_SUFFIXES = frozenset({".avi", ".m4v", ".mkv", ".mov", ".mp4", ".mpeg", ".mpg", ".webm"})
DEFAULT_FRAME_RATE = 30.0
"""Pictures a second where a file does not say."""

OpenVideo = Callable[[Path], Any]
"""Opens a `cv2.VideoCapture`, or what stands for one."""


def _open_video(path: Path) -> Any:
    import cv2

    return cv2.VideoCapture(str(path))


class VideoCamera:
    """Gives the pictures of a video; from the start again if it loops."""

    def __init__(
        self,
        path: Path,
        clock: Clock,
        *,
        paced: bool = True,
        loop: bool = True,
        open_file: OpenVideo = _open_video,
    ) -> None:
        """`paced`: pictures that are over by now are left out; else each is given, one a capture."""
        import cv2

        self._path, self._clock = path, clock
        self._paced, self._loop = paced, loop
        self._open_file = open_file
        if not path.is_file():
            raise CameraError(f"There is no video {path}: name another file.")
        self._file = open_file(path)
        if not self._file.isOpened():
            self._file.release()
            raise CameraError(f"{path} is not a video that can be read: name another file.")
        rate = float(self._file.get(cv2.CAP_PROP_FPS))
        self._rate = rate if 0.1 < rate <= 1000 else DEFAULT_FRAME_RATE
        self._begun: Micros | None = None
        self._given = 0
        """Pictures of this round."""

    def capture(self, newer_than: Micros) -> CameraFrame:
        """The next frame of the video, stamped now (µs); raises `CameraError` at its end, unless it loops."""
        import numpy as np

        now = max(self._clock.now(), newer_than + 1)
        if self._begun is None:
            self._begun = now
        if self._paced:
            while self._given < round((now - self._begun) * self._rate / 1e6) and self._file.grab():
                self._given += 1
        told, image = self._file.read()
        if not told and self._loop and self._given:
            self._file.release()
            self._file, self._given, self._begun = self._open_file(self._path), 0, now
            told, image = self._file.read()
        if not told or image is None or image.ndim != 3:
            raise CameraError(f"{self._path} has no more pictures.")
        self._given += 1
        return CameraFrame(np.asarray(image, dtype=np.uint8), now)

    def lock_exposure(self, hertz: int = 50) -> None:
        """There is nothing to keep."""

    def close(self) -> None:
        self._file.release()
