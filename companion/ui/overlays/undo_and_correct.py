"""Overlays that take a ruling back or correct a reading."""

from companion.core.observations import ActionDeclared
from companion.core.view import Sentence
from companion.ui.board.card_pictures import find_pictures, paint_pictures
from companion.ui.commands import CorrectEntry, UndoRuling
from companion.ui.frame import GameFrame, ReadingView
from companion.ui.layout import FILL, Box, columns, grid, rows
from companion.ui.overlays.dialog import (
    CLOSE_BUTTON,
    PRIMARY_CLOSE_BUTTON,
    PRIMARY_FILL,
    QUESTION_SPAN,
    DialogButton,
    paint_buttons,
    paint_dialog,
    scroll_buttons,
    scroll_range,
)
from companion.ui.overlays.ruling_log import acting_chair, format_percent, log_line_text
from companion.ui.toolkit.sheet import Sheet, touch_action
from companion.ui.toolkit.theme import INK, PAPER, RAISED, SOFT, TEXT


def paint_undo(sheet: Sheet, frame: GameFrame) -> None:
    """Which ruling goes, what has to be put back on the table, what stands then, and the confirmation."""
    if not frame.can_undo:
        body = paint_dialog(sheet, "ui.take_back", span=QUESTION_SPAN)
        why = "ui.take_back.settled" if frame.undo_closed else "ui.take_back.none"
        sheet.text(body, sheet.tr(why), 1.2, SOFT, align="center")
        paint_buttons(sheet, PRIMARY_CLOSE_BUTTON, span=QUESTION_SPAN)
        return
    going = frame.next_undo
    about = None if going is None else acting_chair(going)
    body = paint_dialog(sheet, "ui.take_back", span=QUESTION_SPAN, about=about)
    low = 0 if frame.after_undo is None else sheet.em(1.6)
    head, intro, _, rest, foot = rows(body, sheet.em(2.8), sheet.em(1.5), sheet.em(0.2), FILL, low)
    if going is not None:
        sheet.text(head, log_line_text(sheet, going), 1.6, TEXT, bold=True)
    todo = "ui.take_back.first" if frame.put_back_steps else "ui.take_back.nothing"
    sheet.text(intro, sheet.tr(todo), 1.15, SOFT, bold=bool(frame.put_back_steps))
    if frame.after_undo is not None:
        then = sheet.tr("ui.take_back.then", what=sheet.sentence(frame.after_undo))
        sheet.text(foot, then, 1.15, TEXT)
    gap, least = sheet.em(0.25), 2 * sheet.line_height + sheet.em(0.2)
    room = max(1, (rest.h + gap) // (least + gap))
    first, end = scroll_range(len(frame.put_back_steps), room, frame.ui_state.scroll)
    steps = frame.put_back_steps[first : first + room]
    lines = grid(rest, len(steps), 1, gap=gap, most=sheet.em(4.0))
    for place, (row, sentence) in enumerate(zip(lines, steps, strict=True), first + 1):
        _paint_step(sheet, row, place, sentence, frame)
    back = touch_action(UndoRuling(bool(frame.put_back_steps)), overlay="")
    what = "ui.take_back.done" if frame.put_back_steps else "ui.take_back.do"
    keep = CLOSE_BUTTON._replace(words="ui.take_back.keep")
    scroll = scroll_buttons(first, end, room) if end else ()
    paint_buttons(sheet, keep, *scroll, DialogButton(what, "do", back, PRIMARY_FILL), span=QUESTION_SPAN)


def _paint_step(sheet: Sheet, row: Box, number: int, sentence: Sentence, frame: GameFrame) -> None:
    """One thing to do on the table: its number, its cards or tokens, its words."""
    sheet.box(row, RAISED, radius=0.4)
    radius, gap = sheet.em(0.75), sheet.em(0.4)
    spot, inner = columns(row.inset(left=gap), 2 * radius, FILL, gap=gap)
    sheet.disc((spot.x + radius, row.centery), radius, PAPER)
    sheet.text(spot, str(number), 1.0, INK, bold=True, align="center")
    shown = inner.inflate(0, -gap)._replace(w=row.w // 3)
    left = paint_pictures(sheet, shown, find_pictures(frame.board, sentence))
    words = Box(left + sheet.em(0.2), row.y, row.right - left - sheet.em(0.6), row.h)
    sheet.text(words, sheet.sentence(sentence), 1.3, TEXT, bold=True)


def paint_correction(sheet: Sheet, frame: GameFrame) -> None:
    """The last reading with its card, and what it should have been."""
    body = paint_dialog(sheet, "ui.correct", span=QUESTION_SPAN)
    reading = frame.last_reading
    if reading is None:
        why = "ui.correct.settled" if frame.undo_closed else "ui.correct.nothing"
        sheet.text(body, sheet.tr(why), 1.2, SOFT, align="center")
        paint_buttons(sheet, PRIMARY_CLOSE_BUTTON, span=QUESTION_SPAN)
        return
    told = sheet.tr("ui.correct.question")
    if reading.chance is not None:
        told = f"{sheet.tr('ui.correct.chance', share=format_percent(reading.chance))} {told}"
    lines = len(sheet.painter.fit_text(told, body.w, 3 * sheet.line_height, 1.0).lines)
    needed = max(sheet.em(1.6), lines * sheet.line_height)
    head, ask, _, rest = rows(body, sheet.em(2.6), needed, sheet.em(0.2), FILL)
    pictures = find_pictures(frame.board, reading.sentence)[:2]
    left = paint_pictures(sheet, head._replace(w=sheet.em(4)), pictures)
    words = log_line_text(sheet, reading)
    sheet.text(head.inset(left=left - head.x), words, 1.5, TEXT, bold=True)
    sheet.text(ask, told, 1.15, SOFT)
    _paint_alternatives(sheet, rest, frame, reading)


def _paint_alternatives(sheet: Sheet, rest: Box, frame: GameFrame, reading: ReadingView) -> None:
    """Everything it may have been instead, to be touched."""
    seats = {truth.action.seat for _, truth in reading.choices if isinstance(truth, ActionDeclared)}
    whose_seat = {one.seat: one.chair for one in frame.view.chairs} if len(seats) > 1 else {}
    gap, across = sheet.em(0.3), 2
    height = 2 * sheet.line_height + sheet.em(0.2)
    room = max(1, (rest.h + gap) // (height + gap)) * across
    first, end = scroll_range(len(reading.choices), room, frame.ui_state.scroll)
    shown = reading.choices[first : first + room]
    cells = grid(rest, min(room, len(reading.choices)), across, gap=gap, most=sheet.em(4))
    for place, (cell, (label, truth)) in enumerate(zip(cells, shown, strict=False), first):
        string = sheet.sentence(label)
        if isinstance(truth, ActionDeclared) and truth.action.seat in whose_seat:
            # The same words for several people: each says whose they are.
            string = f"{sheet.name(whose_seat[truth.action.seat])}: {string}"
        does = touch_action(CorrectEntry(reading.seq, truth), overlay="")
        sheet.button(cell, "", f"truth:{place}", does)
        inner = cell.inflate(-sheet.em(0.5), -sheet.em(0.3))
        left = paint_pictures(sheet, inner, find_pictures(frame.board, label)[:1])
        words = Box(left, cell.y, inner.right - left, cell.h)
        sheet.text(words, string, 1.0, TEXT, align="center" if left == inner.x else "left")
    scroll = scroll_buttons(first, end, room) if end else ()
    paint_buttons(sheet, *scroll, CLOSE_BUTTON, span=QUESTION_SPAN)
