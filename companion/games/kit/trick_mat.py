"""The mat of a game of tricks: one place for a card before each player, round the middle."""

from __future__ import annotations

from typing import TYPE_CHECKING

from companion.games.kit.trick_camera import REGION
from companion.vision.layout import Layout, Millimetres, Place

if TYPE_CHECKING:
    from companion.printing.pen import Pen

FIELD_MM: Millimetres = (80.0, 104.0)
"""One card before a player, with room to throw it carelessly."""
_FIELDS: tuple[tuple[float, float, float], ...] = (
    (225.0, 300.0, 0.0),
    (225.0, 120.0, 180.0),
    (369.0, 120.0, 180.0),
    (369.0, 300.0, 0.0),
)


def build_mat_layout(hands: int) -> Layout:
    """Four places clockwise from the left of the lower edge."""
    return Layout(
        places=tuple(
            Place(f"{REGION}{number}", (x, y), FIELD_MM, angle)
            for number, (x, y, angle) in enumerate(_FIELDS)
        )
    )


def draw_mat(pen: Pen, layout: Layout) -> None:
    """A field for each player with its number."""
    # Who plays needs the layout only, and does not wait for all that prints.
    from companion.printing.mat import DIGIT_COLOUR, draw_card_outline, draw_field  # noqa: PLC0415

    for number, place in enumerate(layout.places, start=1):
        with pen.transform(*place.centre_mm, turn=place.angle):
            draw_field(pen, place)
            w, h = place.size_mm
            pen.text(-w / 2 + 7, -h / 2 + 11, str(number), 12, fill=DIGIT_COLOUR)
            draw_card_outline(pen)
