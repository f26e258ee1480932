"""Practice on the screen, put together and run: one person, simulated others, no pins and no camera."""

from __future__ import annotations

from companion.core.clock import GameClock
from companion.demo.practice import PracticeHost
from companion.referee.parts import watched_threads
from companion.run.build_app import build_app, build_shared
from companion.run.display import headless
from companion.settings.model import Settings
from companion.table.app import App
from companion.table.host import Guest, Guests
from companion.table.shared import Shared
from companion.ui.commands import Practice


def run_practice(settings: Settings, wanted: Practice, *, seed: int | None) -> int:
    """The verb: 0 when somebody left."""
    if headless():
        print("No display: practice needs a screen.", flush=True)
        return 1
    shared = build_shared(settings, GameClock())
    app = practice_app(settings, shared, wanted, seed=seed)
    try:
        with watched_threads(shared.parts, shared.wake):
            app.run()
    finally:
        shared.voice.close()
    return 0


def practice_app(settings: Settings, shared: Shared, wanted: Practice, *, seed: int | None = None) -> App:
    """The program round a practice game, and round those that are asked for after it."""

    def another(chosen: Practice) -> Guest:
        shared.clock.restart()
        return PracticeHost(chosen, settings, shared)

    host = PracticeHost(wanted, settings, shared, seed=seed)
    return build_app(
        settings,
        host,
        shared,
        caption="Table companion: practice",
        game=wanted.game,
        session=host.session,
        again=wanted,
        guests=Guests(practice=another),
    )
