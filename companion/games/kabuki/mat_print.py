"""Draws Kabuki's mat for printing."""

from companion.printing.mat import DIGIT_COLOUR, draw_places
from companion.printing.patterns import CARD_HEIGHT_MM
from companion.printing.pen import Pen
from companion.printing.svg_art import draw_figure
from companion.vision.layout import Layout


def draw_mat(pen: Pen, layout: Layout) -> None:
    """Four stacks round the deck and the show place, and a row in which a stack is checked."""
    draw_places(pen, layout)
    for name in ("show", "deck"):
        x, y = layout.place(name).centre_mm
        with pen.transform(x, y + CARD_HEIGHT_MM / 2 + 4.6, scale=1.1):
            draw_figure(pen, "figures", "eyes", colour=DIGIT_COLOUR)
