"""Counts the lawful lines of a game to a depth: a change of the rules that nobody meant changes a count.

What may come next is what `walks.lawful` lists: lots, cues, due timers, and every action that the rules
call legal. Two lines that lead to equal states are counted apart and looked at once. Where a count differs,
`divide` says which first step it comes from.
"""

from collections.abc import Mapping
from functools import reduce
from typing import Any

from companion.core.actions import SECOND, Micros
from companion.core.events import kind_of
from companion.core.observations import Observation
from companion.core.rules import Rules
from companion.testing.walks import lawful

STEP: Micros = SECOND
"""Game time from one thing to the next."""


def lines(rules: Rules[Any], state: Any, depth: int, *, at: Micros = 0) -> int:
    """How many lawful lines of `depth` steps there are; a finished game's line ends early and counts once."""
    return _lines(rules, state, depth, at, {})


def divide(rules: Rules[Any], state: Any, depth: int, *, at: Micros = 0) -> dict[str, int]:
    """The same for each first step by name: where two counts differ, the fault lies behind it."""
    known: dict[tuple[Any, int, Micros], int] = {}
    found: dict[str, int] = {}
    for seen in lawful(rules, state, at):
        after = reduce(rules.evolve, rules.decide(state, seen), state)
        found[name(seen)] = _lines(rules, after, depth - 1, max(at, seen.at) + STEP, known)
    return found


def check(rules: Rules[Any], state: Any, table: Mapping[int, int]) -> None:
    """Hold the counts against a table of depth → lines; a wrong one is told by its first steps."""
    for depth, expected in table.items():
        counted = lines(rules, state, depth)
        if counted != expected:
            steps = "\n".join(f"  {count:>9,}  {step}" for step, count in divide(rules, state, depth).items())
            raise AssertionError(
                f"{rules.name}: {counted:,} lines of {depth} steps, expected {expected:,}\n{steps}"
            )


def name(seen: Observation) -> str:
    """A step in few words."""
    told = [str(getattr(seen, field)) for field in seen.__struct_fields__ if field not in {"at", "source"}]
    return f"{kind_of(seen)} {' '.join(told)}"


def _lines(
    rules: Rules[Any], state: Any, depth: int, at: Micros, known: dict[tuple[Any, int, Micros], int]
) -> int:
    if depth == 0 or rules.outcome(state) is not None:
        return 1
    here = (state, depth, at)
    if here not in known:
        known[here] = sum(
            _lines(
                rules,
                reduce(rules.evolve, rules.decide(state, seen), state),
                depth - 1,
                max(at, seen.at) + STEP,
                known,
            )
            for seen in lawful(rules, state, at)
        )
    return known[here]
