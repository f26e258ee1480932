"""Pages of a few words, with nothing that could fail: while the table is loaded, or where a page failed."""

from collections.abc import Mapping

from companion.core.view import Sentence
from companion.ui.board.stage_layout import layout_stage
from companion.ui.commands import ContinueGame, LeaveOrQuit, PauseGame, ShowPage, UndoRuling
from companion.ui.frame import GameFrame, PageFrame
from companion.ui.layout import Box
from companion.ui.pages.base import OverlayPainter, Page
from companion.ui.toolkit.sheet import Sheet, TouchAction, touch_action
from companion.ui.toolkit.theme import GOLD, SOFT, TEXT, Colour
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


class FallbackPage(Page[PageFrame]):
    """What happens now, and the way on; the chairs' buttons and keys play as always."""

    shortcuts: Mapping[str, TouchAction] = {"p": touch_action(PauseGame()), "u": touch_action(UndoRuling())}

    def takes_shared_buttons(self, frame: PageFrame) -> bool:
        return not isinstance(frame, GameFrame) or frame.view.paused or frame.view.outcome is not None

    def overlays(self, frame: PageFrame) -> Mapping[str, OverlayPainter[PageFrame]]:
        return {}

    def escape_action(self, frame: PageFrame) -> TouchAction:
        return (
            touch_action(ShowPage("home"), overlay="")
            if isinstance(frame, GameFrame)
            else touch_action(LeaveOrQuit())
        )

    def paint(self, sheet: Sheet, frame: PageFrame) -> None:
        gap = sheet.em(0.6)
        area = sheet.rect.inflate(-2 * gap, -2 * gap)
        line = Box(area.x, area.y, area.w, sheet.em(3))
        for sentence, scale, colour in _text_lines(frame):
            if sentence is not None:
                sheet.text(line, sheet.sentence(sentence), scale, colour, align="center")
                line = line.move(0, line.h + gap)
        row = Box(area.x, 0, (area.w + gap) // 3 - gap, sheet.em(2.6))
        row = row._replace(y=area.bottom - row.h)
        for words, key, does in self._buttons(frame):
            sheet.button(row, sheet.tr(words), key, does)
            row = row.move(row.w + gap, 0)

    def _buttons(self, frame: PageFrame) -> tuple[tuple[str, str, TouchAction], ...]:
        if not isinstance(frame, GameFrame):
            return (
                ("ui.home", "home", touch_action(ShowPage("home"))),
                ("ui.leave", "leave", touch_action(LeaveOrQuit())),
            )
        go_on = ("ui.continue", "continue", touch_action(ContinueGame()))
        pause = ("ui.pause", "pause", touch_action(PauseGame()))
        take_back = ("ui.take_back", "take_back", touch_action(UndoRuling()))
        return (
            go_on if frame.view.paused else pause,
            take_back,
            ("ui.home", "home", touch_action(ShowPage("home"))),
        )


def _text_lines(frame: PageFrame) -> tuple[tuple[Sentence | None, float, Colour], ...]:
    """What there is to read, from the top."""
    trouble = (frame.trouble, 1.3, GOLD)
    if not isinstance(frame, GameFrame):
        return (trouble,)
    return (frame.view.headline, 2.0, TEXT), (frame.view.hint, 1.3, SOFT), (frame.say, 1.3, GOLD), trouble
