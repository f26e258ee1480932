"""The recap: who won, what happened in numbers, and every ruling."""

from collections.abc import Mapping
from functools import partial

import pygame

from companion.core.exhibits import Moment
from companion.ui.commands import Rematch, Show
from companion.ui.frame import RecapFrame
from companion.ui.overlays.finish import finishes, round_over
from companion.ui.overlays.leaf import PRIMARY, Foot, arrows, feet, leaf, parted
from companion.ui.overlays.log import lines
from companion.ui.overlays.menu import uncover
from companion.ui.overlays.timeline import timeline
from companion.ui.overlays.why import why
from companion.ui.pages.base import Over, Page
from companion.ui.pages.scene import Scenes
from companion.ui.sheet import Sheet, deed
from companion.ui.theme import GOLD, SOFT, TEXT


class RecapPage(Page[RecapFrame]):
    """A finished game, looked back on: nothing is hidden any more, unless it was given up and stays shut."""

    usual = "rematch"

    way_out = deed(Show("home"))

    _scenes: Scenes | None = None

    def overlays(self, frame: RecapFrame) -> Mapping[str, Over[RecapFrame]]:
        return {
            **super().overlays(frame),
            "uncover": uncover,
            "timeline": lambda sheet, _: timeline(sheet, frame, partial(self._scene, frame)),
            "finish": finishes,
            "round": round_over,
            "why": why,
        }

    def paint(self, sheet: Sheet, frame: RecapFrame) -> None:
        body = leaf(sheet, "ui.recap")
        left, right = parted(sheet, body, 42, upright=45)
        self._winner(sheet, left, frame)
        first, last, room = lines(sheet, right, frame, frame.log, frame.glass.scroll)
        home, again = Foot("ui.home", "home", deed(Show("home"))), deed(Rematch())
        scroll = arrows(first, last, room) if last else ()
        more = [Foot("ui.finish", "finish", deed(overlay="finish"))] if frame.finishes else []
        more += [Foot("ui.round", "round", deed(overlay="round"))] if frame.exhibit is not None else []
        shut = frame.view.outcome is not None and not frame.view.outcome.is_open
        first_foot = "uncover" if shut else "timeline"
        more.insert(0, Foot(f"ui.{first_foot}", first_foot, deed(overlay=first_foot)))
        feet(sheet, *scroll, *more, Foot("ui.rematch", "rematch", again, PRIMARY), home)

    def _scene(self, frame: RecapFrame, moment: Moment, size: tuple[int, int]) -> pygame.Surface:
        """The table at that stop."""
        if self._scenes is None or self._scenes.size != size:
            self._scenes = Scenes(self.screen.words, size)
        return self._scenes.picture(moment.view, frame.glass.language, frame.names)

    def _winner(self, sheet: Sheet, rect: pygame.Rect, frame: RecapFrame) -> None:
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
