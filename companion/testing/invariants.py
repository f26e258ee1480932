"""Invariants that hold in every state of any game, as functions that raise `AssertionError`."""

from collections.abc import Iterator, Sequence
from copy import copy
from random import Random
from typing import Any

import msgspec

from companion.core import events as ev
from companion.core import observations as ob
from companion.core.actions import Action, Options, Outcome
from companion.core.button_choices import STEP
from companion.core.events import Event
from companion.core.rules import Rules
from companion.core.view import ViewMode
from companion.referee.dry_run import build_event_check
from companion.referee.journal import Entry, Header, MemoryJournal
from companion.referee.journal.codec import JournalCodec, entry_lines, header_line
from companion.referee.journal.valid_entries import add_entry, build_nodes
from companion.referee.referee import Referee
from companion.testing.random_walks import (
    GameCase,
    lawful_observations,
    random_action,
    random_observation,
    sorted_legal_actions,
)


def check_house_rules(options: type[Options]) -> None:
    """Each can be asked for on the screen, and its default is an answer."""
    structure = msgspec.inspect.type_info(options)
    assert isinstance(structure, msgspec.inspect.StructType), f"{options} is no class of options"
    for field in structure.fields:
        assert not field.required, f"the house rule {field.name} needs a default"
        of_the_buttons = field.name.endswith("_us")  # `Settings.house_rules` fills it in
        if isinstance(field.type, msgspec.inspect.IntType) and not of_the_buttons:
            assert None not in (
                field.type.ge,
                field.type.le,
            ), f"the house rule {field.name} needs bounds, as in Annotated[int, Meta(ge=1, le=9)]"
    try:
        msgspec.convert(msgspec.to_builtins(options()), options)
    except msgspec.ValidationError as wrong:
        raise AssertionError(f"the default of a house rule is not allowed: {wrong}") from wrong


def check_controls_are_ruled(rules: Rules[Any], state: Any) -> None:
    for control, action in rules.controls(state).items():
        ruled = rules.decide(state, ob.ActionDeclared(at=0, action=action))
        assert ruled, f"{control} does {action}, which rules nothing"
        faults = [event for event in ruled if isinstance(event, ev.Infraction)]
        assert not faults, f"{control} offers {action}, an infraction: {faults}"


def check_legal_actions_pass(rules: Rules[Any], state: Any) -> None:
    for action in sorted_legal_actions(rules, state):
        ruled = rules.decide(state, ob.ActionDeclared(at=0, action=action))
        assert ruled, f"{action} is legal and rules nothing"
        faults = [event for event in ruled if isinstance(event, ev.Infraction)]
        assert not faults, f"{action} is legal and an infraction: {faults}"


def check_other_actions_fail(case: GameCase, state: Any, chance: Random) -> None:
    """What nobody may lawfully do now is an infraction, or is not understood; it never passes."""
    known_lawful = sorted_legal_actions(case.rules, state)
    for _ in range(10):
        action = random_action(case, state, chance)
        known = (
            action in known_lawful or Action(action.seat, action.verb) in known_lawful
        )  # a value too many says nothing
        if not known and action.verb != STEP:
            ruled = case.rules.decide(state, ob.ActionDeclared(at=0, action=action))
            lawful = ruled and not any(isinstance(event, ev.Infraction) for event in ruled)
            assert not lawful, f"{action} is not legal and passes: {ruled}"


def check_prompts(rules: Rules[Any], state: Any) -> None:
    asked = [prompt.chair for prompt in rules.prompts(state)]
    assert len(asked) == len(set(asked)), "a chair has one prompt at a time"
    strange = set(asked) - set(state.setup.chairs)
    assert not strange, (
        f"prompts ask {sorted(strange)}, who are not in the game: a prompt has a chair, no seat"
    )
    for prompt in rules.prompts(state):
        assert prompt.actions, f"{prompt} offers nothing"
        assert len(set(prompt.actions)) == len(prompt.actions), f"{prompt} offers the same twice"
        for action in prompt.actions:
            owner = state.chair_of(action.seat)
            assert owner == prompt.chair, f"{action} belongs to chair {owner} and is asked of {prompt.chair}"


def check_something_can_happen(rules: Rules[Any], state: Any) -> None:
    if rules.outcome(state) is None and not state.desk.paused:
        assert lawful_observations(rules, state, 0), "nothing can lawfully happen and the game is not over"


