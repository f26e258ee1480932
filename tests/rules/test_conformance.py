"""The promises of `conformance`, on walks through every registered game and the fake one."""

from __future__ import annotations

from random import Random
from typing import Any

import conformance as promise
import pytest
from conformance import Case, cases, new_states, walk
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from companion.core.observations import TableDeclared
from companion.core.view import Mode, View, table_of
from companion.games import RULES
from companion.referee.journal import replay
from companion.referee.referee import Correctable

CASES = [pytest.param(case, id=str(case)) for case in cases()]
ALL = [pytest.param(case, id=str(case)) for case in cases(every=True) if case.rules.name in RULES]
seeds = st.integers(0, 2**32 - 1)


@pytest.mark.parametrize("case", CASES)
@settings(max_examples=5)
@given(seed=seeds)
def test_a_table_put_right_to_what_it_is_stays_as_it_is(case: Case, seed: int) -> None:
    """K-T62: in no phase, paused or in a count, does it matter that it was said again."""
    for referee in new_states(walk(case, Random(seed), steps=80, nonsense=0.3)):
        state = referee.state
        stands = table_of(case.rules.view(state))
        assert case.rules.decide(state, TableDeclared(at=referee.at, table=stands)) == ()


@pytest.mark.parametrize("case", CASES)
@settings(max_examples=15)
@given(seed=seeds)
def test_a_lawful_walk_keeps_every_promise(case: Case, seed: int) -> None:
    chance = Random(seed)
    for referee in new_states(walk(case, chance, steps=120, nonsense=0)):
        state = referee.state
        promise.cards_and_tokens_are_conserved(case.rules, state)
        if chance.random() < 0.3:
            promise.what_lies_hidden_is_told_by_nothing(case.rules, state, referee.journal.entries[-8:])
        promise.every_control_is_ruled(case.rules, state)
        promise.every_legal_action_is_lawful(case.rules, state)
        promise.no_other_action_is(case, state, chance)
        promise.what_is_asked_belongs_to_the_table(case.rules, state)
        promise.somebody_is_waited_for(case.rules, state)
        promise.the_view_tells_what_the_state_says(case.rules, state)
        promise.a_finished_game_waits_for_nobody(case, state, chance)


@pytest.mark.parametrize("case", CASES)
@settings(max_examples=25)
@given(seed=seeds)
def test_whatever_the_senses_report_is_judged_and_told(case: Case, seed: int) -> None:
    chance = Random(seed)
    for referee in new_states(walk(case, chance, steps=120, nonsense=0.5)):
        state = referee.state
        promise.cards_and_tokens_are_conserved(case.rules, state)
        if chance.random() < 0.2:
            promise.what_lies_hidden_is_told_by_nothing(case.rules, state, referee.journal.entries[-8:])
        promise.every_control_is_ruled(case.rules, state)
        promise.every_legal_action_is_lawful(case.rules, state)
        promise.somebody_is_waited_for(case.rules, state)
        promise.the_view_tells_what_the_state_says(case.rules, state)
        promise.a_finished_game_waits_for_nobody(case, state, chance)
        promise.an_abandoned_game_is_over(case, state)
        promise.states_are_values(state)
        if referee.journal.entries:
            promise.every_ruling_can_be_told(case.rules, state, referee.journal.entries[-1].events)
    promise.a_journal_reads_back_as_it_was_written(case, referee)
    assert replay(case.rules, case.setup, referee.journal.entries) == referee.state


@pytest.mark.parametrize("case", CASES)
def test_what_a_game_knows_and_hides_would_be_missed_if_it_were_told(case: Case) -> None:
    """The promise about what lies hidden can fail: of a gossip it does, in every game that hides anything."""

    class Gossip(type(case.rules)):  # type: ignore[misc]
        def view(self, state: Any, mode: Mode = Mode.PLAY) -> View:
            told: View = super().view(state, mode)
            return replace(told, phase=str(hash(state)))

    hides = 0
    for seed in range(3):
        for referee in walk(case, Random(seed), steps=120, nonsense=0.2):
            if case.rules.veiled(referee.state) == referee.state:
                continue
            hides += 1
            with pytest.raises(AssertionError, match="view tells what lies hidden"):
                promise.what_lies_hidden_is_told_by_nothing(Gossip(), referee.state, ())
    assert hides or case.rules.name == "kobayakawa", "its referee knows no hidden card"


@pytest.mark.parametrize("ways", [promise.by_buttons, promise.by_touch])
@pytest.mark.parametrize("case", ALL)
def test_a_whole_game_needs_no_camera_and_only_buttons_or_only_touch(case: Case, ways: Any) -> None:
    referee = promise.played(case, Random(1), ways)
    outcome = case.rules.outcome(referee.state)
    assert outcome is not None
    assert outcome.termination != "abandoned"
    assert outcome.winners


