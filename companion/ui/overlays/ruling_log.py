"""Overlays on rulings: the log, the newest first, the rule behind one, photo finishes once more, how one is
taken back, and how a reading is corrected.
"""

import re
from collections.abc import Sequence

from companion.core.actions import SECOND, Chair
from companion.core.observations import ActionDeclared
from companion.core.view import Sentence
from companion.ui.board.card_pictures import find_pictures, paint_pictures
from companion.ui.board.exhibits import paint_exhibit_picture
from companion.ui.board.photo_finish import paint_finish
from companion.ui.board.stage_layout import CARD_ASPECT
from companion.ui.board.table_centre import paint_arrow
from companion.ui.board.toolbar import draw_icon
from companion.ui.commands import CorrectEntry, SpeakSentences, UndoRuling
from companion.ui.frame import GameFrame, HistoryLine, ReadingView, RecapFrame
from companion.ui.layout import FILL, Box, best_grid, columns, grid, rows, stack
from companion.ui.overlays.allowed_actions import rulebook_reference
from companion.ui.overlays.dialog import (
    CLOSE_BUTTON,
    PRIMARY_CLOSE_BUTTON,
    PRIMARY_FILL,
    DialogButton,
    overlay_button,
    paint_buttons,
    paint_dialog,
    paint_sign,
    scroll_buttons,
    scroll_range,
    split_body,
)
from companion.ui.overlays.felt_choices import paint_statement
from companion.ui.toolkit.sheet import Sheet, touch_action
from companion.ui.toolkit.theme import FELT, INK, NOTICE, PAPER, SOFT, TEXT, blend, plate_ground
from companion.ui.toolkit.widgets import paint_avatar, paint_row

ROW, ROW_FILL = 3.4, blend(FELT, INK, 0.5)
"""How high a line of the log is, in em, and its colour."""
LINE = 1.3
"""How large it says what happened and when."""
WHY = 1.6
"""How large a reason is at most, in smallest letters."""
STEP = 1.25
"""How large a part of a reason is below its picture, at most."""
PICTURED = 8
"""So many cards to choose from are large enough on one page."""


