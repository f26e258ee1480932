"""A phone that holds a chair has what is asked and, besides, what may be done at any time."""

from __future__ import annotations

import json
import time
from functools import reduce

from cups.rules import CUPS

from companion.core import observations as ob
from companion.core.actions import PALETTE, Action, Setup
from companion.games.any_game.rules import AnyGame
from companion.games.any_game.rules.model import AnyGameOptions, AnyGameState
from companion.language.language import Language
from companion.network.web.audience import to_json
from companion.referee.phone_chairs import PhoneAnswer, PhoneChairs
from companion.table.remote.public_view import to_view_message

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


def test_a_phone_shows_the_middle_and_the_clocks_as_they_are_when_it_is_told() -> None:
    setup = Setup((0, 1, 2), AnyGameOptions(bank=60))
    state = RULES.initial_state(setup)
    seen = ob.ActionDeclared(at=0, action=Action(0, "begin_round"))
    state = reduce(RULES.evolve, RULES.decide(state, seen), state)
    started = time.monotonic_ns() - 21 * 10**9
    message = to_view_message(
        RULES.view(state), seq=0, colours=PALETTE[:3], to_monotonic=lambda at: started + at * 1000
    )
    line = to_json(message, Language("en"), ())
    assert line is not None
    told = json.loads(line)
    ((middle,),) = told["rows"]
    assert (middle["who"]["chair"], middle["words"], middle["value"]) == (0, "in the bank", None)
    assert middle["clock"].keys() == {"reading", "runs", "whole"}
    assert (middle["clock"]["runs"], middle["clock"]["whole"]) == (True, 60_000)
    assert 38_000 <= middle["clock"]["reading"] <= 39_000
    assert [one["clock"] for one in told["people"]] == [
        None,
        *[{"reading": 60_000, "runs": False, "whole": 60_000}] * 2,
    ]
