"""Draws the home page's table with a seat for every chair."""

import math

import pygame

from companion.core.actions import Chair
from companion.ui.frame import HomeFrame
from companion.ui.toolkit.seat_order import in_screen_order
from companion.ui.toolkit.sheet import Sheet, TouchAction
from companion.ui.toolkit.theme import GROUND, LOOK, TEXT
from companion.ui.toolkit.widgets import paint_avatar, paint_felt, paint_halo

INNER = 1.3
"""So much of the largest seat's height reaches into the felt from above and below."""


def seat_centres(chairs: int, rim: pygame.Rect) -> tuple[tuple[int, int], ...]:
    """The middle of every seat, clockwise from the bottom left: as many left as the plates of a game."""
    square = LOOK.home["square"]
    found = []
    for chair in range(chairs):
        left = chairs // 2
        among = left if chair < left else chairs - left
        half = (chair if chair < left else chair - left) + 0.5
        turn = math.pi * (half / among) + (math.pi / 2 if chair < left else -math.pi / 2)
        x, y = math.cos(turn), math.sin(turn)
        reach = (abs(x) ** square + abs(y) ** square) ** (-1 / square)
        found.append((round(rim.centerx + x * reach * rim.w / 2), round(rim.centery + y * reach * rim.h / 2)))
    return tuple(found)


def paint_seating_table(
    sheet: Sheet, room: pygame.Rect, frame: HomeFrame, sits: dict[Chair, TouchAction]
) -> pygame.Rect:
    """Paint it as large as there is room; returns the middle of its felt. `sits`: what touching does."""
    joined = sheet.u(LOOK.home["joined"])
    wide, high = (sheet.u(LOOK.home[name]) for name in ("table_wide", "table_high"))
    share = min((room.w - joined) / wide, (room.h - joined) / high, 1.35)
    joined = min(joined, round(joined * share))
    small = round(joined * LOOK.home["avatar"] / LOOK.home["joined"])
    rim = pygame.Rect(0, 0, round(wide * share), round(high * share))
    rim.center = room.center
    paint_felt(sheet, rim)
    draft = frame.ui_state.draft
    order = in_screen_order(frame.ui_state, range(frame.chairs))
    places = dict(zip(order, seat_centres(frame.chairs, rim), strict=True))
    for chair, place in places.items():
        if chair in draft.chairs:
            paint_halo(sheet, place, joined)
    for chair, place in places.items():
        if chair in draft.chairs:
            paint_avatar(sheet, place, joined, chair, lit=chair not in frame.down)
        else:
            sheet.badge(place, small * 10 // 26, chair, edge=TEXT if chair in frame.down else GROUND)
        spot = pygame.Rect(0, 0, joined, joined)
        spot.center = place
        sheet.target(f"chair:{chair}", spot, sits[chair])
    return rim.inflate(-joined - small // 2, -round(joined * INNER))
