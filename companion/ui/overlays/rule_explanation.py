"""Overlay that explains the rule behind a ruling.

The rule behind a ruling in our words, and where the rulebook has it.
"""

import pygame

from companion.core.actions import Chair
from companion.core.view import Sentence
from companion.ui.board.place_layout import CARD_ASPECT
from companion.ui.board.sentence_pictures import find_pictures, paint_pictures
from companion.ui.commands import SpeakSentences
from companion.ui.frame import GameFrame, HistoryLine, RecapFrame
from companion.ui.overlays.allowed_actions import paint_rule, rulebook_reference
from companion.ui.overlays.dialog import (
    PRIMARY_CLOSE_BUTTON,
    TEXT_SPAN,
    DialogButton,
    paint_buttons,
    paint_dialog,
)
from companion.ui.overlays.ruling_log import format_percent, log_line_text
from companion.ui.toolkit.sheet import Sheet, touch_action
from companion.ui.toolkit.theme import SOFT, TEXT


def paint_explanation(sheet: Sheet, frame: GameFrame | RecapFrame) -> None:
    """About the ruling with seq `ui_state.about`, else about the last one."""
    known = [line for line in frame.log if line.why]
    line = next((one for one in known if one.seq == frame.ui_state.about), known[-1] if known else None)
    if line is None:
        body = paint_dialog(sheet, "ui.why", span=TEXT_SPAN)
        sheet.text(body, sheet.tr("ui.why.nothing"), 1.2, SOFT, align="center")
        paint_buttons(sheet, PRIMARY_CLOSE_BUTTON, span=TEXT_SPAN)
        return
    body = paint_dialog(sheet, "ui.why", span=TEXT_SPAN, about=acting_chair(line))
    said = pygame.Rect(body.x, body.y, body.w, sheet.em(3.6))
    sheet.text(said, log_line_text(sheet, line), 1.7, TEXT, bold=True)
    place = paint_rule(sheet, body, rulebook_reference(sheet, line.section))
    rule = pygame.Rect(body.x, said.bottom + sheet.em(0.4), body.w, place.y - said.bottom - sheet.em(0.6))
    if line.chance is not None:
        rule.h -= sheet.em(1.5)
        sure = pygame.Rect(body.x, rule.bottom + sheet.em(0.1), body.w, sheet.em(1.4))
        sheet.text(sure, sheet.tr("ui.correct.chance", share=format_percent(line.chance)), 1.0, SOFT)
    shown = find_pictures(frame.board, line.sentence) if isinstance(frame, GameFrame) else ()
    if shown:
        wide = rule.w * 3 // 10
        side = pygame.Rect(rule.right - wide, rule.y, wide, min(rule.h, sheet.em(7)))
        side.h = min(side.h, round((wide - sheet.em(0.3)) / len(shown[:2]) / CARD_ASPECT))
        rule.w -= wide + sheet.em(0.4)
        paint_pictures(sheet, side, shown[:2])
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
