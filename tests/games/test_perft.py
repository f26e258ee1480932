"""Lawful lines of reduced games, counted; each table was first worked out on paper where that is possible."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import pytest
from lantern.rules import LANTERN
from msgspec.structs import replace

from companion.core.actions import Action, Setup
from companion.core.observations import ActionDeclared
from companion.games import RULES
from companion.games.any_game.rules import AnyGame
from companion.games.any_game.rules.model import AnyGameOptions, AnyGameState
from companion.games.dnup.rules import Dnup, DnupOptions
from companion.games.dnup.rules.model import DnupState
from companion.games.euchre.rules import Euchre
from companion.games.euchre.rules.model import EuchreOptions
from companion.games.hearts.rules import Hearts
from companion.games.hearts.rules.model import HeartsOptions
from companion.games.in_order.rules import InOrder
from companion.games.in_order.rules.model import InOrderOptions
from companion.games.kabuki.rules import Kabuki
from companion.games.kabuki.rules.model import KabukiPhase, KabukiState
from companion.games.kobayakawa.rules import Kobayakawa
from companion.games.kobayakawa.rules.model import KobayakawaOptions, KobayakawaState
from companion.games.kobayakawa.rules.model import KobayakawaPhase as Stage
from companion.games.liars_dice.rules import LiarsDice
from companion.games.liars_dice.rules.model import LiarsDiceOptions
from companion.games.roses.rules import Roses
from companion.games.roses.rules.model import RosesOptions
from companion.games.spades.rules import Spades
from companion.games.spades.rules.model import SpadesOptions
from companion.testing import perft
from tests.games.kabuki.kabuki_table import SECOND
from tests.games.kabuki.kabuki_table import Table as Stacks
from tests.games.kinapa import test_kinapa_perft
from tests.games.kobayakawa.kobayakawa_table import table
from tests.referee.lantern_play import SETUP


class FewCards(Kobayakawa):
    """Kobayakawa with the numbers 1 to 7: enough for three players."""

    cards: ClassVar[int] = 7


FEW = FewCards()
HEARTS = Hearts()
SPADES = Spades()
EUCHRE = Euchre()


class WholeActions(Dnup):
    """dnup in which nobody says an action step by step."""

    def legal_actions(self, state: DnupState) -> frozenset[Action]:
        every = super().legal_actions(state)
        return frozenset(
            one for one in every if not state.is_turn_running or one.verb == "rotate" or one.value
        )


WHOLE = WholeActions()


class FewMasks(Kabuki):
    """Kabuki with two designs and two stacks, and masks that are placed and not pointed at."""

    def legal_actions(self, state: KabukiState) -> frozenset[Action]:
        places = {f"{design}@{stack}" for design in ("leaf", "sun") for stack in (1, 2)}
        every = super().legal_actions(state)
        left_out = {"point", "show", "deck_empty"}
        return frozenset(
            one for one in every if one.verb not in left_out and (one.verb != "place" or one.value in places)
        )


FEW_MASKS = FewMasks()


def stacks() -> KabukiState:
    """Two players, no mask placed yet."""
    return Stacks(2, FEW_MASKS).begin().state


def stopped() -> KabukiState:
    """A leaf lies on a leaf, and the other player has called Stop."""
    game = Stacks(2, FEW_MASKS).begin().lay([("leaf", 1), ("sun", 2), ("leaf", 1)])
    game.press(1)
    game.wait(2 * SECOND)
    assert game.state.phase is KabukiPhase.STOPPED
    return game.state


def few_pairs(players: int) -> DnupState:
    """Four cards for two, six for three, dealt; the star holder begins."""
    deck = ("1-5", "2-3", "2-4", "3-4") if players == 2 else ("1-5", "2-3", "2-4", "3-4", "2-5", "3-5")
    state = WHOLE.initial_state(Setup(tuple(range(players)), DnupOptions()))
    state = replace(state, deck=deck)
    for verb in ("prepared", "star"):
        for event in WHOLE.decide(state, ActionDeclared(at=0, action=Action(0, verb))):
            state = WHOLE.evolve(state, event)
    return state


def fresh(**options: Any) -> KobayakawaState:
    return FEW.initial_state(Setup((0, 1, 2), KobayakawaOptions(**options)))


def bets(**options: Any) -> KobayakawaState:
    """Everybody has replaced the Kobayakawa: four of seven numbers are known, no discard lies open."""
    game = table(3, rules=FEW, **options).deal(1)
    for seat in range(3):
        game.say(seat, "kobayakawa", seat + 2)
    assert game.phase == Stage.BETTING
    return game.state


ANY = AnyGame()
ROSES = Roses()
ORDER = InOrder()
DICE, ONE_DIE = LiarsDice(), Setup((0, 1), LiarsDiceOptions(dice=1))


def any_two() -> AnyGameState:
    """Two at a table, before the first round."""
    return ANY.initial_state(Setup((0, 1), AnyGameOptions()))


# Liar's Dice, two players, one die each: either begins; 12 bids; above the bid of rank r 12 - r, or doubt;
# then two bids, or two answers of each of two: 2, 2·12, 2·78, 2·(286 + 12·4).
# In Order, two players, one number each: either is ready, then the other; either presses, or asks that all
# show, which wins level 1; then 60 numbers, or the other presses, too: 2, 2, 2·4, 2·(2·61 + 2·2).
# Any game: both may begin, and both may end it; then one ends the turn, or both may end the game, whose
# lines go no further.
# Roses and Thorns, three players: each may begin, all lay in any order; then one adds or bids one of three
# numbers: 3, 3·3, 3·3·2, 3·3·2·1, 18·2, 18·(2 + 3).
# 3 may begin; 1 + 7 ways to turn up; then draw, replace, or say one of 7 discards or of 7 new cards:
# 3, 3·8, 3·(7 + 7·16), 3·(7·16 + 7·(9 + 15 + 7·16 + 6·16 + 15)).
# Hearts: anybody may open, and whoever comes next tells any of the 52 cards.
# Spades: 14 bids, and partners bid at most 13 together: 14, 14·14, 14·(14 + 13 + … + 1).
# The three bets give 8 lines; a showdown of two has 14 answers, of three 21, and a new deal 8:
# 8, 4·8 + 3·14 + 21, 4·119 + 3·2·(4·14 + 3·7) + 3·(4·21 + 3·14).
# dnup, two players with two cards each, values 1 to 5 on 1, 2, 2, 2, 1 cards. First step: five singles,
# three pairs, rotate. After a single v: 5 - v higher singles, 3 pairs, an added card if there are two of v,
# take, rotate: 10 + 15 + 3 + 5 + 5; after a pair a new round begins, by either: 3·2; after rotate 9.
# Three players, on 1, 3, 3, 2, 3 cards: 5 singles, 4 pairs, rotate. After a single 10 + 20 + 4 + 5 + 5, after
# a pair (its owner is out) 6 + 20 + 3 + 4 + 4, after rotate 10.
# Kabuki, two players, 2 masks, 2 stacks: 4 placements and 2 Stops, void before the first mask. A Stop leads
# to its timer, 4 placements and the other's Stop: 6 + 4·2 + 5. Where it stands, one looks, withdraws, is told
# that a second is void, or the next mask is laid: 5 counts, 6, 6 and 4·3; a right count leads to one step,
# each of four others to the stack being shown, where five are to choose from: 1 + 4·5.
TABLES: Mapping[str, tuple[Any, Any, Mapping[int, int]]] = {
    "kobayakawa": (FEW, fresh(), {1: 3, 2: 24, 3: 357, 4: 5_334}),
    "kobayakawa, one may do neither": (FEW, fresh(draw_optional=True), {2: 24, 3: 378, 4: 5_964}),
    "kobayakawa, the bets": (FEW, bets(), {1: 2, 2: 4, 3: 8, 4: 95, 5: 1_316}),
    "kabuki": (FEW_MASKS, stacks(), {1: 4 + 2, 2: 36, 3: 4 * 36 + 2 * 19, 4: 880}),
    "kabuki, a Stop": (FEW_MASKS, stopped(), {1: 3 + 4, 2: 5 + 6 + 6 + 4 * 3, 3: 128, 4: 581}),
    "dnup, two players": (WHOLE, few_pairs(2), {1: 9, 2: 53, 3: 238}),
    "dnup, three players": (WHOLE, few_pairs(3), {1: 10, 2: 91, 3: 732}),
    "liars_dice": (DICE, DICE.initial_state(ONE_DIE), {1: 2, 2: 24, 3: 156, 4: 668}),
    "hearts": (HEARTS, HEARTS.initial_state(Setup(tuple(range(4)), HeartsOptions())), {1: 4, 2: 4 * 56}),
    "spades": (
        SPADES,
        SPADES.initial_state(Setup(tuple(range(4)), SpadesOptions())),
        {1: 14, 2: 14 * 14, 3: 14 * (14 * 15 // 2)},
    ),
    "euchre": (
        EUCHRE,
        EUCHRE.initial_state(Setup(tuple(range(4)), EuchreOptions())),
        {1: 24, 2: 24 * 2, 3: 24 * (2 + 2), 4: 24 * (2 + 2 + 1 + 1)},
    ),
    "in_order": (ORDER, ORDER.initial_state(Setup((0, 1), InOrderOptions())), {1: 2, 2: 2, 3: 8, 4: 252}),
    "roses": (
        ROSES,
        ROSES.initial_state(Setup((0, 1, 2), RosesOptions())),
        {1: 3, 2: 9, 3: 18, 4: 18, 5: 36, 6: 90},
    ),
    "any_game": (ANY, any_two(), {1: 2 + 2, 2: 2 * 3 + 2, 3: 2 * (3 + 2) + 2, 4: 2 * (3 + 2 + 2) + 2}),
    "kobayakawa, the bets, the last one wins": (FEW, bets(nobody_fights="last_player"), {2: 4, 3: 14}),
}


@pytest.mark.parametrize("game", TABLES)
def test_the_lawful_lines_are_as_many_as_ever(game: str) -> None:
    rules, state, counts = TABLES[game]
    perft.check_counts(rules, state, counts)


def test_every_game_has_a_table_of_counts() -> None:
    counted = {*TABLES, *(f"kinapa, {game}" for game in test_kinapa_perft.TABLES)}
    assert {game.partition(",")[0] for game in counted} == set(RULES)


def test_the_lines_of_a_first_step_add_up_to_the_whole() -> None:
    assert sum(perft.count_lines_by_first_step(FEW, fresh(), 3).values()) == perft.count_lines(
        FEW, fresh(), 3
    )
    lantern = LANTERN.initial_state(SETUP)
    assert sum(perft.count_lines_by_first_step(LANTERN, lantern, 3).values()) == perft.count_lines(
        LANTERN, lantern, 3
    )


def test_a_wrong_count_is_told_by_its_first_steps() -> None:
    with pytest.raises(AssertionError, match=r"(?s)24 lines of 2 steps, expected 25.*8  Declared 0:start"):
        perft.check_counts(FEW, fresh(), {2: 25})
