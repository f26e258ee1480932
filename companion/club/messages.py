"""What tables and hub say to each other through a broker: topics of MQTT 5, and their payloads as JSON.

A topic is `companion/v1/CLUB/TABLE/KIND`. `KINDS` says which class each kind carries, who publishes it, and
how. A field that a reader does not know is ignored, and a field that a writer does not know has a default, so
a newer table and an older hub go on together; only what an older reader would misread changes `VERSION`, and
with it the topics.

Of a game that is not over by the rule of the owner's log, only the public table leaves (`view`): its journal
comes when nothing is hidden any more. No name is in a journal's lines; nicknames are in `Result.players`, and
only where the table's owner consented.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any, Final, NamedTuple

import msgspec
from msgspec import Struct

from companion.core.actions import Chair, Outcome
from companion.doors.messages import View

VERSION = 1
ROOT: Final = f"companion/v{VERSION}"
SLUG = re.compile(r"[a-z0-9][a-z0-9-]{0,39}\Z")
"""A club or a table in a topic; neither `+`, `#`, `/` nor a space can get into a filter."""
WILL_DELAY_S = 10
"""Seconds after a connection broke until the broker says that a table is offline."""
VIEWS_PER_SECOND = 2
"""At most."""
PIECE_BYTES = 64_000
"""Of a journal's lines in one `Piece`; a single longer line is a piece of its own."""


class Player(Struct, frozen=True):
    """A chair of a game, and who sat there."""

    chair: Chair
    colour: str
    nickname: str = ""
    """Empty: the table has none, or its owner did not consent."""


class Result(Struct, frozen=True, kw_only=True):
    """A version of a game's result: (`game_id`, `entries`, whether there is an outcome).

    More entries are newer, equally many are the same again, and no `outcome` withdraws what was said before:
    the win was taken back.
    """

    store: str
    """The random id of the table's store, 32 hexadecimal digits."""
    game_id: str
    """32 hexadecimal digits; the same wherever a copy of that store is."""
    entries: int
    """How many lines the journal has after its header."""
    outcome: Outcome | None
    game: str
    """The game's name in the program, such as the key of its house rules."""
    players: tuple[Player, ...]
    """Clockwise."""
    began: str
    """UTC by the table's clock, ISO 8601."""
    ended: str = ""
    """As `began`, when the last entry was made; empty: there is no entry."""
    digest: str = ""
    """SHA-256 of the journal's lines, each with its line end, 64 hexadecimal digits; empty: not told, since
    something of the game may still be hidden."""
    task: str = ""
    """The id of the task that it answers."""


class Piece(Struct, frozen=True, kw_only=True):
    """A part of the journal of a game that is over: consecutive lines of JSON, without their line ends."""

    game_id: str
    first: int
    """Which line its first one is; 0 is the header."""
    lines: tuple[str, ...]
    total: int
    """How many lines there are, the header included."""
    digest: str = ""
    """That of the whole journal, as in `Result`: pieces of another are of another version."""


class TableView(View, frozen=True, kw_only=True, tag="view", forbid_unknown_fields=False):
    """The public table as the page shows it, by the last durable ruling."""


class Status(Struct, frozen=True, kw_only=True):
    """How a table is. The broker says `online: false` for one that went without a word."""

    online: bool
    run: str = ""
    """Of this run of the uplink; another one is another process."""
    program: str = ""
    """The version of the program."""
    store: str = ""
    name: str = ""
    """What the table is called at home."""
    game: str = ""
    """The name of the game that is on; empty: none."""
    game_id: str = ""
    at: str = ""
    """UTC by the table's clock when this was said, ISO 8601: not retained, it tells how far that is off."""
    results: int = 0
    """How many games of this store have been told of. A hub with fewer of them asks."""
    entries: int = 0
    """The entries of their newest versions added up: a hub with fewer lacks a correction, and asks."""
    trouble: str = ""
    """What is wrong at the table's end: a key of the catalogue, such as `club.clash`."""


class Call(Struct, frozen=True):
    """A judge is wanted at this table, or no more."""

    id: str
    at: str
    """UTC by the table's clock, ISO 8601."""
    taken_back: bool = False


class Task(Struct, frozen=True, kw_only=True):
    """What is played next at this table. An empty payload takes it back."""

    id: str
    round: int
    expires: str
    """UTC, ISO 8601; later it is ignored."""
    game: str
    """A game's name in the program; empty: any."""
    players: tuple[str, ...] = ()
    """Nicknames, in the order of the seats."""
    at: str = ""
    """UTC by the hub's clock when it was published."""


