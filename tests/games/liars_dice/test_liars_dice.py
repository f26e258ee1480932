"""Liar's Dice under every house rule: what every game promises, its people, its words."""

from __future__ import annotations

from random import Random

import pytest
from msgspec import to_builtins

from companion.core import observations as ob
from companion.core.actions import Action, Setup
from companion.core.button_choices import PICK, STEP
from companion.core.view import View
from companion.games import GAMES
from companion.games.kit.world import Opponents
from companion.games.liars_dice.players import chances
from companion.games.liars_dice.rules.model import LiarsDiceOptions
from companion.language.language import Language
from companion.referee.dry_run import check_journal
from companion.referee.referee import Referee
from companion.simulation.game_simulation import simulate_game
from companion.testing import conformance, sentences
from companion.testing.invariants import check_hidden_cards_do_not_leak
from companion.testing.random_walks import GameCase
from tests.games.liars_dice.dice_table import RULES, A, B, Table
from tests.languages import LANGUAGES
from tests.thorough import examples, some

HOUSE_RULES = {
    "usual": LiarsDiceOptions(),
    "exact": LiarsDiceOptions(exact=True, starter="winner", wild="none"),
    "face": LiarsDiceOptions(order="face", wild="highest", dice=2),
    "plain": LiarsDiceOptions(plain_round=True, dice=2, exact=True),
    "one die": LiarsDiceOptions(dice=1),
}
CASES = [
    pytest.param(GameCase(RULES, Setup(tuple(range(8 - many, 8)), options), ("x",)), id=f"{name}-{many}")
    for name, options in HOUSE_RULES.items()
    for many in (2, 4)
]


