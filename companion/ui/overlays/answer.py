"""One person's answers, large: where a finger could not tell them apart on the plate."""

import pygame
from msgspec.structs import replace

from companion.ui import ring
from companion.ui.answers import large, say, show_choice
from companion.ui.frame import GameFrame
from companion.ui.overlays.leaf import ASKS, CLOSE, feet, titled
from companion.ui.sheet import Sheet
from companion.ui.theme import BUTTON_EDGE, RAISED, TEXT

WIDE = 5.0
"""A tile is about this many times as wide as high."""
FEW = 3
"""This many tiles have room for large words."""


def answer(sheet: Sheet, frame: GameFrame) -> None:
    """What is asked, and everything that this one may answer; touching says it and puts the leaf away."""
    chair = large(frame)
    if chair is None:
        return
    asked = sheet.words.text(frame.view.headline, frame.names)
    body = titled(sheet, asked, span=ASKS, about=chair.chair)
    gap = sheet.em(0.4)
    cells = ring.grid(len(chair.choices), body, gap, shape=WIDE)
    for cell, choice in zip(cells, chair.choices, strict=True):
        sheet.box(cell, RAISED, BUTTON_EDGE)
        words = pygame.Rect(cell).inflate(-sheet.em(1.2), -sheet.em(0.2))
        show_choice(sheet, words, choice, frame, TEXT, scale=2.0 if len(cells) <= FEW else 1.4)
        sheet.target(f"tile:{choice.action}", cell, replace(say(choice), changes=(("overlay", ""),)))
    feet(sheet, CLOSE, span=ASKS)
