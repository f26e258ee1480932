"""An event loop whose clock is moved, not slept: a day passes as fast as its work is done."""

from __future__ import annotations

import asyncio
import selectors
from collections.abc import Coroutine
from typing import Any


class _Moving(selectors.DefaultSelector):
    """Waits for nothing: where there is nothing to do, the clock jumps to when there is."""

    def __init__(self) -> None:
        super().__init__()
        self.at = 0.0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        found = super().select(0)
        if not found and timeout is not None:
            self.at += max(0.0, timeout)
        return found


class MovedLoop(asyncio.SelectorEventLoop):
    def __init__(self) -> None:
        self._moving = _Moving()
        super().__init__(self._moving)

    def time(self) -> float:
        return self._moving.at


def run_moved(main: Coroutine[Any, Any, Any]) -> Any:
    """Run it to its end on a moved clock that begins at 0 s."""
    with asyncio.Runner(loop_factory=MovedLoop) as runner:
        return runner.run(main)
