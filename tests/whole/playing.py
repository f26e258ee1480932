"""A table that is played by keys, in a process of its own or in the test's."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pygame

from companion.core.actions import SECOND, Micros
from companion.core.clock import ManualClock
from companion.games import RULES
from companion.programs.build_app import build_runtime
from companion.programs.run_table import RealTable
from companion.settings.model import CameraSettings, Settings, StorageSettings
from companion.settings.model import ScreenSettings as Small
from companion.table.session import Session
from companion.ui import commands as do

SIZED = {"screen.size": "test"}
"""The window keeps its size, whatever display there is."""
PATIENCE = 30.0
"""Seconds after which a wait for the journal's writer has failed."""


class Playing:
    """The whole of `companion play` but for the wait in its loop."""

    def __init__(self, folder: Path, page: str = "home") -> None:
        self.settings = Settings(
            storage=StorageSettings(folder=str(folder)),
            camera=CameraSettings(kind="none"),
            screen=Small(size=(1024, 600)),
            origins=SIZED,
        )
        self.open()
        self.app = self.table.build_app(page)
        self.window = self.app.window
        self.window.read_events()

    def open(self, **more: Any) -> None:
        """The table that the settings name, under a clock that is moved by hand."""
        self.clock = ManualClock()
        shared = build_runtime(self.settings, self.clock, silent=True)
        self.inbox = shared.inbox
        self.table = RealTable(self.settings, shared, **more)
        self.host, self.games = self.table.host, self.table.games

    @property
    def session(self) -> Session:
        assert self.app.session is not None
        return self.app.session

    @property
    def state(self) -> Any:
        return self.session.game.referee.state

    def run(self, micros: Micros = SECOND // 5) -> None:
        """Go on for a while; what was judged is written before the clock moves on."""
        until = self.clock.now() + micros
        while self.clock.now() < until:
            self.clock.move_to(min(until, max(self.app.next_due(), self.clock.now() + 1)))
            self.app.run_once()
            while self.app.session is not None and self.session.game.waiting:
                woken = self.inbox.get(timeout=PATIENCE)
                if woken is not None:
                    self.inbox.put(woken)
                self.app.run_once()

    def key(self, name: str, hold: Micros = SECOND // 10) -> None:
        code = pygame.key.key_code(name)
        pygame.event.post(
            pygame.event.Event(pygame.KEYDOWN, key=code, mod=0, unicode=name if len(name) == 1 else "")
        )
        self.run(hold)
        pygame.event.post(pygame.event.Event(pygame.KEYUP, key=code, mod=0))
        self.run()

    def touch(self, key: str) -> None:
        page = self.app._pages[self.app.page]
        place = {target.key: target.rect.center for target in page.painted_sheet(self.app.frame()).targets}[
            key
        ]
        for kind in (pygame.MOUSEBUTTONDOWN, pygame.MOUSEBUTTONUP):
            pygame.event.post(pygame.event.Event(kind, button=1, pos=place, touch=False))
        self.run()

    def choose(self, *words: str) -> None:
        """Somebody says this on the screen."""
        verb, value = words[0], int(words[1]) if len(words) > 1 else None
        actions = RULES["kinapa"].legal_actions(self.state)
        (action,) = [a for a in actions if a.verb == verb and value in {a.value, None}][:1]
        self.app.carry_out(do.DeclareAction(action))
        self.run()

    def close(self) -> None:
        if self.app.session is not None:
            self.host.close_session(self.app.session)
        self.table.close()
        self.window.close()


Open = Callable[..., Playing]


def seated(playing: Playing) -> Playing:
    """Four people join by their keys, and the game begins."""
    for key in "1357":
        playing.key(key)
    playing.touch("start")
    assert playing.app.page == "game"
    return playing
