"""Draws the middle of the game page: places, choices or the current exchange."""

from msgspec.structs import replace

from companion.core.actions import Chair
from companion.core.view import CardMove, ChairView, Choice, PlaceView
from companion.ui.board import stage_layout
from companion.ui.board.plate_choices import is_chosen_beside_table, paint_choice, say_action
from companion.ui.board.player_areas import has_room_for_areas, paint_areas
from companion.ui.board.token_heaps import paint_heaps, paint_heaps_strip
from companion.ui.commands import ControlGuide, DeclareAction
from companion.ui.frame import GameFrame, is_searching
from companion.ui.layout import Box, best_grid, stack
from companion.ui.toolkit.chair_tiles import paint_bot_badge, paint_bot_tile, paint_chair_tile
from companion.ui.toolkit.sheet import MARK, Sheet, TouchAction, touch_action
from companion.ui.toolkit.theme import BUTTON_EDGE, FELT, GOLD, INK, PAPER, RAISED, TEXT, blend
from companion.ui.toolkit.widgets import draw_press_sign

MIN_CHOICES_WIDTH = 4.5
"""With less width within the ring there is none for choices: they come when a place was touched."""
MIN_RING_WIDTH = 14
"""With less width there is no room for ring and choices: in a demo the camera's picture shows the ring."""


def has_large_choices(frame: GameFrame) -> bool:
    """Whether one player has more answers than fit beside the table, so that they take the middle."""
    asked = [chair for chair in frame.view.chairs if chair.asked]
    return len(asked) == 1 and len(asked[0].choices) > (3 if frame.view.heaps else 2)


def paint_centre(sheet: Sheet, rect: Box, frame: GameFrame, *, docked: bool) -> None:
    """Paint what the table has to look at now; `docked`: two answers stand large enough on the plate."""
    view = frame.view
    asked = [chair for chair in view.chairs if chair.asked]
    alone = asked[0] if len(asked) == 1 else None
    pointing = alone is not None and all(choice.region for choice in alone.choices)
    if any(place.active for place in view.places):
        _paint_areas_with_choices(sheet, rect.inflate(-sheet.em(0.5), -sheet.em(0.5)), alone, frame)
        return
    placing = any(place.marked for place in view.places)
    narrow = rect.w < sheet.em(MIN_RING_WIDTH)
    if docked:
        within = stage_layout.ring_interior(view.places, rect, 0) if view.places else rect
        narrow = within.w < sheet.em(MIN_CHOICES_WIDTH) or (
            alone is not None and not _fits_finger_choices(sheet, within, alone)
        )
    touched = any(place.marked and place.region == frame.ui_state.typed for place in view.places)
    if narrow and (touched or not is_searching(view)):
        # No room for ring and choices: in a demo the camera's picture shows the ring.
        placing = False
    if alone is not None and has_large_choices(frame) and not placing:
        area = rect.inflate(-sheet.em(0.6), -sheet.em(0.6))
        if view.heaps and rect.h > sheet.em(9):
            strip = Box(area.x, area.y, area.w, sheet.em(2.2))
            paint_heaps_strip(sheet, strip, view)
            area = Box(area.x, strip.bottom + sheet.em(0.2), area.w, 0)
            area = area._replace(h=rect.bottom - sheet.em(0.3) - area.y)
        paint_choice_grid(sheet, area, alone, frame)
        return
    field = rect.inflate(-sheet.em(0.5), -sheet.em(0.5))
    gap = sheet.em(0.3)
    if narrow and not docked and not is_searching(view):
        paint_exchange(sheet, field, asked, frame, on_plate=docked)
        return
    paint_places(sheet, field, gap, frame)
    inner = (stage_layout.ring_interior(view.places, field, gap) if view.places else field).inflate(
        -sheet.em(0.4), -sheet.em(0.2)
    )
    if alone is not None and has_large_choices(frame) and not (narrow or pointing):
        paint_choice_grid(sheet, inner, alone, frame)
    else:
        paint_exchange(sheet, inner, asked, frame, on_plate=docked)


