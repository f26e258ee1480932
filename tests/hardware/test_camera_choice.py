"""Which camera is opened; none of these tests needs one."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest

from companion.core.clock import ManualClock
from hardware.camera_files import FolderCamera
from hardware.camera_selection import open_camera
from hardware.errors import CameraError, LibraryMissingError


def test_a_folder_is_a_camera(tmp_path: Path):
    cv2.imwrite(str(tmp_path / "1.png"), np.zeros((2, 2, 3), np.uint8))
    assert isinstance(open_camera("folder", str(tmp_path), ManualClock()), FolderCamera)


def test_a_pi_s_camera_that_was_asked_for_is_not_replaced():
    with pytest.raises(LibraryMissingError):
        open_camera("pi", "", ManualClock())


def test_a_machine_without_any_camera_says_so(tmp_path: Path):
    with pytest.raises(CameraError, match="No camera was found"):
        open_camera("auto", "", ManualClock(), devices=tmp_path)


def test_none_means_by_hand():
    with pytest.raises(CameraError, match="tell me the cards on the screen"):
        open_camera("none", "", ManualClock())
