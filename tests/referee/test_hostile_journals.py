"""Journals of strangers that were made to cost or to break something."""

from __future__ import annotations

import json
import re
import sqlite3
import tracemalloc
from collections.abc import Mapping
from contextlib import closing, suppress
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from companion.cli.checks.journal_replay import replay_steps
from companion.core.errors import CompanionError
from companion.games import RULES
from companion.referee.dry_run import check_journal
from companion.referee.journal import JournalError, json_lines
from companion.referee.journal import valid_entries as standing
from companion.referee.journal.sqlite import connect
from companion.referee.store import GameStore
from companion.referee.store_errors import explain_store_errors
from companion.system.safe_files import SizeLimit
from tests.referee.hostile import HERE, PLAYED, journal, played, refused, replaced, stored, take_in, thorough
from tests.thorough import examples


@pytest.mark.slow
@settings(thorough, max_examples=examples(120))  # each opens the store many times
@given(length=st.integers(0, 1 << 20))
def test_a_store_that_was_cut_off_says_so_and_gives_what_is_whole(
    length: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("store") / "games.sqlite"
    whole = stored()
    length %= len(whole)
    path.write_bytes(whole[:length])
    with GameStore(path, RULES) as store:
        if not length:
            assert store.list_games() == ()
            return
        sentence = refused(lambda _: store.list_games(), path)
        assert "is cut off" in sentence
        if "whole in it: game 1" in sentence:
            assert len(store.read_game(1)[1]) == len(played(PLAYED[0])) - 1
        else:
            assert "companion backup" in sentence
            assert refused(lambda _: store.read_game(1), path) == sentence
            assert refused(lambda _: store.raw_headers(), path) == sentence


ENDLESS = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT"
RUNNING = {
    "a view in the place of the entries": (
        "DROP TABLE entries",
        f"CREATE VIEW entries AS {ENDLESS} 1 AS game, x AS seq, zeroblob(9) AS body FROM n",
    ),
    "a view in the place of the games": (
        "DROP TABLE games",
        f"CREATE VIEW games AS {ENDLESS} x AS id, '' kind, '' header, 0 entries, '' outcome FROM n",
    ),
    "a computed column": ("ALTER TABLE games ADD COLUMN more BLOB AS (zeroblob(400000000))",),
}
"""Statements that make a store whose database runs something when it is looked at."""


@pytest.mark.parametrize("statements", RUNNING.values(), ids=RUNNING)
def test_a_store_whose_database_is_a_program_is_refused(statements: tuple[str, ...], tmp_path: Path) -> None:
    path = tmp_path / "games.sqlite"
    path.write_bytes(stored())
    with closing(sqlite3.connect(path)) as stranger:
        for statement in statements:
            stranger.execute(statement)
        stranger.commit()
    with GameStore(path, RULES) as store:
        assert "its list of tables is damaged" in refused(lambda _: store.list_games(), path)
    with pytest.raises(JournalError, match="database of another program"):
        connect(path)


def test_what_another_database_left_beside_a_store_is_blamed_not_the_store(tmp_path: Path) -> None:
    path, other = tmp_path / "games.sqlite", tmp_path / "other.sqlite"
    path.write_bytes(stored())
    with closing(sqlite3.connect(other)) as stranger:
        stranger.execute("PRAGMA journal_mode = WAL")
        stranger.execute("CREATE TABLE t (x)")
        stranger.commit()
        (tmp_path / "games.sqlite-wal").write_bytes((tmp_path / "other.sqlite-wal").read_bytes())
    with GameStore(path, RULES) as store:
        sentence = refused(lambda _: store.list_games(), path)
    assert "games.sqlite-wal does not belong to the store beside it" in sentence
    assert "not the store" in sentence


def test_no_value_of_a_store_is_larger_than_a_journal_may_be(tmp_path: Path) -> None:
    path = tmp_path / "games.sqlite"
    path.write_bytes(stored())
    with closing(sqlite3.connect(path)) as stranger:
        stranger.execute("UPDATE entries SET body = zeroblob(?) WHERE seq = 1", (SizeLimit.JOURNAL + 1,))
        stranger.commit()
    with GameStore(path, RULES) as store:
        assert "too big" in refused(lambda _: store.read_game(1), path)


def pressed(at: int, **more: Any) -> dict[str, Any]:
    return {"cause": {"kind": "ButtonPressed", "at": at, "chair": 0}, **more}


@cache
def rulings() -> Mapping[str, tuple[tuple[dict[str, Any], ...], ...]]:
    """The events of recorded games, by game: what was ruled at once, in order."""
    found: dict[str, list[tuple[dict[str, Any], ...]]] = {}
    for path in PLAYED:
        for row in played(path)[1:]:
            found.setdefault(path.parent.name, []).append(tuple(json.loads(row).get("events", ())))
    return {game: tuple(filter(None, events)) for game, events in found.items()}


@pytest.mark.slow
@thorough
@given(st.data())
def test_a_ruling_for_ever_again_is_refused_before_it_heaps_up(data: st.DataObject) -> None:
    game = data.draw(st.sampled_from(sorted(rulings())))
    first = data.draw(st.integers(0, 5))
    again = data.draw(st.sampled_from(rulings()[game]))
    begun = [pressed(at, events=events) for at, events in enumerate(rulings()[game][:first])]
    chairs = {"setup": {"chairs": [0, 1, 2, 3]}, "game": game}
    take_in(journal([*begun, *(pressed(99 + at, events=again) for at in range(8))], **chairs))


@pytest.mark.slow
@thorough
@given(seat=st.sampled_from([-1, 4, 7, 99, 2**40]), chair=st.sampled_from([0, 3, 8, 99, -2]), data=st.data())
def test_a_seat_or_card_that_does_not_exist_is_refused_before_it_is_stored(
    seat: int, chair: int, data: st.DataObject
) -> None:
    game = data.draw(st.sampled_from(sorted(rulings())))
    events = [
        replaced(event, ("seat",), seat) if "seat" in event else event
        for event in data.draw(st.sampled_from(rulings()[game]))
    ]
    entry = pressed(1, events=events)
    entry["cause"]["chair"] = chair
    raw = journal([entry], game=game)
    take_in(raw)
    with suppress(CompanionError), explain_store_errors("stranger.jsonl"):
        header, entries = json_lines.parse_journal(raw, RULES)
        rules = RULES[header.game]
        referee = check_journal(rules, header, entries)
        rules.view(referee.state)  # what was accepted is shown without fail


def test_an_emperor_at_a_seat_that_does_not_exist_is_named_by_its_line() -> None:
    raw = journal([pressed(1), pressed(2, events=[{"kind": "EmperorCrowned", "seat": 99}])])
    with pytest.raises(JournalError) as refused:
        check_journal(RULES["kinapa"], *json_lines.parse_journal(raw, RULES))
    assert str(refused.value) == "line 3: no table could come to this (it names what is not there)"


NAMED = "seat", "seats", "raised", "placer", "number", "card", "mask", "stack", "cards", "area", "known"
"""Fields that name a seat, a card or a place."""
COUNTS = {("MaskPlaced", "number"), ("StopAssigned", "number"), ("TurnBegan", "number")}


@pytest.mark.parametrize("game", ["dnup", "kabuki", "kinapa", "kobayakawa"])
def test_a_ruling_that_names_what_its_game_has_not_is_refused_before_it_is_stored(game: str) -> None:
    rows = played(HERE / "playthroughs" / game / "players-4.jsonl")
    tried = set(COUNTS)
    for at, row in enumerate(rows[1:], start=1):
        entry = json.loads(row)
        for place, event in enumerate(entry.get("events", ())):
            for field in {*NAMED}.intersection(event):
                value, path = event[field], tuple[Any, ...](("events", place, field))
                if (event["kind"], field) in tried or value == []:
                    continue
                tried.add((event["kind"], field))
                if isinstance(value, list):
                    value, path = value[0], (*path, 0)
                wrong = "animal:99" if isinstance(value, str) else 99
                other = json.dumps(replaced(entry, path, wrong)).encode() + b"\n"
                header, entries = json_lines.parse_journal(b"".join([*rows[:at], other]), RULES)
                with pytest.raises(JournalError, match=rf"line {at + 1}\b"):
                    check_journal(RULES[game], header, entries)
    assert len(tried) > len(COUNTS) + 4


def checked(raw: bytes) -> None:
    header, entries = json_lines.parse_journal(raw, RULES)
    check_journal(RULES[header.game], header, entries)


STRANGERS: Mapping[str, dict[str, Any]] = {
    "a seat that says something": {"kind": "Declared", "action": {"seat": -5, "verb": "raise"}},
    "a seat after the last": {"kind": "Declared", "action": {"seat": 4, "verb": "raise"}},
    "whose hand is shown": {"kind": "HandShown", "seat": 99, "faces": []},
    "a player's button of nobody": {"kind": "ButtonPressed", "chair": None},
    "one let go": {"kind": "ButtonReleased", "chair": None},
}


@pytest.mark.parametrize("cause", STRANGERS.values(), ids=STRANGERS)
@pytest.mark.parametrize("corrected", [False, True])
def test_what_nobody_at_the_table_can_have_done_is_refused(cause: dict[str, Any], *, corrected: bool) -> None:
    row: dict[str, Any] = {"cause": {"at": 2, **cause}}
    if corrected:
        row = {"cause": {"kind": "Corrected", "at": 3, "seq": 0, "truth": row["cause"]}, "corrects": 0}
    with pytest.raises(JournalError, match=r"this game has no seat|belongs to a chair") as refusal:
        checked(journal([pressed(1), row]))
    assert refusal.value.line == 3


@pytest.mark.parametrize("value", [["emperor", -1], ["foxes:1", -7], ["foxes:1", 99]])
def test_a_table_that_cannot_be_is_not_put_right_to(value: list[Any]) -> None:
    said = {"cause": {"kind": "TableDeclared", "at": 2, "table": [value]}}
    with pytest.raises(JournalError, match="no table is like this"):
        checked(journal([pressed(1), {**said, "events": [{"kind": "Repaired", "table": [value]}]}]))


@pytest.mark.parametrize(
    "more", [{"names": [[-5, "Ada"]]}, {"names": [[1, "Ada"], [1, "Bo"]]}, {"gpio_us": -5}]
)
def test_names_have_a_chair_and_no_house_rule_is_negative(more: dict[str, Any]) -> None:
    if "names" not in more:
        more = {"game": "kabuki", "setup": {"chairs": [0, 1, 2], "options": more}}
    with pytest.raises(JournalError, match=r"have no names|less than nothing"):
        checked(journal([], **more))


def test_a_file_of_empty_lines_is_too_long_before_it_is_split() -> None:
    raw = journal([]) + b"\n" * 2_000_000
    tracemalloc.start()
    try:
        with pytest.raises(JournalError, match="more than 200000 entries"):
            json_lines.parse_journal(raw, RULES)
        assert tracemalloc.get_traced_memory()[1] < len(raw)
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(
    "names", [[[0, "N" * 25]], [[0, "N" * 900_000]], [[chair, "N"] for chair in range(9)]]
)
def test_names_in_a_header_are_held_to_what_the_settings_allow(names: list[Any]) -> None:
    with pytest.raises(JournalError):
        json_lines.parse_journal(journal([], names=names), RULES)
    assert json_lines.parse_journal(journal([], names=[[0, "N" * 24]]), RULES)[0].names == ((0, "N" * 24),)


class Counting:
    """The rules of a game, which count how often a state is evolved."""

    def __init__(self) -> None:
        self.rules = type("Counted", (type(RULES["kinapa"]),), {"evolve": self.evolve})()
        self.evolved = 0

    def evolve(self, state: Any, event: Any) -> Any:
        self.evolved += 1
        return RULES["kinapa"].evolve(state, event)


def evolved(count: int, entry: dict[str, Any]) -> int:
    """How many events are folded to replay a journal of so many such entries."""
    counting = Counting()
    header, entries = json_lines.parse_journal(journal([entry] * count), RULES)
    assert sum(1 for _ in replay_steps(counting.rules, header, entries)) == count
    return counting.evolved


def test_a_replay_that_differs_everywhere_costs_as_much_for_every_entry() -> None:
    entry = pressed(1, events=[{"kind": "GameRestarted"}])
    assert evolved(200, entry) == 2 * evolved(100, entry)


def test_taking_back_nothing_does_not_go_back_over_everything(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []
    rules = type(RULES["kinapa"])
    chose = rules.chosen_action

    def counted(self: Any, state: Any, seen: Any, events: Any) -> Any:
        asked.append(1)
        return chose(self, state, seen, events)

    monkeypatch.setattr(rules, "chosen_action", counted)
    taken = {"cause": {"kind": "TakenBack", "at": 1}}

    def costs(count: int) -> int:
        asked.clear()
        header, entries = json_lines.parse_journal(journal([taken] * count), RULES)
        assert all(not step.differs for step in replay_steps(RULES["kinapa"], header, entries))
        return len(asked)

    assert costs(400) < 3 * costs(200)


def test_undo_and_redo_in_turns_cost_as_much_each_time(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []
    rules = type(RULES["kinapa"])
    chose = rules.chosen_action

    def counted(self: Any, state: Any, seen: Any, events: Any) -> Any:
        asked.append(1)
        return chose(self, state, seen, events)

    monkeypatch.setattr(rules, "chosen_action", counted)

    def costs(count: int) -> int:
        asked.clear()
        crowned = pressed(
            1, events=[{"kind": "EmperorCrowned", "seat": 0}, {"kind": "SheepTaken", "seat": 0}]
        )
        undo, redo = ({"kind": "TakenBack", "at": 2, "redo": again} for again in (False, True))
        turns = [{"cause": redo if at % 2 else undo, "retracts": at if at % 2 else 0} for at in range(count)]
        header, entries = json_lines.parse_journal(journal([crowned, *turns]), RULES)
        assert not any(step.differs for step in replay_steps(RULES["kinapa"], header, entries) if step.seq)
        return len(asked)

    assert costs(400) < 3 * costs(200)


def test_corrections_that_judge_ever_the_same_again_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(standing, "MAX_REJUDGED", 1_000)
    corrected = {"cause": {"kind": "Corrected", "at": 9, "seq": 0, "truth": None}, "corrects": 0}
    far: list[dict[str, Any]] = [pressed(at) for at in range(300)]
    for _ in range(5):
        far += [corrected, {"cause": {"kind": "TakenBack", "at": 9}, "retracts": len(far)}]
    with pytest.raises(JournalError, match="more is corrected than at any table"):
        check_journal(RULES["kinapa"], *json_lines.parse_journal(journal(far), RULES))


def test_no_state_grows_without_end() -> None:
    raised = pressed(1, events=[{"kind": "HandRaised", "seat": 1}] * 100)
    with pytest.raises(JournalError, match="more lies here than on any table"):
        check_journal(RULES["kinapa"], *json_lines.parse_journal(journal([raised] * 160), RULES))
    many = pressed(1, events=[{"kind": "HandRaised", "seat": 1}] * 101)
    with pytest.raises(JournalError, match="more than 100 events"):
        json_lines.parse_journal(journal([many]), RULES)


def test_what_is_read_from_strangers_is_never_unpickled() -> None:
    sources = [*(HERE.parent / "companion").rglob("*.py"), *(HERE.parent / "hardware").glob("*.py")]
    sources += (HERE.parent / "club" / "companion_club").rglob("*.py")
    for path in sources:
        text = path.read_text(encoding="utf-8")
        for word in ("pickle", "allow_pickle=True", "eval(", "exec(", "yaml.load", "marshal", "shelve"):
            assert not re.search(rf"(?<![\w.\"'`]){re.escape(word)}", text), f"{path} uses {word}"
