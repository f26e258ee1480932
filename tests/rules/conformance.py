"""What every game promises, as functions over any game; chance comes from a seed, so a failure repeats.

A walk through a game mixes what may lawfully come next with anything the senses could report.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterator, Sequence
from copy import copy
from functools import lru_cache
from random import Random
from typing import Any

import msgspec
from lantern.rules import BACK, CARDS, LANTERN
from lantern_play import SETUP

from companion.core import events as ev
from companion.core import observations as ob
from companion.core.actions import HOLD, SECOND, Action, Micros, Outcome, Setup, Value
from companion.core.events import Event
from companion.core.observations import Observation
from companion.core.rules import STEP, Rules
from companion.core.view import Mode
from companion.games import RULES
from companion.paths import assets
from companion.referee.journal import Entry, Header, MemoryJournal, header_of, replay
from companion.referee.journal.codec import Codec, encoded
from companion.referee.referee import Referee

BUTTONS = ("seat", "seat", "seat", "back", "next", "ok")


class Case(Value, frozen=True):
    """One game at one table."""

    rules: Any
    setup: Setup
    cards: tuple[str, ...]
    """Faces that may turn up anywhere."""

    def __str__(self) -> str:
        return f"{self.rules.name}-{self.setup.players}{'-bot' * self.setup.bot}"


def cases(*, every: bool = False) -> Iterator[Case]:
    """Every registered game with as few and as many chairs as it takes, in every mode; and the fake one.

    `every`: with any number of chairs.
    """
    yield Case(LANTERN, SETUP, (*CARDS, BACK))
    for rules in RULES.values():
        cards = _cards(rules.name)
        for players, bot in rules.tables() if every else tables(rules):
            # The chairs in use leave gaps, so that chair and seat are seldom the same number.
            chairs = tuple(range(8 - players, 8))
            yield Case(rules, Setup(chairs, rules.options(), bot), cards)


def tables(rules: Any) -> list[tuple[int, bool]]:
    """The fewest and the most people of every mode: modes differ in how many decks are dealt to how many."""
    ways = sorted(rules.tables(), key=lambda way: (decks(rules, *way) - way[0], *way))
    kinds = [(bot, decks(rules, players, bot=bot) - players) for players, bot in ways]
    ends = {
        way for kind in kinds for way in _ends([w for w, k in zip(ways, kinds, strict=True) if k == kind])
    }
    return sorted(ends)


def _ends(ways: list[tuple[int, bool]]) -> tuple[tuple[int, bool], ...]:
    return ways[0], ways[-1]


def decks(rules: Any, players: int, bot: bool) -> int:
    """How many hands of cards so many people play with."""
    return int(rules.seats(Setup(tuple(range(players)), rules.options(), bot)))


def _cards(game: str) -> tuple[str, ...]:
    deck = tomllib.loads((assets() / "decks" / f"{game}.toml").read_text(encoding="utf-8"))
    backs = sorted({card["back"] for card in deck["card"] if "back" in card})
    return (*(card["id"] for card in deck["card"]), *backs, "unknown")


def new_referee(case: Case) -> Referee[Any]:
    return Referee(case.rules, MemoryJournal(header_of(case.rules.name, case.setup, kind="simulation")))


def lawful(rules: Rules[Any], state: Any, at: Micros) -> list[Observation]:
    """Everything that may lawfully come next; empty only when the game is over or paused."""
    ways: list[Observation] = []
    if (lots := rules.awaited_draw(state)) is not None:
        ways += [ob.Drawn(at=at, choices=lots, index=index) for index in range(len(lots))]
    if (cue := rules.awaited_cue(state)) is not None:
        ways.append(ob.CueHeard(at=at, cue=cue.name, attempt=cue.attempt))
    if (timer := rules.next_timer(state)) is not None:
        ways.append(ob.TimerElapsed(at=timer.due, timer=timer.name))
    return ways + [ob.Declared(at=at, action=action) for action in legal(rules, state)]


@lru_cache(maxsize=4)
def legal(rules: Rules[Any], state: Any) -> tuple[Action, ...]:
    """What may be done now, always in the same order; a walk and its promises ask it again and again."""
    return tuple(sorted(rules.legal_actions(state), key=str))


def anything(case: Case, state: Any, at: Micros, chance: Random) -> Observation:
    """Some observation, sensible or not."""
    rules = case.rules
    chair = chance.choice((*case.setup.chairs, *case.setup.chairs, 0, 9, None))
    button = "seat" if chair is not None else chance.choice(BUTTONS)
    regions = (*sorted(rules.awaited(state)), "slot:1", "slot:99", "hand:1", "hand:7", "place-2", "elsewhere")
    match chance.randrange(18):
        case 0 | 1 | 2:
            return ob.ButtonPressed(at=at, chair=chair, button=button)
        case 3 | 4:
            return ob.ButtonReleased(at=at, chair=chair, button=button)
        case 5:
            return ob.ButtonHeld(at=at, chair=chair, button=button)
        case 6 | 7 | 8:
            return ob.Declared(at=at, action=_action(case, state, chance))
        case 9 | 10:
            seen = chance.sample(regions, k=chance.randint(1, 2))
            return ob.TableSeen(
                at=at,
                regions=tuple(
                    ob.Region(name, _faces(case, chance, 2), max(0, at - 900), max(0, at - 600))
                    for name in dict.fromkeys(seen)
                ),
            )
        case 11:
            return ob.HandShown(at=at, seat=chance.randrange(9), faces=_faces(case, chance, 5))
        case 12:
            cue = rules.awaited_cue(state)
            return ob.CueHeard(at=at, cue=cue.name if cue else "no cue", attempt=chance.randrange(3))
        case 13:
            # The loop alone makes these, and only of timers that stand.
            return ob.TimerElapsed(at=at, timer="no timer")
        case 14:
            return ob.Drawn(at=at, choices=rules.awaited_draw(state) or ("a", "b"), index=chance.randrange(9))
        case 15:
            pairs = (("slot:1", 3), ("nowhere:x", 1), ("place-0", "sun"), ("emperor", 1), ("sheep:2", 1))
            return ob.TableDeclared(at=at, table=tuple(chance.sample(pairs, k=chance.randint(0, 2))))
        case 16:
            return chance.choice((ob.Paused(at=at), ob.Resumed(at=at), ob.Restarted(at=at)))
        case _:
            gone = chance.choice(("", "unplugged"))
            choices = (
                ob.CameraLost(at=at),
                ob.CameraBack(at=at),
                ob.AdapterLost(at=at, adapter="x", reason=gone),
            )
            return chance.choice(choices)


def _action(case: Case, state: Any, chance: Random) -> Action:
    known = legal(case.rules, state)
    verbs = sorted({action.verb for action in known} | {"fly", STEP})
    values = (
        *sorted({action.value for action in known}, key=str),
        None,
        0,
        -1,
        3,
        99,
        "sun",
        "1-2@3",
        "@",
        "",
    )
    return Action(chance.randrange(-1, 10), chance.choice(verbs), chance.choice(values))


def _faces(case: Case, chance: Random, most: int) -> tuple[ob.Face, ...]:
    return tuple(ob.Face(chance.choice(case.cards)) for _ in range(chance.randint(0, most)))


def walk(case: Case, chance: Random, *, steps: int, nonsense: float) -> Iterator[Referee[Any]]:
    """The referee before each of `steps` observations, and once more at the end."""
    referee = new_referee(case)
    at = 0
    for _ in range(steps):
        yield referee
        at += chance.choice((0, 1, 50_000, SECOND))
        ways = lawful(case.rules, referee.state, at)
        if chance.random() < nonsense or not ways:
            if case.rules.outcome(referee.state) is not None:
                break
            seen = anything(case, referee.state, at, chance)
            at = max(at, seen.at)
            referee.fire_timers(at)
            referee.observe(seen)  # type: ignore[arg-type]
            if referee.state.desk.paused and chance.random() < 0.7:
                referee.observe(ob.Resumed(at=at))
        else:
            seen = chance.choice(ways)
            at = max(at, seen.at)
            if not isinstance(seen, ob.TimerElapsed):
                referee.fire_timers(at)
            elif referee.next_timer() is None:
                continue
            referee.observe(seen)  # type: ignore[arg-type]
    yield referee


def new_states(walk: Iterator[Referee[Any]]) -> Iterator[Referee[Any]]:
    """The referee wherever something was ruled or the state is another one: to look twice tells no more."""
    before, length = None, 0
    for referee in walk:
        entries = referee.journal.entries
        ruled = any(entry.events for entry in entries[length:])
        if ruled or referee.state != before:
            yield referee
        before, length = referee.state, len(entries)


def by_buttons(rules: Rules[Any], state: Any, at: Micros, chance: Random) -> list[Observation]:
    """Somebody's button, or a shared one, goes down and comes up again: one that means something now."""
    table = rules.controls(state)
    if not table:
        return []
    chair, press = chance.choice(sorted(table, key=str))
    button = "seat" if chair is not None else press
    said: list[Observation] = [ob.ButtonPressed(at=at, chair=chair, button=button)]
    if press == "hold":
        said.append(ob.ButtonHeld(at=at + HOLD, chair=chair, button=button))
    return [*said, ob.ButtonReleased(at=said[-1].at + 50_000, chair=chair, button=button)]


