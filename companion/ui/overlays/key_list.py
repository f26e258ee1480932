"""Overlay with the keys of a keyboard: drawn as they are printed, with what each does."""

from collections.abc import Mapping

from companion.ui.board.toolbar import draw_icon
from companion.ui.frame import GameFrame, PageFrame
from companion.ui.layout import FILL, Box, best_grid, columns, rows, stack
from companion.ui.overlays.dialog import (
    PRIMARY_CLOSE_BUTTON,
    DialogButton,
    felt_room,
    paint_bar,
    paint_felt_page,
)
from companion.ui.toolkit.sheet import Sheet, touch_action
from companion.ui.toolkit.theme import GOLD, INK, PAPER, TEXT, blend

KeyMeaning = tuple[str, str]
"""What is printed on a key, and the end of the catalogue key of what it does."""
EVERYWHERE: tuple[KeyMeaning, ...] = (
    ("1–8", "chair"),
    ("Space", "ok"),
    ("left right", "back_next"),
    ("Tab up down", "focus"),
    ("Enter", "enter"),
    ("Esc", "escape"),
    ("?", "help"),
    ("F11", "fullscreen"),
)
IN_GAME: tuple[KeyMeaning, ...] = (
    ("P", "pause"),
    ("M", "menu"),
    ("H", "assist"),
    ("W", "why"),
    ("A", "may"),
    ("S", "say_again"),
    ("L", "log"),
    ("U", "take_back"),
    ("C", "correct"),
    ("R", "repair"),
)
IN_DEMO: tuple[KeyMeaning, ...] = (("V", "camera"), ("F", "speed"))
KEY_SIGNS: Mapping[str, str] = {
    "assist": "book",
    "camera": "camera",
    "chair": "button",
    "correct": "sheet",
    "enter": "check",
    "escape": "exit",
    "focus": "focus",
    "fullscreen": "screen",
    "help": "keys",
    "log": "speech",
    "may": "button",
    "menu": "menu",
    "ok": "check",
    "pause": "pause",
    "read": "sound",
    "repair": "check",
    "say_again": "sound",
    "speed": "play",
    "take_back": "undo",
    "why": "help",
}
"""What stands beside a key, by the end of the catalogue key of what it does."""
ARROWS = frozenset({"left", "right", "up", "down"})
PRINTED, SAID = 1.7, 1.2
"""What is on a key, and below it, by the smallest letters at most."""
WIDE_KEY = 1.2
"""The place of a key is about this many times as wide as high."""


def paint_game_keys(sheet: Sheet, frame: GameFrame) -> None:
    """The game's own keys first, then those of every page."""
    demo = () if getattr(frame, "demo", None) is None else IN_DEMO
    _paint_keys(sheet, frame, ((*IN_GAME, *demo), EVERYWHERE))


def paint_page_keys(sheet: Sheet, frame: PageFrame) -> None:
    """The keys of every page."""
    _paint_keys(sheet, frame, ((*EVERYWHERE, ("S", "read")),))


def _paint_keys(sheet: Sheet, frame: PageFrame, leaves: tuple[tuple[KeyMeaning, ...], ...]) -> None:
    """One leaf of keys, and the way to the next if there is one."""
    felt, bar = paint_felt_page(sheet, sheet.tr("ui.help"))
    leaf = frame.ui_state.scroll % len(leaves)
    listed, gap = leaves[leaf], sheet.em(0.5)
    cells = best_grid(felt_room(sheet, felt), len(listed), gap, shape=WIDE_KEY)
    told = [sheet.tr(f"ui.key.{meaning}") for _, meaning in listed]
    room, least = cells[0].w, 2 * sheet.line_height
    scale = min(sheet.painter.fit_text(one, room, least, SAID, bold=True).scale for one in told)
    for cell, (printed, meaning), words in zip(cells, listed, told, strict=True):
        key, below = rows(cell, FILL, least, gap=gap // 2)
        _paint_key(sheet, key, printed, KEY_SIGNS.get(meaning, ""))
        sheet.text(below, words, scale, TEXT, bold=True, align="center", middle=False)
    after = touch_action(scroll=(leaf + 1) % len(leaves))
    more = () if len(leaves) == 1 else (DialogButton("ui.page.more", "more", after),)
    paint_bar(sheet, bar, *more, PRIMARY_CLOSE_BUTTON)


def _paint_key(sheet: Sheet, room: Box, printed: str, sign: str) -> None:
    """A key as it is seen from above, its top on its sides; where there is room, a sign beside it."""
    high, scale = min(room.h, sheet.em(4)), PRINTED
    pieces = [sheet.tr("ui.key.space") if piece == "Space" else piece for piece in printed.split(" ")]
    while True:
        side, gap = sheet.em(0.75 * scale), sheet.em(0.25)
        wide = [
            side if piece in ARROWS else sheet.text_width(piece, scale, bold=True) + 2 for piece in pieces
        ]
        needed = sum(wide) + gap * (len(pieces) - 1)
        if scale <= 1.0 or needed + sheet.em(1.2) <= room.w:
            break
        scale = max(1.0, scale - 0.1)
    wide_key, icon = max(high, needed + sheet.em(1.2)), min(high * 6 // 10, sheet.em(1.8))
    key = stack(room, wide_key, high, "bottom")
    if sign and wide_key + icon + 2 * gap <= room.w:
        key, beside = columns(
            stack(room, room.w, high, "bottom"), wide_key, icon, gap=2 * gap, justify="center"
        )
        sheet.picture(draw_icon(sheet, sign, icon, GOLD), beside.center)
    sheet.box(key, blend(PAPER, INK, 0.35), INK, radius=0.4)
    top = key.inset(left=high // 14, right=high // 14, top=high // 20, bottom=high // 7)
    sheet.box(top, PAPER, radius=0.35)
    for piece, place in zip(pieces, columns(stack(top, needed, top.h), *wide, gap=gap), strict=True):
        if piece in ARROWS:
            sheet.picture(sheet.art.motif(piece, side), place.center)
        else:
            sheet.text(place, piece, scale, INK, bold=True, align="center", grows=False)
