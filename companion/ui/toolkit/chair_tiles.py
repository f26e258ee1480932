"""Badges of BOT decks, and large tiles for choosing a player or a deck."""

from collections.abc import Iterable
from typing import NamedTuple

from companion.core.actions import Chair
from companion.ui.frame import UiState
from companion.ui.layout import FILL, Box, around, columns, rows
from companion.ui.toolkit.sheet import Sheet
from companion.ui.toolkit.theme import DARK, SHAPES, TEXT, Colour, blend
from companion.ui.toolkit.widgets import PlateState, paint_plate

UNOWNED_COLOUR: Colour = (150, 160, 178)
"""The colour of a deck that belongs to nobody."""


def deck_colour(sheet: Sheet, owner: int | None) -> Colour:
    return UNOWNED_COLOUR if owner is None else sheet.colour(owner)


def deck_name(sheet: Sheet, owner: int | None) -> str:
    """What the deck is called."""
    return sheet.tr("ui.bot") if owner is None else sheet.tr("ui.bot.of", chair=sheet.name(owner))


def paint_bot_badge(sheet: Sheet, centre: tuple[int, int], radius: int, owner: int | None) -> None:
    """A pile of cards in the owner's colour, with the owner's badge on it."""
    colour = deck_colour(sheet, owner)
    wide, high = round(radius * 1.3), round(radius * 1.8) - round(radius * 0.3)
    for step in (2, 1, 0):
        shift = round((step - 1) * radius * 0.16)
        card = around((centre[0] - shift, centre[1] - shift), wide, high)
        sheet.box(card, blend(DARK, colour, 0.35 + 0.25 * (step == 0)), TEXT, radius=0.2, width=0.05)
    if owner is not None:
        sheet.badge(card.center, max(radius // 2, round(sheet.unit * 0.5)), owner)


def shorten_name(sheet: Sheet, string: str, width: int) -> str:
    """A name in one line; what does not fit ends in an ellipsis."""
    font = sheet.painter.font(1.0, bold=True)
    if font.size(string)[0] <= width:
        return string
    while string and font.size(string + "…")[0] > width:
        string = string[:-1]
    return string + "…" if string else ""


class BotDeck(NamedTuple):
    """A deck that nobody holds; it belongs to a chair, or to nobody."""

    owner: Chair | None


def bot_deck(owner: str | int) -> BotDeck:
    """The deck that a sentence names by its owner, -1 being nobody."""
    return BotDeck(None if int(owner) < 0 else int(owner))


def paint_holder(
    sheet: Sheet,
    row: Box,
    holder: Chair | BotDeck,
    ink: Colour = TEXT,
    *,
    radius: int,
    gap: float,
    scale: float = 1.0,
) -> None:
    """A player's badge, or a deck's, at the left of a row, and the name after it where it fits whole."""
    badge, words = columns(row, 2 * radius, FILL, gap=sheet.em(gap))
    if isinstance(holder, BotDeck):
        paint_bot_badge(sheet, (badge.x + radius, row.centery), radius, holder.owner)
        name = deck_name(sheet, holder.owner)
    else:
        sheet.badge((badge.x + radius, row.centery), radius, holder)
        name = sheet.name(holder)
    if sheet.text_width(name, bold=True) <= words.w:  # else the badge says it, and no stump of a name
        sheet.text(words, name, scale, ink, bold=True)


ROUND = len(SHAPES)
"""More chairs than these no table has."""


def screen_position(ui_state: UiState, chair: Chair) -> int:
    """How far round the screen a chair is from the lower left corner."""
    steps = chair + 1 - ui_state.first_chair
    return (-steps if ui_state.mirrored else steps) % ROUND


def in_screen_order(ui_state: UiState, chairs: Iterable[Chair]) -> tuple[Chair, ...]:
    """Chairs as they stand on the screen, from the lower left corner on."""
    return tuple(sorted(chairs, key=lambda chair: screen_position(ui_state, chair)))


def seat_orientation(left: Chair, right: Chair, chairs: int) -> tuple[int, bool]:
    """`first_chair` and `mirrored`, told who sits next to the screen on its left and on its right.

    The screen stands between these two, so the shorter way from one to the other leads past it.
    """
    return left + 1, (right - left) % chairs < (left - right) % chairs


LOW_TILE_HEIGHT = 1.5
"""With less room than this above the name, the badge stands beside it."""


def paint_chair_tile(sheet: Sheet, rect: Box, chair: Chair, *, marked: bool, name: str = "") -> None:
    """A big tile for choosing a chair; a low one has its badge beside the name."""
    ink = paint_plate(sheet, rect, sheet.colour(chair), PlateState.ASKED if marked else PlateState.WAIT)
    name = name or sheet.name(chair)
    if rect.h >= sheet.painter.line_height(1.15) + sheet.em(LOW_TILE_HEIGHT):
        centre, radius, words = _split_tile(sheet, rect)
        sheet.badge(centre, radius, chair)
        _paint_tile_name(sheet, words, name, ink)
        return
    radius, gap = min(rect.h * 2 // 5, sheet.em(0.75)), sheet.em(0.4)
    badge, words = columns(rect.inset(left=gap, right=gap), 2 * radius, FILL, gap=max(gap, radius * 2 // 3))
    sheet.badge((badge.x + radius, rect.centery), radius, chair)
    sheet.text(words, shorten_name(sheet, name, words.w), 1.0, ink, bold=True)


def paint_bot_tile(sheet: Sheet, rect: Box, owner: Chair | None, *, marked: bool) -> None:
    """A big tile for choosing a deck that nobody holds."""
    ink = paint_plate(sheet, rect, deck_colour(sheet, owner), PlateState.ASKED if marked else PlateState.WAIT)
    centre, radius, words = _split_tile(sheet, rect)
    paint_bot_badge(sheet, centre, radius, owner)
    _paint_tile_name(sheet, words, deck_name(sheet, owner), ink)


def _split_tile(sheet: Sheet, rect: Box) -> tuple[tuple[int, int], int, Box]:
    """The middle and the radius of a tile's badge, and where the name is under it."""
    line, below = sheet.painter.line_height(1.15), sheet.em(0.15)
    upper, words, _ = rows(rect, FILL, line, below)
    room = upper.h + below
    return (rect.centerx, rect.y + room // 2), min(room * 36 // 100, rect.w // 4, sheet.em(2.2)), words


def _paint_tile_name(sheet: Sheet, words: Box, name: str, ink: Colour) -> None:
    name = shorten_name(sheet, name, words.w - sheet.em(0.4))
    sheet.text(words, name, 1.0, ink, bold=True, align="center", grows=False)
