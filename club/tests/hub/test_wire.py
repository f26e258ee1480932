"""What tables and hubs of earlier versions said, as it went through a real broker, is understood today.

`wire/VERSION.jsonl.gz` has it, in its order: an evening of one table, whose first player was forgotten at its
end, and what a hub said to it.
"""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import pytest
from sqlalchemy import Engine

from club.tests.hub.evening import games, hub, kept
from companion_club.hub.model import CallRecord, TableRecord, UnreadMessage
from companion_club.hub.transport import HUB_MESSAGE_KINDS
from companion_club.hub.verify import GOOD_VERDICTS, verify_results
from companion_club.messages import KINDS, TopicAddress, decode_payload, encode_payload, parse_topic

KEPT = sorted((Path(__file__).parent / "wire").glob("*.jsonl.gz"))


class Said(NamedTuple):
    at: TopicAddress
    payload: bytes


def said(file: Path) -> list[Said]:
    lines = gzip.decompress(file.read_bytes()).splitlines()
    found = []
    for line in map(msgspec.json.decode, lines):
        at = parse_topic(line["topic"])
        assert at is not None
        found.append(Said(at, line["payload"].encode()))
    assert {one.at.kind for one in found} <= set(KINDS)
    return found


@pytest.mark.parametrize("file", KEPT, ids=lambda file: file.name.removesuffix(".jsonl.gz"))
def test_the_hub_takes_in_what_an_earlier_table_said(engine: Engine, file: Path) -> None:
    with hub(engine) as evening:
        for one in said(file):
            if one.at.kind in HUB_MESSAGE_KINDS:
                evening.say(one.at.table, one.at.kind, one.payload)
    assert kept(engine, UnreadMessage) == []
    found = games(engine)
    assert len(found) == 2
    assert all(game.outcome for game in found)
    assert [[seat.nickname for seat in game.seats] for game in found] == [[None, "Ben", None]] * 2
    assert sorted(bool(game.task) for game in found) == [False, True]
    assert {one.verdict for one in verify_results(engine)} <= GOOD_VERDICTS
    assert [call.taken_back for call in kept(engine, CallRecord)] == [True]
    (table,) = kept(engine, TableRecord)
    assert (table.slug, table.online, table.problem) == ("table", False, "ui.club.clock"), (
        "it is of another day"
    )


@pytest.mark.parametrize("file", KEPT, ids=lambda file: file.name.removesuffix(".jsonl.gz"))
def test_an_earlier_reader_finds_every_field_that_it_knows(file: Path) -> None:
    """Said again by today's program, each message still has what it had, under the same name."""
    for one in said(file):
        if one.payload:
            again = msgspec.json.decode(encode_payload(decode_payload(one.at.kind, one.payload)))
            assert lacking(msgspec.json.decode(one.payload), again) == []


def lacking(old: Any, new: Any, path: str = "") -> list[str]:
    """What the old value has and the new one has not."""
    if isinstance(old, dict) and isinstance(new, dict):
        return [
            found
            for key, value in old.items()
            for found in (
                lacking(value, new[key], f"{path}.{key}") if key in new else [f"{path}.{key} is gone"]
            )
        ]
    return [] if old == new else [f"{path}: {old!r} became {new!r}"]
