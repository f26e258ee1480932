"""Computes where the places of a table lie on the screen, as they lie on its mat."""

import math
from collections.abc import Mapping, Sequence

import pygame

from companion.core.view import PlaceView, ScreenArea

_RING: tuple[tuple[int, int], ...] = (
    *((0, 0), (2, 0), (4, 0), (4, 2), (4, 4), (2, 4), (0, 4), (0, 2)),
    *((1, 0), (3, 4), (3, 0), (1, 4), (4, 1), (0, 3), (4, 3), (0, 1)),
)
"""Column and row of places 1 to 16 round a field of 5 × 5, as printed on the mat."""
CARD_ASPECT = 0.66
"""Width of a card to its height."""
SIDE = 5
SMALL, SMALL_SIDE = 8, 3
"""This many places lie in a ring of three columns and rows."""


def place_cells(shown: Sequence[PlaceView], field: pygame.Rect, gap: int) -> Mapping[str, pygame.Rect]:
    """Region → its cell in `field`: in the ring by number, or row by row."""
    if all(one.spot is ScreenArea.RING and one.number <= len(_RING) for one in shown):
        places = {one.region: _RING[one.number - 1] for one in shown}
        columns = rows = ring_size(shown)
        if columns == SMALL_SIDE:
            places = {name: (x // 2, y // 2) for name, (x, y) in places.items()}
    else:
        columns = max(1, math.ceil(math.sqrt(len(shown) * field.w / max(1, field.h))))
        rows = max(1, math.ceil(len(shown) / columns))
        places = {one.region: (place % columns, place // columns) for place, one in enumerate(shown)}
    width, height = (field.w + gap) / columns, (field.h + gap) / rows
    return {
        name: pygame.Rect(
            round(field.x + column * width),
            round(field.y + row * height),
            round(width) - gap,
            round(height) - gap,
        )
        for name, (column, row) in places.items()
    }


def ring_size(shown: Sequence[PlaceView]) -> int:
    """How many columns and rows the ring has."""
    return SMALL_SIDE if len(shown) <= SMALL else SIDE


def ring_interior(shown: Sequence[PlaceView], field: pygame.Rect, gap: int) -> pygame.Rect:
    """What the ring leaves free in its middle."""
    among = ring_size(shown)
    width, height = (field.w + gap) / among, (field.h + gap) / among
    free = among - 2
    return pygame.Rect(
        round(field.x + width), round(field.y + height), round(free * width) - gap, round(free * height) - gap
    )


def panel_rects(chairs: int, area: pygame.Rect, width: int, gap: int) -> tuple[pygame.Rect, ...]:
    """A panel for every chair, clockwise from the bottom left corner: up the left edge, down the right."""
    left = chairs // 2
    right = chairs - left
    panels = []
    for place in range(chairs):
        on_left = place < left
        among = left if on_left else right
        row = left - 1 - place if on_left else place - left
        height = (area.h + gap) / among
        x = area.x if on_left else area.right - width
        panels.append(pygame.Rect(x, round(area.y + row * height), width, round(height) - gap))
    return tuple(panels)


def choice_grid(count: int, area: pygame.Rect, gap: int, *, shape: float = 1.3) -> tuple[pygame.Rect, ...]:
    """Cells for `count` choices, each about `shape` times as wide as high."""
    if not count:
        return ()
    best, best_side = 1, 0.0
    for columns in range(1, count + 1):
        rows = math.ceil(count / columns)
        side = min(area.w / columns, area.h / rows * shape)
        if side > best_side:
            best, best_side = columns, side
    rows = math.ceil(count / best)
    width, height = (area.w + gap) / best, (area.h + gap) / rows
    cells_found = []
    for place in range(count):
        row = place // best
        alone = min(best, count - row * best)
        left = area.x + (best - alone) * width / 2
        cells_found.append(
            pygame.Rect(
                round(left + place % best * width),
                round(area.y + row * height),
                round(width) - gap,
                round(height) - gap,
            )
        )
    return tuple(cells_found)
