"""The first page: it stands while the table is being fetched, and does nothing."""

import pygame

from companion.ui.frame import Frame
from companion.ui.kit import felt
from companion.ui.pages.base import Page
from companion.ui.sheet import Sheet
from companion.ui.stage import seated
from companion.ui.theme import TEXT

AROUND = 4
"""Nobody knows yet how many sit there; this is what most tables look like."""


class OpeningPage(Page[Frame]):
    """The felt, and a word on it."""

    def paint(self, sheet: Sheet, frame: Frame) -> None:
        rim = seated(AROUND, sheet.rect, sheet.u(100) / 100).rim
        felt(sheet, rim, [])
        words = pygame.Rect(rim.x, rim.centery - sheet.em(2), rim.w, sheet.em(4))
        sheet.text(words, sheet.tr("ui.opening"), 2.0, TEXT, bold=True, align="center")
