"""A video as a camera: every picture of it, or those of the moment, and again from the start."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest

from companion.core.actions import SECOND
from companion.core.clock import ManualClock
from hardware.camera_files import VideoCamera
from hardware.errors import CameraError

RATE = 10


@pytest.fixture
def film(tmp_path: Path) -> Path:
    """Six pictures, each lighter than the one before."""
    path = tmp_path / "film.avi"
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"MJPG"), RATE, (64, 48))
    for number in range(6):
        writer.write(np.full((48, 64, 3), 40 * number, np.uint8))
    writer.release()
    return path


def shown(camera: VideoCamera, newer_than: int = -1) -> int:
    """The number of the picture."""
    return round(float(camera.capture(newer_than).image.mean()) / 40)


def test_picture_by_picture_nothing_is_left_out_and_the_end_is_told(film: Path) -> None:
    camera = VideoCamera(film, ManualClock(), paced=False, loop=False)
    assert [shown(camera) for _ in range(6)] == [0, 1, 2, 3, 4, 5]
    with pytest.raises(CameraError, match="no more pictures"):
        camera.capture(-1)
    camera.close()


def test_at_its_own_pace_what_is_over_is_left_out(film: Path) -> None:
    clock = ManualClock()
    camera = VideoCamera(film, clock)
    assert shown(camera) == 0
    clock.move_to(3 * SECOND // RATE)
    assert shown(camera) == 3


def test_it_begins_anew_when_it_loops(film: Path) -> None:
    camera = VideoCamera(film, ManualClock(), paced=False)
    assert [shown(camera) for _ in range(8)] == [0, 1, 2, 3, 4, 5, 0, 1]


def test_pictures_are_stamped_later_than_what_was_asked_for(film: Path) -> None:
    camera = VideoCamera(film, ManualClock())
    assert camera.capture(5 * SECOND).at > 5 * SECOND


def test_what_is_no_video_is_told(tmp_path: Path) -> None:
    (tmp_path / "film.mp4").write_bytes(b"no film")
    with pytest.raises(CameraError, match="not a video"):
        VideoCamera(tmp_path / "film.mp4", ManualClock())
    with pytest.raises(CameraError, match="There is no video"):
        VideoCamera(tmp_path / "other.mp4", ManualClock())
