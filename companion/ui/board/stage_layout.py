"""Computes where felt, plates, avatars and the places of a table stand on the game page.

Upright sizes are in u, 1 % of the height; across, in shares of the width. A screen that stands upright has
the felt across its middle, and the plates in two columns above and below it.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from companion.core.view import PlaceView, ScreenArea
from companion.ui.layout import FILL, Box, Size, cell, rows, stack
from companion.ui.toolkit.theme import LOOK

MAX_LARGE_PLATES = 4
"""With more people than these everything is smaller."""
GRID = LOOK.stage
ALL = 100
UPRIGHT_RATIO = 1.1
"""A field at least this many times as high as wide is laid out upright."""
CARD_ASPECT = 0.66
"""Width of a card to its height."""
_RING: tuple[tuple[int, int], ...] = (
    *((0, 0), (2, 0), (4, 0), (4, 2), (4, 4), (2, 4), (0, 4), (0, 2)),
    *((1, 0), (3, 4), (3, 0), (1, 4), (4, 1), (0, 3), (4, 3), (0, 1)),
)
"""Column and row of places 1 to 16 round a field of 5 × 5, as printed on the mat."""
SIDE = 5
_CORNERS = ((0, 0), (1, 0), (1, 1), (0, 1))
SMALL, SMALL_SIDE = 8, 3
"""This many places lie in a ring of three columns and rows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StageLayout:
    """One lay-out."""

    head: Box
    """The one sentence."""
    bar: Box
    rim: Box
    """The felt with its rim; empty where there is no room for one."""
    plates: tuple[Box, ...]
    """Clockwise from the bottom left."""
    docks: tuple[tuple[int, int], ...] = ()
    """The avatars' middles, in the same order; empty where there is no room beside the plates."""
    lights: tuple[tuple[int, int], ...] = ()
    """Where the felt is bright when this one is asked."""
    avatar: int = 0
    """An avatar's height."""
    middle: Box
    """What the plates and avatars leave free."""
    log: Box
    """What was ruled last, where a large screen has room for it; else empty."""


def layout_stage(
    count: int,
    area: Box,
    u: float,
    *,
    foot: int = 0,
    needs: Sequence[int] = (),
    logs: bool = True,
    lift: int = 0,
) -> StageLayout:
    """The stage for this many in `area`; `u` and `foot`, what is taken away above the toolbar, in pixels.

    `needs`: how high the plate of each has to be, in pixels, where that is more than its share.
    `logs`: whether the log may have a column. `lift`: how far above the felt's end the plates end, in pixels.
    """
    if area.h > UPRIGHT_RATIO * area.w:
        return _layout_upright(count, area, u, foot)
    few, small = count <= MAX_LARGE_PLATES, area.h <= GRID["small"]
    logged = logs and few and area.h >= GRID["large"] and area.w - GRID["log"] * u >= area.h * GRID["wide"]
    table = area._replace(w=round(area.w - GRID["log"] * u)) if logged else area
    less = round(GRID["less"] * u) if small else 0

    def span(part: str, left: float) -> Box:
        """From `left` hundredths of the table's width to as far from its right edge."""
        return _span(table, u, left, (f"{part}_top", f"{part}_end"), foot + less)

    size = LOOK.avatar["four" if few else "eight"] * u
    among = span("plates", GRID["plate_left"]).inset(bottom=lift)
    plates = _plate_columns(count, among, table.w, u, needs, near=lift > 0)
    out = GRID["on_felt"] * size
    docks = tuple(
        (round(one.right + out if one.centerx < table.centerx else one.x - out), one.centery)
        for one in plates
    )
    middle = span("middle", GRID["middle_left"])
    inner = max((x for x, _ in docks if x < table.centerx), default=area.x)
    reach = inner + round(size * LOOK.avatar["asked"] / 2)
    rim = span("rim", GRID["rim_left"])
    log = Box(table.right, rim.y, area.right - table.right - round(GRID["log_edge"] * u), rim.h)
    return StageLayout(
        head=_span(area, u, GRID["edge"], ("head_top", "head_end")),
        bar=_span(area, u, GRID["edge"], ("bar_top", "bar_end"), grown=GRID["less"] if small else 0),
        rim=rim,
        plates=plates,
        docks=docks,
        lights=docks,
        avatar=round(size),
        middle=middle.inflate(2 * min(0, middle.x - reach), 0),
        log=log if logged else Box(area.right, area.y, 0, 0),
    )


