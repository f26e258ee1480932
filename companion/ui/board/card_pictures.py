"""Draws cards: those a sentence mentions, those that lie before each player, and how one lies."""

import pygame

from companion.core.view import VALUE_ONLY_PREFIX, Board, PlaceView, Sentence
from companion.ui.board.stage_layout import CARD_ASPECT
from companion.ui.frame import GameFrame
from companion.ui.layout import FILL, Box, best_grid, columns, rows
from companion.ui.toolkit.sheet import Sheet
from companion.ui.toolkit.theme import EDGE, GOLD, INK, PAPER, SOFT, TEXT, blend, plate_ground


def find_pictures(board: Board, sentence: Sentence) -> tuple[str, ...]:
    """Cards (`animal:7`) and motifs (`crown`) by name, at most one answer of the board's for each part."""
    word = sentence.key.removesuffix(".bot").rpartition(".")[2]
    found = [
        name.format(value)
        for part, value in sentence.parts
        for name in board.sentence_pictures.get(f"{word}.{part}", board.sentence_pictures.get(part, ()))
    ]
    return (*board.sentence_pictures.get(word, ()), *found)


def paint_pictures(sheet: Sheet, rect: Box, names: tuple[str, ...]) -> int:
    """The pictures side by side from the left, as high as `rect`; returns where they end."""
    gap, left = sheet.em(0.25), rect.x
    for name in names:
        width = round(rect.h * CARD_ASPECT) if ":" in name else min(rect.h, sheet.em(2.2))
        if left + width > rect.right:
            break
        place = Box(left, rect.y, width, rect.h)
        if name.startswith(VALUE_ONLY_PREFIX) or "@" in name:
            paint_oriented_card(sheet, place, name)
        elif name.startswith("back:") or ":" in name:
            sheet.card(place, name)
        else:
            sheet.picture(sheet.art.motif(name, width), place.center)
        left += width + gap
    return left


CARD_RATIO = 68 / 44
"""Height of a card by its width."""
BESIDE, UNDER = 4.0, 2.9
"""What is there is written beside the owner's sign in an area as wide, under it in one as high."""


def has_room_for_areas(sheet: Sheet, rect: Box, frame: GameFrame) -> bool:
    """Whether there is room for every area's owner, and for what is there."""
    owned = [place for place in frame.view.places if place.chair is not None]
    cells = best_grid(rect, len(owned), sheet.em(0.3), shape=2.2)
    if any(cell.h < sheet.line_height + sheet.em(0.3) for cell in cells):
        return False  # not even one line
    return all(cell.w >= sheet.em(BESIDE) or cell.h >= sheet.em(UNDER) for cell in cells)


def paint_areas(sheet: Sheet, rect: Box, frame: GameFrame) -> None:
    """Every area with an owner: whose it is, its cards, and how many of which value."""
    owned = [place for place in frame.view.places if place.chair is not None]
    gap = sheet.em(0.3)
    for cell, place in zip(best_grid(rect, len(owned), gap, shape=2.2), owned, strict=True):
        _paint_area(sheet, cell, place)


def _paint_area(sheet: Sheet, cell: Box, place: PlaceView) -> None:
    assert place.chair is not None
    edge = GOLD if place.active else blend(EDGE, sheet.colour(place.chair), 0.4)
    ground, width = plate_ground(sheet.colour(place.chair)), 0.18 if place.active else 0.08
    sheet.box(cell, ground, edge, radius=0.4, width=width)
    inner = cell.inflate(-sheet.em(0.4), -sheet.em(0.3))
    # Where there is room the words are larger, and no card lies over them.
    line = sheet.painter.line_height(1.3) if inner.h > 4 * sheet.line_height else sheet.line_height
    head, room = rows(inner, min(line, inner.h), FILL)
    radius = head.h * 44 // 100
    badge, words = columns(head, 2 * radius, FILL, gap=sheet.em(0.3))
    sheet.badge((badge.x + radius, head.centery), radius, place.chair)
    if place.number:
        wide = sheet.text_width(str(place.number)) + sheet.em(0.15)
        _, number, words = columns(words, sheet.em(0.05), min(words.w, wide), FILL)
        sheet.text(number, str(place.number), 1.0, SOFT)
    if not place.card:
        return
    cards = (place.card, *place.on_top)
    told = f"{len(cards)} × {top_value(cards[0])}"
    if sheet.text_width(told, bold=True) > words.w:
        told = told.replace(" ", "")
    if sheet.text_width(told, bold=True) > words.w:  # what is there matters more than its picture
        sheet.text(room, told, 1.3, TEXT, bold=True, align="center")
        return
    sheet.text(words, told, 1.3 if words.w > sheet.em(4) else 1.0, TEXT, bold=True, align="right")
    if room.h > line:
        _paint_card_row(sheet, room, cards)


def _paint_card_row(sheet: Sheet, room: Box, cards: tuple[str, ...]) -> None:
    """The cards from left to right, one over the other where they are many."""
    height = min(room.h - sheet.em(0.1), round(room.w * CARD_RATIO))
    wide, high = max(8, round(height / CARD_RATIO)), max(12, height)
    step = min(wide + sheet.em(0.2), (room.w - wide) // max(1, len(cards) - 1))
    (row,) = rows(room, high, justify="center")
    for spot, card in zip(
        columns(row, *[wide] * len(cards), gap=step - wide, justify="center"), cards, strict=True
    ):
        paint_oriented_card(sheet, spot, card)


def paint_oriented_card(sheet: Sheet, spot: Box, card: str) -> None:
    """A card that lies one way or the other: `pair:3-8@180`; `value:8` is one of which only that is known."""
    name, _, turn = card.partition("@")
    printed = sheet.art.printed_face(name, spot.size)
    if printed is None:
        sheet.box(spot, PAPER, INK, radius=0.2)
        upper = Box(spot.x, spot.y, spot.w, spot.h * 6 // 10).inflate(-sheet.em(0.2), 0)
        room = upper.w >= sheet.em(1.6) and upper.h >= sheet.painter.line_height(1.2)
        if room:
            scale = max(1.2, 0.6 * upper.h / sheet.unit)
            sheet.text(upper, top_value(card), scale, INK, bold=True, align="center")
        return
    sheet.surface.blit(pygame.transform.rotate(printed, 180) if turn == "180" else printed, spot)


def top_value(card: str) -> str:
    """The value that is up."""
    name, _, turn = card.partition("@")
    low, _, high = name.partition(":")[2].rstrip("abcdefghijklmnopqrstuvwxyz").partition("-")
    return high if turn == "180" else low
