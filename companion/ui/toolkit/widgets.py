"""Basic widgets of all pages: felt, plates, avatars, chips, press signs."""

import math
from collections.abc import Mapping, Sequence
from enum import StrEnum

import pygame

from companion.core.actions import HOLD_TIME, Chair, Micros
from companion.ui.layout import FILL, Box, around, columns, stack
from companion.ui.toolkit.sheet import EM_PER_U, Sheet
from companion.ui.toolkit.sprites import SpriteCache, draw_rounded_rect, draw_smooth
from companion.ui.toolkit.theme import (
    BUTTON_EDGE,
    DARK,
    FELT,
    GOLD,
    INK,
    LOOK,
    PAPER,
    RAISED,
    TEXT,
    Colour,
    blend,
    contrast_ratio,
    ink_on,
    plate_edge,
    plate_ground,
)

MIN_CONTRAST = 4.5
"""The least contrast of words, as WCAG 2 asks for."""
LIGHT_SCALE = 8
"""The felt's own light is drawn this many times smaller and scaled up: it is soft."""


SIGNED = 1.15
"""Words beside a sign on a large button, in smallest letters."""
SIGN = 1.3
"""How high the sign of a press is beside words, in smallest letters: it is seen across the table."""
GROWTH, AT_REST = 24, 0.75
"""A hold's ring grows in so many steps, and shows this share of them while nobody holds."""


class PlateState(StrEnum):
    """What a plate says of the player who sits there."""

    WAIT = "wait"
    MAY = "may"
    """The button does something now, but nobody waits for it."""
    ASKED = "asked"
    """The table waits for this one."""
    UP = "up"
    """A hand is up while hands are counted."""


def paint_plate(
    sheet: Sheet, rect: Box, colour: Colour, state: PlateState, *, pressed: bool = False
) -> Colour:
    """Paint a plate in somebody's colour; returns what its words are written in."""
    fill, edge, line = {
        PlateState.WAIT: (plate_ground(colour), plate_edge(colour), "edge"),
        PlateState.MAY: (plate_ground(colour), GOLD, "may"),
        PlateState.ASKED: (PAPER, GOLD, "asked"),
        PlateState.UP: (_readable_ground(colour), PAPER, "may"),
    }[state]
    if pressed:
        edge, line = TEXT, "asked"
    radius, width = (EM_PER_U * size for size in (LOOK.radius["plate"], LOOK.line[line]))
    asked = state is PlateState.ASKED
    sheet.shadow(rect, "asked" if asked else "plate", sheet.em(radius), GOLD if asked else DARK)
    sheet.box(rect, fill, edge, radius=radius, width=width)
    return ink_on(fill)


def paint_row(sheet: Sheet, rect: Box, fill: Colour) -> None:
    """One row of a list on the felt."""
    radius = sheet.u(LOOK.radius["button"])
    sheet.shadow(rect, "plate", radius)
    draw_rounded_rect(sheet.surface, sheet.art.sprites, rect, fill, radius=radius)


def paint_empty_place(sheet: Sheet, rect: Box, edge: Colour | None = None) -> None:
    """Where a card belongs and none lies: a hollow in the felt."""
    radius = EM_PER_U * LOOK.radius["button"]
    sheet.box(rect, blend(FELT, INK, 0.3), edge or blend(FELT, TEXT, 0.3), radius=radius)


def _readable_ground(colour: Colour) -> Colour:
    """As much of a colour as leaves the words on it readable."""
    shares = (blend(plate_ground(colour), colour, share / 100) for share in (100, 95, 90, 85, 80, 75))
    return next((one for one in shares if contrast_ratio(one, ink_on(one)) >= MIN_CONTRAST), colour)


