"""No damage of a chained journal is taken for the game: neither in a file nor in a store."""

from __future__ import annotations

import os
import random
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from functools import cache
from pathlib import Path

import pytest
from msgspec.structs import replace

from companion.cli.play import find_unfinished_game
from companion.core.actions import Outcome
from companion.core.errors import InputError
from companion.core.events import Event
from companion.games import RULES
from companion.referee.journal import JOURNAL_FORMAT, Entry, Header, JournalError, json_lines, replay_state
from companion.referee.journal.codec import json_line, read_outcome, strip_checksum
from companion.referee.journal.entry import with_new_chain
from companion.referee.store import GameStore
from companion.referee.store_errors import explain_store_errors
from companion.settings.model import Settings, StorageSettings
from companion.testing.playthroughs import play_undisturbed_game
from tests.referee.hostile import HERE, played
from tests.thorough import examples

FLIPS = int(os.environ.get("FUZZ_EXAMPLES", examples(10_000)))
BEGUN = HERE / "playthroughs" / "dnup" / "players-4.jsonl"
"""A long game, of which the beginning is no whole one."""
Journal = tuple[Header, list[Entry[Event]]]


@cache
def game() -> Journal:
    """One that is not over."""
    header, entries = json_lines.parse_journal(b"".join(played(BEGUN)), RULES)
    return replace(
        header, format=JOURNAL_FORMAT, kind="game", names=((header.setup.chairs[0], "Ann"),)
    ), entries


