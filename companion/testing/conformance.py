"""The promises on whole walks: each check takes a case and a seed, and raises `AssertionError`.

A game's own tests go through `CHECKS`, with as many seeds as they like; `docs/add-a-game.md` shows how.
"""

from collections.abc import Callable
from random import Random
from typing import Any

from companion.core.observations import Drawn, TableDeclared, TimerElapsed
from companion.core.view import table_of
from companion.referee.journal import MemoryJournal, replay
from companion.referee.referee import Correctable, Referee
from companion.testing import promises as promise
from companion.testing.walks import Case, Ways, by_buttons, by_touch, new_referee, new_states, played, walk

Check = Callable[[Case, int], None]


def a_table_put_right_to_what_it_is_stays_as_it_is(case: Case, seed: int) -> None:
    """K-T62: in no phase, paused or in a count, does it matter that it was said again."""
    for referee in new_states(walk(case, Random(seed), steps=80, nonsense=0.3)):
        state = referee.state
        stands = table_of(case.rules.view(state))
        ruled = case.rules.decide(state, TableDeclared(at=referee.at, table=stands))
        assert ruled == (), f"a table said to be as it is has to change nothing, and gives {ruled}"


def a_lawful_walk_keeps_every_promise(case: Case, seed: int) -> None:
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


def whatever_the_senses_report_is_judged_and_told(case: Case, seed: int) -> None:
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
            promise.every_ruling_names_what_is_there(case.rules, state, referee.journal.entries[-1].events)
    promise.a_journal_reads_back_as_it_was_written(case, referee)
    _folds_to_its_state(case, referee)


def _folds_to_its_state(case: Case, referee: Referee[Any]) -> None:
    again = replay(case.rules, case.setup, referee.journal.entries)
    assert again == referee.state, promise.differs("the journal, folded again", again, referee.state)


def undo_takes_back_and_redo_brings_back(case: Case, seed: int) -> None:
    chance = Random(seed)
    for referee in walk(case, chance, steps=60, nonsense=0.3):
        if chance.random() > 0.2 or referee.undoable() is None:
            continue
        before = referee.state
        target = referee.undoable()
        undone = referee.undo(0)
        assert target is not None, "what is undoable has an entry"
        assert not isinstance(target.cause, Drawn), "chance would be asked until it pleases"
        assert undone is not None, f"{target} is undoable and is not undone"
        assert undone.retracts == target.seq, f"undo takes back {target}, not entry {undone.retracts}"
        assert not case.rules.window_open(referee.state), f"undo of {target} leaves a window open"
        if not undone.events:
            then = referee.state_before(target.seq)
            assert referee.state == then, promise.differs(f"undo of {target}", referee.state, then)
        shows = referee.uncovers(undone.seq)
        redone = referee.redo(0)
        assert (redone is None) == shows, "only what would show what lies hidden stays away"
        if redone is not None and not redone.events:
            assert referee.state == before, promise.differs(f"redo of {target}", referee.state, before)
        assert referee.redo(0) is None, f"after the redo of {target} there is nothing more to redo"
        _folds_to_its_state(case, referee)


def what_a_timer_ruled_is_not_ruled_again_as_soon_as_it_is_taken_back(case: Case, seed: int) -> None:
    *_, referee = walk(case, Random(seed), steps=100, nonsense=0.2)
    header, entries = referee.journal.header, referee.journal.entries
    for length, entry in enumerate(entries, 1):
        if not isinstance(entry.cause, TimerElapsed):
            continue
        tried = Referee(case.rules, MemoryJournal(header, entries[:length]))
        target = tried.undoable()
        if target is not None and isinstance(target.cause, TimerElapsed):
            tried.undo(tried.at)
            again = [event for entry in tried.fire_timers(tried.at + 1) for event in entry.events]
            assert not set(again) & set(target.events), f"{again} stands again at once"


def undo_comes_to_an_end_at_the_beginning(case: Case, seed: int) -> None:
    *_, referee = walk(case, Random(seed), steps=60, nonsense=0.3)
    undos = 0
    while referee.undo(0) is not None:
        undos += 1
        assert undos <= 70, "a walk of 60 steps has more than 70 undos: undo never comes to an end"
    outcome = case.rules.outcome(referee.state)
    stays = referee.settled  # hidden cards were looked at or told of: nobody goes back behind that
    assert outcome is None or stays, f"with everything taken back the game is over: {outcome}"


