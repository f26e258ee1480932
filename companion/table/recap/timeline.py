"""Builds the time line of a finished game from its decisive rulings.

Each game defines which of its rulings are highlights. A running game has no time line, because it would
reveal hidden cards.
"""

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any, NamedTuple

from msgspec.structs import replace

from companion.core.exhibits import MomentKind, RecapMoment
from companion.core.rules import Rules
from companion.core.view import LampSignal, Sentence, View, ViewMode
from companion.games import GAMES
from companion.games.kit.commentary import HistoryStep, winning_chances
from companion.referee.referee import Referee

MAX_STOPS = 40
"""Most stops on a time line; beyond that, turning points in the middle are left out."""


class _Candidate(NamedTuple):
    step: HistoryStep
    kind: MomentKind
    sentence: Sentence


def build_timeline(referee: Referee[Any]) -> tuple[RecapMoment, ...]:
    """The stops of a game in which nothing is hidden any more; empty if the game defines no highlights."""
    rules = referee.rules
    find = GAMES[rules.name].highlights if rules.name in GAMES else None
    if not rules.is_open(referee.state) or find is None:
        return ()
    history = tuple(iterate_steps(referee))
    stops = [_Candidate(history[found.place], found.kind, found.sentence) for found in find(rules, history)]
    then = {step.seq: step.after for step in history}
    """Entry → the state after all its events; in between there may be states that cannot be drawn."""
    stops.sort(key=lambda stop: stop.step.order)
    return tuple(
        RecapMoment(
            stop.step.seq,
            stop.step.at,
            stop.kind,
            stop.sentence,
            _scene_view(rules, then[stop.step.seq], stop.sentence),
            _win_chances(rules, stop.step.before, then[stop.step.seq]),
        )
        for stop in _thin_out(stops)
    )


def _win_chances(rules: Rules[Any], before: Any, after: Any) -> tuple[tuple[float, float], ...]:
    """Everybody's chances of winning in two states."""
    lead = GAMES[rules.name].score_lead
    if lead is None:
        return ()
    outcome = rules.outcome(after)
    if outcome is not None and outcome.winners:
        share = 1 / len(outcome.winners)
        end = tuple(share * (chair in outcome.winners) for chair in after.setup.chairs)
    else:
        end = winning_chances(lead(after))
    return tuple(zip(winning_chances(lead(before)), end, strict=True))


def most_decisive(moments: Sequence[RecapMoment]) -> tuple[RecapMoment, ...]:
    """The three rulings that changed the chances most, in order; several stops of one ruling count as one."""
    rulings = [list(same) for _, same in groupby(moments, key=lambda one: one.seq)]
    whole = [replace(same[0], chances=_chance_change(same[0], same[-1])) for same in rulings]
    moved = sorted((one for one in whole if one.chance_shift > 0), key=lambda one: -one.chance_shift)[:3]
    return tuple(sorted(moved, key=lambda one: one.seq))


def _chance_change(first: RecapMoment, last: RecapMoment) -> tuple[tuple[float, float], ...]:
    """Everybody's chances before one stop and after another."""
    return tuple((one, other) for (one, _), (_, other) in zip(first.chances, last.chances, strict=True))


def iterate_steps(referee: Referee[Any]) -> Iterator[HistoryStep]:
    """All valid rulings, oldest first, with the states before and after."""
    rules = referee.rules
    state, order = rules.initial_state(referee.setup), 0
    for entry in reversed(list(referee.standing_entries())):
        for event in entry.events:
            after = rules.evolve(state, event)
            yield HistoryStep(order, entry.seq, entry.cause.at, state, event, after)
            state, order = after, order + 1


def _thin_out(stops: Sequence[_Candidate]) -> Sequence[_Candidate]:
    """Thin out the turning points evenly, except the last, until there are at most `MAX_STOPS` stops."""
    turning = [stop for stop in stops[:-1] if stop.kind == "turning"]
    spare = len(stops) - MAX_STOPS
    if spare <= 0 or not turning:
        return stops[-MAX_STOPS:]
    kept = max(1, len(turning) - spare)
    chosen = {turning[place * len(turning) // kept].step.order for place in range(kept)}
    rest = [
        stop for stop in stops if stop.kind != "turning" or stop.step.order in chosen or stop is stops[-1]
    ]
    return rest[-MAX_STOPS:]


def _scene_view(rules: Rules[Any], state: Any, said: Sentence) -> View:
    """The view of a state with the event as its headline, and without prompts."""
    view = rules.view(state, ViewMode.OPEN)
    chairs = tuple(
        replace(chair, choices=(), asked=False, note=None, lamp=LampSignal.DARK) for chair in view.chairs
    )
    bots = tuple(replace(bot, asked=False, says=None) for bot in view.bots)
    return replace(
        view, headline=said, hint=None, chairs=chairs, bots=bots, shared=(), count=None, cue=None,
        card="", dark=False, paused=False, outcome=None,
    )  # fmt: skip
