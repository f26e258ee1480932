"""A table whose store was damaged says at home what became of it; one whose plug was pulled says so, too."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from companion.cli.checks.device_checks import power
from companion.core.clock import ManualClock
from companion.core.view import Sentence
from companion.games import RULES
from companion.programs.build_app import build_runtime
from companion.programs.run_table import RealTable
from companion.referee.journal.recovery_log import DAMAGED_SUFFIX, SUFFIX, RecoveryLog
from companion.referee.store import GameStore
from companion.settings.model import CameraSettings, Settings, StorageSettings
from companion.system.machine import Machine
from companion.table import games
from companion.table.frames import most_pressing_trouble
from companion.testing.playthroughs import play_undisturbed_game


def test_a_game_whose_end_could_not_be_restored_is_not_gone_on_with_before_the_table_reads_so(
    tmp_path: Path,
) -> None:
    settings = Settings(storage=StorageSettings(folder=str(tmp_path)), camera=CameraSettings(kind="none"))
    path = settings.store_file()
    path.parent.mkdir(parents=True)
    played = play_undisturbed_game("kabuki", min(RULES["kabuki"].players))
    RecoveryLog(path, replace(played.header, kind="game")).write(played.entries[:5])
    (log,) = path.parent.glob("games.sqlite-recovery-*")
    lines = log.read_bytes().splitlines(keepends=True)
    log.write_bytes(b"".join([*lines[:3], b"damaged\n", *lines[4:]]))
    table = RealTable(settings, build_runtime(settings, ManualClock(), silent=True))
    try:
        assert [game.game_id for game in table.games.unfinished_games()] == ["1"]
        assert table.games.interrupted_game() is None
        kept = log.name.replace(SUFFIX, DAMAGED_SUFFIX)
        told = Sentence("shared.trouble.store_unrestored", (("file", kept),))
        assert told in table.games.warnings()
        session = table.games.resume_game("1")
        assert most_pressing_trouble(session, table.host.clock.now()) == told
        table.host.close_session(session)
    finally:
        table.host.close()
        table.games.close()
    table = RealTable(settings, build_runtime(settings, ManualClock(), silent=True))
    try:
        assert told not in table.games.warnings(), "it was read once"
        table.games.add_unrestored((path.with_name(kept), path.with_name("restored since")))
        assert told in table.games.warnings()
        assert len(table.games.warnings()) == 1
    finally:
        table.host.close()
        table.games.close()


def test_the_home_page_names_the_damaged_store_that_was_put_aside(tmp_path: Path) -> None:
    settings = Settings(storage=StorageSettings(folder=str(tmp_path)), camera=CameraSettings(kind="none"))
    path = settings.store_file()
    path.parent.mkdir(parents=True)
    path.write_bytes(b"damaged")
    played = play_undisturbed_game("kabuki", min(RULES["kabuki"].players))
    RecoveryLog(path, played.header).write(played.entries[:5])
    table = RealTable(settings, build_runtime(settings, ManualClock(), silent=True))
    try:
        told = Sentence("shared.trouble.store_kept", (("file", "games.sqlite-damaged-1"),))
        assert told in table.games.warnings()
        with GameStore(path, RULES) as store:
            (game,) = store.list_games(None)
            assert game.entries == 5
    finally:
        table.host.close()
        table.games.close()


def test_a_machine_that_goes_off_in_the_middle_of_a_game_is_told_when_it_goes_on_and_by_doctor(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = Settings(storage=StorageSettings(folder=str(tmp_path)), camera=CameraSettings(kind="none"))
    path, note, boot = (
        settings.store_file(),
        settings.store_folder() / games.STARTS_NOTE,
        tmp_path / "boot_id",
    )
    monkeypatch.setattr(games, "BOOT_ID", str(boot).lstrip("/"))
    path.parent.mkdir(parents=True, exist_ok=True)
    played = play_undisturbed_game("kabuki", min(RULES["kabuki"].players))
    RecoveryLog(path, replace(played.header, kind="game")).write(played.entries[:5])

    def play_on(start: str, *, pulled: bool) -> bool:
        """Whether the table says that the power was gone."""
        boot.write_text(start, encoding="utf-8")
        table = RealTable(settings, build_runtime(settings, ManualClock(), silent=True))
        session = table.games.resume_game("1")
        kept = note.read_bytes()
        told = session.table_notice(table.host.clock.now()) == Sentence("shared.power_gone")
        table.host.close_session(session)
        table.host.close()
        table.games.close()
        assert not note.exists(), "who ends the program pulls no plug"
        if pulled:
            note.write_bytes(kept)
        return told

    def doctor() -> str:
        return power(Machine(environ={}, root=tmp_path), settings).what

    assert not play_on("first", pulled=True)
    assert not play_on("first", pulled=True), "the program alone went down"
    assert play_on("second", pulled=True)
    assert doctor() == "the power went off during the game (1 time)"
    assert play_on("third", pulled=False)
    assert "gone" not in doctor()
    assert not play_on("fourth", pulled=False)
