"""Why? The rule behind a ruling in our words, and where the rulebook has it."""

import pygame

from companion.core.actions import Chair
from companion.core.view import Sentence
from companion.ui.commands import Tell
from companion.ui.depicted import depicted, draw
from companion.ui.frame import GameFrame, LogLine, RecapFrame
from companion.ui.overlays.leaf import READ, TELLS, Foot, feet, leaf
from companion.ui.overlays.log import percent, worded
from companion.ui.overlays.may import rule_at_foot, where
from companion.ui.ring import SLIM
from companion.ui.sheet import Sheet, deed
from companion.ui.theme import SOFT, TEXT


def why(sheet: Sheet, frame: GameFrame | RecapFrame) -> None:
    """About the ruling with seq `glass.about`, else about the last one."""
    known = [line for line in frame.log if line.why]
    line = next((one for one in known if one.seq == frame.glass.about), known[-1] if known else None)
    if line is None:
        body = leaf(sheet, "ui.why", span=TELLS)
        sheet.text(body, sheet.tr("ui.why.nothing"), 1.2, SOFT, align="center")
        feet(sheet, READ, span=TELLS)
        return
    body = leaf(sheet, "ui.why", span=TELLS, about=whose(line))
    said = pygame.Rect(body.x, body.y, body.w, sheet.em(3.6))
    sheet.text(said, worded(sheet, line), 1.7, TEXT, bold=True)
    place = rule_at_foot(sheet, body, where(sheet, line.section))
    rule = pygame.Rect(body.x, said.bottom + sheet.em(0.4), body.w, place.y - said.bottom - sheet.em(0.6))
    if line.chance is not None:
        rule.h -= sheet.em(1.5)
        sure = pygame.Rect(body.x, rule.bottom + sheet.em(0.1), body.w, sheet.em(1.4))
        sheet.text(sure, sheet.tr("ui.correct.chance", share=percent(line.chance)), 1.0, SOFT)
    shown = depicted(frame.board, line.sentence) if isinstance(frame, GameFrame) else ()
    if shown:
        wide = rule.w * 3 // 10
        side = pygame.Rect(rule.right - wide, rule.y, wide, min(rule.h, sheet.em(7)))
        side.h = min(side.h, round((wide - sheet.em(0.3)) / len(shown[:2]) / SLIM))
        rule.w -= wide + sheet.em(0.4)
        draw(sheet, side, shown[:2])
    reason = Sentence(f"{frame.view.game}.why.{line.why}")
    sheet.text(rule, sheet.words.text(reason), 1.3, TEXT, middle=False)
    aloud = Foot("ui.say", "say", deed(Tell((line.sentence, reason))))
    feet(sheet, *_neighbours(known, line), aloud, READ, span=TELLS)


def whose(line: LogLine) -> Chair | None:
    """Whose choice it was, or whom the sentence names."""
    chair = dict(line.sentence.parts).get("chair") if line.by is None else line.by
    return chair if isinstance(chair, int) else None


def _neighbours(known: list[LogLine], line: LogLine) -> tuple[Foot, Foot]:
    place = known.index(line)
    earlier = deed(about=known[place - 1].seq) if place else None
    later = deed(about=known[place + 1].seq) if place + 1 < len(known) else None
    return Foot("ui.why.earlier", "earlier", earlier), Foot("ui.why.later", "later", later)
