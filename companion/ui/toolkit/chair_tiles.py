"""Badges of BOT decks, and large tiles for choosing a player or a deck."""

from collections.abc import Iterable

from companion.core.actions import Chair
from companion.ui.frame import UiState
from companion.ui.layout import Box, around
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


def _paint_low_tile(sheet: Sheet, rect: Box, chair: Chair, name: str, ink: Colour) -> None:
    radius = min(rect.h * 2 // 5, sheet.em(0.75))
    gap = sheet.em(0.4)
    left = rect.x + gap + 2 * radius + max(gap, radius * 2 // 3)
    sheet.badge((rect.x + gap + radius, rect.centery), radius, chair)
    words = Box(left, rect.y, rect.right - gap - left, rect.h)
    sheet.text(words, shorten_name(sheet, name, words.w), 1.0, ink, bold=True)


def paint_chair_tile(sheet: Sheet, rect: Box, chair: Chair, *, marked: bool, name: str = "") -> None:
    """A big tile for choosing a chair."""
    colour = sheet.colour(chair)
    ink = paint_plate(sheet, rect, colour, PlateState.ASKED if marked else PlateState.WAIT)
    name_height = sheet.painter.line_height(1.15)
    radius = min((rect.h - name_height) * 36 // 100, rect.w // 4, sheet.em(2.2))
    if rect.h < name_height + sheet.em(LOW_TILE_HEIGHT):
        _paint_low_tile(sheet, rect, chair, name or sheet.name(chair), ink)
        return
    sheet.badge((rect.centerx, rect.y + (rect.h - name_height) // 2), radius, chair)
    words = Box(rect.x, rect.bottom - name_height - sheet.em(0.15), rect.w, name_height)
    name = shorten_name(sheet, name or sheet.name(chair), words.w - sheet.em(0.4))
    sheet.text(words, name, 1.0, ink, bold=True, align="center", grows=False)


def paint_bot_tile(sheet: Sheet, rect: Box, owner: Chair | None, *, marked: bool) -> None:
    """A big tile for choosing a deck that nobody holds."""
    colour = deck_colour(sheet, owner)
    ink = paint_plate(sheet, rect, colour, PlateState.ASKED if marked else PlateState.WAIT)
    height = sheet.painter.line_height(1.15)
    radius = min((rect.h - height) * 36 // 100, rect.w // 4, sheet.em(2.2))
    paint_bot_badge(sheet, (rect.centerx, rect.y + (rect.h - height) // 2), radius, owner)
    words = Box(rect.x, rect.bottom - height - sheet.em(0.15), rect.w, height)
    name = shorten_name(sheet, deck_name(sheet, owner), words.w - sheet.em(0.4))
    sheet.text(words, name, 1.0, ink, bold=True, align="center")
