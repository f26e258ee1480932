"""Kinapa's rules agree with a model written from docs/rules.md alone, under every house rule."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Sequence
from random import Random

import pytest
from compare import Table, difference, house_rules, pairs, values
from kinapa import KINAPA, ONLY_SAID

from companion.core.actions import Action, Options, Setup
from companion.core.observations import ButtonPressed, CueHeard, Declared, TimerElapsed
from companion.games import RULES
from companion.games.kinapa.rules.options import KinapaOptions
from companion.referee.journal import MemoryJournal, header_of
from companion.referee.referee import Referee

VALUES = tuple(values(KinapaOptions))
TWO, BOTS = ((2, False),), ((3, False), (4, True), (5, True), (6, True), (7, True))
ALL = (*TWO, *BOTS, *((players, False) for players in range(4, 9)))
MATTERS = {
    "bot_can_be_emperor_2p": TWO,
    "win_bot": (*TWO, *TWO, *BOTS),
    "switch_progress": (*TWO, *TWO, *BOTS),
    "bot_checker": BOTS,
}
"""At which tables a house rule has anything to say, where not at all of them."""


def tables(options: Options, many: int) -> Iterator[Table]:
    """Games with these house rules at tables of many sizes."""
    chosen = house_rules(options)
    sizes = next((sizes for name, sizes in MATTERS.items() if name in chosen), ALL)
    if chosen == "win_bot=both_decks":
        sizes = TWO
    chance = Random(chosen)
    for seed in range(many):
        players, bot = chance.choice(sizes)
        yield Table(seed, players, bot, options)


def name(options: Options) -> str:
    return house_rules(options) or "none"


@pytest.mark.parametrize("options", VALUES, ids=name)
def test_the_rules_agree_with_the_model_under_every_house_rule(options: Options) -> None:
    for table in tables(options, 1):
        assert (found := difference(KINAPA, table)) is None, found


@pytest.mark.long
@pytest.mark.timeout(3600)
def test_they_agree_in_twenty_games_each_and_under_a_hundred_pairs(capfd: pytest.CaptureFixture[str]) -> None:
    chosen = [*((options, 20) for options in VALUES), *((both, 1) for both in pairs(KinapaOptions, 100))]
    began, games, found = time.process_time(), 0, []
    for number, (options, many) in enumerate(chosen, 1):
        for table in tables(options, many):
            games += 1
            found += [text for text in (difference(KINAPA, table),) if text]
        took = time.process_time() - began
        said = f"{games} games, {len(found)} differences, {took:.0f} s of processor"
        with capfd.disabled():
            print(f"kinapa {number}/{len(chosen)}: {name(options)}; {said}", file=sys.stderr, flush=True)
    assert not found, "\n\n".join(found)


@pytest.mark.slow
@pytest.mark.parametrize(
    "options", [each for each in VALUES[1:] if house_rules(each) not in ONLY_SAID], ids=name
)
def test_the_model_notices_every_other_value(options: Options) -> None:
    """The rules play by one value, the model by the default: what agrees all the same would prove nothing."""
    assert any(difference(KINAPA, table, KinapaOptions()) for table in tables(options, 40))


# What the model found ------------------------------------------------------------------------------------


def at_table(said: Sequence[str], players: int = 4, **options: object) -> Referee[object]:
    """Players say "seat verb value"; "count" counts to the end, "press 1": a button that stays down."""
    setup = Setup(tuple(range(players)), KinapaOptions(**options))  # type: ignore[arg-type]
    rules = RULES["kinapa"]
    referee: Referee[object] = Referee(rules, MemoryJournal(header_of("kinapa", setup, kind="simulation")))
    at = 0
    for line in said:
        at += 1000
        who, *what = line.split()
        if who == "count":
            cue = rules.awaited_cue(referee.state)
            assert cue is not None
            referee.observe(CueHeard(at=at, cue=cue.name, attempt=cue.attempt))
            while (timer := referee.next_timer()) is not None:
                at = timer.due
                referee.observe(TimerElapsed(at=at, timer=timer.name))
        elif who == "press":
            referee.observe(ButtonPressed(at=at, chair=int(what[0])))
        else:
            value = (int(what[1]) if what[1].isdigit() else what[1]) if what[1:] else None
            assert referee.observe(Declared(at=at, action=Action(int(who), what[0], value))).events, line
    return referee


def foxes(referee: Referee[object]) -> int:
    table = dict(RULES["kinapa"].view(referee.state).table)
    return sum(int(count) for name, count in table.items() if name.startswith("foxes:"))


FOXED = (
    *("0 claim_cat", "0 announce 3", "1 raise", "2 raise", "count", "0 no_pair", "3 has_not", "1 has"),
    *("2 has_not", "0 receive", "0 return", "0 turn 7-8@1", "0 hide"),
)
"""Seat 1 is Emperor, with two Foxes."""
CAUGHT_TOGETHER = (
    *FOXED,
    *("1 announce 5", "2 raise", "3 raise", "count", "1 show_pair", "1 drawn", "1 return", "1 turn 7-8@1"),
    *("1 hide", "1 crown 2", "2 announce 6", "0 raise", "3 raise", "count", "2 no_pair", "1 has_not"),
    *("0 has_not", "3 has_not", "1 found", "3 found", "0 not_found", "2 pick 3", "2 receive"),
)


@pytest.mark.parametrize("rule", ["move", "none"])
def test_an_audit_that_finds_an_earlier_liar_and_a_new_one_needs_no_third_fox(rule: str) -> None:
    assert foxes(at_table(CAUGHT_TOGETHER, second_liar=rule)) <= 2


KNOWN = (
    *FOXED,
    *("1 announce 5", "2 raise", "3 raise", "count", "1 no_pair", "0 has", "1 receive", "1 return"),
    *("1 turn 7-8@1", "1 hide", "1 crown 2"),  # one Fox is left
    *("2 announce 5", "0 raise", "3 raise", "count", "2 no_pair", "1 has_not"),
)
"""Seat 1, with a Fox, was given a 5 and says "no" to a demand for it."""


def test_a_wrong_answer_that_is_proven_costs_two_foxes_again() -> None:
    assert foxes(at_table(KNOWN, false_denial_penalty="always")) == 2
