"""Draws the practising player's hand as a fan at the edge of the table."""

import pygame

from companion.core.view import Guidance
from companion.ui.board.bot_decks import chairs_and_decks
from companion.ui.board.guidance_panel import guide_action
from companion.ui.board.player_areas import paint_areas
from companion.ui.board.practice_panel import paint_comment_if_any, paint_hand_choices
from companion.ui.frame import GameFrame
from companion.ui.layout import Box
from companion.ui.toolkit.sheet import Sheet
from companion.ui.toolkit.sprites import draw_rounded_rect
from companion.ui.toolkit.theme import INK, LOOK, PAPER

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
