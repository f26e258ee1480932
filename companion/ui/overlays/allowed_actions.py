"""Overlay that shows what one player may do now as pictures, with the rule behind it.

Everything one chair may do now, the rule in our words, and where the rulebook has it.
"""

from collections.abc import Sequence

from msgspec.structs import replace

from companion.core.actions import Chair
from companion.core.view import Sentence
from companion.ui.board.card_pictures import find_pictures, paint_pictures
from companion.ui.board.choice_rows import list_rows, paint_choice_rows
from companion.ui.board.plate_choices import find_enlarged_chair, paint_choice, say_action
from companion.ui.board.practice_panel import practice_view
from companion.ui.board.stage_layout import CARD_ASPECT
from companion.ui.commands import SpeakSentences
from companion.ui.frame import AllowedActions, GameFrame
from companion.ui.layout import FILL, Box, best_grid, rows, stack
from companion.ui.overlays.dialog import (
    CLOSE_BUTTON,
    PRIMARY_CLOSE_BUTTON,
    DialogButton,
    felt_room,
    paint_bar,
    paint_buttons,
    paint_dialog,
    paint_felt_page,
)
from companion.ui.overlays.felt_choices import draw_sign_card, paint_press_legend
from companion.ui.toolkit.sheet import Sheet, touch_action
from companion.ui.toolkit.theme import BUTTON_EDGE, INK, LOOK, PAPER, RAISED, SOFT, TEXT, blend
from companion.ui.toolkit.widgets import draw_press_sign, paint_avatar, paint_halo, paint_press_sign

CELL = 0.8
"""The place of a choice is about this many times as wide as high."""
MOST, NAMED = 10, 1.5
"""So many choices have room; their words are so much larger than the smallest letters at most."""
DISC = 2.2
"""How large the sign of a press on a card is, in em."""


def paint_allowed_actions(sheet: Sheet, frame: GameFrame) -> None:
    """For the chair `frame.about`; else for one that is asked now."""
    chairs = [one.chair for one in frame.allowed_actions]
    asked = [chair.chair for chair in frame.view.chairs if chair.asked]
    if frame.guide is not None and frame.guide.chair in asked:
        asked = [frame.guide.chair]  # the player who learns asks
    about = frame.ui_state.about if frame.ui_state.about in chairs else (asked or chairs or [0])[0]
    mine = next((one for one in frame.allowed_actions if one.chair == about), AllowedActions(about))
    view, guide = frame.view, frame.guide
    view = practice_view(frame, guide) if guide is not None and guide.kind == "practice" else view
    hint = None if view.hint in mine.choices else view.hint
    felt, bar = paint_felt_page(sheet, sheet.sentence(view.headline), about)
    body = felt_room(sheet, felt)
    where, gap = rulebook_reference(sheet, frame.section), sheet.em(0.2)
    told = [] if hint is None else [sheet.sentence(hint)]
    needed = [sheet.text_height(words, most=3, pad=gap) for words in (*told, where)]
    room, *rule = rows(body, FILL, *needed, gap=gap)
    for words, place, colour in zip((*told, where), rule, (*[TEXT] * len(told), SOFT), strict=True):
        sheet.text(place, words, 1.0, colour, align="center")
    if mine.choices:
        _paint_choices(sheet, room, frame, mine)
    else:
        _paint_turns(sheet, room, asked)
    other = [chair for chair in chairs if chair != about]
    turn = touch_action(about=chairs[(chairs.index(about) + 1) % len(chairs)]) if other else None
    said = (view.headline, *mine.choices, *([] if hint is None else [hint]))
    other_one = DialogButton("ui.may.other", "other", turn)
    aloud = DialogButton("ui.say", "say", touch_action(SpeakSentences(said)))
    free = paint_bar(sheet, bar, other_one, aloud, PRIMARY_CLOSE_BUTTON)
    if mine.choices:
        paint_press_legend(sheet, free, sheet.tr("ui.press.tap"), sheet.tr("ui.press.hold"))


