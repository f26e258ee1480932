"""Overlay of what people may do at any time, which no button offers: for one person at a time."""

from companion.core.view import View
from companion.ui.commands import DeclareAction
from companion.ui.frame import GameFrame
from companion.ui.layout import FILL, Box, best_grid, columns, rows
from companion.ui.overlays.dialog import PRIMARY_CLOSE_BUTTON, paint_buttons, paint_dialog
from companion.ui.toolkit.sheet import Sheet, touch_action
from companion.ui.toolkit.theme import GOLD, PANEL, PAPER
from companion.ui.toolkit.widgets import paint_avatar


def paint_extras(sheet: Sheet, frame: GameFrame) -> None:
    """A row of people, and below what the marked one may do; the leaf stays as long as it says anything."""
    view = frame.view
    body = paint_dialog(sheet, "ui.extras")
    people = sorted(
        {choice.action.seat: chair_of(view, choice.action.seat) for choice in view.extras}.items()
    )
    about = _find_person(frame, [chair for _, chair in people])
    head, room = rows(body, sheet.em(4.0), FILL, gap=sheet.em(0.6))
    for cell, (_, chair) in zip(columns(head, *[FILL] * len(people), gap=sheet.em(0.3)), people, strict=True):
        _paint_person(sheet, cell, chair, chosen=chair == about)
    mine = [choice for choice in view.extras if chair_of(view, choice.action.seat) == about]
    for cell, choice in zip(best_grid(room, max(1, len(mine)), sheet.em(0.3), shape=3.0), mine, strict=False):
        does = touch_action(DeclareAction(choice.action), **({"overlay": ""} if len(mine) == 1 else {}))
        words, key = sheet.sentence(choice.label), f"extra:{choice.action}"
        sheet.button(cell, words, key, does, fill=PAPER, scale=1.8, bold=True)
    paint_buttons(sheet, PRIMARY_CLOSE_BUTTON)


def chair_of(view: View, seat: int) -> int:
    """Whose an action is."""
    return next(one.chair for one in view.chairs if one.seat == seat)


def _find_person(frame: GameFrame, chairs: list[int]) -> int:
    """Who was touched, else who is asked, else the first."""
    asked = [one.chair for one in frame.view.chairs if one.asked and one.chair in chairs]
    wanted = frame.ui_state.about
    return wanted if wanted in chairs else next(iter((*asked, *chairs)), -1)


def _paint_person(sheet: Sheet, cell: Box, chair: int, *, chosen: bool) -> None:
    sheet.box(cell, PAPER if chosen else PANEL, GOLD if chosen else None)
    paint_avatar(sheet, cell.center, min(cell.h, cell.w) * 9 // 10, chair, lit=chosen)
    sheet.target(f"person:{chair}", cell, touch_action(about=chair))
