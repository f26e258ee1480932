"""Take a ruling back, and correct a reading: what to do on the table comes first."""

from __future__ import annotations

import pygame

from companion.core.observations import Declared
from companion.ui.commands import Correct, TakeBack
from companion.ui.frame import GameFrame
from companion.ui.overlays.leaf import CLOSE, PRIMARY, Foot, arrows, feet, leaf, pages
from companion.ui.overlays.log import percent, worded
from companion.ui.sheet import Sheet, deed
from companion.ui.theme import GOLD, RAISED, SOFT, TEXT


def take_back(sheet: Sheet, frame: GameFrame) -> None:
    """Which ruling goes, what has to be put back on the table, and the confirmation."""
    body = leaf(sheet, "ui.take_back")
    if not frame.can_undo:
        why = "ui.take_back.settled" if frame.settled else "ui.take_back.none"
        sheet.text(body, sheet.tr(why), 1.2, SOFT, align="center")
        feet(sheet, CLOSE)
        return
    head = pygame.Rect(body.x, body.y, body.w, sheet.em(3.0))
    if frame.would_go is not None:
        sheet.text(head, worded(sheet, frame.would_go), 1.5, GOLD, bold=True)
    intro = pygame.Rect(body.x, head.bottom, body.w, sheet.em(1.8))
    todo = "ui.take_back.first" if frame.put_back else "ui.take_back.nothing"
    sheet.text(intro, sheet.tr(todo), 1.15, SOFT)
    rest = pygame.Rect(body.x, intro.bottom + sheet.em(0.2), body.w, body.bottom - intro.bottom)
    height = 2 * sheet.painter.line(1.0)
    room = max(1, rest.h // (height + sheet.em(0.2)))
    first, end = pages(len(frame.put_back), room, frame.glass.scroll)
    for place, sentence in enumerate(frame.put_back[first : first + room]):
        row = pygame.Rect(rest.x, rest.y + place * (height + sheet.em(0.2)), rest.w, height)
        sheet.box(row, RAISED, radius=0.3)
        mark = pygame.Rect(row.x + sheet.em(0.4), row.y, sheet.em(1.4), row.h)
        sheet.text(mark, str(first + place + 1), 1.2, GOLD, bold=True)
        words = pygame.Rect(mark.right, row.y, row.w - sheet.em(2.2), row.h)
        sheet.text(words, sheet.words.text(sentence, frame.names), 1.15, TEXT)
    back = deed(TakeBack(bool(frame.put_back)), overlay="")
    what = "ui.take_back.done" if frame.put_back else "ui.take_back.do"
    confirm = Foot(what, "do", back, PRIMARY)
    scroll = arrows(first, end, room) if end else ()
    feet(sheet, *scroll, confirm, CLOSE)


def correct(sheet: Sheet, frame: GameFrame) -> None:
    """The last reading, and what it should have been."""
    body = leaf(sheet, "ui.correct")
    reading = frame.last_reading
    if reading is None:
        sheet.text(body, sheet.tr("ui.correct.nothing"), 1.2, SOFT, align="center")
        feet(sheet, CLOSE)
        return
    head = pygame.Rect(body.x, body.y, body.w, sheet.em(2.6))
    sheet.text(head, worded(sheet, reading), 1.5, GOLD, bold=True)
    ask = pygame.Rect(body.x, head.bottom, body.w, sheet.em(1.6))
    told = sheet.tr("ui.correct.question")
    if reading.chance is not None:
        told = f"{sheet.tr('ui.correct.chance', share=percent(reading.chance))} {told}"
    sheet.text(ask, told, 1.15, SOFT)
    rest = pygame.Rect(body.x, ask.bottom + sheet.em(0.2), body.w, body.bottom - ask.bottom - sheet.em(0.2))
    seats = {truth.action.seat for _, truth in reading.choices if isinstance(truth, Declared)}
    whose = {one.seat: one.chair for one in frame.view.chairs} if len(seats) > 1 else {}
    gap, columns = sheet.em(0.3), 2
    height = 2 * sheet.painter.line(1.0) + sheet.em(0.2)
    room = max(1, (rest.h + gap) // (height + gap)) * columns
    first, end = pages(len(reading.choices), room, frame.glass.scroll)
    width = (rest.w + gap) // columns
    for place, (label, truth) in enumerate(reading.choices[first : first + room]):
        cell = pygame.Rect(
            rest.x + place % columns * width,
            rest.y + place // columns * (height + gap),
            width - gap,
            height,
        )
        string = sheet.words.text(label, frame.names)
        if isinstance(truth, Declared) and truth.action.seat in whose:
            # The same words for several people: each says whose they are.
            string = f"{sheet.name(whose[truth.action.seat])}: {string}"
        does = deed(Correct(reading.seq, truth), overlay="")
        sheet.button(cell, string, f"truth:{first + place}", does)
    scroll = arrows(first, end, room) if end else ()
    feet(sheet, *scroll, CLOSE)
