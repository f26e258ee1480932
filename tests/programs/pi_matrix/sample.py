"""The cells that CI runs: every row on two machines that differ most, every machine with many rows.

`make pi-matrix ARGS=--all` runs all of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import NamedTuple

from tests.programs.pi_matrix.faults import Fault, Variant
from tests.programs.pi_matrix.worlds import World, open_world

System = tuple[str, str, bool]
"""Machine, release, and whether there is a desktop."""
LEAST_ROWS = 15
"""Of each machine."""


class Traits(NamedTuple):
    """In what machines differ, as far as a fault may show otherwise."""

    machine: str
    release: str
    has_desktop: bool
    has_ribbon_socket: bool
    is_pi: bool

    def differences(self, other: Traits) -> int:
        return sum(one != another for one, another in zip(self, other, strict=True))


def traits_of(system: System) -> Traits:
    world = open_world(*system)
    return Traits(*system, "csi" in world.machine, world.is_pi)


def possible_systems(row: Fault | Variant, worlds: dict[System, World]) -> list[System]:
    return [system for system, world in worlds.items() if not row.excuse(world)]


def draw_cells(rows: Sequence[Fault | Variant], systems: Sequence[System]) -> dict[System, set[str]]:
    """The names of the rows of each machine; the same each time.

    Of pairs that differ in as much, the one counts that has had fewest rows; a machine that comes by too few
    has those that it can have and that were drawn least.
    """
    worlds = {system: open_world(*system) for system in systems}
    traits = {system: traits_of(system) for system in systems}
    drawn: dict[System, set[str]] = {system: set() for system in systems}

    def rank(pair: tuple[System, ...]) -> tuple[int, int]:
        apart = traits[pair[0]].differences(traits[pair[-1]]) if pair else 0
        return apart, -sum(len(drawn[system]) for system in pair)

    possible = {row.name: possible_systems(row, worlds) for row in rows}
    for name, able in possible.items():
        pairs: list[tuple[System, ...]] = [*combinations(able, 2)] or [tuple(able)]
        chosen = max(pairs, key=rank)
        for system in chosen:
            drawn[system].add(name)
    for system, names in drawn.items():
        spare = [name for name, able in possible.items() if system in able and name not in names]
        spare.sort(key=lambda name: sum(name in others for others in drawn.values()))
        names.update(spare[: max(0, LEAST_ROWS - len(names))])
    return drawn
