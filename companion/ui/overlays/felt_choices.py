"""Paints a choice on the felt: large cards with words below them, of which the marked one is lifted."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

import pygame

from companion.core.actions import Chair
from companion.ui.board.lesson_cards import draw_turned_card, turn_on_shadow
from companion.ui.board.toolbar import draw_icon
from companion.ui.layout import FILL, Box, best_grid, columns, rows
from companion.ui.overlays.dialog import DialogButton, paint_felt_page
from companion.ui.toolkit.picture_cache import WIDE
from companion.ui.toolkit.sheet import Sheet, TouchAction
from companion.ui.toolkit.sprites import draw_line, draw_rounded_rect
from companion.ui.toolkit.theme import (
    FELT,
    GOLD,
    INK,
    LOOK,
    PAPER,
    TEXT,
    Colour,
    blend,
    type_scale,
)
from companion.ui.toolkit.widgets import paint_avatar, paint_halo

CHOICE = LOOK.choice
SLANTS = (-2.0, 1.5, -1.0, 2.0, -1.5)
"""By how many degrees one card after another lies askew."""
FAN_SLANT = 9.0
STRIPES = 5
"""Pale stripes across a card with a sign."""
Spot = tuple[int, int]
DrawCards = Callable[[Sheet, Box, Colour], None]
"""Draws the cards of a choice into a box, with edges in this colour."""


class FeltChoice(NamedTuple):
    """One of the choices: what it is called, a line below that, what it does, and what is drawn of it."""

    key: str
    words: str
    line: str
    action: TouchAction
    draw: DrawCards


def paint_felt_choices(
    sheet: Sheet, title: str, choices: Sequence[FeltChoice], foot: Sequence[DialogButton], warning: str = ""
) -> Box:
    """Paint a whole page of them, the rare things below as buttons; returns what those leave of the bar."""
    felt, bar = paint_felt_page(sheet, title)
    room = felt.inflate(-2 * sheet.u(CHOICE["edge"]), -2 * sheet.u(CHOICE["top"]))
    room = sheet.paint_warning(room, warning) if warning else room
    cells = best_grid(room, len(choices), sheet.u(CHOICE["gap"]), shape=CHOICE["shape"])
    bare = [sheet.surface.subsurface(cell).copy() for cell in cells]
    for cell, choice, ground in zip(cells, choices, bare, strict=True):
        _paint_choice(sheet, cell, choice)
        mark = partial(_paint_choice, cell=cell, choice=choice, ground=ground)
        sheet.target(choice.key, cell, choice.action, mark=mark)
    pad, gap = sheet.em(1.2), sheet.em(0.4)
    wide = [sheet.text_width(sheet.tr(one.words), bold=True) + pad for one in foot]
    *places, free = columns(bar, *wide, FILL, gap=gap)
    for one, place in zip(foot, places, strict=True):
        sheet.button(place, sheet.tr(one.words), one.key, one.action, fill=one.fill, bold=True)
    return free


def _paint_choice(sheet: Sheet, cell: Box, choice: FeltChoice, ground: pygame.Surface | None = None) -> None:
    """The cards and the words; marked, on the bare `ground`, they are larger, the words on paper."""
    marked = ground is not None
    cards, words = rows(cell, FILL, sheet.u(CHOICE["words"]), gap=sheet.u(CHOICE["gap"]))
    if ground is not None:
        sheet.surface.blit(ground, cell)
        paint_halo(sheet, cards.center, min(cards.w * 3 // 4, cards.h))
        sheet.box(words, PAPER, GOLD, radius=sheet.u(CHOICE["radius"]) / sheet.unit, width=0.15)
    less = 0 if marked else round(cards.h * CHOICE["lift"])
    choice.draw(sheet, cards.inset(top=less, left=less // 2, right=less // 2), GOLD if marked else INK)
    ink = INK if marked else TEXT
    told = words.inflate(-sheet.em(0.2), -sheet.u(3))
    name, line = rows(told, FILL, sheet.line_height if choice.line else 0)
    sheet.text(name, choice.words, type_scale("said"), ink, bold=True, align="center")
    if choice.line:
        soft = blend(PAPER if marked else FELT, ink, 0.86)
        sheet.text(line, choice.line, 1.0, soft, align="center")


def draw_sign_card(sheet: Sheet, box: Box, ring: Colour, *, sign: str, colour: Colour, place: int) -> None:
    """A card of a colour with a sign on it."""
    high = min(box.h, round(box.w / WIDE))
    size = (round(high * WIDE), high)

    def draw() -> pygame.Surface:
        flat = pygame.Surface(size, pygame.SRCALPHA)
        corner = round(size[0] * LOOK.radius["card"])
        thick = max(2, sheet.u(LOOK.line["hair" if ring == INK else "asked"]))
        sprites = sheet.art.sprites
        draw_rounded_rect(flat, sprites, Box(0, 0, *size), PAPER, ring, radius=corner, width=thick)
        margin = 2 * sheet.u(LOOK.line["asked"]) + 2
        inner = Box(0, 0, *size).inflate(-2 * margin, -2 * margin)
        draw_rounded_rect(flat, sprites, inner, colour, INK, radius=corner // 2, width=max(2, margin // 8))
        flat.set_clip(inner.inflate(-margin // 2, -margin // 2))
        step = size[1] / STRIPES
        for stripe in range(-STRIPES, STRIPES):
            start = (0.0, (stripe + 1) * step)
            draw_line(
                flat, blend(colour, TEXT, 0.12), [start, (float(size[0]), start[1] + size[0])], step / 3
            )
        flat.set_clip(None)
        icon = draw_icon(sheet, sign, round(size[0] * CHOICE["sign"]), PAPER)
        flat.blit(icon, icon.get_rect(center=flat.get_rect().center))
        return turn_on_shadow(sheet, flat, SLANTS[place % len(SLANTS)])

    key = ("sign card", sign, colour, size, ring, place)
    sheet.picture(sheet.art.sprites.get_or_draw(key, draw), box.center)


def draw_fan(sheet: Sheet, box: Box, ring: Colour, *, faces: Sequence[str]) -> None:
    """Cards over one another, each turned a little further."""
    many, step = max(1, len(faces)), CHOICE["step"]
    high = min(round(box.h * CHOICE["upright"]), round(box.w / WIDE / (1.15 + step * (many - 1))))
    wide = round(high * WIDE)
    for place, face in enumerate(faces):
        off = place - (many - 1) / 2
        picture = draw_turned_card(sheet, face, (wide, high), -FAN_SLANT * off, ring=ring)
        sheet.picture(
            picture, (box.centerx + round(off * step * wide), box.centery + round(abs(off) * high / 40))
        )


def draw_players(sheet: Sheet, box: Box, ring: Colour, *, chairs: Sequence[Chair]) -> None:
    """The shapes of these players."""
    for chair, cell in zip(chairs, best_grid(box, len(chairs), 0, shape=1.0), strict=True):
        paint_avatar(sheet, cell.center, min(cell.size) * 7 // 10, chair, lit=ring == GOLD)
