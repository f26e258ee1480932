"""Drill page: the masks to watch, on the felt, with everybody's reactions as a curve to beat."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, floor

import pygame

from companion.core.actions import SECOND, Chair, Micros
from companion.core.exhibits import DrillResult
from companion.core.view import Sentence
from companion.ui.board.lesson_cards import FAN, draw_turned_card
from companion.ui.commands import LeaveOrQuit, Rematch
from companion.ui.frame import PageFrame
from companion.ui.layout import FILL, Box, Share, around, best_grid, columns, grid, rows, stack
from companion.ui.pages.base import Page, chair_button_action
from companion.ui.toolkit import inputs
from companion.ui.toolkit.icons import Brush
from companion.ui.toolkit.sheet import EM_PER_U, Sheet, TouchAction, touch_action
from companion.ui.toolkit.sprites import draw_smooth
from companion.ui.toolkit.theme import GOLD, INK, LOOK, NOTICE, PAPER, RAISED, SOFT, TEXT, Colour, type_scale
from companion.ui.toolkit.widgets import (
    PlateState,
    paint_avatar,
    paint_chip,
    paint_felt,
    paint_halo,
    paint_plate,
)

DRILL = LOOK.drill
TICK: Micros = SECOND // 5
"""The curve's lines are so far apart."""
USUAL_TIMES = (2 * TICK, 5 * TICK)
"""Between these most people are: the lines before anybody pressed."""
LARGE = 1.4
"""Letters of a player's best time, where there is room, and of what one wants next."""
EXAMPLE = "mask:sun"
WATCH_TICKS = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class DrillFrame(PageFrame):
    """One moment of a drill."""

    stage: str
    """`gathering`, `running`, `over`."""
    trained: tuple[DrillResult, ...] = ()
    buried: str = ""
    """The face whose twin is waited for."""
    lying: str = ""
    """The face on top."""
    left: int = 0
    pressed: frozenset[Chair] = frozenset()


def fastest_now(frame: DrillFrame) -> DrillResult | None:
    """Who has just been faster than ever before, until the next mask that is no twin comes."""
    if frame.stage != "running" or frame.lying not in {"", frame.buried}:
        return None
    beaten = [
        one
        for one in frame.trained
        if one.last == "hit" and len(one.reactions) > 1 and one.reactions[-1] < min(one.reactions[:-1])
    ]
    return min(beaten, key=lambda one: one.reactions[-1], default=None)


