"""The menu of a running game, and the way out of it."""

import pygame

from companion.ui.commands import (
    Abandon,
    CallJudge,
    Continue,
    Leave,
    Pause,
    PutBack,
    ReadAgain,
    Show,
    Uncover,
)
from companion.ui.frame import Frame, GameFrame
from companion.ui.overlays.leaf import ASKS, CLOSE, PRIMARY, STAY, Foot, feet, leaf, tiles
from companion.ui.overlays.repair import repairable
from companion.ui.sheet import Sheet, deed
from companion.ui.theme import SOFT


def menu(sheet: Sheet, frame: GameFrame) -> None:
    """Everything that is not the game itself; a paused game stands here."""
    paused = frame.view.paused
    body = leaf(sheet, "ui.paused" if paused else "ui.menu", footed=False)
    go_on = Foot("ui.continue", "continue", deed(Continue(), overlay=""), PRIMARY)
    entries = [
        go_on if paused else Foot("ui.back_to_game", "close", deed(overlay=""), PRIMARY),
        Foot("ui.take_back", "take_back", deed(overlay="take_back") if frame.can_undo else None),
        Foot("ui.assist", "assist", deed(overlay="assist")),
        Foot("ui.log", "log", deed(overlay="log")),
        Foot("ui.correct", "correct", deed(overlay="correct") if frame.last_reading else None),
        Foot("ui.repair", "repair", deed(overlay="repair") if repairable(frame.view) else None),
        Foot("ui.read_again", "read_again", deed(ReadAgain(), overlay="")),
        Foot("ui.settings", "settings", deed(overlay="settings")),
        Foot("ui.help", "help", deed(overlay="help")),
        Foot("ui.leave", "leave", deed(overlay="leave")),
    ]
    if frame.joinable:  # the game waits meanwhile: a chair's button says yes there
        entries.insert(-2, Foot("ui.phones", "phones", deed(Pause(), Show("phones"), overlay="")))
    if frame.judge:
        asks = "ui.judge" if frame.judge == "free" else "ui.judge.take_back"
        entries.insert(-2, Foot(asks, "judge", deed(CallJudge(), overlay="")))
    if frame.finishes:
        entries.insert(4, Foot("ui.finish", "finish", deed(overlay="finish")))
    if frame.can_redo:  # only after something was taken back, until anything else happens
        entries.insert(2, Foot("ui.put_back", "put_back", deed(PutBack(), overlay="")))
    if not paused:
        entries.insert(1, Foot("ui.pause", "pause", deed(Pause(), overlay="")))
    room = body
    if frame.trouble is not None:
        room = sheet.alarm(body, sheet.words.text(frame.trouble, frame.names))
    tiles(sheet, room, entries, columns=3)


def leave(sheet: Sheet, frame: GameFrame) -> None:
    """Leave the game: to go on later, or for good."""
    body = leaf(sheet, "ui.leave", span=ASKS)
    words = pygame.Rect(body.x, body.y, body.w, sheet.em(4))
    learning, unkept = _learns(frame), _is_unkept(frame)
    said = "ui.leave.demo" if frame.demo is not None else _lost(frame) or "ui.leave.question"
    sheet.text(words, sheet.tr(said), 1.3, SOFT, middle=False)
    room = pygame.Rect(body.x, words.bottom, body.w, body.h - words.h)
    later = "ui.home" if unkept else "ui.leave.later"
    entries = [Foot(later, "later", deed(Show("home"), overlay=""), PRIMARY)]
    if frame.demo is not None:
        entries = [Foot("ui.demo.leave", "later", deed(Leave(), overlay=""), PRIMARY)]
    elif not learning:
        entries.append(Foot("ui.leave.abandon", "abandon", deed(Abandon(), overlay="")))
    tiles(sheet, room, entries, columns=1, high=4.2)
    feet(sheet, CLOSE, span=ASKS)


def _learns(frame: GameFrame) -> bool:
    return frame.guide is not None and frame.guide.steps > 0


def _is_unkept(frame: GameFrame) -> bool:
    return _learns(frame) or (frame.guide is not None and frame.guide.kind == "practice")


def _lost(frame: GameFrame) -> str:
    """What is lost by leaving now, as a key; empty: nothing."""
    unsaved = frame.trouble is not None and frame.trouble.key.startswith("shared.alarm.storage")
    return "ui.leave.unkept" if _is_unkept(frame) else "ui.leave.unsaved" if unsaved else ""


def close(sheet: Sheet, frame: GameFrame) -> None:
    """The window was to be closed: whether to leave the program; staying is marked."""
    body = leaf(sheet, "ui.quit.question", span=ASKS)
    words = pygame.Rect(body.x, body.y, body.w, sheet.em(4))
    sheet.text(words, sheet.tr(_lost(frame) or "ui.quit.kept"), 1.3, SOFT, middle=False)
    feet(sheet, STAY, Foot("ui.quit", "quit", deed(Leave(program=True))), span=ASKS)


def uncover(sheet: Sheet, _: Frame) -> None:
    """Look at everything in a game that was given up: after that it cannot go on."""
    body = leaf(sheet, "ui.uncover")
    words = pygame.Rect(body.x, body.y, body.w, sheet.em(4))
    sheet.text(words, sheet.tr("ui.uncover.question"), 1.3, SOFT, middle=False)
    room = pygame.Rect(body.x, words.bottom, body.w, body.h - words.h)
    tiles(sheet, room, [Foot("ui.uncover", "uncover", deed(Uncover(), overlay=""))], columns=1)
    feet(sheet, CLOSE)
