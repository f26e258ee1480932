"""Whoever looks at another user's games sees all of them and leaves nothing: the table goes on saving."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing
from itertools import count
from pathlib import Path

import pytest

from companion.__main__ import main
from companion.referee.journal.read_only import open_read_only
from companion.referee.journal.sqlite import connect
from companion.system import safe_files
from tests.cli.command_line import file_of, played
from tests.thorough import examples

pytestmark = pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can be several users"
)
HERE = Path(__file__).parent
TABLE, GUEST = 65534, 12345
"""The table's own user, and somebody else."""
ENTRIES = 100
LOOKS = (
    ["games", "--json"],
    ["export", "1"],
    ["games", "--league"],
    ["forget"],
    ["recap", "1"],
    ["dev", "misread", "1", "5"],
    ["backup", "ROOM"],
    ["report", "ROOM/report.zip"],
)


@pytest.fixture
def games() -> Iterator[Path]:
    """The folder of the table's user: the group may look in, nobody else."""
    with tempfile.TemporaryDirectory(prefix="others-") as folder:
        Path(folder).chmod(0o755)
        table = Path(folder) / "games" / "table"
        table.mkdir(parents=True)
        for place in (table.parent, table):
            os.chown(place, TABLE, TABLE)
            place.chmod(0o750)
        yield table.parent


class Table:
    """The table's user, who plays."""

    def __init__(self, games: Path) -> None:
        self.process = start(TABLE, TABLE, "table", games / "table" / "games.sqlite")

    def plays(self, entries: int) -> str:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(f"{entries}\n")
        self.process.stdin.flush()
        return self.process.stdout.readline().strip()

    def ends(self, *, how: str) -> None:
        if how == "killed":
            self.process.kill()
        self.process.communicate()


