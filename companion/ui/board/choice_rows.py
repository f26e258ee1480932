"""Draws a choice in two steps: a row for each first value, its second values in it; or one step at a time."""

from typing import NamedTuple

from companion.core.actions import Action
from companion.core.button_choices import PICK, STEP
from companion.core.view import ChairView, Choice, Sentence
from companion.ui.board.card_pictures import find_pictures
from companion.ui.commands import DeclareAction
from companion.ui.frame import GameFrame
from companion.ui.layout import FILL, Box, best_grid, columns, rows
from companion.ui.toolkit.icons import ICON_PAINTERS
from companion.ui.toolkit.sheet import MARK, Sheet, TouchAction, touch_action
from companion.ui.toolkit.theme import BUTTON_EDGE, FELT, GOLD, INK, PAPER, RAISED, TEXT, Colour, blend
from companion.ui.toolkit.widgets import paint_press_sign

ROWS = (5, 4, 3)
"""So many rows have room for numbers that are read across the table; fewer where those are small."""
ROOMY = 2
"""A cell so many lines high is read across the table."""
DIM = 165
"""How much is seen of a picture in another row than the marked one, of 255."""
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
    """Rows of numbers where a finger tells them apart, else the first values and then the second."""
    listed, gap = list_rows(chair), sheet.em(0.3)
    seconds = sorted(
        {_second(choice) for row in listed for choice in row.choices if choice.first}, key=_order
    )
    numbers = all(isinstance(part, int) for row in listed for part in row.choices[0].action.parts)
    for most in ROWS:
        bands = rows(rect, *[FILL] * min(most, len(listed)), gap=gap)
        side = min(bands[0].h, (rect.w - bands[0].h) // max(1, len(seconds)) - gap // 2)
        if side >= ROOMY * sheet.line_height:
            break
    if not numbers or side < max(sheet.min_touch_height, sheet.line_height):
        _paint_one_step(sheet, rect, listed, frame)
        return
    now = next((at for at, row in enumerate(listed) if row.is_picked), 0)
    said = listed[now].choices[0].first is None and not frame.ui_state.overlay  # the plate has it
    first = now + 1 if said else max(0, min(now - 1, len(listed) - most))
    shown = listed[first : first + most]
    for band, row in zip(bands, shown, strict=False):
        ink = _paint_band(sheet, band, row)
        if row.choices[0].first is None:
            _paint_words(sheet, band, row.choices[0], ink)
            continue
        head, *cells = columns(
            band.inflate(-gap, 0), band.h, *[side] * len(seconds), gap=gap // 2, justify="center"
        )
        scale = min(LARGE, head.h * 0.7 / sheet.unit) * (1.0 if row.is_picked else 0.9)
        number = str(row.choices[0].action.parts[0])
        sheet.text(head, number, max(1.0, scale), ink, bold=True, align="center")
        sheet.target(f"row:{number}", head, _pick(row))
        for cell, second in zip(cells, seconds, strict=True):
            for choice in row.choices:
                if _second(choice) == second:
                    _paint_second(sheet, cell, choice, frame, row, dim=not (said or row.is_picked))


def _paint_band(sheet: Sheet, band: Box, row: StepRow) -> Colour:
    if row.is_picked:
        sheet.box(band, PAPER, GOLD, width=MARK)
        return INK
    return TEXT


def _paint_words(sheet: Sheet, band: Box, choice: Choice, ink: Colour) -> None:
    """A choice that has one step; it is held where it is marked."""
    words, wide = sheet.sentence(choice.label), sheet.em(2.2)
    if not choice.marked:
        sheet.box(band, RAISED, BUTTON_EDGE)
    inner = band.inset(left=wide, right=wide)
    if choice.marked:
        paint_press_sign(sheet, band.inset(left=sheet.em(0.5)), choice.press, ink)
    sheet.text(inner, words, min(2.0, band.h * 0.5 / sheet.unit), ink, bold=True, align="center")
    sheet.target(f"tile:{choice.action}", band, touch_action(DeclareAction(choice.action)))


def _paint_second(
    sheet: Sheet, cell: Box, choice: Choice, frame: GameFrame, row: StepRow, *, dim: bool
) -> None:
    """One number, or the picture that the board has for it; `dim`: another row is picked."""
    side = min(cell.size) * 6 // 7
    box = Box(cell.centerx - side // 2, cell.centery - side // 2, side, side)
    alone = choice.marked and sum(one.marked for one in row.choices) == 1
    if alone:
        sheet.box(box.inflate(side // 7, side // 7), GOLD)
    motif, second = frame.board.second_pictures.get(choice.action.verb), _second(choice)
    if motif:
        picture = sheet.art.motif(f"{motif}:{second}", side)
        if dim:
            picture = picture.copy()
            picture.set_alpha(DIM)
        sheet.picture(picture, box.center)
    else:
        fill = blend(FELT, PAPER, 0.72) if dim else PAPER
        sheet.box(box, fill, INK)
        scale = max(1.0, min(LARGE, side / sheet.unit * 0.5))
        sheet.text(box, str(second), scale, INK, bold=True, align="center", grows=False)
    sheet.target(f"tile:{choice.action}", cell, touch_action(DeclareAction(choice.action)))


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
        _paint_words(sheet, band, row.choices[0], _paint_band(sheet, band, row))
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
