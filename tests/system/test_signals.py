"""A signal ends the program, whatever its loop is at."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from companion.system import signals
from companion.system.signals import SignalHandler, stop_on_signals
from tests.processes import running

BUSY = """
import sys
from companion.__main__ import main
from companion.system import signals
from companion.table.app import App
signals.MAX_BUSY_TIME = 0.1
def busy(app):
    print("busy", flush=True)
    while True:
        pass
App.run = busy
sys.exit(main(sys.argv[1:]))
"""
HANGING = """
import sys
from threading import Event
from companion.__main__ import main
from companion.programs import drill
from companion.system import signals
from hardware.simulated_panel import FingerThread
signals.MAX_BUSY_TIME = 0.1
def running(practice, *_, **__):
    print("running", flush=True)
    while not practice.quit_requested:
        practice.run_once()
drill.run_loop = running
FingerThread.close = lambda _: Event().wait(20)
sys.exit(main(sys.argv[1:]))
"""


def test_a_drill_keeps_nothing_so_a_signal_does_not_wait_for_what_is_closed(tmp_path: Path) -> None:
    words = ["--set", f"storage.folder={tmp_path}", "drill", "--simulate"]
    with running([sys.executable, "-c", HANGING, *words], stdout=subprocess.PIPE) as child:
        assert child.stdout is not None
        assert any(line == "running\n" for line in child.stdout)
        child.send_signal(signal.SIGTERM)
        child.communicate(timeout=120)
    assert child.returncode == -signal.SIGTERM


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_a_loop_that_is_too_busy_to_notice(tmp_path: Path, number: signal.Signals) -> None:
    words = ["--set", f"storage.folder={tmp_path}", "--set", "camera.kind=none", "play"]
    how = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with running([sys.executable, "-c", BUSY, *words], **how) as child:
        assert child.stdout is not None
        assert any(line == "busy\n" for line in child.stdout)
        child.send_signal(number)
        child.communicate(timeout=120)
    assert child.returncode == -number


@pytest.fixture
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """However late the test gets its turn, what would end the process from outside waits for it."""
    monkeypatch.setattr(signals, "MAX_BUSY_TIME", 3600.0)


@pytest.mark.usefixtures("patient")
def test_a_loop_that_noticed_a_signal_may_take_its_time_to_close(monkeypatch: pytest.MonkeyPatch) -> None:
    killed: list[int] = []
    monkeypatch.setattr(os, "kill", lambda _, number: killed.append(number))
    stopped: list[None] = []
    signals = SignalHandler(lambda: stopped.append(None))
    before = signal.getsignal(signal.SIGTERM)
    try:
        signals.handle_signal(signal.SIGTERM, None)
    finally:
        signal.signal(signal.SIGTERM, before)
    (timer,) = signals._unnoticed
    signals.cancel_forced_exit()
    timer.join()
    assert (len(stopped), killed) == (1, [])
    assert signals.came == [signal.SIGTERM]


@pytest.mark.usefixtures("patient")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_signal_that_is_noticed_is_heard_once_and_what_was_before_is_so_again(
    number: signal.Signals,
) -> None:
    ours = signal.signal(number, signal.default_int_handler)  # what ran the tests may have it ignored
    try:
        with stop_on_signals(bool) as signals:
            os.kill(os.getpid(), number)
            assert signals.came == [number]
        assert signal.getsignal(number) is signal.default_int_handler
    finally:
        signal.signal(number, ours)


def test_under_nohup_a_closed_terminal_stops_nothing() -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with stop_on_signals(bool) as signals:
            os.kill(os.getpid(), signal.SIGHUP)
        assert signals.came == []
    finally:
        signal.signal(signal.SIGHUP, before)
