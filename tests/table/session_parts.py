"""A session's loop brought to a moment."""

from __future__ import annotations

from typing import Any

from companion.core.actions import Micros
from tests.table.loop import Loop


def of(loop: Loop, *kinds: type) -> list[Any]:
    every = (event for entry in loop.journal.entries for event in entry.events)
    return [event for event in every if isinstance(event, kinds)]


def announced(loop: Loop, number: int = 7) -> Micros:
    """The Emperor announces; when it was said."""
    loop.begin()
    at = loop.clock.now()
    loop.say(0, "announce", number)
    return at


def turning() -> Loop:
    """Seat 0 is asked to turn an object; every place is looked at."""
    loop = Loop()
    loop.begin()
    loop.count(7, 1)
    loop.say(0, "no_pair")
    loop.say(0, "draw_from", 2)
    loop.say(0, "drawn")
    loop.say(0, "return")
    assert loop.state.phase == "turning"
    return loop
