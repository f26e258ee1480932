"""A result is what its journal says, or its table is named."""

from __future__ import annotations

import resource
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest
from sqlalchemy import Engine, select, update
from sqlalchemy.orm import Session

from club.tests.hub.evening import Recorded, hub, recorded
from companion.core.events import Event
from companion.referee.journal import JOURNAL_FORMAT, Entry
from companion.referee.journal.entry import UNCHAINED_FORMAT
from companion.referee.journal.json_lines import encode_journal
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


@pytest.mark.parametrize("name", sorted({game.game for game in recorded()}))
def test_a_table_that_names_another_winner_is_named(name: str, engine: Engine) -> None:
    game = next(game for game in recorded() if game.game == name)
    first, *_ = winners = game.outcome.winners
    other = next(chair for chair in game.chairs if (chair,) != winners)
    played(engine, game, outcome=msgspec.structs.replace(game.outcome, winners=(other,)))
    (found,) = verify_results(engine)
    assert (found.table, found.verdict) == ("one", "outcome")
    assert f"says that the winners are chair {other + 1}, its journal" in found.sentence
    assert f"its journal says that the winners are chair {first + 1}" in found.sentence


def test_a_result_that_somebody_changed_in_the_database_is_found(engine: Engine) -> None:
    game = recorded()[0]
    played(engine, game)
    other = next(chair for chair in game.chairs if chair not in game.outcome.winners)
    changed = msgspec.to_builtins(msgspec.structs.replace(game.outcome, winners=(other,)))
    with writing_sessions(engine).begin() as session:
        session.execute(update(GameRecord).values(outcome=changed))
    assert verdicts(engine) == ["outcome"]


@pytest.mark.parametrize("written", [UNCHAINED_FORMAT, JOURNAL_FORMAT])
def test_a_journal_with_an_entry_that_no_referee_wrote_is_found_where_its_digest_fits(
    written: int, engine: Engine
) -> None:
    """Also where every checksum was written anew."""
    game = recorded()[0]
    entries = list(game.entries)
    ruled = next(at for at, entry in enumerate(entries) if entry.events and at > len(entries) // 2)
    entries[ruled] = msgspec.structs.replace(entries[ruled], events=())
    played(engine, game._replace(lines=encoded(game, entries, format=written)))
    assert verdicts(engine) == ["ruled"]


@pytest.mark.parametrize("at", [0, 1, -1])
def test_a_line_of_a_chained_journal_that_is_not_as_it_was_written_is_found(at: int, engine: Engine) -> None:
    """Whatever revision of the rules its header claims; the digest fits."""
    game = recorded()[0]
    lines = list(encoded(game, game.entries, format=JOURNAL_FORMAT, rules=1))
    lines[at] = lines[at].replace(":", ": ", 1)
    played(engine, game._replace(lines=tuple(lines)))
    assert verdicts(engine) == ["unreadable"]


def encoded(game: Recorded, entries: Sequence[Entry[Event]], **change: int) -> tuple[str, ...]:
    """The lines of a journal with these entries, its header changed."""
    header = msgspec.structs.replace(game.header, **change)
    return tuple(encode_journal(header, entries).decode().splitlines())


def test_a_journal_that_was_changed_in_the_database_is_found_by_its_digest(engine: Engine) -> None:
    played(engine, recorded()[0])
    with writing_sessions(engine).begin() as session:
        piece = session.scalars(select(JournalPiece).order_by(JournalPiece.first)).first()
        assert piece is not None
        piece.lines = zlib.compress(zlib.decompress(piece.lines).replace(b'"seq":1,', b'"seq":1 ,'))
    assert verdicts(engine) == ["bytes"]


@pytest.mark.parametrize("lines", [zlib.compress(b"0" * 200_000_000), b"no zlib"])
def test_a_piece_that_somebody_made_to_fill_the_memory_or_that_is_none_is_a_gap(
    engine: Engine, lines: bytes
) -> None:
    played(engine, recorded()[0])
    with writing_sessions(engine).begin() as session:
        piece = session.scalars(select(JournalPiece).order_by(JournalPiece.first)).first()
        assert piece is not None
        piece.lines = lines
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert verdicts(engine) == ["bytes"]
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 150_000, "kilobytes"


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
