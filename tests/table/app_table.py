"""The app at a table of lists, under a clock that is moved by hand."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from queue import SimpleQueue
from typing import Any

import pygame

from companion.core import observations as ob
from companion.core.actions import Chair, Micros, Setup
from companion.core.clock import ManualClock
from companion.core.errors import CompanionError
from companion.core.game import Preset
from companion.core.switch import Edge
from companion.core.view import Sentence
from companion.games import GAMES, RULES
from companion.games.kinapa.rules.model import KinapaOptions
from companion.language.language import Language
from companion.referee.journal import MemoryJournal, make_header
from companion.referee.loop import Inbox, RefereedGame
from companion.referee.referee import Referee
from companion.system.fault_isolation import FaultIsolation
from companion.table.app import App
from companion.table.games import build_offer
from companion.table.host import SetupLimits
from companion.table.runtime import AppParts, Runtime
from companion.table.session import Session
from companion.ui import commands as do
from companion.ui.frame import GameDraft, GameOffer, StoredGame, UiState
from companion.ui.pages import build_pages
from companion.ui.pages.base import PageResources
from companion.ui.toolkit import inputs
from tests.table.loop import MILLI, ListVoice, first

SIZE = (1024, 600)
STORED = StoredGame("1", "kinapa", "2026-11-20 20:00", (0, 1, 2, 3))


class ListWindow:
    """A glass that nobody sees: what happens at it is a list, and so is what was shown."""

    is_invisible = False

    def __init__(self) -> None:
        self.surface = pygame.Surface(SIZE)
        self.entered: list[inputs.Input] = []
        self.flips = 0

    def read_events(self) -> list[inputs.Input]:
        entered, self.entered = self.entered, []
        return entered

    def flip(self) -> None:
        self.flips += 1

    def save_screenshot(self, path: Path) -> None:
        pygame.image.save(self.surface, str(path))


class ListHost:
    """A table without parts; what it was asked is a list."""

    def __init__(self, clock: ManualClock) -> None:
        self.clock = clock
        self.parts = FaultIsolation()
        self.voice = ListVoice(clock)
        self.asked: list[tuple[Any, ...]] = []
        self.journals: dict[str, MemoryJournal] = {}
        self.lit: frozenset[Chair] = frozenset()
        self.fails: CompanionError | None = None
        self.image: Any = None
        self.unseen: Sentence | None = None
        self.stuck: set[tuple[Chair | None, str]] = set()
        self.options = KinapaOptions(count_seconds=5)
        self.seats = GameDraft()
        """Who sat here last time."""
        self.presets: tuple[Preset, ...] = ()

    def stored_games(self) -> tuple[StoredGame, ...]:
        return (STORED,)

    def start_game(self, wanted: do.StartGame) -> Session:
        self.asked.append(("start", wanted))
        if self.fails is not None:
            raise self.fails
        setup = Setup(wanted.chairs, wanted.options or RULES[wanted.game].options())
        head = make_header(wanted.game, setup, names=wanted.names)
        return self._open_session(MemoryJournal(head))

    def resume_game(self, game_id: str) -> Session:
        self.asked.append(("resume", game_id))
        if self.fails is not None:
            raise self.fails
        return self._open_session(self.journals[game_id])

    def _open_session(self, journal: MemoryJournal) -> Session:
        referee = Referee(RULES[journal.header.game], journal)
        return Session(RefereedGame(referee, chance=first), clock=self.clock, voice=self.voice)

    def close_session(self, session: Session) -> None:
        journal = session.game.referee.journal
        assert isinstance(journal, MemoryJournal)
        self.journals["1"] = MemoryJournal(journal.header, journal.entries)
        self.asked.append(("put away", len(journal.entries)))

    def tick(self) -> None:
        """Nobody acts here."""

    def next_due(self) -> Micros | None:
        return None

    def picture(self) -> Any:
        return self.image

    def demo_info(self) -> None:
        return None

    def keep_setting(self, setting: str, value: str | float | bool) -> None:
        self.asked.append(("keep", setting, value))

    def reread_table(self) -> None:
        self.asked.append(("read again",))

    def take_over_chair(self, chair: Chair) -> None:
        self.asked.append(("seized", chair))

    def list_offers(self, *, lessons: bool = False) -> tuple[GameOffer, ...]:
        return tuple(map(build_offer, GAMES.values()))

    def unfinished_games(self) -> tuple[StoredGame, ...]:
        return ()

    def last_draft(self) -> GameDraft:
        return self.seats

    def say(self, sentences: Sequence[Sentence]) -> None:
        self.asked.append(("tell", *sentences))

    def compare_voices(self, code: str) -> None:
        self.asked.append(("compare", code))

    def continue_speaking(self) -> None:
        """Nothing is heard here."""

    def voices(self, code: str) -> tuple[tuple[str, str], ...]:
        return (("/packs/ada", "Ada"),) if code == "en" else ()

    def sound_outputs(self) -> tuple[tuple[str, str], ...]:
        return (("Headphones", "bcm2835 Headphones"), ("Device", "USB Audio"))

    def playing_output(self, wanted: str) -> str:
        return wanted or "Device"

    def lacks_board_line(self) -> bool:
        return False

    def setup_limits(self, game: str) -> SetupLimits:
        options = self.options if game == "kinapa" else RULES[game].options()
        return SetupLimits(8, RULES[game].players, options, mixed_sources=True)

    def list_presets(self, game: str) -> tuple[tuple[Preset, ...], tuple[Sentence, ...]]:
        return self.presets, ()

    def reread_presets(self) -> None:
        self.asked.append(("presets",))

    def show_lamps(self, lit: frozenset[Chair]) -> None:
        self.lit = lit

    def parts_trouble(self) -> Sentence | None:
        return self.unseen

    def warnings(self) -> tuple[Sentence, ...]:
        return ()

    def needs_keyboard(self) -> bool:
        return True

    def is_stuck(self, chair: int | None, button: str) -> bool:
        return (chair, button) in self.stuck


class Table:
    """The app under a clock that is moved by hand."""

    def __init__(self, seats: GameDraft = GameDraft(), **more: Any) -> None:  # noqa: B008 (frozen)
        """`seats`: who sat here last time; `more` is for the app."""
        self.clock = ManualClock()
        self.host = ListHost(self.clock)
        self.host.seats = seats
        self.window = ListWindow()
        self.inbox: Inbox = SimpleQueue()
        self.shared = Runtime(self.clock, self.inbox, self.host.voice, parts=self.host.parts)  # type: ignore[arg-type]
        self.app = App(
            self.host,
            self.shared,
            AppParts(games=self.host, **{name: made(self.clock) for name, made in more.items()}),
            window=self.window,  # type: ignore[arg-type]
            pages=build_pages(PageResources(SIZE, Language)),
            ui_state=UiState(draft=GameDraft("kinapa")),
            names={1: "Konstantin"},
            colours=("white", "pink", "orange", "purple", "yellow", "green", "blue", "red"),
        )

    @property
    def session(self) -> Session:
        assert self.app.session is not None
        return self.app.session

    @property
    def state(self) -> Any:
        return self.session.game.referee.state

    @property
    def overlay(self) -> str:
        return self.app.ui_state.overlay

    def run(self, micros: Micros = 200 * MILLI) -> None:
        """Go on for a while, as often as the app itself thinks it is worth it."""
        until = self.clock.now() + micros
        while self.clock.now() < until and not self.app.quit_requested:
            self.clock.move_to(min(until, max(self.app.next_due(), self.clock.now() + MILLI)))
            self.app.run_once()

    def report(self, *seen: Edge | ob.Observation) -> None:
        for one in seen:
            self.inbox.put(one)
        self.run()

    def press(self, chair: Chair | None, button: str = "seat", *, hold: Micros = 100 * MILLI) -> None:
        """A real button, pushed and let go."""
        at = self.clock.now()
        self.inbox.put(Edge(chair, button, level=True, at=at))
        self.run(hold)
        self.inbox.put(Edge(chair, button, level=False, at=at + hold))
        self.run()

    def key(self, name: str, *, hold: Micros = 50 * MILLI) -> None:
        self.window.entered.append(inputs.KeyPressed(name, name if len(name) == 1 else ""))
        self.run(hold)
        self.window.entered.append(inputs.KeyReleased(name))
        self.run()

    def touch(self, key: str) -> None:
        """A finger on what is called `key` on this page."""
        page = self.app._pages[self.app.page]
        targets = {target.key: target.rect for target in page.painted_sheet(self.app.frame()).targets}
        x, y = targets[key].center
        self.window.entered += [inputs.FingerDown(x, y), inputs.FingerUp(x, y)]
        self.run()

    def begin(self, players: int = 4) -> None:
        """Start a game; seat 0 has the cat."""
        self.app.carry_out(do.StartGame("kinapa", tuple(range(players)), None))
        self.run()
        self.press(0)
        assert self.state.phase == "announcing"
