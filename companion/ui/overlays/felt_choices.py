"""Paints a choice on the felt: large cards with words below them, of which the marked one is lifted."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import NamedTuple

import pygame

from companion.core.actions import Chair
from companion.ui.board.lesson_cards import draw_turned_card, turn_on_shadow
from companion.ui.board.toolbar import draw_icon
from companion.ui.layout import FILL, Box, best_grid, columns, rows
from companion.ui.overlays.dialog import DialogButton, felt_room, paint_bar, paint_felt_page, split_body
from companion.ui.toolkit.picture_cache import WIDE
from companion.ui.toolkit.sheet import Sheet, TouchAction
from companion.ui.toolkit.sprites import draw_line, draw_rounded_rect
from companion.ui.toolkit.theme import (
    CHAIR,
    FELT,
    GOLD,
    GOOD,
    INK,
    LOOK,
    PAPER,
    TEXT,
    Colour,
    blend,
    type_scale,
)
from companion.ui.toolkit.widgets import draw_press_sign, paint_avatar, paint_halo, paint_press_sign

CHOICE = LOOK.choice
SLANTS = (-2.0, 1.5, -1.0, 2.0, -1.5)
"""By how many degrees one card after another lies askew."""
FAN_SLANT = 9.0
DOT, WORDS_PAD = 1.5, 3
"""Radius of a dot below a choice, and what is free above and below its words, in hundredths of the height."""
WAY_SIGNS: Mapping[str, str] = {
    "abandon": "flag",
    "close": "play",
    "copy": "copy",
    "correct": "sheet",
    "demo": "screen",
    "finish": "focus",
    "games": "sheet",
    "help": "keys",
    "later": "exit",
    "learn": "book",
    "leave": "exit",
    "log": "speech",
    "machine": "power",
    "may": "button",
    "name": "letters",
    "off": "power",
    "phones": "phone",
    "practice": "button",
    "put_back": "arrow",
    "quit": "exit",
    "read_again": "camera",
    "repair": "check",
    "replace": "person",
    "resume": "play",
    "settings": "sliders",
    "swap": "swap",
    "take_back": "undo",
    "uncover": "eye",
    "update": "copy",
    "why": "help",
    "wrong": "alert",
}
"""What stands on the card of a button, by its key."""
WAY_COLOURS: Mapping[str, str] = {"close": "green", "abandon": "red", "off": "red", "quit": "red"}
NEXT_COLOURS = ("purple", "blue", "orange", "green", "red")
"""The colours of those cards: by key, of the others in this order."""
STRIPES = 5
"""Pale stripes across a card with a sign."""
LEGEND, LEGEND_SIGN = 1.3, 1.6
"""What a button's presses do: the words in em, and the signs beside them."""
STATED = 2.0
"""How many times larger than the smallest letters the one sentence of a page is at most."""
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
    dots: tuple[bool, ...] = ()
    """A dot for each of its parts: full where it is done."""


def paint_ways(
    sheet: Sheet,
    title: str,
    ways: Sequence[DialogButton],
    *foot: DialogButton,
    lines: Mapping[str, str] | None = None,
    warning: str = "",
    lead: str = "",
    about: Chair | None = None,
) -> None:
    """Those of the ways that can be gone now, as cards with a sign on the felt.

    `lines`: what stands below a card's words, by key; the others as in `paint_felt_choices`.
    """
    choices, colours = [], iter(NEXT_COLOURS * len(ways))
    for place, one in enumerate(way for way in ways if way.action is not None):
        assert one.action is not None
        colour = blend(CHAIR[WAY_COLOURS.get(one.key) or next(colours)], INK, 0.25)
        card = partial(draw_sign_card, sign=WAY_SIGNS[one.key], colour=colour, place=place)
        line = (lines or {}).get(one.key, "")
        choices.append(FeltChoice(one.key, sheet.tr(one.words), line, one.action, card))
    paint_felt_choices(sheet, title, choices, foot, warning, lead=lead, about=about)


