"""Draws falling confetti for a winner as a function of time."""

import math
from collections.abc import Sequence

import pygame

from companion.core.actions import SECOND, Micros
from companion.ui.toolkit.design_tokens import Colour
from companion.ui.toolkit.theme import LOOK


def draw_confetti(surface: pygame.Surface, colours: Sequence[Colour], now: Micros) -> None:
    """Pieces of paper falling for ever, left and right of what is written, as they are at `now` (µs)."""
    width, height = surface.get_size()
    side = max(6, height // 60)
    for piece in range(LOOK.motion["confetti"]):
        seed = (piece * 7919) % 997 / 997
        pace = 0.10 + 0.12 * ((piece * 104729) % 991 / 991)
        fall = (now / SECOND * pace + seed * 7) % 1.15 - 0.08
        sway = math.sin(now / SECOND * (1 + seed) + piece) * width * 0.012
        across = piece * 0.618 % 1.0 * 0.5
        x = (across if across < 0.25 else across + 0.5) * width + sway
        turn = abs(math.cos(now / SECOND * (2 + 2 * seed) + piece))
        rect = pygame.Rect(round(x), round(fall * height), side, max(2, round(side * 1.6 * turn)))
        pygame.draw.rect(surface, colours[piece % len(colours)], rect)
