"""Prints leaflets with short rules or instructions, to be read at the table."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from companion.printing.pen import INK, WHITE, Pen
from companion.printing.sheets import SizeMm, open_canvas

A6_MM = (105.0, 148.0)
BAND_COLOUR, PALE_COLOUR = "#2c3e57", "#a9bdd6"
_MARGIN = 8.0
_HEAD = 22.0
_UNDER_HEAD = 4.0
_BULLET = 4.5
_SIZES = tuple(tenths / 10 for tenths in range(46, 29, -1))
"""Heights of letters that are tried in turn, in mm, until a page holds its words."""
_LEADING, _BETWEEN, _HEADING = 1.3, 0.45, 1.25
"""From line to line, between two sentences, and the size of a heading: in heights of letters."""


class LeafletError(ValueError):
    """The words of a page do not fit it; one sentence that names the page."""


@dataclass(frozen=True, slots=True)
class LeafletSection:
    """Sentences that belong together; `heading` may be empty."""

    heading: str
    sentences: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class LeafletPage:
    """One side of a card."""

    title: str
    line: str
    """One line under the title; empty: none."""
    parts: tuple[LeafletSection, ...]


def print_leaflet(
    path: Path, fonts: Path, sides: Sequence[LeafletPage], *, sheet: SizeMm = A6_MM, scale: float = 1.0
) -> None:
    """Write each side as a page of `sheet`, in mm; `LeafletError` where one has more words than room.

    `scale` enlarges letters and margins against those of A6.
    """
    canvas = open_canvas(path, sheet, fonts)
    room = (sheet[0] / scale, sheet[1] / scale)
    for side in sides:
        pen = Pen(canvas, (0.0, 0.0), sheet[1])
        with pen.on_page(), pen.transform(0.0, 0.0, scale=scale):
            _draw_page(pen, side, room)
        canvas.showPage()
    canvas.save()


def _draw_page(pen: Pen, side: LeafletPage, sheet: SizeMm) -> None:
    wide, high = sheet
    pen.rect(0, 0, wide, _HEAD, fill=BAND_COLOUR, line=None)
    _draw_fitting_line(pen, side.title, wide, 11.0 if side.line else 13.0, 8.0, fill=WHITE)
    if side.line:
        _draw_fitting_line(pen, side.line, wide, 18.0, 4.4, fill=PALE_COLOUR, bold=False)
    room = high - _HEAD - _UNDER_HEAD - _MARGIN
    for size in _SIZES:
        lines = tuple(_layout_lines(pen, side.parts, wide, size))
        if lines[-1][0] <= room:
            break
    else:
        raise LeafletError(f"the page {side.title!r} has more words than fit on {wide:g} × {high:g} mm.")
    for down, indent, words, bold in lines:
        y = _HEAD + _UNDER_HEAD + down
        if indent < 0:
            pen.ellipse(_MARGIN + size * 0.25, y - size * 0.33, size * 0.16, fill=BAND_COLOUR, line=None)
        left = _MARGIN + abs(indent)
        letters = size * _HEADING if bold else size
        pen.text(left, y, words, letters, bold=bold, anchor="start", fill=BAND_COLOUR if bold else INK)


def _draw_fitting_line(
    pen: Pen, words: str, wide: float, y: float, size: float, *, fill: str, bold: bool = True
) -> None:
    """One line at the left margin, in smaller letters where it would leave the page."""
    room = wide - 2 * _MARGIN
    size *= min(1.0, room / max(pen.text_width(words, size, bold=bold), 0.1))
    pen.text(_MARGIN, y, words, size, fill=fill, bold=bold, anchor="start")


def _layout_lines(
    pen: Pen, parts: Sequence[LeafletSection], wide: float, size: float
) -> Iterator[tuple[float, float, str, bool]]:
    """(down, indent, words, is a heading) of each line; the first of a sentence has its indent below 0."""
    down = 0.0
    for number, part in enumerate(parts):
        if part.heading:
            down += size * _HEADING * (_LEADING if number == 0 else _LEADING * 1.4)
            yield down, 0.0, part.heading, True
            down += size * _BETWEEN
        for sentence in part.sentences:
            for first, words in enumerate(wrap_sentence(pen, sentence, size, wide - 2 * _MARGIN - _BULLET)):
                down += size * _LEADING
                yield down, _BULLET if first else -_BULLET, words, False
            down += size * _BETWEEN


def wrap_sentence(pen: Pen, sentence: str, size: float, room: float) -> Iterator[str]:
    """A sentence in lines no wider than `room`, in mm; a word that is wider has a line alone.

    Broken at plain spaces only: what is put before a French colon holds.
    """
    line = ""
    for word in sentence.split(" "):
        longer = f"{line} {word}".strip(" ")
        if line and pen.text_width(longer, size, bold=False) > room:
            yield line
            line = word
        else:
            line = longer
    yield line
