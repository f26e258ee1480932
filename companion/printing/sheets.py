"""Prints a deck on sheets in real size, with fronts aligned to their backs."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from companion.printing.card_faces import BLEED_MM, draw_face
from companion.printing.deck_file import CardFace
from companion.printing.patterns import CARD_HEIGHT_MM, CARD_WIDTH_MM
from companion.printing.pen import Pen

POINTS_PER_MM = 72.0 / 25.4
SizeMm = tuple[float, float]
"""Width and height, in mm."""
A4_MM: SizeMm = (210.0, 297.0)
LETTER_MM: SizeMm = (215.9, 279.4)
_COLUMNS, _ROWS = 4, 3
_GAP = 5.0
_CUT_MARK = 4.0


def open_canvas(path: Path, size_mm: SizeMm, fonts: Path) -> Any:
    """A reportlab canvas with our fonts; the same drawing gives the same bytes."""
    from reportlab.pdfbase import pdfmetrics, ttfonts  # noqa: PLC0415 - only who prints has reportlab
    from reportlab.pdfgen.canvas import Canvas  # noqa: PLC0415

    for name in ("NotoSans-Regular", "NotoSans-Bold"):
        pdfmetrics.registerFont(ttfonts.TTFont(name, str(fonts / f"{name}.ttf")))
    size = (size_mm[0] * POINTS_PER_MM, size_mm[1] * POINTS_PER_MM)
    return Canvas(str(path), pagesize=size, invariant=1, pageCompression=1)


class SheetPosition(NamedTuple):
    """Where a face stands on the sheets."""

    card: str
    page: int
    left_mm: float
    top_mm: float


def print_sheets(
    faces: Sequence[CardFace], path: Path, fonts: Path, *, sheet: SizeMm = A4_MM
) -> tuple[SheetPosition, ...]:
    """Write the whole box: a page of fronts, then a page of their backs, and so on; where each face is.

    Turned over the long edge, each back falls on its front.
    """
    by_card = {face.card: face for face in faces}
    fronts = [face for face in faces for _ in range(face.copies)]
    canvas = open_canvas(path, sheet, fonts)
    placed: list[SheetPosition] = []
    for start in range(0, len(fronts), _COLUMNS * _ROWS):
        for backs in (False, True):
            page = canvas.getPageNumber() - 1
            for position, front in enumerate(fronts[start : start + _COLUMNS * _ROWS]):
                row, column = divmod(position, _COLUMNS)
                face = by_card[front.back] if backs else front
                left, top = _corner_mm(_COLUMNS - 1 - column if backs else column, row, sheet)
                pen = Pen(canvas, (left, top), sheet[1])
                with (
                    pen.on_page(),
                    pen.clip(
                        -BLEED_MM, -BLEED_MM, CARD_WIDTH_MM + 2 * BLEED_MM, CARD_HEIGHT_MM + 2 * BLEED_MM
                    ),
                ):
                    draw_face(pen, face, bleed=BLEED_MM)
                placed.append(SheetPosition(face.card, page, left, top))
            _draw_cut_marks(canvas, sheet)
            canvas.showPage()
    canvas.save()
    return tuple(placed)


def print_cards(faces: Sequence[CardFace], path: Path, fonts: Path) -> int:
    """Write each card of the box as two pages of its size and its bleed, front and back: what print shops
    ask for; the number of cards.
    """
    by_card = {face.card: face for face in faces}
    size = (CARD_WIDTH_MM + 2 * BLEED_MM, CARD_HEIGHT_MM + 2 * BLEED_MM)
    canvas = open_canvas(path, size, fonts)
    fronts = [face for face in faces for _ in range(face.copies)]
    for front in fronts:
        for face in (front, by_card[front.back]):
            pen = Pen(canvas, (BLEED_MM, BLEED_MM), size[1])
            with pen.on_page():
                draw_face(pen, face, bleed=BLEED_MM)
            canvas.showPage()
    canvas.save()
    return len(fronts)


def _corner_mm(column: int, row: int, sheet: SizeMm) -> tuple[float, float]:
    """The top left of a card on its sheet."""
    wide = _COLUMNS * CARD_WIDTH_MM + (_COLUMNS - 1) * _GAP
    high = _ROWS * CARD_HEIGHT_MM + (_ROWS - 1) * _GAP
    return (sheet[0] - wide) / 2 + column * (CARD_WIDTH_MM + _GAP), (sheet[1] - high) / 2 + row * (
        CARD_HEIGHT_MM + _GAP
    )


def _draw_cut_marks(canvas: Any, sheet: SizeMm) -> None:
    """Short lines outside the block of cards, where a ruler is laid, and the scale to check the print by."""
    left, top = _corner_mm(0, 0, sheet)
    right, bottom = sheet[0] - left, sheet[1] - top
    pen = Pen(canvas, (0.0, 0.0), sheet[1])
    with pen.on_page():
        for column in range(_COLUMNS):
            for x in (
                left + column * (CARD_WIDTH_MM + _GAP),
                left + column * (CARD_WIDTH_MM + _GAP) + CARD_WIDTH_MM,
            ):
                for y in (top - 2 - _CUT_MARK, bottom + 2):
                    pen.polygon([(x, y), (x, y + _CUT_MARK)], width=0.15)
        for row in range(_ROWS):
            for y in (
                top + row * (CARD_HEIGHT_MM + _GAP),
                top + row * (CARD_HEIGHT_MM + _GAP) + CARD_HEIGHT_MM,
            ):
                for x in (left - 2 - _CUT_MARK, right + 2):
                    pen.polygon([(x, y), (x + _CUT_MARK, y)], width=0.15)
        middle, ruler = sheet[0] / 2, sheet[1] - 13
        pen.polygon([(middle - 50, ruler), (middle + 50, ruler)], width=0.2)
        for x in (middle - 50, middle + 50):
            pen.polygon([(x, ruler - 1.5), (x, ruler + 1.5)], width=0.2)
        pen.text(
            middle, ruler + 4.5, "100 mm: print at 100 %, both sides, flip on the long edge", 3.0, bold=False
        )
