"""Computes where felt, plates, avatars stand on the game page.

Upright sizes are in u, 1 % of the height; across, in shares of the width. A screen that stands upright has
the felt across its middle, and the plates in two columns above and below it.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import pygame

from companion.ui.board import place_layout
from companion.ui.toolkit.theme import LOOK

MAX_LARGE_PLATES = 4
"""With more people than these everything is smaller."""
GRID = LOOK.stage
ALL = 100
UPRIGHT_RATIO = 1.1
"""A field at least this many times as high as wide is laid out upright."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StageLayout:
    """One lay-out."""

    head: pygame.Rect
    """The one sentence."""
    bar: pygame.Rect
    rim: pygame.Rect
    """The felt with its rim; empty where there is no room for one."""
    plates: tuple[pygame.Rect, ...]
    """Clockwise from the bottom left."""
    docks: tuple[tuple[int, int], ...] = ()
    """The avatars' middles, in the same order; empty where there is no room beside the plates."""
    lights: tuple[tuple[int, int], ...] = ()
    """Where the felt is bright when this one is asked."""
    avatar: int = 0
    """An avatar's height."""
    middle: pygame.Rect
    """What the plates and avatars leave free."""
    log: pygame.Rect
    """What was ruled last, where a large screen has room for it; else empty."""


def layout_stage(
    count: int, area: pygame.Rect, u: float, *, foot: int = 0, needs: Sequence[int] = ()
) -> StageLayout:
    """The stage for this many in `area`; `u` and `foot`, what is taken away above the toolbar, in pixels.

    `needs`: how high the plate of each has to be, in pixels, where that is more than its share.
    """
    if area.h > UPRIGHT_RATIO * area.w:
        return _layout_upright(count, area, u, foot)
    wide = area.w
    if (
        count <= MAX_LARGE_PLATES
        and area.h >= GRID["large"]
        and area.w - GRID["log"] * u >= area.h * GRID["wide"]
    ):
        wide = round(area.w - GRID["log"] * u)
    small = area.h <= GRID["small"]
    low = foot + (round(GRID["less"] * u) if small else 0)

    def across(left: float, right: float, top: float, bottom: float) -> pygame.Rect:
        x, y = area.x + round(wide * left / ALL), area.y + round(top * u)
        return pygame.Rect(x, y, area.x + round(wide * right / ALL) - x, area.y + round(bottom * u) - low - y)

    few = count <= MAX_LARGE_PLATES
    edge = GRID["plate_left"]
    size = LOOK.avatar["four" if few else "eight"] * u
    plates = _plate_columns(
        count, across(edge, ALL - edge, GRID["plates_top"], GRID["plates_end"]), wide, u, needs
    )
    out = GRID["on_felt"] * size
    centre = area.x + wide // 2
    docks = tuple(
        (round(one.right + out if one.centerx < centre else one.x - out), one.centery) for one in plates
    )
    middle = across(GRID["middle_left"], ALL - GRID["middle_left"], GRID["middle_top"], GRID["middle_end"])
    reach = max((x for x, _ in docks if x < centre), default=area.x) + round(size * LOOK.avatar["asked"] / 2)
    if reach > middle.x:
        middle.inflate_ip(2 * (middle.x - reach), 0)
    top = area.y + round(GRID["rim_top"] * u)
    bottom = area.y + round(GRID["rim_end"] * u) - low
    bar_top = GRID["bar_top"] - (GRID["less"] if small else 0)
    return StageLayout(
        head=_headline_rect(area, u, GRID["head_top"], GRID["head_end"]),
        bar=_headline_rect(area, u, bar_top, GRID["bar_end"]),
        rim=across(GRID["rim_left"], ALL - GRID["rim_left"], GRID["rim_top"], GRID["rim_end"]),
        plates=plates,
        docks=docks,
        lights=docks,
        avatar=round(size),
        middle=middle,
        log=pygame.Rect(area.x + wide, top, area.w - wide - round(GRID["log_edge"] * u), bottom - top)
        if wide < area.w
        else pygame.Rect(area.topright, (0, 0)),
    )


