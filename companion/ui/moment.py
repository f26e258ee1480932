"""A verdict as a moment: the player's colour over the table, two words, what it is about, what now."""

from __future__ import annotations

import pygame

from companion.core.actions import Micros
from companion.core.exhibits import Finish
from companion.core.view import ChairView, Sentence
from companion.ui.depicted import depicted
from companion.ui.flood import Told, flood, flooded
from companion.ui.frame import GameFrame, window_open
from companion.ui.kit import avatar
from companion.ui.sheet import Sheet, deed
from companion.ui.theme import BUTTON_EDGE, GROUND, LOOK, SOFT, TEXT


def shows_moment(frame: GameFrame) -> bool:
    """Whether there is one now: anything more urgent, or somebody's OK, puts it away.

    Where several pressed, the finish that tells of it is the moment.
    """
    view = frame.view
    if (
        frame.ruled is None
        or frame.glass.seen >= frame.ruled[1]
        or frame.glass.overlay
        or frame.guide is not None
        or isinstance(frame.exhibit, Finish)
    ):
        return False
    return not (view.dark or view.paused or view.outcome is not None or window_open(view))


def moment(sheet: Sheet, area: pygame.Rect, frame: GameFrame) -> None:
    """Paint it over everything."""
    assert frame.ruled is not None
    said, at = frame.ruled
    chair = dict(said.parts)["chair"]
    assert isinstance(chair, int)
    above = flooded(sheet, area)
    sheet.target("moment:ok", area, deed(seen=at))
    word = sheet.tr(f"ui.verdict.{frame.board.moments[said.event]}")
    below = sheet.words.text(said, frame.names)
    told = Told(chairs=(chair,), word=word, below=below, pictures=_pictures(frame, said))
    flood(sheet, above, told)
    _now(sheet, pygame.Rect(area.x, above.bottom, area.w, area.bottom - above.bottom), frame, at)


def _pictures(frame: GameFrame, said: Sentence) -> tuple[str, ...]:
    """What it is about: as the board says, else the cards that decided it, else what is pointed at."""
    lies = (place.card for place in frame.view.places if place.marked and ":" in place.card)
    return tuple(dict.fromkeys(depicted(frame.board, said))) or frame.view.decided or tuple(lies)[:1]


def _now(sheet: Sheet, foot: pygame.Rect, frame: GameFrame, at: Micros) -> None:
    """What comes next, and the two things that can be touched."""
    edge = sheet.em(0.7)
    sheet.fill(foot, GROUND)
    row = pygame.Rect(
        foot.x + edge, 0, foot.w - 2 * edge, sheet.u(LOOK.stage["bar_end"] - LOOK.stage["bar_top"])
    )
    row.bottom = foot.bottom - round(foot.h * 0.05)
    step = pygame.Rect(row.x, foot.y + edge // 2, row.w, row.y - foot.y - edge)
    asked = [one for one in frame.view.chairs if one.asked]
    _step(sheet, step, frame, asked)
    ask = sheet.tr("ui.why")
    wide = sheet.painter.font(1.0, bold=True).size(ask)[0] + sheet.em(1.4)
    why = pygame.Rect(row.x, row.y, wide, row.h)
    sheet.button(why, ask, "why", deed(overlay="why", seen=at), bold=True)
    close = pygame.Rect(row.right - sheet.em(3), row.y, sheet.em(3), row.h)
    sheet.box(close, LOOK.colour("raised"), BUTTON_EDGE)
    sheet.text(close, sheet.tr("ui.button.ok"), 1.0, TEXT, bold=True, align="center")
    left = pygame.Rect(why.right + edge, row.y, close.x - why.right - 2 * edge, row.h)
    words = sheet.tr("ui.verdict.goes_on")
    if not sheet.painter.fit(words, left.w, left.h, 1.0).cut:
        sheet.text(left, words, 1.0, SOFT, align="right")


def _step(sheet: Sheet, rect: pygame.Rect, frame: GameFrame, asked: list[ChairView]) -> None:
    left = rect.x
    if len(asked) == 1:
        size = min(rect.h, sheet.em(2.2))
        avatar(sheet, (left + size // 2, rect.centery), size, asked[0].chair, lit=True)
        left += size + sheet.em(0.5)
    words = pygame.Rect(left, rect.y, rect.right - left, rect.h)
    sheet.text(words, sheet.words.text(frame.view.headline, frame.names), 1.7, TEXT, bold=True)
