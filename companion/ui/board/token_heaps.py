"""Draws the open card with the heaps of tokens that can be won."""

from companion.core.view import TokenHeap, View
from companion.ui.layout import Box, around, stack
from companion.ui.toolkit.sheet import Sheet
from companion.ui.toolkit.theme import SOFT, TEXT, blend

HEAPED = 2.0
"""How large the number of a heap under the open card is."""
MAX_PILED = 10
"""More of a heap are not drawn: its number stands beside it."""


def paint_heaps(sheet: Sheet, rect: Box, view: View) -> None:
    """The open card on the left, the heaps on the right; one of them alone stands in the middle."""
    if not view.card:
        left = rect.w * (3 if rect.w > sheet.em(14) else 1) // 10
        _paint_heap_row(sheet, Box(rect.x + left, rect.y, rect.w - left, rect.h), view)
        return
    if _fits_under_card(sheet, rect, view):
        _paint_under_card(sheet, rect, view)
        return
    height = min(rect.h - sheet.em(0.4), round(rect.w * 0.42 * 1.5), sheet.em(11))
    card = around((rect.x + rect.w * 28 // 100, rect.centery), round(height / 1.5), height)
    _paint_open_card(sheet, card, view.card)
    left = max(card.right + sheet.em(0.8), rect.x + rect.w // 2)
    _paint_heap_row(sheet, Box(left, rect.y, rect.right - left, rect.h), view)


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
    gap = sheet.em(0.3)
    low = _heap_height(sheet, rect)
    height = min(rect.h - low - gap, round(rect.w * 1.5), sheet.em(11))
    card = stack(rect, round(height / 1.5), height, "top").move(0, (rect.h - low - gap - height) // 2)
    under = min(rect.bottom, card.bottom + gap + low)
    _paint_open_card(sheet, card, view.card)
    width = (rect.w + gap) // len(view.heaps) - gap
    for place, heap in enumerate(view.heaps):
        at = Box(rect.x + place * (width + gap), under - low, width, low)
        _paint_heap_pile(sheet, at, heap)


def _paint_heap_pile(sheet: Sheet, rect: Box, heap: TokenHeap) -> None:
    """A heap as it is there: the tokens over each other, their number and what they are."""
    line = sheet.line_height
    worded = Box(rect.x, rect.bottom - line, rect.w, line)
    upper = Box(rect.x, rect.y, rect.w, rect.h - line)
    figure = sheet.text_width(str(heap.count), HEAPED, bold=True)
    gap = sheet.em(0.2)
    wide = min(sheet.em(3), upper.w - figure - gap) if heap.count else 0
    left = upper.centerx - (wide + gap + figure) // 2
    paint_token_pile(sheet, Box(left, upper.y, wide, upper.h), heap)
    number = Box(left + wide + gap, upper.y, figure, upper.h)
    sheet.text(number, str(heap.count), HEAPED, TEXT, bold=True, grows=False)
    sheet.text(worded, sheet.tr(heap.words), 1.0, blend(SOFT, TEXT, 0.4), align="center")


def paint_token_pile(sheet: Sheet, rect: Box, heap: TokenHeap) -> None:
    """Tokens lying over each other in rows, a row of fewer upon one of more."""
    count = min(heap.count, MAX_PILED)
    if not count or rect.w < sheet.em(0.5):
        return
    rows, left = list[int](), count
    while left:  # the lowest row has most
        widest = max(1, round((2 * left) ** 0.5))
        rows.append(min(left, widest))
        left -= rows[-1]
    side = min(sheet.em(1.3), rect.w * 2 // (rows[0] + 1), rect.h * 2 // (len(rows) + 1))
    picture = sheet.art.motif(heap.kind, max(1, side))
    for up, many in reversed(list(enumerate(rows))):
        for place in range(many):
            x = rect.centerx + round((place - (many - 1) / 2) * side * 0.5 * 1.3)
            sheet.picture(picture, (x, rect.bottom - side // 2 - round(up * side * 0.55)))


def paint_heaps_strip(sheet: Sheet, rect: Box, view: View) -> None:
    """The same in one line, over something else: the open card and each heap's number."""
    gap = sheet.em(0.4)
    width = (rect.w + gap) // (len(view.heaps) + bool(view.card)) - gap
    cells = [Box(rect.x + place * (width + gap), rect.y, width, rect.h) for place in range(4)]
    if view.card:
        card = stack(cells.pop(0), round(rect.h / 1.2), rect.h)
        _paint_open_card(sheet, card, view.card)
    for cell, heap in zip(cells, view.heaps, strict=False):
        side = min(rect.h * 8 // 10, cell.w // 2)
        sheet.picture(sheet.art.motif(heap.kind, side), (cell.centerx - side // 2 - gap // 4, cell.centery))
        figure = Box(cell.centerx + gap // 4, cell.y, cell.w // 2 - gap // 4, cell.h)
        sheet.text(figure, str(heap.count), 1.5, TEXT, bold=True)


def _paint_open_card(sheet: Sheet, card: Box, name: str) -> None:
    """The open card as the deck has it."""
    sheet.surface.blit(sheet.art.card_face(name, card.size), card)


def _paint_heap_row(sheet: Sheet, rect: Box, view: View) -> None:
    gap = sheet.em(0.3)
    height = min((rect.h + gap) // len(view.heaps) - gap, sheet.em(4.4))
    top = rect.y + (rect.h - (height + gap) * len(view.heaps) + gap) // 2
    for place, heap in enumerate(view.heaps):
        _paint_heap(sheet, Box(rect.x, top + place * (height + gap), rect.w, height), heap)


def _paint_heap(sheet: Sheet, row: Box, heap: TokenHeap) -> None:
    """The token, how many of it, and what they are."""
    line = sheet.line_height
    worded = row.h >= 2 * line
    upper = Box(row.x, row.y, row.w, row.h - (line if worded else 0))
    side = min(upper.h, sheet.em(2.6), row.w // 2)
    sheet.picture(sheet.art.motif(heap.kind, side), (row.x + side // 2, upper.centery))
    figure = Box(row.x + side + sheet.em(0.4), upper.y, row.w - side - sheet.em(0.4), upper.h)
    scale = max(1.0, min(upper.h / line * 0.95, 3.4))
    sheet.text(figure, str(heap.count), scale, TEXT, bold=True)
    if worded:
        words = Box(row.x, upper.bottom, row.w, line)
        sheet.text(words, sheet.tr(heap.words), 1.0, blend(SOFT, TEXT, 0.4))