def paint_statement(sheet: Sheet, title: str, words: str, *foot: DialogButton, sign: str) -> None:
    """A page with one thing to know: a card with a sign, and the sentence beside it."""
    felt, bar = paint_felt_page(sheet, title)
    room = felt_room(sheet, felt)
    card, told = split_body(sheet, room, 30, upright=40)
    spot = card.inflate(-card.w // 8, -card.h // 8)
    draw_sign_card(sheet, spot, INK, sign=sign, colour=LOOK.colour("back"), place=0)
    sheet.text(told.inset(left=sheet.em(0.6)), words, STATED, TEXT, bold=True)
    paint_bar(sheet, bar, *foot)


TILE_PAD, LIFTED = 0.4, 0.4
"""What a tile leaves beside its words, and how much larger and higher it is when it is marked, in em."""
MAX_ABOVE = 6
"""More choices than these are tiles, with as much room for words as each needs."""


def paint_felt_choices(
    sheet: Sheet,
    title: str,
    choices: Sequence[FeltChoice],
    foot: Sequence[DialogButton],
    warning: str = "",
    *,
    lead: str = "",
    about: Chair | None = None,
) -> Box:
    """Paint a whole page of them, the rare things below as buttons; returns what those leave of the bar.

    `lead`: what to know before choosing; `about`: whom the page is about.
    """
    felt, bar = paint_felt_page(sheet, title, about)
    room = felt_room(sheet, felt)
    if lead:
        told, room = rows(room, sheet.text_height(lead, most=4, pad=sheet.em(0.4)), FILL)
        sheet.text(told, lead, 1.2, TEXT, align="center", middle=False)
    room = sheet.paint_warning(room, warning) if warning else room
    many = len(choices) > MAX_ABOVE
    gap = sheet.u(CHOICE["gap"]) * (2 if many else 3) // 3
    cells = best_grid(room, len(choices), gap, shape=CHOICE["tile" if many else "shape"])
    alike = _words_height(sheet, cells[0].w, choices)
    least = min(_words_height(sheet, cells[0].w, [one], tile=True) for one in choices)
    bare = [sheet.surface.subsurface(cell).copy() for cell in cells]
    for cell, choice, ground in zip(cells, choices, bare, strict=True):
        high = _words_height(sheet, cell.w, [choice], tile=True) if many else alike
        paint = partial(_paint_choice, cell=cell, choice=choice, high=high, tile=least if many else 0)
        paint(sheet)
        mark = partial(paint, ground=ground)
        sheet.target(choice.key, cell, choice.action, mark=mark)
    return paint_bar(sheet, bar, *foot)


def paint_press_legend(sheet: Sheet, room: Box, tap: str, hold: str) -> None:
    """What a tap and a hold of a button do, at the right end of a bar, if it has room for that."""
    gap, told = sheet.em(0.5), (("tap", tap), ("hold", hold))
    wide = [sheet.em(LEGEND_SIGN) + 2 * gap + sheet.text_width(words, LEGEND, bold=True) for _, words in told]
    if sum(wide) + gap > room.w:
        return
    for (press, words), place in zip(told, columns(room, *wide, gap=gap, justify="end"), strict=True):
        beside = paint_press_sign(sheet, place, press, TEXT, most=LEGEND_SIGN, gap=0.5)
        sheet.text(beside, words, LEGEND, TEXT, bold=True)


def _words_height(sheet: Sheet, width: int, choices: Sequence[FeltChoice], *, tile: bool = False) -> int:
    """What the words below the cards need, the same for all."""
    scale, room = type_scale("said"), width - sheet.em(TILE_PAD if tile else 0.2)
    line = sheet.painter.line_height(scale)
    names = line
    for words in (one.words for one in choices):
        fitted = sheet.painter.fit_text(words, room, line, scale, bold=True)
        if fitted.cut or not tile:  # on a tile a name is rather smaller than on two lines
            most = 2 * (sheet.line_height if tile else line)
            fitted = sheet.painter.fit_text(words, room, most, scale, bold=True)
        names = max(names, len(fitted.lines) * sheet.painter.line_height(fitted.scale))
    below = sheet.line_height * any(one.line or one.dots for one in choices)
    return max(0 if tile else sheet.u(CHOICE["words"]), names + below + sheet.u(WORDS_PAD))


def _paint_choice(
    sheet: Sheet,
    cell: Box,
    choice: FeltChoice,
    high: int,
    *,
    tile: int,
    ground: pygame.Surface | None = None,
) -> None:
    """The cards, and the words `high` below them; marked, on the bare `ground`, they are larger, the words on
    paper, as those of a tile always are.

    `tile`: the least height of the words on a tile, so that its cards are as large as on every other; behind
    more words they are hidden.
    """
    marked, gap = ground is not None, 0 if tile else sheet.u(CHOICE["gap"])
    if ground is not None:
        sheet.surface.blit(ground, cell)
    if tile and marked:
        cell = cell.inflate(sheet.em(LIFTED), sheet.em(LIFTED)).move(0, -sheet.em(LIFTED) // 2)
    cards, words = rows(cell, FILL, high, gap=gap)
    corner = sheet.u(CHOICE["radius"]) / sheet.unit
    paper = GOLD if tile and marked else PAPER
    if tile:
        cards = cell.inset(bottom=tile)
        sheet.shadow(cell, "plate", sheet.u(CHOICE["radius"]))
        sheet.box(cell, blend(FELT, INK, 0.35), GOLD if marked else None, radius=corner, width=0.15)
    elif marked:
        paint_halo(sheet, cards.center, min(cards.w * 3 // 4, cards.h))
        sheet.box(words, PAPER, GOLD, radius=corner, width=0.15)
    less = 0 if marked else round(cards.h * CHOICE["lift"])
    choice.draw(sheet, cards.inset(top=less, left=less // 2, right=less // 2), GOLD if marked else INK)
    if tile:
        sheet.box(words, paper, radius=corner)
    ink = INK if tile or marked else TEXT
    told = words.inflate(-sheet.em(TILE_PAD if tile else 0.2), -sheet.u(WORDS_PAD))
    name, line = rows(told, FILL, sheet.line_height if choice.line or choice.dots else 0)
    sheet.text(name, choice.words, type_scale("said"), ink, bold=True, align="center")
    paper = FELT if ink == TEXT else paper
    dots = sheet.u(2.5 * DOT) * len(choice.dots)
    wide = sheet.text_width(choice.line) + sheet.em(0.3) if choice.dots else FILL
    said, rings = columns(line, wide, dots, justify="center") if choice.dots else (line, line)
    if choice.line:
        sheet.text(said, choice.line, 1.0, blend(paper, ink, 0.86), align="left" if choice.dots else "center")
    if choice.dots:
        _paint_dots(sheet, rings, choice.dots, ink=ink, ground=paper)


def _paint_dots(sheet: Sheet, rect: Box, done: Sequence[bool], *, ink: Colour, ground: Colour) -> None:
    """Full for what is done, else a ring."""
    radius = sheet.u(DOT)
    for one, spot in zip(done, columns(rect, *[FILL] * len(done)), strict=True):
        sheet.disc(spot.center, radius, ink)
        sheet.disc(spot.center, radius - max(2, sheet.u(LOOK.line["may"])), GOOD if one else ground)


def draw_sign_card(sheet: Sheet, box: Box, ring: Colour, *, sign: str, colour: Colour, place: int) -> None:
    """A card of a colour with a sign on it: an icon, or that of a press."""
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
        side = round(size[0] * CHOICE["sign"])
        if sign in {"tap", "hold"}:
            icon = draw_press_sign(sheet, sign, side, PAPER)
        else:
            icon = draw_icon(sheet, sign, side, PAPER)
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


def draw_motif(sheet: Sheet, box: Box, ring: Colour, *, motif: str) -> None:
    """The sign of a game that has no cards."""
    sheet.picture(sheet.art.motif(motif, round(min(box.size) * CHOICE["upright"])), box.center)


def draw_players(sheet: Sheet, box: Box, ring: Colour, *, chairs: Sequence[Chair]) -> None:
    """The shapes of these players."""
    for chair, cell in zip(chairs, best_grid(box, len(chairs), 0, shape=1.0), strict=True):
        paint_avatar(sheet, cell.center, min(cell.size) * 7 // 10, chair, lit=ring == GOLD)
