"""The mat of Roses and Thorns: six beds of four places."""

from __future__ import annotations

from typing import TYPE_CHECKING

from companion.games.roses.rules.model import BEDS, PLACES
from companion.vision.layout import Layout, Millimetres, Place

if TYPE_CHECKING:
    from companion.printing.pen import Pen

PLACE_MM: Millimetres = (72.0, 78.0)
"""One card, with room to lay it carelessly."""
_STEP: Millimetres = (74.0, 82.0)
_COLUMNS = 2
_BEDS: tuple[tuple[float, float, float], ...] = (
    (145.0, 311.0, 0.0),
    (145.0, 109.0, 180.0),
    (297.0, 109.0, 180.0),
    (449.0, 109.0, 180.0),
    (449.0, 311.0, 0.0),
    (297.0, 311.0, 0.0),
)
"""Clockwise from the left of the lower edge: centre, and the angle from which its owner looks."""


def build_mat_layout(hands: int) -> Layout:
    """The beds at which so many sit; a bed's places are two by two, from its owner's far left."""
    places = []
    for bed in BEDS[hands]:
        x, y, angle = _BEDS[bed - 1]
        whole = Place("", (x, y), PLACE_MM, angle)
        for place in PLACES:
            row, column = divmod(place - 1, _COLUMNS)
            centre = whole.point_at(((column - 0.5) * _STEP[0], (row - 0.5) * _STEP[1]))
            places.append(Place(f"bed:{bed}.{place}", centre, PLACE_MM, angle))
    return Layout(places=tuple(places))


def draw_mat(pen: Pen, layout: Layout) -> None:
    """A field for each place, with the bed's number."""
    # Who plays needs the layout only, and does not wait for all that prints.
    from companion.printing.mat import DIGIT_COLOUR, draw_card_outline, draw_field  # noqa: PLC0415

    for place in layout.places:
        bed = place.name.partition(":")[2].partition(".")[0]
        with pen.transform(*place.centre_mm, turn=place.angle):
            draw_field(pen, place)
            draw_card_outline(pen)
            pen.text(0, 4, bed, 12, fill=DIGIT_COLOUR)
