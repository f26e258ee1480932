"""Overlay on which people enter where things really lie, to repair the game."""

from collections.abc import Mapping

from companion.core.actions import Chair, Seat
from companion.core.view import (
    BotView,
    ChairView,
    RepairableItem,
    RepairablePairs,
    TableValues,
    View,
    repairable_values,
    token_owners,
)
from companion.ui.commands import RepairTable
from companion.ui.frame import GameFrame
from companion.ui.layout import FILL, Box, columns, grid
from companion.ui.overlays.dialog import (
    CLOSE_BUTTON,
    PRIMARY_CLOSE_BUTTON,
    PRIMARY_FILL,
    DialogButton,
    paint_buttons,
    paint_dialog,
    paint_trouble,
    scroll_buttons,
    scroll_range,
)
from companion.ui.overlays.felt_choices import paint_statement
from companion.ui.toolkit.chair_tiles import BotDeck, deck_colour, paint_holder
from companion.ui.toolkit.sheet import Sheet, touch_action
from companion.ui.toolkit.theme import (
    DARK,
    GOLD,
    INK,
    PAPER,
    RAISED,
    TEXT,
    Colour,
    blend,
    plate_ground,
    type_scale,
)
from companion.ui.toolkit.widgets import paint_row

FAINT = 70
"""Of 255: how much is seen of a thing that somebody has not."""


def is_repairable(view: View) -> bool:
    """Whether there is anything that the table could say now."""
    return bool(repairable_values(view))


def with_value(table: TableValues, name: str, value: str | int) -> TableValues:
    """The table with one thing said differently."""
    return tuple((key, value if key == name else old) for key, old in table)


def list_pairs(table: TableValues, pairs: RepairablePairs) -> tuple[tuple[int, int, int], ...]:
    """The pairs that lie: number, place and the seat they belong to (-1: nobody said)."""
    owners = {
        int(number): int(name.partition(":")[2])
        for name, numbers in table
        if name.startswith(f"{pairs.owned}:")
        for number in str(numbers).split(",")
        if number
    }
    return tuple(
        (int(pair), int(name.partition(":")[2]), owners.get(int(pair), -1))
        for name, pair in table
        if name.startswith(f"{pairs.place}:") and int(pair)
    )


def replace_pairs(
    table: TableValues, names: RepairablePairs, pairs: tuple[tuple[int, int, int], ...]
) -> TableValues:
    """The table with exactly these pairs."""
    told: list[tuple[str, str | int]] = []
    for name, value in table:
        kind, _, place = name.partition(":")
        if kind == names.owned:
            numbers = sorted(number for number, _, owner in pairs if owner == int(place))
            told.append((name, ",".join(map(str, numbers))))
        elif kind == names.place:
            told.append((name, next((number for number, slot, _ in pairs if slot == int(place)), 0)))
        else:
            told.append((name, value))
    return tuple(told)


def paint_repair(sheet: Sheet, frame: GameFrame) -> None:
    """First who has what, then which pair lies where; touching steps through what it can be."""
    if not is_repairable(frame.view):
        nothing = sheet.tr("ui.repair.none")
        paint_statement(sheet, sheet.tr("ui.repair"), nothing, PRIMARY_CLOSE_BUTTON, sign="check")
        return
    if frame.view.fields:
        _paint_fields(sheet, frame)
        return
    table = frame.ui_state.declared or repairable_values(frame.view)
    paired = frame.board.repairable_pairs
    pairs_page = paired is not None and frame.ui_state.typed == "pairs"
    body = paint_dialog(sheet, "ui.repair.pairs" if pairs_page else "ui.repair").inflate(-sheet.em(0.8), 0)
    body = paint_trouble(sheet, body, frame)
    if paired is not None and pairs_page:
        _paint_pairs(sheet, body, frame, table, paired)
    else:
        _paint_people(sheet, body, frame, table)
    words, typed = ("ui.repair", "") if pairs_page else ("ui.repair.pairs", "pairs")
    other = DialogButton(words, "other", touch_action(declared=table, typed=typed, focus=""))
    _paint_repair_buttons(sheet, table, *([] if paired is None else [other]))


def _paint_repair_buttons(sheet: Sheet, table: TableValues, *others: DialogButton) -> None:
    """Other ways, the table as it is said now, and the way out."""
    save = DialogButton("ui.repair.do", "do", touch_action(RepairTable(table)))
    close = CLOSE_BUTTON._replace(action=touch_action(overlay="", declared=(), typed=""))
    last = (close, save) if sheet.frame.ui_state.declared else (save, close)  # golden is what is likely now
    paint_buttons(sheet, *others, last[0], last[1]._replace(fill=PRIMARY_FILL))