def start(uid: int, gid: int, what: str, place: Path) -> subprocess.Popen[str]:
    path = os.pathsep.join((str(HERE), str(HERE.parent), str(HERE.parent.parent)))
    return subprocess.Popen(
        [sys.executable, "-B", str(HERE / "another_user.py"), str(uid), str(gid), what, str(place)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": path},
    )


def told(games: Path, uid: int, gid: int, commands: list[list[str]]) -> list[tuple[int, str, str]]:
    """What each command said to that user."""
    with tempfile.TemporaryDirectory() as room:
        os.chown(room, uid, gid)
        asked = start(uid, gid, "verbs", Path(room))
        out, _ = asked.communicate(json.dumps({"games": str(games), "commands": commands}))
    return [(code, said, err) for code, said, err in json.loads(out)]


def looks(games: Path, uid: int, gid: int) -> dict[str, tuple[int, str, str]]:
    """What each reading verb said."""
    answers = told(games, uid, gid, list(LOOKS))
    return {" ".join(words[:2]): answer for words, answer in zip(LOOKS, answers, strict=True)}


def files(games: Path) -> dict[str, tuple[int, int, int]]:
    """Every file there, whose it is and who may use it."""
    found = {str(path.relative_to(games)): path.stat() for path in games.rglob("*")}
    return {name: (at.st_uid, at.st_gid, at.st_mode) for name, at in found.items()}


ROOT, MEMBER = (0, 0), (GUEST, TABLE)


@pytest.mark.parametrize(
    ("ended", "who"),
    [
        pytest.param("closed", ROOT, id="closed-root"),
        pytest.param("killed", MEMBER, id="killed-a member of its group"),
        pytest.param("running", MEMBER, id="running-a member of its group", marks=pytest.mark.long),
        pytest.param("closed", MEMBER, id="closed-a member of its group", marks=pytest.mark.long),
        pytest.param("killed", ROOT, id="killed-root", marks=pytest.mark.long),
        pytest.param("running", ROOT, id="running-root", marks=pytest.mark.long),
    ],
)
def test_who_looks_sees_every_entry_and_leaves_nothing_and_the_table_goes_on_saving(
    games: Path, ended: str, who: tuple[int, int]
) -> None:
    table = Table(games)
    assert table.plays(60) == "durable 60"
    assert table.plays(ENTRIES - 60) == f"durable {ENTRIES}"
    if ended != "running":
        table.ends(how=ended)
    before = files(games)
    answers = looks(games, *who)
    assert files(games) == before
    assert json.loads(answers["games --json"][1])[0]["entries"] == ENTRIES
    assert len(answers["export 1"][1].splitlines()) == 1 + ENTRIES
    assert "Ann" in answers["forget"][1]
    assert answers["backup ROOM"][1].endswith(": 1 game, 0 decks.\n")
    assert not any("Traceback" in err for _, _, err in answers.values())
    if ended != "running":
        table = Table(games)
    assert table.plays(5).startswith("durable")
    table.ends(how="closed")
    assert {owner for owner, _, _ in files(games).values()} == {TABLE}


def test_who_may_not_read_is_told_so_in_one_sentence(games: Path) -> None:
    table = Table(games)
    table.plays(5)
    table.ends(how="closed")
    before = files(games)
    answers = looks(games, GUEST, GUEST)
    assert files(games) == before
    report = answers.pop("report ROOM/report.zip")
    assert report[0] == 0, "a report is made on bad days too"
    for verb, (code, _, err) in answers.items():
        assert code in {1, 2}, verb
        assert len(err.splitlines()) == 1, err
        assert "games.sqlite" in err or str(games / "table") in err


def test_root_forgets_for_the_table_and_a_guest_is_told_to_ask_root(games: Path) -> None:
    table = Table(games)
    table.plays(20)
    table.ends(how="killed")
    for name in ("recaps", "evidence/game-1"):
        (games / "table" / name).mkdir(parents=True)
    before = (games / "table" / "games.sqlite").read_bytes()
    (guest,) = told(games, GUEST, TABLE, [["forget", "Ann"]])
    assert guest[0] == 1
    assert "sudo companion forget Ann" in guest[2]
    assert (games / "table" / "games.sqlite").read_bytes() == before
    (root,) = told(games, 0, 0, [["forget", "Ann"]])
    assert root[0] == 0
    assert not any(b'"Ann"' in file.read_bytes() for file in games.rglob("*") if file.is_file())
    assert {at[0] for name, at in files(games).items() if "games.sqlite" in name} == {TABLE}
    table = Table(games)
    assert table.plays(5) == "durable 5"
    table.ends(how="closed")


def test_what_root_stores_belongs_to_the_table(games: Path) -> None:
    (games / "table").rmdir()
    journal = file_of(games.parent, played())
    assert main(["--set", f"storage.folder={games}", "import", str(journal)]) == 0
    assert {owner for owner, _, _ in files(games).values()} == {TABLE}
    table = Table(games)
    assert table.plays(5) == "durable 5"
    table.ends(how="closed")


HAMMER = """
import sqlite3, sys, time
from pathlib import Path
from companion.referee.journal.sqlite import connect
store = connect(Path(sys.argv[1]))
store.execute("PRAGMA wal_autocheckpoint = 20")
store.execute("PRAGMA synchronous = OFF")
store.execute("INSERT INTO games (id, kind, header, entries) VALUES (1, 'game', '', 0)")
for seq in range(10**9):
    store.execute("BEGIN IMMEDIATE")
    store.execute("INSERT INTO entries VALUES (1, ?, ?)", (seq, bytes([seq % 251]) * (seq % 9000)))
    store.execute("DELETE FROM entries WHERE seq < ? - 200", (seq,))
    store.execute("UPDATE games SET entries = ?", (seq,))
    store.execute("COMMIT")
    if seq in (0, 500):
        print(seq, flush=True)
    if seq > 500:
        time.sleep(0.002)  # still a hundred times the pace of a table; faster, nobody could copy it
"""


def test_a_copy_made_while_the_table_writes_and_checkpoints_is_of_one_moment(games: Path) -> None:
    path = games / "table" / "games.sqlite"
    writer = subprocess.Popen([sys.executable, "-c", HAMMER, str(path)], stdout=subprocess.PIPE, text=True)
    try:
        assert writer.stdout is not None
        writer.stdout.readline()
        writer.stdout.readline()
        os.chown(path, TABLE, TABLE)  # root looks at another's
        first = newest = 500
        for copy in count():
            if copy >= examples(30, 5) and newest > first:
                break
            with closing(open_read_only(path)) as reader:
                assert reader.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
                (told,) = reader.execute("SELECT entries FROM games").fetchone()
                rows = reader.execute("SELECT seq, CAST(body AS BLOB) FROM entries ORDER BY seq").fetchall()
            assert [seq for seq, _ in rows] == list(range(told - 200, told + 1))
            assert all(body == bytes([seq % 251]) * (seq % 9000) for seq, body in rows)
            assert told >= newest
            newest = told
    finally:
        writer.kill()
        writer.communicate()


def test_a_store_that_grows_while_it_is_opened_is_read(games: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = games / "table" / "games.sqlite"
    writer = connect(path)
    look = safe_files.stat_regular_file
    seq = iter(range(1_000))

    def grows(file: Path) -> os.stat_result:
        looked = look(file)
        writer.execute("INSERT INTO entries VALUES (1, ?, ?)", (next(seq), bytes(100_000)))
        writer.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        return looked

    writer.execute("INSERT INTO games (id, kind, header, entries) VALUES (1, 'game', '', 0)")
    monkeypatch.setattr(safe_files, "stat_regular_file", grows)
    with closing(writer), closing(open_read_only(path)) as reader:
        assert reader.execute("SELECT count(*) FROM entries").fetchone()[0] > 1


def test_a_read_only_disk_is_read_with_what_stands_beside_the_store(
    games: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = Table(games)
    table.plays(ENTRIES)
    table.ends(how="killed")
    os.chown(games / "table" / "games.sqlite", 0, 0)  # our own
    (games / "table" / "games.sqlite-shm").unlink()
    opened = sqlite3.connect

    def no_room(place: object, **how: bool) -> sqlite3.Connection:
        if str(place).endswith("mode=ro"):
            raise sqlite3.OperationalError("unable to open database file")
        return opened(place, **how)  # type: ignore[call-overload,no-any-return]

    monkeypatch.setattr(sqlite3, "connect", no_room)
    with closing(open_read_only(games / "table" / "games.sqlite")) as reader:
        assert reader.execute("SELECT count(*) FROM entries").fetchone() == (ENTRIES,)
