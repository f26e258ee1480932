"""A table whose store was damaged says at home what became of it."""

from __future__ import annotations

from pathlib import Path

from companion.core.clock import ManualClock
from companion.core.view import Sentence
from companion.games import RULES
from companion.programs.build_app import build_runtime
from companion.programs.run_table import RealTable
from companion.referee.journal.recovery_log import RecoveryLog
from companion.referee.store import GameStore
from companion.settings.model import CameraSettings, Settings, StorageSettings
from companion.testing.playthroughs import play_undisturbed_game


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
