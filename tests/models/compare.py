"""Compares the rules of a game, step by step, with a model of the same game that knows every hidden card.

A model is written from docs/rules.md alone, by somebody who has not read the rules' code. People act at
random in both: mostly as they should, sometimes not. After each step both must agree on what was ruled, what
may be done next, when the next timer falls, and what everybody can see. A seed repeats a game.
"""

from __future__ import annotations

import typing
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from itertools import combinations, permutations
from random import Random
from types import MappingProxyType, UnionType
from typing import Any, Literal, NamedTuple, Protocol

from msgspec.structs import fields, replace

from companion.core.actions import Micros, Options, Setup
from companion.core.events import Event, Infraction, kind_of
from companion.core.observations import ActionDeclared, AnyObservation, TimerElapsed
from companion.core.rules import Rules
from companion.referee.journal import Entry, MemoryJournal, make_header
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
    """What an event says (`facts_of`); nothing for those that no rule speaks of."""
    public: Callable[[Rules[Any], Any], Mapping[str, object]]
    """What of the rules' view the model knows, too."""
    legal: Callable[[Rules[Any], Any], set[str]]
    """The actions that the rules offer, without those of which the model knows nothing."""
    sizes: Sequence[tuple[int, bool]]
    """The tables: how many players, and whether one more deck is dealt."""
    matters: Mapping[str, Sequence[tuple[int, bool]]] = MappingProxyType({})
    """House rules, or one value of them ("win_bot=deck"), that have anything to say at some tables only."""
    numbers: Mapping[str, Sequence[object]] = MappingProxyType({})
    """Other values of house rules that may be any number, or that the program writes itself."""
    beside: Mapping[str, Mapping[str, object]] = MappingProxyType({})
    """House rules that say something only beside another one."""
    only_said: frozenset[str] = frozenset()
    """House rules that people are told, and on which no ruling depends."""
    begun: int = STEPS
    """So many steps of each game are enough for `make test`; `make long` plays on."""

    def __str__(self) -> str:
        return self.rules.name


class Table(NamedTuple):
    """One game to be played."""

    seed: int
    players: int
    bot: bool
    options: Options

    def __str__(self) -> str:
        bot = ", a BOT" if self.bot else ""
        return f"seed {self.seed}, {self.players} players{bot}, {house_rules(self.options)}"


def house_rules(options: Options) -> str:
    """The options that are not the default."""
    return ", ".join(f"{name}={value}" for name, value in _chosen(options).items()) or "no house rules"


def facts_of(event: Event, *, unruled: Container[str], unsaid: Container[str]) -> Sequence[Fact]:
    """What an event says: nothing if its class is one of `unruled`; its fields without those `unsaid`."""
    kind = kind_of(event)
    if isinstance(event, Infraction):
        return (REFUSED,)
    if kind in unruled:
        return ()
    names = (name for name in event.__struct_fields__ if name not in unsaid)
    return ((kind, *(getattr(event, name) for name in names)),)


def difference(
    game: Game, table: Table, believed: Options | None = None, *, steps: int = STEPS
) -> str | None:
    """The first difference between the rules and the model, as a text; None: they agree to the end.

    `believed`: house rules by which the model plays instead, to see whether it notices.
    `steps`: after so many the game is left unfinished.
    """
    setup = Setup(tuple(range(table.players)), table.options, table.bot)
    chance = Random(f"{game.rules.name} {table.seed}")
    model = game.model(setup if believed is None else Setup(setup.chairs, believed, setup.bot), chance)
    referee = Referee(game.rules, MemoryJournal(make_header(game.rules.name, setup, kind="simulation")))
    done: list[str] = []

    def differs(what: str, ruled: object, expected: object) -> str:
        last = "\n".join(done[-SHOWN:])
        return f"{table}, step {len(done)}, {what}:\n{last}\n  rules: {ruled}\n  model: {expected}"

    for _ in range(steps):
        found = _standing(game, referee, model)
        if found is not None:
            return differs(*found)
        if model.over():
            return None
        seen = model.act(chance)
        timer = referee.next_timer()
        if isinstance(seen, TimerElapsed) and timer:
            seen = replace(seen, timer=timer.name)  # what the program calls it is its own affair
        done.append(_line(seen))
        try:
            ruled = [fact for event in _ruled(referee.observe(seen)) for fact in game.facts(event)]
        except Exception as broken:  # noqa: BLE001 - an exception is a difference, too
            return differs("an exception", repr(broken), model.take(seen))
        expected = list(model.take(seen))
        done[-1] += f"  ->  {'; '.join(map(_words, ruled)) or 'nothing'}"
        if NO_EFFECT in expected:
            ruled = [fact for fact in ruled if fact != REFUSED]
            expected.remove(NO_EFFECT)
        if ruled != expected:
            return differs("what is ruled", "; ".join(map(_words, ruled)), "; ".join(map(_words, expected)))
    return None


