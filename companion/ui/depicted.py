"""What a sentence is about, as pictures: cards and tokens, as the game's board says which."""

import pygame

from companion.core.board import Board
from companion.core.view import SAID_ONLY, Sentence
from companion.ui.ring import SLIM
from companion.ui.sets import face
from companion.ui.sheet import Sheet


def depicted(board: Board, sentence: Sentence) -> tuple[str, ...]:
    """Cards (`animal:7`) and motifs (`crown`) by name, at most one answer of the board's for each part."""
    word = sentence.key.removesuffix(".bot").rpartition(".")[2]
    found = [
        name.format(value)
        for part, value in sentence.parts
        for name in board.pictured.get(f"{word}.{part}", board.pictured.get(part, ()))
    ]
    return (*board.pictured.get(word, ()), *found)


def draw(sheet: Sheet, rect: pygame.Rect, names: tuple[str, ...]) -> int:
    """The pictures side by side from the left, as high as `rect`; returns where they end."""
    gap, left = sheet.em(0.25), rect.x
    for name in names:
        width = round(rect.h * SLIM) if ":" in name else min(rect.h, sheet.em(2.2))
        if left + width > rect.right:
            break
        place = pygame.Rect(left, rect.y, width, rect.h)
        if name.startswith(SAID_ONLY) or "@" in name:
            face(sheet, place, name)
        elif name.startswith("back:"):
            sheet.surface.blit(sheet.art.printed(name, place.size) or sheet.art.back(place.size), place)
        elif ":" in name:
            sheet.surface.blit(sheet.art.printed(name, place.size) or sheet.art.card(name, place.size), place)
        else:
            sheet.picture(sheet.art.motif(name, width), place.center)
        left += width + gap
    return left
