"""Kobayakawa under random play: total, lawful exactly where it says so, true to its counts, no leak."""

from __future__ import annotations

from itertools import product
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from companion.core import observations as ob
from companion.core.actions import Action, Setup
from companion.core.events import Infraction
from companion.core.view import ViewMode
from companion.games.kit.world import PlayStyle
from companion.games.kobayakawa.rules import model
from companion.games.kobayakawa.rules.judge import VERBS
from companion.games.kobayakawa.rules.model import ROUND_PHASES, UNREAD, KobayakawaPhase, KobayakawaState
from companion.simulation.game_simulation import GameSimulation
from companion.testing.random_walks import GameCase, random_observation
from tests.games.game_table import lawful
from tests.games.kobayakawa.kobayakawa_table import RULES, Table, setup
from tests.thorough import examples

CARDS = (*(f"number:{number}" for number in range(1, 16)), "back:number", "unknown")
PLACES = ("kobayakawa", *(f"{kind}:{zone}" for kind in ("hand", "discard") for zone in range(1, 7)))
house_rules = st.fixed_dictionaries(
    {},
    optional={
        "draw_optional": st.booleans(),
        "nobody_fights": st.sampled_from(["repeat", "box", "carried", "last_player"]),
        "start_after_no_fight": st.sampled_from(["same", "next"]),
        "last_survivor_wins": st.booleans(),
        "final_tie": st.sampled_from(["shared", "last_round", "turn_order", "deciding_round"]),
    },
)


def go_on(game: Table, chance: Random) -> None:
    """One lawful step of the game, rather one that leads on."""
    legal = sorted(game.legal, key=str)
    asked = [action for prompt in RULES.prompts(game.state) for action in prompt.actions]
    action = chance.choice(asked if chance.random() < 0.8 else legal)
    game.say(action.seat, action.verb, action.value)


def check(state: KobayakawaState) -> None:
    """The invariants of the specification, from its text."""
    total = sum(state.kamons) + state.centre + state.stakes + state.carried + state.box
    assert total == 4 * state.players + 8
    known = [number for hand in state.hands for number in (hand.discard, hand.shown) if number > UNREAD] + [
        number for number in state.opened if number > UNREAD
    ]
    assert len(set(known)) == len(known)
    if state.phase in ROUND_PHASES:
        drawn = sum(hand.did == "draw" for hand in state.hands) + (state.phase is KobayakawaPhase.DISCARDING)
        assert len(state.order) + len(state.opened) + drawn + state.deck == 15
    assert model.find_violation(state) is None


@settings(max_examples=examples(240), deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(3, 6), house_rules)
def test_counts_hold_under_lawful_and_unlawful_play(
    seed: int, players: int, options: dict[str, object]
) -> None:
    chance = Random(seed)
    game = Table(players, **options)
    case = GameCase(RULES, setup(players), CARDS)
    for _ in range(150):
        if RULES.outcome(game.state) is not None:
            break
        dice = chance.random()
        if dice < 0.15:
            game.observe(random_observation(case, game.state, game.at, chance))
        elif dice < 0.5:
            faces = (chance.choice(CARDS),) if chance.random() < 0.8 else ()
            game.see(chance.choice(PLACES), *faces)
        else:
            go_on(game, chance)
        if game.state.desk.paused:
            game.observe(ob.ResumeRequested(at=game.at))
        check(game.state)


@settings(max_examples=examples(100), deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(3, 6), house_rules)
def test_an_action_is_listed_as_legal_exactly_if_it_is_no_infraction(
    seed: int, players: int, options: dict[str, object]
) -> None:
    chance = Random(seed)
    game = Table(players, **options)
    for _ in range(chance.randrange(50)):
        if RULES.outcome(game.state) is None:
            go_on(game, chance)
    state = game.state
    if RULES.outcome(state) is not None:
        return
    legal = RULES.legal_actions(state)
    valued = {"kobayakawa", "discard", "show"}
    every = [
        Action(seat, verb, value)
        for seat, verb in product(range(players), VERBS)
        for value in (range(-1, 17) if verb in valued else (None,))
    ]
    wrong = [str(action) for action in every if lawful(RULES, state, action) != (action in legal)]
    assert not wrong, (state.phase, wrong)
    assert legal <= set(every)


@pytest.mark.parametrize("players", range(3, 7))
def test_games_of_lawful_choices_end(players: int) -> None:
    chance = Random(players)
    game = Table(players)
    for _ in range(4_000):
        if RULES.outcome(game.state) is not None:
            break
        go_on(game, chance)
        check(game.state)
    assert RULES.outcome(game.state) is not None
    assert not game.of(Infraction)


# Hidden cards -----------------------------------------------------------------------------------------------


@settings(max_examples=examples(80), deadline=None)
@given(st.integers(0, 10_000), st.integers(3, 6))
def test_a_card_that_nobody_showed_is_told_by_nothing(seed: int, players: int) -> None:
    """Careful people play; whatever is told in any state names no number that only a hand knows."""
    people = Setup(tuple(range(players)), RULES.options())
    one = GameSimulation(RULES, people, seed=seed, styles=(PlayStyle.LAWFUL,) * players)
    for _ in one.run_entries():
        state = one.referee.state
        if state.phase not in ROUND_PHASES:
            continue
        public = {
            *state.opened,
            *(hand.discard for hand in state.hands),
            *(hand.shown for hand in state.hands),
        }
        secret = {one.world.card_in_hand(seat) for seat in state.order} - public  # type: ignore[attr-defined]
        told = {
            int(str(value))
            for mode in ViewMode
            for value in numbers_told(RULES.view(state, mode))
            if str(value).isdecimal()
        }
        assert not told & secret, (told, secret)


def numbers_told(view: object) -> list[object]:
    """Every card number that a view names: the open card, and the chips on the panels."""
    card = view.card.partition(":")[2]  # type: ignore[attr-defined]
    chips = [
        part
        for chair in view.chairs  # type: ignore[attr-defined]
        for token in chair.tokens
        if token.kind in {"discard", "shown"}
        for part in str(token.value).strip("×").split("+")
    ]
    return [card, *chips]


def test_the_referee_of_a_whole_game_never_learns_a_card_that_was_not_shown() -> None:
    """Nothing in the state but shown cards, discards and Kobayakawas: the referee has nothing to leak."""
    people = Setup((0, 1, 2, 3), RULES.options())
    lone = 0
    for seed in range(6):
        one = GameSimulation(RULES, people, seed=seed, styles=(PlayStyle.LAWFUL,) * 4)
        for _ in one.run_entries():
            state = one.referee.state
            for seat in state.order:
                hand = state.hands[seat]
                if hand.bet != "fight" or state.phase not in {
                    KobayakawaPhase.SHOWDOWN,
                    KobayakawaPhase.DEALING,
                    KobayakawaPhase.OVER,
                }:
                    assert hand.shown == UNREAD
            lone += state.result is not None and state.result.how == "alone"
    assert lone
