"""Overlay that lists what one player may do now, with the rule behind it.

Everything one chair may do now, the rule in our words, and where the rulebook has it.
"""

from msgspec.structs import replace

from companion.core.view import Sentence
from companion.ui.board.plate_choices import find_enlarged_chair, paint_choice, say_action
from companion.ui.commands import SpeakSentences
from companion.ui.frame import AllowedActions, GameFrame
from companion.ui.layout import Box, best_grid
from companion.ui.overlays.dialog import (
    CLOSE_BUTTON,
    PRIMARY_CLOSE_BUTTON,
    QUESTION_SPAN,
    DialogButton,
    paint_buttons,
    paint_dialog,
    paint_titled_dialog,
)
from companion.ui.toolkit.sheet import Sheet, touch_action
from companion.ui.toolkit.theme import BUTTON_EDGE, GOLD, RAISED, SOFT, TEXT

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
    line = Box(body.x, body.y, body.w, sheet.em(2.2))
    radius = sheet.em(0.95)
    sheet.badge((line.x + radius, line.centery), radius, about)
    left = line.x + 2 * radius + sheet.em(0.4)
    words = Box(left, line.y, line.right - left, line.h)
    headline = sheet.sentence(frame.view.headline)
    sheet.text(words, headline, 1.4, GOLD, bold=True)
    foot = paint_rule(sheet, body, rulebook_reference(sheet, frame.section))
    hint = frame.view.hint
    rule = Box(body.x, foot.y - sheet.em(2.7), body.w, sheet.em(2.6))
    if hint is not None:
        sheet.text(rule, sheet.sentence(hint), 1.1, TEXT)
    room = Box(body.x, line.bottom, body.w, rule.y - line.bottom)
    _paint_choices(sheet, room, frame, mine)
    other = [chair for chair in chairs if chair != about]
    turn = touch_action(about=chairs[(chairs.index(about) + 1) % len(chairs)]) if other else None
    said = (frame.view.headline, *mine.choices, *([] if hint is None else [hint]))
    paint_buttons(
        sheet,
        DialogButton("ui.may.other", "other", turn),
        DialogButton("ui.say", "say", touch_action(SpeakSentences(said))),
        PRIMARY_CLOSE_BUTTON,
    )


def paint_rule(sheet: Sheet, body: Box, words: str) -> Box:
    """At the foot of a leaf; returns what they cover."""
    line = sheet.line_height
    height = len(sheet.painter.fit_text(words, body.w, 4 * line, 1.0).lines) * line
    foot = Box(body.x, body.bottom - height - sheet.em(0.1), body.w, height + sheet.em(0.1))
    sheet.text(foot, words, 1.0, SOFT)
    return foot


def _paint_choices(sheet: Sheet, room: Box, frame: GameFrame, mine: AllowedActions) -> None:
    """In columns, as many as fit; what is over is counted."""
    if not mine.choices:
        sheet.text(room, sheet.tr("ui.may.nothing"), 1.4, SOFT, align="center")
        return
    gap = sheet.em(0.2)
    height = sheet.line_height + sheet.em(0.35)
    rows = max(1, (room.h + gap) // (height + gap))
    columns = COLUMNS if len(mine.choices) > rows or len(mine.choices) > 4 else 1
    shown: list[Sentence | None] = list(mine.choices)
    if len(shown) > rows * columns:
        shown = [*mine.choices[: rows * columns - 1], None]
    width = (room.w + gap) // columns
    for place, choice in enumerate(shown):
        column, row = divmod(place, rows) if columns > 1 else (0, place)
        cell = Box(room.x + column * width, room.y + row * (height + gap), width - gap, height)
        sheet.box(cell, RAISED, radius=0.25)
        if choice is None:
            words = sheet.tr("ui.may.more", count=len(mine.choices) - place)
        else:
            words = sheet.sentence(choice)
        sheet.text(cell.inflate(-sheet.em(0.6), 0), words, 1.0, TEXT)


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
    body = paint_titled_dialog(sheet, asked, span=QUESTION_SPAN, about=chair.chair)
    gap = sheet.em(0.4)
    cells = best_grid(body, len(chair.choices), gap, shape=WIDE)
    for cell, choice in zip(cells, chair.choices, strict=True):
        sheet.box(cell, RAISED, BUTTON_EDGE)
        words = cell.inflate(-sheet.em(1.2), -sheet.em(0.2))
        paint_choice(sheet, words, choice, TEXT, scale=2.0 if len(cells) <= FEW else 1.4)
        sheet.target(f"tile:{choice.action}", cell, replace(say_action(choice), changes=(("overlay", ""),)))
    paint_buttons(sheet, CLOSE_BUTTON, span=QUESTION_SPAN)