@pytest.mark.parametrize("case", CASES)
@settings(max_examples=15)
@given(seed=seeds)
def test_undo_takes_back_and_redo_brings_back(case: Case, seed: int) -> None:
    chance = Random(seed)
    for referee in walk(case, chance, steps=60, nonsense=0.3):
        if chance.random() > 0.2 or referee.undoable() is None:
            continue
        before = referee.state
        target = referee.undoable()
        assert target is not None
        undone = referee.undo(0)
        assert undone is not None
        assert undone.retracts == target.seq
        assert not case.rules.window_open(referee.state)
        if not undone.events:
            assert referee.state == referee.state_before(target.seq)
        shows = case.rules.uncovers(before, referee.state)
        redone = referee.redo(0)
        assert (redone is None) == shows, "only what would show what lies hidden stays away"
        if redone is not None and not redone.events:
            assert referee.state == before
        assert referee.redo(0) is None
        assert replay(case.rules, case.setup, referee.journal.entries) == referee.state


@pytest.mark.parametrize("case", CASES)
@settings(max_examples=15)
@given(seed=seeds)
def test_undo_comes_to_an_end_at_the_beginning(case: Case, seed: int) -> None:
    *_, referee = walk(case, Random(seed), steps=60, nonsense=0.3)
    undos = 0
    while referee.undo(0) is not None:
        undos += 1
        assert undos <= 70
    assert case.rules.outcome(referee.state) is None


@pytest.mark.parametrize("case", CASES)
@settings(max_examples=15)
@given(seed=seeds)
def test_correcting_an_entry_to_what_it_was_changes_nothing(case: Case, seed: int) -> None:
    chance = Random(seed)
    *_, referee = walk(case, chance, steps=60, nonsense=0.2)
    entries = [entry for entry in referee.standing() if referee.correctable(entry.seq)]
    if not entries or case.rules.window_open(referee.state):
        return
    entry = chance.choice(entries)
    state, line = referee.state, list(referee.standing())
    truth = entry.cause
    assert isinstance(truth, Correctable)
    latest = max(one.cause.at for one in referee.journal.entries)
    correction = referee.correct(entry.seq, truth, latest)
    assert referee.state == state
    hidden = any(case.rules.hides(state, event) for event in entry.events)
    assert referee.news(correction) == () or hidden, "of a hidden face it is not told that it was right"
    told = [one.events for one in referee.standing() if one.events]
    assert told == [one.events for one in line if one.events]
    assert replay(case.rules, case.setup, referee.journal.entries) == state


@pytest.mark.parametrize("case", CASES)
@settings(max_examples=25)
@given(seed=seeds)
def test_any_correction_is_one_entry_that_undo_takes_back(case: Case, seed: int) -> None:
    chance = Random(seed)
    *_, referee = walk(case, chance, steps=60, nonsense=0.3)
    for _ in range(3):
        entries = [entry for entry in referee.standing() if referee.correctable(entry.seq)]
        if not entries:
            return
        entry, other = chance.choice(entries), chance.choice(entries)
        before, length = referee.state, len(referee.journal.entries)
        truth = other.cause if chance.random() < 0.8 else None
        assert truth is None or isinstance(truth, Correctable)
        latest = max(one.cause.at for one in referee.journal.entries)
        correction = referee.correct(entry.seq, truth, latest)
        assert len(referee.journal.entries) == length + 1
        assert not case.rules.window_open(referee.state)
        assert replay(case.rules, case.setup, referee.journal.entries) == referee.state
        promise.a_journal_reads_back_as_it_was_written(case, referee)
        if chance.random() < 0.5:
            undone = referee.undo(latest)
            assert undone is not None
            assert undone.retracts == correction.seq
            if not undone.events:
                assert referee.state == before


@pytest.mark.parametrize("case", CASES)
@settings(max_examples=10)
@given(seed=seeds)
def test_the_causes_of_a_journal_judged_again_give_the_same_journal(case: Case, seed: int) -> None:
    chance = Random(seed)
    for referee in walk(case, chance, steps=60, nonsense=0.3):
        latest = max((entry.cause.at for entry in referee.journal.entries), default=0)
        dice = chance.random()
        if dice < 0.05:
            referee.undo(latest)
        elif dice < 0.1:
            referee.redo(latest)
        elif dice < 0.15:
            entries = [entry for entry in referee.standing() if referee.correctable(entry.seq)]
            if entries:
                referee.correct(chance.choice(entries).seq, None, latest)
    fresh = promise.new_referee(case)
    for entry in referee.journal.entries:
        fresh.observe(entry.cause)
    assert list(fresh.journal.entries) == list(referee.journal.entries)


@pytest.mark.parametrize("case", CASES)
@settings(max_examples=4)
@given(seed=seeds)
def test_a_cut_at_any_entry_leaves_no_half_window(case: Case, seed: int) -> None:
    *_, referee = walk(case, Random(seed), steps=50, nonsense=0.1)
    journal = referee.journal
    for length in range(1, len(journal.entries) + 1):
        promise.a_window_counts_whole_or_not_at_all(case.rules, journal.header, journal.entries[:length])
