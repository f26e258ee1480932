"""Pages of a few words, with nothing that could fail: while the table is loaded, or where a page failed."""

from collections.abc import Mapping

from companion.core.view import Sentence
from companion.ui.commands import ContinueGame, LeaveOrQuit, PauseGame, ShowPage, UndoRuling
from companion.ui.frame import GameFrame, PageFrame
from companion.ui.layout import FILL, Box, rows
from companion.ui.overlays.dialog import DialogButton, paint_buttons
from companion.ui.pages.base import OverlayPainter, Page
from companion.ui.toolkit.sheet import Sheet, TouchAction, touch_action
from companion.ui.toolkit.theme import NOTICE, TEXT, Colour
from companion.ui.toolkit.widgets import paint_felt


def _paint_table(sheet: Sheet) -> Box:
    """The felt with nothing on it; returns it."""
    edge = sheet.em(0.5)
    rim = sheet.rect.inset(left=edge, top=edge, right=edge, bottom=sheet.em(3.8))
    paint_felt(sheet, rim)
    return rim


class SplashPage(Page[PageFrame]):
    """The felt, and a word on it."""

    def paint(self, sheet: Sheet, frame: PageFrame) -> None:
        rim = _paint_table(sheet)
        sheet.text(rim, sheet.tr("ui.opening"), 2.0, TEXT, bold=True, align="center")


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
        """What can be read, on the felt, from the top; what to do, in the toolbar's place."""
        room = _paint_table(sheet).inflate(-sheet.em(5), -sheet.em(2))
        told = [line for line in _text_lines(frame) if line[0] is not None]
        for place, (sentence, scale, colour) in zip(rows(room, *[FILL] * len(told)), told, strict=True):
            assert sentence is not None
            sheet.text(place, sheet.sentence(sentence), scale, colour, bold=True, align="center")
        paint_buttons(sheet, *self._buttons(frame))

    def _buttons(self, frame: PageFrame) -> tuple[DialogButton, ...]:
        home = DialogButton("ui.home", "home", touch_action(ShowPage("home")))
        if not isinstance(frame, GameFrame):
            return (home, DialogButton("ui.leave", "leave", touch_action(LeaveOrQuit())))
        pause = DialogButton("ui.pause", "pause", touch_action(PauseGame()))
        if frame.view.paused:
            pause = DialogButton("ui.continue", "continue", touch_action(ContinueGame()))
        return (pause, DialogButton("ui.take_back", "take_back", touch_action(UndoRuling())), home)


def _text_lines(frame: PageFrame) -> tuple[tuple[Sentence | None, float, Colour], ...]:
    """What there is to read, from the top."""
    trouble = (frame.trouble, 1.4, NOTICE)
    if not isinstance(frame, GameFrame):
        return (trouble,)
    return (frame.view.headline, 2.2, TEXT), (frame.view.hint, 1.4, TEXT), (frame.say, 1.4, TEXT), trouble
