"""What is stored about people goes away when they ask, and does not travel with a bug report."""

from __future__ import annotations

import errno
import json
import os
from pathlib import Path
from zipfile import ZipFile

import pytest

from companion.referee.journal.json_lines import encode_journal
from tests.cli.command_line import Command, played


@pytest.fixture
def games(companion: Command, tmp_path: Path) -> Path:
    """Two stored games in which Ann sat."""
    for seed in (3, 4):
        journal = tmp_path / f"game{seed}.jsonl"
        journal.write_bytes(encode_journal(*played(seed)))
        assert companion("import", str(journal)).code == 0
    return tmp_path / "games"


def every_byte(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file())


def test_who_is_known_is_listed(companion: Command, games: Path) -> None:
    said = companion("forget")
    assert said.code == 0
    assert "Ann: in 2 games" in said.out


def test_a_forgotten_name_is_in_no_byte_of_the_store_and_the_games_are_whole(
    companion: Command, games: Path
) -> None:
    assert b'"Ann"' in every_byte(games)
    before = companion("replay", str(games.parent / "game3.jsonl")).out.splitlines()[-1]
    assert companion("forget", "Ann").code == 0
    assert b'"Ann"' not in every_byte(games)
    exported = games.parent / "after.jsonl"
    assert companion("export", "1", str(exported)).code == 0
    assert companion("replay", str(exported)).out.splitlines()[-1] == before
    assert "Ann" not in companion("games").out


def test_a_name_that_is_not_known_names_the_nearest_and_changes_nothing(
    companion: Command, games: Path
) -> None:
    kept = companion("export", "1").out
    said = companion("forget", "Anne")
    assert said.code == 2
    assert "did you mean Ann?" in said.err
    assert companion("export", "1").out == kept


def test_a_name_in_the_settings_goes_and_the_others_keep_their_chairs(
    companion: Command, tmp_path: Path
) -> None:
    file = tmp_path / "settings.toml"
    file.write_text('[table]\nnames = ["Ann", "Bo", "Cy"]  # ours\n', encoding="utf-8")
    assert companion("--settings", str(file), "forget", "Bo").code == 0
    shown = json.loads(companion("--settings", str(file), "settings", "--json").out)
    assert shown["table.names"]["value"] == ["Ann", "", "Cy"]


def test_a_name_in_the_environment_is_said_to_be_there(
    companion: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COMPANION_TABLE_NAMES", '["Ann"]')
    said = companion("forget", "Ann")
    assert said.code == 1
    assert "environment COMPANION_TABLE_NAMES sets: remove the name there" in said.err


def test_a_report_holds_what_is_needed_and_nobodys_name(
    companion: Command, games: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COMPANION_TABLE_NAMES", '["Ann"]')
    archive = tmp_path / "report.zip"
    assert companion("report", str(archive)).code == 0
    with ZipFile(archive) as made:
        parts = {name: made.read(name) for name in made.namelist()}
    assert set(parts) == {"versions.txt", "settings.json", "doctor.json", "game-2.jsonl"}
    assert all(b'"Ann"' not in content for content in parts.values())
    assert json.loads(parts["doctor.json"])
    journal = tmp_path / "again.jsonl"
    journal.write_bytes(parts["game-2.jsonl"])
    assert companion("replay", str(journal)).code == 0


def test_a_report_is_made_on_a_bad_day_too(companion: Command, tmp_path: Path) -> None:
    store = tmp_path / "games" / "table" / "games.sqlite"
    store.parent.mkdir(parents=True)
    store.write_bytes(b"this is no database" * 100)
    archive = tmp_path / "report.zip"
    assert companion("report", str(archive)).code == 0
    with ZipFile(archive) as made:
        assert b"isn't a store" in made.read("journal.txt")


def test_a_report_overwrites_nothing_and_a_game_that_is_not_there_is_told(
    companion: Command, games: Path
) -> None:
    archive = games.parent / "report.zip"
    archive.write_bytes(b"mine")
    assert companion("report", str(archive)).code == 2
    assert archive.read_bytes() == b"mine"
    assert companion("report", str(games.parent / "new.zip"), "--game", "99").code == 2
    assert not (games.parent / "new.zip").exists()


def test_evidence_goes_along_only_when_asked(companion: Command, games: Path) -> None:
    evidence = games / "table" / "evidence" / "game-1"
    evidence.mkdir(parents=True)
    (evidence / "00001.jpg").write_bytes(b"picture")
    for words, expected in (((), False), (("--frames",), True)):
        archive = games.parent / f"report{len(words)}.zip"
        assert companion("report", str(archive), *words).code == 0
        with ZipFile(archive) as made:
            assert ("evidence/game-1/00001.jpg" in made.namelist()) is expected


def picture_of(games: Path, game: int) -> Path:
    path = games / "table" / "evidence" / f"game-{game}" / "00001.jpg"
    path.parent.mkdir(parents=True)
    path.write_bytes(b"picture")
    return path


def test_a_game_that_is_not_over_gives_no_picture_away(companion: Command, games: Path) -> None:
    journal = games.parent / "cut.jsonl"
    journal.write_bytes(encode_journal(*played(3, upto=20)))
    assert companion("import", str(journal)).code == 0
    picture_of(games, 3)
    picture_of(games, 2)
    archive = games.parent / "report.zip"
    assert companion("report", str(archive), "--frames").code == 0
    with ZipFile(archive) as made:
        assert [name for name in made.namelist() if "evidence" in name] == ["evidence/game-2/00001.jpg"]


def test_who_is_forgotten_is_forgotten_in_pictures_too(companion: Command, games: Path) -> None:
    theirs, other = picture_of(games, 1), picture_of(games, 99)
    assert "2 pictures of rulings in 2 games" in companion("forget").out
    assert "Deleted 1 picture of rulings in their games" in companion("forget", "Ann").out
    assert not theirs.exists()
    assert other.exists()
    assert companion("forget", "--pictures").out == "Deleted 1 picture of rulings.\n"
    assert not other.exists()
    assert "pictures of rulings" not in companion("forget").out


def test_a_report_says_neither_whose_home_it_is_nor_what_the_table_is_called(
    companion: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "home" / "jane"
    home.mkdir(parents=True)
    monkeypatch.setenv("HOME", str(home))
    for found in ("/home/bob/x", str(home / "g")):
        archive = tmp_path / "report.zip"
        words = ["--table", "Fridays", "--set", f"storage.folder={found}", "--set", "camera.kind=folder"]
        assert companion(*words, "--set", f"camera.device={home}/Fridays", "report", str(archive)).code == 0
        with ZipFile(archive) as packed:
            text = "\n".join(packed.read(name).decode() for name in packed.namelist())
        assert not any(word in text for word in ("jane", "bob", "Fridays"))
        assert "~/" in text
        archive.unlink()


def test_a_place_that_takes_no_report_is_told_in_a_sentence(
    companion: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def read_only(path: Path, *_: object, **__: object) -> None:
        raise OSError(errno.EROFS, os.strerror(errno.EROFS), str(path))

    monkeypatch.setattr(Path, "touch", read_only)
    monkeypatch.setattr(Path, "unlink", read_only)
    archive = tmp_path / "report.zip"
    said = companion("report", str(archive))
    assert said.code == 2
    assert said.err == f"companion: can't write {archive} (Read-only file system); name another file.\n"
