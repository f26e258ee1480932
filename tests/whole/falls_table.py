"""A table whose parts can be made to fail."""

from __future__ import annotations

import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from companion.core import observations as ob
from companion.core.actions import SECOND, Micros
from companion.core.clock import ManualClock
from companion.core.view import Sentence
from companion.games import RULES
from companion.language.language import Language
from companion.referee.journal import SqliteJournal, replay_state
from companion.referee.referee import Referee
from companion.referee.store import GameStore
from companion.settings.model import CameraSettings, Settings, StorageSettings
from companion.settings.model import ScreenSettings as Small
from companion.settings.model import TableSettings as Seats
from companion.system.appliance import MachineStatus
from companion.table import real_host as _table_host
from companion.table.session import guard_part
from companion.ui import commands as do
from companion.ui.overlays.repair import is_repairable
from companion.ui.pages.game import GamePage
from companion.ui.toolkit.sheet import touch_action
from hardware.camera import CameraFrame
from hardware.camera_worker import CameraWorker
from hardware.simulated_panel import ClockedFactory
from hardware.usb_encoder import ButtonDevice, UsbEncoder
from tests.whole.playing import SIZED, Playing

STEP = SECOND // 5
TRIED = [game for game, rules in RULES.items() if rules.reads_cards]
"""Those that end by themselves and have lessons and opponents; the parts that fail are the same for all."""
GAME = [pytest.param(game, id=game) for game in TRIED]
PLAYERS = {
    "kinapa": 4,
    "kabuki": 3,
    "kobayakawa": 3,
    "dnup": 2,
    "hearts": 4,
    "spades": 4,
    "euchre": 4,
    "roses": 3,
    "in_order": 3,
}


class Boom(RuntimeError):
    """Something that nobody foresaw."""


class Bomb:
    """Stands in for a function; raises while it is armed, so many times."""

    def __init__(self, real: Callable[..., Any], times: int = 10**9) -> None:
        self.real = real
        self.left = times
        self.raised = 0

    def __call__(self, *args: Any, **named: Any) -> Any:
        if self.left:
            self.left -= 1
            self.raised += 1
            raise Boom("planted")
        return self.real(*args, **named)


class StillCamera:
    """A camera of an empty table."""

    def __init__(self, clock: ManualClock) -> None:
        self._clock = clock

    def capture(self, newer_than: Micros) -> CameraFrame:
        return CameraFrame(np.full((48, 64, 3), 77, np.uint8), max(self._clock.now(), newer_than + 1))

    def lock_exposure(self, hertz: int = 50) -> None:
        """Nothing moves by itself."""

    def close(self) -> None:
        """Nothing is held."""


class IdleAppliance:
    """A machine that has nothing to do."""

    def tick(self, now: Micros, *, held: bool) -> None:
        """Nothing."""

    def read_status(self) -> MachineStatus:
        return MachineStatus()

    def message_for_players(self, now: Micros) -> Sentence | None:
        return None

    def lit_lamps(self) -> None:
        return None

    def copy_to_stick(self) -> None:
        """Nothing."""

    def switch_off(self) -> None:
        """Nothing."""


class SilentDevice:
    """The keys of an encoder that nobody presses."""

    def read(self) -> list[Any]:
        return []

    def close(self) -> None:
        """Nothing is held."""


