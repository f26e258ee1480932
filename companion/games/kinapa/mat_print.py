"""How Kinapa's mat is drawn."""

from companion.printing.art import draw as draw_figure
from companion.printing.mat import DIGIT, GROUND, LINE, SHADE
from companion.printing.patterns import HEIGHT, WIDTH
from companion.printing.pen import Pen
from companion.vision.layout import OBJECT_OFFSET_MM, PAIR_OFFSETS_MM, Layout, Place

HANDS = range(4, 9)


def draw(pen: Pen, layout: Layout) -> None:
    """A ring of object slots, and a middle for sheep, foxes, shown cards and open rows."""
    first = {number: next(players for players in HANDS if 2 * players >= number) for number in range(1, 17)}
    for number, players in first.items():
        _slot(pen, layout.place(f"slot:{number}"), number, players)
    _middle(pen, layout)
    for place in layout.places:
        if place.grid != (1, 1):
            _open_row(pen, layout, place)


def _slot(pen: Pen, place: Place, number: int, players: int) -> None:
    """The object's outline, below it where a pair goes, and the slot's number where no card covers it."""
    with pen.at(*place.centre_mm, turn=place.angle):
        w, h = place.size_mm
        pen.rect(-w / 2, -h / 2, w, h, r=4, fill=SHADE, line=LINE, width=0.5)
        for x, y in PAIR_OFFSETS_MM:
            pen.rect(x - WIDTH / 2, y - HEIGHT / 2, WIDTH, HEIGHT, r=3, line=LINE, width=0.3)
        x, y = OBJECT_OFFSET_MM
        pen.rect(x - WIDTH / 2, y - HEIGHT / 2, WIDTH, HEIGHT, r=3, fill=GROUND, line=LINE, width=0.7)
        pen.text(-w / 2 + 12, -h / 2 + 11.2, str(number), 13, fill=DIGIT)
        if players > HANDS[0]:
            pen.text(
                w / 2 - 12,
                -h / 2 + 9.5,
                f"{players}+" if players < HANDS[-1] else str(players),
                8,
                fill=DIGIT,
            )
            with pen.at(w / 2 - 20, -h / 2 + 9.5):
                draw_figure(pen, "figures", "person", colour=DIGIT)


def _middle(pen: Pen, layout: Layout) -> None:
    """Outlines for the banks and for cards laid open."""
    for name, figure in (("sheep", "sheep"), ("emperor", "deer"), ("foxes", "fox")):
        place = layout.place(name)
        with pen.at(*place.centre_mm):
            pen.rect(-WIDTH / 2, -HEIGHT / 2, WIDTH, HEIGHT, r=3, fill=SHADE, line=LINE, width=0.7)
            # Small, and below the card's place: nothing on the mat may look like a card.
            with pen.at(0, HEIGHT / 2 + 7, scale=0.24):
                draw_figure(pen, "figures", figure)
    shown = layout.place("audit")
    with pen.at(*shown.centre_mm):
        w, h = shown.size_mm
        pen.rect(-w / 2, -h / 2, w, h, r=4, fill=SHADE, line=LINE, width=0.5)
    for place in layout.hand_places():
        with pen.at(*place.centre_mm):
            pen.rect(-WIDTH / 2, -HEIGHT / 2, WIDTH, HEIGHT, r=3, fill=GROUND, line=LINE, width=0.7)
            with pen.at(0, 0, scale=3):
                draw_figure(pen, "figures", "paws", colour=SHADE)


def _open_row(pen: Pen, layout: Layout, place: Place) -> None:
    """Three open cards, with a fox's head on each place, and on the owner's right a paw: the hidden one."""
    *opened, hidden = layout.spots(place.name)
    for spot in (*opened, hidden):
        with pen.at(*spot.centre_mm, turn=spot.angle):
            pen.rect(-WIDTH / 2, -HEIGHT / 2, WIDTH, HEIGHT, r=3, line=LINE, width=0.7)
            if spot is hidden:
                with pen.at(0, 0, scale=3):
                    draw_figure(pen, "figures", "paws", colour=SHADE)
            else:
                draw_figure(pen, "figures", "fox_shadow", colour=SHADE, eyes=GROUND)
