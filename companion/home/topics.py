"""MQTT topics of a table, and its status.

A topic is `companion/v1/CLUB/TABLE/KIND`. A field that a reader does not know is ignored, and a field that a
writer does not know has a default; only what an older reader would misread changes `VERSION`, and with it the
topics.
"""

import re
from typing import Final, NamedTuple

import msgspec
from msgspec import Struct

VERSION = 1
ROOT: Final = f"companion/v{VERSION}"
SLUG = re.compile(r"[a-z0-9][a-z0-9-]{0,39}\Z")
"""A club or a table in a topic; neither `+`, `#`, `/` nor a space can get into a filter."""
WILL_DELAY_S = 10
"""Seconds after a connection broke until the broker says that a table is offline."""


class Status(Struct, frozen=True, kw_only=True):
    """How a table is. The broker says `online: false` for one that went without a word."""

    online: bool
    run: str = ""
    """Of this run of the uplink; another one is another process."""
    program: str = ""
    """The version of the program."""
    store: str = ""
    store_proof: str = ""
    """As `GameResult.store_proof`."""
    name: str = ""
    """What the table is called at home."""
    game: str = ""
    """The name of the game that is on; empty: none."""
    game_id: str = ""
    at: str = ""
    """UTC by the table's clock when this was said, ISO 8601: not retained, it tells how far that is off."""
    results: int = 0
    """How many games of this store were reported. A hub with fewer of them asks."""
    entries: int = 0
    """The entries of their newest versions added up: a hub with fewer lacks a correction, and asks."""
    trouble: str = ""
    """What is wrong at the table's end: a key of the catalogue, such as `ui.club.clash`."""


class TopicAddress(NamedTuple):
    """The parts of a topic of ours."""

    club: str
    table: str
    kind: str

    @property
    def topic(self) -> str:
        return f"{ROOT}/{self.club}/{self.table}/{self.kind}"


def split_topic(topic: str) -> TopicAddress | None:
    """The parts of a topic, whatever its kind; None: it is none of ours."""
    parts = topic.removeprefix(f"{ROOT}/").split("/")
    if not topic.startswith(f"{ROOT}/") or len(parts) != len(TopicAddress._fields):
        return None
    return TopicAddress(*parts) if SLUG.match(parts[0]) and SLUG.match(parts[1]) else None


def to_slug(name: str) -> str:
    """A name as a part of a topic: `Table 7 (window)` is `table-7-window`; empty: none of it can be."""
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:40].rstrip("-")


def encode_payload(message: Struct) -> bytes:
    """A message as a payload."""
    return msgspec.json.encode(message)
