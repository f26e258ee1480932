"""Pages drawn into files: what a stored game has to show, without a window."""

import os
from collections.abc import Sequence
from pathlib import Path

import pygame

from companion.core.actions import Chair
from companion.core.exhibits import Finish
from companion.core.view import View
from companion.ui.frame import GameFrame
from companion.ui.glass import Glass
from companion.ui.language import Language
from companion.ui.pages import all_pages
from companion.ui.screen import Screen

SIZE = (1280, 720)


def draw_finishes(
    view: View, found: Sequence[Finish], folder: Path, *, language: str, names: dict[Chair, str]
) -> None:
    """A picture of every finish, as the overlay shows it; `OSError` if there is no room."""
    os.environ.setdefault("SDL_VIDEODRIVER", "dummy")
    page = all_pages(Screen(SIZE, Language))["game"]
    surface = pygame.Surface(SIZE)
    folder.mkdir(parents=True, exist_ok=True)
    for place, one in enumerate(found):
        glass = Glass(language=language, overlay="finish", scroll=len(found) - 1 - place)
        page.draw(surface, GameFrame(glass=glass, names=names, view=view, finishes=tuple(found)), 0)
        try:
            pygame.image.save(surface, str(folder / f"{one.seq:05}.png"))
        except pygame.error as trouble:
            raise OSError(str(trouble)) from trouble
