"""Practice on the screen, put together and run: one person, simulated others, no pins and no camera."""

from __future__ import annotations

from queue import SimpleQueue
from typing import Any

from companion.core.clock import GameClock
from companion.core.rules import Rules
from companion.demo.practice import PracticeHost
from companion.referee.parts import watched_threads
from companion.run.display import headless
from companion.settings.model import Settings
from companion.table.app import App
from companion.table.session import Inbox
from companion.table.window import table_window
from companion.ui.glass import Glass
from companion.ui.language import Language
from companion.ui.pages import all_pages
from companion.ui.screen import Screen
from companion.ui.voice import open_voice


def run_practice(
    rules: Rules[Any],
    settings: Settings,
    *,
    players: int,
    bot: bool,
    strength: str,
    seed: int | None,
    is_open: bool,
) -> int:
    """The verb: 0 when somebody left."""
    if headless():
        print("No display: practice needs a screen.", flush=True)
        return 1
    clock = GameClock()
    inbox: Inbox = SimpleQueue()
    voice = open_voice(Language(settings.table.language), settings.sound, clock)
    host = PracticeHost(
        rules, settings, players=players, bot=bot, strength=strength, seed=seed, is_open=is_open,
        clock=clock, inbox=inbox, voice=voice,
    )  # fmt: skip
    app = practice_app(host, settings, clock, inbox)
    try:
        with watched_threads(host.parts, lambda: inbox.put(None)):
            app.run()
    finally:
        voice.close()
    return 0


def practice_app(host: PracticeHost, settings: Settings, clock: Any, inbox: Inbox) -> App:
    """The program round a practice game."""
    screen = Screen(settings.screen.size, Language, settings.buttons.keys)
    return App(
        host,
        window=table_window(settings, "Table companion: practice"),
        pages=all_pages(screen),
        clock=clock,
        inbox=inbox,
        glass=Glass(language=settings.table.language, volume=settings.sound.volume, mute=settings.sound.mute),
        session=host.session,
    )
