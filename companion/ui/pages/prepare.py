"""The page between sitting down and playing: what to do with the real cards, in pictures."""

import pygame
from msgspec.structs import replace

from companion.core.actions import SECOND, Chair, Micros
from companion.core.view import SetupPicture
from companion.ui.board.setup_pictures import Arrangement, arrange_setup, draw_arrangement
from companion.ui.board.stage_layout import layout_wide
from companion.ui.board.toolbar import draw_icon
from companion.ui.commands import ShowPage
from companion.ui.frame import HomeFrame
from companion.ui.layout import FILL, Box, Share, columns, rows, stack
from companion.ui.pages.base import Page, PageResources
from companion.ui.pages.home import find_chosen_offer, start_command
from companion.ui.toolkit.chair_tiles import in_screen_order
from companion.ui.toolkit.sheet import Sheet, TouchAction, touch_action
from companion.ui.toolkit.theme import (
    FELT,
    GOLD,
    GOOD,
    INK,
    LOOK,
    PAPER,
    SOFT,
    TEXT,
    blend,
    type_scale,
)
from companion.ui.toolkit.widgets import draw_press_sign, paint_felt, paint_signed_label

FRAME_TIME: Micros = 2 * SECOND // LOOK.motion["frames"]
MILLISECOND: Micros = SECOND // 1000
STEP = LOOK.prepare
FELT_TEXT = blend(FELT, TEXT, 0.86)


