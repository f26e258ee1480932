"""What is looked at instead of the table: a photo finish, a round that is over; below it who is asked now."""

from __future__ import annotations

import pygame

from companion.core.exhibits import Exhibit, Finish
from companion.core.view import ChairView
from companion.ui.answers import label, say
from companion.ui.flood import Told, flood, flooded
from companion.ui.frame import Frame, GameFrame, window_open
from companion.ui.kit import sign
from companion.ui.panels import panel
from companion.ui.photo_finish import finish
from companion.ui.rounds import rounds
from companion.ui.sheet import MARK, Sheet
from companion.ui.theme import EDGE, GOLD, INK, PANEL, PAPER


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


def shows_stop(frame: GameFrame) -> bool:
    """Whether a Stop is looked at that several called: whoever has it takes the head of the page."""
    shown = frame.exhibit
    alone = frame.guide is None and frame.demo is None
    return alone and isinstance(shown, Finish) and shown.winner is not None and not window_open(frame.view)


def stop(sheet: Sheet, area: pygame.Rect, bar: pygame.Rect, free: pygame.Rect, frame: GameFrame) -> None:
    """Who has the Stop, and under it who pressed when; in the toolbar what that one may do.

    `bar`: the toolbar; `free`: what its own buttons leave of it.
    """
    shown = frame.exhibit
    assert isinstance(shown, Finish)
    assert shown.winner is not None
    view, gap = frame.view, sheet.em(0.4)
    above = flooded(sheet, area, "stop" if area.w > area.h else "stop_upright")
    below = sheet.words.text(view.headline, frame.names)
    lies = tuple(place.card for place in view.places if place.marked and ":" in place.card)
    word = sheet.tr("ui.verdict.stop")
    flood(sheet, above, Told(chairs=(shown.winner,), word=word, below=below, pictures=lies[:1]))
    asked = next((chair for chair in view.chairs if chair.asked), None)
    low = bar.y if asked is None else _answers(sheet, bar, free, asked, frame)
    body = pygame.Rect(bar.x, above.bottom + gap, bar.w, low - gap - above.bottom - gap)
    sheet.box(body, PANEL, EDGE)
    finish(sheet, body.inflate(-sheet.em(0.6), -sheet.em(0.4)), shown, frame, view.game)


def _answers(sheet: Sheet, bar: pygame.Rect, free: pygame.Rect, asked: ChairView, frame: GameFrame) -> int:
    """What the one who is asked may press, as buttons; above the toolbar where it has no room.

    Gives back where they begin.
    """
    gap, side = sheet.em(0.35), sheet.em(0.95)
    font = sheet.painter.font(1.0, bold=True)
    words = [label(sheet, choice, frame) for choice in asked.choices]
    wide = [font.size(one)[0] + side + sheet.em(1.2) for one in words]
    row = free
    if sum(wide) + gap * (len(wide) - 1) > free.w:
        row = bar.move(0, -bar.h - gap)
        wide = [min(one, (row.w + gap) // len(wide) - gap) for one in wide]
    left = row.right - sum(wide) - gap * (len(wide) - 1)
    for choice, word, width in zip(asked.choices, words, wide, strict=True):
        place = pygame.Rect(left, row.y, width, row.h)
        sheet.box(place, PAPER, GOLD, width=MARK)
        sheet.target(f"say:{choice.action}", place, say(choice))
        at = place.x + sheet.em(0.5)
        sheet.picture(sign(sheet, choice.press, side, INK), (at + side // 2, place.centery))
        at += side + sheet.em(0.25)
        sheet.text(pygame.Rect(at, place.y, place.right - at, place.h), word, 1.0, INK, bold=True)
        left = place.right + gap
    return min(row.y, bar.y)


def picture(sheet: Sheet, rect: pygame.Rect, shown: Exhibit, frame: Frame, game: str) -> None:
    """One exhibit."""
    if isinstance(shown, Finish):
        finish(sheet, rect, shown, frame, game)
    else:
        rounds(sheet, rect, shown, frame)