class TaskDone(Struct, frozen=True):
    """A task was answered by a game that is over."""

    id: str
    game_id: str


class ForgottenSeat(Struct, frozen=True):
    """Somebody who sat here is to be forgotten; the name itself is not said again."""

    game_id: str
    chair: Chair


class Forget(Struct, frozen=True):
    """Nicknames of these chairs are to be removed from everything that holds them."""

    id: str
    """Says which event it is, for it may come twice."""
    seats: tuple[ForgottenSeat, ...]


class Ask(Struct, frozen=True):
    """The hub wants something again: a gap, its database from a backup, a broker that lost its messages."""

    game_id: str = ""
    """This game's result and journal; empty: the results of all games."""
    since: str = ""
    """For all games: only those that ended at this instant of the table's clock or later; empty: all."""
    first: int = 0
    """For one game: its journal from this line on."""
    at: str = ""
    """UTC by the hub's clock, ISO 8601."""


class Kind(NamedTuple):
    """How one kind of message travels."""

    carries: type[Struct]
    by_table: bool
    """Published by the table; else by the hub."""
    retained: bool
    qos: int


KINDS: Mapping[str, Kind] = MappingProxyType(
    {
        "status": Kind(Status, by_table=True, retained=True, qos=1),
        "view": Kind(TableView, by_table=True, retained=True, qos=0),
        "result": Kind(Result, by_table=True, retained=True, qos=1),
        "entries": Kind(Piece, by_table=True, retained=False, qos=1),
        "call": Kind(Call, by_table=True, retained=False, qos=1),
        "done": Kind(TaskDone, by_table=True, retained=False, qos=1),
        "forget": Kind(Forget, by_table=True, retained=False, qos=1),
        "task": Kind(Task, by_table=False, retained=True, qos=1),
        "ask": Kind(Ask, by_table=False, retained=False, qos=1),
    }
)

_decoders: Final = MappingProxyType(
    {name: msgspec.json.Decoder(kind.carries) for name, kind in KINDS.items()}
)


class Address(NamedTuple):
    """The parts of a topic of ours."""

    club: str
    table: str
    kind: str

    @property
    def topic(self) -> str:
        return f"{ROOT}/{self.club}/{self.table}/{self.kind}"


def address(topic: str) -> Address | None:
    """The parts of a topic; None: it is none of ours."""
    parts = topic.removeprefix(f"{ROOT}/").split("/")
    if not topic.startswith(f"{ROOT}/") or len(parts) != len(Address._fields) or parts[2] not in KINDS:
        return None
    return Address(*parts) if SLUG.match(parts[0]) and SLUG.match(parts[1]) else None


def topic(club: str, table: str, kind: str) -> str:
    """The topic of a kind; `+` for `club` or `table` makes it a filter."""
    assert kind in KINDS, kind
    return Address(club, table, kind).topic


def slug(name: str) -> str:
    """A name as a part of a topic: `Table 7 (window)` is `table-7-window`; empty: none of it can be."""
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:40].rstrip("-")


def encoded(message: Struct) -> bytes:
    """A message as a payload."""
    return msgspec.json.encode(message)


def decoded(kind: str, payload: bytes) -> Any:
    """What a payload of this kind says; None: it is empty, which takes back what was retained.

    Raises `msgspec.MsgspecError` or `RecursionError` where it is no such message.
    """
    return _decoders[kind].decode(payload) if payload else None


def game_id(store: str, key: str) -> str:
    """The id of a game: `store` is the id of its store, `key` what the store keeps for this game alone."""
    return hashlib.blake2s(f"{store} {key}".encode(), digest_size=16).hexdigest()


def digest(lines: Iterable[str]) -> str:
    """The digest of a journal's lines, which come without line ends."""
    whole = hashlib.sha256()
    for line in lines:
        whole.update(line.encode() + b"\n")
    return whole.hexdigest()


def version(result: Result) -> tuple[str, int, bool]:
    """Which version of which game's result it is; of one game the larger is the newer."""
    return result.game_id, result.entries, result.outcome is not None


def schema() -> dict[str, Any]:
    """The JSON Schema of every payload, by its kind."""
    types, parts = msgspec.json.schema_components(
        [kind.carries for kind in KINDS.values()], ref_template="#/$defs/{name}"
    )
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"Payloads of the topics {ROOT}/CLUB/TABLE/KIND, by kind",
        "type": "object",
        "properties": dict(zip(KINDS, types, strict=True)),
        "$defs": dict(sorted(parts.items())),
    }
