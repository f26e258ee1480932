"""Pictures of a mat, and cameras that give them."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.camera.calibration_task import PICTURES_UNTIL_LOCKED, CalibrationTask
from companion.core.camera_tasks import CameraCommand
from companion.games import mat_layout
from companion.vision.renderer import RenderedHand, TableRenderer, TableScene
from hardware.camera_lock import AnyCameraLock, PiCameraLock

Picture = NDArray[np.uint8]
STEP = 100_000
LAYOUT = mat_layout("kinapa", 4)
LOCK = PiCameraLock(20_000, 2.0, (1.5, 2.5), 1.0)


class Camera:
    """A camera that can be locked; afterwards its pictures are `after` times as bright."""

    def __init__(self, *, lock: AnyCameraLock | None = LOCK, after: float = 1.0) -> None:
        self.found, self.after = lock, after
        self.locked: list[int] = []

    def lock_exposure(self, hertz: int = 50) -> AnyCameraLock | None:
        self.locked.append(hertz)
        return self.found


class Calibrating:
    """A bench, and the pictures it is shown."""

    def __init__(self, folder: Path, renderer: TableRenderer, camera: Camera | None = None) -> None:
        self.renderer, self.camera = renderer, camera or Camera()
        self.folder, self.at, self.noise = folder, 0, np.random.default_rng(1)
        self.bench = CalibrationTask(folder, "kinapa", do=self._do, wall_time=lambda: "2026-11-21T20:00:00")
        self.spoil: Callable[[Picture, int], Picture] = lambda image, number: image

    def _do(self, job: Callable[[Any], None]) -> None:
        job(self.camera)

    def look(self, pictures: int = 1, *hands: RenderedHand) -> Any:
        """What is seen after so many pictures."""
        for _ in range(pictures):
            self.at += STEP
            image = self.renderer.render(TableScene(hands=hands), self.noise)
            if self.camera.locked:
                image = np.clip(image * self.camera.after, 0, 255).astype(np.uint8)
            self.bench.step(self.spoil(image, self.at // STEP), self.at)
        return self.bench.view()

    def want(self, what: str, *values: str | float) -> Any:
        self.bench.add_command(CameraCommand(what, values))
        return self.look()

    def keep(self) -> Any:
        self.want("keep")
        return self.look(2 * PICTURES_UNTIL_LOCKED)


def see_at_a_slant(picture: Picture, degrees: float) -> Picture:
    """What a camera that looks straight down saw, as one sees it that was lowered to its long side."""
    height, width = picture.shape[:2]
    middle = np.array((width / 2, height / 2))
    flat = np.array(((0, 0), (width, 0), (width, height), (0, height)), np.float32)
    x, y = (flat - middle).T
    slant = math.radians(degrees)
    away = width - y * math.sin(slant)
    seen = 0.75 * width * np.stack((x, y * math.cos(slant))) / away
    to = cv2.getPerspectiveTransform(flat, np.asarray(seen.T + middle, np.float32))
    smooth, edge = cv2.INTER_AREA, cv2.BORDER_REPLICATE
    return np.asarray(
        cv2.warpPerspective(picture, to, (width, height), flags=smooth, borderMode=edge), np.uint8
    )
