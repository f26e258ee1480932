"""A whole game of each kind without camera and buttons: sat down to, played and left with keys alone."""

from __future__ import annotations

from random import Random
from typing import Any

import pygame
import pytest

from companion.core import observations as ob
from companion.core.actions import LOST, SECOND, Action, Micros, Setup
from companion.core.game import make_people
from companion.core.view import View
from companion.games import GAMES, RULES
from companion.referee.journal import MemoryJournal, make_header
from companion.table.session import Session
from companion.ui import commands as do
from companion.ui.frame import GameFrame, is_window_open
from companion.ui.toolkit.window import Window
from tests.table.app_table import Table
from tests.table.loop import MILLI
from tests.table.test_panels import AnyHost

SAID = ("say", "tile", "place", "name")
"""Targets that say something of the game."""
MOST = 600
"""Keys after which a game has to be over."""
TRICKS = ("hearts", "spades", "euchre")
"""Games that come to no end if people say anything."""
BY_EXTRAS, BY_TARGETS = 0.02, 0.8
"""How often something of *More* is said, and walked to rather than said by a player's key."""


class Home(AnyHost):
    """A table on which every game may be begun, under its own rules."""

    def start_game(self, wanted: do.StartGame) -> Session:
        setup = Setup(wanted.chairs, wanted.options or RULES[wanted.game].options())
        return self._open_session(MemoryJournal(make_header(wanted.game, setup, names=wanted.names)))


class Keyboard:
    """A table at which nothing but keys is ever used, as pygame tells of them."""

    def __init__(self, game: str, players: int) -> None:
        pygame.display.init()
        self.game, self.players = game, players
        self.table = Table()
        home = self.table.host = Home(self.table.clock)
        at = self.table.app.navigation
        at.host = at.own_host = at.games = home
        self.window = Window()
        self.table.run()

    @property
    def frame(self) -> Any:
        return self.table.app.frame()

    @property
    def view(self) -> View:
        assert isinstance(self.frame, GameFrame)
        return self.frame.view

    def targets(self) -> list[str]:
        page = self.table.app._pages[self.table.app.page]
        return [target.key for target in page.painted_sheet(self.frame).targets if target.takes_focus]

    def key(self, name: str, hold: Micros = 50 * MILLI) -> None:
        """Down, and up again after `hold` microseconds."""
        code = pygame.key.key_code(name)
        for kind, after in ((pygame.KEYDOWN, hold), (pygame.KEYUP, 200 * MILLI)):
            event = pygame.event.Event(kind, key=code, unicode=name if len(name) == 1 else "", mod=0)
            self.table.window.entered += self.window._translate_event(event)
            self.table.run(after)

    def walk(self, key: str) -> None:
        """Tab until the mark is there, at most once round, and return."""
        for _ in range(len(self.targets()) + 1):
            if self.table.app.ui_state.focus == key:
                self.key("return")
                return
            self.key("tab")
        raise AssertionError(f"{key} is not walked to on {self.table.app.page}")

    def sit_down(self) -> None:
        """A button for every player, one of them held, and tapped until the game is marked.

        Then it is held until the game begins: to choose, to start, beside pictures.
        """
        for player in range(self.players):
            self.key(str(player + 1))
        self.key("1", hold=SECOND)
        self.tap_to(self.game)
        if self.table.app.ui_state.overlay == "presets":  # a clock for two runs for twenty minutes
            self.tap_to("close")
        if self.table.app.page == "home":
            self.key("1", hold=SECOND)
        if self.table.app.page == "prepare":
            self.key("1", hold=SECOND)
        self.table.run(SECOND)
        assert self.table.session.game.referee.setup.chairs == tuple(range(self.players))
        self.table.report(ob.CameraLost(at=self.table.clock.now()))

    def tap_to(self, key: str) -> None:
        """One button, tapped until the mark is there, and held."""
        page = self.table.app._pages[self.table.app.page]
        while getattr(page.focused_target(self.frame), "key", "") != key:
            self.key("1")
        self.key("1", hold=SECOND)

    def play(self, seed: int) -> int:
        """Something that may be said, again and again, until somebody has won; gives back how many times."""
        chance = Random(seed)
        for step in range(MOST):
            if self.view.outcome is not None:
                return step
            offered = [key for key in self.targets() if key.partition(":")[0] in SAID]
            asked = [chair for chair in self.view.chairs if chair.asked]
            if is_window_open(self.view) or not (offered or asked):
                self.table.run(SECOND)
            elif "bar:extras" in self.targets() and chance.random() < BY_EXTRAS:
                self.walk("bar:extras")
                said = chance.choice([key for key in self.targets() if key.startswith("extra:")])
                self.walk(said)
                if self.table.app.ui_state.typed:  # it is asked about
                    self.walk(said)
                if self.table.app.ui_state.overlay:
                    self.walk("close")
            elif offered and (not asked or chance.random() < BY_TARGETS):
                self.walk(chance.choice(offered))
            else:
                chair = chance.choice(asked)
                held = any(choice.press == "hold" for choice in chair.choices) and chance.random() < 0.5
                self.key(str(chair.chair + 1), SECOND if held else 50 * MILLI)
        raise AssertionError(f"not over: {self.view.phase}, {self.view.headline}, {self.targets()}")

    def play_cards(self, seed: int) -> int:
        """A game of tricks to its end, as people play who hold cards; gives back how many times."""
        setup = self.table.session.game.referee.setup
        people = make_people(GAMES[self.game], "opponents", setup, Random(seed), ("usual",) * self.players)
        people.tells_cards = True
        steps = 0
        while self.view.outcome is None:
            _, deed = people.plan(self.table.session.game.referee.state)[-1]
            self.say(deed.action)
            steps += 1
        return steps

    def say(self, action: Action) -> None:
        """What is meant, in two steps where it is offered so."""
        said = {f"{kind}:{action}" for kind in ("say", "tile")}
        if (row := self.row_of(action)) in self.targets():
            self.walk(row)
        self.walk((said & {*self.targets()}).pop())

    def row_of(self, action: Action) -> str:
        """The target of the suit, which has the number of its first card."""
        offered = [choice.action for choice in self.view.chairs[action.seat].choices]
        same = [one for one in offered if (one.verb, one.parts[:1]) == (action.verb, action.parts[:1])]
        return f"row:{offered.index(same[0])}" if same else ""


