"""The page of the journal's format is true: its example plays, and its tables name what there is."""

from __future__ import annotations

import json
import re
import typing
from collections.abc import Iterable, Iterator
from pathlib import Path

import msgspec
import pytest

from companion.__main__ import main
from companion.core import observations as ob
from companion.core.events import SharedEvent, kind_of
from companion.games import RULES
from companion.games.kinapa.rules import judge
from companion.games.kinapa.rules.model import AnyKinapaEvent
from companion.referee.journal import Header, json_lines

PAGE = (Path(__file__).parents[2] / "companion" / "referee" / "journal" / "README.md").read_text(
    encoding="utf-8"
)


def example() -> str:
    (block,) = re.findall(r"```jsonl\n(.*?)```", PAGE, flags=re.DOTALL)
    return str(block)


def section(title: str) -> str:
    """The text under a heading, up to the next."""
    return PAGE.partition(f"\n## {title}\n")[2].partition("\n## ")[0]


def rows(title: str) -> Iterator[list[str]]:
    """The cells of a section's table, without its head."""
    table = [line for line in section(title).splitlines() if line.startswith("|")]
    return ([cell.strip() for cell in row.strip("|").split("|")] for row in table[2:])


def keys_of(kinds: Iterable[type[msgspec.Struct]]) -> dict[str, list[str]]:
    """Every kind with its keys, as the tables write them."""
    return {
        kind_of(kind): [
            f"`{field.encode_name}`" + ("" if field.required else "?")
            for field in msgspec.structs.fields(kind)
            if field.encode_name != "at"
        ]
        for kind in kinds
    }


def listed(title: str) -> dict[str, list[str]]:
    return {
        kind.strip("`"): [key for key in keys.split(", ") if key != "–"] for kind, keys, *_ in rows(title)
    }


@pytest.fixture
def game(tmp_path: Path) -> Path:
    path = tmp_path / "game.jsonl"
    path.write_text(example(), encoding="utf-8")
    return path


def test_every_cause_of_the_example_is_ruled_as_it_says(
    game: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["replay", str(game)]) == 0
    said = capsys.readouterr().out
    assert said.endswith("Checked 23 entries: all ruled the same.\n")
    assert "This object shows 7-8." in said


def test_the_example_is_stored_and_listed(
    game: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store = ["--set", f"storage.folder={tmp_path / 'games'}"]
    assert main([*store, "import", str(game)]) == 0
    assert main([*store, "games", "--json"]) == 0
    out = capsys.readouterr().out
    (stored,) = json.loads(out[out.index("[\n") :])
    assert (stored["entries"], stored["outcome"]["termination"]) == (23, "abandoned")


def test_the_example_shows_taking_back_and_correcting() -> None:
    _, entries = json_lines.parse_journal(example().encode(), RULES)
    assert any(entry.retracts is not None for entry in entries)
    assert any(entry.rejudged for entry in entries)


def test_a_ruling_of_the_example_that_is_changed_is_noticed(game: Path) -> None:
    game.write_text(example().replace('"HandRaised","seat":2', '"HandTooLate","seat":2'), encoding="utf-8")
    assert main(["replay", str(game)]) == 1


def test_the_header_is_described() -> None:
    described = [key.strip("`") for key, *_ in rows("The header")]
    assert described == [field.name for field in msgspec.structs.fields(Header)]


def test_every_observation_is_described_with_its_keys() -> None:
    assert listed("What is sensed") == keys_of(typing.get_args(ob.AnyObservation))


def test_every_event_is_described_with_its_keys() -> None:
    shared = keys_of(typing.get_args(SharedEvent))
    assert listed("What is ruled in every game") == shared
    own = {
        kind: keys for kind, keys in keys_of(typing.get_args(AnyKinapaEvent)).items() if kind not in shared
    }
    assert listed("What is ruled in Kinapa") == own


def test_every_verb_is_described() -> None:
    named = [verb for cell, *_ in rows("What is said in Kinapa") for verb in re.findall(r"`(\w+)`", cell)]
    assert sorted(named) == sorted(judge.VERBS)
