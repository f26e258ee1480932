"""Runs `companion` with somebody at its glass, who touches what the screen offers.

    python -m tests.programs.live.person SEED companion play kinapa

The program is the one that `companion` starts, word for word. Touches and keys reach it as SDL's own events,
posted by a second thread; what is on offer is read off the page that was just drawn. Every ruling that is
told is a line `@ruling N`, every step of a lesson a line `@step N`.
"""

from __future__ import annotations

import random
import sys
import time
from contextlib import suppress
from threading import Thread
from typing import Any

import pygame

from companion.__main__ import main
from companion.referee.loop import Announcement
from companion.table.app import App
from companion.table.session import Session
from companion.ui.frame import GameFrame, HomeFrame

PAUSE = 0.35
"""Seconds from one deed of the hands to the next."""
TAP, HOLD = 0.12, 0.75
"""Seconds that a finger stays down."""
SAYS = ("say:", "tile:", "answer:", "next", "ok", "prompt:")
"""What leads on in a game."""
HELP = (("skip", 14), ("show", 10))
"""What somebody touches who has tried so often in vain."""
RARELY = ("place:", "why", "log")


class Person:
    """Owns what was last seen on the glass, and two hands."""

    def __init__(self, seed: int) -> None:
        self.targets: tuple[tuple[str, tuple[int, int]], ...] = ()
        self.chairs: tuple[int, ...] = ()
        """Whose buttons are asked for."""
        self.setting_up = False
        self.rulings = 0
        self.step = 0
        self._deeds = 0
        """How much was tried in this step of a lesson."""
        self._rng = random.Random(seed)

    # What is seen: in the program's thread ----------------------------------------------------------------

    def sees(self, app: App) -> None:
        """Look at the page that was just drawn."""
        frame: Any = app.frame()
        page = app._pages[app.page]
        self.targets = tuple((target.key, target.rect.center) for target in page.painted_sheet(frame).targets)
        self.setting_up = isinstance(frame, HomeFrame)
        self.chairs = ()
        if isinstance(frame, GameFrame):
            self.chairs = tuple(chair.chair for chair in frame.view.chairs if chair.asked)
            if frame.guide is not None and frame.guide.step > self.step:
                self.step, self._deeds = frame.guide.step, 0
                print(f"@step {self.step}", flush=True)

    def hears(self, session: Session, ruling: Announcement) -> None:
        """Count what is ruled."""
        rules = session.game.referee.rules
        if any(not rules.is_silent(event) for event in ruling.news):
            self.rulings += 1
            print(f"@ruling {self.rulings}", flush=True)

    # What is done: in a thread of its own -------------------------------------------------------------------

    def acts(self) -> None:
        """Until the glass is taken away."""
        with suppress(pygame.error):
            self._act_on()

    def _act_on(self) -> None:
        joined = 0
        while True:
            time.sleep(PAUSE)
            if not pygame.display.get_init() or not self.targets:
                continue
            keys = dict(self.targets)
            if self.setting_up:
                joined += 1
                if "start" in keys and joined > CHAIRS:
                    self._touch(keys["start"], TAP)
                else:
                    self._press(joined % CHAIRS, TAP)
                continue
            self._play(keys)

    def _play(self, keys: dict[str, tuple[int, int]]) -> None:
        """One deed: mostly something that leads on."""
        self._deeds += 1
        asks = next((key for key, deeds in HELP if self._deeds >= deeds and key in keys), None)
        if asks is not None:
            self._deeds = 0 if "skip" in asks else self._deeds
            self._touch(keys[asks], TAP)
            return
        chance = self._rng.random()
        leads = [key for key in keys if key.startswith(SAYS)]
        others = [key for key in keys if key.startswith(RARELY)]
        if leads and chance < 0.6:
            self._touch(keys[self._rng.choice(leads)], TAP)
        elif self.chairs and chance < 0.95:
            self._press(self._rng.choice(self.chairs), self._rng.choice((TAP, HOLD)))
        elif others:
            self._touch(keys[self._rng.choice(others)], TAP)

    def _touch(self, at: tuple[int, int], seconds: float) -> None:
        self._for_a_while(seconds, pygame.MOUSEBUTTONDOWN, pygame.MOUSEBUTTONUP, button=1, pos=at)

    def _press(self, chair: int, seconds: float) -> None:
        key = pygame.K_1 + chair
        self._for_a_while(seconds, pygame.KEYDOWN, pygame.KEYUP, key=key, unicode=chr(key), mod=0)

    def _for_a_while(self, seconds: float, down: int, up: int, **what: Any) -> None:
        pygame.event.post(pygame.event.Event(down, **what))
        time.sleep(seconds)
        pygame.event.post(pygame.event.Event(up, **what))


CHAIRS = 4


def watched(person: Person) -> None:
    """Let the person see what is drawn and hear what is announced; the program does what it does."""
    turn, tell = App.run_once, Session._announce

    def turned(self: App) -> None:
        turn(self)
        person.sees(self)

    def announced(self: Session, what: Announcement) -> None:
        tell(self, what)
        person.hears(self, what)

    App.run_once, Session._announce = turned, announced  # type: ignore[method-assign, assignment]


if __name__ == "__main__":
    somebody = Person(int(sys.argv[1]))
    watched(somebody)
    Thread(target=somebody.acts, name="person", daemon=True).start()
    raise SystemExit(main(sys.argv[3:]))
