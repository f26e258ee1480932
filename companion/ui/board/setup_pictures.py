"""Draws a step of setting up a game: cards that are shuffled, dealt, laid out, moving or as they lie."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from companion.core.actions import Chair
from companion.core.view import SetupPicture
from companion.ui.board.lesson_cards import draw_turned_card
from companion.ui.board.stage_layout import panel_rects, ring_cells
from companion.ui.layout import Box, around, best_grid, columns, stack
from companion.ui.toolkit.picture_cache import WIDE
from companion.ui.toolkit.sheet import Sheet
from companion.ui.toolkit.theme import FELT, LOOK, RAISED, TEXT, blend

MOTION = LOOK.motion
PILE = 5
"""Cards of a pile that are drawn."""
PILE_CARD, PILE_STEP, PILE_SLANT = 27, 1.1, 6
"""Its height and how far its cards lie apart, in u, and their slant in degrees."""
FAN_STEP, FAN_SLANT = 0.38, 5
"""From card to card of a fan, in widths; by how many degrees they differ."""
Spot = tuple[int, int]


class MovingCard(NamedTuple):
    """A card or token, where it comes to lie, and how it gets there."""

    picture: str
    centre: Spot
    high: int
    slant: float = 0.0
    after: int = 0
    """Thousandths of a second before it sets out."""
    source: Spot | None = None
    """Where it comes from; None: it is there from the moment on."""
    sway: int = 0
    """How far it goes aside while it is shuffled, in pixels."""


class Arrangement(NamedTuple):
    """Everything of one picture."""

    cards: Sequence[MovingCard]
    badges: Sequence[tuple[Spot, int, Chair]] = ()
    numbers: Sequence[tuple[Spot, int]] = ()
    box: Box | None = None
    """What hides the lower part of the cards."""

    @property
    def duration(self) -> int:
        """Until everything lies still, in thousandths of a second."""
        shuffled = 2 * MOTION["riffle"] * any(one.sway for one in self.cards)
        return max((one.after + MOTION["deal"] for one in self.cards if not one.sway), default=0) + shuffled


def arrange_setup(sheet: Sheet, field: Box, picture: SetupPicture, chairs: Sequence[Chair]) -> Arrangement:
    """Where everything lies in `field`; `chairs`: who plays, clockwise from the bottom left."""
    if picture.piles:
        return Arrangement(tuple(_arrange_piles(sheet, field, picture.piles)))
    if picture.boxed:
        return _arrange_boxed(field, picture.boxed)
    if picture.laid:
        return _arrange_ring(sheet, field, picture)
    return _arrange_hands(sheet, field, picture, chairs)


def _arrange_piles(sheet: Sheet, field: Box, piles: Sequence[str]) -> Iterator[MovingCard]:
    step = sheet.u(PILE_STEP)
    high = min(sheet.u(PILE_CARD), field.h - PILE * step, round(field.w / len(piles) / WIDE * 0.75))
    for place, cell in enumerate(columns(field, *[field.w // len(piles)] * len(piles))):
        for depth in reversed(range(PILE)):
            spot = (cell.centerx + (PILE // 2 - depth) * step, cell.centery + (depth - PILE // 2) * step)
            slant = PILE_SLANT * (1 if place % 2 else -1) * (1 - depth / PILE)
            yield MovingCard(piles[place], spot, high, slant, sway=(1 if depth % 2 else -1) * high // 6)


def _arrange_boxed(field: Box, cards: Sequence[str]) -> Arrangement:
    """Cards that fall into a box, which hides their lower halves."""
    high = min(field.h * 7 // 10, round(field.w / WIDE / 2))
    wide, gap = round(high * WIDE), _time_gap(len(cards))
    box = stack(field, field.w, field.h - high * 2 // 3 - high // 8, "bottom")
    step = (field.w - wide - high // 4) / max(1, len(cards) - 1)
    lying = []
    for place, card in enumerate(cards):
        x, off = field.x + (wide + high // 4) // 2 + round(place * step), place - (len(cards) - 1) / 2
        slant, source = -FAN_SLANT * off * 5 / len(cards) / 2, (x, field.y + high // 2)
        lying.append(MovingCard(card, (x, box.y - high // 6), high, slant, place * gap, source))
    return Arrangement(lying, box=box)


def _arrange_ring(sheet: Sheet, field: Box, picture: SetupPicture) -> Arrangement:
    """Cards one after another round the middle, with the numbers of their places."""
    room = stack(field, min(field.w - sheet.u(6), field.h), field.h)  # clear of the round corners of the felt
    cells, inner = ring_cells(len(picture.laid), room, sheet.u(1))
    cards, numbers = [], []
    for place, (card, cell) in enumerate(zip(picture.laid, cells, strict=True)):
        high = min(cell.h, round(cell.w / WIDE))
        cards.append(MovingCard(card, cell.center, high, after=place * MOTION["lay_gap"]))
        if card.startswith("back:"):
            numbers.append((cell.center, high))
    after = len(cards) * MOTION["lay_gap"]
    return Arrangement((*cards, *_arrange_heap(inner, picture.middle, after)), numbers=numbers)


def _arrange_hands(sheet: Sheet, field: Box, picture: SetupPicture, chairs: Sequence[Chair]) -> Arrangement:
    """What everybody gets before them, dealt round by round, and tokens in the middle."""
    heap = field.w * 3 // 10 if picture.middle else sheet.u(1)
    cells = panel_rects(len(chairs), field, (field.w - heap) // 2, sheet.u(1))
    least = min(cell.h for cell in cells)
    side = min(least // 2, sheet.u(LOOK.avatar["prompt"]))
    below = side // 2 if all(":" in one or not one for one in picture.each) else side  # no token is covered
    own = tuple(_arrange_own(Box(0, 0, cells[0].w, min(least - below, sheet.u(PILE_CARD))), picture.each))
    high = max(one.high for one in own)
    cards, badges, gap = [], [], _time_gap(len(chairs) * len(own))
    for seat, cell in enumerate(cells):
        block = stack(cell, cell.w, high + below)
        middle = block._replace(h=high).center
        badges.append(((middle[0], block.bottom - side // 2), side * 10 // 26, chairs[seat]))
        for place, one in enumerate(own):
            spot, after = (middle[0] + one.centre[0], middle[1]), (place * len(chairs) + seat) * gap
            cards.append(one._replace(centre=spot, after=after, source=field.center))
    return Arrangement((*cards, *_arrange_heap(stack(field, heap, field.h // 2), picture.middle)), badges)


def _arrange_own(room: Box, each: Sequence[str]) -> Iterator[MovingCard]:
    """What one player gets, left and right of 0: cards as a fan, places side by side, tokens in a row."""
    kind = "places" if not all(each) else "fan" if all(":" in one for one in each) else "tokens"
    shape, step = {"places": (WIDE, 1.15), "fan": (WIDE, FAN_STEP), "tokens": (1.0, 0.7)}[kind]
    high = min(room.h, round(room.w / shape / (1.1 + step * (len(each) - 1))))
    for place, one in enumerate(each):
        off = place - (len(each) - 1) / 2
        slant = -FAN_SLANT * off if kind == "fan" else 0.0
        yield MovingCard(one, (round(off * step * shape * high), 0), high, slant)


def _arrange_heap(room: Box, tokens: Sequence[str], after: int = 0) -> Iterator[MovingCard]:
    for token, cell in zip(tokens, best_grid(room, len(tokens), 2, shape=1.0), strict=True):
        yield MovingCard(token, cell.center, min(cell.size), after=after)


def _time_gap(many: int) -> int:
    """From one card to the next: a long deal is quick."""
    return min(MOTION["deal_gap"], MOTION["deal_most"] // max(1, many))


def draw_arrangement(sheet: Sheet, shown: Arrangement, at: int | None = None) -> None:
    """Draw it as it is `at` thousandths of a second after it began; None: as it lies in the end."""
    for one in shown.cards:
        spot = one.centre if at is None else _place_of(one, at)
        if spot is not None:
            _draw_card(sheet, one, spot)
    if shown.box is not None:
        sheet.box(shown.box, LOOK.colour("rim"), LOOK.colour("rim_light"), radius=0.4, width=0.16)
    for centre, radius, chair in shown.badges:
        (sheet.badge if 2 * radius > sheet.em(1.5) else sheet.shape)(centre, radius, chair)
    for place, (centre, high) in enumerate(shown.numbers, 1):
        if at is None or at >= shown.cards[place - 1].after:
            _draw_number(sheet, centre, high, place)


def _place_of(one: MovingCard, at: int) -> Spot | None:
    """Where a card is then; None: not there yet."""
    x, y = one.centre
    if one.sway:
        part = min(at, 2 * MOTION["riffle"]) % MOTION["riffle"] / MOTION["riffle"]
        return x + round(one.sway * 4 * part * (1 - part)), y
    if at < one.after:
        return None
    if one.source is None or at >= one.after + MOTION["deal"]:
        return one.centre
    left = (1 - (at - one.after) / MOTION["deal"]) ** 3  # it leaves quickly and arrives slowly
    return round(x + (one.source[0] - x) * left), round(y + (one.source[1] - y) * left)


def _draw_card(sheet: Sheet, one: MovingCard, spot: Spot) -> None:
    size = (round(one.high * WIDE), one.high)
    if not one.picture:
        sheet.box(around(spot, *size), None, blend(FELT, TEXT, 0.6), radius=0.3)
    elif ":" in one.picture:
        sheet.picture(draw_turned_card(sheet, one.picture, size, one.slant), spot)
    else:
        sheet.picture(sheet.art.motif(one.picture, one.high), spot)


def _draw_number(sheet: Sheet, centre: Spot, high: int, number: int) -> None:
    side = max(sheet.em(1.2), high // 3)
    sheet.disc(centre, side // 2, RAISED)
    place = around(centre, side, side)
    sheet.text(place, str(number), side / sheet.unit * 0.7, TEXT, bold=True, align="center", grows=False)
