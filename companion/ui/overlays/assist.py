"""Help: why it was ruled so, what one may do, and what to do when something is wrong."""

import pygame

from companion.ui.commands import ReadAgain, Tell
from companion.ui.frame import GameFrame
from companion.ui.overlays.leaf import ASKS, CLOSE, Foot, feet, leaf, tiles
from companion.ui.overlays.repair import repairable
from companion.ui.sheet import Sheet, deed


def assist(sheet: Sheet, frame: GameFrame) -> None:
    """The three questions people have; the voice and the keys are at the foot."""
    body = leaf(sheet, "ui.assist", span=ASKS)
    asked = [
        Foot("ui.why", "why", deed(overlay="why")),
        Foot("ui.may", "may", deed(overlay="may")),
        Foot("ui.wrong", "wrong", deed(overlay="wrong")),
    ]
    tiles(sheet, _trouble(sheet, body, frame), asked, columns=1, high=4.6)
    feet(
        sheet,
        Foot("ui.repeat", "repeat", deed(Tell(), overlay="")),
        Foot("ui.help", "help", deed(overlay="help")),
        CLOSE,
        span=ASKS,
    )


def wrong(sheet: Sheet, frame: GameFrame) -> None:
    """Screen and table differ: undo, fix a card, correct the game, or let the camera look again."""
    body = leaf(sheet, "ui.wrong", span=ASKS)
    ways = [
        Foot("ui.take_back", "take_back", deed(overlay="take_back") if frame.can_undo else None),
        Foot("ui.correct", "correct", deed(overlay="correct") if frame.last_reading else None),
        Foot("ui.repair", "repair", deed(overlay="repair") if repairable(frame.view) else None),
        Foot("ui.read_again", "read_again", deed(ReadAgain(), overlay="")),
    ]
    tiles(sheet, _trouble(sheet, body, frame), ways, columns=1, high=4.0)
    feet(sheet, CLOSE, span=ASKS)


def _trouble(sheet: Sheet, body: pygame.Rect, frame: GameFrame) -> pygame.Rect:
    """What ails the table now, at the foot; returns the rest."""
    if frame.trouble is None:
        return body
    return sheet.alarm(body, sheet.words.text(frame.trouble, frame.names))
