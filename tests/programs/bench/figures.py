"""What every figure of the bench is made of, and how two things are timed beside each other."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TypeVar

from msgspec import Struct

from tests.outside_programs import lacking

T = TypeVar("T")
ROOT = Path(__file__).parents[3]


class Row(Struct, frozen=True, kw_only=True):
    """One line of the table."""

    figure: str
    value: float | None
    """None: it could not be measured; `note` says why."""
    unit: str
    baseline: str = ""
    beside: float | None = None
    """The baseline, measured in the same run."""
    ratio: float | None = None
    """Value to baseline, both the least of their rounds."""
    aim: str = ""
    met: bool | None = None
    note: str = ""


def missing(figure: str, unit: str, why: str, *, baseline: str = "", aim: str = "") -> Row:
    """A row for what could not be measured here."""
    return Row(figure=figure, value=None, unit=unit, baseline=baseline, aim=aim, note=why)


def no_browser() -> str:
    """What is missing to drive one; empty: nothing."""
    return lacking(["chromium"]) or ("" if find_spec("playwright") else "no playwright here: make browser")


def rounds(count: int, parts: Mapping[str, Callable[[], T]]) -> dict[str, list[T]]:
    """Every part once per round, in turn, so that whatever slows the machine slows all of them."""
    found: dict[str, list[T]] = {name: [] for name in parts}
    for _ in range(count):
        for name, measured in parts.items():
            found[name].append(measured())
    return found


def least(times: Iterable[float]) -> float:
    """The least disturbed of the rounds: on a busy machine everything else is somebody else's work."""
    return min(times)


def cpu_us(block: Callable[[], object]) -> float:
    """Processor time of a block in microseconds: what others do on this machine is not counted."""
    before = time.process_time_ns()
    block()
    return (time.process_time_ns() - before) / 1000


def quiet_environment(home: str) -> dict[str, str]:
    """An environment for a child process: no display, no sound card, nobody's settings, no greeting."""
    return {
        **os.environ,
        **dict.fromkeys(("HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME"), home),
        "SDL_VIDEODRIVER": "dummy",
        "SDL_AUDIODRIVER": "dummy",
        "PYGAME_HIDE_SUPPORT_PROMPT": "1",
    }


def child(module: str, *args: str) -> dict[str, Any]:
    """Run a module of the bench in a process of its own; what it prints last is its answer."""
    with tempfile.TemporaryDirectory(prefix="companion-bench-") as home:
        done = subprocess.run(
            [sys.executable, "-m", module, *args],
            cwd=ROOT,
            env=quiet_environment(home),
            capture_output=True,
            text=True,
            check=False,
        )
    if done.returncode:
        last = done.stderr.strip().splitlines()[-1:] or ["no reason given"]
        raise RuntimeError(f"{module} {' '.join(args)}: {last[0]}")
    answer: dict[str, Any] = json.loads(done.stdout.strip().splitlines()[-1])
    return answer
