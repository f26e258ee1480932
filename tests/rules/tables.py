"""The tables on which every game is tested."""

from __future__ import annotations

from collections.abc import Iterator

from lantern.rules import BACK, CARDS, LANTERN
from lantern_play import SETUP

from companion.games import RULES
from companion.testing import walks
from companion.testing.walks import Case


def cases(*, every: bool = False) -> Iterator[Case]:
    """Lantern, and every registered game with as few and as many chairs as it takes, or with any number."""
    yield Case(LANTERN, SETUP, (*CARDS, BACK))
    for name, rules in RULES.items():
        if name != LANTERN.name:
            yield from walks.cases(rules, every=every)
