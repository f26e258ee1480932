"""Draws the middle of the game page: places, choices or the current exchange."""

from typing import Literal, NamedTuple

from msgspec.structs import replace

from companion.core.actions import Chair
from companion.core.view import (
    Board,
    CardMove,
    ChairView,
    Choice,
    PlaceView,
)
from companion.ui.board import stage_layout
from companion.ui.board.card_pictures import find_pictures
from companion.ui.board.choice_rows import list_rows, paint_choice_rows
from companion.ui.board.heaps import paint_heaps, paint_heaps_strip
from companion.ui.board.plate_choices import (
    CHOICES_OVERLAY,
    choice_value,
    is_chosen_beside_table,
    paint_choice,
    paint_half,
    say_action,
    split_halves,
)
from companion.ui.board.player_sets import arrange_sets, paint_set
from companion.ui.board.row_centre import paint_rows
from companion.ui.board.trick_centre import divide_trick, paint_trick, trick_places
from companion.ui.commands import ControlGuide, DeclareAction
from companion.ui.frame import GameFrame, is_searching
from companion.ui.layout import FILL, Box, Share, best_grid, columns, grid, rows, stack
from companion.ui.toolkit.chair_tiles import (
    BotDeck,
    bot_deck,
    paint_bot_badge,
    paint_bot_tile,
    paint_chair_tile,
)
from companion.ui.toolkit.sheet import MARK, Sheet, TouchAction, touch_action
from companion.ui.toolkit.text_painter import Align
from companion.ui.toolkit.theme import BUTTON_EDGE, FELT, GOLD, INK, LOOK, PAPER, RAISED, TEXT, blend
from companion.ui.toolkit.widgets import SIGN, draw_press_sign, paint_empty_place, paint_press_sign

BACK = 1.2
"""How large a way back stands beside what is chosen from."""
MIN_CHOICES_WIDTH = 4.5
"""With less width within the ring there is none for choices: they come when a place was touched."""
STRIP = 3.4
"""How high the line of open card and heaps over choices is."""
MIN_RING_WIDTH = 14
"""With less width there is no room for ring and choices: in a demo the camera's picture shows the ring."""


class Part(NamedTuple):
    """A part of the middle, and where it is."""

    what: Literal["areas", "heaps", "places", "choices", "marked", "exchange", "rows", "trick"]
    box: Box


def has_large_choices(frame: GameFrame) -> bool:
    """Whether one player has more answers than fit beside the table, so that they take the middle."""
    asked = [chair for chair in frame.view.chairs if chair.asked]
    return len(asked) == 1 and len(asked[0].choices) > (3 if frame.view.heaps else 2)


def _only_asked(frame: GameFrame) -> ChairView | None:
    """The one whom the table waits for, where that is one alone."""
    asked = [chair for chair in frame.view.chairs if chair.asked]
    return asked[0] if len(asked) == 1 else None


def _has_begun(chair: ChairView | None) -> bool:
    """Whether presses have led on from the first of several choices."""
    choices = () if chair is None else chair.choices
    return any(choice.marked for choice in choices[1:]) or any(not choice.press for choice in choices)


def _has_left_first_row(chair: ChairView | None) -> bool:
    """Whether presses have led on from the first of several rows."""
    listed = () if chair is None else list_rows(chair)
    return _has_stepped(chair) or not (listed and listed[0].is_picked)


def _has_stepped(chair: ChairView | None) -> bool:
    """Whether the first of two steps was taken."""
    return chair is not None and any(not choice.press for choice in chair.choices)


def arrange_centre(sheet: Sheet, rect: Box, frame: GameFrame, *, docked: bool) -> tuple[Part, ...]:
    """What the table has to look at now, and where each part of it is.

    `docked`: two answers stand large enough on the plate.
    """
    view, alone = frame.view, _only_asked(frame)
    field, large, searching = (
        rect.inflate(-sheet.em(0.5), -sheet.em(0.5)),
        has_large_choices(frame),
        is_searching(view),
    )
    if trick_places(view):
        by_tapping = frame.guide is not None and frame.guide.chooses
        chosen = large and not by_tapping and (view.by_hand or _has_left_first_row(alone))
        lines = 1 + sum(one.first is None for one in alone.choices) if alone is not None else 1
        least, stepped = max(sheet.min_touch_height, sheet.em(2.1)) * lines, _has_stepped(alone)
        trick, room = divide_trick(field, sheet.em(0.3), chosen=chosen, stepped=stepped, least=least)
        return (Part("trick", trick), *((Part("choices", room),) if chosen else ()))
    if any(place.active for place in view.places):
        return (Part("areas", rect),)
    if view.rows and not large:
        return (Part("rows", field),)
    narrow = searching or _is_narrow(sheet, rect, frame, docked=docked)
    marked = [place.region for place in view.places if place.marked]
    # Where ring and choices have no room, the choices come once a place was touched.
    placing = bool(marked) and not (narrow and (frame.ui_state.typed in marked or not searching))
    pointing = alone is not None and all(choice.region for choice in alone.choices)
    led = frame.guide is not None and (not frame.guide.is_lesson or searching)
    if (view.by_hand or _has_begun(alone)) and not led and large and not pointing:
        placing = False  # what it is comes first, as large as it can be; a lesson says where it is
    if large and not placing:
        room = rect.inflate(-sheet.em(0.6), -sheet.em(0.6))
        halved = alone is not None and bool(split_halves(alone))  # then one's own answer is all that matters
        if not view.heaps or halved or rect.h <= sheet.em(9):
            return (Part("choices", room),)
        strip, room = rows(room, sheet.em(STRIP), FILL, gap=sheet.em(0.3))
        return Part("heaps", strip), Part("choices", room)
    if (narrow and not docked and not searching) or _is_told_about(frame):
        return (Part("exchange", field),)
    gap = sheet.em(0.3)
    inner = stage_layout.ring_interior(view.places, field, gap) if view.places else field
    inner = inner.inflate(-sheet.em(0.4), -sheet.em(0.2))
    within: Literal["choices", "marked", "exchange"] = "exchange"
    if large and not pointing and (searching or not narrow):
        within = "marked" if searching else "choices"
    return Part("places", field), Part(within, inner)


