"""Draws Kobayakawa's mat for printing."""

from companion.printing.mat import DIGIT_COLOUR, GROUND_COLOUR, LINE_COLOUR, SHADE_COLOUR
from companion.printing.patterns import CARD_HEIGHT_MM, CARD_WIDTH_MM
from companion.printing.pen import Pen
from companion.vision.layout import Layout


def draw_mat(pen: Pen, layout: Layout) -> None:
    """A field for each hand, with its number, a crossed one for its discard, and a crest at the open card."""
    for place in (*layout.places, *layout.banks):
        kind, _, number = place.name.partition(":")
        with pen.transform(*place.centre_mm, turn=place.angle):
            w, h = place.size_mm
            pen.rect(-w / 2, -h / 2, w, h, r=4, fill=SHADE_COLOUR, line=LINE_COLOUR, width=0.5)
            if number:
                pen.text(-w / 2 + 7, -h / 2 + 11, number if kind == "hand" else "×", 12, fill=DIGIT_COLOUR)
            pen.rect(
                -CARD_WIDTH_MM / 2,
                -CARD_HEIGHT_MM / 2,
                CARD_WIDTH_MM,
                CARD_HEIGHT_MM,
                r=3,
                fill=GROUND_COLOUR,
                line=LINE_COLOUR,
                width=0.7,
            )
            if kind == "kobayakawa":
                for radius in (4.2, 2.4):
                    pen.ellipse(
                        0, CARD_HEIGHT_MM / 2 + 6, radius, fill=SHADE_COLOUR, line=DIGIT_COLOUR, width=0.8
                    )
