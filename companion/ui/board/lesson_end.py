"""Draws the end of a lesson: what was done in it as pictures, and what may come next."""

from companion.core.view import Guidance
from companion.ui.board.lesson_cards import paint_answer_picture, paint_prompt_line, paint_tick
from companion.ui.board.stage_layout import layout_wide
from companion.ui.commands import ShowPage, StartLesson, StartPractice
from companion.ui.frame import GameFrame
from companion.ui.layout import FILL, Box, Share, columns, rows
from companion.ui.toolkit.sheet import Sheet, TouchAction, touch_action
from companion.ui.toolkit.theme import GOLD, LOOK, RAISED, TEXT, Colour
from companion.ui.toolkit.widgets import paint_avatar, paint_felt, paint_halo

END = LOOK.lesson_end


def paint_lesson_end(sheet: Sheet, frame: GameFrame, guide: Guidance) -> None:
    """The felt with what was learned on it, and below it, large, a first game against simulated people."""
    head, felt, bar = layout_wide(sheet.rect, sheet.u(100) / 100)
    felt, bar = rows(felt._replace(h=bar.bottom - felt.y), FILL, sheet.u(END["bar"]), gap=sheet.u(END["gap"]))
    paint_prompt_line(sheet, head, sheet.sentence(guide.say), guide.chair)
    paint_felt(sheet, felt, [felt.center])
    sheet.moving["confetti"] = sheet.rect._replace(h=felt.bottom)
    field = felt.inflate(-2 * sheet.u(END["edge"]), -2 * sheet.u(END["edge"]))
    if not guide.learned:
        paint_halo(sheet, field.center, min(field.size))
        paint_avatar(sheet, field.center, min(field.size) * 3 // 4, guide.chair, lit=True)
    split = columns if field.w > field.h else rows
    for cell, (words, pictures) in zip(
        split(field, *[Share(1)] * len(guide.learned), gap=sheet.u(END["gap"])), guide.learned, strict=True
    ):
        _paint_learned(sheet, cell, sheet.sentence(words), pictures)
    _paint_next(sheet, bar, frame, guide)


def _paint_learned(sheet: Sheet, cell: Box, words: str, pictures: tuple[str, ...]) -> None:
    """One thing that was done: its pictures side by side, what it is called, and a tick."""
    gap, count, side = sheet.em(0.3), len(pictures), sheet.u(END["tick"])
    upper, tick, lower = rows(cell, FILL, side, 2 * sheet.painter.line_height(END["named"]), gap=gap)
    wide = min(round(upper.h * LOOK.fan["shape"]), (upper.w - gap * (count + 1)) // count)
    spots = columns(upper, *[wide] * count, gap=gap, justify="center")
    for spot, picture in zip(spots, pictures, strict=True):
        paint_answer_picture(sheet, spot, picture)
    at = (tick.centerx, upper.centery + min(upper.h, round(wide / LOOK.fan["shape"])) // 2 + gap)
    paint_tick(sheet, at, side)
    sheet.text(lower, words, END["named"], TEXT, bold=True, align="center")


def _paint_next(sheet: Sheet, bar: Box, frame: GameFrame, guide: Guidance) -> None:
    """A first game first, then another lesson, and home."""
    view = frame.view
    first = StartPractice(view.game, "easy", players=len(view.chairs))
    offered: list[tuple[str, str, TouchAction, Colour]] = []
    if guide.practised:
        offered.append(("ui.lesson.first_game", "next", touch_action(first), GOLD))
    if guide.next_lesson:
        again = StartLesson(guide.next_lesson, (), (guide.chair,))
        fill = RAISED if offered else GOLD
        offered.append(("ui.lesson.following", "following", touch_action(again), fill))
    home = touch_action(ShowPage("home"))
    offered.append(("ui.home", "home", home, RAISED if offered else GOLD))
    shares = [Share(parts) for parts in (5, 4, 2)[: len(offered)]]
    split = columns if bar.w > bar.h * len(offered) * 2 else rows
    for place, (words, key, does, fill) in zip(split(bar, *shares, gap=sheet.em(0.5)), offered, strict=True):
        sheet.button(place, sheet.tr(words), key, does, fill=fill, bold=True, scale=END["said"])