def _paint_fields(sheet: Sheet, frame: GameFrame) -> None:
    """One row for each thing that a game lets the table say; touching takes the next value."""
    body = paint_trouble(sheet, paint_dialog(sheet, "ui.repair"), frame)
    view = frame.view
    table = frame.ui_state.declared or repairable_values(view)
    values = dict(table)
    gap = sheet.em(0.2)
    room = max(1, (body.h + gap) // max(sheet.em(1.55), sheet.min_touch_height + gap))
    first, end = scroll_range(len(view.fields), room, frame.ui_state.scroll)
    fields = view.fields[first : first + room]
    lines = grid(body, min(room, len(view.fields)), 1, gap=gap, most=sheet.em(3) - gap)
    for row, field in zip(lines, fields, strict=False):
        fill = RAISED if field.chair is None else plate_ground(sheet.colour(field.chair))
        sheet.box(row, fill, radius=0.3)
        if field.chair is not None:
            _paint_name(sheet, row, field.chair)
        words = Box(row.x + row.w * 38 // 100, row.y, row.w * 32 // 100, row.h)
        sheet.text(words, sheet.tr(field.words), 1.0, TEXT)
        cell = Box(row.x + row.w * 72 // 100, row.y + gap // 2, row.w * 27 // 100, row.h - gap)
        value = int(values[field.name])
        after = field.choices[(field.choices.index(value) + 1) % len(field.choices)]
        does = touch_action(declared=with_value(table, field.name, after))
        if field.seats:
            sheet.button(cell, "", f"field:{field.name}", does)
            wide = cell._replace(w=cell.w * 5 // 2)  # a row's third is for the name
            _paint_name(sheet, wide, next(chair.chair for chair in view.chairs if chair.seat == value))
        else:
            shown = value != field.value
            sheet.button(cell, str(value), f"field:{field.name}", does, scale=1.2, bold=True, chosen=shown)
    _paint_repair_buttons(sheet, table, *(scroll_buttons(first, end, room) if end else ()))


def _paint_people(sheet: Sheet, body: Box, frame: GameFrame, table: TableValues) -> None:
    values = dict(table)
    gap = sheet.em(0.3)
    people = token_owners(frame.view)
    for chair, row in zip(people, _row_rects(sheet, body, len(people), gap), strict=True):
        _paint_owner(sheet, row, chair)
        held = frame.board.repairable_items
        width = (row.w * 62 // 100) // max(1, len(held))
        cells = columns(row, *[width] * len(held), justify="end")
        for place, one in zip(cells, held, strict=True):
            if one.only_one and isinstance(chair, BotView):
                continue  # nobody sits there
            cell = place.inset(left=gap, right=gap, top=gap // 2, bottom=gap - gap // 2)
            has, name, after = _next_amount(one, values, chair.seat)
            sheet.box(cell, PAPER if has else _empty_cell(sheet, chair), GOLD if has else None, radius=0.3)
            side, counted = min(cell.h - gap, cell.w * 45 // 100, sheet.em(2.8)), has and one.max_count > 1
            motif = sheet.art.motif(one.motif, side)
            if not has:
                motif = motif.copy()
                motif.set_alpha(FAINT)
            sheet.picture(motif, (cell.x + (cell.w - side * counted) // 2, cell.centery))
            if counted:
                beside = cell.inset(left=cell.w // 2)
                sheet.text(beside, str(has), 1.5, INK, bold=True, align="center")
            does = touch_action(declared=with_value(table, name, after))
            sheet.target(f"{one.kind}:{chair.seat}", cell, does)


def _row_rects(sheet: Sheet, body: Box, count: int, gap: int) -> tuple[Box, ...]:
    """One below the other; in two columns where a finger could not tell them apart."""
    across = 1 if (body.h + gap) // count - gap >= sheet.min_touch_height else 2
    most = max(sheet.em(4.0) - gap, sheet.min_touch_height)
    return grid(body, count, across, gap=2 * gap, rows_apart=gap, most=most, downwards=True)


def _next_amount(one: RepairableItem, values: Mapping[str, str | int], seat: Seat) -> tuple[int, str, int]:
    """How many a seat has, and what touching it changes: a name in the table, and its next value."""
    if one.only_one:
        return int(values.get(one.name) == seat), one.name, seat
    name = f"{one.name}:{seat}"
    has = int(values.get(name, 0))
    return has, name, (has + 1) % (one.max_count + 1)


def _paint_name(sheet: Sheet, row: Box, holder: Chair | BotDeck) -> None:
    """Whose row it is, in its left third."""
    name = row.inset(left=sheet.em(0.5))._replace(w=row.w * 34 // 100 + sheet.em(0.4))
    radius = min(row.h // 2 - 2, sheet.em(1.0))
    paint_holder(sheet, name, holder, TEXT, radius=radius, gap=0.5, scale=type_scale("said"))


def _paint_owner(sheet: Sheet, row: Box, one: ChairView | BotView) -> None:
    """The row of a person or of a deck that nobody holds."""
    if isinstance(one, ChairView):
        paint_row(sheet, row, plate_ground(sheet.colour(one.chair)))
        _paint_name(sheet, row, one.chair)
    else:
        paint_row(sheet, row, blend(DARK, deck_colour(sheet, one.owner), 0.25))
        _paint_name(sheet, row, BotDeck(one.owner))


def _empty_cell(sheet: Sheet, one: ChairView | BotView) -> Colour:
    """Where this one has nothing: darker than the row."""
    if isinstance(one, ChairView):
        return blend(plate_ground(sheet.colour(one.chair)), DARK, 0.35)
    return blend(DARK, deck_colour(sheet, one.owner), 0.15)


def _paint_pairs(
    sheet: Sheet, body: Box, frame: GameFrame, table: TableValues, names: RepairablePairs
) -> None:
    """One row for each pair: its number, its place, whose it is; and a row to add one."""
    pairs = list_pairs(table, names)
    seats = [one.seat for one in token_owners(frame.view)]
    highest, slots = 2 * len(seats), len(frame.view.places)
    gap = sheet.em(0.2)
    lines = _row_rects(sheet, body, min(len(seats), len(pairs) + 1), gap)
    for place, ((number, slot, owner), row) in enumerate(zip(pairs, lines, strict=False)):
        others = pairs[:place] + pairs[place + 1 :]
        used, taken = {pair[0] for pair in others}, {pair[1] for pair in others}
        next_number = _next_free_number(number, highest, used)
        next_slot = _next_free_number(slot, slots, taken)
        next_owner = seats[(seats.index(owner) + 1) % len(seats)] if owner in seats else seats[0]
        steps = (
            ("number", sheet.tr("ui.repair.pair", number=number), (next_number, slot, owner)),
            ("slot", sheet.tr("ui.repair.slot", slot=slot), (number, next_slot, owner)),
            ("owner", "", (number, slot, next_owner)),
        )
        *cells, gone = columns(row, *[3 * (row.w // 11)] * len(steps), FILL)
        for (kind, string, after), whole in zip(steps, cells, strict=True):
            cell = whole.inset(right=gap)
            told = replace_pairs(table, names, (*pairs[:place], after, *pairs[place + 1 :]))
            sheet.button(cell, string, f"{kind}:{place}", touch_action(declared=told))
            if kind == "owner":
                whose = next((one for one in token_owners(frame.view) if one.seat == owner), None)
                _paint_pair_owner(sheet, cell, whose, gap)
        does = touch_action(declared=replace_pairs(table, names, others))
        sheet.button(gone, "×", f"remove:{place}", does, bold=True)
    if len(pairs) < len(seats):
        number = _next_free_number(0, highest, {pair[0] for pair in pairs})
        slot = _next_free_number(0, slots, {pair[1] for pair in pairs})
        told = replace_pairs(table, names, (*pairs, (number, slot, seats[0])))
        sheet.button(lines[len(pairs)], sheet.tr("ui.repair.add"), "add", touch_action(declared=told))


def _paint_pair_owner(sheet: Sheet, cell: Box, whose: ChairView | BotView | None, gap: int) -> None:
    if whose is None:
        sheet.text(cell, "–", 1.0, TEXT, align="center")
        return
    holder = whose.chair if isinstance(whose, ChairView) else BotDeck(whose.owner)
    radius = min(cell.h // 2 - 2, sheet.em(0.8))
    paint_holder(sheet, cell.inset(left=gap, right=gap), holder, TEXT, radius=radius, gap=0.4)


def _next_free_number(value: int, highest: int, taken: set[int]) -> int:
    """The next number from 1 to `highest` that is not taken."""
    for step in range(1, highest + 1):
        candidate = (value + step - 1) % highest + 1
        if candidate not in taken:
            return candidate
    return value
