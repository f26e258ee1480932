"""A reading that is not likely enough is asked for, and one that accuses has to be surer."""

from __future__ import annotations

import random
from functools import cache
from typing import Any

import pytest
from msgspec.structs import replace

from companion.core.actions import Setup
from companion.core.events import Infraction
from companion.core.observations import ButtonPressed, RegionReading, SeenCard, TableSeen
from companion.games import RULES, games_with_mat
from companion.referee.reading_threshold import (
    MIN_INFRACTION_PROBABILITY,
    MIN_LEGAL_PROBABILITY,
    UNREAD_CARD,
    discard_doubtful,
    reading_probability,
)
from companion.referee.referee import Referee
from companion.simulation.game_simulation import GameSimulation, random_styles
from companion.vision.acceptance import DEFAULT_CURVE

Moment = tuple[Any, TableSeen, bool]
"""A state, what was seen then, and whether that broke a rule."""

READ = [game for game in games_with_mat() if RULES[game].reads_cards]


@cache
def moments(game: str) -> tuple[Moment, ...]:
    """What the camera sees in some games of people who make mistakes and cheat now and then."""
    rules, found = RULES[game], []
    for seed in range(4):
        chairs = tuple(range(rules.players[-1]))[:4]
        setup = Setup(chairs, rules.options())
        simulation = GameSimulation(
            rules, setup, seed=seed, styles=random_styles(len(chairs), random.Random(seed))
        )
        referee: Referee[Any] = simulation.referee
        for _ in simulation.run_entries():
            entry = referee.journal.entries[-1]
            if isinstance(entry.cause, TableSeen):
                accuses = any(isinstance(event, Infraction) for event in entry.events)
                found.append((referee.state_before(entry.seq), entry.cause, accuses))
            if entry.seq > 400:
                break
    return tuple(found)


def at(seen: TableSeen, confidence: float) -> TableSeen:
    """The same, read with this chance."""
    regions = [
        replace(region, faces=tuple([replace(face, confidence=confidence) for face in region.faces]))
        for region in seen.regions
    ]
    return replace(seen, regions=tuple(regions))


def faced(seen: TableSeen) -> bool:
    return reading_probability(seen) is not None


@pytest.mark.parametrize("game", READ)
def test_what_fits_is_ruled_on_from_nine_in_ten_and_asked_for_below(game: str) -> None:
    rules = RULES[game]
    lawful = [(state, seen) for state, seen, accuses in moments(game) if not accuses and faced(seen)]
    assert lawful
    for state, seen in lawful:
        unlikely = discard_doubtful(rules, state, at(seen, MIN_LEGAL_PROBABILITY - 0.01))
        assert any(region.faces == (UNREAD_CARD,) for region in unlikely.regions)
        assert discard_doubtful(rules, state, at(seen, MIN_INFRACTION_PROBABILITY)) == at(
            seen, MIN_INFRACTION_PROBABILITY
        )
    kept = sum(
        discard_doubtful(rules, state, at(seen, MIN_LEGAL_PROBABILITY)) == at(seen, MIN_LEGAL_PROBABILITY)
        for state, seen in lawful
    )
    assert kept > 0.9 * len(lawful)


def test_whoever_is_accused_is_accused_by_a_sure_reading() -> None:
    rules = RULES["kinapa"]
    broken = [(state, seen) for state, seen, accuses in moments("kinapa") if accuses and faced(seen)]
    assert broken
    asked = [
        discard_doubtful(rules, state, at(seen, MIN_INFRACTION_PROBABILITY - 0.01))
        != at(seen, MIN_INFRACTION_PROBABILITY - 0.01)
        for state, seen in broken
    ]
    assert sum(asked) > len(asked) / 2
    assert all(
        discard_doubtful(rules, state, at(seen, MIN_INFRACTION_PROBABILITY))
        == at(seen, MIN_INFRACTION_PROBABILITY)
        for state, seen in broken
    )


@pytest.mark.parametrize("game", READ)
def test_what_lies_hidden_decides_nothing(game: str) -> None:
    rules = RULES[game]
    for state, seen, _ in moments(game):
        doubtful = at(seen, 0.95)
        assert discard_doubtful(rules, state, doubtful) == discard_doubtful(
            rules, rules.redact(state), doubtful
        )


def test_only_the_place_that_is_in_doubt_is_asked_for() -> None:
    rules = RULES["kinapa"]
    state = rules.initial_state(Setup((0, 1, 2, 3), rules.options()))
    sure = RegionReading("slot:1", (SeenCard("object:1-2", 0, 0.99),), 0, 0)
    unsure = RegionReading("slot:2", (SeenCard("object:3-4", 0, 0.5),), 0, 0)
    back = RegionReading("slot:3", (SeenCard("back:blue", 0, 0.2),), 0, 0)
    told = discard_doubtful(rules, state, TableSeen(at=0, regions=(sure, unsure, back)))
    assert told.regions == (sure, replace(unsure, faces=(UNREAD_CARD,)), back)


def test_what_the_recogniser_believes_may_be_ruled_on_and_only_what_is_surer_accuses() -> None:
    assert (
        MIN_LEGAL_PROBABILITY
        < DEFAULT_CURVE.chances[-1]
        < MIN_INFRACTION_PROBABILITY
        < DEFAULT_CURVE.chances[0]
    )


def test_the_chance_of_a_reading_is_that_of_its_least_certain_face() -> None:
    faces = (SeenCard("animal:1", 0, 0.98), SeenCard("shelter:1", 0, 0.93), SeenCard("back:blue", 0, 0.1))
    assert reading_probability(TableSeen(at=0, regions=(RegionReading("slot:1", faces, 0, 0),))) == 0.93
    assert reading_probability(TableSeen(at=0, regions=(RegionReading("slot:1", (), 0, 0),))) is None
    assert reading_probability(ButtonPressed(at=0, chair=0, button="seat", source="key")) is None
