"""Overlay of what people may do at any time, which no button offers: for one person at a time."""

from msgspec.structs import replace

from companion.core.view import ChairView, View
from companion.ui.board.panels import first_tokens, paint_token_icons, tokens_width
from companion.ui.commands import DeclareAction
from companion.ui.frame import GameFrame
from companion.ui.layout import FILL, Box, best_grid, columns, rows, stack
from companion.ui.overlays.dialog import PRIMARY_CLOSE_BUTTON, paint_buttons, paint_dialog
from companion.ui.toolkit.sheet import Sheet, TouchAction, touch_action
from companion.ui.toolkit.theme import GOLD, INK, PANEL, PAPER, TEXT
from companion.ui.toolkit.widgets import paint_avatar

DONE = touch_action(overlay="", typed="")


def paint_extras(sheet: Sheet, frame: GameFrame) -> None:
    """A row of people, and below what the marked one may do; the leaf stays as long as it says anything.

    What ends the game is said twice, and closes it.
    """
    view, ends = frame.view, frame.board.ending_verbs
    asks = frame.ui_state.typed in ends
    body = paint_dialog(sheet, "ui.extras.over" if asks else "ui.extras")
    people = sorted(
        {choice.action.seat: chair_of(view, choice.action.seat) for choice in view.extras}.items()
    )
    about = _find_person(frame, [chair for _, chair in people])
    head, room = rows(body, sheet.em(5.2), FILL, gap=sheet.em(0.6))
    stood = {one.chair: one for one in view.chairs}
    for cell, (_, chair) in zip(columns(head, *[FILL] * len(people), gap=sheet.em(0.3)), people, strict=True):
        _paint_person(sheet, cell, stood[chair], chosen=chair == about and not asks)
    mine = [choice for choice in view.extras if chair_of(view, choice.action.seat) == about]
    mine = [choice for choice in mine if choice.action.verb == frame.ui_state.typed] if asks else mine
    for cell, choice in zip(best_grid(room, max(1, len(mine)), sheet.em(0.3), shape=3.0), mine, strict=False):
        does = TouchAction((DeclareAction(choice.action),), DONE.changes if len(mine) == 1 else ())
        if choice.action.verb in ends and not asks:
            does = touch_action(typed=choice.action.verb)
        words, key = sheet.sentence(choice.label), f"extra:{choice.action}"
        sheet.button(cell, words, key, does, fill=PAPER, scale=1.8, bold=True)
    close = PRIMARY_CLOSE_BUTTON._replace(words="ui.menu.on" if asks else "ui.close")
    paint_buttons(sheet, close._replace(action=DONE))


def chair_of(view: View, seat: int) -> int:
    """Whose an action is."""
    return next(one.chair for one in view.chairs if one.seat == seat)


def _find_person(frame: GameFrame, chairs: list[int]) -> int:
    """Who was touched, else who is asked, else the first."""
    asked = [one.chair for one in frame.view.chairs if one.asked and one.chair in chairs]
    wanted = frame.ui_state.about
    return wanted if wanted in chairs else next(iter((*asked, *chairs)), -1)


def _paint_person(sheet: Sheet, cell: Box, one: ChairView, *, chosen: bool) -> None:
    """The avatar, and below it what that one has of points and lives."""
    sheet.box(cell, PAPER if chosen else PANEL, GOLD if chosen else None)
    had = first_tokens(
        sheet, replace(one, tokens=tuple(each for each in one.tokens if not each.said)), cell.w
    )
    face, told = rows(cell, FILL, sheet.em(1.4) if had.tokens else 0)
    paint_avatar(sheet, face.center, min(face.h, face.w) * 9 // 10, one.chair, lit=chosen)
    if had.tokens:
        row = stack(told, tokens_width(sheet, had.tokens), told.h)
        paint_token_icons(sheet, row, had, INK if chosen else TEXT)
    sheet.target(f"person:{one.chair}", cell, touch_action(about=one.chair, typed=""))
