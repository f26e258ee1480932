"""Counts the legal move sequences of a game to a depth, to notice unintended rule changes.

What may come next is what `random_walks.lawful_observations` lists: lots, cues, due timers, and every
action that the rules call legal. Two lines that lead to equal states are counted apart and looked at once.
Where a count differs, `count_lines_by_first_step` says which first step it comes from.
"""

from collections.abc import Mapping
from functools import reduce
from typing import Any

from companion.core.actions import SECOND, Micros
from companion.core.events import kind_of
from companion.core.observations import Observation
from companion.core.rules import Rules
from companion.testing.random_walks import lawful_observations

STEP_INTERVAL: Micros = SECOND
"""Game time from one thing to the next."""


def count_lines(rules: Rules[Any], state: Any, depth: int, *, at: Micros = 0) -> int:
    """How many lawful lines of `depth` steps there are; a finished game's line ends early and counts once."""
    return _count_lines(rules, state, depth, at, {})


def count_lines_by_first_step(rules: Rules[Any], state: Any, depth: int, *, at: Micros = 0) -> dict[str, int]:
    """The same for each first step by name: where two counts differ, the fault lies behind it."""
    known: dict[tuple[Any, int, Micros], int] = {}
    found: dict[str, int] = {}
    for seen in lawful_observations(rules, state, at):
        after = reduce(rules.evolve, rules.decide(state, seen), state)
        found[step_name(seen)] = _count_lines(
            rules, after, depth - 1, max(at, seen.at) + STEP_INTERVAL, known
        )
    return found


def check_counts(rules: Rules[Any], state: Any, table: Mapping[int, int]) -> None:
    """Hold the counts against a table of depth → lines; a wrong one is told by its first steps."""
    for depth, expected in table.items():
        counted = count_lines(rules, state, depth)
        if counted != expected:
            steps = "\n".join(
                f"  {count:>9,}  {step}"
                for step, count in count_lines_by_first_step(rules, state, depth).items()
            )
            raise AssertionError(
                f"{rules.name}: {counted:,} lines of {depth} steps, expected {expected:,}\n{steps}"
            )


def step_name(seen: Observation) -> str:
    """A step in few words."""
    values = [str(getattr(seen, field)) for field in seen.__struct_fields__ if field not in {"at", "source"}]
    return f"{kind_of(seen)} {' '.join(values)}"


def _count_lines(
    rules: Rules[Any], state: Any, depth: int, at: Micros, known: dict[tuple[Any, int, Micros], int]
) -> int:
    if depth == 0 or rules.outcome(state) is not None:
        return 1
    here = (state, depth, at)
    if here not in known:
        known[here] = sum(
            _count_lines(
                rules,
                reduce(rules.evolve, rules.decide(state, seen), state),
                depth - 1,
                max(at, seen.at) + STEP_INTERVAL,
                known,
            )
            for seen in lawful_observations(rules, state, at)
        )
    return known[here]