class DrillPage(Page[DrillFrame]):
    """Everybody presses for themselves; nothing is kept."""

    def paint(self, sheet: Sheet, frame: DrillFrame) -> None:
        edge, upright = sheet.u(DRILL["edge"]), sheet.rect.h > sheet.rect.w
        head_top = sheet.u(LOOK.stage["head_top"])
        head_high = sheet.u(LOOK.stage["head_upright" if upright else "head_end"]) - head_top
        inner = sheet.rect.inset(left=edge, top=head_top, right=edge, bottom=edge)
        bar_high = max(sheet.u(DRILL["bar"]), sheet.min_touch_height)
        head, rim, bar = rows(inner, head_high, FILL, bar_high, gap=edge)
        self._paint_head(sheet, head, frame)
        paint_felt(sheet, rim)
        field = rim.inflate(-2 * sheet.u(DRILL["felt"]), -2 * sheet.u(DRILL["felt"]))
        if frame.stage == "gathering":
            self._paint_players(sheet, field, frame)
        else:
            many, gap = len(frame.trained), sheet.em(0.3)
            across, high = min(many, 4) or 1, max(sheet.em(2.5), sheet.min_touch_height)
            lines = -(-many // across)
            field, foot = rows(field, FILL, lines * (high + gap) - gap, gap=2 * gap)
            foot = foot.inset(left=edge, right=edge)
            cells = grid(foot, many, across, gap=gap)
            told = [self._slips(sheet, one) for one in frame.trained]
            widest = max((sheet.text_width(line) for lines in told for line in lines), default=0)
            need = sheet.text_width(f"{seconds(sheet, 0)} s", LARGE, bold=True) + widest + sheet.em(3)
            scale = LARGE if cells and need <= cells[0].w else 1.0
            for trained, cell in zip(frame.trained, cells, strict=True):
                self._paint_figures(sheet, cell, trained, scale)
            split = rows if upright else columns
            left, chart = split(field, Share(2), Share(3), gap=2 * edge)
            if frame.stage == "over":
                self._paint_watch(sheet, left, frame)
            else:
                self._paint_masks(sheet, left, (frame.buried, frame.lying))
            self._paint_chart(sheet, chart, frame)
        self._paint_bar(sheet, bar, frame)

    def text_key_action(self, frame: DrillFrame, key: inputs.KeyPressed) -> TouchAction | None:
        """While it runs, space and return press nothing by accident."""
        return TouchAction() if frame.stage == "running" and key.key in {"space", "return", "enter"} else None

    def _paint_head(self, sheet: Sheet, rect: Box, frame: DrillFrame) -> None:
        """What to do, or who was faster than ever."""
        fastest, chair = fastest_now(frame), None
        words = sheet.tr(f"ui.drill.{frame.stage}", count=frame.left)
        if fastest is not None:
            chair = fastest.chair
            words = sheet.sentence(Sentence("ui.drill.fastest", (("chair", chair),)))
        elif frame.stage == "over" and len(frame.trained) > 1 and (best := best_result(frame.trained)):
            chair = best.chair
            words = sheet.sentence(Sentence("ui.drill.best", (("chair", chair),)))
        size = 0 if chair is None else min(sheet.u(LOOK.avatar["prompt"]), rect.h)
        fitted = sheet.painter.fit_text(
            words, rect.w - 2 * size, rect.h * 9 // 10, type_scale("prompt"), bold=True
        )
        widest = max(sheet.text_width(one, fitted.scale, bold=True) for one in fitted.lines) + sheet.em(0.2)
        sign, title = columns(rect, size, min(widest, rect.w - size), gap=size // 4, justify="center")
        if chair is not None:
            paint_halo(sheet, sign.center, size * 4 // 3)
            paint_avatar(sheet, sign.center, size, chair, lit=True)
        sheet.text(title, words, fitted.scale, TEXT, bold=True, align="left" if size else "center")

    def _paint_masks(self, sheet: Sheet, rect: Box, faces: tuple[str, str]) -> None:
        """The mask that is waited for, and large before it the one on top."""
        high = min(sheet.u(DRILL["mask"]), rect.h, round(rect.w / (FAN["shape"] * DRILL["spread"])))
        sizes = [(round(one * FAN["shape"]), one) for one in (round(high * DRILL["behind"]), high)]
        span = stack(rect, round(high * FAN["shape"] * DRILL["spread"]), rect.h)
        left, right = span.x + sizes[0][0] // 2, span.right - sizes[1][0] // 2
        for face, size, x, turn in zip(
            faces,
            sizes,
            (left, right),
            (DRILL["turn"], -DRILL["turn"] / 3),
            strict=True,
        ):
            if face:
                sheet.picture(draw_turned_card(sheet, face, size, turn), (x, rect.centery))

    def _paint_players(self, sheet: Sheet, rect: Box, frame: DrillFrame) -> None:
        """Two masks that are the same, for that is what is waited for, and who takes part."""
        split = rows if rect.h > rect.w else columns
        masks, room = split(rect, Share(2), Share(3), gap=2 * sheet.u(DRILL["edge"]))
        self._paint_masks(sheet, masks, (EXAMPLE, EXAMPLE))
        above, foot = rows(room, FILL, sheet.em(2.4))
        for trained, cell in zip(
            frame.trained, best_grid(above, len(frame.trained), 0, shape=1), strict=True
        ):
            size = min(sheet.u(DRILL["avatar"]), min(cell.size) * 9 // 10)
            paint_halo(sheet, cell.center, size)
            paint_avatar(sheet, cell.center, size, trained.chair, lit=True)
        sheet.text(foot, sheet.tr("ui.drill.kept"), 1.2, TEXT, align="center")

    def _paint_watch(self, sheet: Sheet, rect: Box, frame: DrillFrame) -> None:
        """A watch that stands still at the best time of all, in the colour of whose it is."""
        best = best_result(frame.trained)
        side = min(rect.size)
        chair, time = (None, 0) if best is None else (best.chair, min(best.reactions))
        colour = RAISED if chair is None else sheet.colour(chair)
        turn = 360 * (time % SECOND) / SECOND

        def draw(large: pygame.Surface, _: float) -> None:
            brush = Brush(large)
            brush.rounded_box(SOFT, 44, 0, 12, 10, 3)
            brush.ellipse(SOFT, 50, 54, 91)
            brush.ellipse(INK, 50, 54, 85)
            for tick in range(WATCH_TICKS):
                angle = math.radians(360 * tick / WATCH_TICKS)
                x, y = math.sin(angle), -math.cos(angle)
                brush.line(SOFT, 1.2, (50 + 38 * x, 54 + 38 * y), (50 + 41 * x, 54 + 41 * y))
            brush.arc(colour, 7, (50, 54), 31, -90, turn - 90)

        sheet.picture(
            sheet.art.sprites.get_or_draw(
                ("watch", side, colour, time), lambda: draw_smooth((side, side), draw)
            ),
            rect.center,
        )
        if chair is None:
            return
        middle = (rect.centerx, rect.centery + side * 4 // 100)
        told = around(middle, side * 50 // 100, side * 26 // 100)
        words = f"{seconds(sheet, time)} s"
        sheet.text(told, words, told.h / sheet.unit * 0.7, TEXT, bold=True, align="center", grows=False)
        angle = math.radians(turn)
        spot = (middle[0] + side * 0.31 * math.sin(angle), middle[1] - side * 0.31 * math.cos(angle))
        paint_avatar(sheet, (round(spot[0]), round(spot[1])), side * 16 // 100, chair, lit=True)

    def _paint_chart(self, sheet: Sheet, rect: Box, frame: DrillFrame) -> None:
        """The time to beat, and the curves."""
        time_high = 0 if frame.stage == "over" else sheet.u(DRILL["time"])
        top, curves = rows(rect, time_high, FILL, gap=sheet.em(0.3))
        shown = None if frame.stage == "over" else fastest_now(frame) or best_result(frame.trained)
        if shown is not None:
            time = shown.reactions[-1] if fastest_now(frame) else min(shown.reactions)
            scale = DRILL["time"] / 100 * LOOK.text["smallest"] / LOOK.text["line"]
            sheet.text(top, f"{seconds(sheet, time)} s", scale, TEXT, bold=True, align="right", grows=False)
        self._paint_curves(sheet, curves, frame)

    def _slips(self, sheet: Sheet, trained: DrillResult) -> list[str]:
        """How often somebody was too early, and how often they missed one."""
        counted = ((trained.early, "early"), (trained.misses, "missed"))
        return [f"{count} {sheet.tr(f'ui.drill.{name}')}" for count, name in counted if count]

    def _paint_figures(self, sheet: Sheet, rect: Box, trained: DrillResult, scale: float) -> None:
        """One player's best time, and how often it was too early or missed; touching it is pressing."""
        state = PlateState.MAY if trained.last == "hit" else PlateState.WAIT
        paint_plate(sheet, rect, sheet.colour(trained.chair), state)
        sheet.target(f"chair:{trained.chair}", rect, _touch_press_action(trained.chair), walked=False)
        side = min(rect.h * 8 // 10, sheet.em(1.6))
        sign, room = columns(rect.inflate(-sheet.em(0.3), 0), side, FILL, gap=sheet.em(0.2))
        paint_avatar(sheet, sign.center, side, trained.chair)
        best = f"{seconds(sheet, min(trained.reactions))} s" if trained.reactions else "–"
        wide = min(room.w, sheet.text_width(best, scale, bold=True))
        time, room = columns(room, wide, FILL, gap=sheet.em(0.4))
        sheet.text(time, best, scale, TEXT, bold=True, grows=False)
        told = self._slips(sheet, trained)
        if all(sheet.text_width(line) <= room.w for line in told):
            sheet.text(room, "\n".join(told), 1.0, NOTICE if trained.early else SOFT, grows=False)

    def _paint_curves(self, sheet: Sheet, rect: Box, frame: DrillFrame) -> None:
        """Each player's reactions in the order they came, in their colour; a gold line is the best of all."""
        taken = [time for one in frame.trained for time in one.reactions]
        times = taken or USUAL_TIMES
        low, high = floor(min(times) / TICK) * TICK, ceil(max(times) / TICK) * TICK
        high = max(high, low + TICK)
        scale_wide = sheet.text_width(f"{seconds(sheet, high, 1)} s") + sheet.em(0.4)
        radius = sheet.u(DRILL["point"])
        marks, field = columns(rect, scale_wide, FILL)
        field = field.inset(left=2 * radius, right=3 * radius, top=2 * radius, bottom=2 * radius)

        def height(time: Micros) -> int:
            return field.y + round((high - time) / (high - low) * field.h)

        ticks = range(low, high + TICK, TICK)
        step = max(1, ceil(len(ticks) * sheet.line_height / max(1, field.h)))
        for tick in ticks[::step]:
            y = height(tick)
            mark = Box(marks.x, y - sheet.line_height // 2, marks.w, sheet.line_height)
            sheet.text(mark, f"{seconds(sheet, tick, 1)} s", 1.0, TEXT, grows=False)
            sheet.line(SOFT, 0.04, (field.x, y), (field.right, y))
        if not taken:
            return
        best = height(min(taken))
        sheet.line(GOLD, 0.08, (field.x, best), (field.right, best))
        most = max(2, *(len(one.reactions) for one in frame.trained))
        ends = dict[Chair, tuple[int, int]]()
        timed = [one for one in frame.trained if one.reactions]
        for one in sorted(timed, key=lambda one: min(one.reactions), reverse=True):
            points = [
                (field.x + round(place / (most - 1) * field.w), height(time))
                for place, time in enumerate(one.reactions)
            ]
            self._paint_curve(sheet, points, sheet.colour(one.chair))
            ends = {chair: end for chair, end in ends.items() if math.dist(end, points[-1]) > 4 * radius}
            ends[one.chair] = points[-1]
        for chair, end in ends.items():  # where several would lie on one another, the fastest
            paint_avatar(sheet, end, 5 * radius, chair, lit=True)

    def _paint_curve(self, sheet: Sheet, points: Sequence[tuple[int, int]], colour: Colour) -> None:
        if len(points) > 1:
            sheet.line(INK, DRILL["ink"] * EM_PER_U, *points)
            sheet.line(colour, DRILL["line"] * EM_PER_U, *points)
        for point in points:
            sheet.disc(point, sheet.u(DRILL["point"]), colour, PAPER)

    def _paint_bar(self, sheet: Sheet, rect: Box, frame: DrillFrame) -> None:
        leave, again, best = (
            sheet.tr("ui.drill.leave"),
            sheet.tr("ui.drill.again"),
            best_result(frame.trained),
        )
        if best is not None:
            again = sheet.tr("ui.drill.beat", time=seconds(sheet, min(best.reactions)))
        wide = [
            sheet.text_width(one, scale, bold=True) + sheet.em(1.4)
            for one, scale in ((leave, 1.0), (again, LARGE))
        ]
        out, left, onto = columns(rect, wide[0], FILL, wide[1], gap=sheet.em(0.4))
        if frame.stage == "over":
            sheet.button(onto, again, "again", touch_action(Rematch()), fill=GOLD, bold=True, scale=LARGE)
        sheet.button(out, leave, "leave", touch_action(LeaveOrQuit()), bold=True)
        if frame.stage == "running" and fastest_now(frame) is not None:
            words = sheet.tr("ui.drill.left", count=frame.left)
            if not sheet.painter.fit_text(words, left.w, left.h, 1.0).cut:
                paint_chip(sheet, left, words)


def best_result(trained: Sequence[DrillResult]) -> DrillResult | None:
    """Who was fastest of all."""
    timed = [one for one in trained if one.reactions]
    return min(timed, key=lambda one: min(one.reactions), default=None)


def seconds(sheet: Sheet, time: Micros, digits: int = 2) -> str:
    """A time in seconds, with the language's decimal mark."""
    return f"{time / SECOND:.{digits}f}".replace(".", sheet.tr("ui.decimal"))


def _touch_press_action(chair: Chair) -> TouchAction:
    press, lift = (chair_button_action(chair, down=down, source="touch") for down in (True, False))
    return TouchAction(press.commands, lifted=lift.commands)
