"""Photo finishes and the last round looked at again: at any time, as often as one likes."""

import pygame

from companion.ui.exhibits import picture
from companion.ui.frame import GameFrame, RecapFrame
from companion.ui.overlays.leaf import CLOSE, Foot, feet, leaf
from companion.ui.photo_finish import finish
from companion.ui.sheet import Sheet, deed
from companion.ui.theme import SOFT, TEXT


def finishes(sheet: Sheet, frame: GameFrame | RecapFrame) -> None:
    """Every finish of the game, one at a time, the newest first; `glass.scroll` says which."""
    body = leaf(sheet, "ui.finish")
    if not frame.finishes:
        sheet.text(body, sheet.tr("ui.finish.none"), 1.2, SOFT, align="center")
        feet(sheet, CLOSE)
        return
    place = max(0, len(frame.finishes) - 1 - frame.glass.scroll)
    shown = frame.finishes[place]
    words = sheet.tr(
        "ui.finish.which", number=place + 1, count=len(frame.finishes), round=shown.round, stack=shown.stack
    )
    title = pygame.Rect(body.x, body.y, body.w, sheet.em(1.8))
    sheet.text(title, words, 1.2, TEXT, bold=True)
    rest = pygame.Rect(body.x, title.bottom, body.w, body.bottom - title.bottom)
    finish(sheet, rest, shown, frame, frame.view.game)
    scroll = len(frame.finishes) - 1 - place
    earlier = deed(scroll=scroll + 1) if place else None
    later = deed(scroll=scroll - 1) if scroll else None
    feet(sheet, Foot("ui.why.earlier", "earlier", earlier), Foot("ui.why.later", "later", later), CLOSE)


def round_over(sheet: Sheet, frame: RecapFrame) -> None:
    """The last round once more, over the game's recap."""
    body = leaf(sheet, "ui.round")
    assert frame.exhibit is not None
    picture(sheet, body, frame.exhibit, frame, "")
    feet(sheet, CLOSE)
