"""Draws a trick in the middle: a card before each player, who led it, and whose card takes it."""

from typing import Any

import pygame

from companion.core.actions import Chair
from companion.core.view import Cell, PlaceView, ScreenArea, View
from companion.ui.board.lesson_cards import draw_turned_card
from companion.ui.board.stage_layout import CARD_ASPECT
from companion.ui.frame import GameFrame
from companion.ui.layout import FILL, Box, Share, around, cell, columns, rows, stack
from companion.ui.toolkit.sheet import Sheet
from companion.ui.toolkit.theme import DARK, GOLD, INK, PAPER, TEXT
from companion.ui.toolkit.widgets import paint_avatar, paint_empty_place

CORNERS = ((0, 1), (0, 0), (1, 0), (1, 1))
"""Column and row of the cards of four, clockwise from the bottom left, as their plates are."""
TILTS = (3.0, -2.0, 2.0, -3.0)
"""How far each card is turned, in degrees."""
CHOICES, STEPPED = 0.16, 0.56
"""What choices take of the height beside the trick: of a first step, and of a second one."""
TWO_ROWS = 1.6
"""In a field at most this many times as wide as high the cards lie before their players, else in order."""
FEW = 2
"""So few cards are larger."""
SIGN, LARGE = Share(5), Share(13)
"""How the sign of trump and so few cards share the height."""
BADGE = 0.26
"""A player's avatar at a card, as a share of its height."""
APART = 0.28
"""Between cards in a row, where the avatars stand, as a share of their width."""
BESIDE = 150
"""How much is seen of the cards that do not take the trick, of 255."""


def trick_places(view: View) -> tuple[PlaceView, ...]:
    """The cards of the trick, in order of play; none where no trick is played."""
    cards = (place for place in view.places if place.spot is ScreenArea.TRICK)
    return tuple(sorted(cards, key=lambda place: place.number))


def is_trick_played(frame: GameFrame) -> bool:
    """Whether a trick lies on the table, or is led to now."""
    is_led = frame.view.phase == "play" and "suit" in frame.board.sentence_pictures
    return bool(trick_places(frame.view)) or is_led


def find_trump(view: View) -> Cell | None:
    """The suit that is trump, where a game says it beside the trick."""
    return next((one for row in view.rows for one in row if one.lit), None)


def divide_trick(rect: Box, gap: int, *, chosen: bool, stepped: bool, least: int = 0) -> tuple[Box, Box]:
    """The trick, and below it what is chosen from, `least` pixels high; `stepped`: of its second step."""
    high = max(least, round(rect.h * (STEPPED if stepped else CHOICES)))
    trick, below = rows(rect, FILL, high if chosen else 0, gap=gap if chosen else 0)
    return trick, below


