"""Tells one card from another by what a view shows where the two differ, and by nothing else.

The other face is registered onto the first one's beforehand: unregistered, the edges of what both have in
common differ more than what parts them.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from companion.vision.residual import Floats

BLUR = 2.0
"""In pixels of `compare.DETAIL`: what a registration is off by."""
STEP = 2
"""After such a blur every other pixel says as much."""
ALIKE = 0.002
"""Faces that differ by less of their print's strength are the same: a view tells nothing of them."""


@dataclass(frozen=True, slots=True, eq=False)
class Pair:
    """One face and another that is registered onto it."""

    one: Floats
    other: Floats
    square: float
    """Mean of the squares of the two, and of their product: what is asked of every view of them."""
    across: float
    product: float

    @classmethod
    def of(cls, one: Floats, other: Floats) -> Pair:
        """From `softened` residuals."""
        ones, others = float(np.vdot(one, one)), float(np.vdot(other, other))
        return cls(one, other, (ones + others) / 2, (ones - others) / 2, float(np.vdot(one, other)))

    @property
    def same(self) -> bool:
        """Are they one face?"""
        return 2 * (self.square - self.product) < ALIKE * (self.square + self.product) / 2

    def lead(self, seen: Floats) -> float:
        """1 where a `softened` view shows the first face, -1 where it shows the other; 0 in between.

        How strong the view's contrast is does not count; a third face is at neither.
        """
        if self.same:
            return 0.0
        # The view as so much of what both have in common (half their sum) and so much of what parts them
        # (their difference), by least squares.
        common, across, apart = (
            (self.square + self.product) / 2,
            self.across,
            2 * (self.square - self.product),
        )
        first, second = float(np.vdot(seen, self.one)), float(np.vdot(seen, self.other))
        along, towards = (first + second) / 2, first - second
        strength = along * apart - towards * across
        return 2 * (towards * common - along * across) / strength if strength > 0 else 0.0


def softened(planes: Floats) -> Floats:
    """A residual (3, rows, columns) as pairs are compared, flattened."""
    soft = [cv2.GaussianBlur(plane, (0, 0), BLUR)[::STEP, ::STEP] for plane in planes]
    return np.asarray(np.stack(soft), np.float32).ravel()
