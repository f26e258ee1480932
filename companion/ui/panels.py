"""A chair's panel: who sits there, what lies in front, and what its button does now."""

from __future__ import annotations

import pygame

from companion.actions import Chair
from companion.ui.commands import ChairPress, Say
from companion.ui.frame import GameFrame
from companion.ui.sheet import Deed, Sheet, deed
from companion.ui.theme import BAD, GOLD, INK, PANEL, SOFT, TEXT, Colour, ink_on, mixed, quiet
from companion.view import ChairView, Choice, Sentence, Token


def panel(sheet: Sheet, rect: pygame.Rect, chair: ChairView, frame: GameFrame) -> None:
    """Paint one chair's panel; touching it is pressing the chair's button."""
    colour = sheet.colour(chair.chair)
    down = chair.chair in frame.pressed
    named = concerns(frame.say, chair.chair)
    fill = mixed(quiet(colour), colour, 0.22) if chair.raised else quiet(colour)
    edge: Colour | None = None
    if chair.asked or chair.raised:
        edge = colour
    if named:
        edge = GOLD
    if down:
        fill, edge = mixed(PANEL, TEXT, 0.22), TEXT
    sheet.box(rect, fill, edge, width=0.16 if chair.asked else 0.1)
    sheet.target(
        f"chair:{chair.chair}",
        rect,
        Deed((ChairPress(chair.chair, down=True),), lifted=(ChairPress(chair.chair, down=False),)),
    )
    inner = rect.inflate(-sheet.em(0.5), -sheet.em(0.3))
    rows = _rows(sheet, inner, chair)
    _head(sheet, rows[0], chair, tokens=len(rows) == 2)
    if len(rows) == 3:
        _tokens(sheet, rows[1], chair)
    _foot(sheet, rows[-1], chair, frame)


def concerns(sentence: Sentence | None, chair: Chair) -> bool:
    """Whether a sentence names this chair."""
    return sentence is not None and ("chair", chair) in sentence.parts


def _rows(sheet: Sheet, inner: pygame.Rect, chair: ChairView) -> tuple[pygame.Rect, ...]:
    """Head, tokens where there is room, and the rest."""
    head = pygame.Rect(inner.x, inner.y, inner.w, sheet.em(1.5))
    wanted = sheet.em(1.3) * max(1, min(2, len(chair.choices)))
    middle = sheet.em(1.55)
    if inner.h - head.h - middle >= wanted or inner.w < sheet.em(7):
        tokens = pygame.Rect(inner.x, head.bottom, inner.w, middle)
        return (
            head,
            tokens,
            pygame.Rect(inner.x, tokens.bottom, inner.w, max(0, inner.bottom - tokens.bottom)),
        )
    return head, pygame.Rect(inner.x, head.bottom, inner.w, inner.bottom - head.bottom)


