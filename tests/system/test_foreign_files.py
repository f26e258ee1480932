"""A table whose files another user made, as sudo does: it starts, and the command that mends it is told."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from companion.camera.calibration_file import load_calibration
from companion.camera.task_runner import CameraTaskRunner
from companion.core.errors import CompanionError
from companion.language.voice.voice_pack import list_packs
from companion.programs.log_file import ProgramLog
from companion.referee.store_errors import explain_store_errors
from companion.system.disk_state import describe_disk_fault
from companion.system.file_owner import find_foreign_file

NOBODY = 65534
needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root makes files that are not ours")


def as_nobody(ask: Callable[[], str]) -> str:
    """What a user who is not root finds, in a process of their own."""
    told, tells = os.pipe()
    if (child := os.fork()) == 0:
        os.setgroups([])
        os.setgid(NOBODY)
        os.setuid(NOBODY)
        try:
            found = ask()
        except BaseException as trouble:  # noqa: BLE001 - the test reads it
            found = f"{type(trouble).__name__}: {trouble}"
        os.write(tells, found.encode())
        os._exit(0)
    os.close(tells)
    with os.fdopen(told, "rb") as pipe:
        found = pipe.read().decode()
    os.waitpid(child, 0)
    return found


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A table's, in which nobody plays."""
    for place in (tmp_path, *tmp_path.parents[:-1]):
        place.chmod(place.stat().st_mode | 0o011)
    table = tmp_path / "table"
    table.mkdir(mode=0o700)
    os.chown(table, NOBODY, NOBODY)
    return table


@needs_root
@pytest.mark.parametrize("name", ["games.sqlite", "calibration.json", "games.sqlite.lock"])
def test_a_file_of_root_s_is_named_with_the_command_that_gives_it_back(folder: Path, name: str) -> None:
    (folder / name).touch(mode=0o600)
    found = as_nobody(
        lambda: str(find_foreign_file(folder)) + "|" + str(describe_disk_fault(folder / "games"))
    )
    what = f"{folder / name} belongs to root"
    assert found == f"{what}|{what}: sudo chown -R nobody: {folder}"


@needs_root
def test_a_folder_that_may_not_be_entered_is_named_and_ends_no_program(folder: Path) -> None:
    """`Path.exists` raises there."""
    os.chown(folder, 0, 0)

    def ask() -> str:
        calibration = CameraTaskRunner(folder, say=lambda _: None).calibration
        return f"{calibration} {describe_disk_fault(folder / 'games.sqlite')}"

    assert as_nobody(ask) == f"None {folder} belongs to root: sudo chown -R nobody: {folder}"


@needs_root
def test_the_remedy_of_a_store_of_root_s_does_not_cost_its_games(folder: Path) -> None:
    store = folder / "games.sqlite"
    store.touch(mode=0o600)

    def ask() -> str:
        with explain_store_errors(str(store)):
            store.read_bytes()
        return ""

    told = as_nobody(ask)
    assert told == f"StoreUnusableError: {store} belongs to root; sudo chown -R nobody: {folder}."


@needs_root
def test_a_calibration_of_root_s_says_the_same(folder: Path) -> None:
    (folder / "calibration.json").touch(mode=0o600)
    told = as_nobody(lambda: str(load_calibration(folder)))
    assert told.startswith("InputError: ")
    assert f"sudo chown -R nobody: {folder}" in told


@needs_root
def test_a_log_begun_by_root_is_the_table_s(folder: Path) -> None:
    """As by `sudo companion play`: else no game could be kept afterwards, for one warning."""
    with ProgramLog() as logbook:
        logbook.folder = lambda: folder
        logbook.log_crash(ValueError("planted"))
    assert ((folder / "log").owner(), (folder / "log").stat().st_mode & 0o777) == ("nobody", 0o600)
    assert as_nobody(lambda: str(find_foreign_file(folder))) == "None"


def test_what_is_ours_is_nobody_else_s(tmp_path: Path) -> None:
    (tmp_path / "games.sqlite").touch()
    assert find_foreign_file(tmp_path) is None
    assert find_foreign_file(tmp_path / "not" / "there") is None
    with pytest.raises(CompanionError), explain_store_errors(str(tmp_path)):
        raise PermissionError(13, "Permission denied", str(tmp_path))


@needs_root
def test_voices_in_a_folder_that_may_not_be_entered_are_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "voices").mkdir()
    tmp_path.chmod(0o700)
    monkeypatch.setattr("companion.system.asset_paths.user_data_folder", lambda *_: tmp_path)
    assert as_nobody(lambda: str(list(list_packs("en", "")))) == "[]"
