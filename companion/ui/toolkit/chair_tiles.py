"""Large tiles for choosing a player or a BOT deck."""

from collections.abc import Iterable

from companion.core.actions import Chair
from companion.ui.board.bot_badge import deck_colour, deck_name, paint_bot_badge, shorten_name
from companion.ui.frame import UiState
from companion.ui.layout import Box
from companion.ui.toolkit.design_tokens import Colour
from companion.ui.toolkit.sheet import Sheet
from companion.ui.toolkit.theme import SHAPES
from companion.ui.toolkit.widgets import PlateState, paint_plate

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
