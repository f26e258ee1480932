"""How likely a reading is right: one number of doubt, and a curve from it, fitted to made pictures.

The numbers of `CURVE` are written by `python -m tests.bench.confidence --fit`, which says how it was fitted.
"""

from dataclasses import dataclass

import numpy as np

MOST_BLUR = 4.0
"""A view as far out of focus as this, in pixels of `compare.DETAIL`, is as doubtful as one at the limit."""


@dataclass(frozen=True, slots=True)
class Curve:
    """Chance that a reading is right, by its doubt: straight between the knots, never rising."""

    doubts: tuple[float, ...]
    """Rising, from 0 (a perfect fit) to 1 (at the limit of what is believed)."""
    chances: tuple[float, ...]

    def at(self, doubt: float) -> float:
        """The probability, 0 to 1, that a reading of this doubt is right.

        Linear between the curve's points.
        """
        return float(np.interp(doubt, self.doubts, self.chances))


def doubt(*shares: float, blur: float) -> float:
    """0 to 1 for a match that is believed: how near it comes to the nearest of its limits.

    `shares` says of each limit how much of it is used up; `blur` is in pixels of `compare.DETAIL`.
    """
    return max(*shares, blur / MOST_BLUR)


CURVE = Curve(
    doubts=(0.0701, 0.25, 0.3289, 0.5, 0.6898),
    chances=(0.9959, 0.9959, 0.9916, 0.9916, 0.9798),
)
