"""Draws the number motif of a card."""

from collections.abc import Mapping

from companion.printing.pen import WHITE, Pen

_DISC = 16.0
_SIZE = 21.0
_MARKS = 15
_LINE = 5
"""Marks in a row."""


def draw_numeral(pen: Pen, options: Mapping[str, str]) -> None:
    """The number of a card; a lone 6 or 9 is underlined, so that it cannot be read upside down."""
    number, tone = options["number"], options["tone"]
    with pen.transform(0, -4):
        pen.ellipse(0, 0, _DISC, fill=WHITE, line=tone, width=1.6)
        drop = 0.357 * _SIZE
        pen.text(0, drop, number, _SIZE, fill=tone)
        if number in {"6", "9"}:
            pen.rect(-5, drop + 1.4, 10, 1.6, fill=tone, line=None)
    counted = int(options.get("count", number))
    for mark in range(_MARKS):
        row, place = divmod(mark, _LINE)
        x, y = -16.2 + place * 4.1, 15.6 + row * 3.7
        pen.ellipse(x, y, 1.4, fill=tone if mark < counted else WHITE, line=tone, width=0.5)