class PreparePage(Page[HomeFrame]):
    """A step is done by anybody's press, and all of them by a hold; the one of now moves."""

    exit_action = touch_action(ShowPage("home"))

    def __init__(self, screen: PageResources) -> None:
        super().__init__(screen)
        self._moving: tuple[object, Micros] = (None, 0)
        """The step that moves, and since when."""

    # What people do ---------------------------------------------------------------------------------------

    def find_default_focus(self, frame: HomeFrame) -> str:
        """To begin; for somebody who does not see the pictures, the step of now."""
        return f"step:{_step(frame)}" if frame.ui_state.aloud else "start"

    def chair_press_action(self, frame: HomeFrame, chair: Chair) -> TouchAction:
        return _next_action(frame) if chair in frame.ui_state.draft.chairs else TouchAction()

    def chair_hold_action(self, frame: HomeFrame, chair: Chair) -> TouchAction:
        return _start_action(frame) if chair in frame.ui_state.draft.chairs else TouchAction()

    # What moves -------------------------------------------------------------------------------------------

    def redraw_interval(self, frame: HomeFrame) -> Micros:
        return 0 if _is_still(frame) else FRAME_TIME

    def animate(self, surface: pygame.Surface, sheet: Sheet, frame: HomeFrame, now: Micros) -> None:
        """The step of now, again and again, with a rest between."""
        if "step" in sheet.moving:
            shown = _arrange(sheet, sheet.moving["step"], frame, _step(frame))
            draw_arrangement(sheet.on_screen(surface), shown, self._moment(frame, shown, now))

    def _moment(self, frame: HomeFrame, shown: Arrangement, now: Micros) -> int:
        """How far the motion is, in thousandths of a second; at its end for the time of the rest."""
        what = (_step(frame), frame.steps, frame.ui_state.draft.chairs)
        if self._moving[0] != what:
            self._moving = (what, now)
        since = (now - self._moving[1]) // MILLISECOND
        return min(since % (shown.duration + LOOK.motion["rest"]), shown.duration)

    def _drawing_key(self, frame: HomeFrame, now: Micros, size: tuple[int, int]) -> tuple[object, ...]:
        """While it rests nothing is drawn again."""
        sheet, moment = self.painted_sheet(frame), 0
        if "step" in sheet.moving:
            shown = _arrange(sheet, sheet.moving["step"], frame, _step(frame))
            moment = self._moment(frame, shown, now) * MILLISECOND // FRAME_TIME
        return (frame, size, moment)

    # Painting ---------------------------------------------------------------------------------------------

    def paint(self, sheet: Sheet, frame: HomeFrame) -> None:
        head, felt, bar = layout_wide(sheet.rect, sheet.painter.height / 100)
        name = sheet.tr(f"{frame.ui_state.draft.game}.name")
        title = sheet.tr("ui.prepare.title", game=name)
        sheet.text(head, title, type_scale("prompt"), TEXT, bold=True, align="center")
        room = felt.inflate(-2 * sheet.u(STEP["edge"]), -2 * sheet.u(STEP["top"]))
        sizes, gap = [Share(1)] * max(1, len(frame.steps)), sheet.u(STEP["gap"])
        apart, low = sheet.u(STEP["arrow"]) + 2 * gap, sheet.u(STEP["words"])
        upright = room.h > room.w
        if upright:
            parts = [rows(cell, FILL, low, gap=gap) for cell in rows(room, *sizes, gap=gap)]
        else:
            above, below = rows(room, FILL, low, gap=gap)
            pictures, told = columns(above, *sizes, gap=apart), columns(below, *sizes, gap=2 * gap)
            parts = list(zip(pictures, told, strict=True))
        paint_felt(sheet, felt, [parts[_step(frame)][0].center])
        for place, (field, words) in enumerate(parts):
            if place < len(frame.steps):
                self._paint_step(sheet, field, words, frame, place)
                onto = _next_action(frame) if place == _step(frame) else touch_action(scroll=place)
                sheet.target(f"step:{place}", words._replace(y=field.y, h=words.bottom - field.y), onto)
            if place and not upright:
                side = sheet.u(STEP["arrow"])
                middle = (field.x - apart // 2, field.centery)
                sheet.picture(draw_icon(sheet, "arrow", side, FELT_TEXT), middle)
        if frame.trouble is not None:
            sheet.paint_warning(room, sheet.sentence(frame.trouble))
        self._paint_bar(sheet, bar, frame)

    def _paint_step(self, sheet: Sheet, field: Box, words: Box, frame: HomeFrame, place: int) -> None:
        now = _step(frame)
        if place == now and not _is_still(frame):
            sheet.moving["step"] = field
        else:
            draw_arrangement(sheet, _arrange(sheet, field, frame, place))
        side = sheet.u(STEP["number"])
        disc, told = columns(words, side, FILL, gap=sheet.u(STEP["gap"]))
        fill = GOOD if place < now else GOLD if place == now else PAPER
        sheet.disc(disc.center, side // 2, fill)
        if place < now:
            sheet.picture(draw_icon(sheet, "check", side * 6 // 10, INK), disc.center)
        else:
            number = str(place + 1)
            sheet.text(disc, number, type_scale("said"), INK, bold=True, align="center", grows=False)
        said, colour = sheet.sentence(frame.steps[place][0]), TEXT if place == now else FELT_TEXT
        sheet.text(told, said, type_scale("said"), colour, bold=True)

    def _paint_bar(self, sheet: Sheet, bar: Box, frame: HomeFrame) -> None:
        """The way back, whose press is the next step, and the way on."""
        gap, side = sheet.em(0.4), sheet.em(1.0)
        back, start, done = (
            sheet.tr(key) for key in ("ui.button.back", "ui.prepare.start", "ui.prepare.next")
        )
        wide = [sheet.text_width(words, 1.1, bold=True) for words in (back, start, done)]
        left, free, right = columns(
            bar, wide[0] + 2 * side + 3 * gap, FILL, wide[1] + 2 * side + 3 * gap, gap=gap
        )
        sheet.button(right, "", "start", _start_action(frame), fill=GOLD)
        paint_signed_label(sheet, right, draw_press_sign(sheet, "hold", side, INK), start, INK)
        sheet.button(left, "", "back", self.exit_action)
        paint_signed_label(sheet, left, draw_icon(sheet, "undo", side, TEXT), back, TEXT)
        radius = bar.h * 4 // 10
        order = in_screen_order(frame.ui_state, frame.ui_state.draft.chairs)
        legend = 2 * gap + side + wide[2]
        avatars = len(order) * (2 * radius + gap // 2)
        if avatars + legend > free.w:
            avatars = 0
        spots = stack(free, min(free.w, avatars + legend), bar.h, "right")
        for place, chair in enumerate(order if avatars else ()):
            sheet.badge(
                (spots.x + radius + place * (2 * radius + gap // 2), bar.centery), radius * 8 // 10, chair
            )
        sign, words = columns(spots.inset(left=avatars), side, FILL, gap=gap)
        sheet.picture(draw_press_sign(sheet, "tap", side, SOFT), sign.center)
        sheet.text(words, done, 1.1, SOFT)


def _step(frame: HomeFrame) -> int:
    """The step of now."""
    return max(0, min(frame.ui_state.scroll, len(frame.steps) - 1))


def _is_still(frame: HomeFrame) -> bool:
    return frame.ui_state.calm or bool(frame.ui_state.overlay) or not frame.steps


def _start_action(frame: HomeFrame) -> TouchAction:
    start = start_command(frame)
    return touch_action(ShowPage("home")) if start is None else touch_action(start)


def _next_action(frame: HomeFrame) -> TouchAction:
    """The step of now is done: on to the next, and after the last to the game."""
    onto = _step(frame) + 1
    if onto >= len(frame.steps):
        return _start_action(frame)
    return replace(touch_action(scroll=onto), leads=f"step:{onto}")


def _arrange(sheet: Sheet, field: Box, frame: HomeFrame, place: int) -> Arrangement:
    """The picture of a step; of one that has none, cards of the game's deck."""
    picture = frame.steps[place][1]
    if picture == SetupPicture():
        offer = find_chosen_offer(frame)
        picture = SetupPicture(piles=() if offer is None else offer.cover.faces[:1])
    order = in_screen_order(frame.ui_state, frame.ui_state.draft.chairs or range(1))
    return arrange_setup(sheet, field, picture, order)
