"""What goes wrong with a game is told twice: with line and key on a terminal, without them at the table."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from companion.core.errors import CompanionError
from companion.core.view import Sentence
from companion.referee.journal import JournalError
from companion.referee.store_errors import explain_store_errors
from companion.system.safe_files import stat_regular_file
from tests.referee.test_store_trouble import without_room_for_its_shm


@pytest.mark.parametrize(
    ("key", "on_screen"),
    [("newer", "newer"), ("unknown_game", "newer"), ("damaged", "damaged"), ("foreign", "damaged")],
)
def test_a_journal_that_cannot_be_read_is_told_at_the_table_without_its_key(key: str, on_screen: str) -> None:
    with pytest.raises(CompanionError) as caught, explain_store_errors("game 5"):
        raise JournalError(key, "format 7", line=1, where="$.format")
    assert "$.format" in str(caught.value)
    assert caught.value.screen_sentence() == Sentence(f"shared.trouble.{on_screen}")


def test_a_full_disk_is_no_reason_to_move_the_store_away() -> None:
    with pytest.raises(CompanionError) as caught, explain_store_errors("games.sqlite"):
        raise without_room_for_its_shm()
    assert str(caught.value) == "games.sqlite can't be written (disk I/O error); make room on its disk."


def test_a_folder_in_the_place_of_a_store_has_to_go(tmp_path: Path) -> None:
    with pytest.raises(CompanionError) as caught, explain_store_errors("games.sqlite"):
        stat_regular_file(tmp_path)
    assert str(caught.value) == f"can't use {tmp_path} (it is a folder, not a file); move it away."


@pytest.mark.parametrize(
    ("number", "fix"), [(errno.ENOSPC, "make room"), (errno.EDQUOT, "make room"), (errno.EFBIG, "ulimit -f")]
)
def test_where_there_is_no_room_the_place_is_named_and_not_its_permissions(number: int, fix: str) -> None:
    with pytest.raises(CompanionError) as caught, explain_store_errors("games.sqlite"):
        raise OSError(number, os.strerror(number), "/tmp/copy")
    assert str(caught.value).startswith(f"/tmp/copy can't be written ({os.strerror(number)}); ")
    assert fix in str(caught.value)