def _headline_rect(area: pygame.Rect, u: float, top: float, bottom: float) -> pygame.Rect:
    edge = round(area.w * GRID["edge"] / ALL)
    y = area.y + round(top * u)
    return pygame.Rect(area.x + edge, y, area.w - 2 * edge, area.y + round(bottom * u) - y)


def _plate_columns(
    count: int, among: pygame.Rect, wide: int, u: float, needs: Sequence[int]
) -> tuple[pygame.Rect, ...]:
    """A column on each side: up the left one, down the right one; the rows in the middle of the height."""
    few = count <= MAX_LARGE_PLATES
    width = round(wide * GRID["plate_few" if few else "plate_many"] / ALL)
    gap = round(GRID["gap_few" if few else "gap_many"] * u)
    left = count // 2
    needs = needs or (0,) * count

    def column(x: int, needs: Sequence[int]) -> list[pygame.Rect]:
        """From the top down."""
        heights = _plate_heights(needs, among.h, gap, u)
        tops = [sum(heights[:row]) + gap * row for row in range(len(heights))]
        first = among.y + (among.h - sum(heights) - gap * (len(heights) - 1)) // 2
        return [pygame.Rect(x, first + top, width, high) for top, high in zip(tops, heights, strict=True)]

    upwards = column(among.x, needs[:left][::-1])[::-1]
    return (*upwards, *column(among.right - width, needs[left:]))


def _plate_heights(needs: Sequence[int], high: int, gap: int, u: float) -> list[int]:
    """Equal rows; where some need more and all others keep a line, theirs are higher."""
    equal = min(round(GRID["plate"] * u), (high + gap) // max(1, len(needs)) - gap)
    more = [need for need in needs if need > equal]
    others = len(needs) - len(more)
    left = high + gap - sum(need + gap for need in more) - others * gap
    least = others * round(GRID["plate_least"] * u)
    if not more or left < least:
        return [equal] * len(needs)
    return [need if need > equal else min(equal, left // others) for need in needs]


def _layout_upright(count: int, area: pygame.Rect, u: float, foot: int) -> StageLayout:
    """Two columns as always, but the felt lies between their upper and their lower rows."""
    gap = round(GRID["gap_many"] * u)
    head = _headline_rect(area, u, GRID["head_top"], GRID["head_upright"])
    bar = _headline_rect(area, u, 0, GRID["bar_end"] - GRID["bar_top"])
    bar.bottom = area.bottom - round((ALL - GRID["bar_end"]) * u)
    low = bar.y - gap - foot
    left = count // 2
    height = round(GRID["plate" if count <= MAX_LARGE_PLATES else "plate_upright"] * u)
    width = (head.w - gap) // 2
    plates = []
    upper, under = head.bottom, low
    for place in range(count):
        rows = left if place < left else count - left
        row = left - 1 - place if place < left else place - left
        above = rows // 2 if rows > 1 else int(place >= left)
        y = head.bottom + gap + row * (height + gap)
        if row >= above:
            y = low - (rows - row) * (height + gap) + gap
        rect = pygame.Rect(head.x if place < left else head.right - width, y, width, height)
        upper, under = (max(upper, rect.bottom), under) if row < above else (upper, min(under, rect.y))
        plates.append(rect)
    lights = [
        (rect.centerx, upper + height // 3 if rect.y < upper else under - height // 3) for rect in plates
    ]
    rim = pygame.Rect(head.x, upper - height // 2, head.w, under - upper + height)
    middle = pygame.Rect(head.x, upper, head.w, under - upper).inflate(-4 * gap, -2 * gap)
    return StageLayout(
        head=head,
        bar=bar,
        rim=rim,
        plates=tuple(plates),
        lights=tuple(lights),
        middle=middle,
        log=pygame.Rect(area.topright, (0, 0)),
    )


def layout_narrow(
    count: int, body: pygame.Rect, width: int, gap: int
) -> tuple[tuple[pygame.Rect, ...], pygame.Rect]:
    """Beside a lesson or a camera's picture: plates of this width, and what is left between them."""
    covered = width + gap
    edge = round((LOOK.radius["rim"] - LOOK.radius["felt"]) * body.h / ALL) + gap // 2
    middle = pygame.Rect(body.x + covered, body.y, body.w - 2 * covered, body.h)
    return place_layout.panel_rects(count, body, width, gap), middle.inflate(0, -2 * edge)
