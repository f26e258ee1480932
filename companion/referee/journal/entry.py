"""Records of a journal, one header, then one entry per observation, and where they are kept."""

from collections.abc import Iterable, Sequence
from typing import Any, Generic, Literal, Protocol, TypeVar

import msgspec
from msgspec import Struct, field
from msgspec.structs import replace

from companion.core.actions import Chair, Micros, Options, Outcome, Setup, Value
from companion.core.errors import InputError
from companion.core.events import Event
from companion.core.observations import AnyObservation, TimerElapsed
from companion.core.rules import RULES_REVISION

JOURNAL_FORMAT = 2
"""The format of new games; every change adds a step to `codec.UPGRADES`, unless `UNCHAINED_FORMAT` says
otherwise.
"""
UNCHAINED_FORMAT = 1
"""The same without the chain: a game that began so is read, continued and exported so."""

Kind = Literal["game", "demo", "practice", "simulation", "lesson"]
JOURNAL_KINDS: tuple[Kind, ...] = ("game", "demo", "practice", "simulation", "lesson")
"""Only a `game` counts in lists and standings."""
ChainRewritten = Literal["forget", "import", "repair"]

E = TypeVar("E")


class JournalError(InputError):
    """A journal cannot be read; names the line, the key and what is wrong there."""

    def __init__(
        self, key: str, what: str, *, line: int | None = None, where: str = "", at: Micros = 0
    ) -> None:
        self.key = key
        """Catalogue key of the sentence on the screen: `journal.<key>`."""
        self.what = what
        self.line = line
        self.where = where
        """JSON path of the damaged part, e.g. `$.events[0].kind`."""
        self.at = at
        """Until when the entries before the damaged one are sound."""
        self.game: int | None = None
        """The number of the game in its store, if it is in one."""
        self.saved = 0
        """How many entries of a stored game can be saved although its header is damaged."""
        place = "" if line is None else f"line {line}: "
        super().__init__(place + what + (f" (at {where})" if where else ""))

    @property
    def entry(self) -> int | None:
        """The first entry that is damaged; None: not an entry, but the header or the whole file."""
        return None if self.line is None or self.line < 2 else self.line - 2


class PlainSetup(Value, frozen=True):
    """A `Setup` as serialised, readable before the game's options class is known."""

    chairs: tuple[Chair, ...]
    options: dict[str, Any] = field(default_factory=dict)
    bot: bool = False

    def with_options(self, options: type[Options]) -> Setup:
        """The set-up with typed options; raises `JournalError` for a key the game does not have."""
        try:
            typed = msgspec.convert(self.options, options)
        except msgspec.ValidationError as error:
            what, _, path = str(error).partition(" - at ")
            where = "$.setup.options" + path.strip("`").removeprefix("$")
            raise JournalError("damaged", what, line=1, where=where) from error
        return Setup(self.chairs, typed, self.bot)


class Header(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Who played what, when, and with which version of the program."""

    format: int
    game: str
    setup: PlainSetup
    kind: Kind = "game"
    date: str = ""
    """Wall-clock time in UTC, ISO 8601; the only one in a journal."""
    software: str = ""
    names: tuple[tuple[Chair, str], ...] = ()
    language: str = "en"
    seed: int | None = None
    """Seed of the random numbers of a demo or simulation."""
    rules: int = 0
    """`core.rules.RULES_REVISION` when the game began; 0: the journal does not say."""
    chain_rewritten: tuple[ChainRewritten, ...] = ()
    """Why the chain was rewritten since then: a name was forgotten, the game was imported, or only the
    entries before a damaged one were kept."""
    entries: int | None = None
    """In a file: how many entries follow. A store knows that from its table, and it is None there."""

    @property
    def has_chain(self) -> bool:
        """Whether every line has a checksum."""
        return self.format > UNCHAINED_FORMAT


class RejudgedRuling(
    Struct, Generic[E], frozen=True, gc=False, forbid_unknown_fields=True, omit_defaults=True
):
    """How a correction ruled on one earlier observation."""

    seq: int
    """The entry that was judged again; for a timer that expired again, the correction itself."""
    events: tuple[E, ...] = ()
    timer: TimerElapsed | None = None


class Entry(Struct, Generic[E], frozen=True, gc=False, forbid_unknown_fields=True, omit_defaults=True):
    """One observation and the ruling on it."""

    seq: int
    """Position in the journal, from 0."""
    cause: AnyObservation
    events: tuple[E, ...] = ()
    retracts: int | None = None
    """For an undo: the entry before which everything is restored."""
    corrects: int | None = None
    """For a correction: the entry whose observation was wrong; it and all later ones were judged again."""
    rejudged: tuple[RejudgedRuling[E], ...] = ()


class StorageFailure(Value, frozen=True):
    """Why nothing is being saved."""

    key: str
    """`storage.full`, `storage.readonly`, `storage.locked` or `storage.lost`: a catalogue key."""
    reason: str


class WriteTicket(Protocol):
    """Tells when one entry is durable."""

    @property
    def durable(self) -> bool:
        """Whether the entry would survive a power failure now."""

    @property
    def announceable(self) -> bool:
        """Whether it is durable, or in trouble as safe as it can be made."""


class Journal(Protocol):
    """A game being recorded, in order, by one writer."""

    header: Header

    @property
    def entries(self) -> Sequence[Entry[Event]]:
        """All entries so far; `entries[n].seq == n`."""

    @property
    def trouble(self) -> StorageFailure | None:
        """Why nothing is being saved, if so."""

    @property
    def rewrite_count(self) -> int:
        """How many times the game was written again because another program had changed the store."""

    def append(self, entry: Entry[Event], outcome: Outcome | None = None) -> WriteTicket:
        """Append the next entry; `outcome` is that of the game after it."""

    def flush(self) -> None:
        """End the step: the entries since the last flush are saved as one transaction."""

    def close(self) -> bool:
        """Save what is left and close; returns whether everything is saved."""


def with_new_chain(header: Header, reason: ChainRewritten) -> Header:
    """The header of a game whose chain is rewritten, or written for the first time."""
    reasons = dict.fromkeys((*header.chain_rewritten, reason))
    return replace(header, format=max(header.format, JOURNAL_FORMAT), chain_rewritten=tuple(reasons))


def make_header(
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
    return Header(
        JOURNAL_FORMAT, game, plain, kind, date, software, names, language, seed, rules=RULES_REVISION
    )


class DurableTicket:
    """The ticket of an entry in memory, which counts as durable at once."""

    durable = announceable = True


class MemoryJournal:
    """A list of entries."""

    trouble = None
    rewrite_count = 0

    def __init__(self, header: Header, entries: Iterable[Entry[Event]] = ()) -> None:
        self.header = header
        self._entries = list(entries)
        self._ticket = DurableTicket()

    @property
    def entries(self) -> Sequence[Entry[Event]]:
        return self._entries

    def append(self, entry: Entry[Event], outcome: Outcome | None = None) -> WriteTicket:
        assert entry.seq == len(self._entries)
        self._entries.append(entry)
        return self._ticket

    def flush(self) -> None:
        """Does nothing: no entry is waiting."""

    def close(self) -> bool:
        return True
