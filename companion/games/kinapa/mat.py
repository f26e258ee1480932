"""Kinapa's mat: a ring of object slots, and a middle for sheep, foxes, shown cards and open rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from companion.vision.layout import OBJECT_OFFSET_MM, PAIR_OFFSETS_MM, SLOT_MM, Layout, Millimetres, Place

if TYPE_CHECKING:
    from companion.printing.pen import Pen

_HAND_COUNTS = range(4, 9)

_COLUMNS = tuple(297.0 + 97.0 * step for step in (-2, -1, 0, 1, 2))
_ROWS = tuple(210.0 + 83.0 * step for step in (-1, 0, 1))
_TOP, _BOTTOM, _LEFT, _RIGHT = 43.0, 377.0, 50.0, 544.0
# Slots 1 to 8 go round the whole ring; every further player fills two gaps that face each other.
_RING: tuple[Millimetres, ...] = (
    (_COLUMNS[0], _TOP),
    (_COLUMNS[2], _TOP),
    (_COLUMNS[4], _TOP),
    (_RIGHT, _ROWS[1]),
    (_COLUMNS[4], _BOTTOM),
    (_COLUMNS[2], _BOTTOM),
    (_COLUMNS[0], _BOTTOM),
    (_LEFT, _ROWS[1]),
    (_COLUMNS[1], _TOP),
    (_COLUMNS[3], _BOTTOM),
    (_COLUMNS[3], _TOP),
    (_COLUMNS[1], _BOTTOM),
    (_RIGHT, _ROWS[0]),
    (_LEFT, _ROWS[2]),
    (_RIGHT, _ROWS[2]),
    (_LEFT, _ROWS[0]),
)
_BANK_MM = (60.0, 84.0)
_STEP_MM = (49.0, 74.0)
"""From card to card in an open row: a little closer than elsewhere, so that two rows fit side by side."""
_OPEN: tuple[tuple[Millimetres, float], ...] = (
    ((198.0, 293.0), 0.0),
    ((198.0, 127.0), 180.0),
    ((396.0, 127.0), 180.0),
    ((396.0, 293.0), 0.0),
)
"""Centre and angle of the open rows, clockwise from the left of the lower edge: one at everybody's hand."""


def build_mat_layout(hands: int) -> Layout:
    """Two object slots a hand, also one without a player; four open rows, which have no owner."""
    rows = (
        Place(f"open:{number}", centre, (4 * _STEP_MM[0], 76.0), angle, (4, 1), _STEP_MM)
        for number, (centre, angle) in enumerate(_OPEN, start=1)
    )
    slots = (
        Place(f"slot:{number}", centre, SLOT_MM, takes_pair=True)
        for number, centre in enumerate(_RING[: 2 * hands], start=1)
    )
    banks = (("sheep", 135.0), ("emperor", 197.0), ("foxes", 259.0))
    return Layout(
        places=(*slots, Place("audit", (394.0, 210.0), (200.0, 84.0)), *rows),
        banks=tuple(Place(name, (column, 207.0), _BANK_MM) for name, column in banks),
        edition=1,
    )


# How it is printed; who plays needs the layout only, and does not wait for what prints ----------------------


def draw_mat(pen: Pen, layout: Layout) -> None:
    """The ring, whose slots say from how many players on they are used, and the middle."""
    for players in _HAND_COUNTS:
        fewer = players - 1 if players > _HAND_COUNTS[0] else 0
        for number in range(2 * fewer + 1, 2 * players + 1):
            _draw_slot(pen, layout.place(f"slot:{number}"), number, players)
    _draw_middle(pen, layout)
    for place in layout.places:
        if place.grid != (1, 1):
            _draw_open_row(pen, layout, place)


def _draw_slot(pen: Pen, place: Place, number: int, players: int) -> None:
    """The object's outline, below it where a pair goes, and the slot's number where no card covers it."""
    from companion.printing.mat import DIGIT_COLOUR, draw_card_outline, draw_field  # noqa: PLC0415
    from companion.printing.pen import draw_figure  # noqa: PLC0415

    with pen.transform(*place.centre_mm, turn=place.angle):
        w, h = place.size_mm
        draw_field(pen, place)
        for offset in PAIR_OFFSETS_MM:
            draw_card_outline(pen, *offset, fill=None, width=0.3)
        draw_card_outline(pen, *OBJECT_OFFSET_MM)
        pen.text(-w / 2 + 12, -h / 2 + 11.2, str(number), 13, fill=DIGIT_COLOUR)
        if players > _HAND_COUNTS[0]:
            least = f"{players}+" if players < _HAND_COUNTS[-1] else str(players)
            pen.text(w / 2 - 12, -h / 2 + 9.5, least, 8, fill=DIGIT_COLOUR)
            with pen.transform(w / 2 - 20, -h / 2 + 9.5):
                draw_figure(pen, "figures", "person", colour=DIGIT_COLOUR)


def _draw_middle(pen: Pen, layout: Layout) -> None:
    """Outlines for the banks and for cards laid open."""
    from companion.printing.mat import SHADE_COLOUR, draw_card_outline, draw_field  # noqa: PLC0415
    from companion.printing.pen import CARD_HEIGHT_MM, draw_figure  # noqa: PLC0415

    for name, figure in (("sheep", "sheep"), ("emperor", "deer"), ("foxes", "fox")):
        with pen.transform(*layout.place(name).centre_mm):
            draw_card_outline(pen, fill=SHADE_COLOUR)
            # Small, and below the card's place: nothing on the mat may look like a card.
            with pen.transform(0, CARD_HEIGHT_MM / 2 + 7, scale=0.24):
                draw_figure(pen, "figures", figure)
    shown = layout.place("audit")
    with pen.transform(*shown.centre_mm):
        draw_field(pen, shown)
    for place in layout.hand_places():
        with pen.transform(*place.centre_mm):
            draw_card_outline(pen)
            with pen.transform(0, 0, scale=3):
                draw_figure(pen, "figures", "paws", colour=SHADE_COLOUR)


def _draw_open_row(pen: Pen, layout: Layout, place: Place) -> None:
    """Three open cards, with a fox's head on each place, and on the owner's right a paw: the hidden one."""
    from companion.printing.mat import GROUND_COLOUR, SHADE_COLOUR, draw_card_outline  # noqa: PLC0415
    from companion.printing.pen import draw_figure  # noqa: PLC0415

    *opened, hidden = layout.spots(place.name)
    for spot in (*opened, hidden):
        with pen.transform(*spot.centre_mm, turn=spot.angle):
            draw_card_outline(pen, fill=None)
            if spot is hidden:
                with pen.transform(0, 0, scale=3):
                    draw_figure(pen, "figures", "paws", colour=SHADE_COLOUR)
            else:
                draw_figure(pen, "figures", "fox_shadow", colour=SHADE_COLOUR, eyes=GROUND_COLOUR)
