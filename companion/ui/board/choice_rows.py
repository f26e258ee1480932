"""Draws a choice in two steps: a row for each first value, its second values in it; or one step at a time."""

from collections.abc import Sequence
from typing import NamedTuple

from companion.core.actions import Action
from companion.core.button_choices import PICK, STEP
from companion.core.view import ChairView, Choice, Sentence
from companion.ui.board.card_pictures import find_pictures
from companion.ui.commands import DeclareAction
from companion.ui.frame import GameFrame
from companion.ui.layout import FILL, Box, best_grid, columns, grid, rows, stack
from companion.ui.toolkit.icons import ICON_PAINTERS
from companion.ui.toolkit.sheet import MARK, Sheet, TouchAction, touch_action
from companion.ui.toolkit.theme import BUTTON_EDGE, FELT, GOLD, INK, LOOK, PAPER, RAISED, TEXT, Colour, blend
from companion.ui.toolkit.widgets import paint_press_sign

ROWS = 5
"""So many rows are a page at most."""
KEY = 34
"""The key to the other pages, in % of the line that it stands in."""
HEAD = 2.2
"""Room for the number of a row, in em."""
LARGE = 3.4
"""A number is at most so many times as large as the smallest letters."""


class StepRow(NamedTuple):
    """The choices with one first value, or one that has no second."""

    place: int
    """Of its first choice among all."""
    choices: tuple[Choice, ...]

    @property
    def is_picked(self) -> bool:
        """Whether taps step through its choices now, or through rows, of which it is the marked one."""
        return any(choice.marked for choice in self.choices)


def list_rows(chair: ChairView) -> tuple[StepRow, ...]:
    """Everything a chair may choose, by first value; nothing where no choice has two steps."""
    if len(chair.choices) <= 2 or not any(choice.first for choice in chair.choices):
        return ()
    found: dict[object, list[int]] = {}
    for place, choice in enumerate(chair.choices):
        found.setdefault(choice.first or place, []).append(place)
    return tuple(StepRow(at[0], tuple(chair.choices[one] for one in at)) for at in found.values())


def pick_action(choice: Choice, place: int | None) -> Action:
    """The step into the row whose first choice has this place; None: back to the rows."""
    return Action(choice.action.seat, STEP, PICK if place is None else f"{PICK}{place}")


def name_marked_row(row: StepRow) -> Choice:
    """The marked choice as a button says it: a whole row by its first value, and to hold picks the row."""
    marked = [choice for choice in row.choices if choice.marked]
    first = marked[0]
    if len(marked) < 2 or first.first is None:
        return first
    return Choice(pick_action(first, row.place), first.first, first.press, marked=True)


