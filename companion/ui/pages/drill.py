"""Drill page: the masks to watch, on the felt, with everybody's reactions as a curve to beat."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, floor

from companion.core.actions import SECOND, Chair, Micros
from companion.core.exhibits import DrillResult
from companion.core.view import Sentence
from companion.ui.board.lesson_cards import FAN, draw_turned_card
from companion.ui.commands import LeaveOrQuit, Rematch
from companion.ui.frame import PageFrame
from companion.ui.layout import FILL, Box, Share, columns, rows, stack
from companion.ui.pages.base import Page, chair_button_action
from companion.ui.toolkit import inputs
from companion.ui.toolkit.sheet import EM_PER_U, Sheet, TouchAction, touch_action
from companion.ui.toolkit.theme import GOLD, INK, LOOK, NOTICE, PAPER, RAISED, SOFT, TEXT, type_scale
from companion.ui.toolkit.widgets import paint_avatar, paint_chip, paint_felt, paint_halo

DRILL = LOOK.drill
TICK: Micros = SECOND // 5
"""The curve's lines are so far apart."""


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
        elif frame.stage == "over":
            self._paint_chart(sheet, field, frame)
        else:
            split = rows if upright else columns
            masks, chart = split(field, Share(2), Share(3), gap=edge)
            self._paint_masks(sheet, masks, frame)
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

    def _paint_masks(self, sheet: Sheet, rect: Box, frame: DrillFrame) -> None:
        """The mask that is waited for, and large before it the one on top."""
        high = min(sheet.u(DRILL["mask"]), rect.h, round(rect.w / (FAN["shape"] * DRILL["spread"])))
        sizes = [(round(one * FAN["shape"]), one) for one in (round(high * DRILL["behind"]), high)]
        span = stack(rect, round(high * FAN["shape"] * DRILL["spread"]), rect.h)
        left, right = span.x + sizes[0][0] // 2, span.right - sizes[1][0] // 2
        for face, size, x, turn in zip(
            (frame.buried, frame.lying),
            sizes,
            (left, right),
            (DRILL["turn"], -DRILL["turn"] / 3),
            strict=True,
        ):
            if face:
                sheet.picture(draw_turned_card(sheet, face, size, turn), (x, rect.centery))

    def _paint_players(self, sheet: Sheet, rect: Box, frame: DrillFrame) -> None:
        above, foot = rows(rect, FILL, sheet.em(2))
        count = max(1, len(frame.trained))
        size = min(sheet.u(DRILL["avatar"]), above.w // count)
        for trained, cell in zip(
            frame.trained, columns(above, *[size] * len(frame.trained), justify="center"), strict=True
        ):
            paint_avatar(sheet, cell.center, size * 9 // 10, trained.chair, lit=True)
        sheet.text(foot, sheet.tr("ui.drill.kept"), 1.0, TEXT, align="center")

    def _paint_chart(self, sheet: Sheet, rect: Box, frame: DrillFrame) -> None:
        """The time to beat, the curves, and below them everybody's own figures."""
        many = len(frame.trained)
        across = min(many, 4) or 1
        row_high = max(sheet.em(1.5), sheet.min_touch_height)
        gap = sheet.em(0.3)
        foot_high = -(-many // across) * (row_high + gap)
        top, curves, foot = rows(rect, sheet.u(DRILL["time"]), FILL, foot_high, gap=gap)
        shown = fastest_now(frame) or best_result(frame.trained)
        if shown is not None:
            time = shown.reactions[-1] if fastest_now(frame) else min(shown.reactions)
            scale = DRILL["time"] / 100 * LOOK.text["smallest"] / LOOK.text["line"]
            sheet.text(top, f"{seconds(sheet, time)} s", scale, TEXT, bold=True, align="right", grows=False)
        self._paint_curves(sheet, curves, frame)
        cells = [
            cell
            for row in rows(foot, *[row_high] * -(-many // across), gap=gap)
            for cell in columns(row, *[Share(1)] * across, gap=gap)
        ]
        for trained, cell in zip(frame.trained, cells, strict=False):
            self._paint_figures(sheet, cell, trained)

    def _paint_figures(self, sheet: Sheet, rect: Box, trained: DrillResult) -> None:
        """One player's best time, and how often it was too early or missed; touching it is pressing."""
        sheet.box(
            rect, RAISED, GOLD if trained.last == "hit" else None, radius=EM_PER_U * LOOK.radius["button"]
        )
        sheet.target(f"chair:{trained.chair}", rect, _touch_press_action(trained.chair), walked=False)
        side = rect.h * 8 // 10
        sign, room = columns(rect.inflate(-sheet.em(0.3), 0), side, FILL, gap=sheet.em(0.2))
        paint_avatar(sheet, sign.center, side, trained.chair)
        best = f"{seconds(sheet, min(trained.reactions))} s" if trained.reactions else "–"
        time, room = columns(room, min(room.w, sheet.text_width(best, bold=True)), FILL, gap=sheet.em(0.4))
        sheet.text(time, best, 1.0, TEXT, bold=True, grows=False)
        slips = ((trained.early, "early"), (trained.misses, "missed"))
        told = ", ".join(f"{count} {sheet.tr(f'ui.drill.{name}')}" for count, name in slips if count)
        if told and not sheet.painter.fit_text(told, room.w, rect.h, 1.0).cut:
            sheet.text(room, told, 1.0, NOTICE if trained.early else SOFT, grows=False)

    def _paint_curves(self, sheet: Sheet, rect: Box, frame: DrillFrame) -> None:
        """Each player's reactions in the order they came, in their colour; a gold line is the best of all."""
        times = [time for one in frame.trained for time in one.reactions]
        if not times:
            return
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
        best = height(min(times))
        sheet.line(GOLD, 0.08, (field.x, best), (field.right, best))
        most = max(2, *(len(one.reactions) for one in frame.trained))
        for one in frame.trained:
            points = [
                (field.x + round(place / (most - 1) * field.w), height(time))
                for place, time in enumerate(one.reactions)
            ]
            self._paint_curve(sheet, points, one.chair)

    def _paint_curve(self, sheet: Sheet, points: Sequence[tuple[int, int]], chair: Chair) -> None:
        colour, radius = sheet.colour(chair), sheet.u(DRILL["point"])
        if len(points) > 1:
            sheet.line(INK, DRILL["ink"] * EM_PER_U, *points)
            sheet.line(colour, DRILL["line"] * EM_PER_U, *points)
        for point in points[:-1]:
            sheet.disc(point, radius, colour, PAPER)
        if points:
            paint_avatar(sheet, points[-1], 5 * radius, chair, lit=True)

    def _paint_bar(self, sheet: Sheet, rect: Box, frame: DrillFrame) -> None:
        leave, again = sheet.tr("ui.drill.leave"), sheet.tr("ui.drill.again")
        wide = [sheet.text_width(one, bold=True) + sheet.em(1.4) for one in (leave, again)]
        out, left, onto = columns(rect, wide[0], FILL, wide[1], gap=sheet.em(0.4))
        if frame.stage == "over":
            sheet.button(onto, again, "again", touch_action(Rematch()), fill=GOLD, bold=True)
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
