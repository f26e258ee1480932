"""Converts how well a card fits a face into the probability that the reading is right.

The numbers of `DEFAULT_CURVE` are written by `python -m tests.programs.bench.confidence --fit`, which says
how it was fitted.
"""

from dataclasses import dataclass

import numpy as np

MAX_DOUBT_BLUR = 4.0
"""A view as far out of focus as this, in pixels of `comparison.DETAIL_WIDTH`, is as doubtful as one at the
limit.
"""


@dataclass(frozen=True, slots=True)
class ProbabilityCurve:
    """Chance that a reading is right, by its doubt: straight between the knots, never rising."""

    doubts: tuple[float, ...]
    """Rising, from 0 (a perfect fit) to 1 (at the limit of what is believed)."""
    chances: tuple[float, ...]

    def probability(self, doubt: float) -> float:
        """The probability, 0 to 1, that a reading of this doubt is right.

        Linear between the curve's points.
        """
        return float(np.interp(doubt, self.doubts, self.chances))


def combine_doubts(*shares: float, blur: float) -> float:
    """0 to 1 for a match that is believed: how near it comes to the nearest of its limits.

    `shares` says of each limit how much of it is used up; `blur` is in pixels of `comparison.DETAIL_WIDTH`.
    """
    return max(*shares, blur / MAX_DOUBT_BLUR)


DEFAULT_CURVE = ProbabilityCurve(
    doubts=(0.0701, 0.25, 0.3289, 0.5, 0.6898),
    chances=(0.9959, 0.9959, 0.9916, 0.9916, 0.9798),
)