def _fits_finger_choices(sheet: Sheet, within: Box, chair: ChairView) -> bool:
    """Whether a finger tells the choices apart within the ring: short ones two in a row, others one."""
    short = sum(_choice_subject(choice) is not None for choice in chair.choices)
    if len(chair.choices) <= 2:
        return True  # they stand on the plate
    return within.h >= (len(chair.choices) - short // 2) * (sheet.min_touch_height + sheet.em(0.3))


def _paint_areas_with_choices(sheet: Sheet, rect: Box, alone: ChairView | None, frame: GameFrame) -> None:
    """What lies before everybody, and under it what the one who is asked may do."""
    offered = () if alone is None else alone.choices
    tiled = any(_choice_subject(choice) is not None for choice in offered)
    columns = 2 if len(offered) > 3 or (len(offered) > 1 and rect.w > sheet.em(14)) else 1
    words = " ".join(sheet.sentence(choice.label) for choice in offered).split()
    longest = max((sheet.text_width(word, bold=True) for word in words), default=0)
    if longest > rect.w // columns - sheet.em(0.75):
        columns = 1  # better one below the other than words broken in two
    width = rect.w // columns
    rows = [offered[start : start + columns] for start in range(0, len(offered), columns)]
    inner = width - sheet.em(0.15)
    heights = [max(_choice_height(sheet, choice, frame, inner) for choice in row) for row in rows]
    low = Box(rect.x, 0, rect.w, rect.h // 2 if tiled else sum(heights) + sheet.em(0.15) * len(rows))
    low = low._replace(y=rect.bottom - low.h)
    upper = Box(rect.x, rect.y, rect.w, low.y - rect.y - sheet.em(0.2))
    if frame.demo is not None and not has_room_for_areas(
        sheet, upper, frame
    ):  # simulated people do not touch them
        paint_areas(sheet, rect, frame)
        return
    paint_areas(sheet, upper, frame)
    if alone is not None and tiled:
        paint_choice_grid(sheet, low, alone, frame)
        return
    top = low.y
    for row, height in zip(rows, heights, strict=True):
        for place, choice in enumerate(row):
            cell = Box(low.x + place * width, top + sheet.em(0.15), inner, height)
            key = f"tile:{choice.action}"
            sheet.button(
                cell,
                sheet.sentence(choice.label),
                key,
                say_action(choice),
                marked=choice.marked,
                scale=1.4,
            )
        top += height + sheet.em(0.15)


def paint_places(sheet: Sheet, field: Box, gap: int, frame: GameFrame) -> None:
    """Everything that is on the table, where it is."""
    cells = stage_layout.place_cells(frame.view.places, field, gap)
    for place in frame.view.places:
        cell = cells[place.region]
        width = min(cell.w, max(round(cell.h * stage_layout.CARD_ASPECT), sheet.em(2.9)))
        card = stack(cell, width, cell.h)
        _paint_place(sheet, card, place, frame)


def _paint_place(sheet: Sheet, card: Box, place: PlaceView, frame: GameFrame) -> None:
    name = place.region.partition(":")[2] or place.region
    if place.marked:
        offered = [choice for chair in frame.view.chairs for choice in chair.choices]
        here = next((choice for choice in offered if choice.region == place.region), None)
        chosen = here.marked if here else frame.ui_state.typed == place.region
        glow = sheet.art.card_rect(card).inflate(sheet.em(0.22), sheet.em(0.22))
        sheet.box(glow, PAPER if chosen else GOLD, radius=0.4)
        touched = touch_action(typed="" if chosen else place.region)
        if here is not None:
            touched = say_action(here)
        elif offered and not chosen:
            touched = replace(touched, leads=f"tile:{offered[0].action}")
        if frame.guide is not None and frame.guide.kind == "practice":
            touched = touch_action(ControlGuide(f"place:{place.region}"))  # the person's hand does it at once
        sheet.target(f"place:{place.region}", card, touched)
    if not place.card:
        sheet.box(card, None, blend(FELT, TEXT, 0.3))
    elif place.card.startswith("back:"):
        sheet.surface.blit(sheet.art.card_back(card.size, place.card), card)
        scale = max(1.0, min(1.5, card.w / sheet.unit / 2.2))
        plaque = sheet.art.card_rect(card).inflate(-sheet.em(0.2), 0)
        sheet.text(plaque, name, scale, TEXT, bold=True, align="center")
    else:
        sheet.surface.blit(sheet.art.card_face(place.card, card.size, place.on_top), card)


def paint_choice_grid(sheet: Sheet, rect: Box, chair: ChairView, frame: GameFrame) -> None:
    """All choices of one chair as large touch tiles; the mark stands where the button would confirm."""
    gap = sheet.em(0.3)
    long = [choice for choice in chair.choices if _choice_subject(choice) is None]
    tiles = [choice for choice in chair.choices if _choice_subject(choice) is not None]
    heights = [_choice_height(sheet, choice, frame, rect.w) for choice in long]
    area = Box(rect.x, rect.y, rect.w, rect.h - sum(heights) - len(long) * gap)
    shape = 1.3
    if any(_is_card(choice) for choice in tiles):
        shape = 1.1
    elif rect.w < sheet.em(11):
        shape = 2.0  # two labels side by side are read, three are not
    for cell, choice in zip(best_grid(area, len(tiles), gap, shape=shape), tiles, strict=True):
        _paint_tile(sheet, cell, choice, frame)
    top = area.bottom
    for height, choice in zip(heights, long, strict=True):
        row = Box(rect.x, top + gap, rect.w, height)
        key = f"tile:{choice.action}"
        sheet.button(row, sheet.sentence(choice.label), key, say_action(choice), marked=choice.marked)
        top = row.bottom


def _choice_height(sheet: Sheet, choice: Choice, frame: GameFrame, width: int) -> int:
    """What a choice in words needs as a button."""
    room = width - 2 * sheet.em(0.3)
    fitted = sheet.painter.fit_text(
        sheet.sentence(choice.label), room, 9 * sheet.unit, 1.0, bold=choice.marked
    )
    return max(sheet.min_touch_height, len(fitted.lines) * sheet.line_height + sheet.em(0.5))


def _choice_subject(choice: Choice) -> tuple[str, str | int] | None:
    """The one thing a choice is about: a chair, a number, a card."""
    parts = dict(choice.label.parts)
    for kind in ("chair", "bot"):
        if kind in parts:
            return kind, parts[kind]
    if "value" in parts:
        return "value", parts["value"]
    return None


def _is_card(choice: Choice) -> bool:
    """Whether a choice names an object by its label."""
    return isinstance(choice.action.value, str) and "-" in choice.action.value


def _paint_tile(sheet: Sheet, cell: Box, choice: Choice, frame: GameFrame) -> None:
    what = _choice_subject(choice)
    assert what is not None
    kind, value = what
    sheet.target(f"tile:{choice.action}", cell, _place_action(choice, frame))
    if kind == "chair":
        paint_chair_tile(sheet, cell, int(value), marked=choice.marked)
        return
    if kind == "bot":
        paint_bot_tile(sheet, cell, None if int(value) < 0 else int(value), marked=choice.marked)
        return
    if _is_card(choice):
        width = min(cell.w, round(cell.h * 2.0 if cell.h < sheet.em(2.4) else cell.h * 1.5))
        card = stack(cell, width - sheet.em(0.2), cell.h - sheet.em(0.2))
        if choice.marked:
            glow = sheet.art.card_rect(card).inflate(sheet.em(0.3), sheet.em(0.3))
            sheet.box(glow, GOLD, radius=0.4)
        sheet.surface.blit(sheet.art.card_face(f"object:{value}", card.size), card)
        return
    if choice.marked:
        sheet.box(cell, PAPER, GOLD, width=MARK)
    else:
        sheet.box(cell, RAISED, BUTTON_EDGE)
    scale = max(1.0, min(cell.h / sheet.unit * 0.52, cell.w / sheet.unit * 0.6, 3.4))
    colour = INK if choice.marked else TEXT
    sheet.text(cell, str(value), scale, colour, bold=True, align="center")


def _place_action(choice: Choice, frame: GameFrame) -> TouchAction:
    """The choice, said with the place that was touched before it."""
    region, value = frame.ui_state.typed, choice.action.value
    if not any(place.region == region and place.marked for place in frame.view.places):
        return say_action(choice)
    action = replace(choice.action, value=f"{value}@{region.partition(':')[2]}")
    return touch_action(DeclareAction(action), typed="")


def paint_exchange(
    sheet: Sheet, rect: Box, asked: list[ChairView], frame: GameFrame, *, on_plate: bool = False
) -> None:
    """Who deals with whom, about what; and a few choices as big buttons, unless a plate tells them."""
    view = frame.view
    parts = dict(view.headline.parts)
    named = parts.get("chair")
    alone = asked[0] if len(asked) == 1 else None
    choices = alone.choices if alone is not None and len(alone.choices) <= 3 else ()
    if alone is not None and (is_chosen_beside_table(alone, frame) or (on_plate and len(choices) <= 2)):
        choices = ()
    high = sheet.em(2.8)
    foot = min(rect.h * (22 if len(choices) < 3 else 30) // 36, high * len(choices))
    if sheet.min_touch_height:
        foot = min(rect.h, max(foot, (sheet.min_touch_height + sheet.em(0.2)) * len(choices)))
    top = Box(rect.x, rect.y, rect.w, rect.h - foot)
    if view.heaps:
        paint_heaps(sheet, top, view)
    elif view.card:
        height = min(top.h, round(top.w * 1.2), sheet.em(8))
        card = stack(top, round(height * 0.8), height)
        printed = sheet.art.printed_face(view.card, card.size)
        sheet.surface.blit(printed or sheet.art.card_face(view.card, card.size), card)
    else:
        bot = parts.get("bot")
        if isinstance(bot, int):
            _paint_deck_exchange(sheet, top, alone, bot, parts.get("number"))
        else:
            who = named if isinstance(named, int) else None
            if on_plate and alone is not None and who in {None, alone.chair} and "number" in parts:
                who, alone = None, None  # whom it concerns stands on top and in the light
            _paint_people(sheet, top, alone, who, parts.get("number"))
    for place, choice in enumerate(choices):
        height = foot // len(choices)
        gap = sheet.em(0.2)
        row = Box(rect.x, top.bottom + place * height + gap, rect.w, height - gap)
        _paint_answer(sheet, row, choice, frame)


def _paint_answer(sheet: Sheet, row: Box, choice: Choice, frame: GameFrame) -> None:
    sheet.box(row, RAISED, GOLD if choice.press == "press" else BUTTON_EDGE)
    side = min(sheet.em(1.1), row.h)
    sheet.picture(
        draw_press_sign(sheet, choice.press, side, TEXT), (row.x + sheet.em(0.4) + side // 2, row.centery)
    )
    words = Box(row.x + side + sheet.em(0.7), row.y, row.w - side - sheet.em(1.0), row.h)
    paint_choice(sheet, words, choice, frame, TEXT, scale=1.3)
    sheet.target(f"tile:{choice.action}", row, say_action(choice))


def _paint_people(
    sheet: Sheet, rect: Box, alone: ChairView | None, named: Chair | None, number: str | int | None
) -> None:
    """One or two badges, a card going from one to the other, and the number it is about."""
    here = alone.chair if alone is not None else None
    pair = here is not None and named is not None and here != named
    radius = min(rect.h * 2 // 5, rect.w // (6 if pair else 4), sheet.em(2.6))
    if radius < sheet.em(0.5):
        return
    if not pair:
        who = here if here is not None else named
        if who is not None and number is not None:
            sheet.badge((rect.x + rect.w // 4, rect.centery), radius, who)
            _paint_number(sheet, Box(rect.centerx, rect.y, rect.w // 2, rect.h), number)
        elif who is not None:
            sheet.badge(rect.center, radius, who)
        elif number is not None:
            _paint_number(sheet, rect, number)
        return
    assert alone is not None
    assert named is not None
    move = alone.choices[0].move if alone.choices else CardMove.NONE
    left, right = (named, alone.chair) if move is not CardMove.TO_OTHER else (alone.chair, named)
    ends = (rect.x + radius + sheet.em(0.4), rect.right - radius - sheet.em(0.4))
    gap = Box(ends[0] + radius, rect.y, ends[1] - ends[0] - 2 * radius, rect.h).inflate(-sheet.em(0.8), 0)
    tall = gap.w < sheet.em(1.6)  # no room between them: what goes across stands below
    y = rect.y + rect.h // 4 if tall else rect.centery
    for x, who in zip(ends, (left, right), strict=True):
        sheet.badge((x, y), radius, who)
    shown = Box(gap.x, gap.centery - sheet.em(1.9), gap.w, sheet.em(2.6))
    if tall:
        shown = Box(rect.x, rect.centery, rect.w * 9 // 20, rect.h // 2)
        gap = Box(shown.right + sheet.em(0.2), shown.y, rect.right - shown.right - sheet.em(0.6), shown.h)
    if move in {CardMove.TO_ASKED, CardMove.TO_OTHER}:
        middle_y = gap.centery - sheet.em(0.45) if tall else gap.centery + sheet.em(0.9)
        _paint_arrow(sheet, Box(gap.x, middle_y, gap.w, sheet.em(0.9)))
    if number is not None and move is not CardMove.TO_OTHER:
        _paint_number(sheet, shown, number)
    else:
        sheet.picture(sheet.art.motif("cards", max(1, min(shown.h, shown.w))), shown.center)


def _paint_deck_exchange(
    sheet: Sheet, rect: Box, alone: ChairView | None, bot: int, number: str | int | None
) -> None:
    """A player and a deck that no player holds: a card goes from one to the other, or only a look does."""
    radius = min(rect.h * 2 // 5, rect.w // 6, sheet.em(2.6))
    if radius < sheet.em(0.5):
        return
    left, right = rect.x + radius + sheet.em(0.4), rect.right - radius - sheet.em(0.4)
    move = alone.choices[0].move if alone is not None and alone.choices else CardMove.NONE
    if move is CardMove.TURNS:
        paint_bot_badge(sheet, rect.center, radius, None if bot < 0 else bot)
        return
    here, there = (left, right) if move in {CardMove.TO_OTHER, CardMove.SETS} else (right, left)
    if alone is not None:
        sheet.badge((here, rect.centery), radius, alone.chair)
    paint_bot_badge(sheet, (there, rect.centery), radius, None if bot < 0 else bot)
    gap = Box(left + radius, rect.y, right - left - 2 * radius, rect.h).inflate(-sheet.em(0.8), 0)
    gap = gap._replace(w=max(sheet.em(0.5), gap.w))
    if move in {CardMove.TO_ASKED, CardMove.TO_OTHER}:
        _paint_arrow(sheet, Box(gap.x, gap.centery + sheet.em(0.9), gap.w, sheet.em(0.9)))
    shown = Box(gap.x, gap.centery - sheet.em(1.9), gap.w, sheet.em(2.6))
    if move is CardMove.LOOKS:
        sheet.picture(sheet.art.motif("eye", min(shown.h, shown.w)), (shown.centerx, shown.y))
        _paint_number(sheet, shown.move(0, shown.h // 2 + sheet.em(0.4)), number or "")
    elif move is CardMove.SETS:
        sheet.picture(sheet.art.motif("hand", min(shown.h, shown.w)), shown.center)
    elif number is not None and move is not CardMove.TO_OTHER:
        _paint_number(sheet, shown, number)
    else:
        sheet.picture(sheet.art.motif("cards", min(shown.h, shown.w)), shown.center)


def _paint_number(sheet: Sheet, rect: Box, number: str | int) -> None:
    side = max(min(rect.w, rect.h, sheet.em(3.6)), sheet.line_height)
    words = sheet.text_width(str(number), bold=True) + sheet.em(0.4)
    card = stack(rect, max(round(side * 0.82), words), side)
    sheet.box(card, PAPER, INK)
    sheet.text(card, str(number), side / sheet.unit * 0.5, INK, bold=True, align="center")


def _paint_arrow(sheet: Sheet, rect: Box) -> None:
    y, head = rect.centery, rect.h // 2
    sheet.line(PAPER, 0.2, (rect.x, y), (rect.right - head, y))
    tip = [(rect.right, y), (rect.right - head * 2, y - head), (rect.right - head * 2, y + head)]
    sheet.polygon(PAPER, tip)
