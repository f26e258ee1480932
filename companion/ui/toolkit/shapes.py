"""Outlines of the chairs' shapes, drawn with smooth edges."""

import math
from collections.abc import Callable, Mapping, Sequence

import numpy as np
import pygame

from companion.ui.toolkit.design_tokens import Colour
from companion.ui.toolkit.theme import LOOK

Point = tuple[float, float]
OVERSAMPLING = 4
"""Shapes are drawn this many times larger and scaled down: pygame draws no smooth edges itself."""
ROOM = 3.0
"""A shape reaches 1.26 radii from its middle, its lines a little further."""


def _ring(corners: int, *, turn: float = -90.0, radius: float = 1.0) -> tuple[Point, ...]:
    angles = (math.radians(turn + 360 / corners * step) for step in range(corners))
    return tuple((radius * math.cos(angle), radius * math.sin(angle)) for angle in angles)


def _star() -> tuple[Point, ...]:
    outer, inner = _ring(5, radius=1.2), _ring(5, turn=-54, radius=0.76)
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


def draw_smooth(size: tuple[int, int], draw: Callable[[pygame.Surface, float], None]) -> pygame.Surface:
    """What `draw(surface, factor)` draws `factor` times as large, scaled down to `size` pixels."""
    large = pygame.Surface((size[0] * OVERSAMPLING, size[1] * OVERSAMPLING), pygame.SRCALPHA)
    draw(large, OVERSAMPLING)
    small = pygame.transform.smoothscale(large, size)
    _clear_the_edge(small)
    return small


def resize(picture: pygame.Surface, size: tuple[int, int]) -> pygame.Surface:
    """A picture in another size (pixels); nothing of what it does not cover gets into its edges."""
    small = pygame.transform.smoothscale(picture.premul_alpha(), size)
    _clear_the_edge(small)
    return small


def _clear_the_edge(picture: pygame.Surface) -> None:
    """Take the black of nothing out of the colour of half covered points: scaling has mixed it in."""
    alpha = pygame.surfarray.pixels_alpha(picture)
    points = pygame.surfarray.pixels3d(picture)
    half = (alpha > 0) & (alpha < 255)
    covered = points[half].astype(np.uint32) * 255 // alpha[half][:, None]
    points[half] = np.minimum(covered, 255)


def draw_outline(surface: pygame.Surface, colour: Colour, corners: Sequence[Point], width: float) -> None:
    """A closed line through `corners`, `width` pixels wide, with round joints."""
    for start, end in zip(corners, (*corners[1:], corners[0]), strict=True):
        pygame.draw.polygon(surface, colour, line_corners(start, end, width))
        pygame.draw.circle(surface, colour, start, width / 2)


def line_corners(start: Point, end: Point, width: float) -> tuple[Point, ...]:
    """The four corners of a straight line `width` wide, in the unit of its points."""
    turn = math.atan2(end[1] - start[1], end[0] - start[0]) + math.pi / 2
    dx, dy = math.cos(turn) * width / 2, math.sin(turn) * width / 2
    ends = ((start[0] + dx, start[1] + dy), (end[0] + dx, end[1] + dy))
    return (*ends, (end[0] - dx, end[1] - dy), (start[0] - dx, start[1] - dy))


def draw_shape(
    shape: str, radius: int, fill: Colour, edge: Colour | None = None, ink: Colour | None = None
) -> pygame.Surface:
    """A filled shape in a square of `ROOM` radii; a line of `ink` round it, and one of `edge` round that."""
    side = math.ceil(radius * ROOM)

    def draw(surface: pygame.Surface, factor: float) -> None:
        middle, size = side * factor / 2, radius * factor
        corners = outline(shape, (middle, middle), size)
        thin, thick = (2 * size * LOOK.avatar[name] for name in ("ink", "paper"))
        if edge is not None:
            draw_outline(surface, edge, corners, 2 * (thick + (thin if ink else 0)))
        if ink is not None:
            draw_outline(surface, ink, corners, 2 * thin)
        pygame.draw.polygon(surface, fill, corners)

    return draw_smooth((side, side), draw)