def _is_told_about(frame: GameFrame) -> bool:
    """Whether a lesson waits for what people do with a number: then that is large, and no place is needed."""
    view, guide = frame.view, frame.guide
    taught = guide is not None and guide.is_lesson and guide.kind == "wait"
    return taught and "number" in dict(view.headline.parts) and not any(one.marked for one in view.places)


def _is_narrow(sheet: Sheet, rect: Box, frame: GameFrame, *, docked: bool) -> bool:
    """Whether ring and choices have no room beside each other."""
    if not docked:
        return rect.w < sheet.em(MIN_RING_WIDTH)
    places, alone = frame.view.places, _only_asked(frame)
    within = stage_layout.ring_interior(places, rect, 0) if places else rect
    return within.w < sheet.em(MIN_CHOICES_WIDTH) or (
        alone is not None and not _fits_finger_choices(sheet, within, alone)
    )


def paint_centre(sheet: Sheet, rect: Box, frame: GameFrame, *, docked: bool) -> None:
    """Paint what the table has to look at now."""
    alone = _only_asked(frame)
    for what, box in arrange_centre(sheet, rect, frame, docked=docked):
        if what == "areas":
            _paint_sets(sheet, box, alone, frame)
        elif what == "rows":
            paint_rows(sheet, box, frame)
        elif what == "trick":
            paint_trick(sheet, box, frame)
        elif what == "heaps":
            paint_heaps_strip(sheet, box, frame.view)
        elif what == "places":
            paint_places(sheet, box, sheet.em(0.3), frame)
        elif what == "choices" and alone is not None:
            paint_choice_grid(sheet, box, alone, frame)
        elif what == "marked" and alone is not None:
            _paint_marked(sheet, box, alone, frame)
        else:
            paint_exchange(sheet, box, alone, frame, on_plate=docked)


def _paint_marked(sheet: Sheet, box: Box, chair: ChairView, frame: GameFrame) -> None:
    """The card that a hold says was found: the ring round it is what one looks at."""
    marked = next((choice for choice in chair.choices if choice.marked), chair.choices[0])
    _paint_tile(sheet, box, marked, find_face(marked, frame.board), lifted=False)
    _enlarge(sheet, box, chair)


