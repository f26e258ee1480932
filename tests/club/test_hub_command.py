"""`companion hub` as it is typed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from sqlalchemy import update

from companion.cli.command import run
from companion.club.database import engine_of, migrate, sessions
from companion.club.messages import encoded, game_id
from companion.club.model import Game
from tests.club.evening import hub, recorded

STORE = "a" * 32


@pytest.fixture
def database(tmp_path: Path) -> str:
    """Two games, one of which somebody changed."""
    path = str(tmp_path / "club.sqlite")
    engine = engine_of(path)
    migrate(engine)
    with hub(engine) as evening:
        for key, game in zip("12", recorded(), strict=False):
            evening.tell(f"table-{key}", game.result(STORE, key, names=("Ada",)))
            for piece in game.pieces(game_id(STORE, key)):
                evening.say(f"table-{key}", "entries", encoded(piece))
    changed = {"termination": "last", "winners": [recorded()[1].chairs[0]]}
    with sessions(engine).begin() as session:
        session.execute(update(Game).where(Game.id == game_id(STORE, "2")).values(outcome=changed))
    engine.dispose()
    return path


def test_verify_names_the_table_whose_result_is_not_what_its_journal_says(
    database: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["hub", "verify", "--database", database]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("WRONG: table-2, game ")
    assert lines[-1] == "1 result as the journal says, 1 not, 0 not checked yet, 0 games without a result."
    assert run(["hub", "verify", "--json", "--database", database]) == 1
    found = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert sorted(one["verdict"] for one in found) == ["outcome", "proved"]


def test_a_club_is_copied_read_back_and_a_name_forgotten(
    database: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, other = str(tmp_path / "evening.club"), str(tmp_path / "other.sqlite")
    assert run(["hub", "backup", file, "--database", database]) == 0
    assert run(["hub", "restore", file, "--database", other]) == 0
    assert "The club is as it was on" in capsys.readouterr().out
    assert run(["hub", "forget", "ada", "--database", other]) == 0
    said = capsys.readouterr().out
    assert "ada is gone from the club: 0 players, 2 seats." in said
    assert "companion forget ada at table-1, table-2." in said
    assert run(["hub", "verify", "--database", other]) == 1, "results and journals are there"


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        (["hub"], "no broker is named: set club.broker"),
        (["hub", "backup"], "companion hub backup FILE"),
        (["hub", "verify", "x"], "verify takes nothing behind it"),
        (["hub", "restore", "no.club"], "there is no file no.club."),
        (["hub", "verify", "--database", "mysql://x/y"], "mysql://… is no database for a club"),
        (["hub", "--json"], "--json is for companion hub verify."),
        (
            ["--set", "club.broker=x", "--set", "club.password_file=/none", "hub"],
            "club.password_file: can't read",
        ),
    ],
)
def test_what_is_missing_is_said(typed: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(typed) != 0
    assert said in capsys.readouterr().err
