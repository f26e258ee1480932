"""Overlays on what was ruled: the log, the newest first, the rule behind one, photo finishes once more."""

from collections.abc import Sequence

from companion.core.actions import Chair
from companion.core.view import Sentence
from companion.ui.board.card_pictures import find_pictures, paint_pictures
from companion.ui.board.exhibits import paint_exhibit_picture
from companion.ui.board.photo_finish import paint_finish
from companion.ui.board.stage_layout import CARD_ASPECT
from companion.ui.commands import SpeakSentences
from companion.ui.frame import GameFrame, HistoryLine, PageFrame, ReadingView, RecapFrame
from companion.ui.layout import FILL, Box, columns, rows
from companion.ui.overlays.allowed_actions import rulebook_reference
from companion.ui.overlays.dialog import (
    CLOSE_BUTTON,
    PRIMARY_CLOSE_BUTTON,
    TEXT_SPAN,
    DialogButton,
    overlay_button,
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
    again = (overlay_button("finish"),) if frame.finishes else ()
    paint_buttons(sheet, *scroll_buttons(first, last, room), *again, PRIMARY_CLOSE_BUTTON)


def paint_log_lines(
    sheet: Sheet,
    body: Box,
    frame: PageFrame,
    told: Sequence[HistoryLine],
    scroll: int,
    *,
    ask: bool = True,
) -> tuple[int, int, int]:
    """Paint as many lines as fit; returns the first shown, the last possible first, and the room."""
    gap = sheet.em(0.2)
    height = 2 * sheet.line_height + sheet.em(0.1)
    room = max(1, (body.h + gap) // (height + gap))
    newest = tuple(reversed(told))
    first, last = scroll_range(len(newest), room, scroll)
    if not newest:
        sheet.text(body, sheet.tr("ui.log.empty"), 1.2, SOFT, align="center")
    shown = newest[first : first + room]
    for row, line in zip(rows(body, *[height] * len(shown), gap=gap), shown, strict=True):
        _paint_line(sheet, row, frame, line, ask=ask)
    return first, last, room


def format_percent(chance: float) -> str:
    """A chance (0 to 1) as people read it, in per cent, never rounded up to certainty."""
    return f"{min(99.9, 100 * chance):.1f}\N{NO-BREAK SPACE}%"


def log_line_text(sheet: Sheet, line: HistoryLine | ReadingView) -> str:
    """What happened, and whose choice it was where the sentence does not say so."""
    what = sheet.sentence(line.sentence)
    return what if line.by is None else sheet.tr("ui.log.chose", chair=sheet.name(line.by), what=what)


def _paint_line(sheet: Sheet, row: Box, frame: PageFrame, line: HistoryLine, *, ask: bool) -> None:
    sheet.box(row, RAISED, radius=0.3)
    chair, inner = acting_chair(line), row.inset(left=sheet.em(0.4), right=sheet.em(0.4))
    if chair is not None:
        sheet.badge((inner.x + sheet.em(1.0), row.centery), sheet.em(1.0), chair)
    words = inner.inset(left=sheet.em(2.4))
    if line.chance is not None and not line.retracted:
        words, share, _ = columns(words, FILL, sheet.em(3.2), sheet.em(0.2))
        sheet.text(share, format_percent(line.chance), 1.0, SOFT, align="right")
    string = log_line_text(sheet, line)
    if line.retracted:
        string = sheet.tr("ui.log.taken_back", what=string)
    sheet.text(words, string, 1.0, SOFT if line.retracted else TEXT, struck=line.retracted)
    if ask and line.why:
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
    shown = find_pictures(frame.board, line.sentence) if isinstance(frame, GameFrame) else ()
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
