"""`companion replay` tells every photo finish of a stored game again, and draws it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from companion.__main__ import main

GAME = Path(__file__).parents[1] / "playthroughs" / "kabuki" / "players-4.jsonl"


def test_every_stop_of_a_stored_game_tells_its_presses_in_milliseconds(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["replay", str(GAME)]) == 0
    lines = capsys.readouterr().out.splitlines()
    presses = [line for line in lines if re.match(r" +[+-]\d+\.\d ms  .+ \(gpio\): ", line)]
    stops = [line for line in lines if "was first and checks stack" in line]
    assert len(stops) > 10
    assert len(presses) > len(stops), "some were contested"
    assert sum("counts" in line for line in presses) <= len(stops)


def test_the_finishes_are_drawn_one_picture_for_each(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["replay", str(GAME), "--pictures", str(tmp_path / "kept")]) == 0
    told = re.search(r"(\d+) photo finishes in", capsys.readouterr().out)
    assert told is not None
    drawn = list((tmp_path / "kept").glob("*.png"))
    assert len(drawn) == int(told[1]) > 10
    assert len({path.read_bytes() for path in drawn}) == len(drawn), "each is another race"


def test_a_folder_that_takes_no_pictures_is_told_in_one_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("")
    assert main(["replay", str(GAME), "--pictures", str(tmp_path / "file")]) == 2
    assert "name a folder of yours" in capsys.readouterr().err
