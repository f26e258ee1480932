"""What can be won, for the whole table to see: the open card, and the heaps of tokens with their numbers."""

from __future__ import annotations

import pygame

from companion.core.view import Heap, View
from companion.ui.sheet import Sheet
from companion.ui.theme import SOFT, TEXT, mixed


def heaps(sheet: Sheet, rect: pygame.Rect, view: View) -> None:
    """The open card on the left, the heaps on the right; one of them alone stands in the middle."""
    if not view.card:
        left = rect.w * (3 if rect.w > sheet.em(14) else 1) // 10
        _heaps(sheet, pygame.Rect(rect.x + left, rect.y, rect.w - left, rect.h), view)
        return
    height = min(rect.h - sheet.em(0.4), round(rect.w * 0.42 * 1.5), sheet.em(11))
    card = pygame.Rect(0, 0, round(height / 1.5), height)
    card.center = (rect.x + rect.w * 28 // 100, rect.centery)
    _card(sheet, card, view.card)
    left = max(card.right + sheet.em(0.8), rect.x + rect.w // 2)
    _heaps(sheet, pygame.Rect(left, rect.y, rect.right - left, rect.h), view)


def heaps_strip(sheet: Sheet, rect: pygame.Rect, view: View) -> None:
    """The same in one line, over something else: the open card and each heap's number."""
    gap = sheet.em(0.4)
    width = (rect.w + gap) // (len(view.heaps) + bool(view.card)) - gap
    cells = [pygame.Rect(rect.x + place * (width + gap), rect.y, width, rect.h) for place in range(4)]
    if view.card:
        card = pygame.Rect(0, 0, round(rect.h / 1.2), rect.h)
        card.center = cells.pop(0).center
        _card(sheet, card, view.card)
    for cell, heap in zip(cells, view.heaps, strict=False):
        side = min(rect.h * 8 // 10, cell.w // 2)
        sheet.picture(sheet.art.motif(heap.kind, side), (cell.centerx - side // 2 - gap // 4, cell.centery))
        figure = pygame.Rect(cell.centerx + gap // 4, cell.y, cell.w // 2 - gap // 4, cell.h)
        sheet.text(figure, str(heap.count), 1.5, TEXT, bold=True)


def _card(sheet: Sheet, card: pygame.Rect, name: str) -> None:
    """The open card as the deck has it."""
    sheet.surface.blit(sheet.art.card(name, card.size), card)


def _heaps(sheet: Sheet, rect: pygame.Rect, view: View) -> None:
    gap = sheet.em(0.3)
    height = min((rect.h + gap) // len(view.heaps) - gap, sheet.em(4.4))
    top = rect.y + (rect.h - (height + gap) * len(view.heaps) + gap) // 2
    for place, heap in enumerate(view.heaps):
        _heap(sheet, pygame.Rect(rect.x, top + place * (height + gap), rect.w, height), heap)


def _heap(sheet: Sheet, row: pygame.Rect, heap: Heap) -> None:
    """The token, how many of it, and what they are."""
    line = sheet.painter.line(1.0)
    worded = row.h >= 2 * line
    upper = pygame.Rect(row.x, row.y, row.w, row.h - (line if worded else 0))
    side = min(upper.h, sheet.em(2.6), row.w // 2)
    sheet.picture(sheet.art.motif(heap.kind, side), (row.x + side // 2, upper.centery))
    figure = pygame.Rect(row.x + side + sheet.em(0.4), upper.y, row.w - side - sheet.em(0.4), upper.h)
    scale = max(1.0, min(upper.h / line * 0.95, 3.4))
    sheet.text(figure, str(heap.count), scale, TEXT, bold=True)
    if worded:
        words = pygame.Rect(row.x, upper.bottom, row.w, line)
        sheet.text(words, sheet.tr(heap.words), 1.0, mixed(SOFT, TEXT, 0.4))
