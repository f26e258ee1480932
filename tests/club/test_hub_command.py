"""`companion hub` as it is typed."""

from __future__ import annotations

import json
import subprocess
import sys
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


def test_a_journal_that_claims_older_rules_is_counted_where_the_result_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Whoever forges a journal may write an older revision into it: that is not passed over in silence."""
    game = recorded()[0]
    header = {**json.loads(game.lines[0]), "rules": 1}
    ruled = next(at for at, line in enumerate(game.lines) if '"events"' in line and at > len(game.lines) // 2)
    entry = json.loads(game.lines[ruled])
    del entry["events"]
    lines = [json.dumps(header), *game.lines[1:]]
    lines[ruled] = json.dumps(entry)
    forged = game._replace(lines=tuple(lines))
    path = str(tmp_path / "club.sqlite")
    engine = engine_of(path)
    migrate(engine)
    with hub(engine) as evening:
        evening.tell("one", forged.result(STORE, "1"))
        for piece in forged.pieces(game_id(STORE, "1")):
            evening.say("one", "entries", encoded(piece))
    engine.dispose()
    run(["hub", "verify", "--database", path])
    said = capsys.readouterr().out.splitlines()
    assert said[0].startswith("note: one, game ")
    assert said[-1].startswith("1 of those right were refereed by older rules, as their journals claim")


@pytest.mark.parametrize(
    ("part", "said"),
    [(0, "can't be used: "), (4, "bytes may still be in"), (8, "bytes may still be in")],
)
def test_a_disk_that_is_full_is_named(database: str, part: int, said: str) -> None:
    """It is full before the first write, or while the file is written once more; nothing else is harmed."""
    limit = Path(database).stat().st_size * part // 16 // 512
    words = [sys.executable, "-m", "companion", "hub", "forget", "Ada", "--database", database]
    limited = ["sh", "-c", f'ulimit -f {limit}; exec "$@"', "sh", *words]
    done = subprocess.run(limited, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert said in done.stderr
    assert database in done.stderr
    assert run(["hub", "forget", "Ada", "--database", database]) == 0
    assert b"Ada" not in b"".join(file.read_bytes() for file in Path(database).parent.glob("club.sqlite*"))


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
