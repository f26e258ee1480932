"""What passes the door of the page: a closed list of messages, JSON lines, each with its `type`.

From the table only what its screen shows to everybody, as it was when the ruling was durable; nothing of the
camera, no names, no choice of somebody who has not made it. To the table what a page asks for, which the
table may refuse. `VERSION` changes when a message does.
"""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import Struct

from companion.core.actions import Chair, Outcome
from companion.core.exhibits import Finish
from companion.core.view import BotView, Guidance, Heap, PlaceView, Sentence, Token

VERSION = 1
LONGEST = 4_096
"""Bytes of one line to the table, its end included."""
WATCHING_ONLY = "watching_only"
"""Why a chair, a press or a choice is refused: this table's phones watch."""


class Message(Struct, frozen=True, tag_field="type", tag=str.lower, forbid_unknown_fields=True):
    """The base of every message: a frozen value, told apart by `type`, the lower-case name of its class."""


# From the table ---------------------------------------------------------------------------------------------


class Offered(Struct, frozen=True):
    """One thing a chair's button does now, as its panel says it to everybody."""

    label: Sentence
    press: str
    """`press`, `tap` or `hold`."""
    marked: bool = False


class Person(Struct, frozen=True):
    """One chair of the table."""

    chair: Chair
    cards: int
    """How many are in the hand."""
    tokens: tuple[Token, ...] = ()
    laid: tuple[Token, ...] = ()
    raised: bool = False
    asked: bool = False
    choices: tuple[Offered, ...] = ()
    note: Sentence | None = None


class Counting(Struct, frozen=True):
    """A timed window that was announced or runs; when its beats fall is told by `Count` alone."""

    number: int
    beats: int
    """One a second."""


class Hello(Message, frozen=True):
    """The first message after a client's own `hello`."""

    run: str
    """Of this run of the table; another one means that nothing from before holds any more."""
    version: int = VERSION


class View(Message, frozen=True, kw_only=True):
    """The whole public table. While no game is on, `game` is empty and so is everything else."""

    seq: int = -1
    """The newest entry of the journal that is told in it; -1 before the first."""
    unsaved: bool = False
    """Nothing is being written down now: rulings are told all the same."""
    game: str = ""
    phase: str = ""
    colours: tuple[str, ...] = ()
    """Each chair's colour, chair 1 first."""
    headline: Sentence | None = None
    hint: Sentence | None = None
    say: Sentence | None = None
    """What the screen's caption says now."""
    people: tuple[Person, ...] = ()
    bots: tuple[BotView, ...] = ()
    places: tuple[PlaceView, ...] = ()
    card: str = ""
    heaps: tuple[Heap, ...] = ()
    decided: tuple[str, ...] = ()
    counting: Counting | None = None
    dark: bool = False
    paused: bool = False
    outcome: Outcome | None = None


class Line(Message, frozen=True):
    """A ruling that was just told. Whoever comes later is not told it: a face it names may be covered."""

    seq: int
    sentence: Sentence


class Count(Message, frozen=True):
    """A beat of a count, sent when it has fallen and never before: 1 is the first."""

    beat: int
    beats: int
    number: int


class Photo(Message, frozen=True, tag="finish"):
    """A race of presses as the table's screen shows it; None: it shows none now."""

    finish: Finish | None


class Lesson(Message, frozen=True, tag="guidance"):
    """What a lesson says now; None: there is none."""

    guidance: Guidance | None


class Held(Message, frozen=True):
    """Which chairs phones hold now."""

    chairs: tuple[Chair, ...] = ()


class Granted(Message, frozen=True):
    """The chair that was asked for is this phone's."""

    phone: str
    chair: Chair


class Refused(Message, frozen=True):
    """What a phone asked for cannot be; `why` is a word of the catalogue (`ui.page.why.…`)."""

    phone: str
    why: str


class Counted(Message, frozen=True):
    """What became of a phone's press."""

    phone: str
    offer: int
    late_us: int = 0
    """By how much it came after its instant was judged."""
    dropped: int = 0
    """How many of this phone's messages were too many and fell away."""


FromTable = Hello | View | Line | Count | Photo | Lesson | Held | Granted | Refused | Counted

# To the table -----------------------------------------------------------------------------------------------


class Greeting(Message, frozen=True, tag="hello"):
    """What a client says first; nothing is told to it before."""

    version: int = VERSION


class Join(Message, frozen=True):
    """A phone wants to be known under this name of its own making."""

    phone: str


class Leave(Message, frozen=True):
    phone: str


class Press(Message, frozen=True):
    """The one choice of an offer was pressed; stamps are CLOCK_MONOTONIC, nanoseconds, of the page."""

    phone: str
    offer: int
    arrived_ns: int
    from_ns: int
    until_ns: int


class Choose(Message, frozen=True):
    """One of several choices of an offer."""

    phone: str
    offer: int
    choice: int
    arrived_ns: int
    from_ns: int
    until_ns: int


class Ask(Message, frozen=True):
    """A phone asks for a chair; the table grants it, or not."""

    phone: str
    chair: Chair


class Presence(Message, frozen=True):
    """Whether somebody looks at this phone now."""

    phone: str
    awake: bool


ToTable = Greeting | Join | Leave | Press | Choose | Ask | Presence

_encode = msgspec.json.Encoder().encode
_to_table: msgspec.json.Decoder[ToTable] = msgspec.json.Decoder(ToTable)
_from_table: msgspec.json.Decoder[FromTable] = msgspec.json.Decoder(FromTable)


def line_of(message: FromTable | ToTable) -> bytes:
    """A message as it is sent: one line of JSON with its end."""
    return _encode(message) + b"\n"


def heard_by_table(line: bytes) -> ToTable:
    """What a client said; `msgspec.MsgspecError` or `RecursionError` where it is none of the list."""
    return _to_table.decode(line)


def heard_by_client(line: bytes) -> FromTable:
    """What the table said; raises as `heard_by_table` does."""
    return _from_table.decode(line)


def schema() -> dict[str, Any]:
    """The JSON Schema of one line in either direction."""
    (out, into), parts = msgspec.json.schema_components([FromTable, ToTable], ref_template="#/$defs/{name}")
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"One line through the door of the page, version {VERSION}",
        "description": "`fromTable` is told by the table, `toTable` is what it hears.",
        "anyOf": [{"$ref": "#/$defs/fromTable"}, {"$ref": "#/$defs/toTable"}],
        "$defs": {"fromTable": out, "toTable": into, **dict(sorted(parts.items()))},
    }
