"""A result is what its journal says, or its table is named."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from sqlalchemy import Engine, select, update
from sqlalchemy.orm import Session

from club.tests.hub.evening import Recorded, hub, recorded
from companion_club.hub.database import make_engine, migrate, writing_sessions
from companion_club.hub.model import GameRecord, JournalPiece
from companion_club.hub.verify import FAULT_VERDICTS, verify_results
from companion_club.messages import JournalSlice, encode_payload, journal_digest, make_game_id

STORE = "a" * 32


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    made = make_engine(str(tmp_path / "club.sqlite"))
    migrate(made)
    yield made
    made.dispose()


def played(engine: Engine, game: Recorded, **change: Any) -> None:
    """The game is told with its journal, the result changed."""
    with hub(engine) as evening:
        evening.tell("one", game.result(STORE, "1", **change))
        for piece in game.pieces(make_game_id(STORE, "1")):
            evening.say("one", "entries", encode_payload(piece))


def verdicts(engine: Engine) -> list[str]:
    return [found.verdict for found in verify_results(engine)]


@pytest.mark.parametrize("at", range(0, len(recorded()), 3))
def test_a_game_that_was_really_played_is_proved(engine: Engine, at: int) -> None:
    played(engine, recorded()[at])
    assert verdicts(engine) == ["proved"]
    with Session(engine) as session:
        assert session.scalars(select(GameRecord)).one().verdict == "proved"


def test_a_table_that_names_another_winner_is_named(engine: Engine) -> None:
    game = recorded()[0]
    (winner,) = game.outcome.winners
    other = next(chair for chair in game.chairs if chair != winner)
    played(engine, game, outcome=msgspec.structs.replace(game.outcome, winners=(other,)))
    (found,) = verify_results(engine)
    assert (found.table, found.verdict) == ("one", "outcome")
    assert f"winners are chair {other + 1}" in found.sentence
    assert f"winners are chair {winner + 1}" in found.sentence


def test_a_result_that_somebody_changed_in_the_database_is_found(engine: Engine) -> None:
    game = recorded()[0]
    played(engine, game)
    other = next(chair for chair in game.chairs if chair not in game.outcome.winners)
    changed = msgspec.to_builtins(msgspec.structs.replace(game.outcome, winners=(other,)))
    with writing_sessions(engine).begin() as session:
        session.execute(update(GameRecord).values(outcome=changed))
    assert verdicts(engine) == ["outcome"]


def test_a_journal_with_an_entry_that_no_referee_wrote_is_found_where_its_digest_fits(engine: Engine) -> None:
    game = recorded()[0]
    ruled = [at for at, line in enumerate(game.lines) if '"events"' in line and at > len(game.lines) // 2]
    without = json_without(game.lines[ruled[0]], "events")
    forged = game._replace(lines=(*game.lines[: ruled[0]], without, *game.lines[ruled[0] + 1 :]))
    played(engine, forged)
    (verdict,) = verdicts(engine)
    assert verdict in {"ruled", "unreadable"}


def json_without(line: str, key: str) -> str:
    plain = msgspec.json.decode(line)
    del plain[key]
    return msgspec.json.encode(plain).decode()


def test_a_journal_that_was_changed_in_the_database_is_found_by_its_digest(engine: Engine) -> None:
    played(engine, recorded()[0])
    with writing_sessions(engine).begin() as session:
        piece = session.scalars(select(JournalPiece).order_by(JournalPiece.first)).first()
        assert piece is not None
        piece.lines = zlib.compress(zlib.decompress(piece.lines).replace(b'"seq":1,', b'"seq":1 ,'))
    assert verdicts(engine) == ["bytes"]


def test_a_journal_that_has_not_come_is_no_fault_and_is_said(engine: Engine) -> None:
    game = recorded()[0]
    with hub(engine) as evening:
        evening.tell("one", game.result(STORE, "1"))
        evening.tell("one", recorded()[1].result(STORE, "2", digest=""))
        evening.tell("one", recorded()[2].result(STORE, "3", upto=4))
        piece = next(iter(game.pieces(make_game_id(STORE, "1"))))
        evening.say("one", "entries", encode_payload(piece))
    found = {one.game: (one.verdict, one.sentence) for one in verify_results(engine)}
    assert found[make_game_id(STORE, "1")] == (
        "missing",
        f"100 of {len(game.lines)} lines of its journal has arrived",
    )
    assert found[make_game_id(STORE, "2")] == ("missing", "nothing of its journal has arrived")
    assert found[make_game_id(STORE, "3")] == ("open", "")
    assert not {verdict for verdict, _ in found.values()} & FAULT_VERDICTS


def test_the_journal_of_a_newer_program_is_no_fault(engine: Engine) -> None:
    game = recorded()[0]
    header = msgspec.json.decode(game.lines[0])
    header["rules"] = 999
    entry = msgspec.json.decode(game.lines[5])
    entry["mood"] = "newer"
    newer = game._replace(
        lines=(
            msgspec.json.encode(header).decode(),
            *game.lines[1:5],
            msgspec.json.encode(entry).decode(),
            *game.lines[6:],
        )
    )
    played(engine, newer)
    assert verdicts(engine) == ["newer"]


def test_pieces_in_any_order_and_twice_make_one_journal(engine: Engine) -> None:
    game = recorded()[0]
    pieces = list(game.pieces(make_game_id(STORE, "1"), size=40))
    overlapping = JournalSlice(
        game_id=pieces[0].game_id,
        first=20,
        lines=game.lines[20:60],
        total=len(game.lines),
        digest=journal_digest(game.lines),
    )
    with hub(engine) as evening:
        evening.tell("one", game.result(STORE, "1"))
        for piece in (*pieces[::-1], *pieces, overlapping):
            evening.say("one", "entries", encode_payload(piece))
    assert verdicts(engine) == ["proved"]
