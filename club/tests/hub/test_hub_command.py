"""`companion hub` as it is typed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from msgspec.structs import replace
from sqlalchemy import Engine, select, update
from sqlalchemy.orm import Session

from club.tests.hub.evening import NOON, an_event, hub, recorded
from companion.cli.command import run
from companion.referee.journal import JOURNAL_FORMAT
from companion.referee.journal.entry import UNCHAINED_FORMAT
from companion.referee.journal.json_lines import encode_journal
from companion_club.hub import people
from companion_club.hub.database import make_engine, migrate, writing_sessions
from companion_club.hub.forgetting import is_forgotten
from companion_club.hub.model import EntrantRecord, EventRecord, GameRecord, PlayerRecord, TableRecord
from companion_club.messages import encode_payload, make_game_id
from tests.processes import running

STORE = "a" * 32


@pytest.fixture
def database(tmp_path: Path) -> str:
    """Two games, one of which somebody changed."""
    path = str(tmp_path / "club.sqlite")
    engine = make_engine(path)
    migrate(engine)
    with hub(engine) as evening:
        for key, game in zip("12", recorded(), strict=False):
            evening.tell(f"table-{key}", game.result(STORE, key, names=("Ada",)))
            for piece in game.pieces(make_game_id(STORE, key)):
                evening.say(f"table-{key}", "entries", encode_payload(piece))
    changed = {"termination": "last", "winners": [recorded()[1].chairs[0]]}
    with writing_sessions(engine).begin() as session:
        session.execute(
            update(GameRecord).where(GameRecord.id == make_game_id(STORE, "2")).values(outcome=changed)
        )
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


@pytest.mark.parametrize("written", [UNCHAINED_FORMAT, JOURNAL_FORMAT])
def test_a_journal_that_claims_older_rules_is_counted_where_the_result_is_told(
    written: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Whoever forges a journal may write an older revision into it, and every checksum anew: that is not
    passed over in silence.
    """
    game = recorded()[0]
    header = replace(game.header, rules=1, format=written)
    entries = list(game.entries)
    ruled = next(at for at, entry in enumerate(entries) if entry.events and at > len(entries) // 2)
    entries[ruled] = replace(entries[ruled], events=())
    forged = game._replace(lines=tuple(encode_journal(header, entries).decode().splitlines()))
    path = str(tmp_path / "club.sqlite")
    engine = make_engine(path)
    migrate(engine)
    with hub(engine) as evening:
        evening.tell("one", forged.result(STORE, "1"))
        for piece in forged.pieces(make_game_id(STORE, "1")):
            evening.say("one", "entries", encode_payload(piece))
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
    said = capsys.readouterr().out
    assert "The club is as it was on" in said
    assert "companion desk --password desk makes one." in said, "no desk had been started"
    assert run(["hub", "forget", "ada", "--database", other]) == 0
    said = capsys.readouterr().out
    assert "ada is gone from the club: 2 seats in games. The results stay, under a dash." in said
    assert "companion forget ada at table-1, table-2." in said
    assert run(["hub", "verify", "--database", other]) == 1, "results and journals are there"


@pytest.fixture
def seated(tmp_path: Path) -> Iterator[Engine]:
    """Ann sits in the second round of an evening, and is entered in an event that has not begun."""
    engine = make_engine(str(tmp_path / "seated.sqlite"))
    migrate(engine)
    with writing_sessions(engine).begin() as session:
        table = TableRecord(slug="one", seen=NOON)
        session.add(table)
        session.flush()
        an_event(session, ("Ann", "Bob", "Cy"), table=table)
        session.flush()
        evening = session.scalars(select(EventRecord)).one()
        later = EventRecord(name="Sunday", seed="s", made=NOON)
        session.add(later)
        session.flush()
        (ann,) = session.scalars(select(PlayerRecord).where(PlayerRecord.nickname == "Ann"))
        session.add_all(EntrantRecord(event_id=one.id, player_id=ann.id) for one in (evening, later))
    yield engine
    engine.dispose()


def entries(engine: Engine) -> list[tuple[str, int | None]]:
    with Session(engine.execution_options(reads=True)) as session:
        asked = select(EventRecord.name, EntrantRecord.until_round).join(
            EventRecord, EntrantRecord.event_id == EventRecord.id
        )
        return [(name, until) for name, until in session.execute(asked.order_by(EventRecord.id))]


def test_somebody_who_plays_is_not_forgotten_by_a_slip(
    seated: Engine, capsys: pytest.CaptureFixture[str]
) -> None:
    where = ["--database", seated.url.render_as_string()]
    assert run(["hub", "forget", "ann", *where]) == 2
    told = capsys.readouterr()
    assert told.out.splitlines() == [
        "ann plays in Wednesday: round 1, pod 1.",
        "ann plays in Sunday.",
    ]
    assert "to forget ann anyway: companion hub forget ann --yes" in told.err
    assert entries(seated) == [("Wednesday", None), ("Sunday", None)]
    assert run(["hub", "forget", "ann", "--yes", *where]) == 0
    said = capsys.readouterr().out.splitlines()
    assert (
        said[0] == "ann is gone from the club: 1 player, 1 place in rounds. The results stay, under a dash."
    )
    assert said[1:3] == [
        "Wednesday: ann has dropped out and is drawn into no further round.",
        "Sunday: ann has dropped out and is drawn into no further round.",
    ]
    assert entries(seated) == [("Wednesday", 1)], "an event in which she sat nowhere knows her no more"


@pytest.mark.parametrize(("typed", "code", "left"), [("", 1, 2), ("y", 0, 1)])
def test_at_a_terminal_it_asks(seated: Engine, typed: str, code: int, left: int) -> None:
    ours, theirs = os.openpty()
    words = [sys.executable, "-m", "companion", "hub", "forget", "Ann", "--database"]
    with running(
        [*words, seated.url.render_as_string()], stdin=theirs, stdout=theirs, stderr=theirs
    ) as asked:
        os.close(theirs)
        said = b""
        while b"Forget Ann? [y/N] " not in said:
            said += os.read(ours, 1000)
        os.write(ours, typed.encode() + b"\n")
        with suppress(OSError):  # the terminal's end is an error
            while True:
                said += os.read(ours, 1000)
        os.close(ours)
        assert asked.wait() == code
    assert (b"Nothing was changed." in said) == bool(code)
    assert len(entries(seated)) == left


def test_a_name_that_nobody_knows_is_not_barred_by_a_slip(
    seated: Engine, capsys: pytest.CaptureFixture[str]
) -> None:
    where = ["--database", seated.url.render_as_string()]
    assert run(["hub", "forget", "Anm", *where]) == 2
    told = capsys.readouterr()
    assert told.out == "Anm is not known to this club.\n"
    assert "companion hub forget Anm --yes" in told.err
    with Session(seated) as session:
        assert not is_forgotten(session, "Anm")
    assert run(["hub", "forget", "Anm", "--yes", *where]) == 0
    assert "Entering Anm as a player at the desk undoes this." in capsys.readouterr().out
    with writing_sessions(seated).begin() as session:
        assert is_forgotten(session, "Anm")
        people.add_players(session, ["Anm"], now=NOON)
        assert not is_forgotten(session, "Anm"), "as it was said"


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        (["hub"], "no broker is named: set club.broker"),
        (["hub", "backup"], "companion hub backup FILE"),
        (["hub", "verify", "x"], "verify takes nothing behind it"),
        (["hub", "restore", "no.club"], "there is no file no.club."),
        (["hub", "verify", "--database", "mysql://x/y"], "mysql://… is no database for a club"),
        (["hub", "verify", "--yes"], "--yes is for companion hub forget."),
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
