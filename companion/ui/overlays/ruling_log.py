"""Overlays on rulings: the log, the newest first, the rule behind one, photo finishes once more, how one is
taken back, and how a reading is corrected.
"""

from companion.core.actions import Chair
from companion.core.observations import ActionDeclared
from companion.core.view import Sentence
from companion.ui.board.card_pictures import find_pictures, paint_pictures
from companion.ui.board.exhibits import paint_exhibit_picture
from companion.ui.board.photo_finish import paint_finish
from companion.ui.board.stage_layout import CARD_ASPECT
from companion.ui.commands import CorrectEntry, SpeakSentences, UndoRuling
from companion.ui.frame import GameFrame, HistoryLine, ReadingView, RecapFrame
from companion.ui.layout import FILL, Box, columns, grid, rows
from companion.ui.overlays.allowed_actions import rulebook_reference
from companion.ui.overlays.dialog import (
    CLOSE_BUTTON,
    PRIMARY_CLOSE_BUTTON,
    PRIMARY_FILL,
    QUESTION_SPAN,
    TEXT_SPAN,
    DialogButton,
    overlay_button,
    paint_buttons,
    paint_dialog,
    paint_sign,
    scroll_buttons,
    scroll_range,
)
from companion.ui.toolkit.sheet import Sheet, touch_action
from companion.ui.toolkit.theme import RAISED, SOFT, TEXT


