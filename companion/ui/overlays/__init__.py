"""Overlays of the game page by the name that the UI state uses."""

from collections.abc import Callable, Mapping

from companion.ui.board.plate_choices import CHOICES_OVERLAY
from companion.ui.frame import GameFrame
from companion.ui.overlays.allowed_actions import paint_allowed_actions, paint_large_choices
from companion.ui.overlays.extras import paint_extras
from companion.ui.overlays.key_list import paint_game_keys
from companion.ui.overlays.menu import (
    paint_close_dialog,
    paint_help_menu,
    paint_leave_dialog,
    paint_menu,
    paint_mismatch_help,
)
from companion.ui.overlays.repair import paint_repair
from companion.ui.overlays.ruling_log import (
    paint_correction,
    paint_explanation,
    paint_finishes,
    paint_log,
    paint_undo,
)
from companion.ui.overlays.settings import paint_settings
from companion.ui.toolkit.sheet import Sheet

OVERLAYS: Mapping[str, Callable[[Sheet, GameFrame], None]] = {
    CHOICES_OVERLAY: paint_large_choices,
    "menu": paint_menu,
    "leave": paint_leave_dialog,
    "close": paint_close_dialog,
    "assist": paint_help_menu,
    "wrong": paint_mismatch_help,
    "log": paint_log,
    "extras": paint_extras,
    "may": paint_allowed_actions,
    "finish": paint_finishes,
    "why": paint_explanation,
    "take_back": paint_undo,
    "correct": paint_correction,
    "repair": paint_repair,
    "help": paint_game_keys,
    "settings": paint_settings,
}
"""Overlay of the glass → what paints it."""
