"""A game of Lantern that a number was announced in."""

from __future__ import annotations

from lantern.rules import (
    LanternState,
)

from companion.core.actions import SECOND
from companion.referee.referee import Referee
from tests.referee.lantern_play import (
    before_the_count,
    new,
)

LATER = 60 * SECOND


def announced() -> Referee[LanternState]:
    referee = new()
    for observation in before_the_count():
        referee.observe(observation)
    return referee
