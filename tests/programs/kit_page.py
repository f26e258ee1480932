"""`make kit`: every part of the kit in every state, on one picture, for those who change how it looks."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from itertools import product
from pathlib import Path

import pygame

from companion.core.actions import PALETTE
from companion.language.language import Language
from companion.ui.board.count_ring import CountRing
from companion.ui.frame import PageFrame, UiState
from companion.ui.layout import Box
from companion.ui.pages.base import Page, PageResources
from companion.ui.toolkit.sheet import Sheet, TouchAction
from companion.ui.toolkit.theme import (
    BAD,
    GOLD,
    INK,
    LOOK,
    NOTICE,
    PAPER,
    RAISED,
    SHAPES,
    SOFT,
    TEXT,
    type_scale,
)
from companion.ui.toolkit.widgets import (
    PlateState,
    draw_press_sign,
    paint_avatar,
    paint_chip,
    paint_felt,
    paint_halo,
    paint_plate,
)

PICTURE = Path(__file__).parent.parent.parent / "build" / "kit.png"
SIZE = (1280, 720)
COLUMNS = 4
"""Plates beside each other: each in another colour, so that all colours are seen."""


class KitPage(Page[PageFrame]):
    """All parts, each in every state."""

    def paint(self, sheet: Sheet, frame: PageFrame) -> None:
        gap = sheet.u(1.6)
        page = sheet.rect.inflate(-2 * gap, -2 * gap)
        half = page.w * 52 // 100
        self._plates(sheet, Box(page.x, page.y, half, sheet.u(52)))
        right = Box(page.x + half + gap, page.y, page.w - half - gap, sheet.u(52))
        self._table(sheet, right)
        low = Box(page.x, page.y + sheet.u(54), half, page.bottom - page.y - sheet.u(54))
        self._avatars(sheet, Box(low.x, low.y, low.w, sheet.u(12)))
        self._buttons(sheet, Box(low.x, low.y + sheet.u(14), low.w, low.h - sheet.u(14)))
        self._letters(sheet, Box(right.x, low.y, right.w, low.h))

    def _plates(self, sheet: Sheet, room: Box) -> None:
        states: Sequence[tuple[PlateState, bool]] = [*product(PlateState, (False,)), (PlateState.WAIT, True)]
        for row, (state, pressed) in enumerate(states):
            for column in range(COLUMNS):
                chair = (row + column * 2) % len(PALETTE)
                cell = _cell(room, column, row, (COLUMNS, len(states)), sheet.u(1.2))
                ink = paint_plate(sheet, cell, sheet.colour(chair), state, pressed=pressed)
                words = "pressed" if pressed else state.value
                sheet.text(cell.inflate(-sheet.em(0.8), 0), words, 1.0, ink, bold=True)

    def _table(self, sheet: Sheet, room: Box) -> None:
        """The felt with one light, cards on it, and the ring of the count."""
        size = sheet.u(LOOK.avatar["four"])
        docks = [(room.x + size, room.y + room.h // 3), (room.right - size, room.y + room.h * 2 // 3)]
        paint_felt(sheet, room, docks[:1])
        paint_halo(sheet, docks[0], size)
        paint_avatar(sheet, docks[0], round(size * LOOK.avatar["asked"]), 2, lit=True)
        paint_avatar(sheet, docks[1], size, 0)
        ring = CountRing(sheet.surface, sheet, (room.centerx, room.y + room.h * 32 // 100), sheet.u(12))
        ring.draw_band(INK, 1.0)
        ring.draw_band(GOLD, 0.6)
        ring.draw_words("2", type_scale("verdict"), TEXT)
        ring.draw_dots(3, 2)
        tall = sheet.u(18)
        card = Box(room.x + room.w // 3, room.bottom - tall - sheet.u(3), tall * 65 // 100, tall)
        for face in ("animal:5", "shelter:5"):
            sheet.picture(
                sheet.art.printed_face(face, card.size) or sheet.art.card_face(face, card.size), card.center
            )
            card = card.move(card.w + sheet.u(1), 0)
        sheet.picture(sheet.art.card_back(card.size), card.center)

    def _avatars(self, sheet: Sheet, room: Box) -> None:
        for chair in range(len(SHAPES)):
            cell = _cell(room, chair, 0, (len(SHAPES), 1), 0)
            paint_avatar(sheet, cell.center, sheet.u(LOOK.avatar["eight"]), chair, lit=chair == 3)

    def _buttons(self, sheet: Sheet, room: Box) -> None:
        """The first has the focus, as the page marks it."""
        grid, gap = (COLUMNS, 3), sheet.u(2)
        cells = [_cell(room, place % COLUMNS, place // COLUMNS, grid, gap) for place in range(12)]
        sheet.button(cells[0], "focus", "focus", TouchAction())
        sheet.button(cells[1], "off", "off", None)
        sheet.button(cells[2], "chosen", "chosen", TouchAction(), chosen=True)
        sheet.button(cells[3], "button", "plain", TouchAction())
        sheet.button(cells[4], "primary", "primary", TouchAction(), fill=GOLD, bold=True)
        sheet.button(cells[5], "marked", "marked", TouchAction(), marked=True)
        for cell, press in zip(cells[6:8], ("tap", "hold"), strict=True):
            side = min(cell.h, sheet.em(1.2))
            sheet.picture(draw_press_sign(sheet, press, side, TEXT), (cell.x + side // 2, cell.centery))
            sheet.text(cell.move(side * 3 // 2, 0), press)
        for cell, (words, fill) in zip(
            cells[8:], (("said", RAISED), ("good", PAPER), ("notice", NOTICE), ("broken", BAD)), strict=True
        ):
            paint_chip(sheet, cell, words, fill)

    def _letters(self, sheet: Sheet, room: Box) -> None:
        """Every size of letters, the largest first."""
        top = room.y
        for role in sorted(LOOK.type, key=lambda role: -LOOK.type[role]):
            line = Box(room.x, top, room.w, sheet.painter.line_height(type_scale(role)))
            sheet.text(line, f"{role} {LOOK.type[role]:g}", type_scale(role), TEXT, bold=True)
            top = line.bottom
        rest = Box(room.x, top, room.w, sheet.painter.line_height(1.0))
        sheet.text(rest, "the smallest, of second rank", 1.0, SOFT)


def _cell(room: Box, column: int, row: int, grid: tuple[int, int], gap: int) -> Box:
    """A cell of a grid of so many columns and rows."""
    width, height = (room.w + gap) // grid[0], (room.h + gap) // grid[1]
    return Box(room.x + column * width, room.y + row * height, width - gap, height - gap)


def drawn(screen: PageResources) -> pygame.Surface:
    """The page at the screen's size."""
    surface = pygame.Surface(screen.size)
    KitPage(screen).draw(surface, PageFrame(ui_state=UiState()), 0)
    return surface


def main() -> int:
    os.environ["SDL_VIDEODRIVER"] = "dummy"
    pygame.display.set_mode(SIZE)
    PICTURE.parent.mkdir(exist_ok=True)
    pygame.image.save(drawn(PageResources(SIZE, Language)), PICTURE)
    sys.stdout.write(f"Saved {PICTURE}.\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
