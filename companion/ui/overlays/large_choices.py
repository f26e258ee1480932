"""Overlay with one player's choices, large enough for a finger."""

import pygame
from msgspec.structs import replace

from companion.ui.board import place_layout
from companion.ui.board.plate_choices import find_enlarged_chair, paint_choice, say_action
from companion.ui.frame import GameFrame
from companion.ui.overlays.dialog import CLOSE_BUTTON, QUESTION_SPAN, paint_buttons, paint_titled_dialog
from companion.ui.toolkit.sheet import Sheet
from companion.ui.toolkit.theme import BUTTON_EDGE, RAISED, TEXT

WIDE = 5.0
"""A tile is about this many times as wide as high."""
FEW = 3
"""This many tiles have room for large words."""


def paint_large_choices(sheet: Sheet, frame: GameFrame) -> None:
    """What is asked, and everything that this one may answer; touching says it and puts the leaf away."""
    chair = find_enlarged_chair(frame)
    if chair is None:
        return
    asked = sheet.words.text(frame.view.headline, frame.names)
    body = paint_titled_dialog(sheet, asked, span=QUESTION_SPAN, about=chair.chair)
    gap = sheet.em(0.4)
    cells = place_layout.choice_grid(len(chair.choices), body, gap, shape=WIDE)
    for cell, choice in zip(cells, chair.choices, strict=True):
        sheet.box(cell, RAISED, BUTTON_EDGE)
        words = pygame.Rect(cell).inflate(-sheet.em(1.2), -sheet.em(0.2))
        paint_choice(sheet, words, choice, frame, TEXT, scale=2.0 if len(cells) <= FEW else 1.4)
        sheet.target(f"tile:{choice.action}", cell, replace(say_action(choice), changes=(("overlay", ""),)))
    paint_buttons(sheet, CLOSE_BUTTON, span=QUESTION_SPAN)
