"""Draws Kinapa's mat for printing."""

from companion.printing.mat import DIGIT_COLOUR, GROUND_COLOUR, LINE_COLOUR, SHADE_COLOUR
from companion.printing.patterns import CARD_HEIGHT_MM, CARD_WIDTH_MM
from companion.printing.pen import Pen
from companion.printing.svg_art import draw_figure
from companion.vision.layout import OBJECT_OFFSET_MM, PAIR_OFFSETS_MM, Layout, Place

HAND_COUNTS = range(4, 9)


def draw_mat(pen: Pen, layout: Layout) -> None:
    """A ring of object slots, and a middle for sheep, foxes, shown cards and open rows."""
    first = {
        number: next(players for players in HAND_COUNTS if 2 * players >= number) for number in range(1, 17)
    }
    for number, players in first.items():
        _draw_slot(pen, layout.place(f"slot:{number}"), number, players)
    _draw_middle(pen, layout)
    for place in layout.places:
        if place.grid != (1, 1):
            _draw_open_row(pen, layout, place)


def _draw_slot(pen: Pen, place: Place, number: int, players: int) -> None:
    """The object's outline, below it where a pair goes, and the slot's number where no card covers it."""
    with pen.transform(*place.centre_mm, turn=place.angle):
        w, h = place.size_mm
        pen.rect(-w / 2, -h / 2, w, h, r=4, fill=SHADE_COLOUR, line=LINE_COLOUR, width=0.5)
        for x, y in PAIR_OFFSETS_MM:
            pen.rect(
                x - CARD_WIDTH_MM / 2,
                y - CARD_HEIGHT_MM / 2,
                CARD_WIDTH_MM,
                CARD_HEIGHT_MM,
                r=3,
                line=LINE_COLOUR,
                width=0.3,
            )
        x, y = OBJECT_OFFSET_MM
        pen.rect(
            x - CARD_WIDTH_MM / 2,
            y - CARD_HEIGHT_MM / 2,
            CARD_WIDTH_MM,
            CARD_HEIGHT_MM,
            r=3,
            fill=GROUND_COLOUR,
            line=LINE_COLOUR,
            width=0.7,
        )
        pen.text(-w / 2 + 12, -h / 2 + 11.2, str(number), 13, fill=DIGIT_COLOUR)
        if players > HAND_COUNTS[0]:
            pen.text(
                w / 2 - 12,
                -h / 2 + 9.5,
                f"{players}+" if players < HAND_COUNTS[-1] else str(players),
                8,
                fill=DIGIT_COLOUR,
            )
            with pen.transform(w / 2 - 20, -h / 2 + 9.5):
                draw_figure(pen, "figures", "person", colour=DIGIT_COLOUR)


def _draw_middle(pen: Pen, layout: Layout) -> None:
    """Outlines for the banks and for cards laid open."""
    for name, figure in (("sheep", "sheep"), ("emperor", "deer"), ("foxes", "fox")):
        place = layout.place(name)
        with pen.transform(*place.centre_mm):
            pen.rect(
                -CARD_WIDTH_MM / 2,
                -CARD_HEIGHT_MM / 2,
                CARD_WIDTH_MM,
                CARD_HEIGHT_MM,
                r=3,
                fill=SHADE_COLOUR,
                line=LINE_COLOUR,
                width=0.7,
            )
            # Small, and below the card's place: nothing on the mat may look like a card.
            with pen.transform(0, CARD_HEIGHT_MM / 2 + 7, scale=0.24):
                draw_figure(pen, "figures", figure)
    shown = layout.place("audit")
    with pen.transform(*shown.centre_mm):
        w, h = shown.size_mm
        pen.rect(-w / 2, -h / 2, w, h, r=4, fill=SHADE_COLOUR, line=LINE_COLOUR, width=0.5)
    for place in layout.hand_places():
        with pen.transform(*place.centre_mm):
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
            with pen.transform(0, 0, scale=3):
                draw_figure(pen, "figures", "paws", colour=SHADE_COLOUR)


def _draw_open_row(pen: Pen, layout: Layout, place: Place) -> None:
    """Three open cards, with a fox's head on each place, and on the owner's right a paw: the hidden one."""
    *opened, hidden = layout.spots(place.name)
    for spot in (*opened, hidden):
        with pen.transform(*spot.centre_mm, turn=spot.angle):
            pen.rect(
                -CARD_WIDTH_MM / 2,
                -CARD_HEIGHT_MM / 2,
                CARD_WIDTH_MM,
                CARD_HEIGHT_MM,
                r=3,
                line=LINE_COLOUR,
                width=0.7,
            )
            if spot is hidden:
                with pen.transform(0, 0, scale=3):
                    draw_figure(pen, "figures", "paws", colour=SHADE_COLOUR)
            else:
                draw_figure(pen, "figures", "fox_shadow", colour=SHADE_COLOUR, eyes=GROUND_COLOUR)
