"""dnup in short agrees with the referee, turn by turn."""

from __future__ import annotations

import random
from typing import Any

import pytest

from companion.core.actions import Setup
from companion.games import RULES
from companion.games.dnup.lookahead import Thought, Way
from companion.games.dnup.opponents import DnupOpponents
from companion.games.dnup.rules import cards as card
from companion.games.dnup.rules import events as ev
from companion.games.kit.world import Style
from companion.simulation.play import Simulation


def thought_of(state: Any, world: Any) -> Thought:
    """The deal as it is."""

    def pairs(cards: Any) -> list[tuple[int, int]]:
        return [(card.up(one), card.up(card.turned(one))) for one in cards]

    owners = [state.owner(area) for area in range(len(state.areas))]
    return Thought(list(map(pairs, world.hands)), list(map(pairs, world.sets)), owners, state.area, state.out)


def done(event: Any) -> Way | None:
    """What was done, in short."""
    match event:
        case ev.SetPlayed():
            return Way("play", event.count, event.value)
        case ev.CardAdded():
            return Way("add", event.count, event.value, event.area)
        case ev.SetTaken():
            return Way("take", event.count, event.value, event.area)
        case ev.HandRotated():
            return Way("rotate")
    return None


def told(thought: Thought) -> tuple[Any, ...]:
    """How many cards everybody has, what lies where, who is out, whose turn it is."""
    lying = [(len(cards), cards[0][0] if cards else 0) for cards in thought.sets]
    return [len(hand) for hand in thought.hands], lying, thought.out, thought.area


@pytest.mark.parametrize("players", [2, 3, 5])
def test_a_turn_in_thought_ends_as_the_referee_rules(players: int) -> None:
    rules = RULES["dnup"]
    setup = Setup(tuple(range(players)), rules.options())
    simulation = Simulation(rules, setup, seed=players, styles=[Style.LAWFUL] * players)
    world = DnupOpponents(setup.chairs, random.Random(players), ["medium"] * players)
    simulation.world = world
    before, compared = thought_of(simulation.referee.state, world), 0
    for _ in simulation.steps():
        events = simulation.referee.journal.entries[-1].events
        ways = [way for event in events if (way := done(event)) is not None]
        for way in ways:
            before.act(way)
        state = simulation.referee.state
        if state.turn_phase:
            now = thought_of(state, world)
            if ways and not any(isinstance(event, ev.RoundEnded) for event in events):
                assert told(now) == told(before)
                compared += 1
            before = now
    assert compared > 10


@pytest.mark.parametrize("at_once", [True, False])
@pytest.mark.parametrize("way", [Way("play", 1, 8), Way("add", 2, 8, 2)])
def test_of_two_players_the_last_card_wins_in_thought_before_an_own_set_comes_home(
    way: Way, *, at_once: bool
) -> None:
    own = [(6, 1)] * way.size
    thought = Thought(
        [[(8, 2)], [(9, 3)]],
        [[], own, [(8, 1)] * (way.verb == "add"), []],
        (0, 0, 1, 1),
        0,
        (),
        at_once=at_once,
    )
    thought.act(way)
    assert (thought.over, len(thought.hands[0])) == ((True, 0) if at_once else (False, way.size))
