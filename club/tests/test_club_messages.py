"""What tables and hub say to each other: topics nobody can widen, payloads that grow without breaking."""

from __future__ import annotations

import hashlib

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.core.actions import Outcome
from companion.network.messages import TableSnapshot
from companion_club import messages as club


def a_result(**changed: object) -> club.GameResult:
    plain = club.GameResult(
        store="5" * 32,
        game_id="a" * 32,
        entries=12,
        outcome=Outcome("win", (1,)),
        game="lantern",
        players=(club.ResultPlayer(0, "red"), club.ResultPlayer(1, "blue", "Ada")),
        began="2026-11-25T18:00:00+00:00",
        ended="2026-11-25T18:20:00+00:00",
        digest=club.journal_digest(["{}", "{}"]),
    )
    return msgspec.structs.replace(plain, **changed)


def test_a_topic_says_club_table_and_kind_and_is_read_back() -> None:
    topic = club.make_topic("die-runde", "table-7", "result")
    assert topic == "companion/v1/die-runde/table-7/result"
    assert club.parse_topic(topic) == ("die-runde", "table-7", "result")


@pytest.mark.parametrize(
    "topic",
    [
        "companion/v1/club/table/nothing",
        "companion/v1/club/table",
        "companion/v1/club/table/result/more",
        "companion/v2/club/table/result",
        "companion/v1/cl+ub/table/result",
        "companion/v1/club/#/result",
        "club/table/result",
        "companion/v1//table/result",
        "companion/v1/club/Table/result",
    ],
)
def test_what_is_no_topic_of_ours_is_none(topic: str) -> None:
    assert club.parse_topic(topic) is None


@given(st.text(max_size=60))
def test_whatever_a_table_is_called_its_slug_is_no_filter(name: str) -> None:
    made = club.to_slug(name)
    assert made == "" or club.SLUG.match(made)


def test_a_payload_is_read_back_and_an_empty_one_takes_back() -> None:
    result = a_result()
    assert club.decode_payload("result", club.encode_payload(result)) == result
    assert club.decode_payload("task", b"") is None


def test_an_older_reader_ignores_what_it_does_not_know_and_a_newer_one_fills_in() -> None:
    plain = msgspec.to_builtins(a_result())
    assert club.decode_payload("result", msgspec.json.encode({**plain, "later": [1, 2]})) == a_result()
    outcome = {**plain["outcome"], "margin": 3}
    assert club.decode_payload("result", msgspec.json.encode({**plain, "outcome": outcome})) == a_result()
    del plain["task"], plain["digest"], plain["ended"]
    assert club.decode_payload("result", msgspec.json.encode(plain)) == a_result(ended="", digest="")


def test_the_public_table_is_read_as_it_passes_the_door_of_the_page() -> None:
    shown = TableSnapshot(seq=3, game="lantern", colours=("red", "blue"))
    read = club.decode_payload("view", club.encode_payload(shown))
    assert msgspec.to_builtins(read) == msgspec.to_builtins(shown)
    later = {**msgspec.to_builtins(shown), "later": 1}
    assert club.decode_payload("view", msgspec.json.encode(later)) == read


@pytest.mark.parametrize("payload", [b"{", b"[]", b'{"store": 3}', b"\xff", b"[" * 100_000])
def test_what_is_no_message_is_refused(payload: bytes) -> None:
    with pytest.raises((msgspec.MsgspecError, UnicodeDecodeError, RecursionError)):
        club.decode_payload("result", payload)


def test_a_digest_is_that_of_the_exported_file() -> None:
    lines = ['{"format":1}', '{"seq":0}']
    assert club.journal_digest(lines) == hashlib.sha256(b'{"format":1}\n{"seq":0}\n').hexdigest()


def test_a_game_id_depends_on_store_and_game_and_is_stable() -> None:
    one = club.make_game_id("a" * 32, "1")
    assert one == club.make_game_id("a" * 32, "1")
    assert len({one, club.make_game_id("b" * 32, "1"), club.make_game_id("a" * 32, "2")}) == 3


def test_every_kind_has_a_schema() -> None:
    assert set(club.payload_schema()["properties"]) == set(club.KINDS)
