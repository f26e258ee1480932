"""Layout of dnup's mat: an area per player and a row for scanning the deck."""

from dataclasses import replace

from companion.vision.layout import GRID_MM, STACK_MM, Layout, Millimetres, Place

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
