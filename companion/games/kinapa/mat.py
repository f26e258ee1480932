"""The layout of Kinapa's mat."""

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
    return Layout(
        places=(*_build_slots(hands), Place("audit", (394.0, 210.0), (200.0, 84.0)), *rows),
        banks=_build_banks((135.0, 197.0, 259.0), 207.0),
        edition=1,
    )


def _build_slots(hands: int) -> tuple[Place, ...]:
    return tuple(
        Place(f"slot:{number}", centre, SLOT_MM, takes_pair=True)
        for number, centre in enumerate(_RING[: 2 * hands], start=1)
    )


def _build_banks(columns: tuple[float, float, float], row: float) -> tuple[Place, ...]:
    names = ("sheep", "emperor", "foxes")
    return tuple(Place(name, (column, row), _BANK_MM) for name, column in zip(names, columns, strict=True))
