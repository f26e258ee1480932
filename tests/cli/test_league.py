"""Who won what: counted from the stored games, told on the terminal, as CSV, JSON and for BG Stats."""

from __future__ import annotations

import csv
import io
import json
import os
from pathlib import Path

import pytest

from companion.core.actions import Outcome
from companion.referee.journal.json_lines import encode_journal
from companion.referee.standings import (
    Standing,
    bgstats_json,
    finished_games,
    standings,
    standings_by_game,
    standings_csv,
)
from companion.referee.store import GameSummary
from tests.cli.command_line import Command, played


def game(
    number: int, name: str, names: dict[int, str], winners: tuple[int, ...], day: str = "20"
) -> GameSummary:
    return GameSummary(
        game=number,
        name=name,
        kind="game",
        date=f"2026-11-{day}T20:00:00+01:00",
        names=tuple(names.items()),
        chairs=tuple(names),
        entries=10,
        outcome=Outcome("over", winners) if winners else None,
    )


EVENING = (
    game(1, "kinapa", {0: "Ann", 1: "Bo", 2: "Cy", 3: "Di"}, (1,)),
    game(2, "kabuki", {0: "Ann", 1: "Bo", 2: "Cy"}, (0, 1)),
    game(3, "kabuki", {0: "Ann", 1: "Bo", 2: "Cy"}, ()),
    game(4, "kabuki", {2: "Ann", 1: "Bo", 0: ""}, (2,), day="21"),
)


def test_wins_follow_the_person_not_the_chair() -> None:
    rows = standings(finished_games(EVENING))
    assert rows[0] == Standing("Ann", "", played=3, won=2, shared=1)
    assert rows[1] == Standing("Bo", "", played=3, won=2, shared=1)
    assert {row.name: (row.played, row.won) for row in rows[2:]} == {
        "chair 1": (1, 0),
        "Di": (1, 0),
        "Cy": (2, 0),
    }


def test_a_game_that_is_not_over_does_not_count() -> None:
    assert [one.game for one in finished_games(EVENING)] == [1, 2, 4]


def test_an_evening_begins_where_it_is_said_to() -> None:
    assert [one.game for one in finished_games(EVENING, since="2026-11-21")] == [4]


def test_every_game_has_a_table_of_its_own_that_adds_up_to_the_whole() -> None:
    whole, single = standings(finished_games(EVENING)), standings_by_game(finished_games(EVENING))
    for row in whole:
        own = [one for one in single if one.name == row.name]
        assert (sum(one.played for one in own), sum(one.won for one in own)) == (row.played, row.won)


def test_a_name_that_looks_like_a_formula_is_no_formula_in_csv() -> None:
    rows = list(
        csv.reader(
            io.StringIO(standings_csv([Standing("=1+1", "", 1, 1, 0), Standing('A "B", c', "", 1, 0, 0)]))
        )
    )
    assert rows[0] == ["game", "name", "played", "won", "shared"]
    assert [row[1] for row in rows[1:]] == ["'=1+1", 'A "B", c']


def test_the_play_file_refers_only_to_what_it_holds_and_is_the_same_every_time() -> None:
    file = json.loads(bgstats_json(finished_games(EVENING), location="home", written={"kinapa": "KiNaPa"}))
    people = {one["id"]: one["name"] for one in file["players"]}
    titles = {one["id"]: one["name"] for one in file["games"]}
    for play in file["plays"]:
        assert titles[play["gameRefId"]] in {"KiNaPa", "Kabuki"}
        assert all(score["playerRefId"] in people for score in play["playerScores"])
    shared = next(play for play in file["plays"] if sum(s["winner"] for s in play["playerScores"]) == 2)
    assert {people[s["playerRefId"]] for s in shared["playerScores"] if s["winner"]} == {"Ann", "Bo"}
    assert shared["playDate"] == "2026-11-20 20:00:00"
    assert (
        json.loads(bgstats_json(finished_games(EVENING), location="home", written={"kinapa": "KiNaPa"}))
        == file
    )
    assert len({play["uuid"] for play in file["plays"]}) == 3


@pytest.fixture
def stored(companion: Command, tmp_path: Path) -> Path:
    journal = tmp_path / "game.jsonl"
    header, entries = played()
    journal.write_bytes(encode_journal(header, entries))
    assert companion("import", str(journal)).code == 0
    return tmp_path


def test_the_league_is_printed_and_written(companion: Command, stored: Path) -> None:
    said = companion("games", "--league")
    assert said.code == 0
    assert "1 finished game." in said.out
    assert "kinapa" in said.out
    table, plays = stored / "league.csv", stored / "evening.bgsplay"
    assert companion("games", "--csv", str(table), "--bgsplay", str(plays)).code == 0
    assert table.read_text(encoding="utf-8").startswith("game,name,played,won,shared")
    assert len(json.loads(plays.read_text(encoding="utf-8"))["plays"]) == 1
    rows = json.loads(companion("games", "--league", "--json").out)
    assert sum(row["won"] for row in rows if not row["game"]) >= 1


def test_wrong_use_of_the_league_names_the_fix(companion: Command, stored: Path) -> None:
    assert companion("games", "--since", "yesterday").code == 2
    said = companion("games", "--csv", str(stored / "no" / "such" / "folder.csv"))
    assert said.code == 2
    assert "can't write" in said.err
    precious, link, pipe = stored / "precious", stored / "link.csv", stored / "pipe.csv"
    precious.write_text("as it was")
    link.symlink_to(precious)
    os.mkfifo(pipe)
    for file in (link, pipe):
        said = companion("games", "--csv", str(file), "--bgsplay", str(file))
        assert said.code == 2
        assert "isn't a plain file" in said.err
    assert precious.read_text() == "as it was"
