"""Draws the sets that lie before the players, each on its owner's side of the table."""

from collections.abc import Mapping

import pygame

from companion.core.view import ChairView, Choice, PlaceView
from companion.ui.board.card_pictures import set_words
from companion.ui.board.lesson_cards import FAN, draw_turned_card, shadow_width
from companion.ui.board.panels import chairs_and_decks
from companion.ui.board.plate_choices import say_action
from companion.ui.frame import GameFrame
from companion.ui.layout import FILL, Anchor, Box, Share, columns, rows, stack
from companion.ui.toolkit.sheet import Sheet
from companion.ui.toolkit.theme import FELT, GOLD, INK, TEXT, blend
from companion.ui.toolkit.widgets import draw_press_sign, paint_press_sign

STEP, LEAST_STEP = 0.3, 0.1
"""How much of a card under the next one is seen, and how much at least: rather are all of them smaller."""
USUAL = 4
"""Sets of up to so many cards have cards of one size."""
MOST = 52
"""How high one place is at most, of 100 of the height."""
EACH, WORDY = 5, 6
"""How wide the sides are to each other: of the one with an empty place that is played on, moves are read."""
PILLS = 5
"""Where a place is not so many times as high as its words, those stand beside the cards, which are larger."""
WIDEST = "4 × 10"
"""What a set is, in as many letters as it takes."""
NUMBER = 1.2
"""How large it says what a set is, in smallest letters."""


def arrange_sets(sheet: Sheet, rect: Box, frame: GameFrame) -> Mapping[str, Box]:
    """Region → where it is: each player's side of the table, from top to bottom as they sit.

    All sets are equally high; an empty place has what its side of the table leaves it.
    """
    stood = [one.chair for one in chairs_and_decks(frame.view, frame.ui_state) if isinstance(one, ChairView)]
    left, gap, found = len(stood) // 2, sheet.em(0.3), dict[str, Box]()
    owned_by = [
        [place.region for chair in people for place in frame.view.places if place.chair == chair]
        for people in (stood[:left][::-1], stood[left:])
    ]
    moves = max((sum(not one.region for one in chair.choices) for chair in frame.view.chairs), default=0)
    played = {place.region for place in frame.view.places if place.active and not place.card and moves > 1}
    shares = [Share(WORDY if played & {*owned} else EACH) for owned in owned_by]
    for side, owned in zip(columns(rect, *shares, gap=gap), owned_by, strict=True):
        cells = rows(side, *[FILL] * len(owned), gap=gap)
        high = min((rect.h + gap) // max(1, len(owned)) - gap, rect.h * MOST // 100)
        found |= {region: stack(cell, cell.w, high) for region, cell in zip(owned, cells, strict=True)}
    least = min((cell.h for cell in found.values()), default=0)
    lying = {place.region for place in frame.view.places if place.card}
    return {region: stack(cell, cell.w, least) if region in lying else cell for region, cell in found.items()}


def paint_set(
    sheet: Sheet, cell: Box, place: PlaceView, choice: Choice | None = None, *, outlined: bool = True
) -> None:
    """The cards one over the other, and how many of which value: across their feet, or towards the middle.

    An empty place is bare. `choice`: what touching it says. `outlined`: whether an empty place is seen.
    """
    cards = (place.card, *place.on_top) if place.card else ()
    sign, pill = "" if choice is None else choice.press, sheet.painter.line_height(NUMBER)
    lift, words = sheet.em(0.25), set_words(place)
    beside, hangs = cell.h <= PILLS * pill, pill // 2
    room, plaque, edge = cell, cell, 2 * lift
    if beside and cards:
        hangs, edge = 0, lift
        outwards: Anchor = "left" if cell.centerx < sheet.rect.centerx else "right"
        inwards: Anchor = "right" if outwards == "left" else "left"
        plaque = stack(cell, sheet.text_width(WIDEST, 1.0, bold=True) + lift, cell.h, inwards)
        room = stack(cell, cell.w - plaque.w, cell.h, outwards)
    whole, size, step = _arrange_cards(room.inflate(-edge, -2 * lift).inset(bottom=hangs), len(cards))
    shadow = shadow_width(sheet)
    seen = Box(*pygame.Rect(whole.inflate(2 * shadow, 2 * shadow)).clip(sheet.rect))
    felt = sheet.surface.subsurface(seen).copy()
    if choice is not None:
        grown = 2 * lift if choice.marked else lift
        sheet.box(whole.inflate(2 * grown, 2 * grown), GOLD, radius=0.5)
        sheet.target(f"tile:{choice.action}", cell, say_action(choice))
    elif not cards and outlined:
        sheet.box(whole, None, GOLD if place.active else blend(FELT, TEXT, 0.3), radius=0.5)
    for spot, card in zip(columns(whole, *[size[0]] * len(cards), gap=step - size[0]), cards, strict=True):
        sheet.picture(draw_turned_card(sheet, card, spot.size, 0), spot.center)
    sheet.place(f"card:{place.region}", seen, cards, None, felt)
    if place.number and cards:
        chip = stack(whole, sheet.em(1.25), sheet.em(1.25), "topleft")
        sheet.box(chip, INK, TEXT, radius=0.3, width=0.06)
        sheet.text(chip, str(place.number), 1.0, TEXT, bold=True, align="center", grows=False)
    if not words:
        return
    if beside:
        plaque = stack(plaque, plaque.w, pill * (2 if sign else 1))
        sheet.box(plaque, INK, radius=0.4)
        above, plaque = rows(plaque, pill if sign else 0, FILL)
        if sign:
            sheet.picture(draw_press_sign(sheet, sign, pill * 3 // 4, TEXT), above.center)
        sheet.text(plaque, words, 1.0, TEXT, bold=True, align="center", grows=False)
        return
    need = sheet.text_width(words, NUMBER, bold=True) + pill
    sign = sign if need + pill <= cell.w else ""
    need += pill if sign else 0
    plaque = stack(cell, min(cell.w, need), pill)._replace(y=whole.bottom + lift - pill + hangs)
    sheet.pill(plaque, INK)
    inner = plaque.inflate(-pill, 0)
    if sign:
        inner = paint_press_sign(sheet, inner, sign, TEXT)
    sheet.text(inner, words, NUMBER, TEXT, bold=True, align="center", grows=False)


def _arrange_cards(room: Box, many: int) -> tuple[Box, tuple[int, int], int]:
    """What so many cards cover, a card's size, and from one to the next."""
    wide = min(round(room.h * FAN["shape"]), round(room.w / (1 + LEAST_STEP * (max(USUAL, many) - 1))))
    high, step = round(wide / FAN["shape"]), min(round(wide * STEP), (room.w - wide) // max(1, many - 1))
    return stack(room, wide + step * max(0, many - 1), high), (wide, high), step
