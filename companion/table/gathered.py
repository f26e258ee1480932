"""What the table says while people gather: who is in, who got up, when it can begin."""

from __future__ import annotations

from collections.abc import Container

from companion.core.view import Sentence
from companion.ui.glass import Draft

READY, FREE = Sentence("setup.ready"), Sentence("setup.out")


def gathered(before: Draft, after: Draft, players: Container[int]) -> tuple[Sentence, ...]:
    """What changed from one draft to the next; `players`: how many the game is for."""
    told = []
    if after.game != before.game:
        told.append(Sentence(f"{after.game}.name"))
    fresh = {*after.chairs} - {*before.chairs} | {*after.here} & {*after.chairs} - {*before.here}
    told += [Sentence("setup.in", (("chair", chair),)) for chair in sorted(fresh)]
    told += [FREE for chair in before.chairs if chair not in after.chairs][:1]
    first = fresh and not before.here
    if len(after.chairs) in players and (first or len(before.chairs) not in players):
        told.append(READY)
    return tuple(told)


def read_out(words: str) -> Sentence:
    """What is written on the screen, for the voice."""
    return Sentence("spoken.read", (("words", words),))
