"""Practice on the screen: one person, simulated others, no pins and no camera."""

from __future__ import annotations

import random
import secrets
from typing import Any

from companion.core.actions import Micros, Setup
from companion.core.clock import GameClock
from companion.core.errors import CompanionError
from companion.core.rules import Rules
from companion.core.view import Sentence
from companion.demo.host import DemoHost
from companion.games import RULES
from companion.games.asked import usual
from companion.referee.journal import MemoryJournal, header_of
from companion.referee.loop import Game
from companion.referee.parts import Parts
from companion.referee.referee import Referee
from companion.settings.model import Settings
from companion.simulation.practice import Practice
from companion.simulation.tournament import minds
from companion.table.host import Demo
from companion.table.save_recap import kept_recap
from companion.table.session import Inbox, Session
from companion.ui import commands as do
from companion.ui.frame import DemoInfo
from companion.ui.voice import Voice


class PracticeHost(DemoHost):
    """One practice game after another; nothing of it is stored."""

    def __init__(
        self,
        rules: Rules[Any],
        settings: Settings,
        *,
        players: int,
        strength: str,
        seed: int | None,
        is_open: bool,
        bot: bool = False,
        clock: Any,
        inbox: Inbox,
        voice: Voice,
        parts: Parts | None = None,
    ) -> None:
        self.parts = parts or Parts()
        self.clock = clock
        self._rules, self._players, self._bot, self._strength = rules, players, bot, strength
        self._settings = settings
        self._is_open = is_open
        self._inbox = inbox
        self._voice = voice
        self._volume, self._mute = settings.sound.volume, settings.sound.mute
        self._worker = self._fingers = None
        self.session = self._begin(secrets.randbelow(1_000_000) if seed is None else seed)

    def _begin(self, seed: int) -> Session:
        chairs = tuple(range(self._players))
        setup = Setup(chairs, self._settings.house_rules(self._rules.name), self._bot)
        header = header_of(self._rules.name, setup, kind="practice", seed=seed)
        rng = random.Random(seed)
        game = Game(Referee(self._rules, MemoryJournal(header)), chance=rng.randrange)
        strengths = ("medium", *(self._strength for _ in chairs[1:]))
        world = minds(self._rules.name, setup, random.Random(seed), strengths)
        self.practice = Practice(
            game, world, person=0, put=self._inbox.put, say=self._voice.say, now=self.clock.now,
            is_open=self._is_open,
        )  # fmt: skip
        return Session(game, clock=self.clock, voice=self._voice, guide=self.practice, parts=self.parts)

    def start(self, wanted: do.Start) -> Session:
        return self.again()

    def open_practice(self, wanted: do.Practice) -> Demo:
        self._rules, self._strength, self._is_open = RULES[wanted.game], wanted.strength, wanted.is_open
        self._players, self._bot = wanted.players or usual(self._rules), wanted.bot
        self.again()
        return self

    def learn(self, wanted: do.Learn) -> Session:
        return self.again()

    def again(self) -> Session:
        """Another practice game."""
        if isinstance(self.clock, GameClock):
            self.clock.restart()
        self.session = self._begin(secrets.randbelow(1_000_000))
        return self.session

    def resume(self, game_id: str) -> Session:
        raise CompanionError("practice is not stored")

    def put_away(self, session: Session) -> None:
        session.game.referee.journal.close()

    def tick(self) -> None:
        self.parts.run("people", lambda: self.practice.act(self.clock.now()), None)

    def next_due(self) -> Micros | None:
        return self.parts.run("people", self.practice.next_due, None)

    def picture(self) -> Any:
        return None

    def demo(self) -> DemoInfo | None:
        return None

    def keep_recap(self, session: Session, language: str) -> Sentence:
        return kept_recap(session, language, self._settings.store_folder())

    def read_again(self) -> None:
        """What lies there is known."""

    def seized(self, chair: int) -> None:
        """Only the own chair is the person's."""


def guest_practice(
    wanted: do.Practice,
    settings: Settings,
    *,
    clock: Any,
    inbox: Inbox,
    voice: Voice,
    parts: Parts | None = None,
) -> PracticeHost:
    """Practice at a real table: nothing of it is kept."""
    rules = RULES[wanted.game]
    return PracticeHost(
        rules, settings, players=wanted.players or usual(rules), bot=wanted.bot, strength=wanted.strength,
        seed=None, is_open=wanted.is_open, clock=clock, inbox=inbox, voice=voice, parts=parts,
    )  # fmt: skip
