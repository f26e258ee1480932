"""Renders the table of a past moment as an image."""

import io
from collections.abc import Callable, Mapping

import pygame

from companion.core.actions import Chair
from companion.core.view import View
from companion.language.translator import Translator
from companion.ui.frame import GameFrame
from companion.ui.pages.game import GamePage
from companion.ui.toolkit.page_resources import PageResources
from companion.ui.toolkit.sheet import Sheet
from companion.ui.ui_state import UiState

SIZE = (960, 540)


class _StaticGamePage(GamePage):
    """Nobody presses anything in the past."""

    is_static = True

    def _paint_toolbar(self, sheet: Sheet, rect: pygame.Rect, frame: GameFrame) -> pygame.Rect:
        """No buttons."""
        return rect


class TableImages:
    """Owns what pictures of the past are drawn with."""

    def __init__(self, languages: Callable[[str], Translator], size: tuple[int, int] = SIZE) -> None:
        pygame.font.init()
        self._page = _StaticGamePage(PageResources(size, languages))
        self.size = size

    def draw_table(self, view: View, language: str, names: Mapping[Chair, str]) -> pygame.Surface:
        """The table as this view shows it, `self.size` pixels large."""
        surface = pygame.Surface(self.size)
        frame = GameFrame(ui_state=UiState(language=language), view=view, names=names)
        self._page.draw(surface, frame, 0)
        return surface

    def encode_jpeg(self, view: View, language: str, names: Mapping[Chair, str]) -> bytes:
        """The same as a file."""
        return self._encode(view, language, names, "table.jpg")

    def encode_png(self, view: View, language: str, names: Mapping[Chair, str]) -> bytes:
        """The same without loss."""
        return self._encode(view, language, names, "table.png")

    def _encode(self, view: View, language: str, names: Mapping[Chair, str], name: str) -> bytes:
        written = io.BytesIO()
        pygame.image.save(self.draw_table(view, language, names), written, name)
        return written.getvalue()
