"""Games and decks on another disk: whole, compared, and beside whatever lies there."""

from __future__ import annotations

import errno
import os
import shutil
import sqlite3
import tempfile
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from companion.core.errors import CompanionError
from companion.referee import backup
from companion.referee.backup import BACKUP_FOLDER, BackupError, back_up
from companion.referee.journal import copying, read_only
from companion.referee.store import GameStore
from companion.referee.store_errors import explain_store_errors
from tests.referee.lantern_play import RULES, before_the_count, header, new

DATE = "2026-11-21T20:15:00+01:00"


@pytest.fixture
def stick(tmp_path: Path) -> Path:
    folder = tmp_path / "stick"
    folder.mkdir()
    return folder


def table(folder: Path, games: int) -> Path:
    """A table with so many stored games and one deck of its own."""
    with GameStore(folder / "games.sqlite", RULES) as store:
        for _ in range(games):
            journal = store.create_game(header(kind="game"))
            referee = new(journal)
            for seen in before_the_count():
                referee.observe(seen)
            assert journal.close()
    (folder / "decks").mkdir()
    (folder / "decks" / "lantern.deck").write_bytes(b"faces" * 1000)
    return folder


def everything(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_a_copy_holds_every_game_and_deck(tmp_path: Path, stick: Path) -> None:
    here = table(tmp_path / "here", 3)
    done = back_up(here, "table", stick, DATE, RULES)
    assert (done.games, done.decks) == (3, 1)
    copy = Path(done.folder)
    assert copy.is_relative_to(stick / BACKUP_FOLDER)
    with GameStore(here / "games.sqlite", RULES) as ours, GameStore(copy / "games.sqlite", RULES) as theirs:
        for game in (1, 2, 3):
            assert theirs.read_game(game) == ours.read_game(game)
    assert (copy / "decks/lantern.deck").read_bytes() == b"faces" * 1000


DECKS: dict[str, tuple[Callable[[Path], None], str]] = {
    "a link to nothing": (lambda path: path.symlink_to("nowhere"), "No such file or directory"),
    "a link to itself": (lambda path: path.symlink_to(path), "it leads in a circle"),
    "a link to its folder": (lambda path: path.symlink_to("."), "it leads in a circle"),
    "a link to a device": (lambda path: path.symlink_to("/dev/zero"), "it is a device, not a file"),
    "a pipe": (os.mkfifo, "it is a pipe, not a file"),
}


@pytest.mark.parametrize(("make", "reason"), DECKS.values(), ids=DECKS)
def test_what_is_no_deck_is_named_and_the_stick_is_not_blamed(
    tmp_path: Path, stick: Path, make: Callable[[Path], None], reason: str
) -> None:
    here = table(tmp_path / "here", 1)
    odd = here / "decks" / "odd.deck"
    make(odd)
    with pytest.raises(BackupError) as caught:
        back_up(here, "table", stick, DATE, RULES)
    assert str(caught.value) == f"can't copy {odd} ({reason}); delete it, or move it out of decks."
    assert everything(stick) == {}


def fail_at_decks(patch: pytest.MonkeyPatch) -> None:
    def fail(_: str, target: str) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), target)

    patch.setattr(shutil, "copyfile", fail)


def fail_at_games(patch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise sqlite3.OperationalError("database or disk is full")

    patch.setattr(backup, "_copy_table", fail)


@pytest.mark.parametrize("fail", [fail_at_decks, fail_at_games])
def test_a_stick_that_is_full_is_told_with_the_way_out(
    tmp_path: Path, stick: Path, fail: Callable[[pytest.MonkeyPatch], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    here = table(tmp_path / "here", 1)
    told = rf"^can't copy (the games )?to {stick}.* \(.*\); use another stick, or make room on it\.$"
    fail(monkeypatch)
    with pytest.raises(BackupError, match=told):
        back_up(here, "table", stick, DATE, RULES)
    assert everything(stick) == {}


@pytest.mark.parametrize("full", ["its disk", "every disk"])
def test_where_a_copy_for_reading_has_no_room_its_place_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, full: str
) -> None:
    def fail(*_: object, **__: object) -> bool:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), "games.sqlite")

    here = table(tmp_path / "here", 1)
    with monkeypatch.context() as patch, GameStore(here / "games.sqlite", RULES) as store:
        patch.setattr(read_only, "is_owned_by_us", lambda _: False)
        patch.setattr(copying, "copy_consistently", fail)
        patch.setattr(tempfile, "tempdir", str(tmp_path))
        where = rf"^{tmp_path}/companion-games-\w+ can't be written"
        if full == "every disk":
            patch.setattr(tempfile, "tempdir", None)
            patch.setattr(tempfile, "_get_default_tempdir", lambda *_: Path("/none/tmp").read_text())
            where = r"^the folder of temporary files \(TMPDIR\) can't be written"
        with pytest.raises(CompanionError, match=where), explain_store_errors(str(store.path)):
            store.list_games()


