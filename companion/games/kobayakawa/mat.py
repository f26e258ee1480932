"""Kobayakawa's mat: six fields with a hand and a discard each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from companion.vision.layout import STACK_MM, Layout, Millimetres, Place

if TYPE_CHECKING:
    from companion.printing.pen import Pen


FIELD_MM: Millimetres = (68.0, 92.0)
"""One card before a player, with room to lay it carelessly."""
_FIELD_STEP = 35.0
_FIELDS: tuple[tuple[float, float, float], ...] = (
    (139.0, 360.0, 0.0),
    (139.0, 60.0, 180.0),
    (297.0, 60.0, 180.0),
    (455.0, 60.0, 180.0),
    (455.0, 360.0, 0.0),
    (297.0, 360.0, 0.0),
)


def build_mat_layout(hands: int) -> Layout:
    """Six fields clockwise from the left of the lower edge, each with a hand and a discard; between them the
    deck and the open card. Fewer players leave fields between them free.
    """
    fields: list[Place] = []
    for number, (x, y, angle) in enumerate(_FIELDS, start=1):
        for kind, side in (("discard", -1), ("hand", 1)):
            right = side if angle == 0.0 else -side
            fields.append(Place(f"{kind}:{number}", (x + right * _FIELD_STEP, y), FIELD_MM, angle))
    return Layout(
        places=(Place("kobayakawa", (342.0, 210.0), STACK_MM), *fields),
        banks=(Place("deck", (252.0, 210.0), STACK_MM),),
    )


def draw_mat(pen: Pen, layout: Layout) -> None:
    """A field for each hand, with its number, a crossed one for its discard, and a crest at the open card."""
    # Who plays needs the layout only, and does not wait for all that prints.
    from companion.printing.mat import DIGIT_COLOUR, SHADE_COLOUR, draw_card_outline, draw_field  # noqa: PLC0415
    from companion.printing.pen import CARD_HEIGHT_MM  # noqa: PLC0415

    for place in (*layout.places, *layout.banks):
        kind, _, number = place.name.partition(":")
        with pen.transform(*place.centre_mm, turn=place.angle):
            draw_field(pen, place)
            if number:
                w, h = place.size_mm
                pen.text(-w / 2 + 7, -h / 2 + 11, number if kind == "hand" else "×", 12, fill=DIGIT_COLOUR)
            draw_card_outline(pen)
            if kind == "kobayakawa":
                crest = CARD_HEIGHT_MM / 2 + 6
                for radius in (4.2, 2.4):
                    pen.ellipse(0, crest, radius, fill=SHADE_COLOUR, line=DIGIT_COLOUR, width=0.8)