def paint_log(sheet: Sheet, frame: GameFrame | RecapFrame) -> None:
    """The newest first, as many as fit; touching a line asks why."""
    body, gap = paint_dialog(sheet, "ui.log"), sheet.em(0.2)
    height = 2 * sheet.line_height + sheet.em(0.1)
    room = max(1, (body.h + gap) // (height + gap))
    newest = tuple(reversed(frame.log))
    first, last = scroll_range(len(newest), room, frame.ui_state.scroll)
    if not newest:
        sheet.text(body, sheet.tr("ui.log.empty"), 1.2, SOFT, align="center")
    shown = newest[first : first + room]
    for row, line in zip(rows(body, *[height] * len(shown), gap=gap), shown, strict=True):
        _paint_line(sheet, row, frame, line)
    again = (overlay_button("finish"),) if frame.finishes else ()
    paint_buttons(sheet, *scroll_buttons(first, last, room), *again, PRIMARY_CLOSE_BUTTON)


def format_percent(chance: float) -> str:
    """A chance (0 to 1) as people read it, in per cent, never rounded up to certainty."""
    return f"{min(99.9, 100 * chance):.1f}\N{NO-BREAK SPACE}%"


def log_line_text(sheet: Sheet, line: HistoryLine | ReadingView) -> str:
    """What happened, and whose choice it was where the sentence does not say so."""
    what = sheet.sentence(line.sentence)
    return what if line.by is None else sheet.tr("ui.log.chose", chair=sheet.name(line.by), what=what)


def _paint_line(sheet: Sheet, row: Box, frame: GameFrame | RecapFrame, line: HistoryLine) -> None:
    sheet.box(row, RAISED, radius=0.3)
    chair, inner = acting_chair(line), row.inset(left=sheet.em(0.4), right=sheet.em(0.4))
    if chair is not None:
        sheet.badge((inner.x + sheet.em(1.0), row.centery), sheet.em(1.0), chair)
    words, cards = columns(inner.inset(left=sheet.em(2.4)), FILL, sheet.em(4))
    paint_pictures(sheet, cards.inflate(0, -sheet.em(0.2)), find_pictures(frame.board, line.sentence)[:2])
    if line.chance is not None and not line.retracted:
        words, share, _ = columns(words, FILL, sheet.em(3.2), sheet.em(0.2))
        sheet.text(share, format_percent(line.chance), 1.0, SOFT, align="right")
    string = log_line_text(sheet, line)
    if line.retracted:
        string = sheet.tr("ui.log.taken_back", what=string)
    sheet.text(words, string, 1.2, SOFT if line.retracted else TEXT, struck=line.retracted)
    if line.why:
        sheet.target(f"line:{line.seq}", row, touch_action(overlay="why", about=line.seq))


def paint_explanation(sheet: Sheet, frame: GameFrame | RecapFrame) -> None:
    """About the ruling with seq `frame.about`, else about the last one."""
    known = [line for line in frame.log if line.why]
    line = next((one for one in known if one.seq == frame.ui_state.about), known[-1] if known else None)
    if line is None:
        body = paint_dialog(sheet, "ui.why", span=TEXT_SPAN)
        sheet.text(body, sheet.tr("ui.why.nothing"), 1.2, SOFT, align="center")
        paint_buttons(sheet, PRIMARY_CLOSE_BUTTON, span=TEXT_SPAN)
        return
    body = paint_dialog(sheet, "ui.why", span=TEXT_SPAN, about=acting_chair(line))
    where = rulebook_reference(sheet, line.section)
    needed = sheet.text_height(where, most=4, pad=sheet.em(0.1))
    said, _, rule, _, place = rows(body, sheet.em(3.6), sheet.em(0.4), FILL, sheet.em(0.2), needed)
    sheet.text(said, log_line_text(sheet, line), 1.7, TEXT, bold=True)
    sheet.text(place, where, 1.0, SOFT)
    if line.chance is not None:
        rule, sure = rows(rule, FILL, sheet.em(1.4), gap=sheet.em(0.1))
        sheet.text(sure, sheet.tr("ui.correct.chance", share=format_percent(line.chance)), 1.0, SOFT)
    shown = find_pictures(frame.board, line.sentence)
    if shown:
        rule, side = columns(rule, FILL, rule.w * 3 // 10, gap=sheet.em(0.4))
        high = round((side.w - sheet.em(0.3)) / len(shown[:2]) / CARD_ASPECT)
        paint_pictures(sheet, side._replace(h=min(side.h, sheet.em(7), high)), shown[:2])
    reason = Sentence(f"{frame.view.game}.why.{line.why}")
    sheet.text(rule, sheet.words.text(reason), 1.3, TEXT, middle=False)
    aloud = DialogButton("ui.say", "say", touch_action(SpeakSentences((line.sentence, reason))))
    paint_buttons(sheet, *_neighbour_buttons(known, line), aloud, PRIMARY_CLOSE_BUTTON, span=TEXT_SPAN)


def acting_chair(line: HistoryLine) -> Chair | None:
    """Whose choice it was, or whom the sentence names."""
    chair = dict(line.sentence.parts).get("chair") if line.by is None else line.by
    return chair if isinstance(chair, int) else None


def _neighbour_buttons(known: list[HistoryLine], line: HistoryLine) -> tuple[DialogButton, DialogButton]:
    place = known.index(line)
    earlier = touch_action(about=known[place - 1].seq) if place else None
    later = touch_action(about=known[place + 1].seq) if place + 1 < len(known) else None
    return DialogButton("ui.why.earlier", "earlier", earlier), DialogButton("ui.why.later", "later", later)


def paint_finishes(sheet: Sheet, frame: GameFrame | RecapFrame) -> None:
    """Every finish of the game, one at a time, the newest first; `frame.scroll` says which."""
    body = paint_dialog(sheet, "ui.finish")
    if not frame.finishes:
        sheet.text(body, sheet.tr("ui.finish.none"), 1.2, SOFT, align="center")
        paint_buttons(sheet, CLOSE_BUTTON)
        return
    place = max(0, len(frame.finishes) - 1 - frame.ui_state.scroll)
    shown = frame.finishes[place]
    words = sheet.tr(
        "ui.finish.which", number=place + 1, count=len(frame.finishes), round=shown.round, stack=shown.stack
    )
    title, rest = rows(body, sheet.em(1.8), FILL)
    sheet.text(title, words, 1.2, TEXT, bold=True)
    paint_finish(sheet, rest, shown, frame, frame.view.game)
    scroll = len(frame.finishes) - 1 - place
    earlier = touch_action(scroll=scroll + 1) if place else None
    later = touch_action(scroll=scroll - 1) if scroll else None
    paint_buttons(
        sheet,
        DialogButton("ui.why.earlier", "earlier", earlier),
        DialogButton("ui.why.later", "later", later),
        CLOSE_BUTTON,
    )


def paint_last_round(sheet: Sheet, frame: RecapFrame) -> None:
    """The last round once more, over the game's recap."""
    body = paint_dialog(sheet, "ui.round")
    assert frame.exhibit is not None
    paint_exhibit_picture(sheet, body, frame.exhibit, frame, "")
    paint_buttons(sheet, CLOSE_BUTTON)


# To take a ruling back, or correct a reading ----------------------------------------------------------------


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
    paint_sign(sheet, spot, str(number))
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
    head, ask, _, rest = rows(body, sheet.em(3.6), needed, sheet.em(0.2), FILL)
    pictures = find_pictures(frame.board, reading.sentence)[:2]
    left = paint_pictures(sheet, head._replace(w=sheet.em(5.4)), pictures)
    words = log_line_text(sheet, reading)
    sheet.text(head.inset(left=left - head.x), words, 1.7, TEXT, bold=True)
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
