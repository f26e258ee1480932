"""The plain page: stands in for one that failed. Words and a few buttons, nothing that could fail again."""

from collections.abc import Mapping

import pygame

from companion.core.view import Sentence
from companion.ui.commands import Continue, Leave, Pause, Show, TakeBack
from companion.ui.frame import Frame, GameFrame
from companion.ui.pages.base import Over, Page
from companion.ui.sheet import Deed, Sheet, deed
from companion.ui.theme import GOLD, SOFT, TEXT
from companion.ui.tokens import Colour


class PlainPage(Page[Frame]):
    """What happens now, and the way on; the chairs' buttons and keys play as always."""

    shortcuts: Mapping[str, Deed] = {"p": deed(Pause()), "u": deed(TakeBack())}

    def takes_shared(self, frame: Frame) -> bool:
        return not isinstance(frame, GameFrame) or frame.view.paused or frame.view.outcome is not None

    def overlays(self, frame: Frame) -> Mapping[str, Over[Frame]]:
        return {}

    def escape(self, frame: Frame) -> Deed:
        return deed(Show("home"), overlay="") if isinstance(frame, GameFrame) else deed(Leave())

    def paint(self, sheet: Sheet, frame: Frame) -> None:
        gap = sheet.em(0.6)
        area = sheet.rect.inflate(-2 * gap, -2 * gap)
        line = pygame.Rect(area.x, area.y, area.w, sheet.em(3))
        for sentence, scale, colour in _lines(frame):
            if sentence is not None:
                sheet.text(line, sheet.words.text(sentence, frame.names), scale, colour, align="center")
                line = line.move(0, line.h + gap)
        row = pygame.Rect(area.x, 0, (area.w + gap) // 3 - gap, sheet.em(2.6))
        row.bottom = area.bottom
        for words, key, does in self._buttons(frame):
            sheet.button(row, sheet.tr(words), key, does)
            row = row.move(row.w + gap, 0)

    def _buttons(self, frame: Frame) -> tuple[tuple[str, str, Deed], ...]:
        if not isinstance(frame, GameFrame):
            return (("ui.home", "home", deed(Show("home"))), ("ui.leave", "leave", deed(Leave())))
        go_on = ("ui.continue", "continue", deed(Continue()))
        pause = ("ui.pause", "pause", deed(Pause()))
        take_back = ("ui.take_back", "take_back", deed(TakeBack()))
        return (go_on if frame.view.paused else pause, take_back, ("ui.home", "home", deed(Show("home"))))


def _lines(frame: Frame) -> tuple[tuple[Sentence | None, float, Colour], ...]:
    """What there is to read, from the top."""
    trouble = (frame.trouble, 1.3, GOLD)
    if not isinstance(frame, GameFrame):
        return (trouble,)
    return (frame.view.headline, 2.0, TEXT), (frame.view.hint, 1.3, SOFT), (frame.say, 1.3, GOLD), trouble
