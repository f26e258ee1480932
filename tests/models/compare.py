"""Compares the rules of a game, step by step, with a model of the same game that knows every hidden card.

A model is written from docs/rules.md alone, by somebody who has not read the rules' code. People act at
random in both: mostly as they should, sometimes not. After each step both must agree on what was ruled, what
may be done next, when the next timer falls, and what everybody can see. A seed repeats a game.
"""

from __future__ import annotations

import typing
from collections.abc import Callable, Iterator, Mapping, Sequence
from random import Random
from types import UnionType
from typing import Any, Literal, NamedTuple, Protocol

from msgspec.structs import fields, replace

from companion.core.actions import Micros, Options, Setup
from companion.core.events import Event
from companion.core.observations import AnyObservation, Declared, TimerElapsed
from companion.core.rules import Rules
from companion.referee.journal import MemoryJournal, header_of
from companion.referee.referee import Referee

Fact = tuple[object, ...]
"""An event without what no rule speaks of: the name of its class, and its fields."""
REFUSED: Fact = ("refused",)
"""A rule was broken, and everybody is told."""
NO_EFFECT: Fact = ("no effect",)
"""In a model's answer: nothing changes; whether anybody is told is left open."""

STEPS = 3_000
"""A game that takes longer is left unfinished."""
SHOWN = 16
"""How many of the last steps a difference shows."""


class Model(Protocol):
    """One game at one table, with every card."""

    def act(self, chance: Random) -> AnyObservation:
        """What somebody does next, or what is sensed."""

    def take(self, seen: AnyObservation) -> Sequence[Fact]:
        """What follows from it, in order."""

    def legal(self) -> set[str]:
        """What may be done now, as far as the referee can know: `str(Action)`."""

    def due(self) -> Micros | None:
        """When the next timer falls."""

    def public(self) -> Mapping[str, object]:
        """What everybody can see."""

    def over(self) -> bool:
        """Whether the game has ended."""


class Game(NamedTuple):
    """A game under comparison."""

    rules: Rules[Any]
    model: Callable[[Setup, Random], Model]
    facts: Callable[[Event], Sequence[Fact]]
    """What an event says; nothing for those that no rule speaks of."""
    public: Callable[[Rules[Any], Any], Mapping[str, object]]
    """What of the rules' view the model knows, too."""
    legal: Callable[[Rules[Any], Any], set[str]]
    """The actions that the rules offer, without those of which the model knows nothing."""


class Table(NamedTuple):
    """One game to be played."""

    seed: int
    players: int
    bot: bool
    options: Options

    def __str__(self) -> str:
        bot = ", a BOT" if self.bot else ""
        return (
            f"seed {self.seed}, {self.players} players{bot}, {house_rules(self.options) or 'no house rules'}"
        )


def house_rules(options: Options) -> str:
    """The options that are not the default."""
    chosen = [f for f in fields(options) if getattr(options, f.name) != f.default]
    return ", ".join(f"{f.name}={getattr(options, f.name)}" for f in chosen)


def difference(game: Game, table: Table, believed: Options | None = None) -> str | None:
    """The first difference between the rules and the model, as a text; None: they agree to the end.

    `believed`: house rules by which the model plays instead, to see whether it notices.
    """
    setup = Setup(tuple(range(table.players)), table.options, table.bot)
    chance = Random(f"{game.rules.name} {table.seed}")
    model = game.model(setup if believed is None else Setup(setup.chairs, believed, setup.bot), chance)
    referee = Referee(game.rules, MemoryJournal(header_of(game.rules.name, setup, kind="simulation")))
    steps: list[str] = []

    def differs(what: str, ruled: object, expected: object) -> str:
        last = "\n".join(steps[-SHOWN:])
        return f"{table}, step {len(steps)}, {what}:\n{last}\n  rules: {ruled}\n  model: {expected}"

    for _ in range(STEPS):
        found = _standing(game, referee, model)
        if found is not None:
            return differs(*found)
        if model.over():
            return None
        seen = model.act(chance)
        timer = referee.next_timer()
        if isinstance(seen, TimerElapsed) and timer:
            seen = replace(seen, timer=timer.name)  # what the program calls it is its own affair
        steps.append(_line(seen))
        try:
            ruled = [fact for event in referee.observe(seen).events for fact in game.facts(event)]
        except Exception as broken:  # noqa: BLE001 - an exception is a difference, too
            return differs("an exception", repr(broken), model.take(seen))
        expected = list(model.take(seen))
        steps[-1] += f"  ->  {'; '.join(map(_words, ruled)) or 'nothing'}"
        if NO_EFFECT in expected:
            ruled = [fact for fact in ruled if fact != REFUSED]
            expected.remove(NO_EFFECT)
        if ruled != expected:
            return differs("what is ruled", "; ".join(map(_words, ruled)), "; ".join(map(_words, expected)))
    return None


def _standing(game: Game, referee: Referee[Any], model: Model) -> tuple[str, object, object] | None:
    """In what the two differ between two steps."""
    state = referee.state
    public, expected = dict(game.public(game.rules, state)), dict(model.public())
    for name in {**public, **expected}:
        if public.get(name) != expected.get(name):
            return name, public.get(name), expected.get(name)
    timer = referee.next_timer()
    if (timer and timer.due) != model.due():
        return "the next timer", timer, model.due()
    legal, known = game.legal(game.rules, state), model.legal()
    if legal != known:
        return "what may be done", f"also {sorted(legal - known)}", f"also {sorted(known - legal)}"
    return None


def _line(seen: AnyObservation) -> str:
    at = f"{seen.at / 1e6:.6f}"
    match seen:
        case Declared():
            return f"{at} {seen.action}"
        case TimerElapsed():
            return f"{at} timer {seen.timer}"
    said = [
        f"{name}={getattr(seen, name)}" for name in seen.__struct_fields__ if name not in {"at", "source"}
    ]
    return f"{at} {type(seen).__name__} {' '.join(said)}"


def _words(fact: Fact) -> str:
    return " ".join(map(str, fact))


# Which games are played ------------------------------------------------------------------------------------


def values(options: type[Options], more: Mapping[str, Sequence[object]] | None = None) -> Iterator[Options]:
    """The house rules with each value of each option alone, the defaults first; `more`: values of numbers."""
    yield options()
    hints = typing.get_type_hints(options)
    for field in fields(options):
        for value in (more or {}).get(field.name, _values(hints[field.name])):
            if value != field.default:
                yield options(**{field.name: value})


def _values(hint: Any) -> tuple[object, ...]:
    if hint is bool:
        return (False, True)
    if typing.get_origin(hint) is Literal:
        return typing.get_args(hint)
    if typing.get_origin(hint) in {typing.Union, UnionType}:
        return tuple(value for part in typing.get_args(hint) for value in _values(part))
    return ()


def pairs(
    options: type[Options], many: int, more: Mapping[str, Sequence[object]] | None = None
) -> Iterator[Options]:
    """House rules in which two options differ from the default, and do not contradict each other."""
    alone = list(values(options, more))[1:]
    chance, seen = Random("pairs"), set[Options]()
    while len(seen) < many:
        first, second = (_chosen(each) for each in chance.sample(alone, k=2))
        if first.keys() == second.keys():
            continue
        both = options(**first, **second)
        if both.clash() is None and both not in seen:
            seen.add(both)
            yield both


def _chosen(options: Options) -> dict[str, object]:
    return {
        f.name: getattr(options, f.name) for f in fields(options) if getattr(options, f.name) != f.default
    }