class Table(Playing):
    """Everything a table has, with pins, an encoder and a camera whose rounds the test makes."""

    def __init__(self, folder: Path, patch: pytest.MonkeyPatch) -> None:
        self.patch = patch
        self.settings = Settings(
            storage=StorageSettings(folder=str(folder), evidence=True),
            camera=CameraSettings(kind="auto"),
            screen=Small(size=(1024, 600)),
            table=Seats(language="de"),
            origins={**SIZED, "sound.voice_pack": "chosen"},
        )
        self.told: list[Sentence] = []
        patch.setattr(_table_host, "open_pin_factory", lambda chip=None: ClockedFactory(self.clock))
        patch.setattr(CameraWorker, "start", lambda worker: None)
        self.open(camera=lambda clock, camera_tasks: StillCamera(self.clock))
        self.host._encoder = UsbEncoder(
            lambda: ButtonDevice(SilentDevice(), {}), self.clock, self.inbox.put, self.inbox.put
        )
        self.app = self.table.build_app()
        self.app._appliance = guard_part("appliance", IdleAppliance(), self.host.parts)
        self.window = self.app.window
        self.window.read_events()

    def run(self, micros: Micros = STEP) -> None:
        assert self.host._worker is not None
        self.host._worker.run_once()
        until = self.clock.now() + micros
        while self.clock.now() < until:
            super().run(min(SECOND // 20, until - self.clock.now()))
            trouble = self.app.frame().trouble
            if trouble is not None and trouble not in self.told[-1:]:
                self.told.append(trouble)

    def begin(self, game: str) -> None:
        self.ask(do.StartGame(game, tuple(range(PLAYERS[game])), None))
        self.run()
        self.told.clear()

    def ask(self, command: do.Command) -> None:
        """Somebody asked for it on the screen."""
        self.app.carry_out(command)
        self.run()

    def ask_by_key(self, command: do.Command) -> None:
        """The same through the page that is shown."""
        self.patch.setitem(GamePage.shortcuts, "z", touch_action(command))  # type: ignore[arg-type]
        self.key("z")

    def move(self) -> None:
        """Somebody says the first thing that is lawful now."""
        rules, state = self.session.game.referee.rules, self.state
        action = min(rules.legal_actions(state), key=str)
        self.inbox.put(ob.ActionDeclared(at=self.clock.now(), action=action))
        self.run()

    def repairable(self) -> bool:
        return is_repairable(self.session.view)

    def plant_in_judging(self, owner: Any, name: str, times: int = 10**9) -> Bomb:
        """Armed only while something is judged that somebody said."""
        bomb, observe, real = Bomb(getattr(owner, name), times), Referee.observe, getattr(owner, name)
        static = isinstance(vars(owner).get(name), staticmethod)
        armed: list[bool] = []

        def judged(referee: Any, seen: Any) -> Any:
            armed[:] = [isinstance(seen, ob.ActionDeclared)]
            try:
                return observe(referee, seen)
            finally:
                armed.clear()

        self.patch.setattr(Referee, "observe", judged)

        def planted(*args: Any, **named: Any) -> Any:
            return (bomb if armed == [True] else real)(*args, **named)

        self.patch.setattr(owner, name, staticmethod(planted) if static else planted)
        return bomb

    def plant(self, owner: Any, name: str, times: int = 10**9) -> Bomb:
        bomb = Bomb(getattr(owner, name), times)

        def planted(*args: Any, **named: Any) -> Any:  # bound to whoever has it, as a bomb would not be
            return bomb(*args, **named)

        self.patch.setattr(owner, name, planted)
        return bomb

    def plant_item(self, owner: Any, name: str) -> Bomb:
        bomb = Bomb(owner[name])
        self.patch.setitem(owner, name, bomb)
        return bomb

    @property
    def causes(self) -> list[Any]:
        return [entry.cause for entry in self.session.game.referee.journal.entries]


def tracebacks(caplog: pytest.LogCaptureFixture) -> list[logging.LogRecord]:
    """What of the planted failures is in the log, with its traceback."""
    return [
        record
        for record in caplog.records
        if record.levelno >= logging.ERROR and record.exc_info and isinstance(record.exc_info[1], Boom)
    ]


def assert_it_replays(table: Table, game: str) -> None:
    """What is written folds to what is played, and can be gone on with."""
    referee = table.session.game.referee
    assert replay_state(RULES[game], referee.setup, referee.journal.entries) == referee.state
    if not isinstance(referee.journal, SqliteJournal):
        return
    number = referee.journal.game
    assert number is not None
    with GameStore(table.settings.store_file(), RULES) as store:
        assert store.read_game(number)[1] == list(referee.journal.entries)


def assert_told_in_german(table: Table, part: str) -> None:
    """Told on the screen, once, in the table's language."""
    sentence = Sentence(f"shared.part.{part}")
    assert table.told.count(sentence) == 1, table.told
    german = Language("de").text(sentence)
    assert german not in {sentence.key, Language("en").text(sentence)}
