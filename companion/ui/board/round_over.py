"""Draws the end of a round of practice: who won it and why, how all stand, and that a press goes on."""

import dataclasses

from msgspec.structs import replace

from companion.core.actions import Chair
from companion.core.view import Guidance
from companion.ui.board.full_screen import paint_standings
from companion.ui.board.game_table import ToolbarPainter, paint_table
from companion.ui.board.lesson_cards import guide_action
from companion.ui.board.player_banner import BannerContent, paint_banner
from companion.ui.frame import GameFrame
from companion.ui.layout import FILL, Box, columns, rows
from companion.ui.toolkit.sheet import Sheet
from companion.ui.toolkit.theme import GOLD, GROUND, LOOK, SOFT

BANNER = 0.52
"""Of the height of the screen."""


def paint_round_over(sheet: Sheet, area: Box, frame: GameFrame, guide: Guidance, bar: ToolbarPainter) -> None:
    """Paint it; a touch anywhere goes on. `bar`: the toolbar, where a game has a page of its own."""
    sheet.target("guide:next", area, guide_action("next"))
    if frame.exhibit is not None:
        _paint_exhibit(sheet, area, frame, guide, bar)
        return
    above, foot = rows(area, round(area.h * BANNER), FILL)
    title, lines = sheet.sentence(guide.title), [sheet.sentence(said) for said in guide.results]
    first = _first(guide)
    if guide.results and guide.results[-1] == guide.title:
        if first is None or guide.title.event not in frame.board.full_screen_words:
            lines = []  # nobody won it
        elif first == guide.chair:
            title = sheet.tr("ui.verdict.round")
        else:
            title = sheet.tr("ui.practice.round", chair=sheet.name(first))
    content = BannerContent(
        chairs=() if first is None else (first,),
        title=title,
        subtitle=" ".join(lines),
        pictures=frame.view.decided,
    )
    paint_banner(sheet, above, content)
    sheet.moving.pop("flood", None)
    sheet.fill(foot, GROUND)
    edge = sheet.em(0.5)
    high = max(sheet.u(LOOK.stage["bar_end"] - LOOK.stage["bar_top"]), sheet.min_touch_height)
    stand, low = rows(foot.inset(left=edge, top=edge, right=edge, bottom=edge), FILL, high, gap=edge)
    paint_standings(sheet, stand, frame)
    _paint_go_on(sheet, low, guide)


def _first(guide: Guidance) -> Chair | None:
    """Who is told of first."""
    told = (dict(said.parts).get("chair") for said in (*guide.results, guide.title))
    return next((chair for chair in told if isinstance(chair, int)), None)


def _paint_exhibit(sheet: Sheet, area: Box, frame: GameFrame, guide: Guidance, bar: ToolbarPainter) -> None:
    """The game's own page of the round, under how it ended."""

    def low(sheet: Sheet, rect: Box, frame: GameFrame) -> Box:
        left = bar(sheet, rect, frame)
        _paint_go_on(sheet, left, guide)
        return left._replace(w=1)

    chairs = tuple(replace(one, asked=False, choices=()) for one in frame.view.chairs)
    view = replace(frame.view, headline=guide.title, hint=None, chairs=chairs, shared=())
    paint_table(sheet, area, dataclasses.replace(frame, view=view, say=None, guide=None), low)


def _paint_go_on(sheet: Sheet, bar: Box, guide: Guidance) -> None:
    """The one button, at the end of the row, and beside it that any press does it, if there is room."""
    words = sheet.tr("ui.lesson.next")
    left, button = columns(
        bar, FILL, sheet.text_width(words, 1.2, bold=True) + sheet.em(1.6), gap=sheet.em(0.5)
    )
    sheet.button(button, words, "guide:next:button", guide_action("next"), fill=GOLD, scale=1.2, bold=True)
    told = sheet.sentence(guide.say)
    if sheet.text_width(told) <= left.w:
        sheet.text(left, told, 1.0, SOFT, align="right")
