"""Conformance checks that hold on random walks through any game.

A game's own tests go through `CONFORMANCE_CHECKS`, with as many seeds as they like; `docs/add-a-game.md`
shows how.
"""

from collections.abc import Callable, Iterable
from random import Random
from typing import Any

from companion.core.actions import LOST
from companion.core.events import apply_events
from companion.core.observations import RandomDraw, TableDeclared, TimerElapsed
from companion.core.view import repairable_values
from companion.referee.journal import MemoryJournal, replay_state
from companion.referee.referee import CorrectableObservation, Referee
from companion.testing import invariants as promise
from companion.testing.random_walks import (
    ChooseObservations,
    GameCase,
    new_referee,
    play_to_the_end,
    press_random_button,
    skip_unchanged,
    touch_random_choice,
    walk_randomly,
)

ConformanceCheck = Callable[[GameCase, int], None]


def check_house_rules(case: GameCase, seed: int) -> None:
    promise.check_house_rules(case.rules.options)


def check_redeclared_table_is_noop(case: GameCase, seed: int) -> None:
    """K-T62: in no phase, paused or in a count, does it matter that it was said again."""
    for referee in skip_unchanged(walk_randomly(case, Random(seed), steps=80, nonsense=0.3)):
        state = referee.state
        stands = repairable_values(case.rules.view(state))
        ruled = case.rules.decide(state, TableDeclared(at=referee.at, table=stands))
        assert ruled == (), f"a table said to be as it is has to change nothing, and gives {ruled}"


def check_lawful_walk(case: GameCase, seed: int) -> None:
    chance = Random(seed)
    for referee in skip_unchanged(walk_randomly(case, chance, steps=120, nonsense=0)):
        state = referee.state
        promise.check_pieces_are_conserved(case.rules, state)
        if chance.random() < 0.3:
            promise.check_hidden_cards_do_not_leak(case.rules, state, referee.journal.entries[-8:])
        promise.check_controls_are_ruled(case.rules, state)
        promise.check_legal_actions_pass(case.rules, state)
        promise.check_other_actions_fail(case, state, chance)
        promise.check_prompts(case.rules, state)
        promise.check_something_can_happen(case.rules, state)
        promise.check_view_matches_state(case.rules, state)
        promise.check_finished_game_is_idle(case, state, chance)


def check_arbitrary_observations(case: GameCase, seed: int) -> None:
    chance = Random(seed)
    for referee in skip_unchanged(walk_randomly(case, chance, steps=120, nonsense=0.5)):
        state = referee.state
        promise.check_pieces_are_conserved(case.rules, state)
        if chance.random() < 0.2:
            promise.check_hidden_cards_do_not_leak(case.rules, state, referee.journal.entries[-8:])
        promise.check_controls_are_ruled(case.rules, state)
        promise.check_legal_actions_pass(case.rules, state)
        promise.check_something_can_happen(case.rules, state)
        promise.check_view_matches_state(case.rules, state)
        promise.check_finished_game_is_idle(case, state, chance)
        promise.check_abandoned_game_is_over(case, state)
        promise.check_states_are_values(state)
        if referee.journal.entries:
            promise.check_rulings_have_sentences(case.rules, state, referee.journal.entries[-1].events)
            promise.check_rulings_name_existing(case.rules, state, referee.journal.entries[-1].events)
    promise.check_journal_round_trip(case, referee)
    _check_journal_folds_to_state(case, referee)


def _check_journal_folds_to_state(case: GameCase, referee: Referee[Any]) -> None:
    again = replay_state(case.rules, case.setup, referee.journal.entries)
    assert again == referee.state, promise.describe_state_difference(
        "the journal, folded again", again, referee.state
    )


