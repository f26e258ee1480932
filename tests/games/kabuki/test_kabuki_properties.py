"""Kabuki under random play: total, lawful exactly where it says so, and true to its counts."""

from __future__ import annotations

from itertools import product
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from companion.core import observations as ob
from companion.core.actions import Action
from companion.core.events import Infraction
from companion.games.kabuki.rules import model
from companion.games.kabuki.rules.judge import VERBS
from companion.games.kabuki.rules.model import COPIES_PER_DESIGN, DECK_SIZE, DESIGNS, KabukiPhase, KabukiState
from companion.testing.random_walks import GameCase, new_referee, random_observation
from tests.games.game_table import lawful
from tests.games.kabuki.kabuki_table import RULES, SECOND, Table, setup
from tests.thorough import examples

CARDS = (
    *(f"mask:{design}" for design in DESIGNS),
    *(f"actor:{stack}" for stack in (1, 2, 3, 4)),
    "back:mask",
)
VALUES = (None, *range(-1, 7), *DESIGNS, *(f"{design}@{stack}" for design in DESIGNS for stack in range(6)))


def go_on(game: Table, chance: Random) -> None:
    """One lawful step of the game, whatever it waits for."""
    timer = RULES.next_timer(game.state)
    if (lots := RULES.awaited_draw(game.state)) is not None:
        game.observe(ob.RandomDraw(at=game.at, choices=lots, index=chance.randrange(len(lots))))
    elif timer is not None and chance.random() < 0.3:
        game.elapse(timer.due)
    elif legal := sorted(game.legal, key=str):
        places = [action for action in legal if action.verb == "place" and isinstance(action.value, str)]
        action = chance.choice(places if places and chance.random() < 0.6 else legal)
        game.say(action.seat, action.verb, action.value)
    else:
        game.elapse(game.at + SECOND)


def check(state: KabukiState) -> None:
    """The invariants of the specification, from its text."""
    masks = [mask for stack in state.stacks for mask in stack]
    assert state.deck + len(masks) + state.hand.drawn + state.missing == DECK_SIZE
    for design in DESIGNS:
        assert state.count_copies(design) <= COPIES_PER_DESIGN or design in state.doubted
    if state.phase not in {KabukiPhase.STARTING, KabukiPhase.SHUFFLING, KabukiPhase.OVER}:
        start = (5 if state.players <= 4 else 4) * state.players
        assert sum(state.tokens) + state.box == start
        assert min(state.tokens) > 0
    assert model.find_violation(state) is None


@settings(max_examples=examples(240), deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(2, 6))
def test_counts_hold_under_lawful_and_unlawful_play(seed: int, players: int) -> None:
    chance = Random(seed)
    case = GameCase(RULES, setup(players), (*CARDS, "unknown"))
    referee = new_referee(case)
    game = Table(players)
    for _ in range(150):
        if RULES.outcome(game.state) is not None:
            break
        if chance.random() < 0.25:
            game.observe(random_observation(case, game.state, game.at + 1, chance))
            if game.state.desk.paused:
                game.observe(ob.ResumeRequested(at=game.at + 1))
        else:
            go_on(game, chance)
        check(game.state)
    assert referee.rules is RULES


@settings(max_examples=examples(100), deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(2, 6))
def test_an_action_is_listed_as_legal_exactly_if_it_is_no_infraction(seed: int, players: int) -> None:
    chance = Random(seed)
    game = Table(players)
    for _ in range(chance.randrange(60)):
        if RULES.outcome(game.state) is None:
            go_on(game, chance)
    state = game.state
    if RULES.outcome(state) is not None:
        return
    legal = RULES.legal_actions(state)
    every = [Action(seat, verb, value) for seat, verb, value in product(range(players), VERBS, VALUES)]
    bare = {"place", "name", "show", "point", "twins"}
    wrong = []
    for action in every:
        if action.verb not in bare and action.value is not None:
            continue  # a value too many says nothing
        if lawful(RULES, state, action) != (action in legal):
            wrong.append(str(action))
    assert not wrong, (state.phase, wrong)
    assert legal <= set(every)


@pytest.mark.parametrize("players", range(2, 7))
def test_games_of_lawful_choices_end_after_three_rounds(players: int) -> None:
    chance = Random(players)
    game = Table(players)
    for _ in range(4_000):
        if RULES.outcome(game.state) is not None:
            break
        go_on(game, chance)
        check(game.state)
    assert len(game.state.scores) == 3
    assert not game.of(Infraction)
