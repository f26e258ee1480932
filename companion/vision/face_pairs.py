"""Tells two similar faces apart by the pixels in which they differ.

The other face is registered onto the first one's beforehand: unregistered, the edges of what both have in
common differ more than what parts them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.vision.photometric_error import Floats

REGISTRATION_BLUR = 2.0
"""In pixels of `comparison.DETAIL_WIDTH`: what a registration is off by."""
SAMPLING_STEP = 2
"""After such a blur every other pixel says as much."""
SAME_FACE_DIFFERENCE = 0.002
"""Faces that differ by less of their print's strength are the same: a view tells nothing of them."""


@dataclass(frozen=True, slots=True, eq=False)
class FacePair:
    """One face and another that is registered onto it."""

    one: Floats
    other: Floats
    square: float
    """Mean of the squares of the two, and of their product: what is asked of every view of them."""
    across: float
    product: float

    @classmethod
    def of(cls, one: Floats, other: Floats) -> FacePair:
        """From `softened` residuals."""
        ones, others = float(np.vdot(one, one)), float(np.vdot(other, other))
        return cls(one, other, (ones + others) / 2, (ones - others) / 2, float(np.vdot(one, other)))

    @property
    def is_same_face(self) -> bool:
        """Are they one face?"""
        return 2 * (self.square - self.product) < SAME_FACE_DIFFERENCE * (self.square + self.product) / 2

    def lead(self, seen: Floats) -> float:
        """1 where a `softened` view shows the first face, -1 where it shows the other; 0 in between.

        How strong the view's contrast is does not count; a third face is at neither.
        """
        if self.is_same_face:
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


@dataclass(frozen=True, slots=True, eq=False)
class RegisteredLookAlikes:
    """Of each face of a deck the cards most like it, registered onto it: kept, since that takes long.

    And itself upside down: of most cards that are read both ways up are likely.
    """

    which: NDArray[np.int32]
    """(n, 3): a face, another that is registered onto it, and whether that is upside down."""
    planes: NDArray[np.int8]
    """(n, length): the other, as `softened` has it, in steps of its own."""
    steps: Floats
    """(n,): how much one step is."""

    @classmethod
    def of(cls, found: Sequence[tuple[int, int, int, Floats]]) -> RegisteredLookAlikes:
        """From n of (face, other, upside down, the other registered onto the face and `softened`)."""
        if not found:
            return cls(np.zeros((0, 3), np.int32), np.zeros((0, 0), np.int8), np.zeros(0, np.float32))
        which = np.array([one[:3] for one in found], np.int32)
        planes = np.stack([one[3] for one in found])
        steps = np.maximum(np.abs(planes).max(axis=1), 1e-6) / np.float32(127)
        return cls(which, np.round(planes / steps[:, None]).astype(np.int8), steps.astype(np.float32))

    def row_numbers(self) -> dict[tuple[int, int, int], int]:
        """Where (face, other, upside down) is kept."""
        return {(face, other, up): row for row, (face, other, up) in enumerate(self.which.tolist())}

    def residual_at(self, row: int) -> Floats:
        """What is kept there, `softened`."""
        return np.asarray(self.planes[row] * self.steps[row], np.float32)


def soften_residual(planes: Floats) -> Floats:
    """A residual (3, rows, columns) as pairs are compared, flattened."""
    size = planes.shape[2] // SAMPLING_STEP, planes.shape[1] // SAMPLING_STEP
    smaller = [cv2.resize(plane, size, interpolation=cv2.INTER_AREA) for plane in planes]
    soft = [cv2.sepFilter2D(plane, cv2.CV_32F, _KERNEL, _KERNEL) for plane in smaller]
    return np.asarray(np.stack(soft), np.float32).ravel()


def softened_length(inner: tuple[int, int]) -> int:
    """How long it is of a residual of so many rows and columns."""
    return 3 * (inner[0] // SAMPLING_STEP) * (inner[1] // SAMPLING_STEP)


_LEFT = float(np.sqrt(REGISTRATION_BLUR**2 - (SAMPLING_STEP**2 - 1) / 12)) / SAMPLING_STEP
"""What is left to do of the blur where pixels were averaged `STEP` by `STEP`, in those."""
_KERNEL = cv2.getGaussianKernel(2 * round(4 * _LEFT) + 1, _LEFT, cv2.CV_32F)
"""Its weights: applied so, to so small a picture, they take half the time of OpenCV's own blur."""
