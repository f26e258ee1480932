"""MQTT topics and JSON payloads between tables and hub.

A topic is `companion/v1/CLUB/TABLE/KIND`. `KINDS` says which class each kind carries, who publishes
it, and how. A field that a reader does not know is ignored, and a field that a writer does not know has a
default, so a newer table and an older hub go on together; only what an older reader would misread changes
`VERSION`, and with it the topics.

Of a game that is not over by the rule of the owner's log, only the public table leaves (`view`): its
journal comes when nothing is hidden any more. No name is in a journal's lines; nicknames are in
`GameResult.players`, and only where the table's owner consented.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final, NamedTuple

import msgspec
from msgspec import Struct

from companion.core.actions import Chair, Outcome
from companion.home.topics import (
    ROOT,
    SLUG,
    VERSION,
    WILL_DELAY_S,
    Status,
    TopicAddress,
    encode_payload,
    split_topic,
    to_slug,
)
from companion.network.messages import TableSnapshot
from companion.network.uplink_messages import (
    GameResult,
    JournalSlice,
    JudgeCall,
    ResultPlayer,
    TableTask,
    cut_journal_slice,
    journal_digest,
    make_game_id,
)

__all__ = [
    "KINDS",
    "ROOT",
    "SLUG",
    "VERSION",
    "VIEWS_PER_SECOND",
    "WILL_DELAY_S",
    "ForgetSeats",
    "ForgottenSeat",
    "GameResult",
    "JournalSlice",
    "JudgeCall",
    "MessageKind",
    "ResendRequest",
    "ResultPlayer",
    "Status",
    "TableTask",
    "TableView",
    "TaskDone",
    "TopicAddress",
    "cut_journal_slice",
    "decode_payload",
    "encode_payload",
    "journal_digest",
    "make_game_id",
    "make_topic",
    "parse_topic",
    "payload_schema",
    "to_slug",
]

VIEWS_PER_SECOND = 2
"""At most."""


class TableView(TableSnapshot, frozen=True, kw_only=True, tag="view", forbid_unknown_fields=False):
    """The public table as the page shows it, by the last durable ruling."""


class TaskDone(Struct, frozen=True):
    """A task was answered by a game that is over."""

    id: str
    game_id: str


class ForgottenSeat(Struct, frozen=True):
    """Somebody who sat here is to be forgotten; the name itself is not said again."""

    game_id: str
    chair: Chair


class ForgetSeats(Struct, frozen=True):
    """Nicknames of these chairs are to be removed from everything that holds them."""

    id: str
    """Says which event it is, for it may come twice."""
    seats: tuple[ForgottenSeat, ...]


class ResendRequest(Struct, frozen=True):
    """The hub wants something again: a gap, its database from a backup, a broker that lost its messages."""

    game_id: str = ""
    """This game's result and journal; empty: the results of all games."""
    since: str = ""
    """For all games: only those that began at this instant of the table's clock or later; empty: all."""
    first: int = 0
    """For one game: its journal from this line on."""
    at: str = ""
    """UTC by the hub's clock, ISO 8601."""


class MessageKind(NamedTuple):
    """How one kind of message travels."""

    carries: type[Struct]
    by_table: bool
    """Published by the table; else by the hub."""
    retained: bool
    qos: int


KINDS: Mapping[str, MessageKind] = MappingProxyType(
    {
        "status": MessageKind(Status, by_table=True, retained=True, qos=1),
        "view": MessageKind(TableView, by_table=True, retained=True, qos=0),
        "result": MessageKind(GameResult, by_table=True, retained=True, qos=1),
        "entries": MessageKind(JournalSlice, by_table=True, retained=False, qos=1),
        "call": MessageKind(JudgeCall, by_table=True, retained=False, qos=1),
        "done": MessageKind(TaskDone, by_table=True, retained=False, qos=1),
        "forget": MessageKind(ForgetSeats, by_table=True, retained=False, qos=1),
        "task": MessageKind(TableTask, by_table=False, retained=True, qos=1),
        "ask": MessageKind(ResendRequest, by_table=False, retained=False, qos=1),
    }
)

_decoders: Final = MappingProxyType(
    {name: msgspec.json.Decoder(kind.carries) for name, kind in KINDS.items()}
)


def parse_topic(topic: str) -> TopicAddress | None:
    """The parts of a topic of one of our kinds; None: it is none of ours."""
    at = split_topic(topic)
    return at if at is not None and at.kind in KINDS else None


def make_topic(club: str, table: str, kind: str) -> str:
    """The topic of a kind; `+` for `club` or `table` makes it a filter."""
    assert kind in KINDS, kind
    return TopicAddress(club, table, kind).topic


def decode_payload(kind: str, payload: bytes) -> Any:
    """What a payload of this kind says; None: it is empty, which takes back what was retained.

    An outcome is a value of the rules, where a field that nobody knows is a fault; here a newer table's may
    say more than we know, as every message may. Raises `msgspec.MsgspecError` or `RecursionError` where it is
    no such message.
    """
    if not payload:
        return None
    try:
        return _decoders[kind].decode(payload)
    except msgspec.ValidationError:
        plain = msgspec.json.decode(payload)
        if not isinstance(plain, dict) or not isinstance(outcome := plain.get("outcome"), dict):
            raise
        plain["outcome"] = {key: outcome[key] for key in Outcome.__struct_fields__ if key in outcome}
        return _decoders[kind].decode(msgspec.json.encode(plain))


def payload_schema() -> dict[str, Any]:
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
