"""Overlay that lists what one player may do now, with the rule behind it.

Everything one chair may do now, the rule in our words, and where the rulebook has it.
"""

from msgspec.structs import replace

from companion.ui.board.card_pictures import find_pictures, paint_pictures
from companion.ui.board.choice_rows import list_rows, paint_choice_rows
from companion.ui.board.plate_choices import find_enlarged_chair, paint_choice, say_action
from companion.ui.board.practice_panel import practice_view
from companion.ui.commands import SpeakSentences
from companion.ui.frame import AllowedActions, GameFrame
from companion.ui.layout import FILL, Box, best_grid, columns, rows
from companion.ui.overlays.dialog import (
    CLOSE_BUTTON,
    PRIMARY_CLOSE_BUTTON,
    QUESTION_SPAN,
    DialogButton,
    paint_buttons,
    paint_dialog,
)
from companion.ui.toolkit.sheet import Sheet, touch_action
from companion.ui.toolkit.theme import BUTTON_EDGE, FELT, INK, RAISED, SOFT, TEXT, blend
from companion.ui.toolkit.widgets import paint_row

COLUMNS = 2


def paint_allowed_actions(sheet: Sheet, frame: GameFrame) -> None:
    """For the chair `frame.about`; else for one that is asked now."""
    body = paint_dialog(sheet, "ui.may")
    chairs = [one.chair for one in frame.allowed_actions]
    asked = [chair.chair for chair in frame.view.chairs if chair.asked]
    if frame.guide is not None and frame.guide.chair in asked:
        asked = [frame.guide.chair]  # the player who learns asks
    about = frame.ui_state.about if frame.ui_state.about in chairs else (asked or chairs or [0])[0]
    mine = next((one for one in frame.allowed_actions if one.chair == about), AllowedActions(about))
    where, gap = rulebook_reference(sheet, frame.section), sheet.em(0.1)
    needed = sheet.text_height(where, most=4, pad=gap)
    line, _, room, rule, _, place = rows(body, sheet.em(2.6), sheet.em(0.3), FILL, sheet.em(2.8), gap, needed)
    view, guide = frame.view, frame.guide
    view = practice_view(frame, guide) if guide is not None and guide.kind == "practice" else view
    radius, hint = sheet.em(1.2), None if view.hint in mine.choices else view.hint
    badge, words = columns(line, 2 * radius, FILL, gap=sheet.em(0.4))
    sheet.badge((badge.x + radius, line.centery), radius, about)
    sheet.text(words, sheet.sentence(view.headline), 1.7, TEXT, bold=True)
    sheet.text(place, where, 1.0, blend(FELT, TEXT, 0.86))
    if hint is not None:
        sheet.text(rule, sheet.sentence(hint), 1.2, TEXT)
    _paint_choices(sheet, room, frame, mine)
    other = [chair for chair in chairs if chair != about]
    turn = touch_action(about=chairs[(chairs.index(about) + 1) % len(chairs)]) if other else None
    said = (view.headline, *mine.choices, *([] if hint is None else [hint]))
    paint_buttons(
        sheet,
        DialogButton("ui.may.other", "other", turn),
        DialogButton("ui.say", "say", touch_action(SpeakSentences(said))),
        PRIMARY_CLOSE_BUTTON,
    )


def _paint_choices(sheet: Sheet, room: Box, frame: GameFrame, mine: AllowedActions) -> None:
    """In columns, as many as fit; what is over is counted."""
    if not mine.choices:
        sheet.text(room, sheet.tr("ui.may.nothing"), 1.4, SOFT, align="center")
        return
    gap = sheet.em(0.3)
    across = 1 if len(mine.choices) <= FEW else COLUMNS
    least, each = sheet.line_height + sheet.em(0.35), (room.h + gap) * across // len(mine.choices) - gap
    height = max(least, min(sheet.em(3.2), each))
    lines = max(1, (room.h + gap) // (height + gap))
    told = [sheet.sentence(choice) for choice in mine.choices]
    pictures = [find_pictures(frame.board, choice)[:1] for choice in mine.choices]
    over = len(told) - (lines * across - 1)
    if over > 1:
        told[-over:], pictures[-over:] = [sheet.tr("ui.may.more", count=over)], [()]
    sides = columns(room, *[FILL] * across, gap=gap)
    cells = [cell for side in sides for cell in rows(side, *[height] * lines, gap=gap)]
    for cell, words, shown in zip(cells, told, pictures, strict=False):
        paint_row(sheet, cell, blend(FELT, INK, 0.55))
        inner = cell.inset(left=sheet.em(0.6), right=sheet.em(0.4))
        left = paint_pictures(sheet, inner.inflate(0, -gap), shown)
        sheet.text(inner.inset(left=left - inner.x), words, 1.5, TEXT, bold=across == 1)


def heading_key(heading: str) -> str:
    """The catalogue's key for a heading, e.g. of "Fight Phase, 2": a number is one in every language."""
    words = heading.partition(",")[0].casefold()
    return f"ui.heading.{words.replace(' ', '_')}"


def rulebook_reference(sheet: Sheet, section: tuple[str, str]) -> str:
    """Where the rulebook has it; what it does not settle is this table's rule.

    A heading stands as it is printed, in English, beside what it means: other printings may have it in
    words of their own.
    """
    kind, place = section
    if not kind:
        return sheet.tr("ui.section.none")
    if kind == "heading":
        name = sheet.tr(heading_key(place))
        if name.casefold() != place.partition(",")[0].casefold():
            return sheet.tr("ui.section.translated", name=name, where=place)
    return sheet.tr(f"ui.section.{kind}", where=place)


WIDE = 5.0
"""A tile is about this many times as wide as high."""
FEW = 3
"""This many tiles have room for large words."""


def paint_large_choices(sheet: Sheet, frame: GameFrame) -> None:
    """What is asked, and everything that this one may answer; touching says it and puts the leaf away."""
    chair = find_enlarged_chair(frame)
    if chair is None:
        return
    asked = sheet.sentence(frame.view.headline)
    body = paint_dialog(sheet, "", words=asked, span=QUESTION_SPAN, about=chair.chair)
    gap = sheet.em(0.4)
    if list_rows(chair):
        paint_choice_rows(sheet, body, chair, frame)
        paint_buttons(sheet, CLOSE_BUTTON, span=QUESTION_SPAN)
        return
    cells = best_grid(body, len(chair.choices), gap, shape=WIDE)
    for cell, choice in zip(cells, chair.choices, strict=True):
        sheet.box(cell, RAISED, BUTTON_EDGE)
        words = cell.inflate(-sheet.em(1.2), -sheet.em(0.2))
        paint_choice(sheet, words, choice, TEXT, scale=2.0 if len(cells) <= FEW else 1.4)
        sheet.target(f"tile:{choice.action}", cell, replace(say_action(choice), changes=(("overlay", ""),)))
    paint_buttons(sheet, CLOSE_BUTTON, span=QUESTION_SPAN)
