"""Kinapa's mat: a ring of object slots, and a middle for sheep, foxes and shown cards."""

from __future__ import annotations

from companion.vision.layout import SLOT_MM, Layout, Millimetres, Place

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


def layout(hands: int) -> Layout:
    """Two object slots a hand, also one that nobody holds, and in the middle where a hand is shown."""
    slots = tuple(
        Place(f"slot:{number}", centre, SLOT_MM, takes_pair=True)
        for number, centre in enumerate(_RING[: 2 * hands], start=1)
    )
    return Layout(
        places=(*slots, Place("audit", (297.0, 278.0), (204.0, 84.0))),
        banks=(
            Place("sheep", (222.0, 158.0), (60.0, 84.0)),
            Place("emperor", (297.0, 158.0), (60.0, 84.0)),
            Place("foxes", (372.0, 158.0), (60.0, 84.0)),
        ),
    )
