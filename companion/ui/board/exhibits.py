"""Draws what replaces the table for a while: a photo finish, a round that is over."""

import pygame

from companion.core.exhibits import Exhibit, PhotoFinish
from companion.core.view import ChairView
from companion.ui.board.panels import paint_panel
from companion.ui.board.photo_finish import paint_finish
from companion.ui.board.plate_choices import choice_text, say_action
from companion.ui.board.player_banner import BannerContent, banner_rect, paint_banner
from companion.ui.board.round_recap import paint_round_recap
from companion.ui.frame import GameFrame, PageFrame, is_window_open
from companion.ui.toolkit.sheet import MARK, Sheet
from companion.ui.toolkit.theme import EDGE, GOLD, INK, LOOK, PANEL, PAPER
from companion.ui.toolkit.widgets import draw_press_sign, paint_avatar


def paint_exhibit(sheet: Sheet, rect: pygame.Rect, frame: GameFrame) -> None:
    """Instead of the ring of chairs: the picture, and the panel of the player who is asked."""
    assert frame.exhibit is not None
    looks = frame.guide is not None and frame.guide.kind == "over"
    asked = [chair for chair in frame.view.chairs if chair.asked and not looks]
    gap = sheet.em(0.3)
    large = len(asked) == 1 and bool(asked[0].choices) and frame.guide is None and frame.demo is None
    foot = pygame.Rect(rect.x, 0, rect.w, sheet.em(3.9) if asked else 0)
    foot.bottom = rect.bottom
    if large:
        foot.y = _paint_answers(sheet, pygame.Rect(rect.x, rect.bottom + gap, rect.w, 0), asked[0], frame)
    body = pygame.Rect(rect.x, rect.y, rect.w, foot.y - rect.y - (gap if asked else 0))
    sheet.box(body, PANEL, EDGE)
    paint_exhibit_picture(
        sheet, body.inflate(-sheet.em(0.6), -sheet.em(0.4)), frame.exhibit, frame, frame.view.game
    )
    for place, chair in enumerate(asked if not large else ()):
        width = min((foot.w + gap) // len(asked) - gap, sheet.em(24))
        left = foot.centerx - (len(asked) * (width + gap) - gap) // 2
        paint_panel(sheet, pygame.Rect(left + place * (width + gap), foot.y, width, foot.h), chair, frame)


def shows_stop(frame: GameFrame) -> bool:
    """Whether a Stop is looked at that several called: the player who gets it is at the head of the page."""
    shown = frame.exhibit
    alone = frame.guide is None and frame.demo is None
    return (
        alone
        and isinstance(shown, PhotoFinish)
        and shown.winner is not None
        and not is_window_open(frame.view)
    )


def paint_stop(sheet: Sheet, area: pygame.Rect, bar: pygame.Rect, frame: GameFrame) -> None:
    """Who has the Stop and what to do, under it who pressed when, and as large buttons what that one may do.

    `bar`: the toolbar.
    """
    shown = frame.exhibit
    assert isinstance(shown, PhotoFinish)
    assert shown.winner is not None
    view, gap = frame.view, sheet.em(0.4)
    above = banner_rect(sheet, area, "stop" if area.w > area.h else "stop_upright")
    below = sheet.words.text(view.headline, frame.names)
    lies = tuple(place.card for place in view.places if place.marked and ":" in place.card)
    word = sheet.tr("ui.verdict.stop")
    paint_banner(
        sheet,
        above,
        BannerContent(chairs=(shown.winner,), title=word, subtitle=below, pictures=lies[:1], is_prompt=True),
    )
    asked = next((chair for chair in view.chairs if chair.asked), None)
    low = bar.y if asked is None else _paint_answers(sheet, bar, asked, frame)
    body = pygame.Rect(bar.x, above.bottom + gap, bar.w, low - gap - above.bottom - gap)
    sheet.box(body, PANEL, EDGE)
    paint_finish(sheet, body.inflate(-sheet.em(0.6), -sheet.em(0.4)), shown, frame, view.game)


def _paint_answers(sheet: Sheet, bar: pygame.Rect, asked: ChairView, frame: GameFrame) -> int:
    """What the one who is asked may press, side by side over `bar`; returns where they begin."""
    gap, high = sheet.em(0.4), max(sheet.u(LOOK.moment["answer"]), sheet.min_touch_height)
    size = high * 9 // 10
    row = pygame.Rect(bar.x, bar.y - gap - high, bar.w, high)
    paint_avatar(sheet, (row.x + size // 2, row.centery), size, asked.chair, lit=True)
    left = row.x + size + gap
    width = (row.right - left + gap) // len(asked.choices) - gap
    for choice in asked.choices:
        place = pygame.Rect(left, row.y, width, row.h)
        sheet.box(place, PAPER, GOLD, width=MARK)
        sheet.target(f"say:{choice.action}", place, say_action(choice))
        side, at = min(high // 2, sheet.em(1.5)), place.x + sheet.em(0.5)
        sheet.picture(draw_press_sign(sheet, choice.press, side, INK), (at + side // 2, place.centery))
        at += side + sheet.em(0.35)
        words = pygame.Rect(at, place.y, place.right - sheet.em(0.3) - at, place.h)
        sheet.text(words, choice_text(sheet, choice, frame), 1.8, INK, bold=True)
        left = place.right + gap
    return row.y


def paint_exhibit_picture(
    sheet: Sheet, rect: pygame.Rect, shown: Exhibit, frame: PageFrame, game: str
) -> None:
    """One exhibit."""
    if isinstance(shown, PhotoFinish):
        paint_finish(sheet, rect, shown, frame, game)
    else:
        paint_round_recap(sheet, rect, shown, frame)
