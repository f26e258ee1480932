"""How Kabuki's mat is drawn."""

from companion.printing.art import draw as draw_figure
from companion.printing.mat import DIGIT, draw_places
from companion.printing.patterns import HEIGHT
from companion.printing.pen import Pen
from companion.vision.layout import Layout


def draw(pen: Pen, layout: Layout) -> None:
    """Four stacks round the deck and the show place, and a row in which a stack is checked."""
    draw_places(pen, layout)
    for name in ("show", "deck"):
        x, y = layout.place(name).centre_mm
        with pen.at(x, y + HEIGHT / 2 + 4.6, scale=1.1):
            draw_figure(pen, "figures", "eyes", colour=DIGIT)
