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
"""After such a blur every other pixel tells as much."""
ALIKE = 0.002
"""Faces that differ by less of their print's strength are the same: a view tells nothing of them."""


@dataclass(frozen=True, slots=True, eq=False)
class Pair:
    """One face and another that is registered onto it."""

    common: Floats
    """Half of the sum of the two, flattened."""
    apart: Floats
    """The first less the other."""

    @classmethod
    def of(cls, one: Floats, other: Floats) -> Pair:
        """From `softened` residuals."""
        return cls(np.asarray((one + other) / 2, np.float32), one - other)

    @property
    def same(self) -> bool:
        """Are they one face?"""
        return bool(np.vdot(self.apart, self.apart) < ALIKE * np.vdot(self.common, self.common))

    def lead(self, seen: Floats) -> float:
        """1 where a `softened` view shows the first face, -1 where it shows the other; 0 in between.

        How strong the view's contrast is does not count; a third face is at neither.
        """
        if self.same:
            return 0.0
        # The view as so much of what both have in common and so much of what parts them (least squares).
        common, apart = self.common, self.apart
        square, across, other = (
            float(np.vdot(one, two)) for one, two in ((common, common), (common, apart), (apart, apart))
        )
        along, towards = float(np.vdot(seen, common)), float(np.vdot(seen, apart))
        strength = along * other - towards * across
        return 2 * (towards * square - along * across) / strength if strength > 0 else 0.0


def softened(planes: Floats) -> Floats:
    """A residual (3, rows, columns) as pairs are compared, flattened."""
    soft = [cv2.GaussianBlur(plane, (0, 0), BLUR)[::STEP, ::STEP] for plane in planes]
    return np.asarray(np.stack(soft), np.float32).ravel()
