"""The chairs' shapes, drawn by code: circle, triangle, square, diamond, star, hexagon, cross, heart."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

import pygame

from companion.ui.theme import Colour

Point = tuple[float, float]
SMOOTH = 3
"""Shapes are drawn this many times larger and scaled down: pygame draws no smooth edges itself."""


def _ring(corners: int, *, turn: float = -90.0, radius: float = 1.0) -> tuple[Point, ...]:
    angles = (math.radians(turn + 360 / corners * step) for step in range(corners))
    return tuple((radius * math.cos(angle), radius * math.sin(angle)) for angle in angles)


def _star() -> tuple[Point, ...]:
    outer, inner = _ring(5, radius=1.2), _ring(5, turn=-54, radius=0.7)
    return tuple(point for pair in zip(outer, inner, strict=True) for point in pair)


def _heart() -> tuple[Point, ...]:
    points = []
    for step in range(40):
        t = math.tau * step / 40
        x = 16 * math.sin(t) ** 3
        y = 13 * math.cos(t) - 5 * math.cos(2 * t) - 2 * math.cos(3 * t) - math.cos(4 * t)
        points.append((x / 15.5, -y / 15.5 - 0.02))
    return tuple(points)


def _cross() -> tuple[Point, ...]:
    a, b = 0.5, 1.02
    return (
        *((-a, -b), (a, -b), (a, -a), (b, -a), (b, a), (a, a)),
        *((a, b), (-a, b), (-a, a), (-b, a), (-b, -a), (-a, -a)),
    )


OUTLINES: Mapping[str, Callable[[], Sequence[Point]]] = {
    "circle": lambda: _ring(48),
    "triangle": lambda: tuple((x * 1.25, y * 1.18 + 0.22) for x, y in _ring(3)),
    "square": lambda: _ring(4, turn=-135, radius=1.26),
    "diamond": lambda: tuple((x * 1.08, y * 1.2) for x, y in _ring(4)),
    "star": _star,
    "hexagon": lambda: _ring(6, radius=1.06),
    "cross": _cross,
    "heart": _heart,
}
"""Each shape within a circle of radius about 1, centred where its number stands."""


def outline(shape: str, centre: Point, radius: float) -> list[Point]:
    """The corners of `shape` on the screen."""
    return [(centre[0] + x * radius, centre[1] + y * radius) for x, y in OUTLINES[shape]()]


def smooth(
    size: tuple[int, int], draw: Callable[[pygame.Surface, float], None], ground: Colour | None = None
) -> pygame.Surface:
    """What `draw` draws on a surface SMOOTH times as large, scaled down to `size`."""
    large = pygame.Surface((size[0] * SMOOTH, size[1] * SMOOTH), pygame.SRCALPHA)
    if ground is not None:
        large.fill(ground)
    draw(large, SMOOTH)
    return pygame.transform.smoothscale(large, size)


def shape_picture(shape: str, radius: int, fill: Colour, edge: Colour | None = None) -> pygame.Surface:
    """A filled shape in a square of 2.6 radii."""
    side = math.ceil(radius * 2.6)

    def draw(surface: pygame.Surface, factor: float) -> None:
        middle = side * factor / 2
        if edge is not None:
            pygame.draw.polygon(surface, edge, outline(shape, (middle, middle), radius * factor * 1.14))
        pygame.draw.polygon(surface, fill, outline(shape, (middle, middle), radius * factor))

    return smooth((side, side), draw)