@pytest.mark.parametrize(
    ("game", "players"),
    [
        ("kinapa", 4),
        pytest.param("kabuki", 3, marks=pytest.mark.long),
        ("kobayakawa", 3),
        pytest.param("dnup", 2, marks=pytest.mark.long),
        ("liars_dice", 3),
        ("roses", 3),
        ("in_order", 3),
        ("any_game", 4),
        pytest.param("kinapa", 8, marks=pytest.mark.long),
        pytest.param("kabuki", 6, marks=pytest.mark.long),
        pytest.param("kobayakawa", 6, marks=pytest.mark.long),
        pytest.param("dnup", 5, marks=pytest.mark.long),
        pytest.param("liars_dice", 8, marks=pytest.mark.long),
        pytest.param("roses", 6, marks=pytest.mark.long),
        pytest.param("in_order", 8, marks=pytest.mark.long),
        *(pytest.param(game, 4, marks=pytest.mark.long) for game in TRICKS),
    ],
)
def test_a_whole_game_is_sat_down_to_played_and_left_with_keys_alone(game: str, players: int) -> None:
    keys = Keyboard(game, players)
    keys.sit_down()
    steps = keys.play_cards(seed=1) if game in TRICKS else keys.play(seed=1)
    outcome = keys.view.outcome
    assert outcome is not None
    assert outcome.winners or outcome.termination == LOST
    entries = keys.table.session.game.referee.journal.entries
    people = [entry for entry in entries if isinstance(entry.cause, ob.ButtonPressed | ob.ActionDeclared)]
    assert people
    assert not any(isinstance(entry.cause, ob.TableSeen) for entry in entries), "nothing was ever seen"
    assert steps > players
    keys.walk("over:home")
    assert keys.table.app.page == "home"
