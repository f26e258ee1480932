"""Draws the toolbar under the table."""

import math
from collections.abc import Callable, Mapping

import pygame

from companion.ui.board.row_centre import has_clock, has_running_clock
from companion.ui.commands import PauseGame, SharedPress
from companion.ui.frame import GameFrame
from companion.ui.layout import FILL, Box, columns
from companion.ui.toolkit.icons import Brush
from companion.ui.toolkit.sheet import Sheet, TouchAction, touch_action
from companion.ui.toolkit.sprites import draw_smooth
from companion.ui.toolkit.theme import RAISED, SOFT, Colour, ink_on

BUTTONS = ("ok", "next", "back")
"""The shared buttons, from the right."""


def paint_toolbar(sheet: Sheet, rect: Box, frame: GameFrame) -> Box:
    """Paint it; returns what is left between its two ends. What cannot be used now keeps its place."""
    gap = sheet.em(0.35)
    left, right = rect.x, _paint_shared_buttons(sheet, rect, frame, gap)
    view = frame.view
    for key, words, does, stays in (
        ("menu", "ui.menu", touch_action(overlay="menu"), True),
        ("undo", "ui.take_back", touch_action(overlay="take_back") if frame.can_undo else None, True),
        ("help", "ui.assist", touch_action(overlay="assist"), True),
        (
            "pause",
            "ui.pause",
            touch_action(PauseGame()) if has_running_clock(view) else None,
            has_clock(view),
        ),
        ("extras", "ui.extras", touch_action(overlay="extras") if view.extras else None, False),
    ):
        if does is not None or stays:
            wide = sheet.text_width(sheet.tr(words), bold=True) + sheet.em(2.3)
            _paint_button(sheet, Box(left, rect.y, wide, rect.h), key, words, does)
            left += wide + gap
    return Box(left + gap, rect.y, max(1, right - left - gap), rect.h)


def _paint_button(sheet: Sheet, rect: Box, key: str, words: str, does: TouchAction | None) -> None:
    sheet.button(rect, "", f"bar:{key}", does)
    ink = SOFT if does is None else ink_on(RAISED)
    inner = rect.inset(left=sheet.em(0.45), right=sheet.em(0.3))
    icon, room = columns(inner, sheet.em(0.9), FILL, gap=sheet.em(0.75) - sheet.em(0.45))
    sheet.picture(draw_icon(sheet, key, icon.w, ink), icon.center)
    sheet.text(room, sheet.tr(words), 1.0, ink, bold=True)


def _paint_shared_buttons(sheet: Sheet, rect: Box, frame: GameFrame, gap: int) -> int:
    """Back, next and OK, where such buttons exist and were used last; returns where they begin."""
    right, asked = rect.right, {choice.press for choice in frame.view.shared}
    for button in BUTTONS if frame.ui_state.buttons else ():
        if button in asked:
            string = sheet.tr(f"ui.button.{button}")
            width = sheet.text_width(string) + sheet.em(1.0)
            press = TouchAction((SharedPress(button, down=True),), lifted=(SharedPress(button, down=False),))
            sheet.button(Box(right - width, rect.y, width, rect.h), string, f"shared:{button}", press)
            right -= width + gap
    return right


def draw_icon(sheet: Sheet, name: str, side: int, colour: Colour) -> pygame.Surface:
    """A small sign beside words, `side` pixels square."""

    def draw(surface: pygame.Surface, _: float) -> None:
        TOOLBAR_ICONS[name](Brush(surface), colour)

    return sheet.art.sprites.get_or_draw(
        ("icon", name, side, colour), lambda: draw_smooth((side, side), draw)
    )


def _draw_menu(brush: Brush, colour: Colour) -> None:
    for y in (22, 50, 78):
        brush.line(colour, 11, (10, y), (90, y))


def _draw_undo(brush: Brush, colour: Colour) -> None:
    brush.line(colour, 11, (12, 36), (62, 36))
    brush.arc(colour, 11, (62, 60), 24, -90, 90)
    brush.line(colour, 11, (62, 84), (40, 84))
    brush.line(colour, 11, (34, 12), (12, 36), (34, 60))


def _draw_help(brush: Brush, colour: Colour) -> None:
    brush.arc(colour, 12, (50, 30), 22, -190, 60)
    brush.line(colour, 12, (60, 50), (50, 60), (50, 68))
    brush.ellipse(colour, 50, 90, 15)


def _draw_dots(brush: Brush, colour: Colour) -> None:
    for x in (16, 50, 84):
        brush.ellipse(colour, x, 50, 24)


