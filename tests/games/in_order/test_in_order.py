"""In Order under every house rule: what every game promises, its laws, its people, its words, its board."""

from __future__ import annotations

from random import Random

import pytest

from companion.core import observations as ob
from companion.core.actions import LOST, Setup
from companion.core.events import Infraction
from companion.core.view import View
from companion.games import GAMES
from companion.games.in_order.rules.model import InOrderOptions
from companion.games.kit.world import Opponents
from companion.language.language import Language
from companion.referee.dry_run import check_journal
from companion.simulation.game_simulation import simulate_game
from companion.testing import conformance, sentences
from companion.testing.random_walks import GameCase
from tests.games.in_order.order_table import MS, RULES, A, B, C, Table
from tests.games.laws import LAWS
from tests.languages import LANGUAGES
from tests.thorough import examples, some

HOUSE_RULES = {
    "usual": InOrderOptions(),
    "one life": InOrderOptions(lives=1, shows=0),
    "short": InOrderOptions(levels=3, shows=3, lives=7),
}
CASES = [
    pytest.param(GameCase(RULES, Setup(tuple(range(8 - many, 8)), options), ("x",)), id=f"{name}-{many}")
    for name, options in HOUSE_RULES.items()
    for many in (2, 5)
]


@pytest.mark.parametrize("seed", range(examples(2)))
@pytest.mark.parametrize("check", conformance.CONFORMANCE_CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize("case", CASES)
def test_every_house_rule_keeps_what_every_game_promises(
    case: GameCase, check: conformance.ConformanceCheck, seed: int
) -> None:
    check(case, seed)


@pytest.mark.parametrize("seed", range(examples(6, 3)))
def test_what_is_legal_is_exactly_what_breaks_no_rule(seed: int) -> None:
    """Whatever is said in any state; and every state keeps the laws of the game."""
    chance, laws = Random(seed), LAWS["in_order"]
    table = Table(2 + seed, levels=3, begun=False)
    for _ in range(40):
        state = table.state
        laws.check(state)
        legal = RULES.legal_actions(state)
        if not legal:
            break
        for said in laws.everything_said(state):
            ruled = RULES.decide(state, ob.ActionDeclared(at=table.at, action=said))
            assert (said in legal) == (not isinstance(ruled[0], Infraction)), said
        verb = chance.choice(sorted({action.verb for action in legal}))
        said = chance.choice(sorted((one for one in legal if one.verb == verb), key=str))
        table.say(said.seat, said.verb, said.value, after=chance.choice((1, MS, 100 * MS)))
    journal = table.referee.journal
    check_journal(RULES, journal.header, journal.entries)


@pytest.mark.parametrize("case", some(CASES))
def test_every_language_has_words_for_all_that_it_says(case: GameCase) -> None:
    spoken = [Language(code) for code in LANGUAGES]
    missing = sentences.find_missing_sentences(
        case, lambda said: all(words.has_words_for(said) for words in spoken), range(examples(3))
    )
    assert missing == []


@pytest.mark.parametrize("options", HOUSE_RULES.values(), ids=HOUSE_RULES)
def test_people_play_it_to_its_end_and_are_judged_rightly(options: InOrderOptions) -> None:
    for players in (2, 5, 8):
        played = simulate_game("in_order", players=players, seed=players, options=options)
        assert played.faults == ()
        assert played.outcome is not None
        assert played.outcome.termination in {"levels", LOST}


# What is seen -----------------------------------------------------------------------------------------------


def test_the_highest_number_is_large_and_those_below_are_told() -> None:
    table = Table(level=3)
    for seat, number in ((A, 4), (B, 9), (C, 31)):
        table.lay(seat, number)
    view: View = RULES.view(table.state)
    (top,), (below,), (lives,), (shows,) = view.rows
    assert (top.value, top.lit, lives.value, shows.value) == (31, True, 5, 2)
    assert below.words is not None
    assert Language("en").text(below.words) == "4 · 9"
    assert [chair.tokens[0].count for chair in view.chairs] == [2, 2, 2]


def test_how_much_later_a_press_was_is_told() -> None:
    table = Table()
    table.press(A)
    (event,) = table.press(B, 12 * MS)
    said = RULES.sentence(table.state, event)
    assert said is not None
    assert Language("en").text(said) == "Blue was 12 ms later."


# People -----------------------------------------------------------------------------------------------------


def people(table: Table, *strengths: str) -> Opponents:
    make = GAMES["in_order"].opponents
    assert make is not None
    world: Opponents = make(table.state.setup.chairs, Random(1), strengths)
    return world


def test_advice_is_how_probably_nobody_holds_a_number_in_between() -> None:
    table = Table(2)
    world = people(table, "strong", "strong")
    advice = world.advice(table.state, A)
    assert advice is not None
    (own,) = (int(one.partition(":")[2]) for one in world.hand_pictures(table.state, A))
    assert dict(advice.why.parts)["value"] == round(100 * (60 - own) / 59)


def test_whoever_holds_a_lower_number_tells_it_after_a_mistake() -> None:
    table = Table(2, level=5)
    world = people(table, "easy", "easy")
    hands = [
        [int(one.partition(":")[2]) for one in world.hand_pictures(table.state, seat)] for seat in (A, B)
    ]
    late = min((A, B), key=lambda seat: hands[seat][0])
    early = 1 - late
    table.lay(early, hands[early][0])
    table.lay(late, hands[late][0])
    told = {deed.action.seat: deed.action.value for _, deed in world.plan(table.state)}
    assert told[early] == 0
    assert told[late] == sum(number < hands[early][0] for number in hands[late][1:])


def test_advice_is_given_whatever_lies_above_the_own_numbers() -> None:
    table = Table(2, level=5)
    world = people(table, "easy", "easy")
    table.lay(B, 60)
    advice = world.advice(table.state, A)
    assert advice is not None
    assert dict(advice.why.parts)["value"] == 100
