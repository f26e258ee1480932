"""Practice on the screen: one person plays alone, with simulated others, no pins and no camera."""

import random
import secrets
import signal
from typing import Any

from companion.core.actions import Chair, Micros, Setup
from companion.core.clock import GameClock
from companion.core.errors import INTERRUPTED
from companion.core.game import opponents
from companion.core.view import Sentence
from companion.games import GAMES, RULES
from companion.games.asked import usual
from companion.referee.journal import MemoryJournal, header_of
from companion.referee.loop import RefereedGame
from companion.referee.parts import watched_threads
from companion.referee.referee import Referee
from companion.run.build_app import build_app, build_shared
from companion.run.display import need_screen
from companion.run.stopping import stopped_in_order
from companion.settings.model import Settings
from companion.simulation.practice import Practice
from companion.table.app import App
from companion.table.around import Around
from companion.table.host import Guest, Guests
from companion.table.session import Session
from companion.table.shared import Shared
from companion.ui import commands as do
from companion.ui.frame import DemoInfo


class PracticeHost:
    """One practice game; nothing of it is stored."""

    def __init__(
        self, wanted: do.Practice, settings: Settings, shared: Shared, *, seed: int | None = None
    ) -> None:
        """`seed`: the same cards again."""
        self.parts = shared.parts
        self._shared = shared
        rules = RULES[wanted.game]
        seed = secrets.randbelow(1_000_000) if seed is None else seed
        chairs = tuple(range(wanted.players or usual(rules)))
        setup = Setup(chairs, settings.house_rules(rules.name), wanted.bot)
        header = header_of(rules.name, setup, kind="practice", seed=seed)
        game = RefereedGame(Referee(rules, MemoryJournal(header)), chance=random.Random(seed).randrange)
        strengths = ("medium", *(wanted.strength for _ in chairs[1:]))
        self.practice = Practice(
            game,
            opponents(GAMES[rules.name], setup, random.Random(seed), strengths),
            person=0,
            put=shared.inbox.put,
            say=shared.voice.say,
            now=shared.clock.now,
            is_open=wanted.is_open,
        )
        self._over = False
        self.session = Session(
            game, clock=shared.clock, voice=shared.voice, guide=self.practice, parts=self.parts
        )

    def put_away(self, session: Session) -> None:
        self._over = True
        session.game.referee.journal.close()

    def tick(self) -> None:
        if self._over:  # another game, or none, is on the table
            return
        self.parts.run("people", lambda: self.practice.act(self._shared.clock.now()), None)

    def next_due(self) -> Micros | None:
        return self.parts.run("people", self.practice.acts_at, None)

    def picture(self) -> Any:
        return None

    def read_again(self) -> None:
        """What is there is known."""

    def demo(self) -> DemoInfo | None:
        return None

    def change(self, setting: str, value: str | float | bool) -> None:  # noqa: FBT001
        """As `Fittings.change`."""
        self._shared.change(setting, value)

    def seized(self, chair: Chair) -> None:
        """Only the player's own chair is the person's."""

    def show_lamps(self, lit: frozenset[Chair]) -> None:
        """There are none."""

    def by_keys(self) -> bool:
        return True

    def trouble(self) -> Sentence | None:
        return None


def run_practice(settings: Settings, wanted: do.Practice, *, seed: int | None) -> int:
    """The verb: 0 when somebody left."""
    need_screen("companion practice")
    shared = build_shared(settings, GameClock())
    app = practice_app(settings, shared, wanted, seed=seed)

    try:
        with stopped_in_order(shared.stop) as signals, watched_threads(shared.parts, shared.wake):
            need_screen("companion practice", app.window)
            app.run()
    finally:
        shared.voice.close()
    return INTERRUPTED if signal.SIGINT in signals.came else 0


def practice_app(settings: Settings, shared: Shared, wanted: do.Practice, *, seed: int | None = None) -> App:
    """The program round a practice game, and round those that are asked for after it."""

    def another(chosen: do.Practice) -> Guest:
        shared.clock.restart()
        return PracticeHost(chosen, settings, shared)

    host = PracticeHost(wanted, settings, shared, seed=seed)
    return build_app(
        settings,
        host,
        shared,
        Around(session=host.session, again=wanted, guests=Guests(practice=another)),
        caption="Table companion: practice",
        game=wanted.game,
    )
