"""Whether anybody can see the screen."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from companion.ui.window import Window

DISPLAYS = ("DISPLAY", "WAYLAND_DISPLAY", "SDL_VIDEODRIVER")


def headless() -> bool:
    """Whether there is nothing to draw on; SDL then draws into memory."""
    linux = sys.platform.startswith("linux")
    if linux and not any(map(os.environ.get, DISPLAYS)) and not list(Path("/dev/dri").glob("card*")):
        os.environ["SDL_VIDEODRIVER"] = "dummy"
    return os.environ.get("SDL_VIDEODRIVER") == "dummy"


def tell_if_blind(window: Window, *, heard: bool) -> None:
    """Say on the terminal that nobody will see the screen, and what is left."""
    if not window.blind:
        return
    if heard:
        print("No display: the game is refereed by voice, lamps and buttons alone.", flush=True)
    else:
        print("No display and no sound: only lamps are left; companion doctor names the fixes.", flush=True)
