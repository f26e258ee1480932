"""Shows a verdict over the table for a moment, in the player's colour."""

from companion.core.actions import Micros
from companion.core.exhibits import PhotoFinish
from companion.core.view import Sentence
from companion.ui.board.headline import addressed_chair, missing_name
from companion.ui.board.player_banner import LAYOUT, BannerContent, banner_rect, paint_banner
from companion.ui.board.sentence_pictures import find_pictures
from companion.ui.frame import GameFrame, is_window_open
from companion.ui.layout import FILL, Box, columns, rows
from companion.ui.toolkit.chair_tiles import shorten_name
from companion.ui.toolkit.sheet import EM_PER_U, Sheet, touch_action
from companion.ui.toolkit.theme import BUTTON_EDGE, GOLD, GROUND, INK, LOOK, PAPER, SOFT, TEXT
from companion.ui.toolkit.widgets import paint_avatar

LARGEST_NAME = 3
"""In smallest letters."""


def is_verdict_shown(frame: GameFrame) -> bool:
    """Whether there is one now: anything more urgent, or somebody's OK, puts it away.

    Where several pressed, the finish that tells of it is the moment.
    """
    view = frame.view
    if (
        frame.current_verdict is None
        or frame.ui_state.seen >= frame.current_verdict[1]
        or frame.ui_state.overlay
        or frame.guide is not None
        or isinstance(frame.exhibit, PhotoFinish)
    ):
        return False
    return not (view.dark or view.paused or view.outcome is not None or is_window_open(view))


def paint_verdict(sheet: Sheet, area: Box, frame: GameFrame) -> None:
    """Paint it over everything."""
    assert frame.current_verdict is not None
    said, at = frame.current_verdict
    chair = dict(said.parts)["chair"]
    assert isinstance(chair, int)
    above = banner_rect(sheet, area, "verdict")
    sheet.target("moment:ok", area, touch_action(seen=at))
    word = sheet.tr(f"ui.verdict.{frame.board.full_screen_words[said.event]}")
    below = sheet.sentence(said)
    content = BannerContent(
        chairs=(chair,), title=word, subtitle=below, pictures=_verdict_pictures(frame, said)
    )
    paint_banner(sheet, above, content)
    _paint_next(sheet, area.inset(top=above.h), frame, at)


def _verdict_pictures(frame: GameFrame, said: Sentence) -> tuple[str, ...]:
    """What it is about: what is pointed at, and what the board says, else the cards that decided it."""
    lies = [place.card for place in frame.view.places if place.marked and place.card.startswith("mask:")]
    pictures = tuple(dict.fromkeys(find_pictures(frame.board, said)))
    return (*lies[:1], *pictures) or frame.view.decided


def _paint_next(sheet: Sheet, foot: Box, frame: GameFrame, at: Micros) -> None:
    """What comes next, and the two things that can be touched."""
    edge, bar = sheet.em(0.7), sheet.u(LOOK.stage["bar_end"] - LOOK.stage["bar_top"])
    sheet.fill(foot, GROUND)
    inner = foot.inset(left=edge, top=edge, right=edge, bottom=round(foot.h * 0.05))
    step, row = rows(inner, FILL, bar, gap=edge)
    _paint_next_step(sheet, step, frame)
    ask = sheet.tr("ui.why")
    wide = sheet.text_width(ask, bold=True) + sheet.em(1.4)
    why, left, close = columns(row, wide, FILL, sheet.em(3), gap=edge)
    sheet.button(why, ask, "why", touch_action(overlay="why", seen=at), bold=True)
    sheet.box(close, LOOK.colour("raised"), BUTTON_EDGE)
    sheet.text(close, sheet.tr("ui.button.ok"), 1.0, TEXT, bold=True, align="center")
    words = sheet.tr("ui.verdict.continues")
    if not sheet.painter.fit_text(words, left.w, left.h, 1.0).cut:
        sheet.text(left, words, 1.0, SOFT, align="right")


def _paint_next_step(sheet: Sheet, rect: Box, frame: GameFrame) -> None:
    """Whose turn it is now, and to do what: on the paper of a plate that is asked, larger than what was."""
    alone = addressed_chair(sheet, frame)
    asked = [one.chair for one in frame.view.chairs if one.asked] if alone is None else [alone]
    words = sheet.sentence(frame.view.headline)
    if not asked:
        sheet.text(rect, words, 1.7, TEXT, bold=True)
        return
    radius, width = (EM_PER_U * size for size in (LOOK.radius["plate"], LOOK.line["asked"]))
    sheet.box(rect, PAPER, GOLD, radius=radius, width=width)
    gap = sheet.em(0.6)
    inner = rect.inflate(-2 * gap, -gap)
    upright = inner.h * 5 > inner.w * 4
    size = min(sheet.u(LAYOUT["asked"]), (inner.h if not upright else inner.h // 2), inner.w * 3 // 10)
    size = min(size, inner.w * (9 if upright else 4) // 10 // len(asked))
    for place, chair in enumerate(asked):
        at = (inner.x + size * place + size // 2, inner.centery)
        if upright:
            at = (inner.centerx + round((place - (len(asked) - 1) / 2) * size), inner.y + size // 2)
        paint_avatar(sheet, at, size * 9 // 10, chair, lit=True)
    room = inner.inset(top=size) if upright else inner.inset(left=size * len(asked) + gap)
    name, line = missing_name(sheet, frame, words), sheet.line_height
    if name:
        high = max(line, min(room.h * 3 // 10, sheet.painter.line_height(LARGEST_NAME)))
        upper, room = rows(room, high, FILL)
        sheet.text(upper, shorten_name(sheet, name, upper.w), high / line, INK, bold=True)
    scale = LAYOUT["next"] / 100 * LOOK.text["smallest"]
    sheet.text(room, words, scale, INK, bold=True, align="center" if upright else "left")
