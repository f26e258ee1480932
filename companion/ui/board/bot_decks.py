"""Draws the panels of BOT decks, which no player holds."""

from companion.core.view import BotView, ChairView, View
from companion.ui.board.bot_badge import deck_colour, deck_name, paint_bot_badge, shorten_name
from companion.ui.board.panels import paint_token_icons, paint_tokens_row
from companion.ui.frame import GameFrame, UiState
from companion.ui.layout import Box, stack
from companion.ui.toolkit.chair_tiles import screen_position
from companion.ui.toolkit.picture_cache import WIDE
from companion.ui.toolkit.sheet import Sheet
from companion.ui.toolkit.theme import DARK, GOLD, SOFT, TEXT, blend


def chairs_and_decks(view: View, ui_state: UiState) -> tuple[ChairView | BotView, ...]:
    """Chairs and the decks that nobody holds, as they stand round the screen: a deck stands by its owner."""
    if len(view.bots) == len(view.chairs):
        pairs = zip(view.chairs, view.bots, strict=True)
        first, second = sorted(pairs, key=lambda pair: screen_position(ui_state, pair[0].chair))
        return (first[1], first[0], second[0], second[1])
    return (*sorted(view.chairs, key=lambda one: screen_position(ui_state, one.chair)), *view.bots)


def paint_bot_panel(sheet: Sheet, rect: Box, bot: BotView, frame: GameFrame) -> None:
    """Paint one deck; it has no button."""
    colour = deck_colour(sheet, bot.owner)
    about = frame.say is not None and ("bot", -1 if bot.owner is None else bot.owner) in frame.say.parts
    sheet.box(rect, blend(DARK, colour, 0.14), GOLD if bot.asked or about else blend(DARK, colour, 0.6))
    inner = rect.inflate(-sheet.em(0.7), -sheet.em(0.3 if rect.h < sheet.em(4.5) else 0.5))
    line = sheet.line_height
    says = "" if bot.says is None else sheet.sentence(bot.says)
    lines = len(sheet.painter.fit_text(says, inner.w, 9 * sheet.unit, 1.0).lines) * line
    tall = inner.h >= sheet.em(3.4) + lines + line
    head = Box(inner.x, inner.y, inner.w, sheet.em(2.0) if tall else max(line, sheet.em(1.2)))
    rest = Box(inner.x, head.bottom, inner.w, inner.bottom - head.bottom)
    if not tall and bot.aid:
        head = _paint_aid(sheet, head, bot, words=False)
    if not tall:
        head = head._replace(w=paint_token_icons(sheet, head, bot, TEXT) - head.x)
    _paint_head(sheet, head, bot)
    if tall:
        low = Box(rest.x, rest.y, rest.w, sheet.em(1.4))
        paint_tokens_row(sheet, low, bot, TEXT)
        rest = Box(rest.x, low.bottom, rest.w, rest.bottom - low.bottom)
        if bot.aid:
            height = min(sheet.em(2.6), rest.h - lines)
            _paint_aid(sheet, Box(rest.x, rest.y, rest.w, height), bot, words=True)
            rest = Box(rest.x, rest.y + height, rest.w, rest.h - height)
    if not sheet.painter.fit_text(
        says, rest.w, rest.h, 1.0, bold=bot.asked
    ).cut:  # else the sentence on top says it
        sheet.text(rest, says, 1.0, GOLD if bot.asked else SOFT, bold=bot.asked)


def _paint_head(sheet: Sheet, rect: Box, bot: BotView) -> None:
    radius = min(rect.h * 52 // 100, sheet.em(1.0))
    paint_bot_badge(sheet, (rect.x + radius, rect.centery), radius, bot.owner)
    words = Box(rect.x + 2 * radius + sheet.em(0.3), rect.y, 0, rect.h)
    words = words._replace(w=max(1, rect.right - words.x))
    name = deck_name(sheet, bot.owner)
    if sheet.text_width(name, bold=True) > words.w:
        name = deck_name(sheet, None)  # whose it is the badge says too
    sheet.text(words, shorten_name(sheet, name, words.w), 1.0, TEXT, bold=True)


def _paint_aid(sheet: Sheet, rect: Box, bot: BotView, *, words: bool) -> Box:
    """The face of the aid, as it lies on the table; returns what is left of the row."""
    up = bot.aid == "up"
    side = min(rect.h - sheet.em(0.1), sheet.em(2.4))
    card = stack(rect, round(side * WIDE), side, "left" if words else "right")
    sheet.surface.blit(sheet.art.card_face("aid:raise" if up else "aid:lower", card.size), card)
    if not words:
        return Box(rect.x, rect.y, card.x - rect.x - sheet.em(0.15), rect.h)
    told = Box(card.right + sheet.em(0.4), rect.y, rect.right - card.right - sheet.em(0.4), rect.h)
    face = sheet.tr(f"ui.bot.{bot.aid}")
    if not sheet.painter.fit_text(face, told.w, told.h, 1.15, bold=True).cut:  # the picture says it too
        sheet.text(told, face, 1.15, TEXT if up else SOFT, bold=True)
    return told
