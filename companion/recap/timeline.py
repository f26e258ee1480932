"""The time line of a finished game: what decided it, what was hidden, what was forgotten.

Each game defines which of its rulings are highlights. A running game has no time line, because it would
reveal hidden cards.
"""

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any, NamedTuple

from msgspec.structs import replace

from companion.core.exhibits import Kind, Moment
from companion.core.rules import Rules
from companion.core.view import Lamp, Mode, Sentence, View
from companion.games import GAMES
from companion.games.kit.highlights import Step, chances
from companion.referee.referee import Referee

MOST = 40
"""Most stops on a time line; beyond that, turning points in the middle are left out."""


class _Stop(NamedTuple):
    step: Step
    kind: Kind
    sentence: Sentence


def timeline(referee: Referee[Any]) -> tuple[Moment, ...]:
    """The stops of a game in which nothing is hidden any more; empty if the game defines no highlights."""
    rules = referee.rules
    find = GAMES[rules.name].highlights if rules.name in GAMES else None
    if not rules.is_open(referee.state) or find is None:
        return ()
    history = tuple(steps(referee))
    stops = [_Stop(history[found.place], found.kind, found.sentence) for found in find(rules, history)]
    then = {step.seq: step.after for step in history}
    """Entry → the state after all its events; in between there may be states that cannot be drawn."""
    stops.sort(key=lambda stop: stop.step.order)
    return tuple(
        Moment(
            stop.step.seq,
            stop.step.at,
            stop.kind,
            stop.sentence,
            _scene(rules, then[stop.step.seq], stop.sentence),
            _chances(rules, stop.step.before, then[stop.step.seq]),
        )
        for stop in _most(stops)
    )


def _chances(rules: Rules[Any], before: Any, after: Any) -> tuple[tuple[float, float], ...]:
    """Everybody's chances of winning in two states."""
    lead = GAMES[rules.name].lead
    if lead is None:
        return ()
    outcome = rules.outcome(after)
    if outcome is not None and outcome.winners:
        share = 1 / len(outcome.winners)
        end = tuple(share * (chair in outcome.winners) for chair in after.setup.chairs)
    else:
        end = chances(lead(after))
    return tuple(zip(chances(lead(before)), end, strict=True))


def greatest(moments: Sequence[Moment]) -> tuple[Moment, ...]:
    """The three rulings that changed the chances most, in order; several stops of one ruling count as one."""
    rulings = [list(same) for _, same in groupby(moments, key=lambda one: one.seq)]
    whole = [replace(same[0], chances=_from_to(same[0], same[-1])) for same in rulings]
    moved = sorted((one for one in whole if one.shift > 0), key=lambda one: -one.shift)[:3]
    return tuple(sorted(moved, key=lambda one: one.seq))


def _from_to(first: Moment, last: Moment) -> tuple[tuple[float, float], ...]:
    """Everybody's chances before one stop and after another."""
    return tuple((one, other) for (one, _), (_, other) in zip(first.chances, last.chances, strict=True))


def steps(referee: Referee[Any]) -> Iterator[Step]:
    """All valid rulings, oldest first, with the states before and after."""
    rules = referee.rules
    state, order = rules.initial_state(referee.setup), 0
    for entry in reversed(list(referee.standing())):
        for event in entry.events:
            after = rules.evolve(state, event)
            yield Step(order, entry.seq, entry.cause.at, state, event, after)
            state, order = after, order + 1


def _most(stops: Sequence[_Stop]) -> Sequence[_Stop]:
    """Thin out the turning points evenly, except the last, until there are at most `MOST` stops."""
    turning = [stop for stop in stops[:-1] if stop.kind == "turning"]
    spare = len(stops) - MOST
    if spare <= 0 or not turning:
        return stops[-MOST:]
    kept = max(1, len(turning) - spare)
    chosen = {turning[place * len(turning) // kept].step.order for place in range(kept)}
    rest = [
        stop for stop in stops if stop.kind != "turning" or stop.step.order in chosen or stop is stops[-1]
    ]
    return rest[-MOST:]


def _scene(rules: Rules[Any], state: Any, said: Sentence) -> View:
    """The view of a state with the event as its headline, and without prompts."""
    view = rules.view(state, Mode.OPEN)
    chairs = tuple(
        replace(chair, choices=(), asked=False, note=None, lamp=Lamp.DARK) for chair in view.chairs
    )
    bots = tuple(replace(bot, asked=False, says=None) for bot in view.bots)
    return replace(
        view, headline=said, hint=None, chairs=chairs, bots=bots, shared=(), count=None, cue=None,
        card="", dark=False, paused=False, outcome=None,
    )  # fmt: skip
