"""Draws practice: hands, known facts and the hint beside the game, or the own hand as a fan under it."""

from collections.abc import Mapping

import pygame

from companion.core.view import Guidance, Sentence
from companion.ui.board.card_pictures import paint_areas
from companion.ui.board.guidance_panel import guide_action, paint_comment, paint_side_ground
from companion.ui.board.lesson_cards import hand_grid_size, paint_hands
from companion.ui.board.panels import chairs_and_decks
from companion.ui.frame import GameFrame
from companion.ui.layout import Box
from companion.ui.toolkit.chair_tiles import paint_bot_badge
from companion.ui.toolkit.sheet import Sheet
from companion.ui.toolkit.sprites import draw_rounded_rect
from companion.ui.toolkit.theme import EDGE, GOLD, INK, LOOK, PAPER, SOFT, TEXT

FOLLOWING = frozenset({"lesson.open.best", "lesson.open.largest", "lesson.open.no_set"})
"""Lines of the open table that say what follows from the others."""
ROOMY = 1.6
"""Height of a hand (em) from which its numbers can be read and other words have room beside them."""
MOST_LINES = 4


def paint_practice_panel(sheet: Sheet, rect: Box, frame: GameFrame, guide: Guidance) -> None:
    """The player's own hand, or all hands and what follows from them; and the button for a hint."""
    gap = sheet.em(0.4)
    inner = paint_side_ground(sheet, rect)
    ask = Box(inner.x, inner.bottom - sheet.em(1.9), inner.w, sheet.em(1.9))
    sheet.button(ask, sheet.tr("ui.lesson.hint"), "guide:hint", guide_action("hint"), bold=True)
    body = Box(inner.x, inner.y, inner.w, ask.y - gap - inner.y)
    if guide.answers:
        body = paint_hand_choices(sheet, body, frame, guide)
    if guide.note is not None:
        body = paint_comment_if_any(sheet, body, frame, guide)
    else:
        said = sheet.sentence(guide.say)
        high = max(2, _count_lines(sheet, said, body.w)) * sheet.line_height
        words = Box(body.x, body.y, body.w, high + gap // 2)
        has_room = body.h - words.h >= _required_height(sheet, frame, guide, body.w)
        if has_room or not guide.back:  # otherwise the hands say it
            sheet.text(words, said, 1.0, SOFT, middle=False)
            body = Box(body.x, words.bottom, body.w, body.bottom - words.bottom)
    if guide.back:
        body = _paint_known_facts(sheet, body, frame, guide)
    paint_hands(sheet, body, guide, frame.board.card_name_prefixes)


def _paint_known_facts(sheet: Sheet, body: Box, frame: GameFrame, guide: Guidance) -> Box:
    """What everybody knows, a line each, and what follows, if the hands leave room; returns the rest."""
    row, top = round(sheet.line_height * 1.15), body.y
    told, follows = _split_lines(guide)
    room = body.h - hand_grid_size(guide)[1] * sheet.em(1.6)
    lines = [_count_lines(sheet, sheet.sentence(line), body.w, bold=True) for line in follows]
    high = sum(lines) * sheet.line_height
    if room < len(told) * row + high:
        told = []
    if guide.note is not None and room < high:
        follows = []  # the hint says it
    for line in told:
        radius = row * 2 // 5
        _paint_badge(sheet, (body.x + radius, top + row // 2), radius, dict(line.parts))
        left = body.x + 2 * radius + sheet.em(0.3)
        sheet.text(
            Box(left, top, body.right - left, row),
            sheet.sentence(line),
            1.0,
            GOLD,
            bold=True,
        )
        top += row
    for line, count in zip(follows, lines, strict=False):
        at = Box(body.x, top, body.w, min(count * sheet.line_height, max(1, body.bottom - top)))
        sheet.text(at, sheet.sentence(line), 1.0, TEXT, bold=True, middle=False)
        top += at.h
    return Box(body.x, top, body.w, max(0, body.bottom - top))


def _split_lines(guide: Guidance) -> tuple[list[Sentence], list[Sentence]]:
    """The lines about one hand, which everybody knows; and the lines that say what follows."""
    told = [
        line for line in guide.back if line.key not in FOLLOWING and {"chair", "bot"} & {*dict(line.parts)}
    ]
    return told, [line for line in guide.back if line not in told]


def _required_height(sheet: Sheet, frame: GameFrame, guide: Guidance, width: int) -> int:
    """Height in pixels of all lines, with the hands below each other under them."""
    told, follows = _split_lines(guide)
    row = round(sheet.line_height * 1.15)
    lines = sum(_count_lines(sheet, sheet.sentence(line), width, bold=True) for line in follows)
    return len(told) * row + lines * sheet.line_height + len(guide.lay) * sheet.em(ROOMY)


def _count_lines(sheet: Sheet, words: str, width: int, *, bold: bool = False) -> int:
    """How many lines the text takes, `MOST_LINES` at most."""
    return len(sheet.painter.fit_text(words, width, MOST_LINES * sheet.line_height, 1.0, bold=bold).lines)


def _paint_badge(sheet: Sheet, centre: tuple[int, int], radius: int, parts: Mapping[str, str | int]) -> None:
    """The badge of the player, or the BOT deck, whose hand a line is about."""
    if "chair" in parts:
        sheet.badge(centre, radius, int(parts["chair"]))
        return
    owner = int(parts["bot"])
    paint_bot_badge(sheet, centre, radius, None if owner < 0 else owner)


def paint_comment_if_any(sheet: Sheet, body: Box, frame: GameFrame, guide: Guidance) -> Box:
    """The comment on what was just done, if there is one; returns the rest of `body`."""
    if guide.note is None:
        return body
    return paint_comment(sheet, body, sheet.sentence(guide.note), good=guide.good, scale=1.1)


def paint_hand_choices(sheet: Sheet, body: Box, frame: GameFrame, guide: Guidance) -> Box:
    """What the player's hand can do, at the foot, short labels side by side; returns the rest of `body`."""
    gap = sheet.em(0.2)
    font = sheet.painter.font(1.0)
    half = (body.w - gap) // 2
    told = [(f"answer:{place}", sheet.sentence(one)) for place, one in enumerate(guide.answers, 1)]
    short = [one for one in told if font.size(one[1])[0] < half - sheet.em(0.8)]
    rows = [short[place : place + 2] for place in range(0, len(short), 2)]
    rows += [[one] for one in told if one not in short]
    height = min(sheet.em(1.55), body.h // 2 // len(rows) - gap)
    room = body.w - sheet.em(0.6)
    highs = [height * (2 if font.size(row[0][1])[0] > room else 1) for row in rows]
    if sum(highs) + len(rows) * gap > body.h // 2:
        highs = [height] * len(rows)  # one line each, in smaller letters
    low = body.bottom - sum(highs) - len(rows) * gap
    top = low
    for row, height in zip(rows, highs, strict=True):
        width = body.w if len(row) == 1 and row[0] not in short else half
        for column, (key, words) in enumerate(row):
            at = Box(body.x + column * (half + gap), top, width, height)
            sheet.button(at, words, key, guide_action(key), fill=EDGE)
        top += height + gap
    return Box(body.x, body.y, body.w, low - body.y - gap)


FAN = LOOK.fan
MAX_PLAYERS = 4
"""With more people the plates need the height."""


def shows_fan(frame: GameFrame, area: Box) -> bool:
    """Whether the player's own hand is a fan under the whole table, rather than a row beside it."""
    guide = frame.guide
    if guide is None or guide.kind != "practice" or len(guide.lay) > 1 or guide.back:
        return False
    return len(chairs_and_decks(frame.view, frame.ui_state)) <= MAX_PLAYERS and area.w > area.h


def hand_height(sheet: Sheet, guide: Guidance) -> int:
    """How much of the height the hand needs above the toolbar."""
    return sheet.u(FAN["foot"]) if guide.lay or guide.note else 0


def paint_hint_button(sheet: Sheet, bar: Box) -> Box:
    """A hint for the player who wants one, at the end of the toolbar; returns what is left of it."""
    words = sheet.tr("ui.lesson.hint")
    wide = sheet.text_width(words, bold=True) + sheet.em(1.6)
    button = Box(bar.right - wide, bar.y, wide, bar.h)
    sheet.button(button, words, "guide:hint", guide_action("hint"), bold=True)
    return Box(bar.x, bar.y, max(1, button.x - sheet.em(0.4) - bar.x), bar.h)


def paint_practice_hand(sheet: Sheet, rect: Box, frame: GameFrame, guide: Guidance) -> None:
    """What there is to say to it, and the fan."""
    rect = paint_comment_if_any(sheet, rect, frame, guide)
    if guide.lay:
        _paint_fan(sheet, rect, guide.lay[0][2])


def paint_hand_actions(sheet: Sheet, rect: Box, frame: GameFrame, guide: Guidance) -> None:
    """What the player's own hand can do, under what lies on the table."""
    low = rect
    if any(place.active for place in frame.view.places):
        high = round(rect.h * FAN["sets"])
        paint_areas(sheet, Box(rect.x, rect.y, rect.w, high), frame)
        low = Box(rect.x, rect.y + high, rect.w, rect.h - high)
    paint_hand_choices(sheet, Box(low.x, low.y - low.h, low.w, 2 * low.h), frame, guide)


def _paint_fan(sheet: Sheet, rect: Box, cards: tuple[str, ...]) -> None:
    """Cards held in a hand: each turned a little further; their lower ends are behind the edge."""
    high = sheet.u(FAN["card"])
    wide = round(high * FAN["shape"])
    step = min(sheet.u(FAN["step"]), (rect.w - wide) // max(1, len(cards) - 1))
    left = rect.centerx - (step * (len(cards) - 1)) // 2
    turn = min(FAN["turn"], FAN["most"] / max(1, len(cards)))
    clip = sheet.surface.get_clip()
    sheet.surface.set_clip(Box(rect.x - wide, rect.y - high, rect.w + 2 * wide, rect.bottom - rect.y + high))
    for place, card in enumerate(cards):
        off = place - (len(cards) - 1) / 2
        picture = _draw_turned_card(sheet, card, (wide, high), -turn * off)
        drop = round(abs(off) ** 2 * sheet.u(FAN["drop"]) / 4)
        centre = (left + place * step, rect.y + high // 2 + drop)
        sheet.surface.blit(picture, picture.get_rect(center=centre))
    sheet.surface.set_clip(clip)


def _draw_turned_card(sheet: Sheet, card: str, size: tuple[int, int], degrees: float) -> pygame.Surface:
    """A card on its own white ground, turned by this many degrees."""

    def draw() -> pygame.Surface:
        name, _, turned = card.partition("@")
        flat = pygame.Surface(size, pygame.SRCALPHA)
        corner = round(size[0] * LOOK.radius["card"])
        thick = max(2, sheet.u(LOOK.line["edge"]))
        draw_rounded_rect(flat, sheet.art.sprites, Box(0, 0, *size), PAPER, INK, radius=corner, width=thick)
        face = sheet.art.printed_face(name, size) or sheet.art.card_face(name, size)
        face = pygame.transform.rotate(face, 180) if turned == "180" else face
        flat.blit(face, face.get_rect(center=flat.get_rect().center))
        return pygame.transform.rotozoom(flat, degrees, 1.0)

    return sheet.art.sprites.get_or_draw(("held", card, size, round(degrees, 1)), draw)