def paint_avatar(
    sheet: Sheet, centre: tuple[int, int], size: int, chair: Chair, *, lit: bool = False
) -> None:
    """A chair's shape, colour and number, `size` high; of the player who is asked, with a gold line."""
    sheet.badge(centre, size * 10 // 26, chair, edge=GOLD if lit else PAPER)


def paint_halo(sheet: Sheet, centre: tuple[int, int], size: int) -> None:
    """The light round such an avatar."""
    sheet.picture(sheet.art.sprites.soft_light(round(size * 1.2), GOLD, LOOK.share["halo"]), centre)


RIM_BANDS = 32
"""Shades of the rim's wood, from its upper to its lower edge."""


def paint_felt(sheet: Sheet, rim: Box, lit: Sequence[tuple[int, int]] = ()) -> None:
    """The table seen from above, with a light on its felt at each place in `lit`."""
    sprites, wide = sheet.art.sprites, max(2, sheet.u(LOOK.radius["rim"] - LOOK.radius["felt"]))
    corner = min(sheet.u(LOOK.radius["rim"]), rim.h // 3)
    light, dark = LOOK.colour("rim_light"), LOOK.colour("rim")
    sheet.shadow(rim, "rim", corner)
    for band in range(RIM_BANDS):  # lit from above
        top, bottom = (rim.y + rim.h * edge // RIM_BANDS for edge in (band, band + 1))
        sheet.surface.set_clip((rim.x, top, rim.w, bottom - top))
        colour = blend(light, dark, band / (RIM_BANDS - 1))
        draw_rounded_rect(sheet.surface, sprites, rim, colour, radius=corner)
    sheet.surface.set_clip(None)
    cloth = rim.inflate(-2 * wide, -2 * wide)
    docks = tuple((x - cloth.x, y - cloth.y) for x, y in lit)

    def draw() -> pygame.Surface:
        return _draw_felt(sprites, cloth.size, corner - wide, docks, sheet.painter.height)

    sheet.surface.blit(sprites.get_or_draw(("felt", cloth.size, docks), draw), cloth)


def _draw_felt(
    sprites: SpriteCache,
    size: tuple[int, int],
    corner: int,
    lit: Sequence[tuple[int, int]],
    height: int,
) -> pygame.Surface:
    """The felt under its lamp, brighter where somebody is asked, with round corners.

    `height` of the screen in pixels.
    """
    small = pygame.Surface((max(4, size[0] // LIGHT_SCALE), max(4, size[1] // LIGHT_SCALE)), pygame.SRCALPHA)
    small.fill(LOOK.colour("felt_dark"))
    steps = 24
    for step in range(steps):
        share = step / steps
        ellipse = small.get_rect().inflate(
            round(small.get_width() * (0.35 - share)), round(small.get_height() * (0.35 - share))
        )
        colour = blend(
            LOOK.colour("felt_dark"),
            blend(FELT, LOOK.colour("felt_light"), LOOK.share["felt_middle"]),
            share**0.6,
        )
        pygame.draw.ellipse(small, colour, ellipse)
    cloth = pygame.transform.smoothscale(small, size)
    glow = sprites.soft_light(
        round(LOOK.avatar["light"] * height / 100), LOOK.colour("lamp"), LOOK.share["felt_light"]
    )
    for place in lit:
        cloth.blit(glow, glow.get_rect(center=place))
    cloth.blit(_draw_rim_shade(size, corner, height), (0, 0))
    mask = pygame.Surface(size, pygame.SRCALPHA)
    draw_rounded_rect(mask, sprites, Box(0, 0, *size), (255, 255, 255), radius=corner)
    cloth.blit(mask, (0, 0), special_flags=pygame.BLEND_RGBA_MIN)
    return cloth


def _draw_rim_shade(size: tuple[int, int], corner: int, height: int) -> pygame.Surface:
    """What the rim throws on the felt, most of it from above; `height` of the screen in pixels."""
    shade, (drop, reach, strength) = pygame.Surface(size, pygame.SRCALPHA), LOOK.elevation["felt"]
    steps, lower = max(1, round(reach * height / 100)), round(drop * height / 100)
    shade.fill((*DARK, round(255 * strength)))
    for step in range(1, steps + 1):
        inner = shade.get_rect().inflate(-2 * step, -2 * step).move(0, lower * (steps - step) // steps)
        alpha = round(255 * strength * (1 - step / steps) ** 2)
        pygame.draw.rect(shade, (*DARK, alpha), inner, border_radius=max(1, corner - step))
    return shade


def paint_chip(sheet: Sheet, rect: Box, words: str, fill: Colour = RAISED, scale: float = 1.0) -> None:
    """A short remark on its own background, as wide as its text, in the middle of `rect`; `scale` in em."""
    pad = sheet.em(0.5)
    bold = not sheet.painter.fit_text(words, rect.w - 2 * pad, rect.h, 1.0, bold=True).cut
    fitted = sheet.painter.fit_text(words, rect.w - 2 * pad, rect.h, scale, bold=bold)
    font = sheet.painter.font(fitted.scale, bold=bold)
    widest = max(font.size(line)[0] for line in fitted.lines)
    strip = stack(rect, min(rect.w, widest + 2 * pad), rect.h)
    edge = BUTTON_EDGE if fill == RAISED else None
    sheet.box(strip, fill, edge, radius=EM_PER_U * LOOK.radius["button"])
    sheet.text(strip.inflate(-2 * pad + 2, 0), words, scale, ink_on(fill), bold=bold, align="center")


def draw_press_sign(
    sheet: Sheet, press: str, side: int, colour: Colour, grown: float = AT_REST
) -> pygame.Surface:
    """How a button is pressed: a dot for a tap; for a hold a ring, of which a share has `grown`.

    `side` in pixels.
    """
    steps = round(grown * GROWTH)

    def draw(large: pygame.Surface, factor: float) -> None:
        size = side * factor
        middle = (size / 2, size / 2)
        if press != "hold":
            pygame.draw.circle(large, colour, middle, size * 0.36)
            return
        pygame.draw.circle(large, colour, middle, size * 0.5, round(size * 0.2))
        turns = (math.tau * (steps + (GROWTH - steps) * part / 8) / GROWTH for part in range(9))
        left = [(middle[0] + size * math.sin(turn), middle[1] - size * math.cos(turn)) for turn in turns]
        pygame.draw.polygon(large, (0, 0, 0, 0), [middle, *left])
        pygame.draw.circle(large, colour, middle, size * 0.43, max(1, round(size * 0.06)))

    return sheet.art.sprites.get_or_draw(
        ("sign", press, side, colour, steps), lambda: draw_smooth((side, side), draw)
    )


def paint_held_sign(sheet: Sheet, spot: Box, press: str, colour: Colour, chair: Chair) -> None:
    """The sign of a press of this chair's button; the ring begins to grow when that goes down."""
    goes = press == "hold" and chair in getattr(sheet.frame, "pressed", ())
    sign = draw_press_sign(sheet, press, spot.w, colour, 0 if goes else AT_REST)
    if goes:
        sheet.moving[f"hold:{chair}:{spot.x}:{spot.y}"] = around(spot.center, *sign.get_size())
    sheet.picture(sign, spot.center)


def draw_held_signs(
    surface: pygame.Surface, sheet: Sheet, since: Mapping[Chair, Micros], now: Micros
) -> None:
    """The rings of those who hold their buttons, down `since` then, as far as they have grown."""
    for name, rect in sheet.moving.items():
        kind, _, chair = name.partition(":")
        chair = chair.partition(":")[0]
        if kind == "hold" and int(chair) in since:
            ink = ink_on(tuple(surface.get_at(rect.center))[:3])  # nothing stands within the ring
            grown = min(1.0, (now - since[int(chair)]) / HOLD_TIME)
            surface.blit(draw_press_sign(sheet, "hold", rect.w, ink, grown), rect)


def draw_focus_ring(surface: pygame.Surface, sheet: Sheet, rect: Box) -> None:
    """A white ring round `rect` (pixels), which ok would activate.

    A dark one under it makes it show on bright grounds.
    """
    gap, thick = sheet.u(LOOK.line["focus_gap"]), max(2, sheet.u(LOOK.line["focus"]))
    dark = max(1, sheet.u(LOOK.line["hair"]))
    for reach, colour, width in ((gap + thick + dark, INK, thick + 2 * dark), (gap + thick, TEXT, thick)):
        ring = rect.inflate(2 * reach, 2 * reach)
        corner = sheet.u(LOOK.radius["button"]) + reach
        draw_rounded_rect(surface, sheet.art.sprites, ring, None, colour, radius=corner, width=width)


def paint_signed_label(sheet: Sheet, rect: Box, sign: pygame.Surface, words: str, colour: Colour) -> None:
    """A sign and words after it, in the middle of a button."""
    gap, side = sheet.em(0.4), sign.get_width()
    wide = min(rect.w - side - 3 * gap, sheet.text_width(words, SIGNED, bold=True) + 2)
    place, told = columns(rect, side, wide, gap=gap, justify="center")
    sheet.picture(sign, place.center)
    sheet.text(told, words, SIGNED, colour, bold=True)


def paint_press_sign(
    sheet: Sheet,
    row: Box,
    press: str,
    colour: Colour,
    *,
    most: float = SIGN,
    gap: float = 0.25,
    chair: Chair = -1,
) -> Box:
    """The sign of a press at the left of a row, `most` em high; returns the room for words after it.

    `chair`: whose button it is, where that is seen to be held.
    """
    sign, words = columns(row, min(sheet.em(most), row.h), FILL, gap=sheet.em(gap))
    paint_held_sign(sheet, sign, press, colour, chair)
    return words
