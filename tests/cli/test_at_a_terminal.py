"""What people meet on the terminal: no screen, a signal, a reader who has gone, a long wait."""

from __future__ import annotations

import io
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager, suppress
from pathlib import Path

import pytest

from tests.cli.command_line import Command
from tests.processes import running

CAUGHT = 1 << (signal.SIGTERM - 1)


class Terminal(io.StringIO):
    """Where somebody watches."""

    def isatty(self) -> bool:
        return True


def started(*words: str, screen: str = "offscreen") -> AbstractContextManager[subprocess.Popen[str]]:
    return running(
        [sys.executable, "-m", "companion", *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "SDL_VIDEODRIVER": screen},
    )


def until(child: subprocess.Popen[str], ready: Callable[[], bool]) -> None:
    """Wait for something that a process does, or for its end."""
    for _ in range(1200):
        if child.poll() is not None or ready():
            return
        with suppress(subprocess.TimeoutExpired):
            child.wait(timeout=0.1)
    raise AssertionError("it neither got there nor ended")


def hears_signals(child: subprocess.Popen[str]) -> bool:
    """Whether the process has an answer of its own to SIGTERM."""
    status = Path(f"/proc/{child.pid}/status").read_text(encoding="ascii")
    caught = next(line.split()[1] for line in status.splitlines() if line.startswith("SigCgt"))
    return bool(int(caught, 16) & CAUGHT)


@pytest.mark.parametrize(
    "words",
    [("enrol", "kinapa", "--simulate"), ("calibrate", "--simulate"), ("drill",), ("practice", "dnup")],
)
def test_what_needs_a_screen_says_so_where_there_is_none(companion: Command, words: tuple[str, ...]) -> None:
    said = companion(*words)
    assert said.code == 2
    assert said.err.startswith(f"companion: companion {words[0]} needs a screen")
    assert said.err.count("\n") == 1


def test_what_can_be_done_without_a_screen_is_named_where_there_is_none(companion: Command) -> None:
    assert companion("calibrate", "--simulate").err.endswith("or use companion calibrate --once.\n")
    assert companion("enrol", "kinapa", "--simulate").err.endswith("or use companion enrol --from DIR.\n")


@pytest.mark.slow
@pytest.mark.parametrize("words", [("practice", "kobayakawa"), ("drill",)])
def test_sigterm_ends_what_is_on_the_screen_in_order(words: tuple[str, ...], tmp_path: Path) -> None:
    with started("--set", f"storage.folder={tmp_path}", *words) as child:
        until(child, lambda: hears_signals(child))
        child.terminate()
        _, err = child.communicate(timeout=120)
    assert (child.returncode, "Traceback" in err) == (0, False)


@pytest.mark.slow
def test_sigterm_ends_watching_without_a_screen_in_order(tmp_path: Path) -> None:
    words = ("--set", f"storage.folder={tmp_path}", "watch", "kinapa", "--simulate")
    with started(*words, screen="dummy") as child:
        assert child.stdout is not None
        assert child.stdout.readline()
        child.terminate()
        out, err = child.communicate(timeout=120)
    assert (child.returncode, "Traceback" in err) == (0, False), err
    assert not out or "pictures" in out.splitlines()[-1]


@pytest.mark.slow
def test_a_recording_goes_on_when_nobody_reads_what_is_told(tmp_path: Path) -> None:
    screens = tmp_path / "kept" / "screens"
    words = ("demo", "kobayakawa", "--fast", "--seed", "3", "--record", str(tmp_path / "kept"))
    with started(*words, screen="dummy") as child:
        assert child.stdout is not None
        assert child.stdout.readline()
        child.stdout.close()
        until(child, lambda: screens.is_dir() and len(list(screens.iterdir())) > 1)
        child.terminate()
        assert child.stderr is not None
        err = child.stderr.read()
        child.wait(timeout=120)
    assert (child.returncode, "Traceback" in err) == (0, False), err
    assert len(list(screens.iterdir())) > 1


@pytest.mark.parametrize("closed", ["0<&-", ">&-", "2>&-", "0<&- >&- 2>&-"])
def test_an_output_that_the_shell_closed_breaks_nothing(closed: str, tmp_path: Path) -> None:
    shell = ["sh", "-c", f'exec "$0" "$@" {closed}', sys.executable, "-m", "companion"]
    done = subprocess.run(
        [*shell, "--set", f"storage.folder={tmp_path}", "games"], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_a_simulated_table_is_calibrated_and_nothing_of_it_is_kept(
    companion: Command, tmp_path: Path
) -> None:
    said = companion("calibrate", "--simulate", "--once")
    assert said.code == 0, said.err
    assert "nothing was saved" in said.out
    assert said.out.startswith("Found 24 places")
    assert not [path for path in (tmp_path / "games").rglob("*") if path.is_file()]
