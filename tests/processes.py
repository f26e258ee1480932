"""Processes that a test starts: none outlives it, and a test that fails waits for none."""

from __future__ import annotations

import subprocess
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
