"""The first picture stands before anything is fetched that takes time."""

from __future__ import annotations

import os
import subprocess
import sys

LOOK = """
import sys
from companion.programs.play import open_splash_window
from companion.settings.model import Settings
window = open_splash_window(Settings(), "Table companion")
picture = window.surface
colours = {tuple(picture.get_at((x, y))) for x in range(0, 1280, 40) for y in range(0, 720, 40)}
heavy = {"cv2", "gpiozero", "companion.vision", "companion.teach.lesson"}
print(len(colours) > 3, sorted(heavy & set(sys.modules)))
"""


def test_the_window_shows_the_felt_before_pixels_pins_decks_or_lessons_are_thought_of() -> None:
    said = subprocess.run(
        [sys.executable, "-c", LOOK],
        env={**os.environ, "SDL_VIDEODRIVER": "offscreen", "SDL_AUDIODRIVER": "dummy"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert said.stdout.splitlines()[-1] == "True []"


def test_where_there_is_no_display_nothing_is_opened() -> None:
    from companion.programs.play import open_splash_window
    from companion.settings.model import Settings

    assert os.environ["SDL_VIDEODRIVER"] == "dummy"
    assert open_splash_window(Settings(), "Table companion") is None
