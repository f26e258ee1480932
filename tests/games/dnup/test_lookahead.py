"""dnup in short agrees with the referee, turn by turn."""

from __future__ import annotations

import random
from typing import Any

import pytest

from companion.core.actions import Setup
from companion.games import RULES
from companion.games.dnup.opponents import CandidateMove, DnupOpponents, RoundSimulation
from companion.games.dnup.rules import cards as card
from companion.games.dnup.rules import model
from companion.games.kit.world import PlayStyle
from companion.simulation.game_simulation import GameSimulation


def thought_of(state: Any, world: Any) -> RoundSimulation:
    """The deal as it is."""

    def pairs(cards: Any) -> list[tuple[int, int]]:
        return [(card.active_value(one), card.active_value(card.rotate_card(one))) for one in cards]

    owners = [state.owner(area) for area in range(len(state.areas))]
    return RoundSimulation(
        list(map(pairs, world.hands)), list(map(pairs, world.sets)), owners, state.area, state.out
    )


def done(event: Any) -> CandidateMove | None:
    """What was done, in short."""
    match event:
        case model.SetPlayed():
            return CandidateMove("play", event.count, event.value)
        case model.CardAdded():
            return CandidateMove("add", event.count, event.value, event.area)
        case model.SetTaken():
            return CandidateMove("take", event.count, event.value, event.area)
        case model.HandRotated():
            return CandidateMove("rotate")
    return None


def told(thought: RoundSimulation) -> tuple[Any, ...]:
    """How many cards everybody has, what lies where, who is out, whose turn it is."""
    lying = [(len(cards), cards[0][0] if cards else 0) for cards in thought.sets]
    return [len(hand) for hand in thought.hands], lying, thought.out, thought.area


@pytest.mark.parametrize("players", [2, 3, 5])
def test_a_turn_in_thought_ends_as_the_referee_rules(players: int) -> None:
    rules = RULES["dnup"]
    setup = Setup(tuple(range(players)), rules.options())
    simulation = GameSimulation(rules, setup, seed=players, styles=[PlayStyle.LAWFUL] * players)
    world = DnupOpponents(setup.chairs, random.Random(players), ["medium"] * players)
    simulation.world = world
    before, compared = thought_of(simulation.referee.state, world), 0
    for _ in simulation.run_entries():
        events = simulation.referee.journal.entries[-1].events
        ways = [way for event in events if (way := done(event)) is not None]
        for way in ways:
            before.play_move(way)
        state = simulation.referee.state
        if state.is_turn_running:
            now = thought_of(state, world)
            if ways and not any(isinstance(event, model.DnupRoundEnded) for event in events):
                assert told(now) == told(before)
                compared += 1
            before = now
    assert compared > 10


@pytest.mark.parametrize("at_once", [True, False])
@pytest.mark.parametrize("way", [CandidateMove("play", 1, 8), CandidateMove("add", 2, 8, 2)])
def test_of_two_players_the_last_card_wins_in_thought_before_an_own_set_comes_home(
    way: CandidateMove, *, at_once: bool
) -> None:
    own = [(6, 1)] * way.size
    thought = RoundSimulation(
        [[(8, 2)], [(9, 3)]],
        [[], own, [(8, 1)] * (way.verb == "add"), []],
        (0, 0, 1, 1),
        0,
        (),
        at_once=at_once,
    )
    thought.play_move(way)
    assert (thought.is_over, len(thought.hands[0])) == ((True, 0) if at_once else (False, way.size))
