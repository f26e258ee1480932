"""Draws the open card with the heaps of tokens that can be won."""

from msgspec.structs import replace

from companion.core.view import TokenHeap, View
from companion.ui.layout import FILL, Box, around, columns, rows, stack
from companion.ui.toolkit.sheet import Sheet
from companion.ui.toolkit.theme import GOLD, TEXT
from companion.ui.toolkit.widgets import paint_empty_place

HEAPED = 2.0
"""How large the number of a heap under the open card is."""
MAX_PILED = 10
"""More of a heap are not drawn: its number stands beside it."""


def paint_heaps(sheet: Sheet, rect: Box, view: View) -> None:
    """The open card or its place on the left, the heaps on the right; several without a card stand alone.

    An empty heap says nothing beside one that is not.
    """
    view = replace(view, heaps=tuple(heap for heap in view.heaps if heap.count) or view.heaps)
    if not view.card and len(view.heaps) > 1:
        left = rect.w * (3 if rect.w > sheet.em(14) else 1) // 10
        _paint_heap_row(sheet, rect.inset(left=left), view)
        return
    if _fits_under_card(sheet, rect, view):
        _paint_under_card(sheet, rect, view)
        return
    height = min(rect.h - sheet.em(0.4), round(rect.w * 0.42 * 1.5), sheet.em(11))
    card = around((rect.x + rect.w * 28 // 100, rect.centery), round(height / 1.5), height)
    _paint_open_card(sheet, card, view.card)
    left = max(card.right + sheet.em(0.8), rect.x + rect.w // 2)
    _paint_heap_row(sheet, rect.inset(left=left - rect.x), view)


def _heap_height(sheet: Sheet, rect: Box) -> int:
    """The height of the heaps under the open card."""
    return min(rect.h * 34 // 100, sheet.em(5))


def _fits_under_card(sheet: Sheet, rect: Box, view: View) -> bool:
    """Whether the heaps have room for number and words under the open card rather than beside it."""
    each = rect.w // len(view.heaps) - sheet.em(0.3)
    worded = all(sheet.text_width(sheet.tr(one.words)) <= each for one in view.heaps)
    needed = sheet.painter.line_height(HEAPED) + sheet.line_height
    return rect.h > rect.w and worded and _heap_height(sheet, rect) >= needed


def _paint_under_card(sheet: Sheet, rect: Box, view: View) -> None:
    """The open card above, the heaps side by side under it."""
    gap, low = sheet.em(0.3), _heap_height(sheet, rect)
    height = min(rect.h - low - gap, round(rect.w * 1.5), sheet.em(11))
    upper, under = rows(rect, height, low, gap=gap, justify="center")
    _paint_open_card(sheet, stack(upper, round(height / 1.5), height), view.card)
    for heap, cell in zip(view.heaps, columns(under, *[FILL] * len(view.heaps), gap=gap), strict=True):
        _paint_heap_pile(sheet, cell, heap)


def _paint_heap_pile(sheet: Sheet, rect: Box, heap: TokenHeap, *, alone: bool = False) -> None:
    """A heap as it is there: the tokens over each other, their number and, beside others, what they are."""
    upper, worded = rows(rect, FILL, 0 if alone else sheet.line_height)
    figure, gap = sheet.text_width(str(heap.count), HEAPED, bold=True), sheet.em(0.2)
    wide = min(sheet.em(5 if alone else 3), upper.w - figure - gap) if heap.count else 0
    pile, number = columns(stack(upper, wide + gap + figure, upper.h), wide, figure, gap=gap)
    paint_token_pile(sheet, pile, heap, largest=2 if alone else 1.3)
    sheet.text(number, str(heap.count), HEAPED, TEXT, bold=True, grows=False)
    if not alone:
        sheet.text(worded, sheet.tr(heap.words), 1.0, TEXT, align="center")


def paint_token_pile(
    sheet: Sheet, rect: Box, heap: TokenHeap, *, most: int = MAX_PILED, largest: float = 1.3
) -> None:
    """Tokens lying over each other in rows, a row of fewer upon one of more; one is so many em at most."""
    count = min(heap.count, most)
    if not count or rect.w < sheet.em(0.5):
        return
    rows, left = list[int](), count
    while left:  # the lowest row has most
        widest = max(1, round((2 * left) ** 0.5))
        rows.append(min(left, widest))
        left -= rows[-1]
    side = min(sheet.em(largest), rect.w * 2 // (rows[0] + 1), rect.h * 2 // (len(rows) + 1))
    picture = sheet.art.motif(heap.kind, max(1, side))
    for up, many in reversed(list(enumerate(rows))):
        for place in range(many):
            x = rect.centerx + round((place - (many - 1) / 2) * side * 0.5 * 1.3)
            sheet.picture(picture, (x, rect.bottom - side // 2 - round(up * side * 0.55)))


def paint_heaps_strip(sheet: Sheet, rect: Box, view: View) -> None:
    """The same in one line, over something else: the open card and each heap's number."""
    gap = sheet.em(0.4)
    cells = columns(rect, *[FILL] * (len(view.heaps) + bool(view.card)), gap=gap)
    if view.card:
        _paint_open_card(sheet, stack(cells[0], round(rect.h / 1.5), rect.h), view.card)
    for cell, heap in zip(cells[bool(view.card) :], view.heaps, strict=True):
        side = min(rect.h * 8 // 10, cell.w // 2)
        sheet.picture(sheet.art.motif(heap.kind, side), (cell.centerx - side // 2 - gap // 4, cell.centery))
        figure = Box(cell.centerx + gap // 4, cell.y, cell.w // 2 - gap // 4, cell.h)
        sheet.text(figure, str(heap.count), 1.5, TEXT, bold=True)


def _paint_open_card(sheet: Sheet, card: Box, name: str) -> None:
    """The open card as the deck has it, or its place."""
    if not name:
        paint_empty_place(sheet, card, GOLD)
        return
    sheet.card_shadow(card)
    sheet.surface.blit(sheet.art.card_face(name, card.size), card)
    sheet.place("card:open", card, (name,))


def _paint_heap_row(sheet: Sheet, rect: Box, view: View) -> None:
    gap, many = sheet.em(0.3), len(view.heaps)
    if many == 1:
        _paint_heap_pile(sheet, stack(rect, rect.w, min(rect.h, sheet.em(5.5))), view.heaps[0], alone=True)
        return
    height = min((rect.h + gap) // many - gap, sheet.em(4.4))
    for row, heap in zip(rows(rect, *[height] * many, gap=gap, justify="center"), view.heaps, strict=True):
        _paint_heap(sheet, row, heap)


def _paint_heap(sheet: Sheet, row: Box, heap: TokenHeap) -> None:
    """The token, how many of it, and what they are."""
    line = sheet.line_height
    worded = row.h >= 2 * line
    upper, words = rows(row, FILL, line if worded else 0)
    token, figure = columns(upper, min(upper.h, sheet.em(2.6), row.w // 2), FILL, gap=sheet.em(0.4))
    sheet.picture(sheet.art.motif(heap.kind, token.w), token.center)
    sheet.text(figure, str(heap.count), max(1.0, min(upper.h / line * 0.95, 3.4)), TEXT, bold=True)
    if worded:
        sheet.text(words, sheet.tr(heap.words), 1.0, TEXT)
