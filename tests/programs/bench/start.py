"""Start to first frame, as processes: the first picture of `companion play` beside importing pygame.

Both are whole processes, from their start to the end of what they do; ours ends once its first frame was
flipped. Beside it: an interpreter that imports pygame alone, and one that also opens a window and flips it.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from typing import NamedTuple

from tests.programs.bench.figures import ROOT, Row, least, quiet_environment, rounds

NAME = "start"
FIGURE = "start to first frame (play)"
ROUNDS = 9
FIRST_FRAME = """
import os
from companion.__main__ import main
from companion.ui.toolkit.window import Window

flip = Window.flip

def shown(window):
    flip(window)
    os._exit(0)

Window.flip = shown
main(["play"])
"""
"""`companion play` until its first frame is shown, and no further; without a module of the tests."""
PYGAME = "import pygame"
WINDOW = """
import pygame
pygame.display.init(); pygame.font.init()
pygame.display.set_mode((1280, 720), pygame.RESIZABLE); pygame.display.flip()
"""
BASELINES = (
    ("importing pygame", PYGAME, "≤ 1.6 ×"),
    ("importing pygame and opening its window", WINDOW, ""),
)


def rows() -> Iterator[Row]:
    parts: dict[str, Callable[[], Spent]] = {"ours": lambda: spent(FIRST_FRAME)}
    for name, code, _ in BASELINES:
        parts[name] = lambda code=code: spent(code)  # type: ignore[misc]
    for measured in parts.values():
        measured()  # the files are in memory now, for all alike
    found = rounds(ROUNDS, parts)
    value = least(each.wall for each in found["ours"])
    for name, _, aim in BASELINES:
        beside = least(each.wall for each in found[name])
        ratio = value / beside
        worked = least(each.cpu for each in found["ours"]) / least(each.cpu for each in found[name])
        yield Row(
            figure=FIGURE,
            value=1000 * value,
            unit="ms",
            baseline=name,
            beside=1000 * beside,
            ratio=ratio,
            aim=aim,
            met=ratio <= 1.6 if aim else None,
            note=f"least of {ROUNDS} rounds by the clock; by processor time {worked:.2f} ×",
        )


class Spent(NamedTuple):
    """Seconds of one process."""

    wall: float
    cpu: float


def spent(code: str) -> Spent:
    """What one child process takes that runs this code."""
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    with tempfile.TemporaryDirectory(prefix="companion-bench-") as home:
        done = subprocess.run(
            [sys.executable, "-c", code],
            cwd=ROOT,
            env=quiet_environment(home),
            capture_output=True,
            text=True,
            check=False,
            timeout=60,  # a first frame that failed: the program goes on without one
        )
    wall, after = time.perf_counter() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        raise RuntimeError(done.stderr.strip() or f"{code} failed")
    return Spent(wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
