"""How Kobayakawa's mat is drawn."""

from companion.printing.mat import DIGIT, GROUND, LINE, SHADE
from companion.printing.patterns import HEIGHT, WIDTH
from companion.printing.pen import Pen
from companion.vision.layout import Layout


def draw(pen: Pen, layout: Layout) -> None:
    """A field for each hand, with its number, a crossed one for its discard, and a crest at the open card."""
    for place in (*layout.places, *layout.banks):
        kind, _, number = place.name.partition(":")
        with pen.at(*place.centre_mm, turn=place.angle):
            w, h = place.size_mm
            pen.rect(-w / 2, -h / 2, w, h, r=4, fill=SHADE, line=LINE, width=0.5)
            if number:
                pen.text(-w / 2 + 7, -h / 2 + 11, number if kind == "hand" else "×", 12, fill=DIGIT)
            pen.rect(-WIDTH / 2, -HEIGHT / 2, WIDTH, HEIGHT, r=3, fill=GROUND, line=LINE, width=0.7)
            if kind == "kobayakawa":
                for radius in (4.2, 2.4):
                    pen.ellipse(0, HEIGHT / 2 + 6, radius, fill=SHADE, line=DIGIT, width=0.8)