def check_finished_game_is_idle(case: GameCase, state: Any, chance: Random) -> None:
    rules = case.rules
    outcome = rules.outcome(state)
    if outcome is None:
        return
    ended = f"after {'GameAbandoned' if outcome.termination == 'abandoned' else 'the end of the game'}"
    asked, timer, cue = rules.prompts(state), rules.next_timer(state), rules.awaited_cue(state)
    assert not asked, f"{ended} nobody may be asked: {asked}; after_abandonment has to end the phase too"
    assert not rules.controls(state), f"{ended} no button may mean anything: {rules.controls(state)}"
    assert not rules.legal_actions(state), f"{ended} nothing may be done: {rules.legal_actions(state)}"
    assert timer is None, f"{ended} no timer may run: {timer}"
    assert cue is None, f"{ended} no cue may be awaited: {cue}"
    assert rules.awaited_draw(state) is None, f"{ended} no lot may be drawn: {rules.awaited_draw(state)}"
    assert not rules.awaited_regions(state), (
        f"{ended} the camera may await no place: {set(rules.awaited_regions(state))}"
    )
    assert not rules.is_window_open(state), f"{ended} no timed window may be open"
    for _ in range(20):
        seen = random_observation(case, state, 0, chance)
        ruled = rules.decide(state, seen)
        assert ruled == (), f"{ended} nothing may be ruled, but {seen} gives {ruled}"


def check_view_matches_state(rules: Rules[Any], state: Any) -> None:
    views = {mode: rules.view(state, mode) for mode in ViewMode}
    for view in views.values():
        shown = {chair.chair for chair in view.chairs}
        assert view.game == rules.name, f"the view is of {view.game!r}, the rules are of {rules.name!r}"
        assert view.paused == state.desk.paused, "view.paused is what state.desk.paused says"
        assert view.outcome == rules.outcome(state), (
            f"the view tells of {view.outcome}, no other end than the rules"
        )
        assert shown == set(state.setup.chairs), f"the view shows chairs {shown}, {state.setup.chairs} play"
    asked = {prompt.chair for prompt in rules.prompts(state)}
    if not state.desk.paused and rules.outcome(state) is None:
        lit = {chair.chair for chair in views[ViewMode.PLAY].chairs if chair.asked}
        assert lit == asked, f"the view shows {lit or 'nobody'} as asked, prompts ask {asked or 'nobody'}"
    positions = [face.position for face in rules.open_faces(state)]
    assert len(set(positions)) == len(positions), "no two faces lie in one position"


def check_rulings_have_sentences(rules: Rules[Any], state: Any, events: tuple[Event, ...]) -> None:
    for event in events:
        for log in (False, True):
            sentence = rules.sentence(state, event, log=log)
            silent = rules.is_silent(event)
            assert (sentence is None) == silent, f"{event} is told as {sentence}, and silent() says {silent}"
        assert rules.explanation_key(state, event), f"why() names no rule for {event}"


def check_rulings_name_existing(rules: Rules[Any], state: Any, events: tuple[Event, ...]) -> None:
    check = build_event_check(rules, state.setup)
    for event in events:
        check(event)


def check_journal_round_trip(case: GameCase, referee: Referee[Any]) -> None:
    journal = referee.journal
    first = header_line(journal.header)
    lines = list(entry_lines(journal.header, journal.entries, first))
    header, entries = JournalCodec(case.rules).read(first, lines)
    assert header == journal.header, f"written {journal.header}, read {header}"
    written = list(journal.entries)
    assert entries == written, describe_entry_difference("the journal, read again", entries, written)


def check_pieces_are_conserved(rules: Rules[Any], state: Any) -> None:
    assert rules.find_violation(state) is None, f"broken() says: {rules.find_violation(state)}"


def collect_public_output(
    rules: Rules[Any], state: Any, entries: Sequence[Entry[Event]]
) -> dict[str, object]:
    """Everything that leaves the rules now; `entries` led here, and stand in the log."""
    seen = [entry.cause for entry in entries if isinstance(entry.cause, ob.TableSeen)]
    return {
        "view": rules.view(state),
        "log": [rules.sentence(state, event, log=True) for entry in entries for event in entry.events],
        "prompts": rules.prompts(state),
        "controls": rules.controls(state),
        # What may be said is told by its words; which of two hidden places would fit it is not.
        "may": {(one.seat, rules.label(state, one)) for one in rules.legal_actions(state)},
        "corrections": [set(rules.correction_choices(state, one)) for one in seen],
        "timer": rules.next_timer(state),
        "window": rules.is_window_open(state),
        "cue": rules.awaited_cue(state),
        "awaited": rules.awaited_regions(state),
        "lots": rules.awaited_draw(state),
        "outcome": rules.outcome(state),
    }


def check_hidden_cards_do_not_leak(rules: Rules[Any], state: Any, entries: Sequence[Entry[Event]]) -> None:
    """No word, lamp, choice, log or instant differs from what a referee would give who had forgotten it."""
    veiled = rules.redact(state)
    assert rules.redact(veiled) == veiled, "what is veiled hides nothing more"
    if veiled == state:
        return
    known, forgotten = (collect_public_output(rules, one, entries) for one in (state, veiled))
    for what in known:
        assert known[what] == forgotten[what], f"{what} tells what lies hidden"