def _draw_arrow(brush: Brush, colour: Colour) -> None:
    brush.line(colour, 14, (10, 50), (86, 50))
    brush.line(colour, 14, (56, 20), (86, 50), (56, 80))


def _draw_check(brush: Brush, colour: Colour) -> None:
    brush.line(colour, 12, (20, 52), (42, 74), (82, 28))


def _draw_play(brush: Brush, colour: Colour) -> None:
    brush.polygon(colour, (24, 14), (86, 50), (24, 86))
    brush.line(colour, 8, (24, 14), (86, 50), (24, 86), (24, 14))


def _draw_book(brush: Brush, colour: Colour) -> None:
    for side in (-1, 1):
        brush.line(colour, 9, (50, 28), (50 + side * 22, 18), (50 + side * 42, 22))
        brush.line(colour, 9, (50 + side * 42, 22), (50 + side * 42, 76), (50 + side * 22, 72), (50, 84))
    brush.line(colour, 9, (50, 28), (50, 84))


def _draw_sound(brush: Brush, colour: Colour) -> None:
    brush.polygon(colour, (8, 36), (28, 36), (52, 14), (52, 86), (28, 64), (8, 64))
    for radius in (18, 34):
        brush.arc(colour, 9, (56, 50), radius, -50, 50)


def _draw_pause(brush: Brush, colour: Colour) -> None:
    for x in (32, 68):
        brush.line(colour, 18, (x, 20), (x, 80))


def _draw_camera(brush: Brush, colour: Colour) -> None:
    brush.line(
        colour, 9, (8, 32), (30, 32), (38, 18), (62, 18), (70, 32), (92, 32), (92, 82), (8, 82), (8, 32)
    )
    brush.arc(colour, 9, (50, 56), 15, 0, 360)


def _draw_exit(brush: Brush, colour: Colour) -> None:
    brush.line(colour, 10, (54, 14), (14, 14), (14, 86), (54, 86))
    brush.line(colour, 10, (38, 50), (88, 50))
    brush.line(colour, 10, (68, 28), (88, 50), (68, 72))


def _draw_screen(brush: Brush, colour: Colour) -> None:
    brush.line(colour, 9, (8, 18), (92, 18), (92, 70), (8, 70), (8, 18))
    brush.line(colour, 9, (32, 88), (68, 88))


def _draw_button(brush: Brush, colour: Colour) -> None:
    brush.arc(colour, 9, (50, 50), 40, 0, 360)
    brush.ellipse(colour, 50, 50, 40)


def _draw_alert(brush: Brush, colour: Colour) -> None:
    brush.line(colour, 14, (50, 10), (50, 60))
    brush.ellipse(colour, 50, 86, 17)


def _draw_sun(brush: Brush, colour: Colour) -> None:
    brush.ellipse(colour, 50, 50, 40)
    for turn in range(8):
        x, y = math.cos(turn * math.pi / 4), math.sin(turn * math.pi / 4)
        brush.line(colour, 9, (50 + 32 * x, 50 + 32 * y), (50 + 44 * x, 50 + 44 * y))


def _draw_focus(brush: Brush, colour: Colour) -> None:
    for x, y in ((-1, -1), (1, -1), (1, 1), (-1, 1)):
        brush.line(
            colour, 10, (50 + 40 * x, 50 + 18 * y), (50 + 40 * x, 50 + 40 * y), (50 + 18 * x, 50 + 40 * y)
        )
    brush.ellipse(colour, 50, 50, 34)


def _draw_globe(brush: Brush, colour: Colour) -> None:
    brush.arc(colour, 8, (50, 50), 42, 0, 360)
    brush.line(colour, 7, (8, 50), (92, 50))
    for side in (-1, 1):
        brush.line(colour, 7, (50, 8), (50 + side * 22, 32), (50 + side * 22, 68), (50, 92))


def _draw_volume(brush: Brush, colour: Colour) -> None:
    for place in range(4):
        x = 14 + 24 * place
        brush.line(colour, 13, (x, 84), (x, 66 - 17 * place))


def _draw_speech(brush: Brush, colour: Colour) -> None:
    brush.line(colour, 9, (38, 70), (22, 92), (22, 70), (8, 70), (8, 12), (92, 12), (92, 70), (38, 70))
    for x in (30, 50, 70):
        brush.ellipse(colour, x, 41, 11)


