"""Pages that list things to choose from: stored games, settings, sound outputs."""

import pygame

from companion.core.game import NO_COVER, Cover
from companion.core.view import Sentence
from companion.language.language import format_date
from companion.system.terminal import to_printable
from companion.ui.commands import ChangeSetting, ResumeGame, ShowPage, SpeakSentences
from companion.ui.frame import HomeFrame, StoredGame
from companion.ui.layout import FILL, Box, best_grid, columns, rows, stack
from companion.ui.overlays.dialog import (
    DialogButton,
    felt_room,
    paint_bar,
    paint_buttons,
    paint_dialog,
    paint_felt_page,
    scroll_buttons,
    scroll_range,
)
from companion.ui.overlays.felt_choices import draw_fan
from companion.ui.overlays.settings import paint_settings_rows
from companion.ui.pages.base import Page
from companion.ui.toolkit.game_covers import draw_cover_picture
from companion.ui.toolkit.sheet import EM_PER_U, Sheet, touch_action
from companion.ui.toolkit.theme import GOLD, INK, LOOK, PAPER, RAISED, TEXT, ink_on, type_scale
from companion.ui.toolkit.widgets import paint_avatar

FEW_BOXES, MOST_BOXES, BOX = 3, 6, 1.5
"""Boxes of past games: no larger than if there were so many, so many at once, and the width to the height."""