@pytest.mark.parametrize("seed", range(examples(2)))
@pytest.mark.parametrize("check", conformance.CONFORMANCE_CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize("case", CASES)
def test_every_house_rule_keeps_what_every_game_promises(
    case: GameCase, check: conformance.ConformanceCheck, seed: int
) -> None:
    check(case, seed)


MENDS = ("undo", "correct", "repair")


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("options", HOUSE_RULES.values(), ids=HOUSE_RULES)
def test_nothing_leaks_where_a_history_was_mended(options: LiarsDiceOptions, seed: int) -> None:
    """Undo, a correction and a repair in each; what is public depends on what was told alone."""
    chance, table = Random(seed), Table(4, begins=seed, **to_builtins(options))
    for mend in MENDS:
        for _ in range(4):
            ways: dict[str, list[Action]] = {}
            for way in sorted(RULES.legal_actions(table.state), key=str):
                ways.setdefault(way.verb, []).append(way)
            said = chance.choice(ways[chance.choice(sorted(ways))])
            table.say(said.seat, said.verb, said.value)
        _mend(table, mend)
        check_hidden_cards_do_not_leak(RULES, table.state, table.referee.journal.entries)
        assert RULES.find_violation(table.state) is None
        journal = table.referee.journal
        check_journal(RULES, journal.header, journal.entries)


def _mend(table: Table, mend: str) -> None:
    referee, before = table.referee, table.state
    match mend:
        case "undo":
            assert referee.undo(table.at) is not None
        case "correct":
            entry = next(iter(referee.correctable_entries()))
            assert isinstance(entry.cause, ob.ActionDeclared)
            others = RULES.correction_choices(referee.state_before(entry.seq), entry.cause)
            other = next((one for one in others if one != entry.cause.action), entry.cause.action)
            referee.correct(entry.seq, ob.ActionDeclared(at=entry.cause.at, action=other), table.at)
        case "repair":
            starter = next(seat for seat in before.holders if seat != before.seat)
            assert table.see(ob.TableDeclared(at=table.at, table=(("starter", starter),)))
            assert table.asked() == [starter]


@pytest.mark.parametrize("case", some(CASES))
def test_every_language_has_words_for_all_that_it_says(case: GameCase) -> None:
    spoken = [Language(code) for code in LANGUAGES]
    missing = sentences.find_missing_sentences(
        case, lambda said: all(words.has_words_for(said) for words in spoken), range(examples(3))
    )
    assert missing == []


@pytest.mark.parametrize("options", HOUSE_RULES.values(), ids=HOUSE_RULES)
def test_people_play_it_to_its_end_and_are_judged_rightly(options: LiarsDiceOptions) -> None:
    for players in (2, 5, 8):
        played = simulate_game("liars_dice", players=players, seed=players, options=options)
        assert played.faults == ()
        assert played.outcome is not None
        assert played.outcome.termination == "last"


# What is seen -----------------------------------------------------------------------------------------------


def test_the_standing_bid_and_every_cup_are_on_the_plates() -> None:
    table = Table()
    table.bid(A, 4, 3)
    view: View = RULES.view(table.state)
    assert [[(one.kind, one.count) for one in chair.tokens] for chair in view.chairs] == [
        [("dice", 5), ("bid", 4)],
        [("dice", 5)],
        [("dice", 5)],
    ]
    assert view.headline.key == "liars_dice.phase.bid.3"
    assert Language("en").text(view.headline) == "Blue, bid more than 4 threes"


def test_a_bid_is_said_in_words() -> None:
    table = Table()
    (event,) = table.bid(A, 4, 3)
    said = RULES.sentence(table.state, event)
    assert said is not None
    assert [Language(code).text(said) for code in ("en", "de")] == ["Red: 4 threes.", "Rot: 4 Dreien."]
    assert Language("en").speech_text(said) == "4 threes."


def test_what_was_told_stands_in_the_middle_until_somebody_bids() -> None:
    table = Table(2)
    table.bid(A, 4, 3)
    table.say(B, "doubt")
    table.tell(2, 1)
    (bid,), tells, (found,) = RULES.view(table.state).rows
    assert (bid.motif, bid.value) == ("die:3", "× 4")
    assert [(cell.chair, cell.value) for cell in tells] == [(A, 2), (B, 1)]
    assert found.words is not None
    table.bid(A, 1, 1)
    assert len(RULES.view(table.state).rows) == 1


# People -----------------------------------------------------------------------------------------------------


def people(table: Table, *strengths: str) -> Opponents:
    setup = table.state.setup
    make = GAMES["liars_dice"].opponents
    assert make is not None
    world: Opponents = make(setup.chairs, Random(1), strengths)
    return world


def test_chances_are_those_of_the_dice_that_are_not_seen() -> None:
    table = Table(2)
    known = chances(table.state, (1, 3, 3, 6, 2), 3)
    assert sum(known) == pytest.approx(1.0)
    assert known[:3] == [0.0, 0.0, 0.0]
    assert known[3] == pytest.approx((2 / 3) ** 5)
    assert chances(table.state, (1, 3, 3, 6, 2), 1)[1] == pytest.approx((5 / 6) ** 5)


def test_a_bid_that_cannot_be_is_doubted_and_what_is_held_is_told() -> None:
    table = Table(2)
    table.bid(A, 10, 6)
    world = people(table, "strong", "strong")
    advice = world.advice(table.state, B)
    assert advice is not None
    assert advice.action.verb == "doubt"
    ((_, deed),) = world.plan(table.state)
    assert deed.action.verb == "doubt"
    table.say(B, "doubt")
    told = {deed.action.seat: deed.action.value for _, deed in world.plan(table.state)}
    for seat in (A, B):
        held = [int(one.partition(":")[2]) for one in world.hand_pictures(table.state, seat)]
        assert told[seat] == sum(die in {1, 6} for die in held)


def test_the_strong_beat_the_easy() -> None:
    won = [0, 0]
    for seed in range(40):
        table = Table(2, begins=seed % 2)
        world = GAMES["liars_dice"].opponents((0, 1), Random(seed), ("strong", "easy"))  # type: ignore[misc]
        while RULES.outcome(table.state) is None:
            _, deed = world.plan(table.state)[0]
            table.see(ob.ActionDeclared(at=table.at, action=deed.action))
        won[table.state.holders[0]] += 1
    assert won[0] > 1.5 * won[1]


def test_a_game_of_eight_who_touch_their_bids_goes_on_after_a_restart() -> None:
    """Each picks a row of bids, then one of it; what their buttons were offered stays in the state."""
    table = Table(8)
    for seat in range(8):
        many = RULES.prompts(table.state)[0].actions
        table.say(seat, STEP, f"{PICK}{many.index(Action(seat, 'bid', f'{seat + 1}|1'))}")
        assert table.bid(seat, seat + 1, 1)
    journal = table.referee.journal
    assert Referee(RULES, journal).state == table.state
    check_journal(RULES, journal.header, journal.entries)


def test_who_stepped_through_many_bids_may_be_corrected() -> None:
    table = Table(8)
    for seat in range(8):
        table.say(seat, STEP, 1)
        table.bid(seat, seat + 1, 1)
    said = Action(7, "bid", "9|2")
    truth = ob.ActionDeclared(at=0, action=said)
    table.referee.correct(len(table.referee.journal.entries) - 1, truth, table.at)
    assert table.state.standing == (9, 2)