def paint_log(sheet: Sheet, frame: GameFrame | RecapFrame) -> None:
    """The newest first and on paper, as many as fit; touching a line asks why."""
    if not frame.log:
        nothing = sheet.tr("ui.log.empty")
        paint_statement(sheet, sheet.tr("ui.log"), nothing, PRIMARY_CLOSE_BUTTON, sign="speech")
        return
    body, gap = paint_dialog(sheet, "ui.log").inflate(-sheet.em(0.8), 0), sheet.em(0.3)
    height = max(sheet.em(ROW), sheet.min_touch_height)
    room = max(1, (body.h + gap) // (height + gap))
    newest = tuple(reversed(frame.log))
    first, last = scroll_range(len(newest), room, frame.ui_state.scroll)
    shown = newest[first : first + room]
    lines = rows(body, *[(body.h + gap) // room - gap] * len(shown), gap=gap)
    for place, (row, line) in enumerate(zip(lines, shown, strict=True)):
        _paint_line(sheet, row, frame, line, newest=first + place == 0)
    again = (overlay_button("finish"),) if frame.finishes else ()
    paint_buttons(sheet, *scroll_buttons(first, last, room), *again, PRIMARY_CLOSE_BUTTON)


def format_percent(chance: float) -> str:
    """A chance (0 to 1) as people read it, in per cent, never rounded up to certainty."""
    return f"{min(99.9, 100 * chance):.1f}\N{NO-BREAK SPACE}%"


def log_line_text(sheet: Sheet, line: HistoryLine | ReadingView) -> str:
    """What happened, and whose choice it was where the sentence does not say so."""
    what = sheet.sentence(line.sentence)
    return what if line.by is None else sheet.tr("ui.log.chose", chair=sheet.name(line.by), what=what)


def _paint_line(
    sheet: Sheet, row: Box, frame: GameFrame | RecapFrame, line: HistoryLine, *, newest: bool
) -> None:
    """Whose it was, what happened, its cards, when, and a question mark where a touch says why."""
    ink, chair = INK if newest else TEXT, acting_chair(line)
    fill = PAPER if newest else ROW_FILL if chair is None else plate_ground(sheet.colour(chair))
    soft = blend(ink, fill, 0.2)
    paint_row(sheet, row, fill)
    gap, parts = sheet.em(0.4), dict(line.sentence.parts)
    pictures = ("warning",) * (".rule." in line.sentence.key)
    pictures = (*pictures, *find_pictures(frame.board, line.sentence))[:2]
    minutes, seconds = divmod(line.at // SECOND, 60)
    told = f"{minutes}:{seconds:02}" if line.at else ""
    inner, clock = row.inset(left=gap, right=gap), sheet.text_width("00:00", LINE)
    each = max(round((row.h - gap) * CARD_ASPECT), sheet.em(2.2)) + sheet.em(0.25)
    badge, cards, words, when, ask = columns(
        inner, row.h * 8 // 10, 2 * each, FILL, clock if line.at else 0, sheet.em(1.5), gap=gap
    )
    if chair is not None:
        paint_avatar(sheet, badge.center, badge.w, chair)
    shown = cards.inset(left=(2 - len(pictures)) * each // 2).inflate(0, -gap)
    paint_pictures(sheet, shown, pictures, parts.get("slot", ""))
    string = log_line_text(sheet, line)
    if line.retracted:
        string = sheet.tr("ui.log.taken_back", what=string)
    colour = soft if line.retracted else ink
    sheet.text(words, string, LINE, colour, bold=newest, struck=line.retracted)
    sheet.text(when, told, LINE, ink, align="right", grows=False)
    if line.why:
        sheet.picture(draw_icon(sheet, "help", ask.w * 7 // 10, soft), ask.center)
        sheet.target(f"line:{line.seq}", row, touch_action(overlay="why", about=line.seq))


def paint_explanation(sheet: Sheet, frame: GameFrame | RecapFrame) -> None:
    """About the ruling with seq `frame.about`, else about the last one."""
    known = [line for line in frame.log if line.why]
    line = next((one for one in known if one.seq == frame.ui_state.about), known[-1] if known else None)
    if line is None:
        nothing = sheet.tr("ui.why.nothing")
        paint_statement(sheet, sheet.tr("ui.why"), nothing, PRIMARY_CLOSE_BUTTON, sign="help")
        return
    body = paint_dialog(sheet, "ui.why", about=acting_chair(line), words=log_line_text(sheet, line))
    reason = Sentence(f"{frame.view.game}.why.{line.why}")
    where = rulebook_reference(sheet, line.section)
    if line.chance is not None:
        where += " " + sheet.tr("ui.correct.chance", share=format_percent(line.chance))
    parts = re.split(r"\s?[.;]\s?", sheet.words.text(reason).rstrip("."))
    told = [part[:1].upper() + part[1:] for part in parts]
    steps = _list_pictured_steps(frame, line)
    if steps and len(steps) == len(told) and sheet.rect.w > sheet.rect.h:
        body, place = rows(body, FILL, sheet.text_height(where, most=4), gap=sheet.em(0.3))
        _paint_pictured_steps(sheet, body, steps, told)
        sheet.text(place, where, 1.0, TEXT, align="center")
    else:
        _paint_reason(
            sheet, body, find_pictures(frame.board, line.sentence)[:2], sheet.words.text(reason), where
        )
    aloud = DialogButton("ui.say", "say", touch_action(SpeakSentences((line.sentence, reason))))
    paint_buttons(sheet, *_neighbour_buttons(known, line), aloud, PRIMARY_CLOSE_BUTTON)


def _paint_reason(sheet: Sheet, body: Box, shown: tuple[str, ...], words: str, where: str) -> None:
    """The cards, and beside them the reason and where it is written."""
    if shown:
        side, body = split_body(sheet, body, 26 + 6 * len(shown), upright=34)
        high = min(side.h, round((side.w / len(shown) - sheet.em(0.3)) / CARD_ASPECT))
        wide = len(shown) * round(high * CARD_ASPECT) + (len(shown) - 1) * sheet.em(0.25)
        paint_pictures(sheet, stack(side, wide, high), shown)
        body = body.inset(left=sheet.em(0.4))
    body, place = rows(body, FILL, sheet.text_height(where, most=4), gap=sheet.em(0.3))
    sheet.text(place, where, 1.0, TEXT)
    paragraphs = words.replace(". ", ".\n\n", 1)
    roomy = not sheet.painter.fit_text(paragraphs, body.w, body.h, WHY).cut
    sheet.text(body, paragraphs if roomy else words, WHY, TEXT, bold=True)


def _list_pictured_steps(frame: GameFrame | RecapFrame, line: HistoryLine) -> list[tuple[str, ...]]:
    """What a rule leads to, picture by picture: the cards of the ruling, then as the board says.

    `place:2` is the card that lies in that place now, the lowest; empty: there are none, or it is not open.
    """
    then = frame.board.sentence_pictures.get(f"why.{line.why}", ())
    parts = dict(line.sentence.parts)
    lies = {f"place:{place.number}": place.card for place in frame.view.places if place.number}
    named = [name.replace("{slot}", str(parts.get("slot", ""))) for name in then]
    names = [lies.get(name, "") if name.startswith("place:") else name for name in named]
    if not names or any(not name or name.startswith("back:") for name in names[:-1]):
        return []
    return [find_pictures(frame.board, line.sentence), *((name,) for name in names)]


def _paint_pictured_steps(
    sheet: Sheet, body: Box, steps: Sequence[tuple[str, ...]], told: Sequence[str]
) -> None:
    """One beside the other, an arrow between them, below each what it shows."""
    gap, low = sheet.em(1.2), 4 * sheet.painter.line_height(STEP)
    cells = columns(body, *[FILL] * len(steps), gap=gap)
    for place, (cell, names, words) in enumerate(zip(cells, steps, told, strict=True)):
        cards, caption = rows(cell, FILL, low, gap=sheet.em(0.3))
        high = min(cards.h, round((cells[0].w / 2 - sheet.em(0.25)) / CARD_ASPECT))
        wide = len(names) * round(high * CARD_ASPECT) + (len(names) - 1) * sheet.em(0.25)
        paint_pictures(sheet, stack(cards, wide, high), names)
        sheet.text(caption, words, STEP, TEXT, bold=True, align="center", middle=False)
        if place:
            paint_arrow(sheet, stack(Box(cell.x - gap, cards.y, gap, cards.h), gap * 3 // 2, sheet.em(0.9)))


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
    if not frame.finishes:
        nothing = sheet.tr("ui.finish.none")
        paint_statement(sheet, sheet.tr("ui.finish"), nothing, PRIMARY_CLOSE_BUTTON, sign="focus")
        return
    body = paint_dialog(sheet, "ui.finish")
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
        why = sheet.tr("ui.take_back.settled" if frame.undo_closed else "ui.take_back.none")
        paint_statement(sheet, sheet.tr("ui.take_back"), why, PRIMARY_CLOSE_BUTTON, sign="undo")
        return
    going = frame.next_undo
    about = None if going is None else acting_chair(going)
    body = paint_dialog(sheet, "ui.take_back", about=about).inflate(-sheet.em(0.8), 0)
    low = 0 if frame.after_undo is None else sheet.em(1.6)
    head, intro, _, rest, foot = rows(
        body, sheet.em(2.8) if going is not None else 0, sheet.em(1.5), sheet.em(0.2), FILL, low
    )
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
    lines = grid(rest, len(steps), 1, gap=gap, most=sheet.em(5.0))
    for place, (row, sentence) in enumerate(zip(lines, steps, strict=True), first + 1):
        _paint_step(sheet, row, place, sentence, frame)
    back = touch_action(UndoRuling(bool(frame.put_back_steps)), overlay="")
    what = "ui.take_back.done" if frame.put_back_steps else "ui.take_back.do"
    keep = CLOSE_BUTTON._replace(words="ui.take_back.keep")
    scroll = scroll_buttons(first, end, room) if end else ()
    paint_buttons(sheet, keep, *scroll, DialogButton(what, "do", back, PRIMARY_FILL))


def _paint_step(sheet: Sheet, row: Box, number: int, sentence: Sentence, frame: GameFrame) -> None:
    """One thing to do on the table: its number, its cards or tokens, its words."""
    paint_row(sheet, row, ROW_FILL)
    radius, gap = sheet.em(0.75), sheet.em(0.6)
    spot, inner = columns(row.inset(left=gap), 2 * radius, FILL, gap=gap)
    paint_sign(sheet, spot, str(number))
    parts, pictures = dict(sentence.parts), find_pictures(frame.board, sentence)
    who, high = parts.get("chair"), row.h - gap // 2
    each = max(round(high * CARD_ASPECT), sheet.em(2.2)) + sheet.em(0.25)
    badge, shown, words = columns(
        inner.inset(right=gap),
        row.h * 8 // 10 if isinstance(who, int) else 0,
        min(each * max(1, len(pictures)), row.w // 3),
        FILL,
        gap=gap // 2,
    )
    if isinstance(who, int):
        paint_avatar(sheet, badge.center, badge.w, who)
    paint_pictures(sheet, shown.inflate(0, -gap // 2), pictures, parts.get("slot", ""))
    sheet.text(words, sheet.sentence(sentence), 1.6, TEXT, bold=True)


def paint_correction(sheet: Sheet, frame: GameFrame) -> None:
    """What was read, with its card and what becomes of it, and what it should have been."""
    reading = frame.last_reading
    if reading is None:
        closed = frame.undo_closed or frame.correction_closed
        why = sheet.tr("ui.correct.settled" if closed else "ui.correct.nothing")
        paint_statement(sheet, sheet.tr("ui.correct"), why, PRIMARY_CLOSE_BUTTON, sign="sheet")
        return
    body = paint_dialog(sheet, "ui.correct.question")
    wrong, rest = split_body(sheet, body, 30, upright=26)
    told = sheet.tr("ui.correct.undoes", what=log_line_text(sheet, reading))
    pictures = find_pictures(frame.board, reading.sentence)[:2]
    card, words = rows(wrong, wrong.h * 56 // 100 if pictures else 0, FILL, gap=sheet.em(0.4))
    if pictures:
        wide = min(card.w, round(len(pictures) * card.h * CARD_ASPECT))
        shown = stack(card, wide, int(wide / len(pictures) / CARD_ASPECT))
        paint_pictures(sheet, shown, pictures)
        side = sheet.em(2.4)
        paint_sign(sheet, stack(shown, side, side, "bottomright"), "left", NOTICE)
    sheet.text(words, told, 1.3, TEXT, bold=True, align="center", middle=not pictures)
    _paint_alternatives(sheet, rest, frame, reading)


def _paint_alternatives(sheet: Sheet, rest: Box, frame: GameFrame, reading: ReadingView) -> None:
    """Everything it may have been instead, to be touched: cards where there are, else words."""
    seats = {truth.action.seat for _, truth in reading.choices if isinstance(truth, ActionDeclared)}
    whose_seat = {one.seat: one.chair for one in frame.view.chairs} if len(seats) > 1 else {}
    *others, last = enumerate(reading.choices)
    never = last[1][0].key == "ui.correct.did_not_happen"
    listed = others if never else [*others, last]
    pictured = all(find_pictures(frame.board, label) for _, (label, _) in listed)
    gap, height = sheet.em(0.4), max(2 * sheet.line_height + sheet.em(0.4), sheet.min_touch_height)
    room = PICTURED if pictured else max(1, (rest.h + gap) // (height + gap)) * 2
    first, end = scroll_range(len(listed), room, frame.ui_state.scroll)
    shown = listed[first : first + room]
    cells = best_grid(rest, len(shown), gap, shape=0.8)
    if not pictured:
        cells = grid(rest, min(room, len(listed)), 2, gap=gap, most=sheet.em(4))
    for cell, (place, (label, truth)) in zip(cells, shown, strict=False):
        string = sheet.sentence(label)
        if isinstance(truth, ActionDeclared) and truth.action.seat in whose_seat:
            # The same words for several people: each says whose they are.
            string = f"{sheet.name(whose_seat[truth.action.seat])}: {string}"
        does = touch_action(CorrectEntry(reading.seq, truth), overlay="")
        if not pictured:
            sheet.button(cell, string, f"truth:{place}", does, scale=1.2)
            continue
        upper, low = rows(cell, FILL, sheet.text_height(string, most=2), gap=gap // 2)
        names = find_pictures(frame.board, label)[:1]
        wide = min(upper.w, round(upper.h * CARD_ASPECT))
        paint_pictures(sheet, stack(upper, wide, int(wide / CARD_ASPECT)), names)
        sheet.text(low, string, 1.2, TEXT, bold=True, align="center")
        sheet.target(f"truth:{place}", cell, does)
    scroll = scroll_buttons(first, end, room) if end else ()
    gone = touch_action(CorrectEntry(reading.seq, last[1][1]), overlay="")
    foot = [DialogButton(last[1][0].key, f"truth:{last[0]}", gone)] if never else []
    paint_buttons(sheet, *scroll, *foot, PRIMARY_CLOSE_BUTTON)
