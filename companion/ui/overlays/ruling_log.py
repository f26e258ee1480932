"""Overlay with the log of rulings, the newest first."""

from collections.abc import Sequence

import pygame

from companion.ui.frame import GameFrame, HistoryLine, PageFrame, ReadingView
from companion.ui.overlays.dialog import (
    PRIMARY_CLOSE_BUTTON,
    DialogButton,
    paint_buttons,
    paint_dialog,
    scroll_buttons,
    scroll_range,
)
from companion.ui.toolkit.sheet import Sheet, touch_action
from companion.ui.toolkit.theme import RAISED, SOFT, TEXT


def paint_log(sheet: Sheet, frame: GameFrame) -> None:
    """Touching a line asks why."""
    body = paint_dialog(sheet, "ui.log")
    first, last, room = paint_log_lines(sheet, body, frame, frame.log, frame.ui_state.scroll)
    again = (DialogButton("ui.finish", "finish", touch_action(overlay="finish")),) if frame.finishes else ()
    paint_buttons(sheet, *scroll_buttons(first, last, room), *again, PRIMARY_CLOSE_BUTTON)


def paint_log_lines(
    sheet: Sheet,
    body: pygame.Rect,
    frame: PageFrame,
    told: Sequence[HistoryLine],
    scroll: int,
    *,
    ask: bool = True,
) -> tuple[int, int, int]:
    """Paint as many lines as fit; returns the first shown, the last possible first, and the room."""
    gap = sheet.em(0.2)
    height = 2 * sheet.painter.line_height(1.0) + sheet.em(0.1)
    room = max(1, (body.h + gap) // (height + gap))
    newest = tuple(reversed(told))
    first, last = scroll_range(len(newest), room, scroll)
    if not newest:
        sheet.text(body, sheet.tr("ui.log.empty"), 1.2, SOFT, align="center")
    for place, line in enumerate(newest[first : first + room]):
        row = pygame.Rect(body.x, body.y + place * (height + gap), body.w, height)
        _paint_line(sheet, row, frame, line, ask=ask)
    return first, last, room


def format_percent(chance: float) -> str:
    """A chance (0 to 1) as people read it, in per cent, never rounded up to certainty."""
    return f"{min(99.9, 100 * chance):.1f}\N{NO-BREAK SPACE}%"


def log_line_text(sheet: Sheet, line: HistoryLine | ReadingView) -> str:
    """What happened, and whose choice it was where the sentence does not say so."""
    what = sheet.words.text(line.sentence, sheet.frame.names)
    return what if line.by is None else sheet.tr("ui.log.chose", chair=sheet.name(line.by), what=what)


def _paint_line(sheet: Sheet, row: pygame.Rect, frame: PageFrame, line: HistoryLine, *, ask: bool) -> None:
    sheet.box(row, RAISED, radius=0.3)
    chair = dict(line.sentence.parts).get("chair") if line.by is None else line.by
    left = row.x + sheet.em(0.4)
    if isinstance(chair, int):
        sheet.badge((left + sheet.em(1.0), row.centery), sheet.em(1.0), chair)
    words = pygame.Rect(left + sheet.em(2.4), row.y, row.w - sheet.em(3.2), row.h)
    if line.chance is not None and not line.retracted:
        words.w -= sheet.em(3.4)
        share = pygame.Rect(words.right, row.y, sheet.em(3.2), row.h)
        sheet.text(share, format_percent(line.chance), 1.0, SOFT, align="right")
    string = log_line_text(sheet, line)
    if line.retracted:
        string = sheet.tr("ui.log.taken_back", what=string)
    sheet.text(words, string, 1.0, SOFT if line.retracted else TEXT, struck=line.retracted)
    if ask and line.why:
        sheet.target(f"line:{line.seq}", row, touch_action(overlay="why", about=line.seq))
