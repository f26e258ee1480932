"""Copying the games from the command line."""

from __future__ import annotations

from pathlib import Path

import pytest
from command_line import Command, file_of, played

from companion.appliance import power_and_usb as _appliance


def test_games_are_copied_to_a_named_folder(companion: Command, tmp_path: Path) -> None:
    companion("import", str(file_of(tmp_path, played())))
    (tmp_path / "stick").mkdir()
    said = companion("backup", str(tmp_path / "stick"))
    assert said.code == 0
    assert said.out.startswith("1 games and 0 decks are copied")
    assert list((tmp_path / "stick").rglob("games.sqlite"))


def test_without_a_stick_the_fix_is_named(companion: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_appliance, "find_stick", lambda: None)
    said = companion("backup")
    assert said.code == 2
    assert "companion backup FOLDER" in said.err


def test_a_folder_that_is_not_there_is_not_made(companion: Command, tmp_path: Path) -> None:
    said = companion("backup", str(tmp_path / "nowhere"))
    assert said.code == 2
    assert not (tmp_path / "nowhere").exists()