def _span(area: Box, u: float, left: float, ends: tuple[str, str], less: int = 0, *, grown: float = 0) -> Box:
    """Across, from `left` hundredths of the width to as far from its right edge; upright, between two lines.

    `ends` name the lines of the grid. `less` pixels are taken from the lower, `grown` u added to the upper.
    """
    x, right = (area.x + round(area.w * share / ALL) for share in (left, ALL - left))
    top = area.y + round((GRID[ends[0]] - grown) * u)
    return Box(x, top, right - x, area.y + round(GRID[ends[1]] * u) - less - top)


def _plate_columns(
    count: int, among: Box, wide: int, u: float, needs: Sequence[int], *, near: bool
) -> tuple[Box, ...]:
    """A column on each side: up the left one, down the right one; the rows in the middle of the height.

    `near`: they stand as close as many do.
    """
    size = "few" if count <= MAX_LARGE_PLATES else "many"
    width = round(wide * GRID[f"plate_{size}"] / ALL)
    gap = round(GRID["gap_many" if near else f"gap_{size}"] * u)
    left, needs = count // 2, needs or (0,) * count
    sides = (among.x, needs[:left][::-1]), (among.right - width, needs[left:])
    up, down = (
        rows(
            Box(x, among.y, width, among.h),
            *_plate_heights(need, among.h, gap, u, count - left),
            gap=gap,
            justify="center",
        )
        for x, need in sides
    )
    return (*up[::-1], *down)


