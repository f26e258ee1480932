"""Whether anybody can see the screen."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from companion.core.errors import InputError
from companion.settings.terminal import say

if TYPE_CHECKING:
    from companion.ui.window import Window

DISPLAYS = ("DISPLAY", "WAYLAND_DISPLAY", "SDL_VIDEODRIVER")


def headless() -> bool:
    """Whether there is nothing to draw on; SDL then draws into memory."""
    linux = sys.platform.startswith("linux")
    if linux and not any(map(os.environ.get, DISPLAYS)) and not list(Path("/dev/dri").glob("card*")):
        os.environ["SDL_VIDEODRIVER"] = "dummy"
    return os.environ.get("SDL_VIDEODRIVER") == "dummy"


def need_screen(what: str, window: Window | None = None) -> None:
    """Raise where nobody could see `what`: there is no display, or the window would not open on it."""
    if window is not None:
        window.open()
    if headless():
        raise InputError(f"{what} needs a screen and there is none: start it on a computer with a display.")


def tell_if_blind(window: Window, *, heard: bool) -> None:
    """Say on the terminal that nobody will see the screen, and what is left."""
    if not window.blind:
        return
    if heard:
        say("No display: voice, lamps and buttons lead the game.")
    else:
        say(
            "No display, no sound: only lit buttons show the game (stop: Ctrl-C). To fix it: companion doctor"
        )