def check_undo_and_redo(case: GameCase, seed: int) -> None:
    chance = Random(seed)
    for referee in walk_randomly(case, chance, steps=60, nonsense=0.3):
        if chance.random() > 0.2 or referee.find_undoable() is None:
            continue
        before = referee.state
        target = referee.find_undoable()
        undone = referee.undo(0)
        assert target is not None, "what is undoable has an entry"
        assert not isinstance(target.cause, RandomDraw), "chance would be asked until it pleases"
        assert undone is not None, f"{target} is undoable and is not undone"
        assert undone.retracts == target.seq, f"undo takes back {target}, not entry {undone.retracts}"
        assert not case.rules.is_window_open(referee.state), f"undo of {target} leaves a window open"
        if not undone.events:
            then = referee.state_before(target.seq)
            assert referee.state == then, promise.describe_state_difference(
                f"undo of {target}", referee.state, then
            )
        shows = referee.uncovers(undone.seq)
        redone = referee.redo(0)
        assert (redone is None) == shows, "only what would show what lies hidden stays away"
        if redone is not None and not redone.events:
            assert referee.state == before, promise.describe_state_difference(
                f"redo of {target}", referee.state, before
            )
        assert referee.redo(0) is None, f"after the redo of {target} there is nothing more to redo"
        _check_journal_folds_to_state(case, referee)


def check_undone_timer_stays_gone(case: GameCase, seed: int) -> None:
    *_, referee = walk_randomly(case, Random(seed), steps=100, nonsense=0.2)
    header, entries = referee.journal.header, referee.journal.entries
    for length, entry in enumerate(entries, 1):
        if not isinstance(entry.cause, TimerElapsed):
            continue
        tried = Referee(case.rules, MemoryJournal(header, entries[:length]))
        target = tried.find_undoable()
        if target is not None and isinstance(target.cause, TimerElapsed):
            tried.undo(tried.at)
            again = [event for entry in tried.fire_timers(tried.at + 1) for event in entry.events]
            assert not set(again) & set(target.events), f"{again} stands again at once"


def check_undo_terminates(case: GameCase, seed: int) -> None:
    *_, referee = walk_randomly(case, Random(seed), steps=60, nonsense=0.3)
    undos = 0
    while referee.undo(0) is not None:
        undos += 1
        assert undos <= 70, "a walk of 60 steps has more than 70 undos: undo never comes to an end"
    outcome = case.rules.outcome(referee.state)
    stays = referee.settled  # hidden cards were looked at or told of: nobody goes back behind that
    assert outcome is None or stays, f"with everything taken back the game is over: {outcome}"


def check_null_correction_is_noop(case: GameCase, seed: int) -> None:
    chance = Random(seed)
    *_, referee = walk_randomly(case, chance, steps=60, nonsense=0.2)
    entries = list(referee.correctable_entries())
    if not entries or case.rules.is_window_open(referee.state):
        return
    entry = chance.choice(entries)
    state, line = referee.state, list(referee.standing_entries())
    truth = entry.cause
    assert isinstance(truth, CorrectableObservation), f"{truth} cannot be corrected"
    latest = max(one.cause.at for one in referee.journal.entries)
    correction = referee.correct(entry.seq, truth, latest)
    unread = apply_events(state, tuple(case.rules.unread_places(state)))  # the camera looks again
    assert referee.state in (state, unread), promise.describe_state_difference(
        f"{entry}, corrected to what it was", referee.state, state
    )
    hidden = any(referee.conceals(entry.seq, event) for event in entry.events)

    def told_of(events: Iterable[Any]) -> tuple[Any, ...]:
        return tuple(event for event in events if not case.rules.is_silent(event))

    news = told_of(referee.new_events(correction))
    assert news == () or hidden, "of a hidden face it is not told that it was right"
    told = list(filter(None, (told_of(one.events) for one in referee.standing_entries())))
    were = list(filter(None, (told_of(one.events) for one in line)))
    assert told == were, f"{entry}, corrected to what it was, gives {told}, not {were}"
    _check_journal_folds_to_state(case, referee)