def by_touch(rules: Rules[Any], state: Any, at: Micros, chance: Random) -> list[Observation]:
    """A finger on a choice that the screen shows now."""
    view = rules.view(state)
    shown = [choice.action for chair in view.chairs for choice in chair.choices]
    shown += [choice.action for choice in view.shared]
    return [ob.Declared(at=at, action=chance.choice(shown))] if shown else []


def played(
    case: Case,
    chance: Random,
    ways: Callable[[Rules[Any], Any, Micros, Random], list[Observation]],
    *,
    most: int = 6_000,
) -> Referee[Any]:
    """A game to its end in which people do nothing else; nobody is stuck before."""
    rules, referee, at = case.rules, new_referee(case), 0
    for _ in range(most):
        state = referee.state
        if rules.outcome(state) is not None:
            return referee
        at += 50_000
        referee.fire_timers(at)
        timer, said = referee.next_timer(), ways(rules, referee.state, at, chance)
        if (lots := rules.awaited_draw(state)) is not None:
            said = [ob.Drawn(at=at, choices=lots, index=chance.randrange(len(lots)))]
        elif (cue := rules.awaited_cue(state)) is not None and chance.random() < 0.5:
            said = [ob.CueHeard(at=at, cue=cue.name, attempt=cue.attempt)]
        elif timer is not None and (not said or chance.random() < 0.3):
            at = max(at, timer.due)
            referee.fire_timers(at)
            continue
        assert said, f"in {state} nobody can do anything this way"
        for seen in said:
            referee.fire_timers(seen.at)
            at = seen.at
            referee.observe(seen)  # type: ignore[arg-type]
    raise AssertionError(f"after {most} deeds the game is not over")


# The promises -----------------------------------------------------------------------------------------------


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
    lawful = legal(case.rules, state)
    for _ in range(10):
        action = _action(case, state, chance)
        known = (
            action in lawful or Action(action.seat, action.verb) in lawful
        )  # a value too many says nothing
        if not known and action.verb != STEP:
            ruled = case.rules.decide(state, ob.Declared(at=0, action=action))
            passes = ruled and not any(isinstance(event, ev.Infraction) for event in ruled)
            assert not passes, f"{action} is not legal and passes: {ruled}"


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
        "look": rules.awaited(state),
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
    twin._nodes = list(referee._nodes)
    return twin
