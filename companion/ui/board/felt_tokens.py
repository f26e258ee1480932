"""Draws what lies on the felt before a player, such as a stake or a shown card."""

import pygame
from msgspec.structs import replace

from companion.core.view import BotView, ChairView, Token
from companion.ui.board.place_layout import CARD_ASPECT
from companion.ui.board.sentence_pictures import paint_pictures
from companion.ui.board.table_centre import has_large_choices
from companion.ui.frame import GameFrame
from companion.ui.toolkit.sheet import Sheet
from companion.ui.toolkit.stage_layout import StageLayout
from companion.ui.toolkit.theme import INK, PAPER

WIDE = 2.3
"""What it takes of the middle on either side, in smallest letters."""


def shows_felt_tokens(frame: GameFrame, at: StageLayout) -> bool:
    """Whether anything is there and the felt has room for it: where many answers stand, there is none."""
    return bool(at.docks) and not has_large_choices(frame) and any(chair.laid for chair in frame.view.chairs)


def without_felt_tokens(one: ChairView) -> ChairView:
    """What is left for the plate."""
    kinds = {token.kind for token in one.laid}
    return replace(one, tokens=tuple(token for token in one.tokens if token.kind not in kinds))


def paint_felt_tokens(sheet: Sheet, at: StageLayout, stood: tuple[ChairView | BotView, ...]) -> pygame.Rect:
    """Paint it beside every avatar; returns what is left of the middle."""
    wide = sheet.em(WIDE)
    for plate, dock, one in zip(at.plates, at.docks, stood, strict=True):
        if isinstance(one, BotView) or not one.laid:
            continue
        left = plate.centerx < at.rim.centerx
        room = pygame.Rect(at.middle.x if left else at.middle.right - wide, 0, wide, plate.h)
        room.centery = dock[1]
        _paint_tokens(sheet, room, one.laid)
    return at.middle.inflate(-2 * (wide + sheet.em(0.2)), 0)


def _paint_tokens(sheet: Sheet, room: pygame.Rect, tokens: tuple[Token, ...]) -> None:
    """One under the other: a card as high as there is room for, everything else as a coin is."""
    gap, coin = sheet.em(0.1), sheet.em(1.5)
    heights = [room.h - (coin + gap) * (len(tokens) - 1) if ":" in one.motif else coin for one in tokens]
    heights = [min(high, round(room.w / CARD_ASPECT)) for high in heights]
    top = room.centery - (sum(heights) + gap * (len(heights) - 1)) // 2
    for token, high in zip(tokens, heights, strict=True):
        spot = pygame.Rect(room.x, top, room.w, high)
        if ":" in token.motif:
            _paint_card(sheet, spot, token)
        else:
            _paint_coins(sheet, spot, token)
        top += high + gap


def _paint_card(sheet: Sheet, spot: pygame.Rect, token: Token) -> None:
    """The card, and across its foot what it counts where that is more than stands on it."""
    width = min(spot.w, round(spot.h * CARD_ASPECT))
    card = pygame.Rect(0, 0, width, spot.h)
    card.center = spot.center
    paint_pictures(sheet, card, (token.motif,))
    told = str(token.value)
    if token.value is None or told == token.motif.partition(":")[2]:
        return
    strip = pygame.Rect(spot.x, 0, spot.w, sheet.painter.line_height(1.0))
    strip.bottom = card.bottom
    sheet.box(strip, PAPER, INK, radius=0.2)
    sheet.text(strip, told, 1.0, INK, bold=True, align="center")


def _paint_coins(sheet: Sheet, spot: pygame.Rect, token: Token) -> None:
    """This many, one over the other."""
    side = min(spot.h, spot.w)
    step = min(side // 3, (spot.w - side) // max(1, token.count - 1))
    left = spot.centerx - (step * (token.count - 1)) // 2
    for place in range(token.count):
        sheet.picture(sheet.art.motif(token.motif, side), (left + place * step, spot.centery))