def check_correction_is_undoable(case: GameCase, seed: int) -> None:
    chance = Random(seed)
    *_, referee = walk_randomly(case, chance, steps=60, nonsense=0.3)
    for _ in range(3):
        entries = list(referee.correctable_entries())
        if not entries:
            return
        entry, other = chance.choice(entries), chance.choice(entries)
        before, length = referee.state, len(referee.journal.entries)
        truth = other.cause if chance.random() < 0.8 else None
        assert truth is None or isinstance(truth, CorrectableObservation), f"{truth} cannot be corrected"
        if truth is None and not referee.is_correctable(entry.seq, to_nothing=True):
            continue  # cards were looked at because of it
        latest = max(one.cause.at for one in referee.journal.entries)
        correction = referee.correct(entry.seq, truth, latest)
        added = len(referee.journal.entries) - length
        assert added == 1, f"the correction of {entry} to {truth} is {added} entries"
        assert not case.rules.is_window_open(referee.state), f"{correction} leaves a window open"
        _check_journal_folds_to_state(case, referee)
        promise.check_journal_round_trip(case, referee)
        if chance.random() < 0.5:
            undone = referee.undo(latest)
            assert undone is not None, f"{correction} cannot be undone"
            assert undone.retracts == correction.seq, f"undo takes back {undone.retracts}, not {correction}"
            if not undone.events:
                assert referee.state == before, promise.describe_state_difference(
                    f"undo of {correction}", referee.state, before
                )


def check_replay_is_deterministic(case: GameCase, seed: int) -> None:
    chance = Random(seed)
    for referee in walk_randomly(case, chance, steps=60, nonsense=0.3):
        latest = max((entry.cause.at for entry in referee.journal.entries), default=0)
        dice = chance.random()
        if dice < 0.05:
            referee.undo(latest)
        elif dice < 0.1:
            referee.redo(latest)
        elif dice < 0.15:
            entries = [
                one
                for one in referee.correctable_entries()
                if referee.is_correctable(one.seq, to_nothing=True)
            ]
            if entries:
                referee.correct(chance.choice(entries).seq, None, latest)
    fresh = new_referee(case)
    for entry in referee.journal.entries:
        fresh.observe(entry.cause)
    judged, were = list(fresh.journal.entries), list(referee.journal.entries)
    assert judged == were, promise.describe_entry_difference("the same causes, judged again", judged, were)


def check_interrupted_windows(case: GameCase, seed: int) -> None:
    *_, referee = walk_randomly(case, Random(seed), steps=50, nonsense=0.1)
    journal = referee.journal
    promise.check_windows_are_atomic(case.rules, journal.header, journal.entries)


def check_playable_by_buttons(case: GameCase, seed: int) -> None:
    """Only of a game that offers every card on a button."""
    _check_game_is_won(case, press_random_button, seed)


def check_playable_by_touch(case: GameCase, seed: int) -> None:
    """Only of a game that shows every card as a choice on the screen."""
    _check_game_is_won(case, touch_random_choice, seed)


def _check_game_is_won(case: GameCase, ways: ChooseObservations, seed: int) -> None:
    outcome = case.rules.outcome(play_to_the_end(case, Random(seed), ways).state)
    assert outcome is not None, "the game has not come to its end"
    assert outcome.termination != "abandoned", "the game was given up, not played to its end"
    won = outcome.winners or outcome.termination == LOST
    assert won, f"a game that was played has winners, or all have lost: {outcome}"


CONFORMANCE_CHECKS: tuple[ConformanceCheck, ...] = (
    check_house_rules,
    check_redeclared_table_is_noop,
    check_lawful_walk,
    check_arbitrary_observations,
    check_undo_and_redo,
    check_undone_timer_stays_gone,
    check_undo_terminates,
    check_null_correction_is_noop,
    check_correction_is_undoable,
    check_replay_is_deterministic,
    check_interrupted_windows,
)
"""What every game keeps. What is played without a camera keeps the two above as well."""
