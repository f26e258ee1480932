"""What surrounds the app: the table's parts, its store, or a simulated table."""

from __future__ import annotations

from typing import Any, Protocol

from msgspec import Struct

from companion.core.actions import Chair, Micros, Options
from companion.core.view import Sentence
from companion.referee.parts import Parts
from companion.table.session import Session
from companion.ui import commands as do
from companion.ui.frame import DemoInfo, Machine, Offer, StoredGame


class Gathering(Struct, frozen=True):
    """What a table sets a game up with."""

    chairs: int
    """Chairs round the table."""
    players: range
    options: Options
    """The table's house rules."""
    with_bot: range = range(0)
    """For how many people a deck may be dealt that nobody holds."""


class Host(Protocol):
    """What surrounds the app: the table's parts, its store, or a simulated table."""

    parts: Parts
    """What may fail at this table."""

    def games(self) -> tuple[StoredGame, ...]:
        """The stored games, newest first."""

    def start(self, wanted: do.Start) -> Session:
        """A new game; `CompanionError` says why not."""

    def resume(self, game_id: str) -> Session:
        """A stored game, to go on with."""

    def offered(self) -> tuple[Offer, ...]:
        """The games that can be played here."""

    def open_demo(self, game: str) -> Demo:
        """A game of simulated people, to be watched."""

    def open_practice(self, wanted: do.Practice) -> Demo:
        """A game alone against simulated people."""

    def learn(self, wanted: do.Learn) -> Session:
        """A lesson, on a journal in memory."""

    def put_away(self, session: Session) -> None:
        """The game is left: everything of it is written."""

    def tick(self) -> None:
        """Let a simulated table act."""

    def next_due(self) -> Micros | None:
        """When `tick` has something to do."""

    def picture(self) -> Any:
        """The newest picture of the table (height, width, 3), BGR; None without a camera."""

    def demo(self) -> DemoInfo | None:
        """How the demo runs, if this is one."""

    def change(self, setting: str, value: str | float | bool) -> None:  # noqa: FBT001 (a setting's value)
        """A setting was changed on the glass."""

    def keep_recap(self, session: Session, language: str) -> Sentence:
        """The recap of a game that is over becomes a page; where it is, in a sentence."""

    def read_again(self) -> None:
        """The camera reads the table afresh."""

    def seized(self, chair: Chair) -> None:
        """Somebody pressed a chair's button by key or touch: in a demo the chair is theirs."""

    def gathering(self, game: str) -> Gathering:
        """What set-up starts from."""

    def show_lamps(self, lit: frozenset[Chair]) -> None:
        """Light these chairs while no game runs."""

    def trouble(self) -> Sentence | None:
        """What ails the table's parts while a game runs."""

    def notes(self) -> tuple[Sentence, ...]:
        """What is missing at this table."""

    def mixed_sources(self) -> bool:
        """Whether presses come from sources of different resolution."""

    def by_keys(self) -> bool:
        """Whether keys of the keyboard have to stand in for the chairs' buttons."""


class Demo(Host, Protocol):
    """A host whose game runs already."""

    session: Session


class Appliance(Protocol):
    """The machine itself, where the program is all it does."""

    def tick(self, now: Micros, *, held: bool) -> None:
        """Look after sticks, copies and power; `held`: the button that switches off is down."""

    def machine(self) -> Machine:
        """What can be done now."""

    def notice(self, now: Micros) -> Sentence | None:
        """What the table has to know of it now."""

    def lamps(self) -> frozenset[Chair] | None:
        """Which lamps glow while the machine is about to be switched off; None: the game's own."""

    def copy(self) -> None:
        """Copy games and decks to the stick."""

    def switch_off(self) -> None:
        """Switch the machine off, in order."""
