"""Overlays that show earlier photo finishes or the last round again."""

from companion.ui.board.exhibits import paint_exhibit_picture
from companion.ui.board.photo_finish import paint_finish
from companion.ui.frame import GameFrame, RecapFrame
from companion.ui.layout import Box
from companion.ui.overlays.dialog import CLOSE_BUTTON, DialogButton, paint_buttons, paint_dialog
from companion.ui.toolkit.sheet import Sheet, touch_action
from companion.ui.toolkit.theme import SOFT, TEXT


def paint_finishes(sheet: Sheet, frame: GameFrame | RecapFrame) -> None:
    """Every finish of the game, one at a time, the newest first; `frame.scroll` says which."""
    body = paint_dialog(sheet, "ui.finish")
    if not frame.finishes:
        sheet.text(body, sheet.tr("ui.finish.none"), 1.2, SOFT, align="center")
        paint_buttons(sheet, CLOSE_BUTTON)
        return
    place = max(0, len(frame.finishes) - 1 - frame.ui_state.scroll)
    shown = frame.finishes[place]
    words = sheet.tr(
        "ui.finish.which", number=place + 1, count=len(frame.finishes), round=shown.round, stack=shown.stack
    )
    title = Box(body.x, body.y, body.w, sheet.em(1.8))
    sheet.text(title, words, 1.2, TEXT, bold=True)
    rest = Box(body.x, title.bottom, body.w, body.bottom - title.bottom)
    paint_finish(sheet, rest, shown, frame, frame.view.game)
    scroll = len(frame.finishes) - 1 - place
    earlier = touch_action(scroll=scroll + 1) if place else None
    later = touch_action(scroll=scroll - 1) if scroll else None
    paint_buttons(
        sheet,
        DialogButton("ui.why.earlier", "earlier", earlier),
        DialogButton("ui.why.later", "later", later),
        CLOSE_BUTTON,
    )


def paint_last_round(sheet: Sheet, frame: RecapFrame) -> None:
    """The last round once more, over the game's recap."""
    body = paint_dialog(sheet, "ui.round")
    assert frame.exhibit is not None
    paint_exhibit_picture(sheet, body, frame.exhibit, frame, "")
    paint_buttons(sheet, CLOSE_BUTTON)
