"""Draws or prints the table mats with their corner marks."""

from collections.abc import Callable
from pathlib import Path

from companion.printing.pen import CARD_HEIGHT_MM, CARD_WIDTH_MM, WHITE, Pen
from companion.printing.sheets import A4_MM, SizeMm, open_canvas
from companion.vision.layout import MARK_MM, MAT_MM, Layout, Place, mark_bits

# Nothing on the mat is as bright as the border of a card, so no line of it runs into one.
GROUND_COLOUR, SHADE_COLOUR, LINE_COLOUR, DIGIT_COLOUR = "#6f9a86", "#678f7c", "#4f7263", "#2c4c40"
DrawPlaces = Callable[[Pen, Layout], None]
"""Draws the places of one game's mat; the ground is there, and the marks come last."""
_TILES = (3, 2)
"""Columns and rows of pages; no corner mark falls on a cut."""


def draw_mat(pen: Pen, layout: Layout, draw: DrawPlaces | None = None, *, marks: bool = True) -> None:
    """A whole mat, (0, 0) its top left: ground, places (each as a field where `draw` is None), marks."""
    pen.rect(0, 0, *MAT_MM, fill=GROUND_COLOUR, line=None)
    (draw or draw_places)(pen, layout)
    if marks:
        _draw_marks(pen, layout)


def draw_places(pen: Pen, layout: Layout, *, numbered: bool = True) -> None:
    """Every place as a field with the outlines of its cards; `stack:3` has its number in the corner."""
    for place in (*layout.places, *layout.banks):
        with pen.transform(*place.centre_mm, turn=place.angle):
            draw_field(pen, place)
            number = place.name.partition(":")[2]
            if numbered and number:
                w, h = place.size_mm
                pen.text(-w / 2 + 7, -h / 2 + 12, number, 13, fill=DIGIT_COLOUR)
        for spot in layout.spots(place.name):
            with pen.transform(*spot.centre_mm, turn=spot.angle):
                draw_card_outline(pen)


def draw_field(pen: Pen, place: Place) -> None:
    """The ground of a place, whose centre is the origin."""
    w, h = place.size_mm
    pen.rect(-w / 2, -h / 2, w, h, r=4, fill=SHADE_COLOUR, line=LINE_COLOUR, width=0.5)


def draw_card_outline(
    pen: Pen, x: float = 0.0, y: float = 0.0, *, fill: str | None = GROUND_COLOUR, width: float = 0.7
) -> None:
    """Where a card is laid with its centre at (x, y), in mm."""
    left, top = x - CARD_WIDTH_MM / 2, y - CARD_HEIGHT_MM / 2
    pen.rect(left, top, CARD_WIDTH_MM, CARD_HEIGHT_MM, r=3, fill=fill, line=LINE_COLOUR, width=width)


def _draw_marks(pen: Pen, layout: Layout) -> None:
    for mark, corners in layout.marks_mm.items():
        left, top = corners[0]
        pen.rect(left - 6, top - 6, MARK_MM + 12, MARK_MM + 12, r=3, fill=WHITE, line=None)
        cell = MARK_MM / 6
        for row, bits in enumerate(mark_bits(mark)):
            for column, black in enumerate(bits):
                if black:
                    # A hair wider than its cell, so that no light line shows between neighbours.
                    pen.rect(
                        left + column * cell,
                        top + row * cell,
                        cell + 0.02,
                        cell + 0.02,
                        fill="#000000",
                        line=None,
                    )


def print_mat(
    path: Path, fonts: Path, layout: Layout, draw: DrawPlaces | None = None, *, marks: bool = True
) -> None:
    """Write the mat as one A2 page; without its marks no camera finds it, and people see more green."""
    canvas = open_canvas(path, MAT_MM, fonts)
    pen = Pen(canvas, (0.0, 0.0), MAT_MM[1])
    with pen.on_page():
        draw_mat(pen, layout, draw, marks=marks)
    canvas.showPage()
    canvas.save()


def print_mat_tiles(
    path: Path,
    fonts: Path,
    layout: Layout,
    draw: DrawPlaces | None = None,
    *,
    page: SizeMm = A4_MM,
    marks: bool = True,
) -> int:
    """Write the mat on pages of A4 or Letter to be cut and laid edge to edge; the number of pages."""
    canvas = open_canvas(path, page, fonts)
    columns, rows = _TILES
    wide, high = MAT_MM[0] / columns, MAT_MM[1] / rows
    left, top = (page[0] - wide) / 2, (page[1] - high) / 2
    for row in range(rows):
        for column in range(columns):
            pen = Pen(canvas, (0.0, 0.0), page[1])
            with pen.on_page():
                # A little more than the tile, so that a cut beside the line shows no white.
                with (
                    pen.clip(left - 2, top - 2, wide + 4, high + 4),
                    pen.transform(left - column * wide, top - row * high),
                ):
                    draw_mat(pen, layout, draw, marks=marks)
                for x in (left, left + wide):
                    for y in (top - 10, top + high + 4):
                        pen.polygon([(x, y), (x, y + 6)], width=0.15)
                for y in (top, top + high):
                    for x in (left - 5.5, left + wide + 2.5):
                        pen.polygon([(x, y), (x + 3, y)], width=0.15)
                pen.text(page[0] / 2, top - 12, f"{'ABC'[row]}{column + 1}", 5, bold=False)
            canvas.showPage()
    canvas.save()
    return rows * columns
