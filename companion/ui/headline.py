"""The top of the game page: the one sentence about now, and what was just ruled."""

from __future__ import annotations

import pygame

from companion.ui.frame import GameFrame, window_open
from companion.ui.kit import avatar, chip, halo, sign
from companion.ui.sheet import Sheet, deed
from companion.ui.theme import BAD, INK, LOOK, PAPER, RAISED, SOFT, TEXT, scale_of

HINTED = frozenset({"teach", "assisted"})
"""Steps of the ramp that say how and why under the sentence; at the others Help does."""


def told(sheet: Sheet, frame: GameFrame) -> str:
    """What was said last, unless the sentence on top or the hint says the same."""
    if frame.say is None:
        return ""
    words = sheet.words.text(frame.say, frame.names)
    others = [one for one in (frame.view.headline, frame.view.hint) if one is not None]
    return "" if words in {sheet.words.text(one, frame.names) for one in others} else words


def glad(frame: GameFrame) -> bool:
    """Whether what was said is good news."""
    return frame.say is not None and frame.say.key.rpartition(".")[2] in frame.board.glad


def said_low(sheet: Sheet, rect: pygame.Rect, frame: GameFrame) -> bool:
    """What was said, in the toolbar's line, if it has room there; gives back whether it still has to be told.

    While nothing was said, the signs of the two presses stand there.
    """
    text = told(sheet, frame)
    if loud(frame):
        return False
    if not text:
        _legend(sheet, rect, frame)
        return False
    pad = sheet.em(0.5)
    wide = sheet.painter.font(1.0, bold=True).size(text)[0] + 2 * pad
    if wide > rect.w:
        return True
    strip = pygame.Rect(rect.right - wide, rect.y, wide, rect.h)
    chip(sheet, strip.inflate(0, -sheet.em(0.1)), text, PAPER if glad(frame) else RAISED)
    return False


def _legend(sheet: Sheet, rect: pygame.Rect, frame: GameFrame) -> None:
    """Tap and hold, where buttons do something now."""
    right, side = rect.right, sheet.em(0.85)
    presses = {choice.press for chair in frame.view.chairs for choice in chair.choices}
    for press in ("hold", "tap"):
        if press not in presses and not (press == "tap" and "press" in presses):
            continue
        words = sheet.tr(f"ui.press.{press}")
        wide = sheet.painter.font(1.0).size(words)[0]
        if right - wide - 2 * side < rect.x:
            return
        sheet.text(pygame.Rect(right - wide, rect.y, wide, rect.h), words, 1.0, SOFT)
        right -= wide + side * 3 // 4
        sheet.picture(sign(sheet, press, side, SOFT), (right, rect.centery))
        right -= side


def loud(frame: GameFrame) -> bool:
    """Whether what was said takes the whole head: a broken rule, or what the game calls loud."""
    said = frame.say
    return said is not None and (broken(frame) or said.key.rpartition(".")[2] in frame.board.loud)


def broken(frame: GameFrame) -> bool:
    """Whether a rule was broken."""
    return frame.say is not None and ".rule." in frame.say.key


def headline(sheet: Sheet, rect: pygame.Rect, frame: GameFrame, *, said: bool) -> None:
    """What happens now in huge letters; what is loud takes its place, a broken rule in red.

    `said`: what was said last has no other place; it stands under the sentence.
    """
    if loud(frame):
        _verdict(sheet, rect, frame)
        return
    text = told(sheet, frame) if said else ""
    hint = frame.view.hint
    under = text
    if not text and hint is not None and (frame.glass.level in HINTED or frame.guide is not None):
        under = sheet.words.text(hint, frame.names)
    line = sheet.painter.line(1.0)
    most = line * (1 if rect.h < 3.5 * line else 2)
    fitted = sheet.painter.fit(under, rect.w - sheet.em(1), most, 1.0)
    if not text and fitted.cut:
        under = ""  # rather none than half of it: Help has it
    high = max(line * len(fitted.lines), sheet.painter.line(scale_of("said"))) if under else 0
    lower = pygame.Rect(rect.x, rect.bottom - high, rect.w, high)
    upper = pygame.Rect(rect.x, rect.y, rect.w, (lower.y if under else rect.bottom) - rect.y)
    _prompt(sheet, upper, frame)
    if text:
        chip(sheet, lower, text, PAPER if glad(frame) else RAISED, scale=scale_of("said"))
    elif under:
        sheet.text(lower, under, scale_of("said"), SOFT, align="center")


def _verdict(sheet: Sheet, rect: pygame.Rect, frame: GameFrame) -> None:
    said = frame.say
    assert said is not None
    if not broken(frame):  # dark like any sentence on top: one plate is bright, and nothing beside it
        told_now = sheet.words.text(said, frame.names)
        scale = max(1.0, min(scale_of("prompt"), rect.h / sheet.painter.line(1.0)))
        sheet.text(rect, told_now, scale, TEXT, bold=True, align="center")
        return
    if rect.x:
        sheet.box(rect, BAD)
    else:
        sheet.fill(rect, BAD)
    side = min(rect.h - sheet.em(0.6), sheet.em(3))
    sheet.picture(sheet.art.motif("warning", side), (rect.x + sheet.em(0.6) + side // 2, rect.centery))
    ask = sheet.tr("ui.why")
    width = sheet.painter.font(1.0, bold=True).size(ask)[0] + sheet.em(1.2)
    words = pygame.Rect(rect.x + side + sheet.em(1.2), rect.y, 0, rect.h).inflate(0, -sheet.em(0.4))
    words.w = rect.right - width - sheet.em(1) - words.x
    sheet.text(words, sheet.words.text(said, frame.names), scale_of("verdict"), INK, bold=True)
    why = pygame.Rect(0, 0, width, sheet.em(1.8))
    why.midright = (rect.right - sheet.em(0.5), rect.centery)
    sheet.button(why, ask, "why", deed(overlay="why"), fill=INK, bold=True)


def _prompt(sheet: Sheet, rect: pygame.Rect, frame: GameFrame) -> None:
    """The one sentence, beside the avatar of whoever is asked alone."""
    words = sheet.words.text(frame.view.headline, frame.names)
    asked = [one for one in frame.view.chairs if one.asked]
    scale = max(1.0, min(scale_of("prompt"), rect.h / sheet.painter.line(1.0)))
    if len(asked) == 1 and not window_open(frame.view):
        size = min(sheet.u(LOOK.avatar["prompt"]), rect.h)
        room = rect.w - 2 * size
        fitted = sheet.painter.fit(words, room, rect.h, scale, bold=True)
        font = sheet.painter.font(fitted.scale, bold=True)
        widest = max(font.size(line)[0] for line in fitted.lines)
        if not fitted.cut:
            left = rect.x + (rect.w - widest - size * 5 // 4) // 2
            halo(sheet, (left + size // 2, rect.centery), size * 2 // 3)
            avatar(sheet, (left + size // 2, rect.centery), size, asked[0].chair, lit=True)
            rect = pygame.Rect(left + size * 5 // 4, rect.y, rect.right - left - size * 5 // 4, rect.h)
            sheet.text(rect, words, scale, TEXT, bold=True)
            return
    sheet.text(rect, words, scale, TEXT, bold=True, align="center")
