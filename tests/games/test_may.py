"""What "What may I do?" tells a table: nothing that lies hidden."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from companion.core.actions import SECOND, Setup
from companion.games import RULES
from companion.games.dnup.rules import Dnup
from companion.games.dnup.rules import cards as card
from companion.games.dnup.rules.model import DnupState, KnownHand
from companion.referee.journal import MemoryJournal, make_header
from companion.referee.phone_chairs import PhoneChairs
from companion.referee.referee import Referee
from companion.table.history import allowed_actions
from companion.teach.notation import judge_lines
from companion.testing.random_walks import GameCase, walk_randomly
from tests.games.tables import cases
from tests.thorough import examples

CASES = [pytest.param(case, id=str(case)) for case in cases()]
DNUP = [pytest.param(case, id=str(case)) for case in cases() if case.rules.name == "dnup"]
seeds = st.integers(0, 2**32 - 1)


@pytest.mark.parametrize("case", CASES)
@settings(max_examples=examples(36))
@given(seed=seeds)
def test_what_may_be_done_is_told_as_if_nothing_hidden_had_ever_been_known(case: GameCase, seed: int) -> None:
    """The same choices in the same order."""
    for referee in walk_randomly(case, Random(seed), steps=100, nonsense=0.3):
        veiled = case.rules.redact(referee.state)
        if veiled != referee.state:
            known, forgotten = (allowed_actions(case.rules, one) for one in (referee.state, veiled))
            assert known == forgotten


@pytest.mark.parametrize("case", DNUP)
@settings(max_examples=examples(36))
@given(seed=seeds)
def test_whatever_is_known_of_a_hand_lay_open_before_everybody_in_this_round(
    case: GameCase, seed: int
) -> None:
    """So what dnup offers by what it knows of hands, "It lies so", is offered by what everybody saw."""
    open_ = set[str]()
    number = 0
    for referee in walk_randomly(case, Random(seed), steps=150, nonsense=0.3):
        state: DnupState = referee.state
        if state.round != number:
            number, open_ = state.round, set()
        for area in state.areas:
            open_ |= {card.card_name(one) for one in (*area.cards, *(area.seen or ()), *area.old)}
        held = {card.card_name(one) for hand in state.hands for one in hand.known}
        assert held.union(state.gone) <= open_


@pytest.mark.parametrize("case", DNUP)
@settings(max_examples=examples(36))
@given(seed=seeds)
def test_of_the_hands_only_that_it_lies_so_depends_on_what_was_seen(case: GameCase, seed: int) -> None:
    for referee in walk_randomly(case, Random(seed), steps=100, nonsense=0.3):
        state: DnupState = referee.state
        hands = tuple(KnownHand(hand.size) for hand in state.hands)
        forgotten = replace(state, hands=hands, gone=())
        if _lies_so(case, state) == _lies_so(case, forgotten):
            assert allowed_actions(case.rules, state) == allowed_actions(case.rules, forgotten)


def _lies_so(case: GameCase, state: DnupState) -> bool:
    assert isinstance(case.rules, Dnup)
    return any(one.verb == "done" for one in case.rules.legal_actions(state))


def test_numbers_are_told_in_the_order_in_which_they_are_counted() -> None:
    rules = RULES["kobayakawa"]
    referee = Referee(rules, MemoryJournal(make_header(rules.name, Setup((0, 1, 2), rules.options()))))
    judge_lines(referee, ("@1 start", "@1 dealt", "@1 kobayakawa 7"), 0, SECOND)
    told = allowed_actions(rules, referee.state)[0].choices
    numbers = [dict(one.parts)["value"] for one in told if one.key == "kobayakawa.do.discard"]
    assert numbers == sorted(numbers)
    assert 10 in numbers


@pytest.mark.parametrize("case", CASES)
def test_what_no_prompt_lists_is_under_more_on_screen_and_phones_or_told_by_the_camera(
    case: GameCase,
) -> None:
    """A game without a camera hides nothing: whatever is lawful has a button, or stands under *More*."""
    rules, chairs = case.rules, case.setup.chairs
    for referee in walk_randomly(case, Random(7), steps=40, nonsense=0.2):
        state = referee.state
        asked = {action for prompt in rules.prompts(state) for action in prompt.actions}
        shown = {choice.action for choice in rules.view(state).extras}
        phones = PhoneChairs(rules)
        phones.set_phone_chairs(chairs, state, 0)
        assert shown == {
            extra for chair in chairs if not state.desk.paused for extra in phones.current_extras(chair)
        }
        unlisted = rules.legal_actions(state) - asked - shown
        assert not any(action.verb in rules.menu_verbs for action in unlisted)
        assert rules.reads_cards or not unlisted
