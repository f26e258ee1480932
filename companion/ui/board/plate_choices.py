"""Choices on a player's plate: their lay-out, their touch targets."""

from collections.abc import Sequence
from typing import NamedTuple

from companion.core.actions import Chair
from companion.core.view import ChairView, Choice
from companion.ui.board.choice_rows import list_rows, name_marked_row
from companion.ui.board.trick_centre import is_trick_played
from companion.ui.commands import ChairPress, DeclareAction
from companion.ui.frame import GameFrame, is_window_open
from companion.ui.layout import FILL, Box, columns, rows, stack
from companion.ui.toolkit.chair_tiles import BotDeck, bot_deck, paint_bot_badge, paint_holder
from companion.ui.toolkit.sheet import Sheet, TouchAction, touch_action
from companion.ui.toolkit.theme import INK, NOTICE, PAPER, Colour
from companion.ui.toolkit.widgets import SIGN, paint_press_sign

CHOICES_OVERLAY = "answer"
"""The overlay on which one person's answers are large."""
INEXACT = "ui.late.unknown"
"""The sentence that tells only how exactly a press was timed."""
MAX_CHOICE_SCALE = 1.5
"""How many times larger than the smallest letters an answer on a plate is at most."""
LEAST_SIGN, SIGN_GAP = 0.95, 0.25
"""How high the sign of a press is where the words need the room, and what is between both."""
LEAST_BADGE = 0.5
"""The radius of a badge in which a number can be read, in smallest letters."""
ROOMY = 6
"""Of more people none has a plate in which the name stays large above answers for a finger."""
NAMED = 1.78
"""The height of a plate's first line in which a name has its full size, in smallest letters."""
MIN_HEAD_HEIGHT = 1.15
"""The least height of a plate's first line, in smallest letters."""


class ChoiceRow(NamedTuple):
    """One answer on a plate, and what of the plate is its own."""

    choice: Choice
    rect: Box


def is_chosen_beside_table(chair: ChairView, frame: GameFrame) -> bool:
    """Whether a card is chosen beside the table: in practice nothing is given back, called or
    played to a trick before that.
    """
    guide = frame.guide
    asks = guide is not None and guide.kind == "practice" and guide.chooses and guide.chair == chair.chair
    called = guide is not None and bool(guide.picks)
    return bool(asks) and (
        called or is_trick_played(frame) or all(choice.action.verb == "return" for choice in chair.choices)
    )


def shared_choice(frame: GameFrame) -> Choice | None:
    """What everybody may say while one is named, such as Stop: the middle says it once, for all."""
    view, first = frame.view, [chair.choices[:1] for chair in frame.view.chairs if chair.choices]
    alike = (
        all(len(chair.choices) <= 1 for chair in view.chairs) and len({one[0].label for one in first}) == 1
    )
    named = "chair" in dict(view.headline.parts) and frame.guide is None
    return first[0][0] if alike and named and len(first) > 2 and not is_window_open(view) else None


def visible_choices(chair: ChairView, frame: GameFrame) -> tuple[Choice, ...]:
    """The choices a panel spells out: all of two, the marked one of more, or one of either half."""
    if is_chosen_beside_table(chair, frame) or shared_choice(frame) is not None:
        return ()
    if halves := split_halves(chair):
        return tuple(half.choices[0] for half in halves)
    if listed := list_rows(chair):
        return tuple(name_marked_row(row) for row in listed if row.is_picked)
    if len(chair.choices) <= 2:
        return chair.choices
    return (next((choice for choice in chair.choices if choice.marked), chair.choices[0]),)


class Half(NamedTuple):
    """The choices that one press takes together, of more than a button steps through."""

    press: str
    choices: tuple[Choice, ...]


def split_halves(chair: ChairView) -> tuple[Half, ...]:
    """What a tap and a hold take now; empty: taps step through the choices, or there are two, or cards are
    tapped for them.
    """
    if len(chair.choices) <= 2 or any(choice.marked for choice in chair.choices):
        return ()
    halves = tuple(
        Half(press, tuple(choice for choice in chair.choices if choice.press == press))
        for press in ("tap", "hold")
    )
    return halves if all(half.choices for half in halves) else ()


