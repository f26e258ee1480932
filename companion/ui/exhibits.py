"""What is looked at instead of the table: a photo finish, a round that is over; below it who is asked now."""

from __future__ import annotations

import pygame

from companion.core.exhibits import Exhibit, Finish
from companion.ui.finish import finish
from companion.ui.frame import Frame, GameFrame
from companion.ui.panels import panel
from companion.ui.rounds import rounds
from companion.ui.sheet import Sheet
from companion.ui.theme import EDGE, PANEL


def exhibit(sheet: Sheet, rect: pygame.Rect, frame: GameFrame) -> None:
    """Instead of the ring of chairs: the picture, and the panel of whoever is asked."""
    assert frame.exhibit is not None
    looks = frame.guide is not None and frame.guide.kind == "over"
    asked = [chair for chair in frame.view.chairs if chair.asked and not looks]
    gap = sheet.em(0.3)
    foot = pygame.Rect(rect.x, 0, rect.w, sheet.em(3.9) if asked else 0)
    foot.bottom = rect.bottom
    body = pygame.Rect(rect.x, rect.y, rect.w, foot.y - rect.y - (gap if asked else 0))
    sheet.box(body, PANEL, EDGE)
    picture(sheet, body.inflate(-sheet.em(0.6), -sheet.em(0.4)), frame.exhibit, frame, frame.view.game)
    for place, chair in enumerate(asked):
        width = min((foot.w + gap) // len(asked) - gap, sheet.em(24))
        left = foot.centerx - (len(asked) * (width + gap) - gap) // 2
        panel(sheet, pygame.Rect(left + place * (width + gap), foot.y, width, foot.h), chair, frame)


def picture(sheet: Sheet, rect: pygame.Rect, shown: Exhibit, frame: Frame, game: str) -> None:
    """One exhibit."""
    if isinstance(shown, Finish):
        finish(sheet, rect, shown, frame, game)
    else:
        rounds(sheet, rect, shown, frame)