def _draw_letters(brush: Brush, colour: Colour) -> None:
    brush.line(colour, 11, (6, 86), (32, 16), (58, 86))
    brush.line(colour, 9, (16, 62), (48, 62))
    brush.arc(colour, 9, (78, 70), 14, 0, 360)
    brush.line(colour, 9, (92, 54), (92, 86))


def _draw_marks(brush: Brush, colour: Colour) -> None:
    for x in (20, 80):
        for y in (20, 80):
            brush.rounded_box(colour, x - 16, y - 16, 32, 32, 4)


def _draw_corners(brush: Brush, colour: Colour) -> None:
    corners = (24, 20), (76, 20), (92, 80), (8, 80)
    brush.line(colour, 6, *corners, corners[0])
    for x, y in corners:
        brush.ellipse(colour, x, y, 24)


def _draw_sheet(brush: Brush, colour: Colour) -> None:
    brush.line(colour, 8, (8, 20), (92, 20), (92, 80), (8, 80), (8, 20))
    for y in (38, 50, 62):
        brush.line(colour, 5, (24, y), (76, y))


def _draw_flag(brush: Brush, colour: Colour) -> None:
    brush.line(colour, 9, (22, 8), (22, 94))
    brush.polygon(colour, (22, 12), (88, 34), (22, 58))


def _draw_power(brush: Brush, colour: Colour) -> None:
    brush.arc(colour, 10, (50, 54), 36, -60, 240)
    brush.line(colour, 11, (50, 8), (50, 48))


def _draw_eye(brush: Brush, colour: Colour) -> None:
    brush.line(colour, 8, (4, 50), (26, 27), (50, 19), (74, 27), (96, 50))
    brush.line(colour, 8, (4, 50), (26, 73), (50, 81), (74, 73), (96, 50))
    brush.ellipse(colour, 50, 50, 30)


def _draw_phone(brush: Brush, colour: Colour) -> None:
    brush.line(colour, 9, (26, 6), (74, 6), (74, 94), (26, 94), (26, 6))
    brush.ellipse(colour, 50, 80, 11)


def _draw_keys(brush: Brush, colour: Colour) -> None:
    brush.line(colour, 8, (6, 22), (94, 22), (94, 78), (6, 78), (6, 22))
    for x in (24, 50, 76):
        brush.ellipse(colour, x, 42, 12)
    brush.line(colour, 9, (30, 62), (70, 62))


def _draw_sliders(brush: Brush, colour: Colour) -> None:
    for y, x in ((22, 68), (50, 30), (78, 58)):
        brush.line(colour, 8, (8, y), (92, y))
        brush.ellipse(colour, x, y, 24)


def _draw_copy(brush: Brush, colour: Colour) -> None:
    brush.line(colour, 9, (8, 58), (8, 90), (92, 90), (92, 58))
    brush.line(colour, 11, (50, 8), (50, 66))
    brush.line(colour, 11, (28, 44), (50, 66), (72, 44))


def _draw_swap(brush: Brush, colour: Colour) -> None:
    brush.line(colour, 10, (10, 32), (84, 32))
    brush.line(colour, 10, (64, 12), (86, 32), (64, 52))
    brush.line(colour, 10, (90, 70), (16, 70))
    brush.line(colour, 10, (36, 50), (14, 70), (36, 90))


def _draw_person(brush: Brush, colour: Colour) -> None:
    brush.ellipse(colour, 50, 28, 36)
    brush.polygon(colour, (14, 92), (22, 64), (50, 54), (78, 64), (86, 92))


TOOLBAR_ICONS: Mapping[str, Callable[[Brush, Colour], None]] = {
    "menu": _draw_menu,
    "undo": _draw_undo,
    "help": _draw_help,
    "extras": _draw_dots,
    "arrow": _draw_arrow,
    "check": _draw_check,
    "play": _draw_play,
    "book": _draw_book,
    "sound": _draw_sound,
    "exit": _draw_exit,
    "pause": _draw_pause,
    "camera": _draw_camera,
    "screen": _draw_screen,
    "button": _draw_button,
    "alert": _draw_alert,
    "sun": _draw_sun,
    "focus": _draw_focus,
    "globe": _draw_globe,
    "volume": _draw_volume,
    "speech": _draw_speech,
    "letters": _draw_letters,
    "marks": _draw_marks,
    "corners": _draw_corners,
    "sheet": _draw_sheet,
    "flag": _draw_flag,
    "power": _draw_power,
    "eye": _draw_eye,
    "phone": _draw_phone,
    "keys": _draw_keys,
    "sliders": _draw_sliders,
    "copy": _draw_copy,
    "swap": _draw_swap,
    "person": _draw_person,
}
