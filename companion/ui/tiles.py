"""Big tiles for choosing a chair, or a deck that nobody holds."""

import pygame

from companion.core.actions import Chair
from companion.ui.kit import Plate, plate
from companion.ui.pile import bot_badge, colour_of, named, shortened
from companion.ui.sheet import Sheet
from companion.ui.tokens import Colour

LOW_TILE = 1.5
"""With less room than this above the name, the badge stands beside it."""


def _low_tile(sheet: Sheet, rect: pygame.Rect, chair: Chair, name: str, ink: Colour) -> None:
    radius = min(rect.h * 2 // 5, sheet.em(0.75))
    gap = sheet.em(0.4)
    left = rect.x + gap + 2 * radius + max(gap, radius * 2 // 3)
    sheet.badge((rect.x + gap + radius, rect.centery), radius, chair)
    words = pygame.Rect(left, rect.y, rect.right - gap - left, rect.h)
    sheet.text(words, shortened(sheet, name, words.w), 1.0, ink, bold=True)


def chair_tile(sheet: Sheet, rect: pygame.Rect, chair: Chair, *, marked: bool, name: str = "") -> None:
    """A big tile for choosing a chair."""
    colour = sheet.colour(chair)
    ink = plate(sheet, rect, colour, Plate.ASKED if marked else Plate.WAIT)
    name_height = sheet.painter.line(1.15)
    radius = min((rect.h - name_height) * 36 // 100, rect.w // 4, sheet.em(2.2))
    if rect.h < name_height + sheet.em(LOW_TILE):
        _low_tile(sheet, rect, chair, name or sheet.name(chair), ink)
        return
    sheet.badge((rect.centerx, rect.y + (rect.h - name_height) // 2), radius, chair)
    words = pygame.Rect(rect.x, rect.bottom - name_height - sheet.em(0.15), rect.w, name_height)
    name = shortened(sheet, name or sheet.name(chair), words.w - sheet.em(0.4))
    sheet.text(words, name, 1.0, ink, bold=True, align="center", grows=False)


def bot_tile(sheet: Sheet, rect: pygame.Rect, owner: Chair | None, *, marked: bool) -> None:
    """A big tile for choosing a deck that nobody holds."""
    colour = colour_of(sheet, owner)
    ink = plate(sheet, rect, colour, Plate.ASKED if marked else Plate.WAIT)
    height = sheet.painter.line(1.15)
    radius = min((rect.h - height) * 36 // 100, rect.w // 4, sheet.em(2.2))
    bot_badge(sheet, (rect.centerx, rect.y + (rect.h - height) // 2), radius, owner)
    words = pygame.Rect(rect.x, rect.bottom - height - sheet.em(0.15), rect.w, height)
    name = shortened(sheet, named(sheet, owner), words.w - sheet.em(0.4))
    sheet.text(words, name, 1.0, ink, bold=True, align="center")
