"""The tables on which every game is tested."""

from __future__ import annotations

from collections.abc import Iterator

from lantern.rules import BACK, CARDS, LANTERN

from companion.games import RULES
from companion.testing import random_walks
from companion.testing.random_walks import GameCase
from tests.referee.lantern_play import SETUP


def cases(*, every: bool = False) -> Iterator[GameCase]:
    """Lantern, and every registered game with as few and as many chairs as it takes, or with any number."""
    yield GameCase(LANTERN, SETUP, (*CARDS, BACK))
    for name, rules in RULES.items():
        if name != LANTERN.name:
            yield from random_walks.make_cases(rules, every=every)
