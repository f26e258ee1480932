"""Why? The rule behind a ruling in our words, and where the rulebook has it."""

from __future__ import annotations

import pygame

from companion.core.view import Sentence
from companion.ui.commands import Tell
from companion.ui.frame import GameFrame, LogLine, RecapFrame
from companion.ui.overlays.leaf import CLOSE, Foot, feet, leaf
from companion.ui.overlays.log import worded
from companion.ui.overlays.may import told_where, where
from companion.ui.sheet import Sheet, deed
from companion.ui.theme import GOLD, SOFT, TEXT


def why(sheet: Sheet, frame: GameFrame | RecapFrame) -> None:
    """About the ruling with seq `glass.about`, else about the last one."""
    body = leaf(sheet, "ui.why")
    known = [line for line in frame.log if line.why]
    line = next((one for one in known if one.seq == frame.glass.about), known[-1] if known else None)
    if line is None:
        sheet.text(body, sheet.tr("ui.why.nothing"), 1.2, SOFT, align="center")
        feet(sheet, CLOSE)
        return
    said = pygame.Rect(body.x, body.y, body.w, sheet.em(3.6))
    sheet.text(said, worded(sheet, line), 1.5, GOLD, bold=True)
    place = told_where(sheet, body, where(sheet, line.section))
    rule = pygame.Rect(body.x, said.bottom + sheet.em(0.4), body.w, place.y - said.bottom - sheet.em(0.6))
    reason = Sentence(f"{frame.view.game}.why.{line.why}")
    sheet.text(rule, sheet.words.text(reason), 1.3, TEXT, middle=False)
    aloud = Foot("ui.say", "say", deed(Tell((line.sentence, reason))))
    feet(sheet, *_neighbours(known, line), aloud, CLOSE)


def _neighbours(known: list[LogLine], line: LogLine) -> tuple[Foot, Foot]:
    place = known.index(line)
    earlier = deed(about=known[place - 1].seq) if place else None
    later = deed(about=known[place + 1].seq) if place + 1 < len(known) else None
    return Foot("ui.why.earlier", "earlier", earlier), Foot("ui.why.later", "later", later)
