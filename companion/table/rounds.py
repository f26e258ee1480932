"""The one loop: a round, then a wait, until somebody leaves."""

from collections.abc import Callable
from typing import Protocol


class Turning(Protocol):
    """What goes on in rounds."""

    @property
    def left(self) -> bool:
        """Whether somebody left it."""

    def turn(self) -> None:
        """One round: take input, act, draw."""

    def wait(self) -> None:
        """Until there is something to do."""


def rounds(one: Turning, *, over: Callable[[], bool] = bool) -> None:
    """Turn until somebody leaves or `over` says so; it is asked after every round."""
    while not one.left:
        one.turn()
        if over():
            return
        one.wait()
