"""What is looked at instead of the table: a photo finish, a round that is over; below it who is asked now."""

import pygame

from companion.core.exhibits import Exhibit, Finish
from companion.core.view import ChairView
from companion.ui.answers import label, say
from companion.ui.flood import FloodContent, flood, flooded
from companion.ui.frame import Frame, GameFrame, window_open
from companion.ui.kit import avatar, sign
from companion.ui.panels import panel
from companion.ui.photo_finish import finish
from companion.ui.rounds import rounds
from companion.ui.sheet import MARK, Sheet
from companion.ui.theme import EDGE, GOLD, INK, LOOK, PANEL, PAPER


def exhibit(sheet: Sheet, rect: pygame.Rect, frame: GameFrame) -> None:
    """Instead of the ring of chairs: the picture, and the panel of the player who is asked."""
    assert frame.exhibit is not None
    looks = frame.guide is not None and frame.guide.kind == "over"
    asked = [chair for chair in frame.view.chairs if chair.asked and not looks]
    gap = sheet.em(0.3)
    large = len(asked) == 1 and bool(asked[0].choices) and frame.guide is None and frame.demo is None
    foot = pygame.Rect(rect.x, 0, rect.w, sheet.em(3.9) if asked else 0)
    foot.bottom = rect.bottom
    if large:
        foot.y = _answers(sheet, pygame.Rect(rect.x, rect.bottom + gap, rect.w, 0), asked[0], frame)
    body = pygame.Rect(rect.x, rect.y, rect.w, foot.y - rect.y - (gap if asked else 0))
    sheet.box(body, PANEL, EDGE)
    picture(sheet, body.inflate(-sheet.em(0.6), -sheet.em(0.4)), frame.exhibit, frame, frame.view.game)
    for place, chair in enumerate(asked if not large else ()):
        width = min((foot.w + gap) // len(asked) - gap, sheet.em(24))
        left = foot.centerx - (len(asked) * (width + gap) - gap) // 2
        panel(sheet, pygame.Rect(left + place * (width + gap), foot.y, width, foot.h), chair, frame)


def shows_stop(frame: GameFrame) -> bool:
    """Whether a Stop is looked at that several called: the player who gets it is at the head of the page."""
    shown = frame.exhibit
    alone = frame.guide is None and frame.demo is None
    return alone and isinstance(shown, Finish) and shown.winner is not None and not window_open(frame.view)


def stop(sheet: Sheet, area: pygame.Rect, bar: pygame.Rect, frame: GameFrame) -> None:
    """Who has the Stop and what to do, under it who pressed when, and as large buttons what that one may do.

    `bar`: the toolbar.
    """
    shown = frame.exhibit
    assert isinstance(shown, Finish)
    assert shown.winner is not None
    view, gap = frame.view, sheet.em(0.4)
    above = flooded(sheet, area, "stop" if area.w > area.h else "stop_upright")
    below = sheet.words.text(view.headline, frame.names)
    lies = tuple(place.card for place in view.places if place.marked and ":" in place.card)
    word = sheet.tr("ui.verdict.stop")
    flood(
        sheet,
        above,
        FloodContent(chairs=(shown.winner,), word=word, below=below, pictures=lies[:1], asks=True),
    )
    asked = next((chair for chair in view.chairs if chair.asked), None)
    low = bar.y if asked is None else _answers(sheet, bar, asked, frame)
    body = pygame.Rect(bar.x, above.bottom + gap, bar.w, low - gap - above.bottom - gap)
    sheet.box(body, PANEL, EDGE)
    finish(sheet, body.inflate(-sheet.em(0.6), -sheet.em(0.4)), shown, frame, view.game)


def _answers(sheet: Sheet, bar: pygame.Rect, asked: ChairView, frame: GameFrame) -> int:
    """What the one who is asked may press, side by side over `bar`; returns where they begin."""
    gap, high = sheet.em(0.4), max(sheet.u(LOOK.moment["answer"]), sheet.finger)
    size = high * 9 // 10
    row = pygame.Rect(bar.x, bar.y - gap - high, bar.w, high)
    avatar(sheet, (row.x + size // 2, row.centery), size, asked.chair, lit=True)
    left = row.x + size + gap
    width = (row.right - left + gap) // len(asked.choices) - gap
    for choice in asked.choices:
        place = pygame.Rect(left, row.y, width, row.h)
        sheet.box(place, PAPER, GOLD, width=MARK)
        sheet.target(f"say:{choice.action}", place, say(choice))
        side, at = min(high // 2, sheet.em(1.5)), place.x + sheet.em(0.5)
        sheet.picture(sign(sheet, choice.press, side, INK), (at + side // 2, place.centery))
        at += side + sheet.em(0.35)
        words = pygame.Rect(at, place.y, place.right - sheet.em(0.3) - at, place.h)
        sheet.text(words, label(sheet, choice, frame), 1.8, INK, bold=True)
        left = place.right + gap
    return row.y


def picture(sheet: Sheet, rect: pygame.Rect, shown: Exhibit, frame: Frame, game: str) -> None:
    """One exhibit."""
    if isinstance(shown, Finish):
        finish(sheet, rect, shown, frame, game)
    else:
        rounds(sheet, rect, shown, frame)
