"""A table's disk is full: the uplink names the file, ends, and everything is told once there is room."""

from __future__ import annotations

import signal
import sqlite3
import subprocess
from pathlib import Path

import pytest

from club.tests.uplink.club_tables import ClubListener, told_all
from companion.home.uplink_file import UPLINK_FILE
from companion.network import uplink_messages as door
from companion_club.uplink.outbox import UplinkOutbox
from tests.home.played import BEGAN, played
from tests.home.uplinked_tables import LONGEST_S, Command, Table

FULL = 'ulimit -f "$0"; exec "$@"'
"""No file grows beyond so many blocks of 512 bytes, the log's neither."""


@pytest.mark.slow
@pytest.mark.parametrize("blocks", [0, 8, 32, 64, 96])
def test_wherever_the_disk_is_full_the_file_is_named_and_nothing_is_lost(
    table: Table,
    listener: ClubListener,
    blocks: int,
) -> None:
    for seed in range(12):
        played(table.path, seed=seed)
    command = Command(table, "sh", "-c", FULL, str(blocks), stderr=subprocess.STDOUT)
    said, _ = command.process.communicate(timeout=LONGEST_S)
    assert command.process.returncode == 1
    assert f"can't keep what was sent in {table.settings.store_folder() / UPLINK_FILE} (" in said
    command = Command(table)
    listener.until(told_all(12))
    command.end(signal.SIGTERM)


def test_an_outbox_that_cannot_be_written_ends_in_a_sentence_and_loses_nothing(
    table: Table,
    listener: ClubListener,
) -> None:
    played(table.path)
    file = table.settings.store_folder() / UPLINK_FILE
    file.mkdir()
    command = Command(table, stderr=subprocess.STDOUT)
    said, _ = command.process.communicate(timeout=LONGEST_S)
    assert command.process.returncode == 1
    assert "can't keep what was sent" in said
    file.rmdir()
    command = Command(table)
    listener.until(told_all(1))
    command.end(signal.SIGTERM)


def test_a_disk_that_is_full_in_the_middle_loses_nothing(tmp_path: Path) -> None:
    outbox = UplinkOutbox(tmp_path / UPLINK_FILE)
    outbox._file.execute("PRAGMA max_page_count = 12")
    seen: list[str] = []

    def fill() -> None:
        while True:
            outbox.update_game(
                "5" * 32, door.StoredGameHead(len(seen) + 1, f"{len(seen):032x}", 3, True, BEGAN)
            )
            seen.append("")

    with pytest.raises(sqlite3.OperationalError, match="full"):
        fill()
    outbox.close()
    outbox = UplinkOutbox(tmp_path / UPLINK_FILE)
    assert outbox.unsent_count() == len(seen)
    outbox.close()
