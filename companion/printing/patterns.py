"""Draws the background patterns of cards, so that no two faces differ by colour alone."""

import math
from collections.abc import Callable, Mapping
from itertools import pairwise

from companion.printing.pen import Pen

CARD_WIDTH_MM, CARD_HEIGHT_MM = 44.0, 68.0

DrawPattern = Callable[[Pen, str], None]


def _grid_points(step_x: float, step_y: float) -> list[tuple[float, float]]:
    spots = []
    for row in range(math.ceil(CARD_HEIGHT_MM / step_y) + 1):
        shift = step_x / 2 if row % 2 else 0.0
        spots += [
            (column * step_x + shift, row * step_y) for column in range(math.ceil(CARD_WIDTH_MM / step_x) + 1)
        ]
    return spots


def plain(pen: Pen, colour: str) -> None:
    """Nothing but the ground."""


def stripes(pen: Pen, colour: str) -> None:
    """Diagonal stripes."""
    for start in range(-68, 60, 12):
        pen.polygon([(start, 68), (start + 68, 0), (start + 74, 0), (start + 6, 68)], fill=colour, line=None)


def bars(pen: Pen, colour: str) -> None:
    """Horizontal bars."""
    for row in range(0, 70, 10):
        pen.rect(0, row, CARD_WIDTH_MM, 5, fill=colour, line=None)


def columns(pen: Pen, colour: str) -> None:
    """Vertical columns."""
    for column in range(1, 46, 8):
        pen.rect(column, 0, 4, CARD_HEIGHT_MM, fill=colour, line=None)


def dots(pen: Pen, colour: str) -> None:
    """Large staggered dots."""
    for x, y in _grid_points(11, 8):
        pen.ellipse(x, y, 2.6, fill=colour, line=None)


def checks(pen: Pen, colour: str) -> None:
    """A chequered cloth."""
    for x, y in _grid_points(14, 7):
        pen.rect(x - 3, y - 1, 7, 7, fill=colour, line=None)


def waves(pen: Pen, colour: str) -> None:
    """Rolling waves."""
    for y in range(0, 72, 9):
        pen.curve([(x, y + (2.2 if x // 6 % 2 else -2.2)) for x in range(-6, 56, 6)], line=colour, width=2.6)


def rays(pen: Pen, colour: str) -> None:
    """Rays from behind the motif."""
    for step in range(12):
        angle, wide = math.radians(30 * step), math.radians(7.5)
        points = [(22 + 60 * math.cos(a), 38 + 60 * math.sin(a)) for a in (angle - wide, angle + wide)]
        pen.polygon([(22, 38), *points], fill=colour, line=None)


def triangles(pen: Pen, colour: str) -> None:
    """Small hills in rows."""
    for x, y in _grid_points(11, 9):
        pen.polygon([(x - 4, y + 3), (x, y - 4), (x + 4, y + 3)], fill=colour, line=None)


def stars(pen: Pen, colour: str) -> None:
    """Five-pointed stars."""
    for x, y in _grid_points(13, 10):
        pen.star(x, y, 3.6, 1.5, 5, turn=x * 5, fill=colour, line=None)


def diamonds(pen: Pen, colour: str) -> None:
    """A net of diamonds."""
    for x, y in _grid_points(12, 9):
        pen.polygon([(x - 4, y), (x, y - 6), (x + 4, y), (x, y + 6)], fill=colour, line=None)


def bricks(pen: Pen, colour: str) -> None:
    """A brick wall."""
    for x, y in _grid_points(14, 7):
        pen.rect(x - 6.3, y - 2.8, 12.6, 5.6, r=0.8, fill=colour, line=None)


def crosses(pen: Pen, colour: str) -> None:
    """Plus signs."""
    for x, y in _grid_points(12, 9):
        pen.rect(x - 3, y - 1, 6, 2, fill=colour, line=None)
        pen.rect(x - 1, y - 3, 2, 6, fill=colour, line=None)


def rings(pen: Pen, colour: str) -> None:
    """Rings round the motif."""
    for radius in range(6, 66, 10):
        pen.ellipse(22, 38, radius, line=colour, width=4)


def zigzag(pen: Pen, colour: str) -> None:
    """Upright zigzags."""
    for x in range(0, 50, 9):
        points = [(x + (2.5 if step % 2 else -2.5), step * 6) for step in range(13)]
        for start, end in pairwise(points):
            pen.curve([start, end], line=colour, width=2.4)


def leaves(pen: Pen, colour: str) -> None:
    """Scattered leaves."""
    for x, y in _grid_points(12, 10):
        pen.ellipse(x, y, 4.6, 1.9, turn=35 + x * 9, fill=colour, line=None)


def hearts(pen: Pen, colour: str) -> None:
    """Hearts in rows."""
    for x, y in _grid_points(13, 11):
        pen.ellipse(x - 1.6, y - 1, 2, fill=colour, line=None)
        pen.ellipse(x + 1.6, y - 1, 2, fill=colour, line=None)
        pen.polygon([(x - 3.4, y - 0.2), (x + 3.4, y - 0.2), (x, y + 4)], fill=colour, line=None)


def hills(pen: Pen, colour: str) -> None:
    """A lawn with two hills, for what stands on the ground."""
    pen.ellipse(9, 66, 24, 22, fill=colour, line=None)
    pen.ellipse(38, 68, 22, 20, fill=colour, line=None)


PATTERNS: Mapping[str, DrawPattern] = {
    pattern.__name__: pattern
    for pattern in (
        plain, stripes, bars, columns, dots, checks, waves, rays, triangles, stars, diamonds, bricks, crosses,
        rings, zigzag, leaves, hearts, hills,
    )
}  # fmt: skip
