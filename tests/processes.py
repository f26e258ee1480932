"""Processes that a test starts: none outlives it, and a test that fails waits for none."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any


@contextmanager
def running(words: Sequence[str | Path], **how: Any) -> Iterator[subprocess.Popen[str]]:
    """A process as `subprocess.Popen` has it; what it would do after the test is cut off."""
    with subprocess.Popen(words, text=True, **how) as process:
        try:
            yield process
        finally:
            process.kill()


@contextmanager
def busy_cores(loops: int | None = None) -> Iterator[None]:
    """So many processes that do nothing but count; usually one for every core."""
    counting = [sys.executable, "-c", "while True: pass"]
    busy = [subprocess.Popen(counting) for _ in range(loops or os.cpu_count() or 1)]
    try:
        yield
    finally:
        for one in busy:
            one.kill()
            one.wait()