def choice_value(choice: Choice) -> str:
    """The number, object or card that a choice is about; empty: none."""
    parts = dict(choice.label.parts)
    return str(parts.get("value", parts.get("label", "")))


def _name_half(sheet: Sheet, half: Half, width: int, scale: float) -> str:
    """Its choices from the first to the last, such as 1 to 7; what is no number stands for itself.

    Where that is too wide the shorter "1–7"; empty where that is, too: the middle of the table says it.
    """
    values = [choice_value(choice) for choice in half.choices]
    valued = [value for value in values if value]
    others = [
        sheet.sentence(choice.label) for choice, value in zip(half.choices, values, strict=True) if not value
    ]
    whole = valued
    if len(valued) > 1:
        whole = [sheet.tr("ui.half", low=valued[0], high=valued[-1])]
    ways = ", ".join((*whole, *others)), "\N{EN DASH}".join((*valued[:1], *valued[1:][-1:]))
    return next((words for words in ways if sheet.text_width(words, scale, bold=True) <= width), "")


def _half_holders(half: Half) -> list[Chair | BotDeck]:
    """The players and decks among its choices."""
    parts = [dict(choice.label.parts) for choice in half.choices]
    return [
        bot_deck(part["bot"]) if "bot" in part else int(part["chair"])
        for part in parts
        if "bot" in part or "chair" in part
    ]


