"""The top of the game page: the one sentence about now, and what was just ruled."""

from __future__ import annotations

import pygame

from companion.ui.frame import GameFrame, window_open
from companion.ui.kit import avatar, chip
from companion.ui.sheet import Sheet, deed
from companion.ui.theme import BAD, INK, LOOK, PAPER, RAISED, SOFT, TEXT, scale_of


def headline(sheet: Sheet, rect: pygame.Rect, frame: GameFrame) -> None:
    """What happens now in huge letters; a verdict takes the whole band."""
    said = frame.say
    text = None if said is None else sheet.words.text(said, frame.names)
    kind = "" if said is None else said.key.rpartition(".")[2]
    if said is not None and text and (".rule." in said.key or kind in frame.board.loud):
        sheet.box(rect, BAD if ".rule." in said.key else PAPER)
        side = min(rect.h - sheet.em(0.6), sheet.em(3))
        sheet.picture(sheet.art.motif("warning", side), (rect.x + sheet.em(0.6) + side // 2, rect.centery))
        ask = sheet.tr("ui.why")
        width = sheet.painter.font(1.0, bold=True).size(ask)[0] + sheet.em(1.2)
        words = pygame.Rect(rect.x + side + sheet.em(1.2), rect.y, 0, rect.h)
        words.w = rect.right - width - sheet.em(1) - words.x
        sheet.text(words, text, scale_of("verdict"), INK, bold=True)
        why = pygame.Rect(0, 0, width, sheet.em(1.8))
        why.midright = (rect.right - sheet.em(0.5), rect.centery)
        sheet.button(why, ask, "why", deed(overlay="why"), fill=INK, bold=True)
        return
    upper = pygame.Rect(rect.x, rect.y, rect.w, sheet.em(2.7))
    lower = pygame.Rect(rect.x, upper.bottom, rect.w, rect.h - upper.h)
    _prompt(sheet, upper, frame)
    if text:
        glad = kind in frame.board.glad
        chip(sheet, lower, text, PAPER if glad else RAISED, scale=scale_of("said"))
    elif frame.view.hint is not None:
        hint = sheet.words.text(frame.view.hint, frame.names)
        sheet.text(lower, hint, scale_of("said"), SOFT, align="center")


def _prompt(sheet: Sheet, rect: pygame.Rect, frame: GameFrame) -> None:
    """The one sentence, beside the avatar of whoever is asked alone."""
    words = sheet.words.text(frame.view.headline, frame.names)
    asked = [one for one in frame.view.chairs if one.asked]
    scale = scale_of("prompt")
    if len(asked) == 1 and not window_open(frame.view):
        size = min(sheet.u(LOOK.avatar["prompt"]), rect.h)
        room = rect.w - 2 * size
        fitted = sheet.painter.fit(words, room, rect.h, scale, bold=True)
        font = sheet.painter.font(fitted.scale, bold=True)
        widest = max(font.size(line)[0] for line in fitted.lines)
        if not fitted.cut:
            left = rect.x + (rect.w - widest - size * 5 // 4) // 2
            avatar(sheet, (left + size // 2, rect.centery), size, asked[0].chair)
            rect = pygame.Rect(left + size * 5 // 4, rect.y, rect.right - left - size * 5 // 4, rect.h)
            sheet.text(rect, words, scale, TEXT, bold=True)
            return
    sheet.text(rect, words, scale, TEXT, bold=True, align="center")