def stored_in(path: Path, header: Header, entries: list[Entry[Event]]) -> int:
    """The number of the game that is stored there, a commit for each entry."""
    with GameStore(path, RULES) as store:
        journal = store.create_game(header)
        for entry in entries:
            journal.append(entry)
            journal.flush()
        assert journal.close()
        assert journal.game is not None
        return journal.game


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A store that holds the game."""
    stored_in(tmp_path / "games.sqlite", *game())
    return tmp_path / "games.sqlite"


def flips(raw: bytes, count: int) -> Iterator[tuple[int, bytes]]:
    """Copies of the bytes with one flipped bit each, and which byte it is in."""
    chance = random.Random(39)
    for _ in range(count):
        at, bit = chance.randrange(len(raw)), chance.randrange(8)
        changed = bytearray(raw)
        changed[at] ^= 1 << bit
        yield at, bytes(changed)


# Files ------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_no_flipped_bit_of_a_file_is_accepted_and_its_entry_is_named() -> None:
    raw = json_lines.encode_journal(*game())
    for at, changed in flips(raw, FLIPS):
        row = raw.count(b"\n", 0, at) + 1
        with pytest.raises(JournalError) as refusal:
            json_lines.parse_journal(changed, RULES)
        error = refusal.value
        assert error.line is not None
        assert row == error.line or (raw[at : at + 1] == b"\n" and error.line in {row, row + 1})
        if row > 1:
            header, entries = json_lines.parse_journal(changed, RULES, salvage=True)
            assert entries == game()[1][: error.entry]
            assert header == replace(game()[0], chain_rewritten=("repair",))
            assert error.at == (entries[-1].cause.at if entries else 0)


def missing(rows: list[bytes]) -> list[bytes]:
    return rows[:9] + rows[10:]


def doubled(rows: list[bytes]) -> list[bytes]:
    return [*rows[:9], rows[8], *rows[9:]]


def swapped(rows: list[bytes]) -> list[bytes]:
    return [*rows[:9], rows[10], rows[9], *rows[11:]]


def cut(rows: list[bytes]) -> list[bytes]:
    return rows[:9]


def another_games(rows: list[bytes]) -> list[bytes]:
    """From an entry on those of the same game under another name."""
    header, entries = game()
    return (
        rows[:9] + json_lines.encode_journal(replace(header, names=()), entries).splitlines(keepends=True)[9:]
    )


def without_the_chain(rows: list[bytes]) -> list[bytes]:
    """One entry without its checksum."""
    return [*rows[:9], rows[9][: rows[9].index(b',"sum"')] + b"}\n", *rows[10:]]


def as_an_older_one(rows: list[bytes]) -> list[bytes]:
    """The header of a game whose entries have no checksums."""
    return [json_lines.encode_journal(replace(game()[0], format=1), []), *rows[1:]]


DAMAGES: tuple[Callable[[list[bytes]], list[bytes]], ...]
DAMAGES = (missing, doubled, swapped, cut, another_games, without_the_chain, as_an_older_one)


@pytest.mark.parametrize("damage", DAMAGES, ids=lambda damage: damage.__name__)
def test_a_file_whose_lines_are_not_those_that_were_written_is_refused(
    damage: Callable[[list[bytes]], list[bytes]],
) -> None:
    rows = damage(json_lines.encode_journal(*game()).splitlines(keepends=True))
    with pytest.raises(JournalError) as refusal:
        json_lines.parse_journal(b"".join(rows), RULES)
    assert refusal.value.line == (2 if damage is as_an_older_one else 10)


def test_line_ends_of_another_system_are_no_damage() -> None:
    raw = json_lines.encode_journal(*game())
    assert (
        json_lines.parse_journal(raw.replace(b"\n", b"\r\n"), RULES)
        == json_lines.parse_journal(raw, RULES)
        == game()
    )


# Stores -----------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_no_flipped_bit_of_a_store_makes_another_game_of_it(path: Path) -> None:
    raw, refused = path.read_bytes(), 0
    for _, changed in flips(raw, FLIPS):
        path.write_bytes(changed)
        with GameStore(path, RULES) as store:
            try:
                found = store.read_game(1)
            except (JournalError, sqlite3.Error, UnicodeDecodeError):
                refused += 1
            else:
                assert found == game()
    assert refused > FLIPS / 2, "most of the file is the game"


@pytest.mark.parametrize(
    ("damage", "opens"),
    [
        ("""outcome = CAST(x'7b227465726d696e6174696f6e223a22f4227d' AS BLOB)""", True),
        ("outcome = 0", True),
        ("header = NULL", False),
    ],
)
def test_a_game_whose_row_is_damaged_is_listed_by_its_entries_or_with_its_problem(
    damage: str, opens: bool, path: Path
) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as writer:
        writer.execute("PRAGMA writable_schema = ON")
        writer.execute("UPDATE sqlite_master SET sql = replace(sql, 'header BLOB NOT NULL', 'header BLOB')")
    with closing(sqlite3.connect(path, isolation_level=None)) as writer:
        writer.execute(f"UPDATE games SET {damage}")
    with GameStore(path, RULES) as store:
        assert [not game.problem for game in store.list_games()] == [opens]
        assert (store.find_unfinished() is not None) == opens


def test_the_first_entry_that_is_not_as_it_was_written_is_named_and_what_stands_before_is_saved(
    path: Path,
) -> None:
    with closing(sqlite3.connect(path)) as stranger:
        stranger.execute("UPDATE entries SET body = replace(body, '\"at\":', '\"at\":1') WHERE seq = 9")
        stranger.commit()
    with GameStore(path, RULES) as store:
        with pytest.raises(JournalError) as refusal:
            store.read_game(1)
        assert str(refusal.value) == "line 11: entry 9 is not as it was written"
        assert (refusal.value.game, refusal.value.at) == (1, game()[1][8].cause.at)
        header, entries = store.salvage_game(1)
        assert entries == game()[1][:9]
        assert header.chain_rewritten == ("repair",)
        with pytest.raises(JournalError):
            store.open_game(1)


SQL = {
    "an entry is missing": "DELETE FROM entries WHERE seq = 9",
    "the last entry is missing": "DELETE FROM entries WHERE seq = (SELECT max(seq) FROM entries)",
    "the last entry has another number": "UPDATE entries SET seq = seq + 64 WHERE seq ="
    " (SELECT max(seq) FROM entries)",
    "two are swapped": "UPDATE entries SET seq = CASE seq WHEN 9 THEN -1 WHEN 10 THEN 9 ELSE seq END",
    "the header names another": "UPDATE games SET header = replace(header, 'Ann', 'Bea')",
    "the list says another kind": "UPDATE games SET kind = 'demo'",
    "the list says another length": "UPDATE games SET entries = entries + 1",
}


@pytest.mark.parametrize("damage", SQL.values(), ids=SQL)
def test_a_game_whose_rows_are_not_those_that_were_written_is_refused(damage: str, path: Path) -> None:
    with closing(sqlite3.connect(path)) as stranger:
        stranger.execute(damage)
        stranger.commit()
    with GameStore(path, RULES) as store, pytest.raises(JournalError):
        store.read_game(1)


def test_a_game_that_is_whole_is_salvaged_as_it_is(path: Path) -> None:
    with GameStore(path, RULES) as store:
        assert store.salvage_game(1) == game()
    assert json_lines.parse_journal(json_lines.encode_journal(*game()), RULES, salvage=True) == game()


def test_what_is_played_on_continues_the_chain(path: Path) -> None:
    with GameStore(path, RULES) as store:
        journal = store.open_game(1)
        last = journal.entries[-1]
        journal.append(replace(last, seq=last.seq + 1))
        assert journal.close()
        assert store.read_game(1)[1] == list(journal.entries)


def test_a_game_that_began_without_a_chain_goes_on_without_one(tmp_path: Path) -> None:
    header, entries = game()
    number = stored_in(tmp_path / "games.sqlite", replace(header, format=1), entries[:-1])
    with GameStore(tmp_path / "games.sqlite", RULES) as store:
        journal = store.open_game(number)
        journal.append(entries[-1])
        assert journal.close()
        assert store.read_game(number) == (replace(header, format=1), entries)


# The chain written anew -------------------------------------------------------------------------------------


def test_forgetting_a_name_writes_the_chain_anew_and_says_so(path: Path) -> None:
    header, entries = game()
    with GameStore(path, RULES) as store:
        assert store.forget_name("Ann").games == 1
        assert store.read_game(1) == (replace(header, names=(), chain_rewritten=("forget",)), entries)
    assert b"Ann" not in path.read_bytes()


@pytest.mark.parametrize("table", ["entries", "games"])
def test_forgetting_a_name_hides_no_damage(table: str, path: Path) -> None:
    what, where = ("body", "seq = 9") if table == "entries" else ("header", "id = 1")
    with closing(sqlite3.connect(path)) as stranger:
        stranger.execute(f"UPDATE {table} SET {what} = replace({what}, ':true', ':false') WHERE {where}")
        stranger.execute("UPDATE entries SET body = replace(body, '\"at\":', '\"at\":1') WHERE seq = 9")
        stranger.commit()
    with GameStore(path, RULES) as store:
        with pytest.raises(JournalError) as before:
            store.read_game(1)
        store.forget_name("Ann")
        with pytest.raises(JournalError) as after:
            store.read_game(1)
        assert (after.value.key, after.value.line) == (before.value.key, before.value.line)
    assert b"Ann" not in path.read_bytes()


# How a game ended ------------------------------------------------------------------------------------------


def ended_in(path: Path) -> Outcome:
    journal = play_undisturbed_game("kobayakawa", min(RULES["kobayakawa"].players))
    header, entries = replace(journal.header, kind="game", names=((0, "Ann"),)), journal.entries
    rules = RULES[header.game]
    outcome = rules.outcome(replay_state(rules, header.setup.with_options(rules.options), entries))
    assert outcome is not None
    with GameStore(path, RULES) as store:
        journal = store.create_game(header)
        for entry in entries:
            journal.append(entry, outcome)
        assert journal.close()
    return outcome


def outcome_of(path: Path) -> bytes:
    with closing(sqlite3.connect(path)) as store:
        (raw,) = store.execute("SELECT outcome FROM games").fetchone()
    return bytes(raw)


def put_outcome(path: Path, raw: bytes) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as store:
        store.execute("UPDATE games SET outcome = ?", (raw,))


def test_no_flipped_bit_changes_who_won(tmp_path: Path) -> None:
    path = tmp_path / "games.sqlite"
    outcome = ended_in(path)
    raw = outcome_of(path)
    with GameStore(path, RULES) as store:
        for at in range(len(raw)):
            put_outcome(path, raw[:at] + bytes([raw[at] ^ 1 << at % 8]) + raw[at + 1 :])
            (told,) = store.list_games()
            assert (told.outcome, told.problem) == (outcome, "")
            assert store.find_unfinished() is None


def test_an_outcome_without_a_checksum_is_that_of_an_older_store(tmp_path: Path) -> None:
    path = tmp_path / "games.sqlite"
    outcome = ended_in(path)
    put_outcome(path, json_line(outcome))
    with GameStore(path, RULES) as store:
        assert [told.outcome for told in store.list_games()] == [outcome]


def test_the_outcome_follows_the_chain_when_a_name_is_forgotten(tmp_path: Path) -> None:
    path = tmp_path / "games.sqlite"
    outcome = ended_in(path)
    before = outcome_of(path)
    with GameStore(path, RULES) as store:
        store.forget_name("Ann")
        raw, last = outcome_of(path), last_line(path)
        assert raw != before
        assert read_outcome(raw, last) == outcome
        assert strip_checksum(raw, last) is not None


def last_line(path: Path) -> bytes:
    with closing(sqlite3.connect(path)) as store:
        (raw,) = store.execute("SELECT body FROM entries ORDER BY seq DESC LIMIT 1").fetchone()
    return bytes(raw)


# The row of a game -----------------------------------------------------------------------------------------


def test_a_flipped_bit_of_a_header_is_named_and_the_whole_game_is_saved(path: Path) -> None:
    """Whatever the bit makes of it: another game, a newer format, no JSON."""
    with closing(sqlite3.connect(path)) as store:
        (raw,) = store.execute("SELECT header FROM games").fetchone()
    with GameStore(path, RULES) as store:
        for at in range(len(raw)):
            with closing(sqlite3.connect(path, isolation_level=None)) as writer:
                changed = raw[:at] + bytes([raw[at] ^ 1 << at % 8]) + raw[at + 1 :]
                writer.execute("UPDATE games SET header = ?", (changed,))
            assert [told.problem for told in store.list_games()] == ["altered"]
            if at % 16 == 0:
                told = pytest.raises(InputError, match=r"save its .* with companion export 1 FILE --salvage")
                with told, explain_store_errors(str(path)):
                    store.read_game(1)
                header, entries = store.salvage_game(1)
                assert header == with_new_chain(game()[0], "repair")
                assert entries == game()[1]


def test_a_game_whose_kind_is_damaged_is_still_listed(path: Path) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as writer:
        writer.execute("UPDATE games SET kind = 'gamd'")
    with GameStore(path, RULES) as store:
        assert [told.problem for told in store.list_games()] == ["altered"]
        assert store.salvage_game(1)[1] == game()[1]


def test_resume_names_the_only_unfinished_game_when_it_is_damaged(tmp_path: Path) -> None:
    settings = Settings(storage=StorageSettings(folder=str(tmp_path)))
    stored_in(settings.store_file(), *game())
    with closing(sqlite3.connect(settings.store_file(), isolation_level=None)) as writer:
        writer.execute("UPDATE games SET header = CAST(replace(header, '\"Ann\"', '\"Ano\"') AS BLOB)")
    with pytest.raises(InputError, match="the header is not as it was written; save its"):
        find_unfinished_game(settings, None)
