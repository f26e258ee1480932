"""Which cells of the recorded Pis CI runs (`make pi-matrix`)."""

from __future__ import annotations

from itertools import combinations

from tests.programs.pi_matrix.faults import FAULTS, VARIANTS, Fault, Variant
from tests.programs.pi_matrix.sample import LEAST_ROWS, draw_cells, possible_systems, traits_of
from tests.programs.pi_matrix.worlds import SYSTEMS, open_world

ROWS: tuple[Fault | Variant, ...] = (*VARIANTS, *FAULTS)
DRAWN = draw_cells(ROWS, SYSTEMS)
WORLDS = {system: open_world(*system) for system in SYSTEMS}


def test_each_row_is_drawn_on_two_machines_that_differ_most_of_those_that_can_have_it() -> None:
    for row in ROWS:
        able = possible_systems(row, WORLDS)
        chosen = [system for system, names in DRAWN.items() if row.name in names]
        assert chosen, row.name
        assert {*chosen} <= {*able}
        if len(able) > 1:
            assert _farthest(chosen) == _farthest(able), row.name


def _farthest(systems: list[tuple[str, str, bool]]) -> int:
    return max(traits_of(one).differences(traits_of(other)) for one, other in combinations(systems, 2))


def test_each_machine_is_drawn_with_many_rows() -> None:
    assert DRAWN.keys() == {*SYSTEMS}
    assert min(map(len, DRAWN.values())) >= LEAST_ROWS


def test_the_same_cells_are_drawn_each_time() -> None:
    assert draw_cells(ROWS, SYSTEMS) == DRAWN
