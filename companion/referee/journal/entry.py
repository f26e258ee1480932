"""What a journal holds: one header, then one entry per observation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Generic, Literal, Protocol, TypeVar

import msgspec
from msgspec import Struct, field

from companion.core.actions import Chair, Options, Outcome, Setup, Value
from companion.core.errors import InputError
from companion.core.events import Event
from companion.core.observations import AnyObservation, TimerElapsed
from companion.core.rules import REVISION

FORMAT = 1
"""The format written; every change adds one step to `upgrades`."""

Kind = Literal["game", "demo", "practice", "simulation", "lesson"]
KINDS: tuple[Kind, ...] = ("game", "demo", "practice", "simulation", "lesson")
"""Only a `game` counts; the others are stored apart."""

E = TypeVar("E")
O = TypeVar("O", bound=Options)  # noqa: E741 - the letter of Options, as S is of State


class JournalError(InputError):
    """A journal that cannot be read: which line, which key, and what is wrong there."""

    def __init__(self, key: str, what: str, *, line: int | None = None, where: str = "") -> None:
        self.key = key
        """The sentence for the screen: `journal.<key>`."""
        self.what = what
        self.line = line
        self.where = where
        """JSON path of the damaged part, e.g. `$.events[0].kind`."""
        place = "" if line is None else f"line {line}: "
        super().__init__(place + what + (f" (at {where})" if where else ""))


class PlainSetup(Value, frozen=True):
    """A `Setup` as it is written down: readable before the game's own options are known."""

    chairs: tuple[Chair, ...]
    options: dict[str, Any] = field(default_factory=dict)
    bot: bool = False

    def under(self, options: type[Options]) -> Setup:
        """The set-up with its house rules typed; a key the game does not know is damage."""
        try:
            typed = msgspec.convert(self.options, options)
        except msgspec.ValidationError as error:
            what, _, path = str(error).partition(" - at ")
            where = "$.setup.options" + path.strip("`").removeprefix("$")
            raise JournalError("damaged", what, line=1, where=where) from error
        return Setup(self.chairs, typed, self.bot)


class Header(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Who played what, when and with which program."""

    format: int
    game: str
    setup: PlainSetup
    kind: Kind = "game"
    date: str = ""
    """Wall time in UTC, ISO 8601: the only one in a journal."""
    software: str = ""
    names: tuple[tuple[Chair, str], ...] = ()
    language: str = "en"
    seed: int | None = None
    """What the demo's and the simulator's chance grew from."""
    rules: int = 0
    """Revision of the rules under which the game began (`core.rules.REVISION`); 0: those of version 0.1."""


class Rejudged(Struct, Generic[E], frozen=True, gc=False, forbid_unknown_fields=True, omit_defaults=True):
    """How a correction ruled on one earlier cause."""

    seq: int
    """The entry whose cause was judged again; for a timer that fell due anew, the correction itself."""
    events: tuple[E, ...] = ()
    timer: TimerElapsed | None = None


class Entry(Struct, Generic[E], frozen=True, gc=False, forbid_unknown_fields=True, omit_defaults=True):
    """One observation and what was ruled on it."""

    seq: int
    """Place in the journal, from 0."""
    cause: AnyObservation
    events: tuple[E, ...] = ()
    retracts: int | None = None
    """Everything stands again as it stood just before that entry."""
    corrects: int | None = None
    """That entry's cause was otherwise; it and all that stood after it were judged again."""
    rejudged: tuple[Rejudged[E], ...] = ()


class Trouble(Value, frozen=True):
    """Why nothing is being saved at the moment."""

    key: str
    """`storage.full`, `storage.readonly` or `storage.lost`: a key of the catalogue."""
    reason: str


class Ticket(Protocol):
    """A promise about one entry."""

    @property
    def durable(self) -> bool:
        """Whether the entry would survive the power going out now."""


class Journal(Protocol):
    """A game being written down, in order, by one writer."""

    header: Header

    @property
    def entries(self) -> Sequence[Entry[Event]]:
        """Everything so far, `entries[n].seq == n`."""

    @property
    def trouble(self) -> Trouble | None:
        """Why nothing is being saved, if so."""

    def append(self, entry: Entry[Event], outcome: Outcome | None = None) -> Ticket:
        """Take the next entry; `outcome` is how the game stands ended with it."""

    def flush(self) -> None:
        """End the step: what was appended since the last flush is written whole or not at all."""

    def close(self) -> bool:
        """Write what is left and let go; whether everything is saved."""


def header_of(
    game: str,
    setup: Setup,
    *,
    kind: Kind = "game",
    date: str = "",
    software: str = "",
    names: tuple[tuple[Chair, str], ...] = (),
    language: str = "en",
    seed: int | None = None,
) -> Header:
    """The header of a new journal."""
    plain = PlainSetup(setup.chairs, msgspec.to_builtins(setup.options), setup.bot)
    return Header(FORMAT, game, plain, kind, date, software, names, language, seed, rules=REVISION)
