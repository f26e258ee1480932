"""Switches and cables worse than the README promises anything for: what becomes of a Stop by them.

Each kind is a pair of calls at least 1 ms apart, as in `lockout`, by two buttons of that kind; their edges
come up to 16 ms late. Wrong is a Stop that is given to the later one without being told equal, or to nobody;
lost is a press of which nothing is ruled.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from companion.core.actions import Micros
from companion.core.switch import SWITCH_TIMING
from tests.programs.bench import lockout as pairs
from tests.programs.bench.figures import Row
from tests.programs.bench.lockout import CALLING, MS, Found, Levels, Line


class Contact(NamedTuple):
    """What a contact does when it changes; all in microseconds, from least to most."""

    lasts: tuple[Micros, Micros]
    open_for: tuple[Micros, Micros]
    closed_for: tuple[Micros, Micros]
    clean: float = 0.0
    """The share of changes in which it does nothing of the kind."""

    def changes(self, at: Micros, chance: random.Random, *, level: bool) -> Levels:
        """Its edges, from `at` on, until it stays at `level`."""
        edges, moment = [(at, level)], at
        until = at + (0 if chance.random() < self.clean else chance.randint(*self.lasts))
        while True:
            opens = moment + chance.randint(*self.closed_for)
            moment = opens + chance.randint(*self.open_for)
            if moment > until:
                return tuple(edges)
            edges += [(opens, not level), (moment, level)]


class Kind(NamedTuple):
    """A kind of button, and what is wanted of it."""

    name: str
    contact: Contact
    pairs: int
    loses: float = 0.0
    """The share of edges that never arrive."""
    most_wrong: int | None = None
    most_lost: int | None = None


HALF_OPEN = Contact(lasts=(8 * MS, 8 * MS), open_for=(150, 900), closed_for=(150, 900))
MOSTLY_OPEN = Contact(lasts=(4 * MS, 10 * MS), open_for=(300, 1_500), closed_for=(60, 300))
USUAL = Contact(lasts=(0, 10 * MS), open_for=(40, 140), closed_for=(150, 1_200), clean=0.5)
"""Clean, or it opens for moments: what the README promises something for."""
KINDS = (
    Kind("open half of the time for 8 ms", HALF_OPEN, pairs=5_000, most_wrong=15),
    Kind("mostly open at first", MOSTLY_OPEN, pairs=5_000, most_wrong=72),
    Kind("15 % of all edges lost", USUAL, pairs=4_000, loses=0.15, most_lost=95),
)


def rows() -> Iterator[Row]:
    """Every kind, beside what is wanted of it."""
    for kind in KINDS:
        yield row(kind, tuple(judged(kind, range(kind.pairs))))


def judged(kind: Kind, seeds: Sequence[int]) -> Iterator[Found]:
    """What came of the pairs with these seeds."""
    for seed in seeds:
        one, other = pair(kind, random.Random(f"{kind.name} {seed}"))
        yield pairs.ours(one, other, SWITCH_TIMING.delivery, random.Random(seed))


def pair(kind: Kind, chance: random.Random) -> tuple[Line, Line]:
    """Two calls 1 to 8 ms apart, the earlier first."""
    start = CALLING + chance.randint(0, 100 * MS)
    gap = chance.randint(MS, 8 * MS)
    return line(kind, start, chance), line(kind, start + gap, chance)


def line(kind: Kind, press: Micros, chance: random.Random) -> Line:
    """One call of 40 to 250 ms."""
    down = kind.contact.changes(press, chance, level=True)
    held = max(press + chance.randint(40 * MS, 250 * MS), down[-1][0] + 5 * MS)
    up = kind.contact.changes(held, chance, level=False)
    edges = (*down, *up)
    lost = frozenset(place for place in range(len(edges)) if chance.random() < kind.loses)
    return Line(edges, lost, press)


def row(kind: Kind, found: Sequence[Found]) -> Row:
    """Wrong pairs, or lost presses where those are what is counted."""
    wrong = sum(each.winner != 0 and not each.equal for each in found)
    lost = sum(2 - each.presses for each in found if each.presses < 2)
    twice = sum(each.presses > 2 for each in found)
    equal = sum(each.equal for each in found)
    by_loss = kind.most_lost is not None
    most = kind.most_lost if by_loss else kind.most_wrong
    assert most is not None
    value = lost if by_loss else wrong
    told = f"{lost:,} presses lost, {twice:,} seen twice, {wrong:,} Stops wrong, {equal:,} told equal"
    return Row(
        figure=f"{'lost presses' if by_loss else 'wrong Stops'} in {len(found):,} pairs: {kind.name}",
        value=value,
        unit="presses" if by_loss else "pairs",
        aim=f"≤ {most}",
        met=value <= most,
        note=f"{kind.name}: {told}",
    )
