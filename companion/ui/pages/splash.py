"""Splash page, shown while the table is loaded."""

from companion.ui.board.stage_layout import layout_stage
from companion.ui.frame import PageFrame
from companion.ui.layout import Box
from companion.ui.pages.base import Page
from companion.ui.toolkit.sheet import Sheet
from companion.ui.toolkit.theme import TEXT
from companion.ui.toolkit.widgets import paint_felt

AROUND = 4
"""Nobody knows yet how many sit there; this is what most tables look like."""


class SplashPage(Page[PageFrame]):
    """The felt, and a word on it."""

    def paint(self, sheet: Sheet, frame: PageFrame) -> None:
        rim = layout_stage(AROUND, sheet.rect, sheet.u(100) / 100).rim
        paint_felt(sheet, rim, [])
        words = Box(rim.x, rim.centery - sheet.em(2), rim.w, sheet.em(4))
        sheet.text(words, sheet.tr("ui.opening"), 2.0, TEXT, bold=True, align="center")