def paint_trick(sheet: Sheet, rect: Box, frame: GameFrame, *, seated: bool = True) -> None:
    """Paint each card near its player; where the field is low, in a row in order of play with the avatars.

    `seated`: plates stand beside it. The one empty place is that of whoever is asked. Cards to be checked
    stand beside the camera's own pictures of them, if there are any.
    """
    places, gap = trick_places(frame.view), sheet.em(0.3)
    if places and all(place.marked for place in places):
        for room, checked in zip(columns(rect, *[FILL] * len(places), gap=gap), places, strict=True):
            _paint_checked(sheet, room, checked, frame.card_pictures.get((checked.region, checked.card)))
        return
    chairs = [chair.chair for chair in frame.view.chairs]
    taken = any(place.marked for place in places)
    asked = {chair.chair for chair in frame.view.chairs if chair.asked and not taken}
    near = seated and rect.w < TWO_ROWS * rect.h and len(chairs) == len(CORNERS)
    by_chair = {place.chair: place for place in places}
    trump = find_trump(frame.view)
    if near:
        lying = [at for at, chair in enumerate(chairs) if chair in by_chair or chair in asked]
        cells, sign = _near_cells(rect, lying, gap, told=trump is not None)
        if trump is not None:
            paint_trump(sheet, sign, trump)
    else:
        first = _leader(chairs, places)
        chairs = [one for one in (*chairs[first:], *chairs[:first]) if one in by_chair or one in asked]
        wide = min(round(rect.h * CARD_ASPECT), round(rect.w / (1 + APART) / len(chairs)))
        cells = list(columns(rect, *[wide] * len(chairs), gap=round(wide * APART), justify="center"))
    for at, chair in enumerate(chairs):
        place, tilt = by_chair.get(chair), TILTS[at % len(TILTS)] if near else 0.0
        box = _card_box(sheet, cells[at], near=near)
        if place is None:
            if chair in asked:
                paint_empty_place(sheet, box, GOLD)
            continue
        _paint_card(sheet, box, place, tilt, dimmed=taken and not place.marked)
        if near and place.number == 1:
            _paint_led(sheet, box)
        if not near:
            side = max(round(box.h * BADGE), sheet.em(1.3))
            paint_avatar(sheet, (box.right + side // 5, box.y + side // 3), side, chair)


def _near_cells(rect: Box, shown: list[int], gap: int, *, told: bool) -> tuple[list[Box], Box]:
    """The cell of each of four, larger while few of them are shown, and the room of the sign of trump.

    `told`: there is a sign.
    """
    cells = [cell(rect, (2, 2), corner, gap=gap) for corner in CORNERS]
    if len(shown) > FEW:
        return cells, around(rect.center, rect.h // 5, rect.h // 5)
    sign, low = rows(rect, SIGN, LARGE, gap=gap) if told else (rect, rect)
    left_first = sorted(shown, key=CORNERS.__getitem__)
    for at, spot in zip(left_first, columns(low, *[FILL] * len(shown), gap=gap), strict=True):
        cells[at] = spot
    return cells, sign


def paint_trump(sheet: Sheet, room: Box, trump: Cell) -> None:
    """The suit on paper, and beside it that it is trump where that has room."""
    said = "" if trump.words is None else sheet.sentence(trump.words)
    side, scale, gap = min(room.size), 1.6, sheet.em(0.6)
    wide = sheet.text_width(said, scale, bold=True) + gap
    box = stack(room, side + wide if side + wide <= room.w else side, side)
    sheet.box(box, PAPER, INK, radius=0.3)
    suit, words = columns(box, side, FILL)
    sheet.picture(sheet.art.motif(trump.motif, side * 8 // 10), suit.center)
    if words.w:
        sheet.text(words, said, scale, INK, bold=True, grows=False)


def _paint_checked(sheet: Sheet, room: Box, place: PlaceView, seen: Any) -> None:
    """A card, beside it the camera's picture if there is one, and who played it."""
    first, *second = columns(room, FILL, *[FILL] * (seen is not None), gap=sheet.em(0.3))
    box = _card_box(sheet, first, near=False)
    _paint_card(sheet, box, place, 0.0, dimmed=False)
    if second:
        picture = sheet.art.camera_picture(seen, box.size)
        beside = stack(second[0], *picture.get_size())
        sheet.picture(picture, (beside.centerx, box.centery))
        sheet.place(f"seen:{place.region}", beside, (), picture)
    if place.chair is not None:
        paint_avatar(sheet, (room.centerx, box.bottom), round(box.h * BADGE), place.chair)


def _card_box(sheet: Sheet, room: Box, *, near: bool) -> Box:
    """A card in its cell, with room for what stands over its edges."""
    edge = sheet.em(0.1) if near else 0
    wide = min(room.w - 2 * edge, round((room.h - 2 * edge) * CARD_ASPECT))
    return stack(room, wide, round(wide / CARD_ASPECT))


def _paint_card(sheet: Sheet, box: Box, place: PlaceView, tilt: float, *, dimmed: bool) -> None:
    picture = draw_turned_card(sheet, place.card, box.size, tilt, ring=GOLD if place.marked else INK)
    if dimmed:
        picture = picture.copy()
        picture.fill((BESIDE, BESIDE, BESIDE), special_flags=pygame.BLEND_RGB_MULT)
    sheet.picture(picture, box.center)
    sheet.place(f"card:{place.region}", box, (place.card,), picture)


def _leader(chairs: list[Chair], places: tuple[PlaceView, ...]) -> int:
    """Where the one is among the chairs who led; 0: the card of nobody else's trick."""
    return next((chairs.index(one.chair) for one in places if one.number == 1 and one.chair in chairs), 0)


def _paint_led(sheet: Sheet, box: Box) -> None:
    """That this card was led, over its upper edge, where no index is."""
    words, line = sheet.tr("ui.led"), sheet.line_height
    pill = stack(box, sheet.text_width(words, bold=True) + sheet.em(0.5), line, "top").move(0, -line // 3)
    sheet.pill(pill, DARK)
    sheet.text(pill, words, 1.0, TEXT, bold=True, align="center")
