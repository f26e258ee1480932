"""Draws a table of card stacks below the deck."""

from msgspec.structs import replace

from companion.core.observations import UNKNOWN
from companion.core.view import Choice, PlaceView, ScreenArea
from companion.ui.board.count_ring import reserve_count_area
from companion.ui.board.plate_choices import say_action
from companion.ui.board.stage_layout import CARD_ASPECT
from companion.ui.board.table_centre import paint_choice_grid, paint_exchange
from companion.ui.frame import GameFrame, is_window_open
from companion.ui.layout import FILL, Box, around, columns, grid, rows, stack
from companion.ui.toolkit.sheet import Sheet, touch_action
from companion.ui.toolkit.theme import FELT, GOLD, INK, NOTICE, PAPER, TEXT, blend


def is_stacked(frame: GameFrame) -> bool:
    """Whether this game is played on stacks."""
    return any(place.spot is ScreenArea.STACK for place in frame.view.places)


def paint_stacks(sheet: Sheet, rect: Box, frame: GameFrame) -> None:
    """Paint everything that lies on the table, and what is asked of one person alone."""
    view = frame.view
    gap = sheet.em(0.35)
    row = [place for place in view.places if place.spot is ScreenArea.STACK]
    asked = [chair for chair in view.chairs if chair.asked]
    alone = asked[0] if len(asked) == 1 else None
    named = _naming_choices(frame, frame.ui_state.typed)
    choosing = bool(named) or (alone is not None and len(alone.choices) > 2)
    across = len(row) if choosing or rect.w > sheet.em(10) else -(-len(row) // 2)
    lines = -(-len(row) // across)
    width = (rect.w + gap) // across - gap
    height = min(round(width / CARD_ASPECT), rect.h * (46 if lines == 1 else 32) // 100)
    upper, low = rows(rect, FILL, lines * (height + gap) - gap, gap=2 * gap)
    low = low.move(0, height % 2)  # the middles of the cards are in their place, not their edges
    shown = [place for place in view.places if place.spot is ScreenArea.SHOWN]
    if shown:
        strip, upper = rows(upper, upper.h * 2 // 5, FILL, gap=gap)
        _paint_shown_cards(sheet, strip, shown)
    if is_window_open(view):
        reserve_count_area(sheet, upper)  # beside the stacks: what may be stopped has to be seen
    elif named:
        _paint_face_choices(sheet, upper, named)
    elif choosing and alone is not None:
        paint_choice_grid(sheet, upper, alone, frame)
    elif alone is not None or not asked:  # in a demo the panel has room for words
        paint_exchange(sheet, upper, alone if lines == 1 else None, frame)
    else:
        _paint_deck(sheet, upper, frame)
    wide = min(width, round(height * CARD_ASPECT))
    for place, cell in zip(row, grid(low, len(row), across, gap=gap), strict=True):
        _paint_stack(sheet, stack(cell, wide, height), place, frame)


def _naming_choices(frame: GameFrame, region: str) -> list[Choice]:
    """What the card on a stack, or the one that is placed there now, may be said to be."""
    return [choice for choice in frame.view.shared if choice.card and choice.region == region]


def _paint_deck(sheet: Sheet, rect: Box, frame: GameFrame) -> None:
    """The deck, and beside it the card that is shown."""
    found = {place.spot: place for place in frame.view.places}
    wide = min(round(rect.h * CARD_ASPECT), rect.w * 45 // 100)
    high = min(rect.h, round(wide / CARD_ASPECT))
    for spot, quarter in ((ScreenArea.DECK, 1), (ScreenArea.HAND, 3)):
        if spot in found:
            card = around((rect.x + rect.w * quarter // 4, rect.centery), wide, high)
            _paint_card(sheet, card, found[spot].card)


def _paint_stack(sheet: Sheet, card: Box, place: PlaceView, frame: GameFrame) -> None:
    """One stack with its number: touching it says that a card is there, or asks first which one it is.

    Touched again, nobody says which.
    """
    touched = frame.ui_state.typed if _naming_choices(frame, frame.ui_state.typed) else ""
    if place.region == touched if touched else place.marked:
        glow = card.inflate(sheet.em(0.28), sheet.em(0.28))
        sheet.box(glow, GOLD, radius=0.4)
    _paint_card(sheet, card, place.card)
    chip = stack(card, sheet.em(1.25), sheet.em(1.25), "bottomleft")
    sheet.box(chip, INK, TEXT, radius=0.3, width=0.06)
    sheet.text(chip, str(place.number), 1.0, TEXT, bold=True, align="center")
    names = _naming_choices(frame, place.region)
    lies = [
        choice
        for choice in frame.view.shared
        if choice.region == place.region and choice.press == "touch" and not choice.card
    ]
    if names:
        chosen = frame.ui_state.typed == place.region
        said = say_action(lies[0]).commands if lies and chosen else ()
        asks = touch_action(*said, typed="" if chosen else place.region)
        sheet.target(
            f"place:{place.region}", card, replace(asks, leads="" if chosen else _choice_key(names[0]))
        )
    elif lies:
        sheet.target(f"place:{place.region}", card, say_action(lies[0]))


def _paint_card(sheet: Sheet, card: Box, face: str) -> None:
    if not face:
        sheet.box(card, None, blend(FELT, TEXT, 0.3))
    elif face == UNKNOWN:
        sheet.box(card, PAPER, NOTICE, width=0.2)
        scale = max(1.0, card.h / sheet.unit * 0.36)
        sheet.text(card, "?", scale, INK, bold=True, align="center", grows=False)
    else:
        sheet.card(card, face)


def _paint_shown_cards(sheet: Sheet, rect: Box, shown: list[PlaceView]) -> None:
    """The cards that were shown so far, the lowest first."""
    gap = sheet.em(0.15)
    width = min((rect.w + gap) // max(1, len(shown)) - gap, round(rect.h * CARD_ASPECT))
    cells = columns(rect._replace(h=min(rect.h, round(width / CARD_ASPECT))), *[width] * len(shown), gap=gap)
    for card, one in zip(cells, shown, strict=True):
        _paint_card(sheet, card, one.card)


def _paint_face_choices(sheet: Sheet, rect: Box, named: list[Choice]) -> None:
    """Every card it could be, to be touched."""
    gap, across = sheet.em(0.2), -(-len(named) // 2)
    wide = min((rect.w + gap) // across - gap, round(((rect.h + gap) // 2 - gap) * CARD_ASPECT))
    high = round(wide / CARD_ASPECT)
    field = stack(rect, across * (wide + gap) - gap, 2 * (high + gap) - gap, "top")
    for card, choice in zip(grid(field, len(named), across, gap=gap, most=high), named, strict=True):
        _paint_card(sheet, card, choice.card)
        done = touch_action(*say_action(choice).commands, typed="")
        sheet.target(_choice_key(choice), card, done)


def _choice_key(choice: Choice) -> str:
    return f"name:{choice.action.value}"
