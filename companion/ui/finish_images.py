"""Saves pictures of a stored game's photo finishes as files, without a window."""

import os
from collections.abc import Sequence
from pathlib import Path

import pygame

from companion.core.actions import Chair
from companion.core.exhibits import PhotoFinish
from companion.core.view import View
from companion.language.language import Language
from companion.ui.frame import GameFrame, UiState
from companion.ui.pages import build_pages
from companion.ui.pages.base import PageResources

SIZE = (1280, 720)


def save_finish_images(
    view: View, found: Sequence[PhotoFinish], folder: Path, *, language: str, names: dict[Chair, str]
) -> None:
    """A picture of every finish, as the overlay shows it; `OSError` if there is no room."""
    os.environ.setdefault("SDL_VIDEODRIVER", "dummy")
    page = build_pages(PageResources(SIZE, Language))["game"]
    surface = pygame.Surface(SIZE)
    folder.mkdir(parents=True, exist_ok=True)
    for place, one in enumerate(found):
        ui_state = UiState(language=language, overlay="finish", scroll=len(found) - 1 - place)
        page.draw(surface, GameFrame(ui_state=ui_state, names=names, view=view, finishes=tuple(found)), 0)
        try:
            pygame.image.save(surface, str(folder / f"{one.seq:05}.png"))
        except pygame.error as trouble:
            raise OSError(str(trouble)) from trouble
