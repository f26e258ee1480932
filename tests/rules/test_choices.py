"""Every choice can be taken back by itself, and is named by who made it: also where no ruling tells of it."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tables import cases

from companion.core import observations as ob
from companion.games import RULES
from companion.referee.game_log import headed
from companion.referee.journal.line import fold
from companion.testing.promises import twin
from companion.testing.walks import Case, walk
from tests.thorough import examples

CASES = [pytest.param(case, id=str(case)) for case in cases() if case.rules.name in RULES]
seeds = st.integers(0, 2**32 - 1)


@pytest.mark.parametrize("case", CASES)
@settings(max_examples=examples(40))
@given(seed=seeds, nonsense=st.sampled_from([0, 0.3]))
def test_taking_back_after_a_choice_names_it_and_takes_back_that_alone(
    case: Case, seed: int, nonsense: float
) -> None:
    rules, known = case.rules, 0
    for referee in walk(case, Random(seed), steps=80, nonsense=nonsense):
        entries = referee.journal.entries
        entry, new = (entries[-1] if entries else None), len(entries) > known
        known = len(entries)
        action = None if entry is None or not new else referee.chose(entry)
        if entry is None or action is None or rules.window_open(referee.state):
            continue
        if any(rules.settles(event) in {"look", "itself"} for event in entry.events):
            assert referee.undoable() is None, "it told what lies hidden"
            continue
        before = referee.state_before(entry.seq)
        assert referee.undoable() == entry
        line = headed(referee, entry)
        assert line is not None
        by = getattr(entry.cause, "chair", None)
        by = rules.speaker(before, action) if by is None else by
        assert line.by == by or ("chair", by) in line.sentence.parts
        told = [rules.sentence(referee.state, event, log=True) for event in entry.events]
        assert line.sentence in (*told, rules.chosen(before, action))
        other = twin(referee)
        undone = other.undo(entry.cause.at)
        assert undone is not None
        assert undone.retracts == entry.seq
        # Only what does not lie open any more is unknown then.
        forgets = [rules.forget(before, face.place) for face in rules.open_faces(before)]
        forgotten = [event for event in undone.events if event in forgets]
        assert other.state == fold(rules.evolve, before, forgotten) or rules.window_open(before)


@pytest.mark.parametrize("case", CASES)
@settings(max_examples=examples(25))
@given(seed=seeds)
def test_what_is_logged_of_a_choice_names_no_card_that_may_lie_hidden(case: Case, seed: int) -> None:
    for referee in walk(case, Random(seed), steps=40, nonsense=0):
        for action in case.rules.legal_actions(referee.state):
            chosen = case.rules.chosen(referee.state, action)
            veiled = case.rules.chosen(case.rules.redacted(referee.state), action)
            assert chosen == veiled
            assert not isinstance(action.value, str) or action.value not in dict(chosen.parts).values()


@pytest.mark.parametrize("case", CASES)
@settings(max_examples=examples(25))
@given(seed=seeds)
def test_a_pause_is_nothing_that_could_be_taken_back(case: Case, seed: int) -> None:
    for referee in walk(case, Random(seed), steps=40, nonsense=0):
        if case.rules.window_open(referee.state) or case.rules.outcome(referee.state) is not None:
            continue
        before = referee.undoable()
        other = twin(referee)
        at = referee.at
        other.observe(ob.Paused(at=at))
        assert other.undoable() == before
        other.undo(at)
        assert other.state.desk.paused
        other.observe(ob.Resumed(at=at))
        assert not other.state.desk.paused
