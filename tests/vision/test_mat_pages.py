"""How the pages of a mat lie, told by its four marks through lenses that bend."""

from __future__ import annotations

import numpy as np
import pytest

from companion.games import printed_mat
from companion.vision.framing import measure_framing

SIZE, FOCAL, HEIGHT_MM = (1280, 720), 985.0, 620.0


@pytest.mark.parametrize(
    ("across", "down", "said"),
    [(0, 0, ""), (12, 0, "apart"), (0, 18, "apart"), (12, 87, "apart"), (-14, 0, "overlap")],
)
@pytest.mark.parametrize(("bend", "beside_mm"), [(0.0, 0), (-0.05, 0), (0.03, 20), (-0.1, 20)])
def test_pages_that_do_not_lie_edge_to_edge_are_told_from_a_lens_that_bends(
    across: float, down: float, said: str, bend: float, beside_mm: float
) -> None:
    """The marks' corners are found to 0.3 pixels."""
    mat, chance = printed_mat("kinapa"), np.random.default_rng(1)
    middle = np.array(mat.mat_size_mm) / 2
    found = {}
    for mark, corners in mat.marks_mm.items():
        moved = corners - middle + np.sign(corners - middle) * (across, down / 2) + beside_mm
        seen = moved / HEIGHT_MM
        seen = seen * (1 + bend * (seen**2).sum(axis=1, keepdims=True) / 0.4)
        found[mark] = (seen * FOCAL + (640, 360) + chance.normal(0, 0.3, seen.shape)).astype(np.float32)
    framing = measure_framing(found, mat, SIZE)
    assert framing is not None
    assert framing.seam == said
    del found[next(iter(found))]
    three = measure_framing(found, mat, SIZE)
    assert three is None or three.seam == ""
