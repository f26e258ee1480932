"""Draws flat, smooth pictures in a square of 100 by 100 units."""

import math
from collections.abc import Sequence
from itertools import pairwise

import pygame

from companion.ui.toolkit.design_tokens import Colour

Point = tuple[float, float]


class Brush:
    """Draws on `surface` as if it were 100 wide and 100 high."""

    def __init__(self, surface: pygame.Surface, box: pygame.Rect | None = None) -> None:
        self._surface = surface
        self._box = box or surface.get_rect()

    def _x(self, x: float) -> float:
        return self._box.x + x * self._box.w / 100

    def _y(self, y: float) -> float:
        return self._box.y + y * self._box.h / 100

    def polygon(self, fill: Colour, *points: Point) -> None:
        """A filled polygon."""
        pygame.draw.polygon(self._surface, fill, [(self._x(x), self._y(y)) for x, y in points])

    def ellipse(self, fill: Colour, x: float, y: float, w: float, h: float | None = None) -> None:
        """A filled ellipse around (x, y), `w` wide and `h` high; in per cent of the box, as all are."""
        height = w if h is None else h
        rect = pygame.Rect(
            self._x(x - w / 2), self._y(y - height / 2), w * self._box.w / 100, height * self._box.h / 100
        )
        pygame.draw.ellipse(self._surface, fill, rect)

    def rounded_box(  # noqa: PLR0917
        self, fill: Colour, x: float, y: float, w: float, h: float, r: float = 0
    ) -> None:
        """A filled rectangle, its top left at (x, y), with corners of radius `r`; in per cent of the box."""
        rect = pygame.Rect(self._x(x), self._y(y), w * self._box.w / 100, h * self._box.h / 100)
        pygame.draw.rect(self._surface, fill, rect, border_radius=round(r * self._box.w / 100))

    def line(self, fill: Colour, width: float, *points: Point) -> None:
        """A thick line with round ends through the points; in per cent of the box."""
        thick = width * self._box.w / 100
        placed = [(self._x(x), self._y(y)) for x, y in points]
        for start, end in pairwise(placed):
            across = math.atan2(end[1] - start[1], end[0] - start[0]) + math.pi / 2
            dx, dy = math.cos(across) * thick / 2, math.sin(across) * thick / 2
            corners = [(start[0] + dx, start[1] + dy), (end[0] + dx, end[1] + dy)]
            corners += [(end[0] - dx, end[1] - dy), (start[0] - dx, start[1] - dy)]
            pygame.draw.polygon(self._surface, fill, corners)
        for spot in placed:
            pygame.draw.circle(self._surface, fill, spot, thick / 2)

    def arc(  # noqa: PLR0917
        self, fill: Colour, width: float, centre: Point, radius: float, start: float, end: float
    ) -> None:
        """Part of a circle, degrees clockwise from the right."""
        steps = max(3, round(abs(end - start) / 8))
        angles = [math.radians(start + (end - start) * step / steps) for step in range(steps + 1)]
        points: Sequence[Point] = [
            (centre[0] + radius * math.cos(a), centre[1] + radius * math.sin(a)) for a in angles
        ]
        self.line(fill, width, *points)
