"""What lies on the felt before somebody: a stake, a card that was shown."""

import pygame
from msgspec.structs import replace

from companion.core.view import BotView, ChairView, Token
from companion.ui.depicted import draw
from companion.ui.frame import GameFrame
from companion.ui.middle import choosing
from companion.ui.ring import SLIM
from companion.ui.sheet import Sheet
from companion.ui.stage import Stage
from companion.ui.theme import INK, PAPER

WIDE = 2.3
"""What it takes of the middle on either side, in smallest letters."""


def lays(frame: GameFrame, at: Stage) -> bool:
    """Whether anything is there and the felt has room for it: where many answers stand, there is none."""
    return bool(at.docks) and not choosing(frame) and any(chair.laid for chair in frame.view.chairs)


def without(one: ChairView) -> ChairView:
    """What is left for the plate."""
    kinds = {token.kind for token in one.laid}
    return replace(one, tokens=tuple(token for token in one.tokens if token.kind not in kinds))


def laid(sheet: Sheet, at: Stage, stood: tuple[ChairView | BotView, ...]) -> pygame.Rect:
    """Paint it beside every avatar; returns what is left of the middle."""
    wide = sheet.em(WIDE)
    for plate, dock, one in zip(at.plates, at.docks, stood, strict=True):
        if isinstance(one, BotView) or not one.laid:
            continue
        left = plate.centerx < at.rim.centerx
        room = pygame.Rect(at.middle.x if left else at.middle.right - wide, 0, wide, plate.h)
        room.centery = dock[1]
        _before(sheet, room, one.laid)
    return at.middle.inflate(-2 * (wide + sheet.em(0.2)), 0)


def _before(sheet: Sheet, room: pygame.Rect, tokens: tuple[Token, ...]) -> None:
    """One under the other: a card as high as there is room for, everything else as a coin is."""
    gap, coin = sheet.em(0.1), sheet.em(1.5)
    heights = [room.h - (coin + gap) * (len(tokens) - 1) if ":" in one.motif else coin for one in tokens]
    heights = [min(high, round(room.w / SLIM)) for high in heights]
    top = room.centery - (sum(heights) + gap * (len(heights) - 1)) // 2
    for token, high in zip(tokens, heights, strict=True):
        spot = pygame.Rect(room.x, top, room.w, high)
        if ":" in token.motif:
            _card(sheet, spot, token)
        else:
            _coins(sheet, spot, token)
        top += high + gap


def _card(sheet: Sheet, spot: pygame.Rect, token: Token) -> None:
    """The card, and across its foot what it counts where that is more than stands on it."""
    width = min(spot.w, round(spot.h * SLIM))
    card = pygame.Rect(0, 0, width, spot.h)
    card.center = spot.center
    draw(sheet, card, (token.motif,))
    told = str(token.value)
    if token.value is None or told == token.motif.partition(":")[2]:
        return
    strip = pygame.Rect(spot.x, 0, spot.w, sheet.painter.line(1.0))
    strip.bottom = card.bottom
    sheet.box(strip, PAPER, INK, radius=0.2)
    sheet.text(strip, told, 1.0, INK, bold=True, align="center")


def _coins(sheet: Sheet, spot: pygame.Rect, token: Token) -> None:
    """This many, one over the other."""
    side = min(spot.h, spot.w)
    step = min(side // 3, (spot.w - side) // max(1, token.count - 1))
    left = spot.centerx - (step * (token.count - 1)) // 2
    for place in range(token.count):
        sheet.picture(sheet.art.motif(token.motif, side), (left + place * step, spot.centery))
