"""Every choice can be taken back by itself, and is named by who made it: also where no ruling tells of it."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from companion.core import events as ev
from companion.core import observations as ob
from companion.games import RULES
from companion.referee.game_log import entry_heading
from companion.referee.journal.valid_entries import fold
from companion.testing.invariants import copy_referee
from companion.testing.random_walks import GameCase, walk_randomly
from tests.games.tables import cases
from tests.thorough import examples

CASES = [pytest.param(case, id=str(case)) for case in cases() if case.rules.name in RULES]
seeds = st.integers(0, 2**32 - 1)


@pytest.mark.parametrize("case", CASES)
@settings(max_examples=examples(40))
@given(seed=seeds, nonsense=st.sampled_from([0, 0.3]))
@example(seed=116906, nonsense=0.3)  # Roses: somebody wants to turn a card of a seat that is not there
def test_taking_back_after_a_choice_names_it_and_takes_back_that_alone(
    case: GameCase, seed: int, nonsense: float
) -> None:
    rules, known = case.rules, 0
    for referee in walk_randomly(case, Random(seed), steps=80, nonsense=nonsense):
        entries = referee.journal.entries
        entry, new = (entries[-1] if entries else None), len(entries) > known
        known = len(entries)
        action = None if entry is None or not new else referee.chosen_action(entry)
        if entry is None or action is None or rules.is_window_open(referee.state):
            continue
        if any(rules.undo_barrier(event) in {"look", "itself"} for event in entry.events):
            assert referee.find_undoable() is None, "it told what lies hidden"
            continue
        before = referee.state_before(entry.seq)
        assert referee.find_undoable() == entry
        line = entry_heading(referee, entry)
        assert line is not None
        by = getattr(entry.cause, "chair", None)
        by = rules.acting_chair(before, action) if by is None else by
        assert line.by == by or ("chair", by) in line.sentence.parts
        told = [rules.sentence(referee.state, event, log=True) for event in entry.events]
        assert line.sentence in (*told, rules.choice_for_log(before, action))
        other = copy_referee(referee)
        undone = other.undo(entry.cause.at)
        assert undone is not None
        assert undone.retracts == entry.seq
        # Only what does not lie open any more is unknown then, nothing has lain still since, and what the
        # camera saw stays so.
        forgets = [rules.forget(before, face.place) for face in rules.open_faces(before)]
        over = rules.outcome(referee.state) is not None
        unread = rules.unread_places(before) if over else ()
        lasts = [*forgets, *rules.persistent(before, referee.state), *unread]
        besides = [
            event
            for event in undone.events
            if event in lasts or isinstance(event, ev.TableUnseen | ev.ClocksShifted)
        ]
        assert other.state == fold(rules.evolve, before, besides) or rules.is_window_open(before)


@pytest.mark.parametrize("case", CASES)
@settings(max_examples=examples(25))
@given(seed=seeds)
def test_what_is_logged_of_a_choice_names_no_card_that_may_lie_hidden(case: GameCase, seed: int) -> None:
    for referee in walk_randomly(case, Random(seed), steps=40, nonsense=0):
        for action in case.rules.legal_actions(referee.state):
            chosen = case.rules.choice_for_log(referee.state, action)
            veiled = case.rules.choice_for_log(case.rules.redact(referee.state), action)
            assert chosen == veiled
            assert not isinstance(action.value, str) or action.value not in dict(chosen.parts).values()


@pytest.mark.parametrize("case", CASES)
@settings(max_examples=examples(25))
@given(seed=seeds)
def test_a_pause_is_nothing_that_could_be_taken_back(case: GameCase, seed: int) -> None:
    for referee in walk_randomly(case, Random(seed), steps=40, nonsense=0):
        if case.rules.is_window_open(referee.state) or case.rules.outcome(referee.state) is not None:
            continue
        before = referee.find_undoable()
        other = copy_referee(referee)
        at = referee.at
        other.observe(ob.PauseRequested(at=at))
        assert other.find_undoable() == before
        other.undo(at)
        assert other.state.desk.paused
        other.observe(ob.ResumeRequested(at=at))
        assert not other.state.desk.paused
