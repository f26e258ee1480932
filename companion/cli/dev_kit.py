"""`companion dev kit`: every part of the screen in every state, in a window or as a picture."""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from typing import TYPE_CHECKING

from companion.core.errors import InputError
from companion.settings.model import Settings
from companion.settings.terminal import say

if TYPE_CHECKING:
    from companion.ui.window import Window


def run(args: argparse.Namespace, settings: Settings) -> int:
    if args.file is None:
        _shown(args.size)
        return 0
    os.environ["SDL_VIDEODRIVER"] = "dummy"
    try:
        _drawn(args.size, args.file)
    except OSError as trouble:
        raise InputError(f"can't write {args.file} ({trouble}): name another file.") from trouble
    say(f"Saved {args.file}.")
    return 0


def _drawn(size: tuple[int, int], path: Path) -> None:
    from companion.ui.window import Window

    window = Window(size)
    try:
        _kit(window)
        window.screenshot(path)
    finally:
        window.close()


def _shown(size: tuple[int, int]) -> None:
    """Until a key is pressed or the window closed."""
    from companion.ui import inputs
    from companion.ui.window import Window

    window = Window(size, caption="kit")
    try:
        _kit(window)
        while not any(isinstance(one, inputs.KeyPressed | inputs.Closed) for one in window.wait()):
            _kit(window)
    finally:
        window.close()


def _kit(window: Window) -> None:
    from companion.ui.frame import Frame
    from companion.ui.glass import Glass
    from companion.ui.language import Language
    from companion.ui.pages.kit import KitPage
    from companion.ui.screen import Screen

    page = KitPage(Screen(window.size, Language))
    page.draw(window.surface, Frame(glass=Glass()), 0)
    window.flip()
