"""dnup's mat: an area per player, in the middle a row for scanning the deck."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from companion.vision.layout import GRID_MM, STACK_MM, Layout, Millimetres, Place

if TYPE_CHECKING:
    from companion.printing.pen import Pen


_AREAS: tuple[tuple[Millimetres, float, tuple[int, int]], ...] = (
    ((399.0, 338.0), 0.0, (4, 2)),
    ((195.0, 338.0), 0.0, (4, 2)),
    ((43.0, 210.0), 90.0, (6, 1)),
    ((195.0, 82.0), 180.0, (4, 2)),
    ((399.0, 82.0), 180.0, (4, 2)),
)
"""Centre, angle and grid of each area of the full mat."""


def build_mat_layout(hands: int) -> Layout:
    """An area before every player, or two before each of two, and in the middle the row for the whole deck.

    Two sit at each long edge and the fifth at the left; of two players each has a long edge, the second area
    at the player's own left. Areas are numbered clockwise in the order of their turns.
    """
    lower_right, lower_left, left, upper_left, upper_right = (
        Place(f"set:{number}", centre, _grid_size_mm(grid), angle, grid)
        for number, (centre, angle, grid) in enumerate(_AREAS, start=1)
    )
    used = {
        2: (lower_right, lower_left, upper_left, upper_right),
        3: (lower_right, upper_left, upper_right),
        4: (lower_right, lower_left, upper_left, upper_right),
        5: (lower_right, lower_left, left, upper_left, upper_right),
    }[hands]
    areas = (replace(place, name=f"set:{number}") for number, place in enumerate(used, start=1))
    row = Place("scan", (297.0, 210.0), _grid_size_mm((6, 1)), 0.0, (6, 1))
    return Layout(places=(*areas, row), banks=(Place("discards", (538.0, 210.0), STACK_MM),))


def _grid_size_mm(grid: tuple[int, int]) -> Millimetres:
    """The size of a place for this many cards."""
    return GRID_MM[0] * grid[0] + 2.0, GRID_MM[1] * grid[1] + 2.0


def draw_mat(pen: Pen, layout: Layout) -> None:
    """A field for each player's sets; in those that two players use, the number of the area."""
    # Who plays needs the layout only, and does not wait for all that prints.
    from companion.printing.mat import LINE_COLOUR, draw_places  # noqa: PLC0415

    draw_places(pen, layout, numbered=False)
    # Of two players, each with two areas, the second lies at the player's own left.
    for place, words in zip(build_mat_layout(2).places[:4], ("1", "2", "1", "2"), strict=True):
        spot = layout.spots(place.name if place.name in {"set:1", "set:2"} else _full_mat_name(place.name))[0]
        with pen.transform(*spot.centre_mm, turn=spot.angle):
            pen.text(0, 6, words, 16, fill=LINE_COLOUR)


def _full_mat_name(name: str) -> str:
    """An area of two players as the full mat counts it."""
    return f"set:{int(name.partition(':')[2]) + 1}"
