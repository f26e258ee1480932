"""The devices that `companion doctor` opens, each behind a function that can be replaced."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from companion.core.clock import Clock
from companion.settings.model import CameraSettings
from companion.system.desktop import take_screen

if TYPE_CHECKING:
    from hardware.buttons import PinFactory
    from hardware.camera import Camera

FIRMWARE_TIMEOUT = 5.0
"""Seconds within which the firmware has answered."""


def _open_pins(chip: int | None, devices: Path) -> PinFactory:
    from hardware.buttons import open_pin_factory

    return open_pin_factory(chip, devices)


def _open_camera(chosen: CameraSettings, clock: Clock, root: Path) -> Camera:
    from hardware.camera_selection import open_camera

    return open_camera(chosen.kind, chosen.device, clock, size=chosen.size, root=root)


def _open_sound(device: str) -> str:
    from companion.language.voice.mixer import Mixer

    card = Mixer(device)
    card.close()
    return card.silence_reason


def _open_window() -> tuple[int, int]:
    from companion.ui.toolkit.window import read_desktop_size

    return read_desktop_size()


def _read_throttling() -> str:
    try:
        told = subprocess.run(
            ("vcgencmd", "get_throttled"),
            capture_output=True,
            text=True,
            check=False,
            timeout=FIRMWARE_TIMEOUT,
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return told.stdout.strip()


@dataclass(frozen=True, slots=True, kw_only=True)
class Devices:
    """How each part is opened; a part is closed again by the check that opened it."""

    pins: Callable[[int | None, Path], PinFactory] = _open_pins
    """From a gpiochip's number, or None for the board's own, and the folder with the devices; raises
    `HardwareError`."""
    camera: Callable[[CameraSettings, Clock, Path], Camera] = _open_camera
    """From the settings, a clock, and the machine's root; raises `HardwareError`."""
    sound: Callable[[str], str] = _open_sound
    """From `sound.device`: why nothing would be heard; empty where the output opened. It is closed again."""
    screen: Callable[[Path], str] = take_screen
    """From a graphics card's device: why nothing could be drawn on it; empty where it could."""
    window: Callable[[], tuple[int, int]] = _open_window
    """The size of the desktop on which a window opens; raises `OSError`."""
    firmware: Callable[[], str] = _read_throttling
    """What `vcgencmd get_throttled` prints; empty where it is not there."""
