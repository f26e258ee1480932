"""What every game promises of any of its states, as functions that raise `AssertionError`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from copy import copy
from random import Random
from typing import Any

import msgspec

from companion.core import events as ev
from companion.core import observations as ob
from companion.core.actions import Action, Outcome
from companion.core.events import Event
from companion.core.presses import STEP
from companion.core.rules import Rules
from companion.core.view import Mode
from companion.referee.journal import Entry, Header, MemoryJournal, replay
from companion.referee.journal.codec import Codec, encoded
from companion.referee.referee import Referee
from companion.testing.walks import Case, any_action, anything, lawful, legal


def every_control_is_ruled(rules: Rules[Any], state: Any) -> None:
    for control, action in rules.controls(state).items():
        ruled = rules.decide(state, ob.Declared(at=0, action=action))
        assert ruled, f"{control} does {action}, which rules nothing"
        faults = [event for event in ruled if isinstance(event, ev.Infraction)]
        assert not faults, f"{control} offers {action}, an infraction: {faults}"


def every_legal_action_is_lawful(rules: Rules[Any], state: Any) -> None:
    for action in legal(rules, state):
        ruled = rules.decide(state, ob.Declared(at=0, action=action))
        assert ruled, f"{action} is legal and rules nothing"
        assert not any(isinstance(event, ev.Infraction) for event in ruled), f"{action}: {ruled}"


def no_other_action_is(case: Case, state: Any, chance: Random) -> None:
    """What nobody may lawfully do now is an infraction, or is not understood; it never passes."""
    known_lawful = legal(case.rules, state)
    for _ in range(10):
        action = any_action(case, state, chance)
        known = (
            action in known_lawful or Action(action.seat, action.verb) in known_lawful
        )  # a value too many says nothing
        if not known and action.verb != STEP:
            ruled = case.rules.decide(state, ob.Declared(at=0, action=action))
            lawful = ruled and not any(isinstance(event, ev.Infraction) for event in ruled)
            assert not lawful, f"{action} is not legal and passes: {ruled}"


def what_is_asked_belongs_to_the_table(rules: Rules[Any], state: Any) -> None:
    asked = [prompt.chair for prompt in rules.prompts(state)]
    assert len(asked) == len(set(asked)), "a chair has one prompt at a time"
    assert set(asked) <= set(state.setup.chairs)
    for prompt in rules.prompts(state):
        assert prompt.options
        assert len(set(prompt.options)) == len(prompt.options)
        for action in prompt.options:
            assert rules.chair_of(state, action.seat) == prompt.chair


def somebody_is_waited_for(rules: Rules[Any], state: Any) -> None:
    if rules.outcome(state) is None and not state.desk.paused:
        assert lawful(rules, state, 0), "nothing can lawfully happen and the game is not over"


def a_finished_game_waits_for_nobody(case: Case, state: Any, chance: Random) -> None:
    rules = case.rules
    if rules.outcome(state) is None:
        return
    assert not rules.controls(state)
    assert not rules.legal_actions(state)
    assert not rules.prompts(state)
    assert rules.next_timer(state) is None
    assert rules.awaited_cue(state) is None
    assert rules.awaited_draw(state) is None
    assert not rules.awaited(state)
    assert not rules.window_open(state)
    for _ in range(20):
        assert rules.decide(state, anything(case, state, 0, chance)) == ()


def the_view_tells_what_the_state_says(rules: Rules[Any], state: Any) -> None:
    views = {mode: rules.view(state, mode) for mode in Mode}
    for view in views.values():
        assert view.game == rules.name
        assert view.paused == state.desk.paused
        assert view.outcome == rules.outcome(state)
        assert {chair.chair for chair in view.chairs} == set(state.setup.chairs)
    asked = {prompt.chair for prompt in rules.prompts(state)}
    if not state.desk.paused and rules.outcome(state) is None:
        assert {chair.chair for chair in views[Mode.PLAY].chairs if chair.asked} == asked


def every_ruling_can_be_told(rules: Rules[Any], state: Any, events: tuple[Event, ...]) -> None:
    for event in events:
        for log in (False, True):
            sentence = rules.sentence(state, event, log=log)
            assert (sentence is None) == rules.silent(event)
        assert rules.why(event)


def a_journal_reads_back_as_it_was_written(case: Case, referee: Referee[Any]) -> None:
    journal = referee.journal
    header, entries = Codec(case.rules).read(encoded(journal.header), list(map(encoded, journal.entries)))
    assert header == journal.header
    assert entries == list(journal.entries)


def cards_and_tokens_are_conserved(rules: Rules[Any], state: Any) -> None:
    assert rules.broken(state) is None


def what_is_told(rules: Rules[Any], state: Any, entries: Sequence[Entry[Event]]) -> dict[str, object]:
    """Everything that leaves the rules now; `entries` led here, and stand in the log."""
    seen = [entry.cause for entry in entries if isinstance(entry.cause, ob.TableSeen)]
    return {
        "view": rules.view(state),
        "log": [rules.sentence(state, event, log=True) for entry in entries for event in entry.events],
        "prompts": rules.prompts(state),
        "controls": rules.controls(state),
        # What may be said is told by its words; which of two hidden places would fit it is not.
        "may": {(one.seat, rules.label(state, one)) for one in rules.legal_actions(state)},
        "corrections": [set(rules.alternatives(state, one)) for one in seen],
        "timer": rules.next_timer(state),
        "window": rules.window_open(state),
        "cue": rules.awaited_cue(state),
        "awaited": rules.awaited(state),
        "lots": rules.awaited_draw(state),
        "outcome": rules.outcome(state),
    }


def what_lies_hidden_is_told_by_nothing(
    rules: Rules[Any], state: Any, entries: Sequence[Entry[Event]]
) -> None:
    """No word, lamp, choice, log or instant differs from what a referee would give who had forgotten it."""
    veiled = rules.veiled(state)
    assert rules.veiled(veiled) == veiled, "what is veiled hides nothing more"
    if veiled == state:
        return
    known, forgotten = (what_is_told(rules, one, entries) for one in (state, veiled))
    for what in known:
        assert known[what] == forgotten[what], f"{what} tells what lies hidden"


def an_abandoned_game_is_over(case: Case, state: Any) -> None:
    if case.rules.outcome(state) is None:
        for event in case.rules.decide(state, ob.Abandoned(at=0)):
            state = case.rules.evolve(state, event)
        assert case.rules.outcome(state) == Outcome("abandoned", ())
        a_finished_game_waits_for_nobody(case, state, Random(0))


def states_are_values(state: Any) -> None:
    assert hash(state) == hash(state)
    assert msgspec.json.encode(state)


def a_window_counts_whole_or_not_at_all(
    rules: Rules[Any], header: Header, entries: Sequence[Entry[Event]]
) -> None:
    """Cut the journal after its last entry in every way a table can: no half window is ever gone on with."""
    for referee in cut_in_every_way(Referee(rules, MemoryJournal(header, entries))):
        assert replay(rules, referee.setup, referee.journal.entries) == referee.state


def cut_in_every_way(whole: Referee[Any]) -> Iterator[Referee[Any]]:
    """A twin of the referee for each way, after the cut; no window is open any more."""
    rules = whole.rules
    was_open, at = rules.window_open(whole.state), whole.at
    over = rules.outcome(whole.state) is not None
    cuts: list[ob.AnyObservation] = [ob.Paused(at=at), ob.Restarted(at=at), ob.TakenBack(at=at)]
    latest = next((entry for entry in whole.standing() if whole.correctable(entry.seq)), None)
    if latest is not None:
        cuts.append(ob.Corrected(at=at, seq=latest.seq, truth=None))
    for cut in cuts:
        referee = _twin(whole)
        entry = referee.observe(cut)
        if isinstance(cut, ob.Paused) and whole.state.desk.paused:
            continue
        assert not rules.window_open(referee.state), f"{cut} leaves half a window"
        if was_open and not over and isinstance(cut, ob.Paused | ob.Restarted):
            assert any(isinstance(event, ev.WindowVoided) for event in entry.events), cut
        if isinstance(cut, ob.Paused):
            assert referee.next_timer() is None
        yield referee


def _twin(referee: Referee[Any]) -> Referee[Any]:
    """The same game in a journal of its own, without folding it anew."""
    twin = copy(referee)
    twin.journal = MemoryJournal(referee.journal.header, referee.journal.entries)
    twin._nodes = list(referee._nodes)  # noqa: SLF001 - a fold of every cut would take minutes
    return twin
