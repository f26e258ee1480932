"""The time line of a game that is over: what stands on it, and that a running game has none."""

from __future__ import annotations

import random
from functools import cache
from itertools import pairwise
from typing import Any

import pytest

from companion.core.actions import Setup
from companion.games import RULES
from companion.games.kinapa.rules import model
from companion.language.language import Language
from companion.referee.journal import MemoryJournal, make_header
from companion.referee.referee import Referee
from companion.simulation.game_simulation import GameSimulation, random_styles
from companion.table.history import MAX_STOPS, build_timeline


@cache
def played(game: str, seed: int = 1, players: int = 4) -> Referee[Any]:
    """A simulated game to its end."""
    rules = RULES[game]
    setup = Setup(tuple(range(players)), rules.options())
    simulation = GameSimulation(rules, setup, seed=seed, styles=random_styles(players, random.Random(seed)))
    simulation.run()
    return simulation.referee


@pytest.mark.parametrize("game", RULES)
def test_every_game_has_a_time_line_in_order_that_ends_with_its_winner(game: str) -> None:
    moments = build_timeline(played(game))
    assert 2 <= len(moments) <= MAX_STOPS
    assert all(one.seq <= other.seq for one, other in pairwise(moments))
    assert moments[-1].sentence.key.endswith(("GameWon", "GameLost"))


@pytest.mark.parametrize("game", RULES)
def test_a_game_that_is_not_over_has_none(game: str) -> None:
    whole = played(game).journal
    for part in (0, len(whole.entries) // 2, len(whole.entries) - 1):
        referee = Referee(RULES[game], MemoryJournal(whole.header, whole.entries[:part]))
        assert build_timeline(referee) == ()


@pytest.mark.parametrize("game", RULES)
@pytest.mark.parametrize("language", ["en", "de", "fr"])
def test_every_stop_has_its_words(game: str, language: str) -> None:
    words = Language(language)
    for moment in build_timeline(played(game)):
        assert words.text(moment.sentence) != moment.sentence.key
        assert words.tr(f"recap.kind.{moment.kind}") != f"recap.kind.{moment.kind}"


def test_nobody_is_asked_anything_in_a_picture_of_the_past() -> None:
    for moment in build_timeline(played("kinapa")):
        assert not any(chair.asked or chair.choices for chair in moment.view.chairs)


def test_twins_that_nobody_noticed_are_not_caught_and_vain_stops_remembered_wrongly() -> None:
    kinds = {moment.kind for seed in range(1, 4) for moment in build_timeline(played("kabuki", seed, 3))}
    assert {"turning", "wrong"} <= kinds


def test_a_proven_lie_stands_on_the_time_line_once() -> None:
    """Many small games, until some lie is proven."""
    for seed in range(60):
        referee = played("kinapa", seed)
        proven = [
            event
            for entry in referee.standing_entries()
            for event in entry.events
            if isinstance(event, model.LieProven)
        ]
        told = [
            one
            for one in build_timeline(referee)
            if one.sentence.key in {"recap.kinapa.bluff", "recap.kinapa.lie"}
        ]
        assert len(told) == len(proven)
        if proven:
            return
    raise AssertionError("no lie was proven")


def test_a_fight_against_the_odds_is_told_with_its_chance() -> None:
    for seed in range(1, 8):
        for moment in build_timeline(played("kobayakawa", seed)):
            if moment.sentence.key in {"recap.kobayakawa.bold", "recap.kobayakawa.vain"}:
                assert 0 <= int(dict(moment.sentence.parts)["value"]) < 25
                return
    raise AssertionError("nobody was bold")


def test_a_deal_and_a_name_change_nothing_on_the_time_line() -> None:
    """It comes from the journal alone: the same journal read again gives the same line."""
    whole = played("kobayakawa").journal
    header = make_header("kobayakawa", whole.header.setup, names=((0, "Ada"),))
    again = Referee(RULES["kobayakawa"], MemoryJournal(header, whole.entries))
    assert build_timeline(again) == build_timeline(played("kobayakawa"))
