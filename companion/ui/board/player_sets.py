"""Draws the sets that lie before the players, each on its owner's side of the table."""

from collections.abc import Mapping

import pygame

from companion.core.view import ChairView, Choice, PlaceView
from companion.ui.board.lesson_cards import FAN, draw_turned_card, shadow_width
from companion.ui.board.panels import chairs_and_decks
from companion.ui.board.plate_choices import say_action
from companion.ui.frame import GameFrame
from companion.ui.layout import FILL, Anchor, Box, Share, columns, rows, stack
from companion.ui.toolkit.sheet import Sheet
from companion.ui.toolkit.theme import FELT, GOLD, INK, TEXT, blend
from companion.ui.toolkit.widgets import paint_halo, paint_press_sign

STEP, LEAST_STEP = 0.3, 0.1
"""How much of a card under the next one is seen, and how much at least: rather are all of them smaller."""
USUAL = 4
"""Sets of up to so many cards have cards of one size."""
MOST = 52
"""How high one place is at most, of 100 of the height."""
EACH, WORDY = 5, 6
"""How wide the sides are to each other: of the one with an empty place that is played on, moves are read."""
PILLS = 5
"""Where a place is not so many times as high as the count, that stands beside the cards, which are larger."""
NUMBER = 1.2
"""How large it says how many cards lie there, in smallest letters."""
VEIL = 150
"""How much felt lies over a set that may not be chosen, of 255."""


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
    played = {place.region for place in frame.view.places if place.active and not place.card}
    shares = [Share(WORDY if moves > 1 and played & {*owned} else EACH) for owned in owned_by]
    if any(one.region for chair in frame.view.chairs for one in chair.choices):
        played.clear()  # then each set lies beside its owner's plate
    for side, owned in zip(columns(rect, *shares, gap=gap), owned_by, strict=True):
        slot = (rect.h + gap) // max(1, *map(len, owned_by)) - gap
        cells = rows(side, *[FILL if one in played else slot for one in owned], gap=gap, justify="center")
        high = min(slot, rect.h * MOST // 100)
        found |= {region: stack(cell, cell.w, high) for region, cell in zip(owned, cells, strict=True)}
    least = min((cell.h for cell in found.values()), default=0)
    lying = {place.region for place in frame.view.places if place.card}
    return {region: stack(cell, cell.w, least) if region in lying else cell for region, cell in found.items()}


def paint_set(
    sheet: Sheet,
    cell: Box,
    place: PlaceView,
    choice: Choice | None = None,
    *,
    outlined: bool = True,
    veiled: bool = False,
) -> None:
    """The cards one over the other, and how many: across their feet, or towards the middle.

    An empty place is bare. `choice`: what touching it says. `outlined`: whether an empty place is seen.
    `veiled`: another set is chosen, and this one may not be.
    """
    cards = (place.card, *place.on_top) if place.card else ()
    sign, pill = "" if choice is None else choice.press, sheet.painter.line_height(NUMBER)
    lift, side, told = sheet.em(0.25), pill * 3 // 4, sheet.text_width(str(len(cards)), NUMBER, bold=True)
    wide = (side + lift) * (1 + bool(sign)) + told + pill // 2
    beside, hangs, room, edge = cell.h <= PILLS * pill, pill // 2, cell, 2 * lift
    if beside and cards:
        hangs, edge = 0, lift
        outwards: Anchor = "left" if cell.centerx < sheet.rect.centerx else "right"
        inwards: Anchor = "right" if outwards == "left" else "left"
        plaque = stack(stack(cell, cell.w, pill), wide, pill, inwards)
        room = stack(cell, cell.w - wide, cell.h, outwards)
    whole, size, step = _arrange_cards(room.inflate(-edge, -2 * lift).inset(bottom=hangs), len(cards))
    if not beside:
        plaque = stack(cell, wide, pill)._replace(y=whole.bottom + lift - pill + hangs)
    shadow = shadow_width(sheet)
    seen = Box(*pygame.Rect(whole.inflate(2 * shadow, 2 * shadow)).clip(sheet.rect))
    felt = sheet.surface.subsurface(seen).copy()
    if choice is not None:
        if choice.marked:
            paint_halo(sheet, whole.center, whole.h)
            sheet.box(whole.inflate(3 * lift, 3 * lift), GOLD, radius=0.5)
        sheet.target(f"tile:{choice.action}", cell, say_action(choice))
    elif not cards and outlined:
        sheet.box(whole, None, GOLD if place.active else blend(FELT, TEXT, 0.3), radius=0.5)
    for spot, card in zip(columns(whole, *[size[0]] * len(cards), gap=step - size[0]), cards, strict=True):
        sheet.picture(draw_turned_card(sheet, card, spot.size, 0), spot.center)
    if veiled and cards:
        _paint_veil(sheet, whole)
    sheet.place(f"card:{place.region}", seen, cards, None, felt)
    if place.number and cards:
        chip = stack(whole, sheet.em(1.25), sheet.em(1.25), "topleft")
        sheet.box(chip, INK, TEXT, radius=0.3, width=0.06)
        sheet.text(chip, str(place.number), 1.0, TEXT, bold=True, align="center", grows=False)
    if not cards:
        return
    sheet.pill(plaque, INK)
    inner = plaque.inset(left=pill // 4)
    if sign:
        inner = paint_press_sign(sheet, inner, sign, TEXT)
    icon, number = columns(inner, side, FILL, gap=lift)
    sheet.picture(sheet.art.motif("cards", side), icon.center)
    sheet.text(number, str(len(cards)), NUMBER, TEXT, bold=True, grows=False)


def _arrange_cards(room: Box, many: int) -> tuple[Box, tuple[int, int], int]:
    """What so many cards cover, a card's size, and from one to the next."""
    wide = min(round(room.h * FAN["shape"]), round(room.w / (1 + LEAST_STEP * (max(USUAL, many) - 1))))
    high, step = round(wide / FAN["shape"]), min(round(wide * STEP), (room.w - wide) // max(1, many - 1))
    return stack(room, wide + step * max(0, many - 1), high), (wide, high), step


def _paint_veil(sheet: Sheet, rect: Box) -> None:
    """Felt over what is not asked about."""
    veil = pygame.Surface(rect.size)
    veil.fill(FELT)
    veil.set_alpha(VEIL)
    sheet.picture(veil, rect.center)
