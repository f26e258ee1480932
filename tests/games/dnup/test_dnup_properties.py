"""dnup under random play: total, true to its counts, and lawful exactly where it says so."""

from __future__ import annotations

from collections import Counter
from itertools import product
from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from companion.core import observations as ob
from companion.core.actions import Action
from companion.core.events import Infraction
from companion.games.dnup.rules import model
from companion.games.dnup.rules.cards import PRINTED_DECK
from companion.games.dnup.rules.model import DnupState
from companion.testing.random_walks import GameCase, random_observation
from tests.games.dnup.dnup_table import RULES, Table, setup
from tests.games.game_table import lawful
from tests.thorough import examples

FACES = (*(f"pair:{name}" for name in sorted(set(PRINTED_DECK))), "back:pair", "unknown")
VALUES = (None, *range(-1, 14), *(f"{size}x{value}" for size in range(5) for value in range(12)), "x", "2x")
BARE = {"play", "size", "value", "add", "take", "card"}
"""Verbs whose value says something."""


def go_on(game: Table, chance: Random) -> None:
    """One lawful step of the game, whatever it waits for."""
    timer = RULES.next_timer(game.state)
    if timer is not None and chance.random() < 0.5:
        game.elapse(timer.due)
        return
    legal = sorted(RULES.legal_actions(game.state), key=str)
    whole = [action for action in legal if action.verb in {"play", "add"} and action.value is not None]
    action = chance.choice(whole if whole and chance.random() < 0.6 else legal)
    game.say(action.seat, action.verb, action.value)


def check(state: DnupState) -> None:
    """The invariants of the specification, from its text."""
    assert model.find_violation(state) is None
    if not state.is_turn_running:
        return
    lying = [len(area.cards) for area in state.areas if area.cards]
    assert max(Counter(lying).values(), default=1) == 1
    held = sum(hand.size for hand in state.hands)
    assert held + sum(lying) + state.discarded == len(state.cards_in_use)
    assert not state.areas[state.area].cards
    assert all(points < (2 if state.players == 2 else 4) for points in state.points)


@settings(max_examples=examples(160), deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(2, 5))
def test_counts_hold_under_lawful_and_unlawful_play(seed: int, players: int) -> None:
    chance = Random(seed)
    case = GameCase(RULES, setup(players), FACES)
    game = Table(players)
    for _ in range(120):
        if RULES.outcome(game.state) is not None:
            break
        if chance.random() < 0.3:
            game.observe(random_observation(case, game.state, game.at + 1, chance))
            if game.state.desk.paused:
                game.observe(ob.ResumeRequested(at=game.at + 1))
        else:
            go_on(game, chance)
        check(game.state)


@settings(max_examples=examples(80), deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(2, 5))
def test_an_action_is_listed_as_legal_exactly_if_it_is_no_infraction(seed: int, players: int) -> None:
    chance = Random(seed)
    game = Table(players)
    for _ in range(chance.randrange(40)):
        if RULES.outcome(game.state) is None:
            go_on(game, chance)
    state = game.state
    if RULES.outcome(state) is not None:
        return
    legal = RULES.legal_actions(state)
    verbs = ("card", "scanned", "again", "listed", "prepared", "star", "play", "size", "value", "add",
             "take", "rotate", "done", "redeal")  # fmt: skip
    wrong = []
    for seat, verb, value in product(range(players), verbs, VALUES):
        action = Action(seat, verb, value)
        if value is not None and verb not in BARE:
            continue  # a value too many says nothing
        if lawful(RULES, state, action) != (action in legal):
            wrong.append(str(action))
    assert not wrong, (state.phase, wrong)


@settings(max_examples=6, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_games_of_lawful_choices_come_to_an_end(seed: int) -> None:
    chance = Random(seed)
    players = chance.choice((2, 3, 4, 5))
    game = Table(players)
    for _ in range(3_000):
        if RULES.outcome(game.state) is not None:
            break
        go_on(game, chance)
        check(game.state)
    assert RULES.outcome(game.state) is not None
    assert not game.of(Infraction)
