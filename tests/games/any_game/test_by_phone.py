"""A phone that holds a chair has what is asked and, besides, what may be done at any time."""

from __future__ import annotations

from functools import reduce

from cups.rules import CUPS

from companion.core import observations as ob
from companion.core.actions import Action, Setup
from companion.games.any_game.rules import AnyGame
from companion.games.any_game.rules.model import AnyGameOptions, AnyGameState
from companion.referee.phone_chairs import PhoneAnswer, PhoneChairs

RULES = AnyGame()


def begun() -> AnyGameState:
    state = RULES.initial_state(Setup((0, 1, 2), AnyGameOptions(points=True)))
    seen = ob.ActionDeclared(at=0, action=Action(0, "begin_round"))
    return reduce(RULES.evolve, RULES.decide(state, seen), state)


def test_extras_are_counted_on_from_the_choices() -> None:
    phones, state = PhoneChairs(RULES), begun()
    phones.set_phone_chairs({0, 1}, state, 5)
    number, asked, _ = phones.current_offer(0)
    extras = phones.current_extras(0)
    assert asked == (Action(0, "turn_done"),)
    assert Action(0, "add_points", 5) in extras
    place = len(asked) + extras.index(Action(0, "add_points", 5))
    assert phones.offered_action(0, number, place) == Action(0, "add_points", 5)
    assert phones.current_offer(1)[1] == ()
    assert {action.seat for action in phones.current_extras(1)} == {1}


def test_an_extra_is_judged_and_a_plain_press_still_is_the_one_choice() -> None:
    phones, state = PhoneChairs(RULES), begun()
    phones.set_phone_chairs({0}, state, 5)
    number, *_ = phones.current_offer(0)
    pressed = phones.admit(state, PhoneAnswer(0, number, 10))
    assert isinstance(pressed, ob.ButtonPressed)
    added = phones.admit(state, PhoneAnswer(0, number, 10**7, Action(0, "add_points", 1)))
    assert isinstance(added, ob.ActionDeclared)
    foreign = phones.admit(state, PhoneAnswer(0, number, 10**8, Action(1, "add_points", 1)))
    assert foreign is None


def test_games_that_show_no_extras_offer_what_they_ask() -> None:
    phones, state = PhoneChairs(CUPS), CUPS.initial_state(Setup((0, 1), CUPS.options()))
    phones.set_phone_chairs({0}, state, 0)
    assert phones.current_extras(0) == ()
    assert phones.current_offer(0)[1] == CUPS.prompts(state)[0].actions
