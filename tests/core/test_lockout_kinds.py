"""Switches and cables beyond what is promised: a sample of the bench's kinds, by the same judgement."""

from __future__ import annotations

import random

import pytest

from companion.core.switch import SWITCH_TIMING
from tests.programs.bench import lockout
from tests.programs.bench.switches import KINDS, Kind, judged, row

SAMPLE = 120
"""Of the bench's thousands: as many as tell the mechanism from the one before it."""


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_of_a_kind_beyond_the_promises_as_few_stops_go_wrong_as_are_wanted(kind: Kind) -> None:
    found = tuple(judged(kind, range(SAMPLE)))
    told = row(kind, found)
    most = kind.most_lost if kind.most_lost is not None else kind.most_wrong
    assert told.value is not None
    assert most is not None
    assert told.value <= max(1, most * SAMPLE // kind.pairs), told.note
    asked = sum(each.winner is None for each in found)
    assert asked <= max(1, round(2 * kind.loses * SAMPLE)), (
        "where an edge was lost, nobody knows who was first"
    )


def test_pairs_within_the_promises_are_neither_wrong_nor_lost_nor_equal_while_levels_are_read() -> None:
    for seed in range(SAMPLE):
        one, other = lockout.pair(random.Random(seed))
        found = lockout.ours(one, other, SWITCH_TIMING.delivery, random.Random(seed))
        assert found == lockout.Found(0), seed