def paint_choice_rows(sheet: Sheet, rect: Box, chair: ChairView, frame: GameFrame) -> None:
    """Rows of numbers a finger high, of which a page is seen; else the first values and then the second.

    Below them stands always what has one step, and the way to the other pages or back.
    """
    listed, gap = list_rows(chair), sheet.em(0.3)
    numbered = [row for row in listed if row.choices[0].first is not None]
    if not all(isinstance(row.choices[0].action.parts[0], int) for row in numbered):
        _paint_one_step(sheet, rect, listed, frame)
        return
    now = next(at for at, row in enumerate(listed) if row.is_picked)
    picked = listed[now]
    within = any(not choice.press for row in listed for choice in row.choices)
    least = max(sheet.u(LOOK.stage["finger"]), sheet.line_height * 6 // 5)
    plain = [row.choices[0] for row in listed if row.choices[0].first is None]
    feet, across = max(1, len(plain)), 1 + (rect.w > 2 * rect.h)
    lines = max(1, min(ROWS, (rect.h + gap) // (least + gap) - feet))
    most = lines * across
    at = max(0, now - len(listed) + len(numbered)) // most * most  # of the page's first row
    pages = [numbered[first : first + most] for first in range(0, len(numbered), most)]
    turning = f"rows:{numbered[0].choices[0].action}"  # whoever bids next sees the nearest rows first
    turns = frame.ui_state.typed == turning and not within
    room, *above, foot = rows(rect, FILL, *[(rect.h + gap) // (lines + feet) - gap] * feet, gap=gap)
    key = [KEY * foot.w // 100] * (within or len(pages) > 1)
    keys = (*above, *columns(foot, *[FILL] * bool(plain), *key, gap=gap, justify="end"))
    for cell, choice in zip(keys, plain, strict=False):
        _paint_words(sheet, cell, choice)
    if within or turns:
        back = pick_action(picked.choices[0], None)
        does = touch_action(DeclareAction(back)) if within else touch_action(typed="")
        sheet.button(keys[-1], sheet.tr("ui.button.back"), "row:back", does, scale=1.2)
    elif len(pages) > 1:
        others = numbered[most:] if at == 0 else numbered
        sheet.button(keys[-1], _name_page(others), "rows:more", touch_action(typed=turning), scale=1.4)
    if within:
        _paint_picked(sheet, room, picked, frame)
    elif turns:
        for cell, page in zip(best_grid(room, len(pages), gap, shape=2.0), pages, strict=True):
            step = Action(chair.choices[0].action.seat, STEP, listed.index(page[0]) - now)
            does = touch_action(DeclareAction(step), typed="")
            sheet.button(cell, _name_page(page), f"rows:{_number(page[0])}", does, scale=1.8)
    else:
        bands = grid(room, min(most, len(numbered)), across, gap=gap)
        widest = max(numbered, key=lambda row: len(row.choices))
        for band, row in zip(bands, numbered[at : at + most], strict=False):
            _paint_row(sheet, band, row, widest, frame)


def _name_page(page: Sequence[StepRow]) -> str:
    """Its numbers from the first to the last."""
    numbers = dict.fromkeys((_number(page[0]), _number(page[-1])))
    return "\N{EN DASH}".join(numbers)


def _number(row: StepRow) -> str:
    return str(row.choices[0].action.parts[0])


def _paint_band(sheet: Sheet, band: Box, *, marked: bool) -> Colour:
    if marked:
        sheet.box(band, PAPER, GOLD, width=MARK)
    return INK if marked else TEXT


def _paint_row(sheet: Sheet, band: Box, row: StepRow, widest: StepRow, frame: GameFrame) -> None:
    """A number and what it may be bid of, each below that of the other rows; `widest`: a row of them all."""
    gap = sheet.em(0.3)
    if not row.is_picked:
        sheet.box(band, blend(FELT, INK, 0.3))
    ink = _paint_band(sheet, band, marked=row.is_picked)
    seconds = [_second(choice) for choice in widest.choices]
    inner = band.inflate(-2 * gap, 0)
    wide = min(band.h, (inner.w - min(band.h, sheet.em(HEAD))) // len(seconds))
    head, *cells = columns(inner, FILL, *[wide] * len(seconds))
    _paint_number(sheet, head.inset(right=gap), row, ink)
    for cell, second in zip(cells, seconds, strict=True):
        for choice in row.choices:
            if _second(choice) == second:
                _paint_second(sheet, cell, choice, frame)
    sheet.target(f"row:{row.place}", band, _pick(row))


def _paint_number(sheet: Sheet, cell: Box, row: StepRow, ink: Colour) -> None:
    scale = max(1.0, min(LARGE, cell.h * 0.66 / sheet.unit))
    sheet.text(cell, _number(row), scale, ink, bold=True, align="center")


def _paint_picked(sheet: Sheet, rect: Box, row: StepRow, frame: GameFrame) -> None:
    """The row that was picked, as large as all of them, for a finger aims at each of its pictures."""
    ink, gap = _paint_band(sheet, rect, marked=True), sheet.em(0.3)
    head, room = rows(rect.inflate(-4 * gap, -2 * gap), rect.h // 5, FILL, gap=gap)
    _paint_number(sheet, head, row, ink)
    cells = best_grid(room, len(row.choices), gap, shape=1.0)
    for cell, choice in zip(cells, row.choices, strict=True):
        _paint_second(sheet, cell, choice, frame, framed=choice.marked)
        sheet.target(f"tile:{choice.action}", cell, touch_action(DeclareAction(choice.action)))


def _paint_words(sheet: Sheet, band: Box, choice: Choice) -> None:
    """A choice that has one step; it is held where it is marked."""
    ink = _paint_band(sheet, band, marked=choice.marked)
    words, inner = sheet.sentence(choice.label), band.inset(left=sheet.em(0.5), right=sheet.em(0.5))
    if choice.marked:
        inner = paint_press_sign(sheet, inner, choice.press, ink)
    else:
        sheet.box(band, RAISED, BUTTON_EDGE)
    sheet.text(inner, words, min(2.0, band.h * 0.5 / sheet.unit), ink, bold=True, align="center")
    sheet.target(f"tile:{choice.action}", band, touch_action(DeclareAction(choice.action)))


def _paint_second(sheet: Sheet, cell: Box, choice: Choice, frame: GameFrame, *, framed: bool = False) -> None:
    """One number, or the picture that the board has for it."""
    side = min(cell.size) * 8 // 9
    box = stack(cell, side, side)
    if framed:
        sheet.box(box.inflate(side // 7, side // 7), GOLD)
    motif, second = frame.board.second_pictures.get(choice.action.verb), _second(choice)
    if motif:
        sheet.picture(sheet.art.motif(f"{motif}:{second}", side), box.center)
    else:
        sheet.box(box, PAPER, INK)
        scale = max(1.0, min(LARGE, side / sheet.unit * 0.5))
        sheet.text(box, str(second), scale, INK, bold=True, align="center", grows=False)


def _paint_one_step(sheet: Sheet, rect: Box, listed: tuple[StepRow, ...], frame: GameFrame) -> None:
    """The first values as tiles; once one was picked, its second values, and the way back."""
    picked = next((row for row in listed if row.is_picked), listed[0])
    within = any(not choice.press for row in listed for choice in row.choices)
    tiles: list[tuple[str, str, bool, TouchAction]]
    plain = [row for row in listed if row.choices[0].first is None and not within]
    *bands, rect = rows(
        rect, *[max(sheet.min_touch_height, sheet.em(1.8))] * len(plain), FILL, gap=sheet.em(0.3)
    )
    for band, row in zip(bands, plain, strict=True):
        _paint_words(sheet, band, row.choices[0])
    if within:
        tiles = [
            (
                f"tile:{one.action}",
                sheet.sentence(one.label),
                one.marked,
                touch_action(DeclareAction(one.action)),
            )
            for one in picked.choices
        ]
        back = touch_action(DeclareAction(pick_action(picked.choices[0], None)))
        tiles.append(("row:back", sheet.tr("ui.button.back"), False, back))
    else:
        tiles = [
            (f"row:{row.place}", _name_first(sheet, row.choices[0]), row.is_picked, _pick(row))
            for row in listed
            if row not in plain
        ]
    pictured = [
        _pictures(frame, one.label if within else one.first) for one in _shown(picked, listed, within=within)
    ]
    pictured += [""] * (len(tiles) - len(pictured))
    shape = 1.0 if any(pictured) else 2.0
    for cell, (key, words, marked, does), picture in zip(
        best_grid(rect, len(tiles), sheet.em(0.2), shape=shape), tiles, pictured, strict=True
    ):
        if picture:
            _paint_pictured(sheet, cell, picture, key, does, marked=marked)
        else:
            narrow = any(pictured) and sheet.text_width(words) > cell.w - sheet.em(0.6)
            sheet.button(
                cell, "" if narrow else words, key, does, marked=marked, scale=1.0 if narrow else 1.4
            )
            if narrow:
                sheet.picture(sheet.art.motif("back", min(cell.size) * 6 // 10), cell.center)


def _shown(picked: StepRow, listed: tuple[StepRow, ...], *, within: bool) -> tuple[Choice, ...]:
    """The choices whose tiles are shown: the second values of one row, or the first of each row."""
    if within:
        return picked.choices
    return tuple(row.choices[0] for row in listed if row.choices[0].first is not None)


def _pictures(frame: GameFrame, said: Sentence | None) -> str:
    """The one card or sign that a choice shows; empty: it is told in words."""
    found = () if said is None else find_pictures(frame.board, said)
    return found[0] if len(found) == 1 else ""


def _paint_pictured(
    sheet: Sheet, cell: Box, picture: str, key: str, does: TouchAction, *, marked: bool
) -> None:
    """A sign, or what stands in the corner of a card: its rank over its suit."""
    sheet.box(cell, GOLD if marked else PAPER, INK, radius=0.3)
    sign, _, rank = picture.partition(":")
    if picture in ICON_PAINTERS:
        sheet.picture(sheet.art.motif(picture, min(cell.size) * 7 // 10), cell.center)
    else:
        words, low = rows(cell.inflate(0, -cell.h // 8), FILL, cell.h * 2 // 5)
        scale = max(1.0, min(LARGE, words.h * 0.8 / sheet.unit))
        sheet.text(words, rank, scale, INK, bold=True, align="center", grows=False)
        sheet.picture(sheet.art.motif(f"suit:{sign}", min(low.size)), low.center)
    sheet.target(key, cell, does)


def _name_first(sheet: Sheet, choice: Choice) -> str:
    """A number alone: the plate says of what."""
    first = choice.action.parts[0]
    return str(first) if isinstance(first, int) or choice.first is None else sheet.sentence(choice.first)


def _pick(row: StepRow) -> TouchAction:
    """A row that has one choice is that choice."""
    first = row.choices[0]
    return touch_action(
        DeclareAction(pick_action(first, row.place) if len(row.choices) > 1 else first.action)
    )


def _second(choice: Choice) -> str | int:
    return choice.action.parts[-1] if choice.action.parts else ""


def _order(second: str | int) -> tuple[bool, str | int]:
    """Numbers first, in their order."""
    return isinstance(second, str), second
