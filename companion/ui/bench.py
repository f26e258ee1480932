"""What a page at the camera draws: calibrating, enrolling."""

from dataclasses import dataclass
from typing import Any

from companion.core.camera_views import Bench
from companion.ui.frame import Frame


@dataclass(frozen=True, slots=True, kw_only=True)
class BenchFrame(Frame):
    """Work at the camera, outside any game."""

    bench: Bench

    @property
    def camera(self) -> Any:
        """The newest picture, by which a page knows that there is something new to draw."""
        return self.bench.camera
