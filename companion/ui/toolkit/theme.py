"""Colours of the screen's design, with contrast as WCAG 2 defines it."""

import math
from collections.abc import Mapping
from functools import lru_cache

from companion.ui.toolkit.design_tokens import Colour, load_design_tokens, parse_colour

LOOK = load_design_tokens()
"""All of `tokens.json`: colours, sizes, shares, widths."""

GROUND = LOOK.colour("room")
PANEL = LOOK.colour("panel")
RAISED = LOOK.colour("raised")
"""Buttons, chips."""
EDGE = LOOK.colour("edge")
BUTTON_EDGE = LOOK.colour("button_edge")
TEXT = LOOK.colour("text")
SOFT = LOOK.colour("soft")
"""Secondary text."""
GOLD = LOOK.colour("asked")
"""A player is asked; also the primary button, marked places and the count."""
GOOD = LOOK.colour("done")
"""A step of a lesson is done."""
BAD = LOOK.colour("error")
"""A broken rule; used for nothing else."""
NOTICE = LOOK.colour("notice")
"""Hints, and messages about the machine itself."""
INK = LOOK.colour("ink")
"""Text on bright backgrounds."""
PAPER = LOOK.colour("paper")
"""The plate of the player whose turn it is, and whatever is selected."""
FELT = LOOK.colour("felt")
"""The felt in the middle of the table."""
BLUE_BACK = LOOK.colour("back")
SHADE = LOOK.colour("shade")
DARK = LOOK.colour("dark")

CHAIR: Mapping[str, Colour] = {seat.name: parse_colour(seat.fill) for seat in LOOK.seats}
"""A chair's colours, found by search: any two differ by ΔE ≥ 15, also as seen with each of the three
kinds of colour blindness."""
SHAPE_CONTRAST = 3.0
"""Least contrast ratio of a meaningful shape (WCAG 2.2, 1.4.11)."""
SHAPES = tuple(seat.shape for seat in LOOK.seats)
"""Shape of each chair, chair 1 first, so that chairs never differ by colour alone."""


@lru_cache(maxsize=1024)
def font_size(height: int, scale: float = 1.0) -> int:
    """Font size in pixels of text `scale` times the smallest, on a display `height` pixels high."""
    smallest = height / LOOK.text["smallest"]
    return max(math.ceil(smallest), round(smallest * scale))


def type_scale(role: str) -> float:
    """Scale in em, relative to the smallest text, of a role in the type scale."""
    return LOOK.type[role] * LOOK.text["smallest"] / 100


@lru_cache(maxsize=1024)
def luminance(colour: Colour) -> float:
    """Relative luminance, 0 to 1, as defined by WCAG 2."""
    parts = [c / 255 for c in colour]
    r, g, b = (c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in parts)
    return 0.2126 * r + 0.7152 * g + 0.0722 * b


def contrast_ratio(one: Colour, other: Colour) -> float:
    """Contrast ratio, 1 to 21, as defined by WCAG 2."""
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


@lru_cache(maxsize=1024)
def ink_on(fill: Colour) -> Colour:
    """The text colour with the higher contrast on `fill`."""
    return max((INK, TEXT), key=lambda colour: contrast_ratio(colour, fill))


@lru_cache(maxsize=1024)
def blend(one: Colour, other: Colour, share: float) -> Colour:
    """A linear blend of two colours; `share` of `other`, 0 to 1."""
    r, g, b = (round(a + (c - a) * share) for a, c in zip(one, other, strict=True))
    return (r, g, b)


def dim_to_contrast(colour: Colour, ground: Colour) -> Colour:
    """The faintest blend of `colour` into `ground` whose contrast is at least `SHAPE_CONTRAST`."""
    shares = (blend(ground, colour, step / 20) for step in range(21))
    return next((one for one in shares if contrast_ratio(one, ground) >= SHAPE_CONTRAST), colour)


def plate_ground(colour: Colour) -> Colour:
    """A chair's colour as the background of its plate, dark enough for white text."""
    return blend(PANEL, colour, LOOK.share["tint"])


def plate_edge(colour: Colour) -> Colour:
    """The border of a plate whose background is `quiet(colour)`."""
    return blend(PANEL, colour, LOOK.share["tint_edge"])
