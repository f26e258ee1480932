"""The fold has a place for every event that the journal may hold."""

from __future__ import annotations

from typing import get_args

from companion.core.game_status import STATUS_EVENTS
from companion.games.kinapa.rules import evolve, model


def test_every_event_is_folded_by_the_desk_or_by_one_part_of_the_game() -> None:
    known = set(get_args(model.AnyKinapaEvent))
    assert set(evolve._APPLY_BY_EVENT) | STATUS_EVENTS == known


def test_no_event_belongs_to_two_parts() -> None:
    parts = (
        model.CountEvent,
        model.ExchangeEvent,
        model.DemandEvent,
        model.RingEvent,
        model.SuccessionEvent,
        model.KnowledgeEvent,
        model.NoEffectEvent,
    )
    kinds = [kind for one in parts for kind in get_args(one)]
    assert len(kinds) == len(set(kinds))
