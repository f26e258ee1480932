"""What a page draws: one frozen moment of everything that may be seen."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from companion.core.actions import Chair, Micros, Options, Value
from companion.core.appliance import Machine
from companion.core.board import Board
from companion.core.exhibits import Exhibit, Finish, Moment
from companion.core.game import Cover
from companion.core.view import Guidance, Sentence, View
from companion.ui.commands import Truth
from companion.ui.glass import Glass

PALETTE = ("red", "blue", "green", "yellow", "purple", "orange", "pink", "white")
"""Colours of the chairs, chair 1 first."""


class LogLine(Value, frozen=True):
    """One ruling as the table may read it now."""

    seq: int
    sentence: Sentence
    why: str = ""
    """Key of the rule behind it; its text is `<game>.why.<key>`."""
    retracted: bool = False
    section: tuple[str, str] = ("", "")
    """Where the rulebook has it: `page` or `heading`, and which."""
    chance: float | None = None
    """How likely the camera's reading behind it was right."""
    by: Chair | None = None
    """Whose choice it was, where the sentence itself does not name them."""


class Reading(Value, frozen=True):
    """The last thing the referee took for a fact, and what else it could have been."""

    seq: int
    sentence: Sentence
    choices: tuple[tuple[Sentence, Truth], ...] = ()
    chance: float | None = None
    """How likely it was right, if the camera read it."""
    by: Chair | None = None
    """Whose choice it was, where the sentence itself does not name them."""


class May(Value, frozen=True):
    """What one chair may do now."""

    chair: Chair
    choices: tuple[Sentence, ...] = ()


class DemoInfo(Value, frozen=True):
    """How a demo runs."""

    speed: float = 1.0
    paused: bool = False
    caption: Sentence | None = None


class StoredGame(Value, frozen=True):
    """One line of the list of games."""

    game_id: str
    game: str
    when: str
    """Date as it is to be shown."""
    chairs: tuple[Chair, ...]
    winners: tuple[Chair, ...] = ()
    finished: bool = False
    closed: bool = False
    """It cannot be opened here: damaged, or of a newer version."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """What every page has."""

    glass: Glass
    names: Mapping[Chair, str] = field(default_factory=dict)
    colours: tuple[str, ...] = PALETTE
    trouble: Sentence | None = None
    """Storage lost, camera lost…"""


@dataclass(frozen=True, slots=True, kw_only=True)
class GameFrame(Frame):
    """A running game, and a finished one before its recap."""

    view: View
    board: Board = field(default_factory=Board)
    """What is drawn otherwise in this game."""
    log: tuple[LogLine, ...] = ()
    """Oldest first."""
    would_go: LogLine | None = None
    """The ruling that taking back would take back."""
    put_back: tuple[Sentence, ...] = ()
    """What to do on the table if the last ruling were taken back now."""
    then: Sentence | None = None
    """What everybody reads on top once it is taken back, where that names nothing that may lie hidden now."""
    say: Sentence | None = None
    """The sentence being told, as a caption."""
    camera: Any = field(default=None, compare=False)
    """Height × width × 3, BGR; newest picture."""
    demo: DemoInfo | None = None
    pressed: frozenset[Chair] = frozenset()
    """Down and not yet judged."""
    notices: tuple[tuple[Chair, Sentence], ...] = ()
    """For the panels of chairs: what became of a press that was in vain or late."""
    can_undo: bool = False
    settled: bool = False
    """The last ruling stays: since then something was told of what lies hidden."""
    can_redo: bool = False
    last_reading: Reading | None = None
    ruled: tuple[Sentence, Micros] | None = None
    """A verdict that is a moment of its own, and since when it stands; nothing once its time is over."""
    exhibit: Exhibit | None = None
    """What is looked at now instead of the table."""
    finishes: tuple[Finish, ...] = ()
    """Races of presses, for whoever wants to see them again; the oldest first."""
    may: tuple[May, ...] = ()
    """Asked for: what everybody may do now."""
    section: tuple[str, str] = ("", "")
    """Where the rulebook has what happens now: `page` or `heading`, and which."""
    guide: Guidance | None = None
    """What a lesson says, if this is one."""
    by_keys: bool = False
    """Whether keys stand in for the chairs' buttons: a lesson names the own one."""


class Taught(Value, frozen=True):
    """A lesson that can be taken here."""

    lesson: str
    """By its game and mode."""
    title: str
    """Its name in the catalogue."""
    players: int


class Offer(Value, frozen=True):
    """A game that can be played here."""

    game: str
    least: int
    most: int
    tables: tuple[tuple[int, bool], ...] = ()
    """Every way to sit down: how many people, and whether a deck is dealt that nobody holds."""
    lessons: tuple[Taught, ...] = ()
    """Its lessons, where they are asked for."""
    taught: bool = False
    """Whether there are any."""
    practised: bool = True
    watched: bool = True
    """Whether simulated people play it."""
    cover: Cover = Cover()


@dataclass(frozen=True, slots=True, kw_only=True)
class HomeFrame(Frame):
    """Before any game."""

    offered: tuple[Offer, ...] = ()

    games: tuple[StoredGame, ...] = ()
    """Newest first."""
    doctor: tuple[Sentence, ...] = ()
    """What is missing at this table, with its fix."""
    chairs: int = 8
    """Chairs round the table."""
    down: frozenset[Chair] = frozenset()
    """Whose button is down."""
    machine: Machine = field(default_factory=Machine)


@dataclass(frozen=True, slots=True, kw_only=True)
class SetupFrame(Frame):
    """A table that gathers for a game."""

    chairs: int = 8
    players: range = range(2, 9)
    with_bot: range = range(0)
    """For how many people a deck may be dealt that nobody holds."""
    prepare: tuple[Sentence, ...] = ()
    """What to do with the real cards for those who have joined."""
    options: Options | None = None
    """The house rules this table starts from."""
    mixed_sources: bool = False
    """Presses come from sources of different resolution: the table is told."""
    down: frozenset[Chair] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class RecapFrame(Frame):
    """A finished game, looked back on."""

    view: View
    numbers: tuple[tuple[str, str | int], ...] = ()
    """Name and value, told as `ui.recap.<name>`."""
    log: tuple[LogLine, ...] = ()
    exhibit: Exhibit | None = None
    """The last round."""
    finishes: tuple[Finish, ...] = ()
    moments: tuple[Moment, ...] = ()
    """Its time line, once somebody asks for it."""


def window_open(view: View) -> bool:
    """Whether a timed window is announced or running: buttons count, nothing lies over the page."""
    return view.count is not None and (view.cue is not None or view.count.first_beat is not None)


def searching(view: View) -> bool:
    """Whether somebody is asked to choose among what lies face down."""
    return any(place.marked and place.card.startswith("back:") for place in view.places)
