"""Older journals: the steps from format to format, and one journal of each released format."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest
from lantern.rules import LANTERN
from msgspec.structs import replace

from companion.core.actions import Outcome
from companion.referee.journal import JOURNAL_FORMAT, JournalCodec, JournalError, MemoryJournal, json_lines
from companion.referee.journal.codec import UPGRADES, Json, upgrade_journal
from companion.referee.journal.entry import UNCHAINED_FORMAT
from tests.referee.lantern_play import RULES, header, new, whole_game

RELEASED = Path(__file__).parent / "released"


def to_one(head: Json, entries: list[Json]) -> tuple[Json, list[Json]]:
    """A step from a format that never was: `players` were `seats`, and a cause was called `seen`."""
    setup = {**head["setup"], "chairs": head["setup"]["seats"]}
    del setup["seats"]
    renamed = [{("cause" if key == "seen" else key): value for key, value in one.items()} for one in entries]
    return {**head, "setup": setup}, renamed


def as_format_0(raw: bytes) -> list[bytes]:
    head, *entries = (json.loads(line) for line in raw.splitlines())
    head["format"] = 0
    head["setup"]["seats"] = head["setup"].pop("chairs")
    for one in entries:
        one["seen"] = one.pop("cause")
    return [json.dumps(one).encode() for one in (head, *entries)]


def test_an_older_journal_is_read_through_its_upgrade() -> None:
    journal = whole_game(new()).journal
    unchained = replace(journal.header, format=UNCHAINED_FORMAT)
    head, *entries = as_format_0(json_lines.encode_journal(unchained, journal.entries))
    assert JournalCodec(LANTERN, {0: to_one}).read(head, entries) == (unchained, list(journal.entries))


def test_damage_in_an_older_journal_is_named_by_its_line() -> None:
    journal = whole_game(new()).journal
    head, *entries = as_format_0(
        json_lines.encode_journal(replace(journal.header, format=UNCHAINED_FORMAT), journal.entries)
    )
    entries[3] = entries[3].replace(b'"seq"', b'"sequel"')
    with pytest.raises(JournalError) as caught:
        JournalCodec(LANTERN, {0: to_one}).read(head, entries)
    assert (caught.value.key, caught.value.line) == ("damaged", 5)


def test_steps_are_taken_in_order_and_leave_what_they_were_given() -> None:
    def step(name: str):  # type: ignore[no-untyped-def]
        return lambda head, entries: ({**head, "steps": [*head["steps"], name]}, [*entries, {"by": name}])

    head, entries = {"format": 3, "steps": []}, []
    assert upgrade_journal(head, entries, 3, {3: step("a"), 4: step("b")}, upto=5) == (
        {"format": 5, "steps": ["a", "b"]},
        [{"by": "a"}, {"by": "b"}],
    )
    assert (head, entries) == ({"format": 3, "steps": []}, [])


def test_a_format_without_a_step_is_refused_by_name() -> None:
    with pytest.raises(JournalError, match="format 4"):
        upgrade_journal({"format": 3}, [], 3, {3: lambda head, entries: (head, entries)}, upto=5)


def test_every_format_since_the_first_has_its_step_or_is_read_as_it_is() -> None:
    assert {*UPGRADES, UNCHAINED_FORMAT} == set(range(1, JOURNAL_FORMAT))


def test_a_journal_of_the_present_format_needs_no_step() -> None:
    assert header().format == JOURNAL_FORMAT


def told_of(now: Any, shown: Any) -> Any:
    """What of `now` was told in `shown` already."""
    if isinstance(now, dict) and isinstance(shown, dict):
        return {key: told_of(now.get(key), value) for key, value in shown.items()}
    if isinstance(now, list) and isinstance(shown, list) and len(now) == len(shown):
        return [told_of(*pair) for pair in zip(now, shown, strict=True)]
    return now


@pytest.mark.parametrize("number", range(1, JOURNAL_FORMAT + 1))
def test_a_journal_of_every_released_format_resumes_to_the_same_view(number: int) -> None:
    head, entries = json_lines.read_journal_file(RELEASED / f"lantern-{number}.jsonl", RULES)
    resumed = new(MemoryJournal(head, entries))
    shown = json.loads((RELEASED / f"lantern-{number}.view.json").read_text(encoding="utf-8"))
    now = json.loads(msgspec.json.encode(LANTERN.view(resumed.state)))
    assert told_of(now, shown) == shown  # a later view may tell more, never less
    assert LANTERN.outcome(resumed.state) == Outcome("points", (4,))
