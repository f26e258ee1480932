"""How dnup's mat is drawn."""

from companion.games.dnup.mat import layout as areas_of
from companion.printing.mat import GROUND, LINE, SHADE
from companion.printing.patterns import HEIGHT, WIDTH
from companion.printing.pen import Pen
from companion.vision.layout import Layout


def draw(pen: Pen, layout: Layout) -> None:
    """A field for each player's sets; in those that two players use, the number of the area."""
    for place in (*layout.places, *layout.banks):
        with pen.at(*place.centre_mm, turn=place.angle):
            w, h = place.size_mm
            pen.rect(-w / 2, -h / 2, w, h, r=4, fill=SHADE, line=LINE, width=0.5)
        for spot in layout.spots(place.name):
            with pen.at(*spot.centre_mm, turn=spot.angle):
                pen.rect(-WIDTH / 2, -HEIGHT / 2, WIDTH, HEIGHT, r=3, fill=GROUND, line=LINE, width=0.7)
    # Of two players, each with two areas, the second lies at the player's own left.
    for place, words in zip(areas_of(2).places[:4], ("1", "2", "1", "2"), strict=True):
        spot = layout.spots(place.name if place.name in {"set:1", "set:2"} else _moved(place.name))[0]
        with pen.at(*spot.centre_mm, turn=spot.angle):
            pen.text(0, 6, words, 16, fill=LINE)


def _moved(name: str) -> str:
    """An area of two players as the full mat counts it."""
    return f"set:{int(name.partition(':')[2]) + 1}"