def _plate_heights(needs: Sequence[int], high: int, gap: int, u: float, most: int) -> list[int]:
    """As high as those of the column with `most`; where some need more and others keep a line, higher."""
    equal = min(round(GRID["plate"] * u), (high + gap) // most - gap)
    more = [need for need in needs if need > equal]
    others = len(needs) - len(more)
    left = high + gap - sum(need + gap for need in more) - others * gap
    least = others * round(GRID["plate_least"] * u)
    if not more or left < least:
        return [equal] * len(needs)
    return [need if need > equal else min(equal, left // others) for need in needs]


def _layout_upright(count: int, area: Box, u: float, foot: int) -> StageLayout:
    """Two columns as always, but the felt lies between their upper and their lower rows."""
    gap = round(GRID["gap_many"] * u)
    high = round((GRID["bar_end"] - GRID["bar_top"]) * u)
    head = _span(area, u, GRID["edge"], ("head_top", "head_upright"))
    end = area.bottom - round((ALL - GRID["bar_end"]) * u)
    head, body, bar = rows(head._replace(h=end - head.y), head.h, FILL, high)
    body = body.inset(top=gap, bottom=gap + foot)
    height = round(GRID["plate" if count <= MAX_LARGE_PLATES else "plate_upright"] * u)
    left, width = count // 2, (body.w - gap) // 2
    plates = list[Box]()
    felts = list[Box]()
    for x, many, right in ((body.x, left, 0), (body.right - width, count - left, 1)):
        above = many // 2 if many > 1 else right
        sizes: list[Size] = [height] * many
        sizes.insert(above, FILL)
        parts = list(rows(Box(x, body.y, width, body.h), *sizes, gap=gap))
        felts.append(parts.pop(above).inflate(0, 2 * gap))
        plates += parts if right else parts[::-1]
    top, bottom = max(felt.y for felt in felts), min(felt.bottom for felt in felts)
    felt = Box(body.x, top, body.w, bottom - top)
    third = height // 3
    return StageLayout(
        head=head,
        bar=bar,
        rim=felt.inflate(0, height),
        plates=tuple(plates),
        lights=tuple((one.centerx, top + third if one.y < top else bottom - third) for one in plates),
        middle=felt.inflate(-4 * gap, -2 * gap),
        log=Box(area.right, area.y, 0, 0),
    )


def layout_wide(area: Box, u: float) -> tuple[Box, Box, Box]:
    """A page on the felt without plates: the sentence, the felt over the whole width, and the toolbar."""
    edge, high = round(GRID["wide_edge"] * u), GRID["bar_end"] - GRID["bar_top"]
    top, low = (round(share * u) for share in (GRID["head_top"], ALL - GRID["bar_end"]))
    upright = area.h > UPRIGHT_RATIO * area.w
    head = round((GRID["head_upright" if upright else "head_end"] - GRID["head_top"]) * u)
    bar = round((high + (GRID["less"] if area.h <= GRID["small"] else 0)) * u)
    inner = area.inset(left=edge, right=edge, top=top, bottom=low)
    above, felt, below = rows(inner, head, FILL, bar, gap=round(GRID["wide_gap"] * u))
    return above, felt, below


def layout_narrow(count: int, body: Box, width: int, gap: int) -> tuple[tuple[Box, ...], Box]:
    """Beside a lesson or a camera's picture: plates of this width, and what is left between them."""
    edge = round((LOOK.radius["rim"] - LOOK.radius["felt"]) * body.h / ALL) + gap // 2
    middle = body.inset(left=width + gap, right=width + gap).inflate(0, -2 * edge)
    return panel_rects(count, body, width, gap), middle


def panel_rects(count: int, area: Box, width: int, gap: int) -> tuple[Box, ...]:
    """A panel for every chair, clockwise from the bottom left corner: up the left edge, down the right."""
    left = count // 2
    sides = (stack(area, width, area.h, "left"), left), (stack(area, width, area.h, "right"), count - left)
    up, down = ([cell(side, (1, many), (0, row), gap=gap) for row in range(many)] for side, many in sides)
    return (*up[::-1], *down)


def place_cells(shown: Sequence[PlaceView], field: Box, gap: int) -> Mapping[str, Box]:
    """Region → its cell in `field`: in the ring by number, or row by row."""
    if all(one.spot is ScreenArea.RING and one.number <= len(_RING) for one in shown):
        places = {one.region: _RING[one.number - 1] for one in shown}
        across = down = ring_size(shown)
        if across == SMALL_SIDE:
            places = {name: (x // 2, y // 2) for name, (x, y) in places.items()}
    else:
        across = max(1, math.ceil(math.sqrt(len(shown) * field.w / max(1, field.h))))
        down = max(1, math.ceil(len(shown) / across))
        places = {one.region: (place % across, place // across) for place, one in enumerate(shown)}
    return {name: cell(field, (across, down), place, gap=gap) for name, place in places.items()}


def ring_cells(count: int, field: Box, gap: int) -> tuple[tuple[Box, ...], Box]:
    """The cells of so many places round a middle, as on the mat, and the middle; four have the corners."""
    if count <= len(_CORNERS):
        cells = tuple(cell(field, (2, 2), _CORNERS[place], gap=gap) for place in range(count))
        return cells, stack(field, field.w // 3, field.h // 3)
    among = SMALL_SIDE if count <= SMALL else SIDE
    ring = [(x // 2, y // 2) if among == SMALL_SIDE else (x, y) for x, y in _RING[:count]]
    inner = cell(field, (among, among), (1, 1), gap=gap, span=among - 2)
    return tuple(cell(field, (among, among), place, gap=gap) for place in ring), inner


def ring_size(shown: Sequence[PlaceView]) -> int:
    """How many columns and rows the ring has."""
    return SMALL_SIDE if len(shown) <= SMALL else SIDE


def ring_interior(shown: Sequence[PlaceView], field: Box, gap: int) -> Box:
    """What the ring leaves free in its middle."""
    among = ring_size(shown)
    return cell(field, (among, among), (1, 1), gap=gap, span=among - 2)
