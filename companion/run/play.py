"""Puts a real table together, runs it until somebody leaves, and takes it apart in reverse."""

from __future__ import annotations

import signal
from collections.abc import Callable, Mapping
from queue import SimpleQueue
from types import FrameType, MappingProxyType

from companion.appliance.power_and_usb import TableAppliance
from companion.camera.tools import Simulated
from companion.core.clock import GameClock
from companion.core.errors import INTERRUPTED
from companion.core.observations import ShutdownRequested
from companion.games import RULES
from companion.referee.parts import Parts, caught, watched_threads
from companion.run.display import headless, tell_if_blind
from companion.settings.model import Settings
from companion.table.app import App
from companion.table.real import TableHost
from companion.table.session import Inbox
from companion.table.window import table_window
from companion.ui.commands import Command, Resume
from companion.ui.frame import PALETTE
from companion.ui.glass import Draft, Glass
from companion.ui.language import Language
from companion.ui.pages import all_pages
from companion.ui.screen import Screen
from companion.ui.track import Nowhere
from companion.ui.voice import Voice, open_voice

STOPPING = (signal.SIGTERM, signal.SIGINT)


def run_play(
    settings: Settings,
    *,
    page: str = "home",
    game: str = "",
    command: Command | None = None,
    go_on: bool = False,
    camera: Simulated | None = None,
    watched: str = "",
    drawn: bool = False,
    own_words: Mapping[str, Mapping[str, str]] = MappingProxyType({}),
) -> int:
    """The verb: 0 when somebody left. `go_on`: a game that was broken into is on the table again at once.

    `camera` opens another than the settings name: a simulated table. `watched` is the file of a deck that is
    watched for in place of a game's.
    """
    headless()
    clock = GameClock()
    inbox: Inbox = SimpleQueue()
    language = Language(settings.table.language, _palette(settings), own=own_words)
    parts = Parts()
    voice = parts.run("voice", lambda: open_voice(language, settings.sound, clock), None)
    voice = voice or Voice(language, clock, Nowhere("the sound failed"))
    signals: list[int] = []
    fallen: list[BaseException] = []
    before = {number: signal.signal(number, _stops(signals, inbox, clock)) for number in STOPPING}
    host = TableHost(
        settings,
        clock,
        inbox,
        voice,
        _palette(settings),
        stopping=lambda: bool(signals or fallen),
        drawn=drawn,
        own_words=own_words,
        camera=camera,
        parts=parts,
    )
    host.workshop.deck = watched
    broken = host.interrupted() if go_on else None
    if broken is not None:
        command = Resume(broken)
    size = settings.screen.size
    screen = Screen(
        size, lambda code: Language(code, _palette(settings), own=own_words), settings.buttons.keys
    )
    glass = Glass(
        language=settings.table.language,
        volume=settings.sound.volume,
        mute=settings.sound.mute,
        brightness=settings.screen.brightness,
        level=settings.table.level,
        large=settings.screen.large_text,
        slow=settings.sound.slow,
        draft=Draft(game=game or next(iter(RULES))),
    )
    window = table_window(settings, "Table companion", sound_lost=voice.device_lost)
    tell_if_blind(window, heard=voice.available)
    app = App(
        host,
        window=window,
        pages=all_pages(screen),
        clock=clock,
        inbox=inbox,
        glass=glass,
        names=dict(enumerate(settings.table.names)),
        colours=_palette(settings),
        page=page,
        workshop=host.workshop,
        appliance=TableAppliance(settings, settings.table.chairs, RULES, wake=lambda: inbox.put(None)),
    )
    try:
        with watched_threads(parts, lambda: inbox.put(None)):
            if command is not None:
                app.carry_out(command)
            app.run()
    except BaseException as failure:
        fallen.append(failure)  # the game was broken into, nobody left it
        raise
    finally:
        for what, closing in (("game", app.close), ("table", host.close), ("window", window.close)):
            caught(f"Closing the {what}", closing)
        for number, handler in before.items():
            signal.signal(number, handler)
    if not host.saved:
        print(
            "The end of this game could not be saved: make room, or name another storage.folder.", flush=True
        )
    if signal.SIGINT not in signals:
        return 0
    if host.saved:
        print("Stopped. A game that is not over can be gone on with: companion resume", flush=True)
    return INTERRUPTED


def _stops(signals: list[int], inbox: Inbox, clock: GameClock) -> Callable[[int, FrameType | None], None]:
    """A signal ends the program in order; the same one again ends it at once."""

    def stop(number: int, frame: FrameType | None) -> None:
        signals.append(number)
        signal.signal(number, signal.SIG_DFL)
        inbox.put(ShutdownRequested(at=clock.now()))

    return stop


def _palette(settings: Settings) -> tuple[str, ...]:
    chosen = settings.table.colours
    return (*chosen, *PALETTE[len(chosen) :])
