"""Colours and sizes: dark and calm, read from two metres away by people of all ages."""

from __future__ import annotations

import math
from collections.abc import Mapping

Colour = tuple[int, int, int]

GROUND: Colour = (14, 19, 28)
PANEL: Colour = (27, 35, 50)
RAISED: Colour = (40, 53, 76)
"""Panels of those who are asked, and buttons."""
EDGE: Colour = (84, 101, 130)
TEXT: Colour = (246, 248, 250)
SOFT: Colour = (184, 196, 214)
"""Text of second rank."""
GOLD: Colour = (255, 213, 92)
"""What is asked for, and the focus."""
GOOD: Colour = (94, 220, 150)
BAD: Colour = (255, 128, 112)
INK: Colour = (12, 16, 24)
"""Text on anything bright."""
PAPER: Colour = (243, 239, 228)
FELT: Colour = (20, 43, 41)
"""The cloth in the middle."""
BLUE_BACK: Colour = (52, 92, 158)
DARK: Colour = (0, 0, 0)

CHAIR: Mapping[str, Colour] = {
    "red": (238, 71, 60),
    "blue": (72, 193, 255),
    "green": (13, 154, 117),
    "yellow": (255, 225, 49),
    "purple": (165, 110, 245),
    "orange": (251, 148, 48),
    "pink": (228, 156, 197),
    "white": (246, 248, 250),
}
"""Chosen by search: apart by ΔE ≥ 17 also as the three kinds of colour blindness see them."""
SHAPES = ("circle", "triangle", "square", "diamond", "star", "hexagon", "cross", "heart")
"""Shape of each chair, chair 1 first: never by colour alone."""

SMALLEST = 24
"""The smallest text is 1/24 of the screen's height."""


def text_size(height: int, scale: float = 1.0) -> int:
    """The pixel size of text `scale` times the smallest; nothing smaller than that exists."""
    return max(math.ceil(height / SMALLEST), round(height / SMALLEST * scale))


def luminance(colour: Colour) -> float:
    """Relative luminance as WCAG 2 defines it."""
    parts = [c / 255 for c in colour]
    r, g, b = (c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in parts)
    return 0.2126 * r + 0.7152 * g + 0.0722 * b


def contrast(one: Colour, other: Colour) -> float:
    """Contrast ratio as WCAG 2 defines it, 1 to 21."""
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def ink_on(fill: Colour) -> Colour:
    """The text colour that stands out best on `fill`."""
    return max((INK, TEXT), key=lambda colour: contrast(colour, fill))


def mixed(one: Colour, other: Colour, share: float) -> Colour:
    """`one` with `share` of `other` in it."""
    r, g, b = (round(a + (c - a) * share) for a, c in zip(one, other, strict=True))
    return (r, g, b)


def quiet(colour: Colour) -> Colour:
    """A chair's colour as the ground of its panel: dark enough for white text."""
    return mixed(PANEL, colour, 0.16)
