"""Kabuki's mat: four stacks, a show place and a check row."""

from __future__ import annotations

from typing import TYPE_CHECKING

from companion.vision.layout import STACK_MM, Layout, Place

if TYPE_CHECKING:
    from companion.printing.pen import Pen


def build_mat_layout(hands: int) -> Layout:
    """Four stacks clockwise round the deck and the show place; below, the row in which a stack is checked."""
    stacks = ((150.0, 66.0), (444.0, 66.0), (444.0, 178.0), (150.0, 178.0))
    return Layout(
        places=(
            *(Place(f"stack:{number}", centre, STACK_MM) for number, centre in enumerate(stacks, start=1)),
            Place("show", (342.0, 122.0), STACK_MM),
            Place("audit", (297.0, 296.0), (450.0, 84.0)),
        ),
        banks=(Place("deck", (252.0, 122.0), STACK_MM),),
        cards_in_hand_place=9,
        hand_told=tuple(f"stack:{number}" for number in range(1, len(stacks) + 1)),
        hand_passes=("deck", "show"),
    )


def draw_mat(pen: Pen, layout: Layout) -> None:
    """Four stacks round the deck and the show place, and a row in which a stack is checked."""
    # Who plays needs the layout only, and does not wait for all that prints.
    from companion.printing.mat import DIGIT_COLOUR, draw_places  # noqa: PLC0415
    from companion.printing.pen import CARD_HEIGHT_MM, draw_figure  # noqa: PLC0415

    draw_places(pen, layout)
    for name in ("show", "deck"):
        x, y = layout.place(name).centre_mm
        with pen.transform(x, y + CARD_HEIGHT_MM / 2 + 4.6, scale=1.1):
            draw_figure(pen, "figures", "eyes", colour=DIGIT_COLOUR)
