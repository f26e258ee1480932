"""The verb `practice`: one person alone against simulated opponents."""

import random
import secrets
import signal

from companion.core.actions import Setup
from companion.core.clock import GameClock
from companion.core.errors import EXIT_INTERRUPTED
from companion.core.game import make_people
from companion.games import GAMES, RULES, default_player_count
from companion.programs.build_app import build_app, build_runtime
from companion.programs.display import require_screen
from companion.programs.simulated_host import SimulatedHost
from companion.referee.journal import MemoryJournal, make_header
from companion.referee.loop import RefereedGame
from companion.referee.referee import Referee
from companion.settings.model import Settings
from companion.simulation.practice import PracticeGame
from companion.system.fault_isolation import report_thread_failures
from companion.system.signals import stop_on_signals
from companion.table.app import App
from companion.table.host import GuestHost
from companion.table.runtime import AppParts, Runtime
from companion.table.session import Session
from companion.ui import commands as do


class PracticeHost(SimulatedHost):
    """One practice game; nothing of it is stored."""

    def __init__(
        self, wanted: do.StartPractice, settings: Settings, shared: Runtime, *, seed: int | None = None
    ) -> None:
        """`seed`: the same cards again."""
        super().__init__(shared)
        rules = RULES[wanted.game]
        seed = secrets.randbelow(1_000_000) if seed is None else seed
        chairs = tuple(range(wanted.players or default_player_count(rules)))
        setup = Setup(chairs, settings.house_rules(rules.name), wanted.bot)
        header = make_header(rules.name, setup, kind="practice", seed=seed)
        game = RefereedGame(Referee(rules, MemoryJournal(header)), chance=random.Random(seed).randrange)
        strengths = ("medium", *(wanted.strength for _ in chairs[1:]))
        self.people = self.practice = PracticeGame(
            game,
            make_people(GAMES[rules.name], "opponents", setup, random.Random(seed), strengths),
            person=0,
            put=shared.inbox.put,
            say=shared.voice.say,
            now=shared.clock.now,
            is_open=wanted.is_open,
        )
        self.session = Session(
            game, clock=shared.clock, voice=shared.voice, guide=self.practice, parts=self.parts
        )


def run_practice(settings: Settings, wanted: do.StartPractice, *, seed: int | None) -> int:
    """The verb: 0 when somebody left."""
    require_screen("companion practice")
    shared = build_runtime(settings, GameClock())
    app = build_practice_app(settings, shared, wanted, seed=seed)

    try:
        with (
            stop_on_signals(shared.request_stop) as signals,
            report_thread_failures(shared.parts, shared.wake_loop),
        ):
            require_screen("companion practice", app.window)
            app.run()
    finally:
        shared.voice.close()
    return EXIT_INTERRUPTED if signal.SIGINT in signals.came else 0


def build_practice_app(
    settings: Settings, shared: Runtime, wanted: do.StartPractice, *, seed: int | None = None
) -> App:
    """The program round a practice game, and round those that are asked for after it."""

    def another(chosen: do.StartPractice) -> GuestHost:
        shared.clock.restart()
        return PracticeHost(chosen, settings, shared)

    host = PracticeHost(wanted, settings, shared, seed=seed)
    return build_app(
        settings,
        host,
        shared,
        AppParts(session=host.session, again=wanted, practice=another),
        caption="Table companion: practice",
        game=wanted.game,
    )