def _paint_turns(sheet: Sheet, room: Box, asked: Sequence[Chair]) -> None:
    """That it is not this one's turn, and whose it is."""
    upper, lower = rows(
        room, FILL if asked else 0, FILL if not asked else 2 * sheet.painter.line_height(NAMED)
    )
    for chair, cell in zip(asked, best_grid(upper, len(asked), 0, shape=1.0), strict=False):
        paint_halo(sheet, cell.center, min(cell.size))
        paint_avatar(sheet, cell.center, min(cell.size) * 3 // 4, chair, lit=True)
    sheet.text(lower, sheet.tr("ui.may.nothing"), NAMED, TEXT, bold=True, align="center")


def _paint_choices(sheet: Sheet, room: Box, frame: GameFrame, mine: AllowedActions) -> None:
    """A card for each choice, with how the button says it; what is over is counted."""
    presses = {
        label: choice.press
        for chair in frame.view.chairs
        if chair.chair == mine.chair
        for choice in chair.choices
        for label in (choice.label, choice.first)
        if label is not None
    }
    shown = mine.choices if len(mine.choices) <= MOST else mine.choices[: MOST - 1]
    gap, over = sheet.em(0.4), len(mine.choices) - len(shown)
    cells = best_grid(room, len(shown) + bool(over), gap, shape=CELL)
    line, wide = sheet.painter.line_height(NAMED), cells[0].w
    told = [sheet.sentence(choice) for choice in shown]
    scale = min(sheet.painter.fit_text(one, wide, 2 * line, NAMED, bold=True).scale for one in told)
    line = sheet.painter.line_height(scale)
    lines = max(
        len(sheet.painter.fit_text(one, wide, 2 * line, scale, bold=True, least=scale).lines) for one in told
    )
    for cell, choice, words in zip(cells, shown, told, strict=False):
        upper, lower = rows(cell, FILL, lines * line, gap=gap // 2)
        _paint_picture(sheet, upper, frame, mine.chair, (choice, presses.get(choice, "")))
        sheet.text(lower, words, scale, TEXT, bold=True, align="center", middle=False)
    if over:
        sheet.text(cells[-1], sheet.tr("ui.may.more", count=over), NAMED, SOFT, align="center")


def _paint_picture(
    sheet: Sheet, room: Box, frame: GameFrame, chair: Chair, said: tuple[Sentence, str]
) -> None:
    """The card or the player a choice is about, and the sign of its press; else the button or the screen.

    `said`: the choice, and the press that says it, if any.
    """
    choice, press = said
    names = find_pictures(frame.board, choice)[:1]
    about = dict(choice.parts).get("chair")
    high = min(room.h, round(room.w / CARD_ASPECT))
    card = stack(room, round(high * CARD_ASPECT), high)
    if not names and not isinstance(about, int):
        sign = press if press in {"tap", "hold"} else "button" if press else "screen"
        draw_sign_card(sheet, card, INK, sign=sign, colour=blend(sheet.colour(chair), INK, 0.25), place=chair)
        return
    if isinstance(about, int) and not names:
        paint_avatar(sheet, card.center, min(room.size) * 9 // 10, about, lit=True)
    else:
        paint_pictures(sheet, card, names)
    if press:
        side = sheet.em(DISC)
        spot = stack(card, side, side, "bottomright").move(side // 4, side // 4)
        sheet.disc(spot.center, side // 2, INK)
        sheet.disc(spot.center, side // 2 - max(2, sheet.u(LOOK.line["edge"])), PAPER)
        sign = "tap" if press == "press" else press
        sheet.picture(draw_press_sign(sheet, sign, side * 7 // 10, INK), spot.center)


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
    body = paint_dialog(sheet, "", words=asked, about=chair.chair)
    gap = sheet.em(0.4)
    if list_rows(chair):
        paint_choice_rows(sheet, body, chair, frame)
        paint_buttons(sheet, CLOSE_BUTTON)
        return
    cells = best_grid(body, len(chair.choices), gap, shape=WIDE)
    for cell, choice in zip(cells, chair.choices, strict=True):
        sheet.box(cell, RAISED, BUTTON_EDGE)
        room = cell.inflate(-sheet.em(1.2), -sheet.em(0.2))
        pictures = find_pictures(frame.board, choice.label)[:1]
        left = paint_pictures(sheet, room.inflate(0, -gap), pictures)
        words = room.inset(left=left - room.x)
        if choice.press:
            words = paint_press_sign(sheet, words, choice.press, TEXT, most=DISC, gap=0.5)
        paint_choice(sheet, words, choice, TEXT, scale=2.0 if len(cells) <= FEW else 1.4)
        sheet.target(f"tile:{choice.action}", cell, replace(say_action(choice), changes=(("overlay", ""),)))
    paint_buttons(sheet, CLOSE_BUTTON)
