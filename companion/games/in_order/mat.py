"""The mat of In Order: one place in the middle, where all lay their numbers on one heap."""

from __future__ import annotations

from typing import TYPE_CHECKING

from companion.games.in_order.rules.model import HEAP
from companion.vision.layout import Layout, Millimetres, Place

if TYPE_CHECKING:
    from companion.printing.pen import Pen

HEAP_MM: Millimetres = (96.0, 104.0)
"""Cards on one another, laid carelessly from all sides."""


def build_mat_layout(hands: int) -> Layout:
    """The same for every number of players."""
    return Layout(places=(Place(HEAP, (297.0, 210.0), HEAP_MM),))


def draw_mat(pen: Pen, layout: Layout) -> None:
    """The field with the outline of a card."""
    # Who plays needs the layout only, and does not wait for all that prints.
    from companion.printing.mat import draw_card_outline, draw_field  # noqa: PLC0415

    for place in layout.places:
        with pen.transform(*place.centre_mm, turn=place.angle):
            draw_field(pen, place)
            draw_card_outline(pen)
