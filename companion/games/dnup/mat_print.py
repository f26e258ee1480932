"""Draws dnup's mat for printing."""

from companion.games.dnup.mat import build_mat_layout as areas_of
from companion.printing.mat import GROUND_COLOUR, LINE_COLOUR, SHADE_COLOUR
from companion.printing.patterns import CARD_HEIGHT_MM, CARD_WIDTH_MM
from companion.printing.pen import Pen
from companion.vision.layout import Layout


def draw_mat(pen: Pen, layout: Layout) -> None:
    """A field for each player's sets; in those that two players use, the number of the area."""
    for place in (*layout.places, *layout.banks):
        with pen.transform(*place.centre_mm, turn=place.angle):
            w, h = place.size_mm
            pen.rect(-w / 2, -h / 2, w, h, r=4, fill=SHADE_COLOUR, line=LINE_COLOUR, width=0.5)
        for spot in layout.spots(place.name):
            with pen.transform(*spot.centre_mm, turn=spot.angle):
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
    # Of two players, each with two areas, the second lies at the player's own left.
    for place, words in zip(areas_of(2).places[:4], ("1", "2", "1", "2"), strict=True):
        spot = layout.spots(place.name if place.name in {"set:1", "set:2"} else _full_mat_name(place.name))[0]
        with pen.transform(*spot.centre_mm, turn=spot.angle):
            pen.text(0, 6, words, 16, fill=LINE_COLOUR)


def _full_mat_name(name: str) -> str:
    """An area of two players as the full mat counts it."""
    return f"set:{int(name.partition(':')[2]) + 1}"
