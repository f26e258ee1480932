"""Draws a table of card stacks below the deck."""

from msgspec.structs import replace

from companion.core.observations import UNKNOWN
from companion.core.view import Choice, PlaceView, ScreenArea
from companion.ui.board.count_ring import reserve_count_area
from companion.ui.board.plate_choices import say_action
from companion.ui.board.stage_layout import CARD_ASPECT
from companion.ui.board.table_centre import paint_choice_grid, paint_exchange
from companion.ui.frame import GameFrame, is_window_open
from companion.ui.layout import Box, around, stack
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
    columns = len(row) if choosing or rect.w > sheet.em(10) else -(-len(row) // 2)
    lines = -(-len(row) // columns)
    width = (rect.w + gap) // columns - gap
    height = min(round(width / CARD_ASPECT), rect.h * (46 if lines == 1 else 32) // 100)
    cards = []
    for number in range(len(row)):
        down = lines - 1 - number // columns
        x = rect.x + number % columns * (width + gap) + width // 2
        spot = (x, rect.bottom - height // 2 - down * (height + gap))
        cards.append(around(spot, min(width, round(height * CARD_ASPECT)), height))
    upper = Box(rect.x, rect.y, rect.w, rect.h - lines * (height + gap) - gap)
    shown = [place for place in view.places if place.spot is ScreenArea.SHOWN]
    if shown:
        strip = Box(upper.x, upper.y, upper.w, upper.h * 2 // 5)
        _paint_shown_cards(sheet, strip, shown)
        upper = Box(upper.x, strip.bottom + gap, upper.w, upper.bottom - strip.bottom - gap)
    if is_window_open(view):
        reserve_count_area(sheet, upper)  # beside the stacks: what may be stopped has to be seen
    elif named:
        _paint_face_choices(sheet, upper, named)
    elif alone is not None and len(alone.choices) > 2:
        paint_choice_grid(sheet, upper, alone, frame)
    elif alone is not None or not asked:
        paint_exchange(
            sheet, upper, asked if lines == 1 else [], frame
        )  # in a demo the panel has room for words
    else:
        _paint_deck(sheet, upper, frame)
    for place, card in zip(row, cards, strict=True):
        _paint_stack(sheet, card, place, frame)


def _naming_choices(frame: GameFrame, region: str) -> list[Choice]:
    """What the card on a stack, or the one that is placed there now, may be said to be."""
    return [choice for choice in frame.view.shared if choice.card and choice.region == region]


def _paint_deck(sheet: Sheet, rect: Box, frame: GameFrame) -> None:
    """The deck, and beside it the card that is shown."""
    found = {place.spot: place for place in frame.view.places}
    height = rect.h
    card = Box(0, 0, min(round(height * CARD_ASPECT), rect.w * 45 // 100), height)
    card = card._replace(h=min(height, round(card.w / CARD_ASPECT)))
    for spot, x in ((ScreenArea.DECK, rect.x + rect.w // 4), (ScreenArea.HAND, rect.x + rect.w * 3 // 4)):
        place = around((x, rect.centery), *card.size)
        if spot in found:
            _paint_card(sheet, place, found[spot].card)


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
        sheet.text(
            card, "?", max(1.0, card.h / sheet.unit * 0.36), INK, bold=True, align="center", grows=False
        )
    elif face.startswith("back:"):
        sheet.card(card, face)
    else:
        sheet.card(card, face)


def _paint_shown_cards(sheet: Sheet, rect: Box, shown: list[PlaceView]) -> None:
    """The cards that were shown so far, the lowest first."""
    gap = sheet.em(0.15)
    width = min((rect.w + gap) // max(1, len(shown)) - gap, round(rect.h * CARD_ASPECT))
    for place, one in enumerate(shown):
        card = Box(rect.x + place * (width + gap), rect.y, width, min(rect.h, round(width / CARD_ASPECT)))
        _paint_card(sheet, card, one.card)


def _paint_face_choices(sheet: Sheet, rect: Box, named: list[Choice]) -> None:
    """Every card it could be, to be touched."""
    gap = sheet.em(0.2)
    columns = -(-len(named) // 2)
    rows = 2
    width = min((rect.w + gap) // columns - gap, round(((rect.h + gap) // rows - gap) * CARD_ASPECT))
    height = round(width / CARD_ASPECT)
    left = rect.centerx - (columns * (width + gap) - gap) // 2
    for place, choice in enumerate(named):
        card = Box(0, 0, width, height)
        card = card._replace(x=left + place % columns * (width + gap))
        card = card._replace(y=rect.y + place // columns * (height + gap))
        _paint_card(sheet, card, choice.card)
        done = touch_action(*say_action(choice).commands, typed="")
        sheet.target(_choice_key(choice), card, done)


def _choice_key(choice: Choice) -> str:
    return f"name:{choice.action.value}"