def correcting_an_entry_to_what_it_was_changes_nothing(case: Case, seed: int) -> None:
    chance = Random(seed)
    *_, referee = walk(case, chance, steps=60, nonsense=0.2)
    entries = list(referee.correctables())
    if not entries or case.rules.window_open(referee.state):
        return
    entry = chance.choice(entries)
    state, line = referee.state, list(referee.standing())
    truth = entry.cause
    assert isinstance(truth, Correctable), f"{truth} cannot be corrected"
    latest = max(one.cause.at for one in referee.journal.entries)
    correction = referee.correct(entry.seq, truth, latest)
    assert referee.state == state, promise.differs(f"{entry}, corrected to what it was", referee.state, state)
    hidden = any(referee.conceals(entry.seq, event) for event in entry.events)
    assert referee.news(correction) == () or hidden, "of a hidden face it is not told that it was right"
    told = [one.events for one in referee.standing() if one.events]
    were = [one.events for one in line if one.events]
    assert told == were, f"{entry}, corrected to what it was, gives {told}, not {were}"
    _folds_to_its_state(case, referee)


def any_correction_is_one_entry_that_undo_takes_back(case: Case, seed: int) -> None:
    chance = Random(seed)
    *_, referee = walk(case, chance, steps=60, nonsense=0.3)
    for _ in range(3):
        entries = list(referee.correctables())
        if not entries:
            return
        entry, other = chance.choice(entries), chance.choice(entries)
        before, length = referee.state, len(referee.journal.entries)
        truth = other.cause if chance.random() < 0.8 else None
        assert truth is None or isinstance(truth, Correctable), f"{truth} cannot be corrected"
        if truth is None and not referee.correctable(entry.seq, to_nothing=True):
            continue  # cards were looked at because of it
        latest = max(one.cause.at for one in referee.journal.entries)
        correction = referee.correct(entry.seq, truth, latest)
        added = len(referee.journal.entries) - length
        assert added == 1, f"the correction of {entry} to {truth} is {added} entries"
        assert not case.rules.window_open(referee.state), f"{correction} leaves a window open"
        _folds_to_its_state(case, referee)
        promise.a_journal_reads_back_as_it_was_written(case, referee)
        if chance.random() < 0.5:
            undone = referee.undo(latest)
            assert undone is not None, f"{correction} cannot be undone"
            assert undone.retracts == correction.seq, f"undo takes back {undone.retracts}, not {correction}"
            if not undone.events:
                assert referee.state == before, promise.differs(
                    f"undo of {correction}", referee.state, before
                )


def the_causes_of_a_journal_judged_again_give_the_same_journal(case: Case, seed: int) -> None:
    chance = Random(seed)
    for referee in walk(case, chance, steps=60, nonsense=0.3):
        latest = max((entry.cause.at for entry in referee.journal.entries), default=0)
        dice = chance.random()
        if dice < 0.05:
            referee.undo(latest)
        elif dice < 0.1:
            referee.redo(latest)
        elif dice < 0.15:
            entries = [one for one in referee.correctables() if referee.correctable(one.seq, to_nothing=True)]
            if entries:
                referee.correct(chance.choice(entries).seq, None, latest)
    fresh = new_referee(case)
    for entry in referee.journal.entries:
        fresh.observe(entry.cause)
    judged, were = list(fresh.journal.entries), list(referee.journal.entries)
    assert judged == were, promise.otherwise("the same causes, judged again", judged, were)


def a_cut_at_any_entry_leaves_no_half_window(case: Case, seed: int) -> None:
    *_, referee = walk(case, Random(seed), steps=50, nonsense=0.1)
    journal = referee.journal
    promise.a_window_counts_whole_or_not_at_all(case.rules, journal.header, journal.entries)


def a_whole_game_needs_nothing_but_buttons(case: Case, seed: int) -> None:
    """Only of a game that offers every card on a button."""
    _is_won(case, by_buttons, seed)


def a_whole_game_needs_nothing_but_touch(case: Case, seed: int) -> None:
    """Only of a game that shows every card as a choice on the screen."""
    _is_won(case, by_touch, seed)


def _is_won(case: Case, ways: Ways, seed: int) -> None:
    outcome = case.rules.outcome(played(case, Random(seed), ways).state)
    assert outcome is not None, "the game has not come to its end"
    assert outcome.termination != "abandoned", "the game was given up, not played to its end"
    assert outcome.winners, f"a game that was played has winners: {outcome}"


CHECKS: tuple[Check, ...] = (
    a_table_put_right_to_what_it_is_stays_as_it_is,
    a_lawful_walk_keeps_every_promise,
    whatever_the_senses_report_is_judged_and_told,
    undo_takes_back_and_redo_brings_back,
    what_a_timer_ruled_is_not_ruled_again_as_soon_as_it_is_taken_back,
    undo_comes_to_an_end_at_the_beginning,
    correcting_an_entry_to_what_it_was_changes_nothing,
    any_correction_is_one_entry_that_undo_takes_back,
    the_causes_of_a_journal_judged_again_give_the_same_journal,
    a_cut_at_any_entry_leaves_no_half_window,
)
"""What every game keeps. What is played without a camera keeps the two above as well."""
