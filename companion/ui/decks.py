"""Decks that nobody holds: whose each is, how its aid lies, and what is done with it now."""

import pygame

from companion.core.view import BotView, ChairView, View
from companion.ui.frame import GameFrame
from companion.ui.glass import Glass
from companion.ui.panels import token_icons, tokens_row
from companion.ui.pictures import WIDE
from companion.ui.pile import bot_badge, colour_of, named, shortened
from companion.ui.sheet import Sheet
from companion.ui.sides import place_of
from companion.ui.theme import DARK, GOLD, SOFT, TEXT, mixed


def around_table(view: View, glass: Glass) -> tuple[ChairView | BotView, ...]:
    """Chairs and the decks that nobody holds, as they stand round the screen: a deck stands by its owner."""
    if len(view.bots) == len(view.chairs):
        pairs = zip(view.chairs, view.bots, strict=True)
        first, second = sorted(pairs, key=lambda pair: place_of(glass, pair[0].chair))
        return (first[1], first[0], second[0], second[1])
    return (*sorted(view.chairs, key=lambda one: place_of(glass, one.chair)), *view.bots)


def bot_panel(sheet: Sheet, rect: pygame.Rect, bot: BotView, frame: GameFrame) -> None:
    """Paint one deck; it has no button."""
    colour = colour_of(sheet, bot.owner)
    about = frame.say is not None and ("bot", -1 if bot.owner is None else bot.owner) in frame.say.parts
    sheet.box(rect, mixed(DARK, colour, 0.14), GOLD if bot.asked or about else mixed(DARK, colour, 0.6))
    inner = rect.inflate(-sheet.em(0.7), -sheet.em(0.3 if rect.h < sheet.em(4.5) else 0.5))
    line = sheet.painter.line(1.0)
    says = "" if bot.says is None else sheet.words.text(bot.says, frame.names)
    lines = len(sheet.painter.fit(says, inner.w, 9 * sheet.unit, 1.0).lines) * line
    tall = inner.h >= sheet.em(3.4) + lines + line
    head = pygame.Rect(inner.x, inner.y, inner.w, sheet.em(2.0) if tall else max(line, sheet.em(1.2)))
    rest = pygame.Rect(inner.x, head.bottom, inner.w, inner.bottom - head.bottom)
    if not tall and bot.aid:
        head = _aid(sheet, head, bot, words=False)
    if not tall:
        head.w = token_icons(sheet, head, bot, TEXT) - head.x
    _head(sheet, head, bot)
    if tall:
        low = pygame.Rect(rest.x, rest.y, rest.w, sheet.em(1.4))
        tokens_row(sheet, low, bot, TEXT)
        rest = pygame.Rect(rest.x, low.bottom, rest.w, rest.bottom - low.bottom)
        if bot.aid:
            height = min(sheet.em(2.6), rest.h - lines)
            _aid(sheet, pygame.Rect(rest.x, rest.y, rest.w, height), bot, words=True)
            rest = pygame.Rect(rest.x, rest.y + height, rest.w, rest.h - height)
    if not sheet.painter.fit(
        says, rest.w, rest.h, 1.0, bold=bot.asked
    ).cut:  # else the sentence on top says it
        sheet.text(rest, says, 1.0, GOLD if bot.asked else SOFT, bold=bot.asked)


def _head(sheet: Sheet, rect: pygame.Rect, bot: BotView) -> None:
    radius = min(rect.h * 52 // 100, sheet.em(1.0))
    bot_badge(sheet, (rect.x + radius, rect.centery), radius, bot.owner)
    words = pygame.Rect(rect.x + 2 * radius + sheet.em(0.3), rect.y, 0, rect.h)
    words.w = max(1, rect.right - words.x)
    name = named(sheet, bot.owner)
    if sheet.painter.font(1.0, bold=True).size(name)[0] > words.w:
        name = named(sheet, None)  # whose it is the badge says too
    sheet.text(words, shortened(sheet, name, words.w), 1.0, TEXT, bold=True)


def _aid(sheet: Sheet, rect: pygame.Rect, bot: BotView, *, words: bool) -> pygame.Rect:
    """The face of the aid, as it lies on the table; returns what is left of the row."""
    up = bot.aid == "up"
    side = min(rect.h - sheet.em(0.1), sheet.em(2.4))
    card = pygame.Rect(0, 0, round(side * WIDE), side)
    card.midleft = (rect.x, rect.centery) if words else (rect.right - card.w, rect.centery)
    sheet.surface.blit(sheet.art.card("aid:raise" if up else "aid:lower", card.size), card)
    if not words:
        return pygame.Rect(rect.x, rect.y, card.x - rect.x - sheet.em(0.15), rect.h)
    told = pygame.Rect(card.right + sheet.em(0.4), rect.y, rect.right - card.right - sheet.em(0.4), rect.h)
    face = sheet.tr(f"ui.bot.{bot.aid}")
    if not sheet.painter.fit(face, told.w, told.h, 1.15, bold=True).cut:  # the picture says it too
        sheet.text(told, face, 1.15, TEXT if up else SOFT, bold=True)
    return told
