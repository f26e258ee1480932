"""Finds out whether anybody can see the screen."""

from __future__ import annotations

import logging
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from companion.core.errors import InputError
from companion.core.view import Sentence
from companion.system.boot_config import read_boot_config
from companion.system.desktop import (
    DARK_SCREEN,
    DESKTOP_REMEDY,
    find_desktop,
    find_monitors,
    second_screen_remedy,
)
from companion.system.machine import SCREEN_PROGRAMS, Machine
from companion.system.terminal import print_lines

if TYPE_CHECKING:
    from companion.ui.toolkit.window import Window

log = logging.getLogger(__name__)
DISPLAYS = ("DISPLAY", "WAYLAND_DISPLAY", "SDL_VIDEODRIVER")
WITHOUT_SCREEN = ("calibrate --once", "enrol --from DIR")
"""What does the same where nobody sees anything, such as over ssh."""


def is_headless() -> bool:
    """Whether there is nothing to draw on; SDL then draws into memory."""
    linux = sys.platform.startswith("linux")
    if linux and not any(map(os.environ.get, DISPLAYS)) and not list(Path("/dev/dri").glob("card*")):
        os.environ["SDL_VIDEODRIVER"] = "dummy"
    return os.environ.get("SDL_VIDEODRIVER") == "dummy"


def require_screen(what: str, window: Window | None = None, root: Path = Path("/")) -> None:
    """Raise where nobody could see `what`: there is no display, or the window would not open on it.

    Over ssh the screen may be a desktop's.
    """
    if window is not None:
        window.open()
    if is_headless():
        ways = (f"companion {words}" for words in WITHOUT_SCREEN)
        instead = "".join(f", or use {way}" for way in ways if way.startswith(f"{what} "))
        where = "there is none: start it on a computer with a display"
        if (desktop := find_desktop(root)) is not None:
            where = f"{desktop} has it: type it in a terminal there"
        raise InputError(f"{what} needs a screen and {where}{instead}.")


def warn_if_invisible(window: Window, *, heard: bool, root: Path = Path("/")) -> Sentence | None:
    """Say on the terminal, or in the service's log, that nobody will see the screen, and what is left.

    Returns what has to be said aloud as well: that a desktop has a service's screen, or that no screen
    answers.
    """
    # Without a desktop SDL then opens no window at all; on one it opens a window that nobody sees.
    if find_monitors(root) == () and (window.refusal or not window.is_invisible):
        log.warning(
            "No screen answers: voice, lamps and buttons lead the game. Is one there? Plug it into HDMI 0, "
            "switch it on, and start the table again."
        )
        return DARK_SCREEN
    if not window.is_invisible:
        if find_desktop(root) is None and (several := second_screen_remedy(find_monitors(root))):
            log.warning("Several screens answer: %s.", several)
        return None
    desktop = find_desktop(root) if window.refusal else None
    if desktop is not None:
        by_ssh = bool(os.environ.get("SSH_CONNECTION"))  # a service has none
        log.error(
            "%s has the screen, so nothing is drawn on it: %s.",
            f"{str(desktop)[0].upper()}{str(desktop)[1:]}",
            DESKTOP_REMEDY
            if by_ssh
            else "run systemd/install.sh again, which starts the table on the desktop",
        )
        return None if by_ssh else Sentence("shared.screen.taken")
    machine = Machine(root=root)
    cards = machine.find("dev/dri/card*") if window.refusal else ()
    config = None if cards else read_boot_config(machine)
    if window.refusal and config is not None and not config.has_graphics_driver:
        log.error(
            "%s lacks dtoverlay=vc4-kms-v3d, so nothing is drawn: write that line there, and restart.",
            config.path,
        )
    if cards and (holder := machine.find_holder(cards, SCREEN_PROGRAMS)) is not None:
        log.error("%s has the screen: %s.", holder, holder.remedy())
    if heard:
        print_lines("No display: voice, lamps and buttons lead the game.")
    else:
        print_lines(
            "No display, no sound: only lit buttons show the game (stop: Ctrl-C). To fix it: companion doctor"
        )
    return None
