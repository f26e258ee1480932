"""The table at a past moment as a picture: the game's page without anything to touch."""

import io
from collections.abc import Callable, Mapping

import pygame

from companion.core.actions import Chair
from companion.core.view import View
from companion.ui.frame import GameFrame
from companion.ui.glass import Glass
from companion.ui.pages.game import GamePage
from companion.ui.screen import Screen
from companion.ui.sheet import Sheet
from companion.ui.words import Words

SIZE = (960, 540)


class _Still(GamePage):
    """Nobody presses anything in the past."""

    still = True

    def _bar(self, sheet: Sheet, rect: pygame.Rect, frame: GameFrame) -> pygame.Rect:
        """No buttons."""
        return rect


class Scenes:
    """Owns what pictures of the past are drawn with."""

    def __init__(self, languages: Callable[[str], Words], size: tuple[int, int] = SIZE) -> None:
        pygame.font.init()
        self._page = _Still(Screen(size, languages))
        self.size = size

    def picture(self, view: View, language: str, names: Mapping[Chair, str]) -> pygame.Surface:
        """The table as this view shows it, `self.size` pixels large."""
        surface = pygame.Surface(self.size)
        frame = GameFrame(glass=Glass(language=language), view=view, names=names)
        self._page.draw(surface, frame, 0)
        return surface

    def jpeg(self, view: View, language: str, names: Mapping[Chair, str]) -> bytes:
        """The same as a file."""
        return self._file(view, language, names, "table.jpg")

    def png(self, view: View, language: str, names: Mapping[Chair, str]) -> bytes:
        """The same without loss."""
        return self._file(view, language, names, "table.png")

    def _file(self, view: View, language: str, names: Mapping[Chair, str], name: str) -> bytes:
        written = io.BytesIO()
        pygame.image.save(self.picture(view, language, names), written, name)
        return written.getvalue()
