"""Everything that a page with the camera's picture shows in one frame: picture, outlines, texts."""

from dataclasses import dataclass
from typing import Any

from companion.core.camera_tasks import CameraPageInput
from companion.ui.frame import PageFrame


@dataclass(frozen=True, slots=True, kw_only=True)
class CameraPageFrame(PageFrame):
    """Work at the camera, outside any game."""

    bench: CameraPageInput

    @property
    def camera(self) -> Any:
        """The newest picture, by which a page knows that there is something new to draw."""
        return self.bench.camera
