"""The journal as values and as JSON Lines: what stands, what is read back, and what is refused by name."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from lantern.rules import LANTERN, LotFell

from companion.core import events as ev
from companion.core import observations as ob
from companion.core.events import Event
from companion.core.rules import Rules
from companion.referee.journal import (
    Entry,
    JournalError,
    MemoryJournal,
    journal_schema,
    json_lines,
    replay_state,
    standing_entries,
)
from companion.referee.journal.codec import MAX_LINE, add_checksum
from tests.referee.lantern_play import RULES, SETUP, new, whole_game

SCHEMAS = Path(__file__).parent / "schemas"


def entry(seq: int, *, retracts: int | None = None, events: tuple[Event, ...] = ()) -> Entry[Event]:
    cause = ob.UndoRequested(at=seq) if retracts is not None else ob.CameraRecovered(at=seq)
    return Entry(seq, cause, events, retracts=retracts)


def stands(*entries: Entry[Event]) -> list[int]:
    return [one.seq for one in standing_entries(entries)]


def written() -> bytes:
    journal = whole_game(new()).journal
    return json_lines.encode_journal(journal.header, journal.entries)


def refused(raw: bytes) -> JournalError:
    with pytest.raises(JournalError) as caught:
        json_lines.parse_journal(raw, RULES)
    return caught.value


def changed(raw: bytes, line: int, **changes: object) -> bytes:
    """The journal with some keys of one line (from 1) replaced, and its chain written anew."""
    rows = [json.loads(row) for row in raw.splitlines()]
    rows[line - 1].update(changes)
    return chained(*rows)


def chained(*rows: dict[str, Any]) -> bytes:
    """A journal of these lines, each with the right checksum."""
    lines = [b""]
    for row in rows:
        row.pop("sum", None)
        lines.append(add_checksum(json.dumps(row).encode(), lines[-1]))
    return b"\n".join((*lines[1:], b""))


# What stands ------------------------------------------------------------------------------------------------


def test_entries_stand_until_they_are_retracted() -> None:
    assert stands(entry(0), entry(1), entry(2)) == [0, 1, 2]


def test_a_retraction_takes_its_entry_and_all_after_it() -> None:
    assert stands(entry(0), entry(1), entry(2), entry(3, retracts=1)) == [0, 3]


def test_retracting_the_retraction_brings_everything_back() -> None:
    assert stands(entry(0), entry(1), entry(2), entry(3, retracts=1), entry(4, retracts=3)) == [0, 1, 2, 4]


def test_what_is_played_after_an_undo_stands_on_what_stood_before() -> None:
    assert stands(entry(0), entry(1), entry(2, retracts=1), entry(3), entry(4)) == [0, 2, 3, 4]


def test_redo_of_an_undo_of_an_undo() -> None:
    history = [entry(0), entry(1), entry(2, retracts=1), entry(3, retracts=0)]
    assert stands(*history) == [3]
    assert stands(*history, entry(4, retracts=3)) == [0, 2, 4]


@given(st.data())
def test_retracting_an_entry_stands_as_it_stood_just_before_it(data: st.DataObject) -> None:
    history: list[Entry[Event]] = []
    stood: list[list[int]] = []
    for seq in range(data.draw(st.integers(1, 25))):
        stood.append(stands(*history))
        target = data.draw(st.none() | st.integers(0, seq - 1)) if seq else None
        history.append(entry(seq, retracts=target))
        before = stood[seq] if target is None else stood[target]
        assert stands(*history) == [*before, seq]


def test_the_state_is_the_fold_of_the_standing_events() -> None:
    history = [
        entry(0, events=(LotFell(3),)),
        entry(1, retracts=0),
        entry(2, events=(LotFell(2),)),
        entry(3, events=(ev.GamePaused(),)),
    ]
    state = replay_state(LANTERN, SETUP, history)
    assert (state.phase, state.seat, state.desk.paused) == ("lay", 2, True)
    assert replay_state(LANTERN, SETUP, history[:2]) == LANTERN.initial_state(SETUP)


def test_a_correction_of_an_entry_that_does_not_stand_is_damage() -> None:
    history = [
        entry(0),
        entry(1, retracts=0),
        Entry(2, ob.CorrectionRequested(at=2, seq=0, truth=None), corrects=0),
    ]
    with pytest.raises(JournalError, match="entry 0 is corrected but does not stand"):
        standing_entries(history)


# In and out -------------------------------------------------------------------------------------------------


def test_a_journal_is_read_back_as_it_was_written() -> None:
    journal = whole_game(new()).journal
    head, entries = json_lines.parse_journal(
        json_lines.encode_journal(journal.header, journal.entries), RULES
    )
    assert head == journal.header
    assert entries == list(journal.entries)


def test_a_journal_is_one_line_per_entry_after_its_header() -> None:
    raw = written()
    rows = [json.loads(line) for line in raw.splitlines()]
    assert rows[0]["game"] == "lantern"
    assert rows[0]["setup"] == {"chairs": [1, 4], "options": {"highest": 5}, "bot": False}
    assert [row["seq"] for row in rows[1:]] == list(range(len(rows) - 1))


def test_a_file_is_read_like_its_bytes(tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    path.write_bytes(written())
    assert json_lines.read_journal_file(path, RULES) == json_lines.parse_journal(written(), RULES)


def test_a_journal_that_was_read_can_be_gone_on_with() -> None:
    raw = written()
    head, entries = json_lines.parse_journal(raw, RULES)
    resumed = new(MemoryJournal(head, entries))
    assert resumed.state == whole_game(new()).state
    assert resumed.at == max(one.cause.at for one in entries)


# Damage -----------------------------------------------------------------------------------------------------


def test_a_file_that_ends_in_the_middle_of_a_line_is_truncated() -> None:
    raw = written()
    error = refused(raw[:-20])
    assert (error.key, error.line) == ("truncated", len(raw.splitlines()))


def test_a_whole_last_line_without_its_end_is_whole() -> None:
    raw = written()
    assert json_lines.parse_journal(raw.removesuffix(b"\n"), RULES) == json_lines.parse_journal(raw, RULES)


@pytest.mark.parametrize(
    "raw", [b"", b"\n", b"hello\n", b"\x89PNG\r\n\xff", b"[1, 2]\n", b'{"id": 7}\n', b"{"]
)
def test_a_foreign_file_is_called_foreign(raw: bytes) -> None:
    assert refused(raw).key == "foreign"


@pytest.mark.parametrize("line", [1, 2])
def test_what_is_nested_without_end_is_damage_and_no_crash(line: int) -> None:
    lines = written().splitlines()
    deep = b'{"a":' * 100_000 + b"1" + b"}" * 100_000
    lines[line - 1] = lines[line - 1][:-1] + b',"deep":' + deep + b"}"
    lines[0] = lines[0].replace(b'"format":2', b'"format":1')
    assert refused(b"\n".join(lines) + b"\n").key in {"damaged", "foreign"}


def test_a_newer_format_is_refused_by_name_even_if_nothing_else_is_known_of_it() -> None:
    error = refused(b'{"format": 12, "game": "lantern", "wormholes": true}\n')
    assert (error.key, error.line, error.where) == ("newer", 1, "$.format")
    assert "12" in str(error)


def test_an_older_format_than_the_first_is_refused_by_name() -> None:
    assert refused(b'{"format": 0, "game": "lantern"}\n').key == "too_old"


def test_a_game_nobody_knows_is_refused_by_name() -> None:
    error = refused(changed(written(), 1, game="whist"))
    assert (error.key, error.where) == ("unknown_game", "$.game")
    assert "whist" in str(error)


def test_an_unknown_key_is_damage_with_its_line_and_key() -> None:
    error = refused(changed(written(), 5, colour="red"))
    assert (error.key, error.line) == ("damaged", 5)
    assert "colour" in str(error)


def test_an_unknown_key_of_the_header_is_damage_in_line_one() -> None:
    error = refused(changed(written(), 1, colour="red"))
    assert (error.key, error.line) == ("damaged", 1)
    assert "colour" in str(error)


def test_an_unknown_house_rule_is_damage_with_its_key() -> None:
    error = refused(changed(written(), 1, setup={"chairs": [1, 4], "options": {"lowest": 2}}))
    assert (error.key, error.line, error.where) == ("damaged", 1, "$.setup.options")
    assert "lowest" in str(error)


@pytest.mark.parametrize("chairs", [[1], [1, 4, 5], [1, 1], [], [0, 99], [10**30, 1], [-1, 0]])
def test_chairs_that_cannot_play_it_are_damage(chairs: list[int]) -> None:
    assert refused(changed(written(), 1, setup={"chairs": chairs, "options": {}})).where == "$.setup.chairs"


def test_an_unknown_event_is_damage_with_its_place() -> None:
    error = refused(changed(written(), 2, events=[{"kind": "Wormhole"}]))
    assert (error.line, error.where) == (2, "$.events[0].kind")


def test_an_unknown_cause_is_damage_with_its_place() -> None:
    error = refused(changed(written(), 2, cause={"kind": "Sneezed", "at": 3}))
    assert (error.line, error.where) == (2, "$.cause.kind")


def test_an_instant_before_the_game_is_damage() -> None:
    assert refused(changed(written(), 2, cause={"kind": "CameraBack", "at": -1})).where == "$.cause.at"


def test_a_missing_entry_is_damage() -> None:
    rows = written().splitlines(keepends=True)
    error = refused(chained(*map(json.loads, rows[:4] + rows[5:])))
    assert (error.key, error.line, error.where) == ("damaged", 5, "$.seq")


@pytest.mark.parametrize("key", ["retracts", "corrects"])
@pytest.mark.parametrize("target", [-1, 4, 99])
def test_only_an_earlier_entry_can_be_retracted_or_corrected(key: str, target: int) -> None:
    error = refused(changed(written(), 6, **{key: target}))
    assert (error.line, error.where) == (6, f"$.{key}")


def test_a_line_longer_than_any_entry_is_refused_unread() -> None:
    raw = written() + b'{"seq": ' + b" " * MAX_LINE + b"}\n"
    assert refused(raw).key == "too_long"


@given(st.data())
def test_a_damaged_journal_is_read_or_refused_and_nothing_else(data: st.DataObject) -> None:
    raw = bytearray(written())
    for _ in range(data.draw(st.integers(1, 4))):
        raw[data.draw(st.integers(0, len(raw) - 1))] = data.draw(st.integers(0, 255))
    known = {"altered", "foreign", "newer", "too_old", "unknown_game", "damaged", "truncated", "too_long"}
    try:
        head, entries = json_lines.parse_journal(bytes(raw), RULES)
    except JournalError as error:
        refusal = error.key
        assert refusal in known
    else:
        assert json_lines.parse_journal(json_lines.encode_journal(head, entries), RULES) == (head, entries)


# The schema -------------------------------------------------------------------------------------------------


def test_the_schema_accepts_every_line_of_a_journal() -> None:
    validator = Draft202012Validator(journal_schema(LANTERN))
    for line in written().splitlines():
        validator.validate(json.loads(line))


def test_the_schema_refuses_what_the_program_refuses() -> None:
    validator = Draft202012Validator(journal_schema(LANTERN))
    good = json.loads(written().splitlines()[1])
    for bad in ({**good, "colour": "red"}, {**good, "events": [{"kind": "Wormhole"}]}, {"seq": 1}, {}):
        assert not validator.is_valid(bad)


def format_alone(schema: Any) -> Any:
    """A schema without descriptions, names of parts and order of kinds: they are in no journal."""
    parts = schema["$defs"]

    def alone(schema: Any) -> Any:
        if isinstance(schema, list):
            return [alone(part) for part in schema]
        if not isinstance(schema, dict):
            return schema
        if "$ref" in schema:
            return alone(parts[schema["$ref"].removeprefix("#/$defs/")])
        known = {
            key: alone(part)
            for key, part in schema.items()
            if key not in {"description", "$defs"} and not (key == "title" and isinstance(part, str))
        }
        return {key: sorted(part, key=json.dumps) if key == "anyOf" else part for key, part in known.items()}

    return alone(schema)


@pytest.mark.parametrize("rules", RULES.values(), ids=lambda rules: str(rules.name))
def test_the_schema_of_format_2_is_as_it_was_released(rules: Rules) -> None:  # type: ignore[type-arg]
    """A change here is a change of the format: it needs an upgrade, and this file a new name.

    A new key with a default is none, nor is a new kind: whatever was written without it is still read as it
    was. What a class says of itself (`description`) is no part of the format.
    """
    pinned = json.loads((SCHEMAS / f"{rules.name}-2.json").read_text(encoding="utf-8"))
    assert format_alone(msgspec.json.decode(msgspec.json.encode(journal_schema(rules)))) == format_alone(
        pinned
    )