def _head(sheet: Sheet, rect: pygame.Rect, chair: ChairView, *, tokens: bool) -> None:
    radius = min(sheet.em(0.66), rect.h // 2)
    sheet.badge((rect.x + radius, rect.centery), radius, chair.chair)
    right = rect.right
    if chair.raised:
        side = sheet.em(1.35)
        sheet.picture(sheet.art.motif("hand", side), (right - side // 2, rect.centery))
        right -= side + sheet.em(0.15)
    if tokens:
        right = _icons(sheet, pygame.Rect(rect.x, rect.y, right - rect.x, rect.h), chair, sheet.em(1.12))
    left = rect.x + 2 * radius + sheet.em(0.3)
    name = pygame.Rect(left, rect.y, max(1, right - left), rect.h)
    string = sheet.name(chair.chair)
    string = _short(sheet, string, name.w)
    sheet.text(name, string, 1.0, TEXT, bold=True)


def _short(sheet: Sheet, string: str, width: int) -> str:
    """A name in one line; what does not fit ends in an ellipsis."""
    font = sheet.painter.font(1.0, bold=True)
    if font.size(string)[0] <= width:
        return string
    while string and font.size(string + "…")[0] > width:
        string = string[:-1]
    return string + "…" if string else ""


def _icons(sheet: Sheet, rect: pygame.Rect, chair: ChairView, side: int) -> int:
    """Tokens from the right edge inwards; gives back where they begin."""
    x = rect.right
    for token in reversed(chair.tokens):
        width = _token_width(sheet, token, side)
        _token(sheet, pygame.Rect(x - width, rect.y, width, rect.h), token, side)
        x -= width + sheet.em(0.12)
    return x


def _tokens(sheet: Sheet, rect: pygame.Rect, chair: ChairView) -> None:
    side = sheet.em(1.3)
    x = rect.x
    for token in chair.tokens:
        width = _token_width(sheet, token, side)
        _token(sheet, pygame.Rect(x, rect.y, width, rect.h), token, side)
        x += width + sheet.em(0.2)
    count = sheet.em(2.1)
    if rect.right - x >= count:
        place = pygame.Rect(rect.right - count, rect.y, count, rect.h)
        sheet.picture(sheet.art.motif("cards", sheet.em(1.1)), (place.x + sheet.em(0.6), place.centery))
        words = pygame.Rect(place.x + sheet.em(1.25), place.y, sheet.em(0.85), place.h)
        sheet.text(words, str(chair.cards), 1.0, TEXT)


def _token_width(sheet: Sheet, token: Token, side: int) -> int:
    if token.kind == "pair":
        return sheet.em(1.6)
    return side + (sheet.em(0.62) if token.count > 1 else 0)


def _token(sheet: Sheet, rect: pygame.Rect, token: Token, side: int) -> None:
    if token.kind == "pair":
        chip = pygame.Rect(rect.x, rect.centery - sheet.em(0.62), rect.w, sheet.em(1.24))
        sheet.box(chip, (243, 239, 228), radius=0.2)
        sheet.text(chip, str(token.value), 1.0, INK, bold=True, align="center")
        return
    motif = token.kind if token.kind in {"emperor", "sheep", "fox"} else "cards"
    sheet.picture(sheet.art.motif(motif, side), (rect.x + side // 2, rect.centery))
    if token.count > 1:
        words = pygame.Rect(rect.x + side + sheet.em(0.05), rect.y, sheet.em(0.62), rect.h)
        sheet.text(words, str(token.count), 1.0, TEXT, bold=True)


def _foot(sheet: Sheet, rect: pygame.Rect, chair: ChairView, frame: GameFrame) -> None:
    """What this chair may press now, or a note."""
    if rect.h < sheet.painter.line(1.0):
        return
    note = _note(sheet, chair, frame)
    if note:
        sheet.box(rect, BAD, radius=0.25)
        sheet.text(rect.inflate(-sheet.em(0.3), 0), note, 1.0, INK, bold=True, align="center")
        return
    if len(chair.choices) <= 2:
        rows = len(chair.choices)
        for place, choice in enumerate(chair.choices):
            height = rect.h // rows
            _choice(sheet, pygame.Rect(rect.x, rect.y + place * height, rect.w, height), choice, chair, frame)
        return
    _stepping(sheet, rect, chair, frame)


def _note(sheet: Sheet, chair: ChairView, frame: GameFrame) -> str:
    if chair.note is not None:
        return sheet.words.text(chair.note, frame.names)
    said = frame.say
    if said is not None and said.key.endswith(".HandTooEarly") and concerns(said, chair.chair):
        return sheet.tr("ui.too_early")
    return ""


def say(choice: Choice) -> Deed:
    return deed(Say(choice.action))


def label(sheet: Sheet, choice: Choice, frame: GameFrame) -> str:
    return sheet.words.text(choice.label, frame.names)


def _choice(sheet: Sheet, rect: pygame.Rect, choice: Choice, chair: ChairView, frame: GameFrame) -> None:
    """One choice with the sign of its press."""
    side = min(sheet.em(0.95), rect.h)
    motif = "hold" if choice.press == "hold" else "tap"
    sheet.picture(sheet.art.motif(motif, side), (rect.x + side // 2, rect.centery))
    words = pygame.Rect(rect.x + side + sheet.em(0.25), rect.y, rect.w - side - sheet.em(0.25), rect.h)
    sheet.text(words, label(sheet, choice, frame), 1.0, TEXT, bold=choice.press == "press")
    if frame.view.count is None:
        # In a timed window the panel is the button: its edges count, not a choice made on the screen.
        sheet.target(f"say:{choice.action}", rect, say(choice), walked=True)


def _stepping(sheet: Sheet, rect: pygame.Rect, chair: ChairView, frame: GameFrame) -> None:
    """A list too long for tap and hold: the marked choice, and how to move the mark."""
    marked = next((choice for choice in chair.choices if choice.marked), chair.choices[0])
    side = min(sheet.em(0.95), rect.h)
    line = sheet.painter.line(1.0)
    rows = 2 if rect.h >= 2 * line else 1
    top = pygame.Rect(rect.x, rect.y, rect.w, rect.h // rows)
    sheet.picture(sheet.art.motif("hold", side), (rect.x + side // 2, top.centery))
    words = pygame.Rect(rect.x + side + sheet.em(0.25), top.y, rect.w - side - sheet.em(0.25), top.h)
    sheet.text(words, label(sheet, marked, frame), 1.0, GOLD, bold=True)
    if rows == 2:
        low = pygame.Rect(rect.x, top.bottom, rect.w, rect.h - top.h)
        sheet.picture(sheet.art.motif("tap", side), (rect.x + side // 2, low.centery))
        words = pygame.Rect(rect.x + side + sheet.em(0.25), low.y, rect.w - side - sheet.em(0.25), low.h)
        sheet.text(words, sheet.tr("ui.next_choice"), 1.0, SOFT)


def chair_tile(sheet: Sheet, rect: pygame.Rect, chair: Chair, *, marked: bool) -> None:
    """A big tile for choosing a chair."""
    colour = sheet.colour(chair)
    sheet.box(rect, quiet(colour), GOLD if marked else colour, width=0.22 if marked else 0.1)
    radius = min(rect.h // 3, rect.w // 4, sheet.em(2.2))
    name_height = sheet.painter.line(1.15)
    sheet.badge((rect.centerx, rect.y + (rect.h - name_height) // 2), radius, chair)
    words = pygame.Rect(rect.x, rect.bottom - name_height - sheet.em(0.15), rect.w, name_height)
    name = _short(sheet, sheet.name(chair), words.w - sheet.em(0.4))
    sheet.text(words, name, 1.0, ink_on(quiet(colour)), bold=True, align="center")
