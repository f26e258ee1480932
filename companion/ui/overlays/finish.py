"""Photo finishes and the last round looked at again: at any time, as often as one likes."""

from __future__ import annotations

import pygame

from companion.core.exhibits import Exhibit, Finish
from companion.ui.exhibits import picture
from companion.ui.frame import Frame, GameFrame
from companion.ui.overlays.leaf import CLOSE, Foot, feet, leaf
from companion.ui.photo_finish import finish
from companion.ui.sheet import Sheet, deed
from companion.ui.theme import SOFT, TEXT


def finishes(sheet: Sheet, frame: GameFrame) -> None:
    """Those of a running game."""
    replayed(sheet, frame.finishes, frame, frame.view.game)


def replayed(sheet: Sheet, finishes: tuple[Finish, ...], frame: Frame, game: str) -> None:
    """Every finish of the game, one at a time, the newest first; `glass.scroll` says which."""
    body = leaf(sheet, "ui.finish")
    if not finishes:
        sheet.text(body, sheet.tr("ui.finish.none"), 1.2, SOFT, align="center")
        feet(sheet, CLOSE)
        return
    place = max(0, len(finishes) - 1 - frame.glass.scroll)
    shown = finishes[place]
    words = sheet.tr(
        "ui.finish.which", number=place + 1, count=len(finishes), round=shown.round, stack=shown.stack
    )
    title = pygame.Rect(body.x, body.y, body.w, sheet.em(1.8))
    sheet.text(title, words, 1.2, TEXT, bold=True)
    rest = pygame.Rect(body.x, title.bottom, body.w, body.bottom - title.bottom)
    finish(sheet, rest, shown, frame, game)
    scroll = len(finishes) - 1 - place
    earlier = deed(scroll=scroll + 1) if place else None
    later = deed(scroll=scroll - 1) if scroll else None
    feet(sheet, Foot("ui.why.earlier", "earlier", earlier), Foot("ui.why.later", "later", later), CLOSE)


def round_over(sheet: Sheet, shown: Exhibit, frame: Frame) -> None:
    """The last round once more, over the game's recap."""
    body = leaf(sheet, "ui.round")
    picture(sheet, body, shown, frame, "")
    feet(sheet, CLOSE)
