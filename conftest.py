"""What every test may rely on: no display, no sound card, no pins, no network, nobody's own files."""

from __future__ import annotations

import gc
import os
import shutil
import signal
import socket
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

from tests import outside_programs

# Lantern is a wheel of its own: tests/whole/test_games_outside.py installs it, all others import it from
# here; and Pebbles and Cups.
sys.path += [str(Path(__file__).parent / "tests" / folder) for folder in (".", "lantern")]

# Its own tests run where it is installed.
collect_ignore = ["tests/lantern"]

ROOT = Path(__file__).parent
STORE = ("games.sqlite", "games.sqlite-shm")
MAY_OPEN = ("companion/table/erase_name.py", "companion/referee/journal/copying.py")
"""`companion forget` has the table's lock, and what is copied here is another user's: neither plays."""
PASSED_ON = ("companion/system/safe_files.py", "companion/referee/name_search.py")
"""They open what they are given."""


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
        if name.startswith(("companion/", "club/", "tests/")) and name not in PASSED_ON:
            break
        frame = frame.f_back  # type: ignore[assignment]
    else:
        return
    ours = name.startswith(("companion/", "club/companion_club/")) and name not in MAY_OPEN
    if ours and "/table-companion/" not in str(args[0]):
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

# A shell's background job ignores Ctrl-C, and so would every process that a test starts and interrupts.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# A failure in CI must be the same on the next run; at home chance may look further.
settings.register_profile("home", deadline=None, print_blob=True)
settings.register_profile("ci", deadline=None, derandomize=True, database=None, print_blob=True)
settings.load_profile("ci" if os.environ.get("CI") else "home")


_running: pytest.Item | None = None
"""The test that is on, in which nothing is started that it does not say it needs."""


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """A test needs what its fixtures start, and is left out where that is not here."""
    for item in items:
        fixtures = getattr(item, "_fixtureinfo", None)
        for several in fixtures.name2fixturedefs.values() if fixtures is not None else ():
            for names in filter(None, (getattr(one.func, "starts", ()) for one in several)):
                item.add_marker(outside_programs.needs(*names))
        if outside_programs.MODE != "required" and (why := outside_programs.untested(needed_by(item))):
            item.add_marker(pytest.mark.skip(reason=why))


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    global _running  # noqa: PLW0603 (one test is on at a time in a process)
    _running = item
    try:
        return (yield)
    finally:
        _running = None


def pytest_runtest_setup(item: pytest.Item) -> None:
    if why := outside_programs.lacking(needed_by(item)):
        pytest.fail(why, pytrace=False)


def needed_by(item: pytest.Item) -> list[str]:
    """Names of the table of programs."""
    return list(dict.fromkeys(name for mark in item.iter_markers("needs") for name in mark.args))


def _look(event: str, about: tuple[Any, ...]) -> None:
    """What a test starts is in the table of programs, and the test says that it needs it."""
    if _running is None or event not in {"subprocess.Popen", "os.posix_spawn", "os.exec"}:
        return
    started = Path(os.fsdecode(about[0]))
    if shutil.which(started) is None:  # it may say that it is missing
        return
    name = outside_programs.COMMANDS.get(started.name)
    if name is not None and name not in needed_by(_running):
        raise AssertionError(f"{_running.nodeid} starts {started.name} and is not marked: @needs({name!r})")
    ours = started.is_absolute() and not any(map(started.is_relative_to, outside_programs.SYSTEM))
    if name is None and not ours and started.name not in outside_programs.EVERYWHERE:
        raise AssertionError(f"{_running.nodeid} starts {started}, which is not in tests/outside_programs.py")


sys.addaudithook(_look)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """One line: what this machine could not test, and what it lacks for that."""
    skipped = terminalreporter.stats.get("skipped", [])
    why = Counter(report.longrepr[2].removeprefix("Skipped: ") for report in skipped)
    if why:
        each = (f"{reason}: {count} tests" if count > 1 else reason for reason, count in why.items())
        terminalreporter.write_line(f"not tested here: {'; '.join(each)}")


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
    return ROOT
