"""Runs the body of a main loop until it asks to end."""

from collections.abc import Callable
from typing import Protocol


class LoopBody(Protocol):
    """What goes on in rounds."""

    @property
    def quit_requested(self) -> bool:
        """Whether somebody left it."""

    def run_once(self) -> None:
        """One round: take input, act, draw."""

    def wait(self) -> None:
        """Until there is something to do."""


def run_loop(one: LoopBody, *, over: Callable[[], bool] = bool) -> None:
    """Turn until somebody leaves or `over` says so; it is asked after every round."""
    while not one.quit_requested:
        one.run_once()
        if over():
            return
        one.wait()
