"""One command in a folder of its own: started, followed line by line, ended, and judged."""

from __future__ import annotations

import os
import shlex
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Thread
from typing import NamedTuple

from tests.programs.live.shelf import room_for
from tests.programs.live.tries import Try

PROGRAM = Path(sys.executable).with_name("companion")
LEAVES = 2.0
"""Seconds in which a program ends that is told to, on a machine with nothing else to do."""
SPIN = 0.5
"""Seconds of processor time that are measured."""
TOLD_TO = (0, -signal.SIGTERM, 128 + signal.SIGTERM)
"""How a program may end that is told to."""
DRAWN = {True: "offscreen", False: "dummy"}
"""SDL's driver where somebody is at the glass, and where nobody is: the demo then prints its rulings."""


class Ended(NamedTuple):
    """What came of a try."""

    one: Try
    trouble: str
    """Empty: it did what it should."""
    seconds: float
    lines: tuple[str, ...]


class Followed:
    """A running program and what it prints, as it comes."""

    def __init__(self, words: list[str], folder: Path, env: Mapping[str, str], *, leaves: float) -> None:
        self.leaves = leaves
        """Seconds in which it ends when it is told to."""
        self.lines: list[str] = []
        self._new: SimpleQueue[str | None] = SimpleQueue()
        self._child = subprocess.Popen(
            words,
            cwd=folder,
            env=dict(env),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            start_new_session=True,  # a group of its own, which is ended as a whole
        )
        Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        assert self._child.stdout is not None
        with self._child.stdout as printed:
            for line in printed:
                self._new.put(line.rstrip("\n"))
        self._new.put(None)

    def line(self, seconds: float) -> str | None:
        """The next line; None at the end of the output, `Empty` when none comes in time."""
        line = self._new.get(timeout=max(0.0, seconds))
        if line is not None:
            self.lines.append(line)
        return line

    def code(self) -> int:
        """How it ended by itself, once its output is at an end."""
        return self._child.wait(timeout=self.leaves)

    def stop(self) -> int | None:
        """Tell it to end; None when it does not."""
        self._child.send_signal(signal.SIGTERM)
        try:
            return self._child.wait(timeout=self.leaves)
        except subprocess.TimeoutExpired:
            return None
        finally:
            self.kill()

    def kill(self) -> None:
        """Be sure that nothing is left of it."""
        with suppress(ProcessLookupError):
            os.killpg(self._child.pid, signal.SIGKILL)
        self._child.wait()
        with suppress(Empty):
            while self.line(0.5) is not None:
                pass


def lateness() -> float:
    """How much longer anything takes here than its processor time: 1 on a machine with nothing else to do."""
    began, spent = time.monotonic(), time.process_time()
    while time.process_time() - spent < SPIN:
        pass
    return max(1.0, (time.monotonic() - began) / SPIN)


def run(one: Try, number: int, template: Path, *, late: float) -> Ended:
    """Try it in a copy of what is laid out; `late` is how much longer this machine takes than a quiet one."""
    folder = template.with_name(f"{number:03d}")
    shutil.copytree(template, folder)
    if one.new:
        (folder / one.new).unlink(missing_ok=True)
    env = {**room_for(folder), "SDL_VIDEODRIVER": DRAWN[one.person]}
    _, *words = shlex.split(one.line)
    start = (
        [sys.executable, "-m", "tests.programs.live.person", str(number), "companion"]
        if one.person
        else [str(PROGRAM)]
    )
    began = time.monotonic()
    child = Followed([*start, *words], folder, env, leaves=LEAVES * late)
    trouble = judged(one._replace(patience=one.patience * late), child)
    return Ended(one, trouble, time.monotonic() - began, tuple(child.lines))


def judged(one: Try, child: Followed) -> str:
    """What is wrong with a program, once it has ended and nothing is left of it; empty: nothing."""
    try:
        trouble = _follow(one, child)
    finally:
        child.kill()
    if any("Traceback" in line for line in child.lines):
        return f"a traceback; {trouble}".rstrip("; ")
    return trouble


def _follow(one: Try, child: Followed) -> str:
    """Until it has reached what it should, or ended, or got stuck; what is wrong with it."""
    reached, began = 0, time.monotonic()
    until = began + (one.stays or one.patience)
    while True:
        try:
            line = child.line(until - time.monotonic())
        except Empty:
            break
        if line is None:
            code = child.code()
            if one.goal is not None and reached < one.count:
                return f"ended with code {code} after {reached} of {one.count}"
            return "" if code in one.codes else f"ended with code {code}"
        if one.goal is not None and one.goal.search(line):
            reached, until = reached + 1, time.monotonic() + one.patience
            if reached >= one.count:
                break
    if one.goal is not None and reached < one.count:
        return f"stuck at {reached} of {one.count}: nothing for {one.patience:.0f} s"
    if one.goal is None and not one.stays:
        return f"not at its end after {one.patience:.0f} s"
    ended = child.stop()
    if ended is None:
        return f"does not end within {child.leaves:.0f} s of SIGTERM"
    return "" if ended in TOLD_TO else f"ended with code {ended} when told to"