def paint_half(sheet: Sheet, words: Box, half: Half, ink: Colour, *, scale: float = 1.0) -> None:
    """What one press takes, in words or as the badges of players and decks; one alone is named."""
    if len(half.choices) == 1:
        paint_choice(sheet, words, half.choices[0], ink, scale=scale)
        return
    holders = _half_holders(half)
    if not holders:
        scale = next((one for one in (scale, 1.0) if _name_half(sheet, half, words.w, one)), 0.0)
        if scale:
            sheet.text(words, _name_half(sheet, half, words.w, scale), scale, ink, bold=True)
        return
    radius = min(words.h * 2 // 5, words.w // (2 * len(half.choices) + 1), sheet.em(0.66 * scale))
    badges = columns(words, *[2 * radius] * len(holders), gap=radius // 3)
    for badge, holder in zip(badges, holders, strict=True):
        if isinstance(holder, BotDeck):
            paint_bot_badge(sheet, badge.center, radius, holder.owner)
        elif radius < sheet.em(LEAST_BADGE):  # no room within for a number that can be read
            sheet.shape(badge.center, radius, holder)
        else:
            sheet.badge(badge.center, radius, holder)
    for choice in half.choices:
        if not {"chair", "bot"} & dict(choice.label.parts).keys():
            rest = words.inset(left=badges[-1].right + radius // 2 - words.x)
            if sheet.text_width(sheet.sentence(choice.label), bold=True) <= rest.w:
                sheet.text(rest, sheet.sentence(choice.label), 1.0, ink, bold=True)


def is_bold(choice: Choice) -> bool:
    """Whether a choice is set in bold: the only one, or the marked one."""
    return choice.press == "press" or choice.marked


def count_choice_lines(sheet: Sheet, choice: Choice, width: int) -> int:
    """How many lines a choice needs."""
    if {"chair", "bot"} & dict(choice.label.parts).keys():
        return 1
    room = width - sheet.em(LEAST_SIGN) - sheet.em(SIGN_GAP)
    string = sheet.sentence(choice.label)
    return len(sheet.painter.fit_text(string, room, 9 * sheet.unit, 1.0, bold=is_bold(choice)).lines)


# For a finger ---------------------------------------------------------------------------------------------


def min_touch_height(sheet: Sheet, chair: ChairView, frame: GameFrame) -> int:
    """What answers need to be told apart by a finger, on displays that are small; 0: the plate is enough."""
    choices = visible_choices(chair, frame)
    if (
        is_window_open(frame.view)
        or not choices
        or split_halves(chair)
        or plate_note(sheet, chair, frame)
        or _has_single_press(chair)
    ):
        return 0
    return len(choices) * sheet.min_touch_height


def _has_single_press(chair: ChairView) -> bool:
    """Whether touching the plate anywhere says the one thing there is to say."""
    return len(chair.choices) == 1 and chair.choices[0].press != "hold"


def min_plate_height(sheet: Sheet, chair: ChairView, frame: GameFrame, head: float = MIN_HEAD_HEIGHT) -> int:
    """How high a plate has to be for that, with a first line `head` high (em); 0: as high as any."""
    need = min_touch_height(sheet, chair, frame)
    if not need:
        return 0
    return need + sheet.em(head) + sheet.em(0.5)


def roomy_head(frame: GameFrame) -> float:
    """How high the first line is on a plate of the table, in em, where there are not too many of them."""
    chairs = frame.view.chairs
    return NAMED if sum(one.asked for one in chairs) == 1 and len(chairs) <= ROOMY else MIN_HEAD_HEIGHT


def add_plate_targets(
    sheet: Sheet, rect: Box, chair: ChairView, frame: GameFrame, offered: Sequence[ChoiceRow]
) -> None:
    """Touching a plate is pressing its button; touching an answer on it says it.

    Where a finger could not tell the answers apart, touching the plate shows them large.
    """
    key = f"chair:{chair.chair}"
    press = TouchAction((ChairPress(chair.chair, down=True),), lifted=(ChairPress(chair.chair, down=False),))
    if is_window_open(frame.view):  # its edges count, not a choice made on the screen
        offered = ()
    apart = all(row.rect.h >= sheet.min_touch_height for row in offered)
    if not apart and not _has_single_press(chair):
        press = touch_action(overlay=CHOICES_OVERLAY, about=chair.chair)
    sheet.target(key, rect, press)
    if apart:
        for row in offered:
            sheet.target(f"say:{row.choice.action}", row.rect, say_action(row.choice))


def find_enlarged_chair(frame: GameFrame) -> ChairView | None:
    """Whose answers are shown large, as long as there are any."""
    mine = (one for one in frame.view.chairs if one.chair == frame.ui_state.about and one.choices)
    return next(mine, None) if frame.ui_state.overlay == CHOICES_OVERLAY else None


# On the plate ---------------------------------------------------------------------------------------------


def paint_plate_choices(  # noqa: PLR0917
    sheet: Sheet, rect: Box, chair: ChairView, frame: GameFrame, ink: Colour, most: float | None = None
) -> list[ChoiceRow]:
    """What this chair may press now, or a note; returns what a finger may touch of it.

    `most`: how large the name is, in em, which nothing below it exceeds.
    """
    most = MAX_CHOICE_SCALE if most is None else min(most, MAX_CHOICE_SCALE)
    line = sheet.line_height
    if rect.h < line:
        return []
    noted = plate_note(sheet, chair, frame)
    if noted:
        sheet.box(rect, NOTICE, radius=0.25)
        sheet.text(rect.inflate(-sheet.em(0.3), 0), noted, 1.0, INK, bold=True, align="center")
        return []
    if halves := split_halves(chair):
        _paint_halves(sheet, rect, halves, ink, most, chair.chair)
        return []
    choices = visible_choices(chair, frame)
    needs = [count_choice_lines(sheet, choice, rect.w) for choice in choices]
    if sum(needs) * line > rect.h:
        choices, needs = _choices_in_a_line(sheet, rect, choices), [1] * len(choices)
    rooms = [need * line for need in needs[: len(choices)]]
    touched_each = [max(room, sheet.min_touch_height) for room in rooms]
    apart = min_touch_height(sheet, chair, frame) > 0 and sum(touched_each) <= rect.h
    if apart:
        rooms = touched_each
    if not apart:
        spare = max(0, rect.h - sum(rooms))
        rooms = [room + min(spare // max(1, len(rooms)), sheet.em(0.9)) for room in rooms]
    side_by_side = sum(rooms) > rect.h
    lines = columns(rect, *[FILL] * len(rooms), gap=sheet.em(0.4)) if side_by_side else rows(rect, *rooms)
    found = []
    named = frame.guide is None and _is_named_among_asked(chair, frame)  # a lesson names whom it teaches
    for choice, need, whole in zip(choices, needs, lines, strict=False):
        row = whole._replace(h=min(whole.h, rect.bottom - whole.y))
        found.append(ChoiceRow(choice, row))
        scale = 1.0 if named else max(1.0, min(most, row.h / line))
        words = ink
        if is_window_open(frame.view) and not chair.raised:  # what everybody looks for is on paper
            words = INK
            sheet.box(row.inflate(sheet.em(0.12), -sheet.em(0.16)), PAPER, radius=0.3)
        high = _fit_sign(sheet, row, choice, scale)
        room = paint_press_sign(sheet, row, choice.press, words, most=high, gap=SIGN_GAP, chair=chair.chair)
        room = stack(room, room.w, min(room.h, need * sheet.painter.line_height(most)))
        paint_choice(sheet, room, choice, words, scale=scale)
    if found and sheet.min_touch_height:
        last = found[-1].rect
        found[-1] = found[-1]._replace(rect=last._replace(h=max(last.h, rect.bottom - last.y)))
    return found


def _choices_in_a_line(sheet: Sheet, rect: Box, choices: tuple[Choice, ...]) -> tuple[Choice, ...]:
    """Those that are shown in too low a room: side by side, or where that is too narrow one in each line.

    Touching the plate shows them all.
    """
    width = (rect.w - sheet.em(0.4) * (len(choices) - 1)) // len(choices)
    most = rect.h // sheet.line_height
    fit = len(choices) <= most or all(count_choice_lines(sheet, choice, width) == 1 for choice in choices)
    return choices if fit else choices[: max(1, most)]


def _fit_sign(sheet: Sheet, row: Box, choice: Choice, scale: float) -> float:
    """How high a sign is (em) that takes nothing from the words."""
    told, bold = sheet.sentence(choice.label), is_bold(choice)
    rooms = (row.w - sheet.em(high) - sheet.em(SIGN_GAP) for high in (SIGN, LEAST_SIGN))
    large, small = (sheet.painter.fit_text(told, room, row.h, scale, bold=bold) for room in rooms)
    same = large.scale == small.scale and len(large.lines) == len(small.lines)
    return SIGN if same and large.cut == small.cut else LEAST_SIGN


def _paint_halves(  # noqa: PLR0917
    sheet: Sheet, rect: Box, halves: tuple[Half, ...], ink: Colour, most: float, chair: Chair
) -> None:
    """Under each other what a tap takes and what a hold takes; with one line's room side by side."""
    line, gap = sheet.line_height, sheet.em(0.4)
    if rect.h < 2 * line:
        cells = columns(rect._replace(h=min(rect.h, line)), FILL, FILL, gap=gap)
    else:
        room = min(rect.h // 2, round(line * most))
        cells = rows(rect, room, room)
    for cell, half in zip(cells, halves, strict=True):
        words = paint_press_sign(sheet, cell, half.press, ink, chair=chair)
        paint_half(sheet, words, half, ink, scale=max(1.0, min(most, cell.h / line)))


def _is_named_among_asked(chair: ChairView, frame: GameFrame) -> bool:
    """Whether all are asked, and this one is named: then the others' buttons say more."""
    others = [one for one in frame.view.chairs if one.asked and one.chair != chair.chair]
    return bool(others) and dict(frame.view.headline.parts).get("chair") == chair.chair


def plate_note(sheet: Sheet, chair: ChairView, frame: GameFrame) -> str:
    """What became of a press, where the plate says it; how exact its time is, where it offers nothing."""
    if chair.note is not None:
        return sheet.sentence(chair.note)
    said = dict(frame.notices).get(chair.chair)
    if said is None or (said.key == INEXACT and visible_choices(chair, frame)):
        return ""
    return sheet.sentence(said)


def say_action(choice: Choice) -> TouchAction:
    return touch_action(DeclareAction(choice.action))


def paint_choice(sheet: Sheet, words: Box, choice: Choice, ink: Colour, *, scale: float = 1.0) -> None:
    """Show what is chosen; where that is a chair or a deck, its badge and name say enough. `scale` in em."""
    parts = dict(choice.label.parts)
    about, owner = parts.get("chair"), parts.get("bot")
    if isinstance(owner, int):
        radius = min(words.h // 2, sheet.em(0.8))
        paint_holder(sheet, words, bot_deck(owner), ink, radius=radius, gap=0.3, scale=scale)
    elif isinstance(about, int):
        radius = min(words.h // 2, sheet.em(0.66))
        paint_holder(sheet, words, about, ink, radius=radius, gap=0.45, scale=scale)
    else:
        sheet.text(words, sheet.sentence(choice.label), scale, ink, bold=is_bold(choice))
