"""What the program knows about one game, as one record.

A package offers a game under the entry-point group `companion.games`; `companion.games.RULES` finds it there.
Only `rules` is needed to referee. Everything else is a function; `late` names one without importing it, so
that naming a game costs no more than its rules.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from pkgutil import resolve_name
from typing import Any, Protocol

from companion.core.actions import Chair, Setup, Value
from companion.core.board import Board
from companion.core.errors import InputError
from companion.core.rules import Rules

INTERFACE = 1
"""The version of this record. A game that was written for another one is named, not loaded."""


class PeopleFactory(Protocol):
    """Makes the hidden truth of one deal and the simulated people who act on it; `rng` is a `random.Random`.

    `habits` has one word a chair: a `Style` for players, a strength for opponents. `bot` asks for the deck
    that nobody holds; a game without one is never asked.
    """

    def __call__(self, chairs: tuple[Chair, ...], rng: Any, habits: Sequence[str], /, **bot: bool) -> Any: ...


@dataclass(frozen=True, slots=True)
class Late:
    """A function or class at `package.module:name`, imported when it is called for the first time."""

    where: str
    part: str = ""
    """Of which game's record it is which field."""

    def __call__(self, *args: Any, **named: Any) -> Any:
        return self.found()(*args, **named)

    def found(self) -> Any:
        """What the name stands for; `InputError` says what is missing."""
        try:
            return resolve_name(self.where)
        except (ImportError, AttributeError, ValueError) as missing:
            whose = f"{self.part} is late({self.where!r})" if self.part else f"late({self.where!r})"
            raise InputError(f"{whose}, which cannot be imported: {missing}.") from missing


def late(where: str) -> Callable[..., Any]:
    """Names what is at `package.module:name` without importing it."""
    return Late(where)


class Cover(Value, frozen=True, kw_only=True):
    """How a game is shown where one is chosen; for how many people it is, the rules say."""

    line: str = ""
    """Key of the one line about it; empty: none."""
    minutes: int = 0
    """How long a game mostly takes; 0: that is not told."""
    faces: tuple[str, ...] = ()
    """Cards of its deck, from the left."""
    beside: str = ""
    """A token of its deck that lies in a heap beside them."""
    near: bool = False
    """Whether the faces are seen from near, each as a strip of its middle; else whole, as a fan."""
    ground: str = "#30294A"
    """What they lie on, as `#RRGGBB`."""


NO_COVER = Cover()


@dataclass(frozen=True, slots=True, kw_only=True)
class Game:
    """One game: its rules, and what demo, practice, lessons, recap, camera and print need of it."""

    rules: Rules[Any]
    interface: int = INTERFACE
    players: PeopleFactory | None = None
    """Simulated people: `companion demo`, `simulate`, and the tests that play every game."""
    opponents: PeopleFactory | None = None
    """People of three strengths: `companion practice`. None: the game cannot be practised."""
    open_table: Callable[[Rules[Any], Any, Setup], Any] | None = None
    """(rules, world, setup) → what everybody can know, told beside the truth in practice with open cards."""
    calibrated: Callable[..., Any] | None = None
    """(hands, seed, *, how much is computed) → chances beside the truth; None: nothing is inferred."""
    highlights: Callable[[Rules[Any], Sequence[Any]], Iterable[Any]] | None = None
    """(rules, history) → the turning points of a finished game. None: it has no recap."""
    lead: Callable[[Any], Sequence[float]] | None = None
    """(state) → how far ahead each person is, by seat: equal players' chances are its softmax. None: the
    recap names no chances.
    """
    drill: Callable[..., Any] | None = None
    """(chance, *, signals) → timing practice: `companion drill`. None: this game has none."""
    mat: Callable[[int], Any] | None = None
    """(hands) → the `vision.layout.Layout` for so many hands of cards. None: no camera reads it."""
    older_mats: Callable[[int], Sequence[Any]] | None = None
    """(hands) → the layouts of mats printed before, the newest first, each with an `edition` of its own."""
    mat_hands: range = range(0)
    """For how many hands there is a mat; the largest is printed."""
    draw_mat: Callable[[Any, Any], None] | None = None
    """(pen, layout) → draws the places of the mat. None: every place becomes a plain field."""
    cover: Cover = NO_COVER
    """How it is shown on the home page."""
    assets: str = ""
    """The folder with lessons, decks, catalogues and clips of a game from outside; empty: they are ours."""

    def __post_init__(self) -> None:
        for part, named in self.named_late():
            object.__setattr__(self, part, replace(named, part=f"{self.name}: {part}"))

    def named_late(self) -> Iterator[tuple[str, Late]]:
        """The fields that name something by `late`."""
        for field in fields(self):
            if isinstance(value := getattr(self, field.name), Late):
                yield field.name, value

    @property
    def name(self) -> str:
        return self.rules.name

    @property
    def board(self) -> Board:
        """What table, screen and voice do otherwise; the rules carry it, as every session has them."""
        return self.rules.board


def people(make: PeopleFactory, setup: Setup, rng: Any, habits: Sequence[str]) -> Any:
    """The people of a game that is set up so; only a game with a BOT deck hears of one."""
    return make(setup.chairs, rng, habits, **({"bot": True} if setup.bot else {}))
