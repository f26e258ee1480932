"""The fold has a place for every event that the journal may hold."""

from __future__ import annotations

from typing import get_args

from companion.core.desk import DESK_EVENTS
from companion.games.kinapa.rules import evolve
from companion.games.kinapa.rules import parts as part


def test_every_event_is_folded_by_the_desk_or_by_one_part_of_the_game() -> None:
    known = set(get_args(part.AnyKinapaEvent))
    assert set(evolve._PARTS) | DESK_EVENTS == known


def test_no_event_belongs_to_two_parts() -> None:
    parts = (part.Count, part.Exchange, part.Demand, part.Object, part.Succession, part.Known, part.Said)
    kinds = [kind for one in parts for kind in get_args(one)]
    assert len(kinds) == len(set(kinds))
