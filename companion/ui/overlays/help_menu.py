"""Overlay with help: why a ruling fell, what is allowed, what to do about an error."""

import pygame

from companion.ui.commands import RereadTable, SpeakSentences
from companion.ui.frame import GameFrame
from companion.ui.overlays.dialog import (
    CLOSE_BUTTON,
    QUESTION_SPAN,
    DialogButton,
    paint_button_grid,
    paint_buttons,
    paint_dialog,
)
from companion.ui.overlays.repair import is_repairable
from companion.ui.toolkit.sheet import Sheet, touch_action


def paint_help_menu(sheet: Sheet, frame: GameFrame) -> None:
    """The three questions people have; the voice and the keys are at the foot."""
    body = paint_dialog(sheet, "ui.assist", span=QUESTION_SPAN)
    asked = [
        DialogButton("ui.why", "why", touch_action(overlay="why")),
        DialogButton("ui.may", "may", touch_action(overlay="may")),
        DialogButton("ui.wrong", "wrong", touch_action(overlay="wrong")),
    ]
    paint_button_grid(sheet, _paint_trouble(sheet, body, frame), asked, columns=1, high=4.6)
    paint_buttons(
        sheet,
        DialogButton("ui.repeat", "repeat", touch_action(SpeakSentences(), overlay="")),
        DialogButton("ui.help", "help", touch_action(overlay="help")),
        CLOSE_BUTTON,
        span=QUESTION_SPAN,
    )


def paint_mismatch_help(sheet: Sheet, frame: GameFrame) -> None:
    """Screen and table differ: undo, fix a card, correct the game, or let the camera look again."""
    body = paint_dialog(sheet, "ui.wrong", span=QUESTION_SPAN)
    ways = [
        DialogButton(
            "ui.take_back", "take_back", touch_action(overlay="take_back") if frame.can_undo else None
        ),
        DialogButton(
            "ui.correct", "correct", touch_action(overlay="correct") if frame.last_reading else None
        ),
        DialogButton(
            "ui.repair", "repair", touch_action(overlay="repair") if is_repairable(frame.view) else None
        ),
        DialogButton("ui.read_again", "read_again", touch_action(RereadTable(), overlay="")),
    ]
    paint_button_grid(sheet, _paint_trouble(sheet, body, frame), ways, columns=1, high=4.0)
    paint_buttons(sheet, CLOSE_BUTTON, span=QUESTION_SPAN)


def _paint_trouble(sheet: Sheet, body: pygame.Rect, frame: GameFrame) -> pygame.Rect:
    """What ails the table now, at the foot; returns the rest."""
    if frame.trouble is None:
        return body
    return sheet.paint_warning(body, sheet.words.text(frame.trouble, frame.names))
