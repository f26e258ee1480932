"""What programs read: every table as JSON, and nothing else on that output."""

from __future__ import annotations

import json
import re
from pathlib import Path
from types import SimpleNamespace

import pytest

from companion.cli import load_commands
from companion.cli.command import CLUB_COMMANDS, _command_parser
from companion.core.exhibits import DrillResult
from companion.programs.drill import print_results
from companion.teach.lesson import find_lesson, find_lesson_files, load_lesson
from tests.cli.command_line import Command, file_of, played


def test_every_verb_that_prints_json_is_listed(checkout: Path) -> None:
    page = (checkout / "docs" / "commands.md").read_text(encoding="utf-8")
    (told,) = re.findall(r"`--json` prints .*?: (.*?)\.\n", page, flags=re.DOTALL)
    able = {verb.name for verb in load_commands() if "--json" in _command_parser(verb).format_usage()}
    listed = set(re.findall(r"`([a-z ]+)`", told))
    assert able <= listed
    assert listed - able <= {*CLUB_COMMANDS} - {verb.name for verb in load_commands()}


def test_the_list_of_lessons_is_what_teach_understands(companion: Command) -> None:
    listed = json.loads(companion("lessons", "--json").out)
    assert len(listed) == len(find_lesson_files())
    for row in listed:
        lesson = find_lesson(row["lesson"])
        assert (row["game"], row["players"], row["steps"]) == (lesson.game, lesson.players, lesson.step_count)
    assert "Kinapa for two" in {row["title"] for row in listed}


def test_the_list_of_lessons_names_no_file(companion: Command) -> None:
    said = companion("lessons").out
    assert "kinapa/2         Kinapa for two (7 steps)\n" in said
    assert ".toml" not in said


def test_a_lesson_is_checked_by_its_name_and_by_its_file(companion: Command, tmp_path: Path) -> None:
    assert companion("lessons", "check", "kinapa/2").out == "kinapa/2: 7 steps, no mistakes.\n"
    (shipped_one,) = [file for file in find_lesson_files("kinapa") if load_lesson(file).mode == "2"]
    source = shipped_one.read_text(encoding="utf-8")
    own = tmp_path / "own.toml"
    own.write_text(source.replace("lesson.", "lessen.", 1), encoding="utf-8")
    said = companion("lessons", "check", str(own), "--json")
    for options_first in (("check", "--json", str(own)), ("--json", "check", str(own))):
        assert companion("lessons", *options_first) == said
    (checked,) = json.loads(said.out)
    assert said.code == 1
    assert checked["lesson"] == str(own)
    line = checked["problems"][0]["line"]
    assert own.read_text(encoding="utf-8").splitlines()[line - 1].count("lessen.")


def test_a_lesson_that_is_not_there_is_named_with_those_that_are(companion: Command) -> None:
    said = companion("lessons", "check", "kinapa/9")
    assert said.code == 2
    assert "kinapa/4-8" in said.err


def test_who_is_stored_where_is_told_to_programs(companion: Command, tmp_path: Path) -> None:
    assert companion("import", str(file_of(tmp_path, played()))).code == 0
    stored = json.loads(companion("--set", 'table.names=["Zoë", "Ann"]', "forget", "--json").out)
    assert {(one["name"], one["games"], one["chair"]) for one in stored["people"]} == {
        ("Ann", 1, 2),
        ("Zoë", 0, 1),
    }
    assert stored["store"].startswith(str(tmp_path))
    assert stored["pictures"] == stored["recaps"] == []


def test_forgetting_somebody_is_not_a_list(companion: Command) -> None:
    assert companion("forget", "Ann", "--json").code == 2


def test_what_the_buttons_did_is_one_list(companion: Command) -> None:
    said = companion("press", "--simulate", "--presses", "2", "--json")
    tested = json.loads(said.out)
    assert [(one["button"], one["presses"]) for one in tested] == [("chair 1", 1), ("chair 2", 1)]
    assert all(0 < one["worst_bounce"] < 16_000 for one in tested)
    assert "Press any button" in said.err


def test_a_drill_s_results_are_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    drill = SimpleNamespace(results=(DrillResult(2, (280_000, 301_000), early=1),))
    print_results(drill, as_json=True)  # type: ignore[arg-type]  # only its results are read
    out = capsys.readouterr().out
    assert out.count("\n") == 1
    assert json.loads(out) == [{"chair": 3, "reactions": [280_000, 301_000], "early": 1, "missed": 0}]


def test_a_calibration_is_told_to_programs(companion: Command) -> None:
    said = companion("calibrate", "kabuki", "--simulate", "--json")
    found = json.loads(said.out)
    assert said.code == 0
    assert found["found"]
    assert not found["saved"]
    assert found["places"] > 0
