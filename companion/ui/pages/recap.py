"""Recap page of a finished game: winner, numbers, every ruling."""

from collections.abc import Mapping
from functools import partial

import pygame

from companion.core.exhibits import RecapMoment
from companion.ui.commands import Rematch, ShowPage
from companion.ui.frame import RecapFrame
from companion.ui.overlays.dialog import (
    PRIMARY_FILL,
    DialogButton,
    paint_buttons,
    paint_dialog,
    scroll_buttons,
    split_body,
)
from companion.ui.overlays.finish_replay import paint_finishes, paint_last_round
from companion.ui.overlays.menu import paint_reveal_dialog
from companion.ui.overlays.rule_explanation import paint_explanation
from companion.ui.overlays.ruling_log import paint_log_lines
from companion.ui.overlays.timeline import paint_timeline
from companion.ui.pages.base import OverlayPainter, Page
from companion.ui.pages.table_images import TableImages
from companion.ui.toolkit.sheet import Sheet, touch_action
from companion.ui.toolkit.theme import GOLD, SOFT, TEXT


class RecapPage(Page[RecapFrame]):
    """A finished game, looked back on: nothing is hidden any more, unless it was given up and stays shut."""

    default_focus = "rematch"

    exit_action = touch_action(ShowPage("home"))

    _scenes: TableImages | None = None

    def overlays(self, frame: RecapFrame) -> Mapping[str, OverlayPainter[RecapFrame]]:
        return {
            **super().overlays(frame),
            "uncover": paint_reveal_dialog,
            "timeline": lambda sheet, _: paint_timeline(sheet, frame, partial(self._draw_scene, frame)),
            "finish": paint_finishes,
            "round": paint_last_round,
            "why": paint_explanation,
        }

    def paint(self, sheet: Sheet, frame: RecapFrame) -> None:
        body = paint_dialog(sheet, "ui.recap")
        left, right = split_body(sheet, body, 42, upright=45)
        self._paint_winner(sheet, left, frame)
        first, last, room = paint_log_lines(sheet, right, frame, frame.log, frame.ui_state.scroll)
        home, again = DialogButton("ui.home", "home", touch_action(ShowPage("home"))), touch_action(Rematch())
        scroll = scroll_buttons(first, last, room) if last else ()
        more = [DialogButton("ui.finish", "finish", touch_action(overlay="finish"))] if frame.finishes else []
        more += (
            [DialogButton("ui.round", "round", touch_action(overlay="round"))]
            if frame.exhibit is not None
            else []
        )
        shut = frame.view.outcome is not None and not frame.view.outcome.is_open
        first_foot = "uncover" if shut else "timeline"
        more.insert(0, DialogButton(f"ui.{first_foot}", first_foot, touch_action(overlay=first_foot)))
        paint_buttons(sheet, *scroll, *more, DialogButton("ui.rematch", "rematch", again, PRIMARY_FILL), home)

    def _draw_scene(self, frame: RecapFrame, moment: RecapMoment, size: tuple[int, int]) -> pygame.Surface:
        """The table at that stop."""
        if self._scenes is None or self._scenes.size != size:
            self._scenes = TableImages(self.resources.words, size)
        return self._scenes.draw_table(moment.view, frame.ui_state.language, frame.names)

    def _paint_winner(self, sheet: Sheet, rect: pygame.Rect, frame: RecapFrame) -> None:
        outcome = frame.view.outcome
        winners = outcome.winners if outcome is not None else ()
        radius = sheet.em(1.7)
        for place, chair in enumerate(winners):
            centre = (rect.x + radius + place * sheet.em(4), rect.y + radius + sheet.em(1.2))
            sheet.badge(centre, radius, chair)
            sheet.picture(sheet.art.motif("crown", sheet.em(1.5)), (centre[0], rect.y + sheet.em(0.5)))
        left = rect.x + sheet.em(4.2) * max(1, len(winners)) if winners else rect.x
        words = pygame.Rect(left, rect.y + sheet.em(0.6), rect.right - left, sheet.em(4.4))
        sheet.text(words, sheet.words.text(frame.view.headline, frame.names), 1.6, TEXT, bold=True)
        top = rect.y + sheet.em(5.0)
        height = min((rect.bottom - top) // max(1, len(frame.numbers)), sheet.em(2.4))
        font = sheet.painter.font(1.3, bold=True)
        wide = max((font.size(str(value))[0] for _, value in frame.numbers), default=0)
        for place, (name, value) in enumerate(frame.numbers):
            row = pygame.Rect(rect.x, top + place * height, rect.w, height)
            figure = pygame.Rect(row.right - wide, row.y, wide, row.h)
            told = pygame.Rect(row.x, row.y, row.w - figure.w - sheet.em(0.3), row.h)
            sheet.text(told, sheet.tr(f"ui.recap.{name}"), 1.0, SOFT)
            sheet.text(figure, str(value), 1.3, GOLD, bold=True, align="right")
