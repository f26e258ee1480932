"""Opens the window on the display that the settings name, with a splash page while the table is loaded."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from companion.core.errors import InputError
from companion.programs.appearance import build_page_resources, initial_ui_state, language_factory
from companion.settings.model import Settings
from companion.system.terminal import print_lines
from companion.table.runtime import build_window
from companion.ui.commands import Command
from companion.ui.frame import PageFrame
from companion.ui.pages.splash import SplashPage
from companion.ui.toolkit.window import Window

if TYPE_CHECKING:
    from companion.camera.task_runner import MakeSimulatedCamera

if TYPE_CHECKING:
    from companion.ui.toolkit.window import Window

DISPLAYS = ("DISPLAY", "WAYLAND_DISPLAY", "SDL_VIDEODRIVER")


def is_headless() -> bool:
    """Whether there is nothing to draw on; SDL then draws into memory."""
    linux = sys.platform.startswith("linux")
    if linux and not any(map(os.environ.get, DISPLAYS)) and not list(Path("/dev/dri").glob("card*")):
        os.environ["SDL_VIDEODRIVER"] = "dummy"
    return os.environ.get("SDL_VIDEODRIVER") == "dummy"


def require_screen(what: str, window: Window | None = None) -> None:
    """Raise where nobody could see `what`: there is no display, or the window would not open on it."""
    if window is not None:
        window.open()
    if is_headless():
        raise InputError(f"{what} needs a screen and there is none: start it on a computer with a display.")


def warn_if_invisible(window: Window, *, heard: bool) -> None:
    """Say on the terminal that nobody will see the screen, and what is left."""
    if not window.is_invisible:
        return
    if heard:
        print_lines("No display: voice, lamps and buttons lead the game.")
    else:
        print_lines(
            "No display, no sound: only lit buttons show the game (stop: Ctrl-C). To fix it: companion doctor"
        )


CAPTION = "Table companion"
"""What a window is called."""


class StartOptions(NamedTuple):
    """What a table begins with, and what stands in for parts of it."""

    page: str = "home"
    game: str = ""
    """Set up first."""
    command: Command | None = None
    """Carried out at once."""
    go_on: bool = False
    """A game that was broken into is on the table again at once."""
    camera: MakeSimulatedCamera | None = None
    """Opens another camera than the settings name: a simulated table."""
    watched: str = ""
    """The file of a deck that is watched for in place of a game's."""
    drawn: bool = False
    """In lessons a drawn table stands in for the camera."""
    own_words: Mapping[str, Mapping[str, str]] = MappingProxyType({})
    """Those of a lesson's file."""


def open_splash_window(settings: Settings, caption: str) -> Window | None:
    """The window, with its first picture; None where there is no display."""
    if is_headless():
        return None
    window = build_window(settings, caption)
    page = SplashPage(build_page_resources(settings, language_factory(settings)))
    page.resources.resize(window.surface.get_size())
    page.draw(window.surface, PageFrame(ui_state=initial_ui_state(settings)), 0)
    window.flip()
    return window