def check_abandoned_game_is_over(case: GameCase, state: Any) -> None:
    """And sound, whatever was under way when it was given up (K-T65)."""
    if case.rules.outcome(state) is None:
        for event in case.rules.decide(state, ob.AbandonRequested(at=0)):
            state = case.rules.evolve(state, event)
        outcome = case.rules.outcome(state)
        said = f"after GameAbandoned the outcome is Outcome('abandoned', ()), not {outcome}"
        assert outcome == Outcome("abandoned", ()), said
        check_pieces_are_conserved(case.rules, state)
        check_finished_game_is_idle(case, state, Random(0))


def check_states_are_values(state: Any) -> None:
    try:
        hash(state)
        msgspec.json.encode(state)
    except TypeError as trouble:
        raise AssertionError(
            f"a state is frozen and holds tuples, no lists, dicts or sets: {trouble}"
        ) from trouble


def check_windows_are_atomic(rules: Rules[Any], header: Header, entries: Sequence[Entry[Event]]) -> None:
    """Cut the journal after each entry in every way a table can: no half window is ever gone on with.

    What all cuts have in common is folded once.
    """
    whole = Referee(rules, MemoryJournal(header))
    folded = build_nodes(rules.evolve, rules.initial_state(whole.setup), entries)
    for length, entry in enumerate(entries, 1):
        whole.append_entry(entry)
        for referee in interrupt_in_every_way(whole):
            nodes = folded[: length + 1]
            for later in referee.journal.entries[length:]:
                nodes.append(add_entry(rules.evolve, nodes, later))
            again = nodes[-1].state
            assert again == referee.state, describe_state_difference(
                "the journal, folded again", again, referee.state
            )


def interrupt_in_every_way(whole: Referee[Any]) -> Iterator[Referee[Any]]:
    """A twin of the referee for each way, after the cut; no window is open any more."""
    rules = whole.rules
    was_open, at = rules.is_window_open(whole.state), whole.at
    over = rules.outcome(whole.state) is not None
    cuts: list[ob.AnyObservation] = [
        ob.PauseRequested(at=at),
        ob.ProgramRestarted(at=at),
        ob.UndoRequested(at=at),
    ]
    latest = next(
        (one for one in whole.correctable_entries() if whole.is_correctable(one.seq, to_nothing=True)), None
    )
    if latest is not None:
        cuts.append(ob.CorrectionRequested(at=at, seq=latest.seq, truth=None))
    for cut in cuts:
        referee = copy_referee(whole)
        entry = referee.observe(cut)
        if isinstance(cut, ob.PauseRequested) and whole.state.desk.paused:
            continue
        assert not rules.is_window_open(referee.state), f"{cut} leaves half a window"
        if was_open and not over and isinstance(cut, ob.PauseRequested | ob.ProgramRestarted):
            voided = any(isinstance(event, ev.WindowVoided) for event in entry.events)
            assert voided, f"{cut} in an open window has to give WindowVoided, and gives {entry.events}"
        if isinstance(cut, ob.PauseRequested):
            assert referee.next_timer() is None, f"while paused no timer may run: {referee.next_timer()}"
        yield referee


def describe_state_difference(what: str, one: Any, other: Any) -> str:
    """How two states differ that ought to be the same, field by field."""
    fields = (name for name in other.__struct_fields__ if getattr(one, name, None) != getattr(other, name))
    differences = (f"{name} is {getattr(one, name, None)!r}, not {getattr(other, name)!r}" for name in fields)
    return f"{what}, gives another state: {'; '.join(differences)}"


def describe_entry_difference(what: str, one: Sequence[Any], other: Sequence[Any]) -> str:
    """Where two rows of entries part that ought to be the same."""
    number = next((at for at, both in enumerate(zip(one, other, strict=False)) if both[0] != both[1]), None)
    if number is None:
        return f"{what}, gives {len(one)} entries, not {len(other)}"
    return f"{what}, differs at entry {number}: {one[number]}, not {other[number]}"


def copy_referee(referee: Referee[Any]) -> Referee[Any]:
    """The same game in a journal of its own; neither entries nor faces are gone through again."""
    other = copy(referee)
    other.journal = MemoryJournal(referee.journal.header, referee.journal.entries)
    referee._faces.identities_in(referee._nodes[-1])  # noqa: SLF001 - once for all twins, which know what was found
    other._nodes, other._faces = list(referee._nodes), copy(referee._faces)  # noqa: SLF001
    other._faces._nodes = other._nodes  # noqa: SLF001 - they part ways from here
    return other
