"""Colours and sizes by name, and how well one colour is read on another; the numbers are in `tokens.json`."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import lru_cache

from companion.ui.tokens import Colour, parsed, tokens

LOOK = tokens()

GROUND = LOOK.colour("room")
PANEL = LOOK.colour("panel")
RAISED = LOOK.colour("raised")
"""Buttons, chips."""
EDGE = LOOK.colour("edge")
BUTTON_EDGE = LOOK.colour("button_edge")
TEXT = LOOK.colour("text")
SOFT = LOOK.colour("soft")
"""Text of second rank."""
GOLD = LOOK.colour("asked")
"""You are asked; the one primary button; what is marked; the count."""
GOOD = LOOK.colour("done")
"""A step of a lesson is done."""
BAD = LOOK.colour("error")
"""A rule was broken, and nothing else."""
NOTICE = LOOK.colour("notice")
"""The machine speaks of itself, or gives a hint."""
INK = LOOK.colour("ink")
"""Text on anything bright."""
PAPER = LOOK.colour("paper")
"""The plate the table waits for, and what was chosen."""
FELT = LOOK.colour("felt")
"""The cloth in the middle."""
BLUE_BACK = LOOK.colour("back")
SHADE = LOOK.colour("shade")
DARK = LOOK.colour("dark")

CHAIR: Mapping[str, Colour] = {seat.name: parsed(seat.fill) for seat in LOOK.seats}
"""Chosen by search: apart by ΔE ≥ 15 also as the three kinds of colour blindness see them."""
SEEN = 3.0
"""The least contrast of a shape that says something, as WCAG 2 asks for."""
SHAPES = tuple(seat.shape for seat in LOOK.seats)
"""Shape of each chair, chair 1 first: never by colour alone."""


@lru_cache(maxsize=1024)
def text_size(height: int, scale: float = 1.0) -> int:
    """The pixel size of text `scale` times the smallest; nothing smaller than that exists."""
    smallest = height / LOOK.text["smallest"]
    return max(math.ceil(smallest), round(smallest * scale))


def scale_of(role: str) -> float:
    """How many times larger than the smallest text this kind of text is."""
    return LOOK.type[role] * LOOK.text["smallest"] / 100


@lru_cache(maxsize=1024)
def luminance(colour: Colour) -> float:
    """Relative luminance as WCAG 2 defines it."""
    parts = [c / 255 for c in colour]
    r, g, b = (c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in parts)
    return 0.2126 * r + 0.7152 * g + 0.0722 * b


def contrast(one: Colour, other: Colour) -> float:
    """Contrast ratio as WCAG 2 defines it, 1 to 21."""
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


@lru_cache(maxsize=1024)
def ink_on(fill: Colour) -> Colour:
    """The text colour that stands out best on `fill`."""
    return max((INK, TEXT), key=lambda colour: contrast(colour, fill))


@lru_cache(maxsize=1024)
def mixed(one: Colour, other: Colour, share: float) -> Colour:
    """`one` with `share` of `other` in it."""
    r, g, b = (round(a + (c - a) * share) for a, c in zip(one, other, strict=True))
    return (r, g, b)


def dimmed(colour: Colour, ground: Colour) -> Colour:
    """As little of a colour as makes a shape seen on a ground."""
    shares = (mixed(ground, colour, step / 20) for step in range(21))
    return next((one for one in shares if contrast(one, ground) >= SEEN), colour)


def quiet(colour: Colour) -> Colour:
    """A chair's colour as the ground of its plate: dark enough for white text."""
    return mixed(PANEL, colour, LOOK.share["tint"])


def quiet_edge(colour: Colour) -> Colour:
    """The edge of such a plate."""
    return mixed(PANEL, colour, LOOK.share["tint_edge"])
