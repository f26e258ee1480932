"""How likely a reading is right: one number of doubt, and a curve from it, fitted to made pictures.

The numbers of `CURVE` are written by `python -m tests.bench.confidence --fit`, which says how it was fitted.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from companion.core.intervals import wilson

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


STRAIGHT = Curve((0.0, 1.0), (1.0, 0.0))
"""Tells the doubt itself, as 1 - doubt: what a fit starts from."""


def doubt(*shares: float, blur: float) -> float:
    """0 to 1 for a match that is believed: how near it comes to the nearest of its limits.

    `shares` says of each limit how much of it is used up; `blur` is in pixels of `compare.DETAIL`.
    """
    return max(*shares, blur / MOST_BLUR)


def fitted(readings: Iterable[tuple[float, bool]], *, knots: int = 8) -> Curve:
    """A curve from (doubt, was it right) pairs.

    Equally many readings are put in each bin; neighbours are joined until the share of right ones falls with
    doubt (pool adjacent violators: Ayer and others, 1955). The chance told is the lower end of each bin's
    interval, so a few readings never give certainty. Raises `ValueError` where there are fewer pairs than
    knots.
    """
    ordered = sorted(readings)
    if len(ordered) < knots:
        raise ValueError(f"{len(ordered)} readings are too few to fit {knots} knots")
    bins = [np.array(part, float) for part in np.array_split(np.array(ordered, float), knots)]
    pooled: list[tuple[float, float, list[float]]] = []
    for part in bins:
        middle = float(np.median(part[:, 0]))
        good, of, doubts = float(part[:, 1].sum()), float(len(part)), [middle]
        while pooled and pooled[-1][0] / pooled[-1][1] <= good / of:
            before = pooled.pop()
            good, of, doubts = good + before[0], of + before[1], [*before[2], *doubts]
        pooled.append((good, of, doubts))
    # A joined bin keeps its two ends, so that the curve is level within it.
    points: list[tuple[float, float]] = []
    level = 1.0
    for good, of, doubts in pooled:
        level = min(level, wilson(good, of)[0])
        points += [(at, level) for at in dict.fromkeys((doubts[0], doubts[-1]))]
    return Curve(tuple(round(at, 4) for at, _ in points), tuple(round(chance, 4) for _, chance in points))


CURVE = Curve(
    doubts=(0.0701, 0.25, 0.3289, 0.5, 0.6898),
    chances=(0.9959, 0.9959, 0.9916, 0.9916, 0.9798),
)
