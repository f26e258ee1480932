"""Drawn once, with smooth edges: the chairs' shapes, rounded corners, discs, lights."""

import math
from collections import OrderedDict
from collections.abc import Callable, Hashable, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import pygame
from pygame.transform import scale

from companion.ui.layout import Box
from companion.ui.toolkit.theme import LOOK, Colour

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


class Shadow(NamedTuple):
    """What a thing throws on what lies below it, or, in a bright colour, its glow."""

    reach: int
    """How far it is seen beyond the thing's edges, in pixels."""
    drop: int
    """How much lower than the thing it lies, in pixels."""
    strength: float
    """At the thing's edge, 0 to 1."""
    colour: Colour


MAX_PIXELS = 6_000_000
"""Points kept, at four bytes each: a page of 1920 × 1080 needs a quarter of it, and old ones go first."""


class SpriteCache:
    """Owns finished pictures, the ones used last; what is asked for again after it went is drawn again."""

    def __init__(self, most: int = MAX_PIXELS) -> None:
        self._most = most
        self._kept: OrderedDict[Hashable, pygame.Surface] = OrderedDict()
        self.points = 0

    def get_or_draw(self, key: Hashable, draw: Callable[[], pygame.Surface]) -> pygame.Surface:
        """The picture called `key`, drawn if it is not here; when all have too many pixels, the oldest go."""
        found = self._kept.get(key)
        if found is not None:
            self._kept.move_to_end(key)
            return found
        made = self._kept[key] = draw()
        self.points += _points(made)
        while self.points > self._most and len(self._kept) > 1:
            self.points -= _points(self._kept.popitem(last=False)[1])
        return made

    def disc(self, radius: int, fill: Colour | None, edge: Colour | None, width: int) -> pygame.Surface:
        """A disc of this radius, and its edge `width` wide inside; both in pixels."""

        def draw(surface: pygame.Surface, factor: float) -> None:
            middle, reach = surface.get_rect().center, radius * factor
            if fill is not None:
                pygame.draw.circle(surface, fill, middle, reach)
            if edge is not None:
                pygame.draw.circle(surface, edge, middle, reach, round(width * factor))

        side = 2 * radius
        return self.get_or_draw(("disc", radius, fill, edge, width), lambda: draw_smooth((side, side), draw))

    def soft_light(self, radius: int, colour: Colour, strength: float) -> pygame.Surface:
        """A soft light that ends at `radius` (pixels): rings at a quarter of the size, scaled up.

        `strength`: opacity in its middle, 0 to 1.
        """

        def draw() -> pygame.Surface:
            low = max(8, radius // 4)
            small = pygame.Surface((2 * low, 2 * low), pygame.SRCALPHA)
            small.fill((*colour, 0))
            for ring in range(low, 0, -1):
                shade = round(255 * strength * (1 - ring / low) ** 1.6)
                pygame.draw.circle(small, (*colour, shade), (low, low), ring)
            return pygame.transform.smoothscale(small, (2 * radius, 2 * radius))

        return self.get_or_draw(("light", radius, colour, strength), draw)

    def shadow(self, radius: int, shadow: Shadow) -> pygame.Surface:
        """A shadow's four corners round one point in the middle; between them it is stretched."""

        def draw() -> pygame.Surface:
            side = 2 * (radius + shadow.reach) + 1
            ring = pygame.Surface((side, side), pygame.SRCALPHA)
            for step in range(shadow.reach + 1):
                share = (step / max(1, shadow.reach)) ** 2
                corner = radius + shadow.reach - step
                inner = (step, step, side - 2 * step, side - 2 * step)
                shade = (*shadow.colour, round(255 * shadow.strength * share))
                pygame.draw.rect(ring, shade, inner, border_radius=corner)
            return ring

        return self.get_or_draw(("shadow", radius, shadow), draw)

    def shadow_sides(
        self, radius: int, shadow: Shadow, size: tuple[int, int]
    ) -> tuple[pygame.Surface, pygame.Surface]:
        """The same, cut through its middle, stretched across and upright to `size` (pixels)."""
        ring = self.shadow(radius, shadow)
        side = ring.get_width()
        wide, high = size
        across, upright = ring.subsurface((side // 2, 0, 1, side)), ring.subsurface((0, side // 2, side, 1))
        return (
            self.get_or_draw(("across", radius, shadow, wide), lambda: scale(across, (wide, side))),
            self.get_or_draw(("upright", radius, shadow, high), lambda: scale(upright, (side, high))),
        )


def _points(picture: pygame.Surface) -> int:
    return picture.get_width() * picture.get_height()


def draw_rounded_rect(
    surface: pygame.Surface,
    sprites: SpriteCache,
    rect: Box,
    fill: Colour | None,
    edge: Colour | None = None,
    *,
    radius: int,
    width: int = 0,
) -> None:
    """A rectangle with smooth corners, each a quarter of a disc; `radius` and `width` in pixels.

    The edge is inside the rectangle.
    """
    radius = max(0, min(radius, rect.w // 2, rect.h // 2))
    line = width if edge is not None else 0
    inner = edge if line * 2 >= min(rect.w, rect.h) else fill
    if inner is not None:
        surface.fill(inner, (rect.x + radius, rect.y, rect.w - 2 * radius, rect.h))
        for left in (rect.x, rect.right - radius):
            surface.fill(inner, (left, rect.y + radius, radius, rect.h - 2 * radius))
    if edge is not None:
        for top in (rect.y, rect.bottom - line):
            surface.fill(edge, (rect.x + radius, top, rect.w - 2 * radius, line))
        for left in (rect.x, rect.right - line):
            surface.fill(edge, (left, rect.y + radius, line, rect.h - 2 * radius))
    if radius:
        disc = sprites.disc(radius, fill, edge, line)
        for x, left in ((rect.x, 0), (rect.right - radius, radius)):
            for y, top in ((rect.y, 0), (rect.bottom - radius, radius)):
                surface.blit(disc, (x, y), (left, top, radius, radius))


def draw_shadow(
    surface: pygame.Surface, sprites: SpriteCache, rect: Box, shadow: Shadow, *, radius: int
) -> None:
    """A soft edge round a rectangle that is painted over it next; `radius` of its corners in pixels."""
    radius = max(0, min(radius, rect.w // 2, rect.h // 2))
    reach, side = shadow.reach, radius + shadow.reach
    ring = sprites.shadow(radius, shadow)
    whole = rect.inflate(2 * reach, 2 * reach).move(0, shadow.drop)
    wide, high = max(0, whole.w - 2 * side), max(0, whole.h - 2 * side)
    for x, left in ((whole.x, 0), (whole.right - side, side + 1)):
        for y, top in ((whole.y, 0), (whole.bottom - side, side + 1)):
            surface.blit(ring, (x, y), (left, top, side, side))
    # Between the corners only what is beyond the thing's own edges: the rest is painted over.
    across, upright = sprites.shadow_sides(radius, shadow, (wide, high))
    seen = reach + shadow.drop
    surface.blit(across, (whole.x + side, whole.y), (0, 0, wide, reach))
    surface.blit(across, (whole.x + side, whole.bottom - seen), (0, across.get_height() - seen, wide, seen))
    surface.blit(upright, (whole.x, whole.y + side), (0, 0, reach, high))
    surface.blit(
        upright, (whole.right - reach, whole.y + side), (upright.get_width() - reach, 0, reach, high)
    )


LARGEST = 40_000
"""Points of a polygon worth drawing larger and scaling down; beyond, its outline is smoothed alone."""


def draw_polygon(surface: pygame.Surface, fill: Colour, corners: Sequence[Point]) -> None:
    """A filled polygon with smooth edges; corners as (x, y) in pixels."""
    box = _box(corners, 1)
    if box.w * box.h > LARGEST:
        pygame.draw.polygon(surface, fill, corners)
        pygame.draw.aalines(surface, fill, True, corners)  # noqa: FBT003 (pygame)
        return

    def draw(large: pygame.Surface, factor: float) -> None:
        pygame.draw.polygon(large, fill, [((x - box.x) * factor, (y - box.y) * factor) for x, y in corners])

    surface.blit(draw_smooth(box.size, draw), box)


def draw_line(
    surface: pygame.Surface, colour: Colour, points: Sequence[Point], width: float, *, closed: bool = False
) -> None:
    """A line with smooth edges through all points; a straight one up or across is a rectangle. In pixels."""
    for start, end in pairwise([*points, points[0]] if closed else points):
        if start[0] == end[0] or start[1] == end[1]:
            surface.fill(colour, _bar(start, end, max(1, round(width))))
            continue
        draw_polygon(surface, colour, line_corners(start, end, width))
        for spot in (start, end):
            pygame.draw.circle(surface, colour, spot, width / 2)


def _bar(start: Point, end: Point, width: int) -> Box:
    """A line straight up or across."""
    left, top = round(min(start[0], end[0])), round(min(start[1], end[1]))
    across, down = round(abs(start[0] - end[0])), round(abs(start[1] - end[1]))
    bar = Box(left, top, across or width, down or width)
    return bar.move(0 if across else -width // 2, 0 if down else -width // 2)


def _box(corners: Sequence[Point], reach: float) -> Box:
    """The whole points that a figure touches."""
    xs, ys = [x for x, _ in corners], [y for _, y in corners]
    left, top = math.floor(min(xs) - reach), math.floor(min(ys) - reach)
    return Box(left, top, math.ceil(max(xs) + reach) - left, math.ceil(max(ys) + reach) - top)