def _ruled(entry: Entry[Event]) -> Iterator[Event]:
    """What an entry ruled; a correction first all that it judged again."""
    for again in entry.rejudged:
        yield from again.events
    yield from entry.events


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
        case ActionDeclared():
            return f"{at} {seen.action}"
        case TimerElapsed():
            return f"{at} timer {seen.timer}"
    said = [
        f"{name}={getattr(seen, name)}" for name in seen.__struct_fields__ if name not in {"at", "source"}
    ]
    return f"{at} {kind_of(seen)} {' '.join(said)}"


def _words(fact: Fact) -> str:
    return " ".join(map(str, fact))


# Which games are played ------------------------------------------------------------------------------------


def tables(game: Game, options: Options, many: int) -> Iterator[Table]:
    """Games with these house rules, at tables of every size at which they have anything to say."""
    rules = house_rules(options)
    sizes = next((sizes for name, sizes in game.matters.items() if name in rules), game.sizes)
    chance = Random(f"{game} {rules}")
    for _ in range(many):
        yield Table(chance.randrange(10**6), *chance.choice(sizes), options)


def alone(game: Game) -> Iterator[Options]:
    """The defaults, then the house rules with each other value of each option alone."""
    yield game.rules.options()
    for field, values in option_values(game).items():
        for value in values[1:]:
            yield game.rules.options(**{field: value, **game.beside.get(field, {})})


def mistaken(game: Game) -> Iterator[tuple[Options, Options]]:
    """The house rules with each value of each option, and what they are taken for: one with another value."""
    for field, values in option_values(game).items():
        beside = game.beside.get(field, {})
        for value, other in permutations(values, 2):
            if not game.only_said & {f"{field}={value}", f"{field}={other}"}:
                yield (
                    game.rules.options(**{field: value, **beside}),
                    game.rules.options(**{field: other, **beside}),
                )


def pairs(game: Game, many: int) -> Sequence[Options]:
    """House rules with two options that differ from the default and do not clash: so many, or all."""
    both = [
        game.rules.options(**one, **two)
        for one, two in combinations(map(_chosen, list(alone(game))[1:]), 2)
        if not one.keys() & two.keys()
    ]
    able = [options for options in both if options.find_conflict() is None]
    return Random("pairs").sample(able, k=min(many, len(able)))


def triples(game: Game, many: int) -> Sequence[Options]:
    """House rules with three options that differ from the default and do not clash: so many, or all."""
    chance, ones = Random("triples"), [_chosen(options) for options in alone(game)][1:]
    found: list[Options] = []
    for three in chance.sample(every := list(combinations(ones, 3)), k=len(every)):
        merged = {name: value for one in reversed(three) for name, value in one.items()}
        options = game.rules.options(**merged)
        if len({*three[0], *three[1], *three[2]}) == sum(map(len, three)) and options.find_conflict() is None:
            found.append(options)
        if len(found) == many:
            break
    return found


def option_values(game: Game) -> Mapping[str, Sequence[Any]]:
    """The values of each house rule, the default first."""
    hints = typing.get_type_hints(game.rules.options)
    return {
        field.name: tuple(
            dict.fromkeys((field.default, *game.numbers.get(field.name, _named(hints[field.name]))))
        )
        for field in fields(game.rules.options)
    }


def _named(hint: Any) -> tuple[object, ...]:
    """The values that a type names one by one."""
    if hint is bool:
        return (False, True)
    if typing.get_origin(hint) is Literal:
        return typing.get_args(hint)
    if typing.get_origin(hint) in {typing.Union, UnionType}:
        return tuple(value for part in typing.get_args(hint) for value in _named(part))
    return ()


def _chosen(options: Options) -> dict[str, object]:
    return {
        f.name: getattr(options, f.name) for f in fields(options) if getattr(options, f.name) != f.default
    }
