"""Draws cards: those a sentence mentions, and how one lies."""

import pygame

from companion.core.view import VALUE_ONLY_PREFIX, Board, Sentence
from companion.ui.board.stage_layout import CARD_ASPECT
from companion.ui.layout import Box
from companion.ui.toolkit.sheet import Sheet
from companion.ui.toolkit.theme import INK, TEXT

CARD_RATIO = 68 / 44
"""Height of a card by its width."""


def find_pictures(board: Board, sentence: Sentence) -> tuple[str, ...]:
    """Cards (`animal:7`) and motifs (`crown`) by name, at most one answer of the board's for each part."""
    word = sentence.key.removesuffix(".bot").rpartition(".")[2]
    found = [
        name.format(value)
        for part, value in sentence.parts
        for name in board.sentence_pictures.get(f"{word}.{part}", board.sentence_pictures.get(part, ()))
    ]
    return (*board.sentence_pictures.get(word, ()), *found)


def paint_pictures(sheet: Sheet, rect: Box, names: tuple[str, ...], place: str | int = "") -> int:
    """The pictures side by side from the left, as high as `rect`; returns where they end.

    `place`: the number of the place where a card lies face down, written on its back.
    """
    gap, left = sheet.em(0.25), rect.x
    for name in names:
        card = round(rect.h * CARD_ASPECT)
        width = card if ":" in name else min(rect.h, max(card, sheet.em(2.2)))
        if left + width > rect.right:
            break
        spot = Box(left, rect.y, width, rect.h)
        if name.startswith(VALUE_ONLY_PREFIX) or "@" in name:
            sheet.picture(draw_oriented_card(sheet, name, spot.size), spot.center)
        elif name.startswith("back:") or ":" in name:
            sheet.card(spot, name)
            if place and name.startswith("back:"):
                sheet.disc(spot.center, spot.w * 2 // 5, INK)
                number = sheet.painter.render_text(str(place), spot.w / sheet.unit * 0.55, TEXT, bold=True)
                sheet.picture(number, spot.center)
        else:
            sheet.picture(sheet.art.motif(name, width), spot.center)
        left += width + gap
    return left


def draw_oriented_card(sheet: Sheet, card: str, size: tuple[int, int]) -> pygame.Surface:
    """A card that lies one way or the other: `pair:3-8@180`; `value:8` is one of which only that is known."""
    name, _, turn = card.partition("@")
    if name.startswith(VALUE_ONLY_PREFIX):
        kind = min(sheet.frame.board.oriented_cards, default="")  # type: ignore[attr-defined]
        return sheet.art.half_face(kind, top_value(card), size)
    face = sheet.art.printed_face(name, size) or sheet.art.card_face(name, size)
    return pygame.transform.rotate(face, 180) if turn == "180" else face


def top_value(card: str) -> str:
    """The value that is up."""
    name, _, turn = card.partition("@")
    low, _, high = name.partition(":")[2].rstrip("abcdefghijklmnopqrstuvwxyz").partition("-")
    return high if turn == "180" else low