def test_a_copy_that_a_wrong_clock_dates_says_so_in_the_log(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (stick := tmp_path / "stick").mkdir()
    here = table(tmp_path / "here", 1)
    back_up(here, "table", stick, DATE, RULES)
    assert caplog.records == []
    back_up(here, "table", stick, "1970-01-01T00:01:10+00:00", RULES)
    assert "named by a wrong date, for the clock says 1970-01-01" in caplog.text


def test_a_copy_needs_no_other_file(tmp_path: Path, stick: Path) -> None:
    done = back_up(table(tmp_path / "here", 1), "table", stick, DATE, RULES)
    assert sorted(everything(Path(done.folder))) == ["SHA256SUMS", "decks/lantern.deck", "games.sqlite"]


def test_a_game_in_play_is_copied_as_it_stands(tmp_path: Path, stick: Path) -> None:
    here = table(tmp_path / "here", 1)
    with GameStore(here / "games.sqlite", RULES) as store:
        journal = store.open_game(1)
        with closing(sqlite3.connect(here / "games.sqlite")) as other:
            other.execute("BEGIN IMMEDIATE")
            done = back_up(here, "table", stick, DATE, RULES)
            other.execute("ROLLBACK")
        journal.close()
    assert done.games == 1


def test_what_lies_on_the_stick_stays_as_it_is(tmp_path: Path, stick: Path) -> None:
    (stick / "holiday.jpg").write_bytes(b"sea")
    one, other = table(tmp_path / "one", 1), table(tmp_path / "other", 2)
    back_up(one, "table", stick, DATE, RULES)
    before = everything(stick)
    back_up(one, "table", stick, DATE, RULES)
    back_up(other, "table", stick, DATE, RULES)
    after = everything(stick)
    assert {name: after[name] for name in before} == before
    assert len(list((stick / BACKUP_FOLDER).iterdir())) == 2  # two tables of one name have a folder each
    assert sum(name.endswith("games.sqlite") for name in after) == 3


def test_a_table_keeps_its_mark(tmp_path: Path) -> None:
    folder = tmp_path / "here"
    assert backup.table_identity(folder) == backup.table_identity(folder)
    assert backup.table_identity(folder) != backup.table_identity(tmp_path / "there")


def test_a_table_that_never_played_is_copied_too(tmp_path: Path, stick: Path) -> None:
    assert back_up(tmp_path / "new", "table", stick, DATE, RULES).games == 0


def test_a_stick_that_keeps_other_bytes_is_found_out(
    tmp_path: Path, stick: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = table(tmp_path / "here", 1)
    synced = backup.sync_to_disk

    def lies(path: Path) -> None:
        synced(path)
        if path.name.endswith(".deck"):
            path.write_bytes(b"other" * 1000)

    monkeypatch.setattr(backup, "sync_to_disk", lies)
    with pytest.raises(BackupError, match="lantern"):
        back_up(here, "table", stick, DATE, RULES)
    assert list(stick.iterdir()) == []


def test_a_copy_that_finds_no_room_leaves_nothing_behind(
    tmp_path: Path, stick: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    here = table(tmp_path / "here", 1)
    monkeypatch.setattr(backup.shutil, "copytree", full)
    with pytest.raises(BackupError, match="No space left"):
        back_up(here, "table", stick, DATE, RULES)
    assert list(stick.iterdir()) == []


@pytest.mark.parametrize(
    "level",
    [
        BACKUP_FOLDER,
        f"{BACKUP_FOLDER}/table 1234abcd",
        f"{BACKUP_FOLDER}/table 1234abcd/.2026-11-21 20-15-00.part",
    ],
)
def test_a_link_on_the_stick_is_not_followed(tmp_path: Path, stick: Path, level: str) -> None:
    here, elsewhere = table(tmp_path / "here", 1), tmp_path / "elsewhere"
    (here / backup.IDENTITY_FILE).write_text("1234abcd\n", encoding="ascii")
    elsewhere.mkdir()
    (stick / level).parent.mkdir(parents=True, exist_ok=True)
    (stick / level).symlink_to(elsewhere)
    with pytest.raises(BackupError, match=r"stick") as refused:
        back_up(here, "table", stick, DATE, RULES)
    assert str(refused.value).count("\n") == 0
    assert not list(elsewhere.iterdir())


def test_a_link_that_leads_nowhere_is_no_free_place(tmp_path: Path, stick: Path) -> None:
    here = table(tmp_path / "here", 1)
    first = Path(back_up(here, "table", stick, DATE, RULES).folder)
    link = first.parent / f"{first.name} 2"
    link.symlink_to(tmp_path / "nowhere")
    again = Path(back_up(here, "table", stick, DATE, RULES).folder)
    assert again.name == f"{first.name} 3"
    assert link.is_symlink()
