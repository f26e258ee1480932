"""Copying the games from the command line."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from companion.table import power_and_usb as _appliance
from tests.cli.command_line import Command, file_of, played


def test_games_are_copied_to_a_named_folder(companion: Command, tmp_path: Path) -> None:
    companion("import", str(file_of(tmp_path, played())))
    (tmp_path / "stick").mkdir()
    said = companion("backup", str(tmp_path / "stick"))
    assert said.code == 0
    assert said.out.endswith(" and checked: 1 game, 0 decks.\n")
    assert list((tmp_path / "stick").rglob("games.sqlite"))


def test_without_a_stick_the_fix_is_named(companion: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_appliance, "find_stick", lambda: None)
    said = companion("backup")
    assert said.code == 1
    assert "companion backup FOLDER" in said.err


def test_a_folder_that_is_not_there_is_not_made(companion: Command, tmp_path: Path) -> None:
    said = companion("backup", str(tmp_path / "nowhere"))
    assert said.code == 2
    assert not (tmp_path / "nowhere").exists()


def unusable(folder: Path, how: str) -> None:
    """What lies where the store should be."""
    table = folder / "table"
    match how:
        case "file":
            folder.write_text("in the way", encoding="utf-8")
        case "table_is_a_file":
            folder.mkdir()
            table.write_text("in the way", encoding="utf-8")
        case "foreign":
            table.mkdir(parents=True)
            (table / "games.sqlite").write_bytes(b"of another program" * 99)
        case "folder":
            (table / "games.sqlite").mkdir(parents=True)


@pytest.mark.parametrize("how", ["file", "table_is_a_file", "foreign", "folder"])
def test_of_a_store_that_cannot_be_used_nothing_is_copied_and_the_fix_is_named(
    companion: Command, tmp_path: Path, how: str
) -> None:
    unusable(tmp_path / "games", how)
    (tmp_path / "stick").mkdir()
    said = companion("backup", str(tmp_path / "stick"))
    assert (said.code, said.out) == (1, "")
    assert said.err.startswith("companion: nothing was copied: ")
    assert len(said.err.splitlines()) == 1
    assert list((tmp_path / "stick").iterdir()) == []
    assert companion("games").code == 2


def test_a_place_of_the_games_that_is_a_file_is_no_empty_store(companion: Command, tmp_path: Path) -> None:
    unusable(tmp_path / "games", "file")
    said = companion("games")
    assert said.code == 2
    assert f"{tmp_path / 'games'} is a file, not a folder" in said.err


def test_a_store_that_was_never_written_is_copied_as_an_empty_one(companion: Command, tmp_path: Path) -> None:
    (tmp_path / "games" / "table").mkdir(parents=True)
    (tmp_path / "games" / "table" / "games.sqlite").touch()
    (tmp_path / "stick").mkdir()
    assert companion("backup", str(tmp_path / "stick")).out.endswith(": 0 games, 0 decks.\n")


def test_the_whole_games_of_a_store_that_was_cut_off_are_exported(companion: Command, tmp_path: Path) -> None:
    for seed in (3, 4, 5):
        assert companion("import", str(file_of(tmp_path, played(seed)))).code == 0
    store = tmp_path / "games" / "table" / "games.sqlite"
    os.truncate(store, store.stat().st_size - 4_096)
    said = companion("games")
    assert said.code == 2
    assert "is cut off" in said.err
    assert "whole in it: game 1, 2; save its complete games with companion export GAME FILE" in said.err
    assert companion("export", "1", str(tmp_path / "one.jsonl")).code == 0
    assert companion("export", "3", str(tmp_path / "three.jsonl")).code == 2
    store.rename(tmp_path / "away.sqlite")
    assert companion("import", str(tmp_path / "one.jsonl")).code == 0


@pytest.mark.parametrize("length", [50, 300, 5_000, 16_000])
@pytest.mark.parametrize("words", [("export", "1"), ("recap", "1"), ("forget",), ("games",)])
def test_every_verb_says_of_a_store_that_was_cut_off_what_can_be_saved(
    words: tuple[str, ...], length: int, companion: Command, tmp_path: Path
) -> None:
    assert companion("import", str(file_of(tmp_path, played()))).code == 0
    os.truncate(tmp_path / "games" / "table" / "games.sqlite", length)
    said = companion(*words)
    assert said.code == 2
    assert f"is cut off, {length} of " in said.err
    assert "no game in it is complete: move it away" in said.err
