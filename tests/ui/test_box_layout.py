"""How a box is divided: in whole pixels, without a screen."""

import ast
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.ui import layout
from companion.ui.layout import FILL, Box, Share, around, best_grid, columns, grid, rows, stack

BOX = Box(10, 20, 100, 60)
BOXES = st.builds(Box, *(st.integers(-200, 200),) * 2, *(st.integers(0, 2000),) * 2)


def inside(box: Box, parts: tuple[Box, ...]) -> bool:
    return all(
        box.x <= one.x and one.right <= box.right and box.y <= one.y and one.bottom <= box.bottom
        for one in parts
    )


def test_it_needs_no_pygame() -> None:
    tree = ast.parse(Path(layout.__file__).read_text(encoding="utf-8"))
    imported = [node for node in ast.walk(tree) if isinstance(node, ast.Import)]
    assert {name.name for node in imported for name in node.names} == {"math"}


def test_what_the_given_sizes_leave_is_shared() -> None:
    head, body, foot = rows(BOX, 15, FILL, 5, gap=2)
    assert (head, body, foot) == (Box(10, 20, 100, 15), Box(10, 37, 100, 36), Box(10, 75, 100, 5))
    assert columns(BOX, Share(1), Share(3), gap=4) == (Box(10, 20, 24, 60), Box(38, 20, 72, 60))


def test_shares_are_equal_whole_pixels_and_what_is_over_stays_at_the_end() -> None:
    assert [one.w for one in columns(BOX, FILL, FILL, FILL)] == [33, 33, 33]
    assert columns(BOX, FILL, FILL, FILL)[-1].right == BOX.right - 1


def test_a_natural_size_is_told_how_far_the_box_reaches_across() -> None:
    words, rest = rows(BOX, lambda wide: wide // 10, FILL)
    assert (words.h, rest.h) == (10, 50)
    sign, _ = columns(BOX, lambda high: high, FILL)
    assert sign.size == (60, 60)


def test_where_nothing_is_shared_the_boxes_stand_together_at_the_start_the_end_or_in_the_middle() -> None:
    assert [rows(BOX, 10, 10, justify=where)[0].y for where in ("start", "center", "end")] == [20, 40, 60]  # type: ignore[arg-type]


def test_where_the_given_sizes_are_too_large_a_share_is_nothing() -> None:
    assert rows(BOX, 50, FILL, 50)[1].h == 0


@pytest.mark.parametrize(
    ("at", "corner"),
    [("center", (50, 45)), ("left", (10, 45)), ("topright", (90, 20)), ("bottom", (50, 70))],
)
def test_a_box_is_laid_upon_another(at: layout.Anchor, corner: tuple[int, int]) -> None:
    assert stack(BOX, 20, 10, at) == Box(*corner, 20, 10)


def test_a_box_grows_and_shrinks_about_its_centre() -> None:
    assert BOX.inflate(10, -10) == Box(5, 25, 110, 50)
    assert around(BOX.center, 20, 10).center == BOX.center
    assert BOX.inset(left=5, bottom=70) == Box(15, 20, 95, 0)
    assert BOX.contains((10, 20))
    assert not BOX.contains((110, 20))


def test_a_grid_is_filled_row_by_row_or_column_by_column() -> None:
    assert [cell[:2] for cell in grid(BOX, 3, 2, gap=2)] == [(10, 20), (61, 20), (10, 51)]
    assert [cell[:2] for cell in grid(BOX, 3, 2, gap=2, downwards=True)] == [(10, 20), (10, 51), (61, 20)]
    assert grid(BOX, 3, 2, most=10)[0].h == 10


def test_cells_have_about_the_shape_that_is_asked_for_and_a_short_last_row_is_centred() -> None:
    assert best_grid(BOX, 0, 2) == ()
    assert [cell.y for cell in best_grid(BOX, 3, 0, shape=5.0)] == [20, 40, 60]
    one, two, three = best_grid(BOX, 3, 0, shape=1.6)
    assert (one.y, two.y, three.centerx) == (20, 20, BOX.centerx)


@given(BOXES, st.integers(1, 40), st.integers(1, 9), st.integers(0, 3))
def test_no_cell_leaves_the_box_or_lies_over_another(box: Box, count: int, across: int, gap: int) -> None:
    cells = grid(box, count, across, gap=gap)
    if min(cells[0].size) < 1:
        return  # there is no room for so many
    assert inside(box, cells)
    ends = [(cell, x) for cell in cells for x in (cell.x, cell.right - 1)]
    spots = [(x, y) for cell, x in ends for y in (cell.y, cell.bottom - 1)]
    assert all(sum(cell.contains(spot) for cell in cells) == 1 for spot in spots)