def _fits_finger_choices(sheet: Sheet, within: Box, chair: ChairView) -> bool:
    """Whether a finger tells the choices apart within the ring: short ones two in a row, others one."""
    if len(chair.choices) <= 2:
        return True  # they stand on the plate
    long = [choice for choice in chair.choices if _choice_subject(choice) is None]
    pairs = -(-(len(chair.choices) - len(long)) // 2)
    heights = [_choice_height(sheet, one, within.w) for one in long] + [sheet.min_touch_height] * pairs
    return within.h >= sum(heights) + len(heights) * sheet.em(0.3)


def _paint_sets(sheet: Sheet, rect: Box, alone: ChairView | None, frame: GameFrame) -> None:
    """What lies before everybody; where this turn is played stands what the one who is asked may do."""
    offered = () if alone is None else alone.choices
    marked = next((choice for choice in offered if choice.marked), None)
    spots = {
        choice.region: choice if marked is None else replace(choice, press="")  # the plate says what taps do
        for choice in offered
        if choice.region
    }
    cells = arrange_sets(sheet, rect, frame)
    others = tuple(choice for choice in offered if not choice.region)
    free = next((cells[place.region] for place in frame.view.places if place.active and not place.card), None)
    for place in frame.view.places:
        bare = len(others) != 1 or cells[place.region] != free
        spot = spots.get(place.region)
        veiled = bool(spots) and spot is None
        paint_set(sheet, cells[place.region], place, spot, outlined=bare, veiled=veiled)
    if free is None or alone is None or not others:
        return
    room = free.inflate(sheet.em(0.25), -sheet.em(0.2))
    if not any(one.x == free.x and one.y > free.y for one in cells.values()):
        room = room.inset(bottom=room.bottom - rect.bottom + sheet.em(0.2))
    if len(others) == 1 and _choice_subject(others[0]) is None:
        high = max(sheet.em(2.2), sheet.min_touch_height)
        above, low = rows(room, FILL, high, gap=sheet.em(0.3))
        above = stack(above, above.w, min(above.h, sheet.em(4.6)), "bottom")
        words = "" if marked is None or marked is others[0] else sheet.sentence(marked.label)
        fitted = sheet.painter.fit_text(words, above.w - sheet.em(0.6), above.h, 1.0, bold=True)
        if marked is not None and words and not fitted.cut and not fitted.broken:
            sheet.button(above, words, "sets:marked", say_action(marked), fill=PAPER, scale=BACK, bold=True)
        fill = PAPER if others[0].marked else blend(FELT, INK, 0.4)
        words, key = sheet.sentence(others[0].label), f"tile:{others[0].action}"
        sheet.button(low, words, key, say_action(others[0]), fill=fill, scale=BACK, bold=True)
        return
    sheet.box(room, FELT, GOLD, radius=0.5)
    if any(_choice_subject(choice) is not None for choice in others):
        _paint_values(sheet, room, alone)
    else:
        _paint_moves(sheet, room, others, alone, frame)


def _paint_values(sheet: Sheet, room: Box, chair: ChairView) -> None:
    """Numbers to choose from, what a tap takes above what a hold takes."""
    groups = [(half.press, half.choices) for half in split_halves(chair)] or [("", chair.choices)]
    gap, fits = sheet.em(0.2), True
    least = sheet.text_width("10", bold=True) + 2 * gap
    shares = [Share(-(-len(choices) // max(1, (room.w - sheet.em(1.6)) // least))) for _, choices in groups]
    for box, (press, choices) in zip(
        rows(room.inflate(-gap, -gap), *shares, gap=2 * gap), groups, strict=True
    ):
        sign, area = columns(box, sheet.em(1.0) if press else 0, FILL, gap=2 * gap if press else 0)
        if press:
            sheet.picture(draw_press_sign(sheet, press, sign.w, TEXT), sign.center)
        across = min(len(choices), max(1, area.w // least))
        for cell, choice in zip(grid(area, len(choices), across, gap=gap), choices, strict=True):
            words = choice_value(choice) or sheet.sentence(choice.label)
            sheet.box(cell, PAPER if choice.marked else RAISED, radius=0.3)
            ink = INK if choice.marked else TEXT
            if sheet.text_width(words, bold=True) <= cell.w:
                scale = max(1.0, min(1.8, cell.h / sheet.line_height))
                sheet.text(cell, words, scale, ink, bold=True, align="center", grows=False)
            else:
                sheet.picture(sheet.art.motif("left", min(cell.size) * 7 // 10), cell.center)
            sheet.target(f"tile:{choice.action}", cell, say_action(choice))
            fits &= min(cell.size) >= sheet.min_touch_height
    if not fits:
        del sheet.targets[-len(chair.choices) :]
        _enlarge(sheet, room, chair)


def _paint_moves(
    sheet: Sheet, room: Box, choices: tuple[Choice, ...], chair: ChairView, frame: GameFrame
) -> None:
    """Moves, each with its picture, one below the other, the marked one on paper.

    As many about that one as there is room for.
    """
    gap, motifs = sheet.em(0.2), [frame.board.verb_pictures.get(one.action.verb, "") for one in choices]
    inner, told = room.inflate(-gap, -2 * gap), [sheet.sentence(choice.label) for choice in choices]
    marked = next((number for number, choice in enumerate(choices) if choice.marked), 0)
    many = max(1, min(len(choices), (inner.h + gap) // (sheet.line_height + gap)))
    first = max(0, min(marked - many // 2, len(choices) - many))
    high = min((inner.h + gap) // many - gap, sheet.em(3))
    widest = max(sheet.text_width(words, bold=True) for words in told)
    side = min(high * 9 // 10, sheet.em(2.4), inner.w - widest - 4 * gap) if any(motifs) else 0
    side = side if side >= sheet.em(0.9) else 0
    scale = max(1.0, min(1.5, (inner.w - side - 4 * gap) / widest))
    apart = many == len(choices) and high >= sheet.min_touch_height
    shown = range(first, first + many)
    inset = gap if side else 0  # in the middle words need no margin
    for row, number in zip(rows(inner, *[high] * many, gap=gap, justify="center"), shown, strict=True):
        choice = choices[number]
        if choice.marked:
            sheet.box(row, PAPER, radius=0.4)
        sign, words = columns(row.inset(left=inset, right=inset), side, FILL, gap=2 * gap if side else 0)
        if side and motifs[number]:
            sheet.picture(sheet.art.motif(motifs[number], side), sign.center)
        ink = INK if choice.marked else TEXT
        align: Align = "left" if side else "center"
        sheet.text(words, told[number], scale, ink, bold=True, align=align, grows=False)
        if apart:
            sheet.target(f"tile:{choice.action}", row, say_action(choice))
    if not apart:
        _enlarge(sheet, room, chair)


def _enlarge(sheet: Sheet, room: Box, chair: ChairView) -> None:
    """Touched, it shows the answers large."""
    sheet.target(f"large:{chair.chair}", room, touch_action(overlay=CHOICES_OVERLAY, about=chair.chair))


def paint_places(sheet: Sheet, field: Box, gap: int, frame: GameFrame) -> None:
    """Everything that is on the table, where it is."""
    cells = stage_layout.place_cells(frame.view.places, field, gap)
    for place in frame.view.places:
        cell = cells[place.region]
        width = min(cell.w, max(round(cell.h * stage_layout.CARD_ASPECT), sheet.em(2.9)))
        _paint_place(sheet, stack(cell, width, cell.h), place, frame)


def _paint_place(sheet: Sheet, card: Box, place: PlaceView, frame: GameFrame) -> None:
    sign = ""
    if place.marked:
        offered = [choice for chair in frame.view.chairs for choice in chair.choices]
        here = next((choice for choice in offered if choice.region == place.region), None)
        chosen = here.marked if here else frame.ui_state.typed == place.region
        if chosen:  # it is lifted, and larger
            card = card.inflate(sheet.em(LIFT), sheet.em(LIFT)).move(0, -sheet.em(LIFT) // 2)
        if place.card:
            sheet.card_shadow(card)
        if here is None or here.press:
            edge = sheet.em(0.4 if chosen else 0.16)
            sheet.box(sheet.art.card_rect(card).inflate(edge, edge), GOLD, radius=0.4)
        touched = touch_action(typed="" if chosen else place.region)
        if here is not None:
            touched = say_action(here)
            sign = "" if any(choice.marked for choice in offered) else here.press
        elif offered and not chosen:
            touched = replace(touched, leads=f"tile:{offered[0].action}")
        if frame.guide is not None and (frame.guide.kind == "practice" or frame.guide.touch_verb):
            touched = touch_action(ControlGuide(f"place:{place.region}"))  # the person's hand does it at once
        sheet.target(f"place:{place.region}", card, touched)
    elif place.card:
        sheet.card_shadow(card)
    if not place.card:
        paint_empty_place(sheet, card)
    elif place.card.startswith("back:"):
        sheet.surface.blit(sheet.art.card_back(card.size, place.card), card)
        scale = max(1.0, min(1.5, card.w / sheet.unit / 2.2))
        plaque = sheet.art.card_rect(card)
        led = frame.guide is not None and frame.guide.is_lesson and not is_searching(frame.view)
        name = "" if led else place.region.partition(":")[2] or place.region
        plaque = stack(plaque, max(plaque.w, sheet.text_width(name, bold=True)), plaque.h)
        sheet.text(plaque, name, scale, TEXT, bold=True, align="center")
    else:
        sheet.surface.blit(sheet.art.card_face(place.card, card.size, place.on_top), card)
    sheet.place(f"card:{place.region}", card, (place.card, *place.on_top) if place.card else ())
    if sign:
        at = stack(sheet.art.card_rect(card), sheet.em(1.2), sheet.em(1.2), "bottom")
        sheet.disc(at.center, at.w // 2, INK)
        sheet.picture(draw_press_sign(sheet, sign, at.w * 3 // 4, PAPER), at.center)


def paint_choice_grid(sheet: Sheet, rect: Box, chair: ChairView, frame: GameFrame) -> None:
    """All choices of one chair as large touch tiles; the mark stands where the button would confirm.

    Of many, what a tap takes stands above what a hold takes.
    """
    halves, gap = split_halves(chair), sheet.em(0.4)
    if list_rows(chair):
        paint_choice_rows(sheet, rect, chair, frame)
        return
    if not halves:
        _paint_tiles(sheet, rect, chair.choices, frame)
        return
    words_only = [all(_choice_subject(choice) is None for choice in half.choices) for half in halves]
    lines = [1 + -(-len(half.choices) // NUMBERS_ABREAST) for half in halves]
    abreast = all(_have_numbers_room(sheet, rect.w - sheet.em(0.6), half.choices, frame) for half in halves)
    heights = [
        sheet.em(WORDS_HEIGHT) if words and not all(words_only) else Share(many)
        for words, many in zip(words_only, lines, strict=True)
    ]
    for box, half, words_alone in zip(rows(rect, *heights, gap=gap), halves, words_only, strict=True):
        sheet.box(box, DEEP, GOLD, radius=0.5)
        inner = box.inflate(-sheet.em(0.6), -sheet.em(0.3))
        scale = max(1.0, min(HALF_SCALE, inner.h / sheet.line_height / 3))
        head, room = rows(inner, sheet.painter.line_height(scale), FILL, gap=gap // 2)
        roomy = room.h >= sheet.line_height and _find_touched_grids(sheet, room, len(half.choices))
        if roomy and abreast and not words_alone:
            words = paint_press_sign(sheet, head, half.press, TEXT, most=HALF_SCALE, gap=0.5)
            paint_half(sheet, words, half, TEXT, scale=scale)
        else:  # the plate says the same in words
            inner = box.inflate(-sheet.em(0.4), -sheet.em(0.5))
            sign, room = columns(inner, sheet.em(SIGN), FILL, gap=gap // 2)
            sheet.picture(draw_press_sign(sheet, half.press, sign.w, TEXT), sign.center)
        _paint_tiles(sheet, room, half.choices, frame, most=max(len(one.choices) for one in halves))


def _have_numbers_room(sheet: Sheet, width: int, choices: tuple[Choice, ...], frame: GameFrame) -> bool:
    """Whether numbers that are no cards stand whole in one row of tiles; True for all else."""
    values = [choice_value(one) for one in choices if not find_face(one, frame.board)]
    if len(values) < len(choices) or not all(map(str.isdigit, values)):
        return True
    each = max(sheet.text_width(value, bold=True) for value in values) + 2 * sheet.em(0.4)
    return len(values) * each <= width


WORDS_HEIGHT = 2.6
"""How high a half is that has only words, in em, beside one of cards."""
DEEP = blend(FELT, INK, 0.3)
"""The ground of a half of the choices."""
HALF_SCALE = 1.6
"""How large the words over a half are at most."""


def _paint_tiles(
    sheet: Sheet, rect: Box, choices: tuple[Choice, ...], frame: GameFrame, *, most: int = 0
) -> None:
    """Choices as tiles, and those that need words as buttons under them.

    `most`: cards or numbers are as large as those of so many.
    """
    gap = sheet.em(0.3)
    long = [choice for choice in choices if _choice_subject(choice) is None]
    tiles = [choice for choice in choices if _choice_subject(choice) is not None]
    heights = [_choice_height(sheet, choice, rect.w) for choice in long]
    area, *lines = rows(rect, FILL, *heights, gap=gap)
    if tiles and len(long) == 1 and rect.h < 2 * heights[0] + gap:  # beside them, for below is no room
        words = sheet.text_width(sheet.sentence(long[0].label), bold=True) + sheet.em(0.6)
        if words <= rect.w // 3:
            area, lines[0] = columns(rect, FILL, words, gap=gap)
        else:  # a number is read at half the height, if the words are too
            low = max(sheet.min_touch_height, min(heights[0], (rect.h - gap) // 2))
            told, wide = sheet.sentence(long[0].label), rect.w - 2 * sheet.em(0.3)
            if not sheet.painter.fit_text(told, wide, low - sheet.em(0.3), 1.0, bold=True).cut:
                area, lines[0] = rows(rect, FILL, low, gap=gap)
    faces, small = [find_face(choice, frame.board) for choice in tiles], False
    apart, numbers = sheet.em(0.4), all(choice_value(choice).isdigit() for choice in tiles)
    most = max(most, len(tiles))
    numbers &= most > 2
    if tiles and all(faces):
        cells = _card_cells(sheet, area, len(tiles), most)
        widest = max(sheet.text_width(str(_choice_subject(choice)), bold=True) for choice in tiles)
        small = sheet.art.card_rect(cells[0]).h < sheet.em(SMALLEST_CARD) and widest < cells[0].w * 3 // 4
        small &= len({choice_value(choice) for choice in tiles}) == len(tiles)  # a large number says more
    elif (
        numbers
        and most <= NUMBERS_ABREAST
        and (wide := (area.w + apart) // most - apart)
        >= max(sheet.line_height * 6 // 5, sheet.min_touch_height)
    ):
        row = stack(area, area.w, min(area.h - apart, wide * 3 // 2))
        cells = columns(row, *[wide] * len(tiles), gap=apart, justify="center")
    else:
        # Two labels side by side are read, three are not.
        shape = 0.75 if numbers else 2.0 if rect.w < sheet.em(11) else 1.3
        cells = best_grid(area, len(tiles), apart if numbers else gap, shape=shape)
    for cell, following, choice, face in zip(cells, (*cells[1:], *cells[-1:]), tiles, faces, strict=True):
        left = following.x - cell.x if following.y == cell.y else 0  # of a card under the next one
        sheet.target(
            f"tile:{choice.action}",
            cell._replace(w=min(cell.w, left)) if left > 0 else cell,
            _place_action(choice, frame),
        )
        wide = sheet.text_width(choice_value(choice), DISC * cell.h / sheet.unit, bold=True)
        if small and not choice.marked and wide <= cell.h * 3 // 4:
            _paint_small_tile(sheet, cell, choice_value(choice), face)
        else:
            _paint_tile(sheet, cell, choice, "" if small else face, lifted=any(one.marked for one in tiles))
    for row, choice in zip(lines, long, strict=True):
        _paint_choice_button(sheet, row, choice)


def _card_cells(sheet: Sheet, area: Box, many: int, most: int) -> tuple[Box, ...]:
    """Room for each card, as high as it can be; in one row they may lie over each other, the last on top.

    `most`: as large as so many.
    """
    wide, gap = sheet.art.card_rect(area).w, sheet.em(0.2)
    side = max(sheet.min_touch_height, sheet.em(CARD_STRIP))
    if many == 1 or (area.w - wide) // (most - 1) >= min(side, wide):
        return _card_row(area, many, wide, gap)
    least = area.w - side * (most - 1)
    if least >= wide * SHRUNK:  # in one row they are a little smaller
        return _card_row(stack(area, area.w, round(area.h * least / wide)), many, least, gap)
    ways = _find_touched_grids(sheet, area, many) or [best_grid(area, many, gap)]
    return max(ways, key=lambda cells: sheet.art.card_rect(cells[0]).h)


def _card_row(area: Box, many: int, wide: int, gap: int) -> tuple[Box, ...]:
    """Cards so wide beside each other, or over each other where they have no room."""
    step = 0 if many == 1 else min(wide + gap, (area.w - wide) // (many - 1))
    return columns(area, *[wide] * many, gap=step - wide, justify="center")


def _find_touched_grids(sheet: Sheet, area: Box, many: int) -> list[tuple[Box, ...]]:
    """The ways to lay cells in rows in which a finger tells them apart."""
    gap, least = sheet.em(0.2), sheet.min_touch_height
    ways = [grid(area, many, across, gap=gap) for across in range(1, many + 1)]
    return [cells for cells in ways if min(cells[0].size) + gap >= max(least, 1)]


NUMBERS_ABREAST = 5
"""So few numbers that are on no card stand in one row, apart from each other."""
SMALLEST_CARD = 3.0
"""A card that is less high, in em, shows nothing."""
SHRUNK = 0.6
"""How much smaller cards may be to lie in one row."""
CARD_STRIP = 1.3
"""What shows at least of a card under the next one, in em: its number."""


def _paint_choice_button(sheet: Sheet, cell: Box, choice: Choice) -> None:
    """A choice in words."""
    words, key = sheet.sentence(choice.label), f"tile:{choice.action}"
    sheet.button(cell, words, key, say_action(choice), marked=choice.marked)


def _choice_height(sheet: Sheet, choice: Choice, width: int) -> int:
    """What a choice in words needs as a button."""
    words, room = sheet.sentence(choice.label), width - 2 * sheet.em(0.3)
    fitted = sheet.painter.fit_text(words, room, 9 * sheet.unit, 1.0, bold=choice.marked)
    return max(sheet.min_touch_height, len(fitted.lines) * sheet.line_height + sheet.em(0.5))


def _choice_subject(choice: Choice) -> Chair | BotDeck | str | None:
    """The one thing a choice is about: a chair, a deck, or as words a number or a card."""
    parts = dict(choice.label.parts)
    if "chair" in parts:
        return int(parts["chair"])
    if "bot" in parts:
        return bot_deck(parts["bot"])
    return choice_value(choice) or None


def find_face(choice: Choice, board: Board) -> str:
    """The card that shows what a choice is about; empty: none does."""
    faces = [name for name in find_pictures(board, choice.label) if ":" in name]
    return faces[0] if len(faces) == 1 else ""


DISC = 0.6
"""How high the number of a card that is too small is, of the disc under it."""
LABEL = 0.72
"""How much of a tile's width its label has at most."""
LIFT = 0.35
"""How much higher and larger a chosen card lies, in em."""


def _paint_tile(sheet: Sheet, cell: Box, choice: Choice, face: str, *, lifted: bool) -> None:
    """One choice; `lifted`: one of the cards is marked, and lies higher than the others."""
    what = _choice_subject(choice)
    if isinstance(what, BotDeck):
        paint_bot_tile(sheet, cell, what.owner, marked=choice.marked)
    elif isinstance(what, int):
        paint_chair_tile(sheet, cell, what, marked=choice.marked)
    elif face:
        lift = sheet.em(LIFT) if lifted else 0
        card = sheet.art.card_rect(cell.inflate(0, -2 * lift) if not choice.marked else cell)
        if choice.marked:
            card = sheet.art.card_rect(cell.move(0, -lift))
            sheet.box(card.inflate(sheet.em(0.3), sheet.em(0.3)), GOLD, radius=0.4)
        else:
            sheet.card_shadow(card)
        sheet.surface.blit(sheet.art.card_face(face, card.size), card)
    else:
        sheet.shadow(cell, "button", sheet.u(LOOK.radius["button"]))
        fill, edge = (PAPER, GOLD) if choice.marked else (blend(FELT, INK, 0.55), None)
        sheet.box(cell, fill, edge, width=MARK)
        within = LABEL * cell.w / sheet.text_width(str(what), bold=True)
        scale = max(1.0, min(cell.h / sheet.unit * 0.66, within, 3.4))
        sheet.text(cell, str(what), scale, INK if choice.marked else TEXT, bold=True, align="center")


def _paint_small_tile(sheet: Sheet, cell: Box, number: str, face: str) -> None:
    """The middle of a card that is too small to be seen as a whole, and its number over it."""
    wide = cell.w * 9 // 8  # without its paper edge
    high = max(cell.h, round(wide / stage_layout.CARD_ASPECT))
    sheet.shadow(cell, "button", 0)
    band = Box((wide - cell.w) // 2, (high - cell.h) // 2, cell.w, cell.h)
    sheet.surface.blit(sheet.art.card_face(face, (wide, high)), cell, band)
    side = min(cell.h, cell.w * 3 // 4)
    sheet.disc(cell.center, side // 2, PAPER)
    sheet.text(cell, number, side / sheet.unit * DISC, INK, bold=True, align="center", grows=False)


def _place_action(choice: Choice, frame: GameFrame) -> TouchAction:
    """The choice, said with the place that was touched before it."""
    region, value = frame.ui_state.typed, choice.action.value
    if not any(place.region == region and place.marked for place in frame.view.places):
        return say_action(choice)
    action = replace(choice.action, value=f"{value}@{region.partition(':')[2]}")
    return touch_action(DeclareAction(action), typed="")


def paint_exchange(
    sheet: Sheet, rect: Box, alone: ChairView | None, frame: GameFrame, *, on_plate: bool = False
) -> None:
    """Who deals with whom, about what; and a few choices as big buttons, unless a plate tells them.

    `alone`: the one whom the table waits for.
    """
    choices = alone.choices if alone is not None and len(alone.choices) <= 3 else ()
    if alone is not None and (is_chosen_beside_table(alone, frame) or (on_plate and len(choices) <= 2)):
        choices = ()
    foot = min(rect.h * (22 if len(choices) < 3 else 30) // 36, sheet.em(2.8) * len(choices))
    if sheet.min_touch_height:
        foot = min(rect.h, max(foot, (sheet.min_touch_height + sheet.em(0.2)) * len(choices)))
    top, low = rows(rect, FILL, foot)
    _paint_subject(sheet, top, alone, frame, on_plate=on_plate)
    for row, choice in zip(rows(low, *[FILL] * len(choices)), choices, strict=True):
        _paint_answer(sheet, row.inset(top=sheet.em(0.2)), choice)


def _paint_subject(
    sheet: Sheet, rect: Box, alone: ChairView | None, frame: GameFrame, *, on_plate: bool
) -> None:
    """What it is about: heaps, a card, or who gives what to whom."""
    view, parts = frame.view, dict(frame.view.headline.parts)
    bot, named, number = parts.get("bot"), parts.get("chair"), parts.get("number")
    if view.heaps:
        paint_heaps(sheet, rect, view)
    elif view.card:
        height = min(rect.h, round(rect.w * 1.2), sheet.em(8))
        sheet.card(stack(rect, round(height * 0.8), height), view.card)
    elif isinstance(bot, int):
        _paint_deck_exchange(sheet, rect, alone, bot, number)
    else:
        who = named if isinstance(named, int) else None
        if on_plate and alone is not None and who in {None, alone.chair} and number is not None:
            who, alone = None, None  # whom it concerns stands on top and in the light
        _paint_people(sheet, rect, alone, who, number)


def _paint_answer(sheet: Sheet, row: Box, choice: Choice) -> None:
    sheet.box(row, RAISED, GOLD if choice.press == "press" else BUTTON_EDGE)
    inner = row.inset(left=sheet.em(0.4), right=sheet.em(0.3))
    words = paint_press_sign(sheet, inner, choice.press, TEXT, most=1.1, gap=0.3)
    paint_choice(sheet, words, choice, TEXT, scale=1.3)
    sheet.target(f"tile:{choice.action}", row, say_action(choice))


def _badge_radius(sheet: Sheet, rect: Box, parts: int) -> int:
    """How large a badge is where the width is cut into so many parts; 0: too small to be read."""
    radius = min(rect.h * 2 // 5, rect.w // parts, sheet.em(2.6))
    return radius if radius >= sheet.em(0.5) else 0


def _paint_people(
    sheet: Sheet, rect: Box, alone: ChairView | None, named: Chair | None, number: str | int | None
) -> None:
    """One or two badges, a card going from one to the other, and the number it is about."""
    if alone is not None and named is not None and alone.chair != named:
        _paint_pair(sheet, rect, alone, named, number)
        return
    radius = _badge_radius(sheet, rect, 4)
    who = alone.chair if alone is not None else named
    if not radius:
        return
    if who is not None and number is not None:
        sheet.badge((rect.x + rect.w // 4, rect.centery), radius, who)
        paint_number(sheet, Box(rect.centerx, rect.y, rect.w // 2, rect.h), number)
    elif who is not None:
        sheet.badge(rect.center, radius, who)
    elif number is not None:
        paint_number(sheet, rect, number)


def _paint_pair(sheet: Sheet, rect: Box, alone: ChairView, named: Chair, number: str | int | None) -> None:
    """Two badges, and what goes from one to the other between them; where that has no room, below."""
    radius = _badge_radius(sheet, rect, 6)
    if not radius:
        return
    move = alone.choices[0].move if alone.choices else CardMove.NONE
    people = (named, alone.chair) if move is not CardMove.TO_OTHER else (alone.chair, named)
    left, right, gap = _split_exchange(sheet, rect, radius)
    tall = gap.w < sheet.em(1.6)
    for x, who in zip((left, right), people, strict=True):
        sheet.badge((x, rect.y + rect.h // 4 if tall else rect.centery), radius, who)
    shown = Box(gap.x, gap.centery - sheet.em(1.9), gap.w, sheet.em(2.6))
    middle_y = gap.centery + sheet.em(0.9)
    if tall:
        below = Box(rect.x, rect.centery, rect.w, rect.h // 2)
        shown, gap, _ = columns(below, rect.w * 9 // 20, FILL, sheet.em(0.2), gap=sheet.em(0.2))
        middle_y = gap.centery - sheet.em(0.45)
    if move in {CardMove.TO_ASKED, CardMove.TO_OTHER}:
        paint_arrow(sheet, Box(gap.x, middle_y, gap.w, sheet.em(0.9)))
    if number is not None and move is not CardMove.TO_OTHER:
        paint_number(sheet, shown, number)
    else:
        sheet.picture(sheet.art.motif("cards", max(1, min(shown.size))), shown.center)


def _split_exchange(sheet: Sheet, rect: Box, radius: int) -> tuple[int, int, Box]:
    """The middles of two badges at both ends of a box, and what is between them."""
    inner = rect.inset(left=radius + sheet.em(0.4), right=radius + sheet.em(0.4))
    between = Box(inner.x + radius, rect.y, inner.w - 2 * radius, rect.h)
    return inner.x, inner.right, between.inflate(-sheet.em(0.8), 0)


def _paint_deck_exchange(
    sheet: Sheet, rect: Box, alone: ChairView | None, bot: int, number: str | int | None
) -> None:
    """A player and a deck that no player holds: a card goes from one to the other, or only a look does."""
    radius, owner = _badge_radius(sheet, rect, 6), bot_deck(bot).owner
    if not radius:
        return
    move = alone.choices[0].move if alone is not None and alone.choices else CardMove.NONE
    if move is CardMove.TURNS:
        paint_bot_badge(sheet, rect.center, radius, owner)
        return
    left, right, gap = _split_exchange(sheet, rect, radius)
    here, there = (left, right) if move in {CardMove.TO_OTHER, CardMove.SETS} else (right, left)
    if alone is not None:
        sheet.badge((here, rect.centery), radius, alone.chair)
    paint_bot_badge(sheet, (there, rect.centery), radius, owner)
    gap = gap._replace(w=max(sheet.em(0.5), gap.w))
    if move in {CardMove.TO_ASKED, CardMove.TO_OTHER}:
        paint_arrow(sheet, Box(gap.x, gap.centery + sheet.em(0.9), gap.w, sheet.em(0.9)))
    shown = Box(gap.x, gap.centery - sheet.em(1.9), gap.w, sheet.em(2.6))
    side = min(shown.size)
    if move is CardMove.LOOKS:
        sheet.picture(sheet.art.motif("eye", side), (shown.centerx, shown.y))
        paint_number(sheet, shown.move(0, shown.h // 2 + sheet.em(0.4)), number or "")
    elif number is not None and move not in {CardMove.TO_OTHER, CardMove.SETS}:
        paint_number(sheet, shown, number)
    else:
        sheet.picture(sheet.art.motif("hand" if move is CardMove.SETS else "cards", side), shown.center)


NUMBER = 5
"""How high the card with the number it is about is at most, in em."""


def paint_number(sheet: Sheet, rect: Box, number: str | int) -> None:
    """A card of paper with the number it is about."""
    side = max(min(rect.w, rect.h, sheet.em(NUMBER)), sheet.line_height)
    words = sheet.text_width(str(number), bold=True) + sheet.em(0.4)
    card = stack(rect, max(round(side * 0.82), words), side)
    sheet.box(card, PAPER, INK)
    sheet.text(card, str(number), side / sheet.unit * 0.5, INK, bold=True, align="center")


def paint_arrow(sheet: Sheet, rect: Box) -> None:
    """From what is left of it to what is right of it."""
    y, head = rect.centery, rect.h // 2
    sheet.line(PAPER, 0.2, (rect.x, y), (rect.right - head, y))
    tip = [(rect.right, y), (rect.right - head * 2, y - head), (rect.right - head * 2, y + head)]
    sheet.polygon(PAPER, tip)
