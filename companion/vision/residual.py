"""What is compared: colour residuals, and where two of them disagree.

A residual is a view in CIE Lab with its local mean removed, so that light, shadow and tint drop out and only
the print remains.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.vision.locate import Bgr

Floats = NDArray[np.float32]

COLOUR = 1.5
"""Weight of the two colour planes against lightness."""


@dataclass(frozen=True, slots=True)
class Scale:
    """One size at which views are compared."""

    width: int
    height: int
    fine: float
    """Blur in pixels that takes away what no camera resolves; 0 for none."""
    broad: float
    """Blur in pixels that leaves only light, shadow and tint."""

    @classmethod
    def of(cls, width: int, aspect: float, *, fine: float, broad: float) -> Scale:
        """For cards `aspect` times as high as wide; the two blurs in card widths."""
        return cls(width, round(width * aspect), fine * width, broad * width)

    @property
    def size(self) -> tuple[int, int]:
        return self.width, self.height

    @property
    def margin(self) -> int:
        """Pixels left out along each edge: what lies there is table as often as card."""
        return max(1, self.width // 16)

    @property
    def inner(self) -> tuple[int, int]:
        """Rows and columns of a residual."""
        return self.height - 2 * self.margin, self.width - 2 * self.margin

    def shrunk(self, picture: Bgr) -> Bgr:
        """A picture of a card, brought to this size."""
        return np.asarray(cv2.resize(picture, self.size, interpolation=cv2.INTER_AREA), np.uint8)

    def residual(self, view: Bgr, visible: Floats | None = None) -> Floats:
        """A view of `size` → (3, rows, columns): its print, without the light that fell on it.

        `visible`, (height, width) of 0 to 1: where the card can be seen; default everywhere.
        """
        lab: Floats = cv2.cvtColor(view, cv2.COLOR_BGR2LAB).astype(np.float32)
        if visible is None:
            light = self._broad(lab)
        else:
            light = self._broad(lab * visible[..., None]) / (self._broad(visible)[..., None] + 1e-3)
        if self.fine > 0:
            lab = np.asarray(cv2.GaussianBlur(lab, (0, 0), self.fine), np.float32)
        rest = lab - light
        rest[..., 1:] *= COLOUR
        if visible is not None:
            rest *= visible[..., None]
        edge = self.margin
        return np.ascontiguousarray(rest[edge:-edge, edge:-edge].transpose(2, 0, 1), np.float32)

    def _broad(self, plane: Floats) -> Floats:
        """The broad blur; on a small copy, where it is as good and far cheaper."""
        step = max(1.0, self.broad / 3)
        small = cv2.resize(
            plane, (round(self.width / step), round(self.height / step)), interpolation=cv2.INTER_AREA
        )
        return np.asarray(
            cv2.resize(cv2.GaussianBlur(small, (0, 0), self.broad / step), self.size), np.float32
        )

    def residuals(self, views: Sequence[Bgr]) -> Floats:
        """The residuals of n views, each flattened and of length 1: (n, 3 × rows × columns)."""
        flat = np.stack([self.residual(v).ravel() for v in views])
        return unit(flat)


def unit(vectors: Floats) -> Floats:
    """Each of n vectors, brought to length 1."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(vectors / np.maximum(lengths, 1e-6), np.float32)


def turned(flat: Floats, inner: tuple[int, int]) -> Floats:
    """Flattened residuals (n, 3 × rows × columns) upside down."""
    return flat.reshape(-1, 3, *inner)[:, :, ::-1, ::-1].reshape(len(flat), -1)


@dataclass(frozen=True, slots=True, eq=False)
class Detail:
    """One residual made ready for `flaw`: of mean square 1, with its local energy."""

    planes: Floats
    """(3, rows, columns)."""
    energy: Floats
    """(rows, columns): mean square in the window around each pixel."""
    sharpness: float
    """Mean square of the steps from pixel to pixel: falls as a picture goes out of focus."""

    @classmethod
    def of(cls, residual: Floats, seen: float = 1.0) -> Detail:
        """`seen`: the part of the card that the residual shows; the rest of it is 0."""
        _, rows, columns = residual.shape
        faded = residual * (_ramp(rows, columns)[:, None] * _ramp(columns, columns)[None, :])
        spread = float(np.sqrt(3 * np.mean(faded * faded) / seen))
        planes = np.ascontiguousarray(faded / max(spread, 1e-6), np.float32)
        steps = np.diff(planes, axis=2)
        return cls(planes, _local(_dot(planes, planes)), float(np.vdot(steps, steps)) / planes[0].size)

    def likeness(self, other: Detail) -> float:
        """Correlation with another detail, at most 1."""
        product = np.vdot(self.planes, self.planes) * np.vdot(other.planes, other.planes)
        return float(np.vdot(self.planes, other.planes) / max(np.sqrt(product), 1e-6))

    def blurred(self, sigma: float) -> Detail:
        """The same out of focus; `sigma` in pixels."""
        return Detail.of(np.stack([cv2.GaussianBlur(p, (0, 0), sigma) for p in self.planes]))


def _ramp(length: int, columns: int) -> Floats:
    """Weights along a line of pixels that fade towards the card's edge, where outlines are least exact."""
    margin, width = columns / 14, columns * 16 / 14
    at = np.arange(length) + 0.5
    share = (np.minimum(at, length - at) + margin) / width
    return np.asarray(np.clip((share - FADED[0]) / (FADED[1] - FADED[0]), 0, 1), np.float32)


FADED = (0.07, 0.12)
"""How far from the edge, in card widths, a difference begins to count and counts in full."""
WINDOW = 0.14
"""Side of the window in which two residuals are compared, as a part of the width."""
SHIFTS = tuple((y, x) for y in range(-2, 3) for x in range(-2, 3) if abs(x) + abs(y) <= 2)
"""How far, in pixels, a window may have slipped: paper bends, and references are cut by eye."""


def _dot(one: Floats, other: Floats) -> Floats:
    """Per-pixel product of (3, rows, columns) planes, summed over the planes."""
    return np.asarray(np.einsum("cyx,cyx->yx", one, other), np.float32)


def _local(plane: Floats) -> Floats:
    """Mean over the window around each pixel; beyond the edge there is nothing."""
    side = max(3, round(WINDOW * plane.shape[1]) | 1)
    return np.asarray(cv2.boxFilter(plane, -1, (side, side), borderType=cv2.BORDER_CONSTANT), np.float32)


def disagreement(seen: Detail, face: Detail) -> Floats:
    """(rows, columns): 0 where the view shows what the face does, about 1 where they have nothing in common.

    One less the local correlation, each window where it fits best within `SHIFTS`. To both energies the
    average energy of a residual (1) is added, so that in blank places noise counts for little and ink that
    should not be there for much.
    """
    rows, columns = face.energy.shape
    reach = max(abs(y) for y, _ in SHIFTS)
    wide = np.pad(seen.planes, ((0, 0), (reach, reach), (reach, reach)))
    spread = np.pad(1 / np.sqrt(seen.energy + 1), reach, constant_values=1)
    best = np.full(face.energy.shape, -1, np.float32)
    for y, x in SHIFTS:
        part = slice(reach + y, reach + y + rows), slice(reach + x, reach + x + columns)
        common = _local(_dot(wide[:, *part], face.planes))
        np.maximum(best, (common + 1) * spread[part], out=best)
    return np.asarray(1 - best / np.sqrt(face.energy + 1), np.float32)
