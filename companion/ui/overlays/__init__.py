"""What can lie over the game: answers, menu, help, log, why, undo, mending, keys, settings, leave, close."""

from collections.abc import Callable, Mapping

from companion.ui.answers import ANSWER
from companion.ui.frame import GameFrame
from companion.ui.overlays.answer import answer
from companion.ui.overlays.assist import assist, wrong
from companion.ui.overlays.finish import finishes
from companion.ui.overlays.help import game_help
from companion.ui.overlays.log import log
from companion.ui.overlays.may import may
from companion.ui.overlays.mend import correct, take_back
from companion.ui.overlays.menu import close, leave, menu
from companion.ui.overlays.repair import repair
from companion.ui.overlays.settings import settings
from companion.ui.overlays.why import why
from companion.ui.sheet import Sheet

OVERLAYS: Mapping[str, Callable[[Sheet, GameFrame], None]] = {
    ANSWER: answer,
    "menu": menu,
    "leave": leave,
    "close": close,
    "assist": assist,
    "wrong": wrong,
    "log": log,
    "may": may,
    "finish": finishes,
    "why": why,
    "take_back": take_back,
    "correct": correct,
    "repair": repair,
    "help": game_help,
    "settings": settings,
}
"""Overlay of the glass → what paints it."""
