"""What every test may rely on: no display, no sound card, no pins, no network, nobody's own files."""

from __future__ import annotations

import gc
import os
import shutil
import socket
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

# Lantern is a wheel of its own: tests/test_games_outside.py installs it, all others import it from here.
sys.path.append(str(Path(__file__).parent / "lantern"))

# Its own tests run where it is installed.
collect_ignore = ["lantern"]

ROOT = Path(__file__).parent.parent
STORE = ("games.sqlite", "games.sqlite-shm")
MAY_OPEN = "companion/table/forgetting.py"
"""`companion forget`, which has the table's lock: no game runs in its process."""


def _leave_stores_to_sqlite(event: str, args: tuple[Any, ...]) -> None:
    """Nothing of ours opens a store but SQLite.

    Whoever closes a descriptor of it drops SQLite's locks in that process, and the next program that closes
    the store deletes the -wal under the running game. Tests may, and so may backups with copies on a stick.
    """
    if event != "open" or not isinstance(args[0], str | os.PathLike) or not str(args[0]).endswith(STORE):
        return
    frame = sys._getframe(1)  # whoever asked for it: library and core.strangers pass on what they are given
    while frame is not None:
        file = Path(frame.f_code.co_filename)
        name = file.relative_to(ROOT).as_posix() if file.is_relative_to(ROOT) else ""
        if name.startswith(("companion/", "tests/")) and name != "companion/core/strangers.py":
            break
        frame = frame.f_back  # type: ignore[assignment]
    else:
        return
    if name.startswith("companion/") and name != MAY_OPEN and "/table-companion/" not in str(args[0]):
        raise AssertionError(f"{name} opens {args[0]} without SQLite, which drops its locks")


sys.addaudithook(_leave_stores_to_sqlite)

# Before anything imports pygame or gpiozero: both read these once.
os.environ.update(
    SDL_VIDEODRIVER="dummy",
    SDL_AUDIODRIVER="dummy",
    PYGAME_HIDE_SUPPORT_PROMPT="1",
    GPIOZERO_PIN_FACTORY="mock",
    OPENBLAS_NUM_THREADS="1",
    OPENCV_FOR_THREADS_NUM="1",  # as many processes as there are cores run side by side
)

# Containers often forbid keeping what was compiled; here each of many processes would compile it all anew.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

# A failure in CI must be the same on the next run; at home chance may look further.
settings.register_profile("home", deadline=None, print_blob=True)
settings.register_profile("ci", deadline=None, derandomize=True, database=None, print_blob=True)
settings.load_profile("ci" if os.environ.get("CI") else "home")


def pytest_collection_finish() -> None:
    """What was collected stays to the end: nobody looks through it for garbage again and again."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(10_000, 20, 50)


@pytest.fixture(autouse=True)
def _own_folders(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Settings and games of whoever runs the tests are neither read nor written."""
    home = tmp_path_factory.getbasetemp() / "home"
    shutil.rmtree(home / "config", ignore_errors=True)  # what an earlier test chose on the screen
    for name in ("CONFIG", "DATA", "STATE", "CACHE"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(home / name.lower()))
    for name in (*os.environ,):
        if name.startswith("COMPANION_") or name in {"STATE_DIRECTORY", "CONFIGURATION_DIRECTORY"}:
            monkeypatch.delenv(name)


@pytest.fixture(autouse=True)
def _no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    """Reaching for another machine is a failure."""
    connect = socket.socket.connect

    def local_only(self: socket.socket, address: Any) -> None:
        if self.family != socket.AF_UNIX and address[0] != "127.0.0.1":
            raise AssertionError(f"A test reached for the network: {address}")
        connect(self, address)

    monkeypatch.setattr(socket.socket, "connect", local_only)


@pytest.fixture
def checkout() -> Path:
    """The folder of the checkout."""
    return Path(__file__).parent.parent
