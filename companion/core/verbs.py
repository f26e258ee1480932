"""The actions that a game knows: in which phases and by which players each is allowed, and which function
rules on it.
"""

from collections.abc import Callable, Container, Iterable, Mapping
from functools import lru_cache
from typing import Any, Generic, NamedTuple

from companion.core.actions import Action, Chair, Micros, Prompt, Seat, pair_value
from companion.core.events import Events, Infraction, SeatEvent
from companion.core.game_status import S


class VerbRule(NamedTuple, Generic[S]):
    """One verb: when it may be said, who has to say it, and what it rules."""

    ruling: Callable[[S, Action, Micros], Events]
    phases: frozenset[str]
    who: Callable[[S], Seat | None]
    """The seat that has to say it; None: any."""
    area: str
    """Another player who says it breaks the rule `AREA.not_your_turn`; empty: `turn.not_yours`."""
    may: Callable[[S], bool]
    """Whether it may be said now, in one of its phases and by its seat, whatever its value is."""
    barred: str
    """The rule that a value breaks which may not be said."""


def announce(event: type[SeatEvent]) -> Callable[[Any, Action, Micros], Events]:
    """A verb's ruling that is this one event, about the seat that said it."""
    return lambda _, action, __: (event(action.seat),)


def define_verb(
    ruling: Callable[[S, Action, Micros], Events],
    *phases: str,
    who: Callable[[S], Seat | None] = lambda _: None,
    area: str = "",
    may: Callable[[S], bool] = lambda _: True,
    barred: str = "turn.not_now",
) -> VerbRule[S]:
    """A verb that may be said in `phases`, as long as `may` says so."""
    return VerbRule(ruling, frozenset(phases), who, area, may, barred)


Answer = str | int | tuple[str | int, str | int]
"""A value of a verb; a pair is chosen in two steps."""


def ask(chair: Chair, seat: Seat, *verbs: str | tuple[str, Iterable[Answer]]) -> Prompt:
    """What one chair is asked: to say one of these verbs for a seat, alone or with one of its values."""
    said = ((verb, (None,)) if isinstance(verb, str) else (verb[0], _join_pairs(verb[1])) for verb in verbs)
    return _build_prompt(chair, seat, *said)


def _join_pairs(values: Iterable[Answer]) -> tuple[str | int, ...]:
    return tuple(pair_value(*value) if isinstance(value, tuple) else value for value in values)


@lru_cache(maxsize=4096)
def _build_prompt(chair: Chair, seat: Seat, *verbs: tuple[str, tuple[str | int | None, ...]]) -> Prompt:
    """A prompt is built once and then found again: the same few hundred are asked in every game."""
    return Prompt(chair, tuple([Action(seat, verb, value) for verb, values in verbs for value in values]))


def infraction_ruling(rule: str, seat: Seat | None = None, what: str | int | None = None) -> Events:
    """The ruling that a rule was broken."""
    return (Infraction(rule, seat, what),)


def judge_verb(
    verbs: Mapping[str, VerbRule[S]],
    state: Any,
    action: Action,
    at: Micros,
    legal: Container[Action] | None = None,
) -> Events:
    """The ruling on an action: it cannot be said, not now or not by this seat, or what its verb rules.

    `legal`: the actions whose values may be said; None: each verb rules on its values itself.
    """
    said = verbs.get(action.verb)
    if said is None or not 0 <= action.seat < state.players:
        return infraction_ruling("turn.unknown")
    if state.phase not in said.phases:
        return infraction_ruling("turn.not_now", action.seat)
    if said.who(state) not in {None, action.seat}:
        return infraction_ruling(f"{said.area}.not_your_turn" if said.area else "turn.not_yours", action.seat)
    if not said.may(state):
        return infraction_ruling("turn.not_now", action.seat)
    if legal is not None and action not in legal:
        return infraction_ruling(said.barred, action.seat)
    return said.ruling(state, action, at)
