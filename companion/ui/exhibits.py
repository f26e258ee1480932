"""What is looked at instead of the table: a photo finish, a round that is over; below it who is asked now."""

from __future__ import annotations

import pygame

from companion.exhibits import Exhibit, Finish
from companion.ui.finish import finish
from companion.ui.frame import Frame, GameFrame
from companion.ui.overlays.leaf import CLOSE, Foot, feet, leaf
from companion.ui.panels import panel
from companion.ui.rounds import rounds
from companion.ui.sheet import Sheet, deed
from companion.ui.theme import EDGE, PANEL, SOFT, TEXT


def exhibit(sheet: Sheet, rect: pygame.Rect, frame: GameFrame) -> None:
    """Instead of the ring of chairs: the picture, and the panel of whoever is asked."""
    assert frame.exhibit is not None
    asked = [chair for chair in frame.view.chairs if chair.asked]
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


def replayed(sheet: Sheet, finishes: tuple[Finish, ...], frame: Frame, game: str) -> None:
    """Every finish of the game, one at a time, the newest first; `glass.scroll` says which."""
    body = leaf(sheet, "ui.finish")
    if not finishes:
        sheet.text(body, sheet.tr("ui.finish.none"), 1.2, SOFT, align="center")
        feet(sheet, CLOSE)
        return
    place = max(0, len(finishes) - 1 - frame.glass.scroll)
    shown = finishes[place]
    words = sheet.tr(
        "ui.finish.which", number=place + 1, count=len(finishes), round=shown.round, stack=shown.stack
    )
    title = pygame.Rect(body.x, body.y, body.w, sheet.em(1.8))
    sheet.text(title, words, 1.2, TEXT, bold=True)
    rest = pygame.Rect(body.x, title.bottom, body.w, body.bottom - title.bottom)
    finish(sheet, rest, shown, frame, game)
    scroll = len(finishes) - 1 - place
    earlier = deed(scroll=scroll + 1) if place else None
    later = deed(scroll=scroll - 1) if scroll else None
    feet(sheet, Foot("ui.why.earlier", "earlier", earlier), Foot("ui.why.later", "later", later), CLOSE)


def round_over(sheet: Sheet, shown: Exhibit, frame: Frame) -> None:
    """The last round once more, over the game's recap."""
    body = leaf(sheet, "ui.round")
    picture(sheet, body, shown, frame, "")
    feet(sheet, CLOSE)
