"""A table of stacks: the deck and what is in hand above, the stacks in their row below."""

import pygame
from msgspec.structs import replace

from companion.core.observations import UNKNOWN
from companion.core.view import Choice, PlaceView, Spot
from companion.ui.answers import say
from companion.ui.count import place_count
from companion.ui.frame import GameFrame, window_open
from companion.ui.middle import choices, scene
from companion.ui.ring import SLIM
from companion.ui.sheet import Sheet, deed
from companion.ui.theme import FELT, GOLD, INK, NOTICE, PAPER, TEXT, mixed


def is_stacked(frame: GameFrame) -> bool:
    """Whether this game is played on stacks."""
    return any(place.spot is Spot.STACK for place in frame.view.places)


def stacks(sheet: Sheet, rect: pygame.Rect, frame: GameFrame) -> None:
    """Paint everything that lies on the table, and what is asked of one person alone."""
    view = frame.view
    gap = sheet.em(0.35)
    row = [place for place in view.places if place.spot is Spot.STACK]
    asked = [chair for chair in view.chairs if chair.asked]
    alone = asked[0] if len(asked) == 1 else None
    named = _names(frame, frame.glass.typed)
    choosing = bool(named) or (alone is not None and len(alone.choices) > 2)
    columns = len(row) if choosing or rect.w > sheet.em(10) else -(-len(row) // 2)
    lines = -(-len(row) // columns)
    width = (rect.w + gap) // columns - gap
    height = min(round(width / SLIM), rect.h * (46 if lines == 1 else 32) // 100)
    cards = [pygame.Rect(0, 0, min(width, round(height * SLIM)), height) for _ in row]
    for number, card in enumerate(cards):
        down = lines - 1 - number // columns
        x = rect.x + number % columns * (width + gap) + width // 2
        card.center = (x, rect.bottom - height // 2 - down * (height + gap))
    upper = pygame.Rect(rect.x, rect.y, rect.w, rect.h - lines * (height + gap) - gap)
    shown = [place for place in view.places if place.spot is Spot.SHOWN]
    if shown:
        strip = pygame.Rect(upper.x, upper.y, upper.w, upper.h * 2 // 5)
        _row(sheet, strip, shown)
        upper = pygame.Rect(upper.x, strip.bottom + gap, upper.w, upper.bottom - strip.bottom - gap)
    if window_open(view):
        place_count(sheet, upper)  # beside the stacks: what may be stopped has to be seen
    elif named:
        _faces(sheet, upper, named)
    elif alone is not None and len(alone.choices) > 2:
        choices(sheet, upper, alone, frame)
    elif alone is not None or not asked:
        scene(sheet, upper, asked if lines == 1 else [], frame)  # in a demo the panel has room for words
    else:
        _hand(sheet, upper, frame)
    for stack, card in zip(row, cards, strict=True):
        _stack(sheet, card, stack, frame)


def _names(frame: GameFrame, region: str) -> list[Choice]:
    """What the card on a stack, or the one that is placed there now, may be said to be."""
    return [choice for choice in frame.view.shared if choice.card and choice.region == region]


def _hand(sheet: Sheet, rect: pygame.Rect, frame: GameFrame) -> None:
    """The deck, and beside it the card that is shown."""
    found = {place.spot: place for place in frame.view.places}
    height = rect.h
    card = pygame.Rect(0, 0, min(round(height * SLIM), rect.w * 45 // 100), height)
    card.h = min(height, round(card.w / SLIM))
    for spot, x in ((Spot.DECK, rect.x + rect.w // 4), (Spot.HAND, rect.x + rect.w * 3 // 4)):
        place = card.copy()
        place.center = (x, rect.centery)
        if spot in found:
            _card(sheet, place, found[spot].card)


def _stack(sheet: Sheet, card: pygame.Rect, place: PlaceView, frame: GameFrame) -> None:
    """One stack with its number: touching it says that a card is there, or asks first which one it is.

    Touched again, nobody says which.
    """
    touched = frame.glass.typed if _names(frame, frame.glass.typed) else ""
    if place.region == touched if touched else place.marked:
        glow = card.inflate(sheet.em(0.28), sheet.em(0.28))
        sheet.box(glow, GOLD, radius=0.4)
    _card(sheet, card, place.card)
    chip = pygame.Rect(0, 0, sheet.em(1.25), sheet.em(1.25))
    chip.bottomleft = card.bottomleft
    sheet.box(chip, INK, TEXT, radius=0.3, width=0.06)
    sheet.text(chip, str(place.number), 1.0, TEXT, bold=True, align="center")
    names = _names(frame, place.region)
    lies = [
        choice
        for choice in frame.view.shared
        if choice.region == place.region and choice.press == "touch" and not choice.card
    ]
    if names:
        chosen = frame.glass.typed == place.region
        said = say(lies[0]).commands if lies and chosen else ()
        asks = deed(*said, typed="" if chosen else place.region)
        sheet.target(f"place:{place.region}", card, replace(asks, leads="" if chosen else _key(names[0])))
    elif lies:
        sheet.target(f"place:{place.region}", card, say(lies[0]))


def _card(sheet: Sheet, card: pygame.Rect, face: str) -> None:
    if not face:
        sheet.box(card, None, mixed(FELT, TEXT, 0.3))
    elif face == UNKNOWN:
        sheet.box(card, PAPER, NOTICE, width=0.2)
        sheet.text(
            card, "?", max(1.0, card.h / sheet.unit * 0.36), INK, bold=True, align="center", grows=False
        )
    elif face.startswith("back:"):
        sheet.surface.blit(sheet.art.printed(face, card.size) or sheet.art.back(card.size), card)
    else:
        sheet.surface.blit(sheet.art.printed(face, card.size) or sheet.art.card(face, card.size), card)


def _row(sheet: Sheet, rect: pygame.Rect, shown: list[PlaceView]) -> None:
    """The cards that were shown so far, the lowest first."""
    gap = sheet.em(0.15)
    width = min((rect.w + gap) // max(1, len(shown)) - gap, round(rect.h * SLIM))
    for place, one in enumerate(shown):
        card = pygame.Rect(rect.x + place * (width + gap), rect.y, width, min(rect.h, round(width / SLIM)))
        _card(sheet, card, one.card)


def _faces(sheet: Sheet, rect: pygame.Rect, named: list[Choice]) -> None:
    """Every card it could be, to be touched."""
    gap = sheet.em(0.2)
    columns = -(-len(named) // 2)
    rows = 2
    width = min((rect.w + gap) // columns - gap, round(((rect.h + gap) // rows - gap) * SLIM))
    height = round(width / SLIM)
    left = rect.centerx - (columns * (width + gap) - gap) // 2
    for place, choice in enumerate(named):
        card = pygame.Rect(0, 0, width, height)
        card.x = left + place % columns * (width + gap)
        card.y = rect.y + place // columns * (height + gap)
        _card(sheet, card, choice.card)
        done = deed(*say(choice).commands, typed="")
        sheet.target(_key(choice), card, done)


def _key(choice: Choice) -> str:
    return f"name:{choice.action.value}"
