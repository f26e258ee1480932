"""Boxes on the screen and how one is divided: `rows`, `columns`, `grid`, `stack`.

Where something is and what it looks like are two questions: here is the first, in whole pixels and without
pygame, which takes a `Box` wherever it takes a rectangle. A size is given (pixels), shared (`FILL`: a part of
what the others leave) or natural (a function: what its content needs in a box so wide, or so high).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Literal, NamedTuple

Justify = Literal["start", "center", "end"]
"""Where the boxes stand in what they leave free."""
Anchor = Literal[
    "center", "left", "right", "top", "bottom", "topleft", "topright", "bottomleft", "bottomright"
]
"""The side or corner at which one box stands in another."""


class Box(NamedTuple):
    """A rectangle in pixels: its top left corner and its size."""

    x: int
    y: int
    w: int
    h: int

    @property
    def right(self) -> int:
        return self.x + self.w

    @property
    def bottom(self) -> int:
        return self.y + self.h

    @property
    def centerx(self) -> int:
        return self.x + self.w // 2

    @property
    def centery(self) -> int:
        return self.y + self.h // 2

    @property
    def center(self) -> tuple[int, int]:
        return self.centerx, self.centery

    @property
    def size(self) -> tuple[int, int]:
        return self.w, self.h

    def contains(self, spot: tuple[int, int]) -> bool:
        """Whether a point lies in the box."""
        return self.x <= spot[0] < self.right and self.y <= spot[1] < self.bottom

    def move(self, across: int, down: int) -> Box:
        """The box in another place."""
        return Box(self.x + across, self.y + down, self.w, self.h)

    def inflate(self, across: int, down: int) -> Box:
        """The box grown, or with negative figures shrunk, by this much in all about its centre."""
        return Box(self.x - int(across / 2), self.y - int(down / 2), self.w + across, self.h + down)

    def inset(self, *, left: int = 0, top: int = 0, right: int = 0, bottom: int = 0) -> Box:
        """The box without a strip at each of its sides."""
        return Box(self.x + left, self.y + top, max(0, self.w - left - right), max(0, self.h - top - bottom))


def around(centre: tuple[int, int], wide: int, high: int) -> Box:
    """The box of this size about a point."""
    return Box(centre[0] - wide // 2, centre[1] - high // 2, wide, high)


class Share(NamedTuple):
    """A size: this many parts of what the other sizes leave."""

    parts: int = 1


FILL = Share()
Natural = Callable[[int], int]
Size = int | Share | Natural
"""Pixels; a share of the rest; or what is needed, told how far the box reaches across."""


def rows(box: Box, *sizes: Size, gap: int = 0, justify: Justify = "start") -> tuple[Box, ...]:
    """Boxes one below the other, as wide as `box`, with a `gap` between each two."""
    spans = _divide(box.y, box.h, box.w, sizes, gap, justify)
    return tuple(Box(box.x, top, box.w, high) for top, high in spans)


def columns(box: Box, *sizes: Size, gap: int = 0, justify: Justify = "start") -> tuple[Box, ...]:
    """Boxes side by side, as high as `box`, with a `gap` between each two."""
    spans = _divide(box.x, box.w, box.h, sizes, gap, justify)
    return tuple(Box(left, box.y, wide, box.h) for left, wide in spans)


def _divide(  # noqa: PLR0917
    start: int, length: int, across: int, sizes: tuple[Size, ...], gap: int, justify: Justify
) -> list[tuple[int, int]]:
    """Where each part begins and how long it is. Shares are whole pixels; what is over stays at the end."""
    needs = [size(across) if callable(size) else 0 if isinstance(size, Share) else size for size in sizes]
    spare = length - sum(needs) - gap * (len(sizes) - 1)
    parts = sum(size.parts for size in sizes if isinstance(size, Share))
    if parts:
        needs = [
            max(0, spare) * size.parts // parts if isinstance(size, Share) else need
            for size, need in zip(sizes, needs, strict=True)
        ]
        spare = 0
    at = start + {"start": 0, "center": spare // 2, "end": spare}[justify]
    spans = []
    for need in needs:
        spans.append((at, need))
        at += need + gap
    return spans


def stack(box: Box, wide: int, high: int, at: Anchor = "center") -> Box:
    """A box of this size laid upon another, in its middle or at a side or corner of it."""
    x = box.x if "left" in at else box.right - wide if "right" in at else box.centerx - wide // 2
    y = box.y if "top" in at else box.bottom - high if "bottom" in at else box.centery - high // 2
    return Box(x, y, wide, high)


def grid(
    box: Box,
    count: int,
    across: int,
    *,
    gap: int = 0,
    rows_apart: int | None = None,
    most: int | None = None,
    downwards: bool = False,
) -> tuple[Box, ...]:
    """Equal cells, `across` in a row, filled row by row, or `downwards` column by column.

    `rows_apart`: the gap between rows, where it is another; `most`: the greatest height of a cell.
    """
    lines, apart = max(1, -(-count // across)), gap if rows_apart is None else rows_apart
    wide, high = (box.w + gap) // across - gap, (box.h + apart) // lines - apart
    high = high if most is None else min(high, most)
    places = [divmod(place, lines) if downwards else divmod(place, across)[::-1] for place in range(count)]
    return tuple(
        Box(box.x + column * (wide + gap), box.y + row * (high + apart), wide, high) for column, row in places
    )


def cell(
    box: Box, tracks: tuple[int, int], place: tuple[float, float], *, gap: int = 0, span: int = 1
) -> Box:
    """One of the cells of a box that is cut into so many columns and rows: where a cut falls is rounded.

    `place`: its column and row; `span`: over how many of each it reaches.
    """
    wide, high = (box.w + gap) / tracks[0], (box.h + gap) / tracks[1]
    x, y = round(box.x + place[0] * wide), round(box.y + place[1] * high)
    return Box(x, y, round(span * wide) - gap, round(span * high) - gap)


def best_grid(box: Box, count: int, gap: int, *, shape: float = 1.3) -> tuple[Box, ...]:
    """Cells each about `shape` times as wide as high; what a short last row has stands in its middle."""

    def side(across: int) -> float:
        return min(box.w / across, box.h / math.ceil(count / across) * shape)

    across = max(range(1, count + 1), key=side, default=1)
    tracks = (across, math.ceil(count / across))
    shifts = [(across - min(across, count - row * across)) / 2 for row in range(tracks[1])]
    places = [divmod(place, across) for place in range(count)]
    return tuple(cell(box, tracks, (column + shifts[row], row), gap=gap) for row, column in places)
