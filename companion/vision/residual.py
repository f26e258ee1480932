"""What is compared: colour residuals, and where two of them disagree.

A residual is a view in CIE Lab with its local mean removed, so that light, shadow and tint drop out and only
the print remains.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

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
        return cls(width, CELL * round(width * aspect / CELL), fine * width, broad * width)

    @property
    def size(self) -> tuple[int, int]:
        return self.width, self.height

    @property
    def margin(self) -> int:
        """Pixels left out along each edge: what is there is table as often as card."""
        return max(1, self.width // 16)

    @property
    def inner(self) -> tuple[int, int]:
        """Rows and columns of a residual."""
        return self.height - 2 * self.margin, self.width - 2 * self.margin

    def shrunk(self, picture: Bgr) -> Bgr:
        """A picture of a card (height, width, 3) at this size, by averaging areas."""
        return np.asarray(cv2.resize(picture, self.size, interpolation=cv2.INTER_AREA), np.uint8)

    def residual(self, view: Bgr, visible: Floats | None = None) -> Floats:
        """A view of `size` → (3, rows, columns): its print, without the light that fell on it.

        `visible`, (height, width) of 0 to 1: where the card can be seen; default everywhere.
        """
        lab = np.asarray(cv2.cvtColor(view, cv2.COLOR_BGR2LAB), np.uint8)
        sharp = lab
        if self.fine > 0:  # several times as fast as OpenCV's own blur at such a size
            kernel = _kernel(self.fine)
            sharp = np.asarray(cv2.sepFilter2D(lab, cv2.CV_32F, kernel, kernel), np.float32)
        if visible is None:
            light = self._broad(lab)
        else:
            seen = np.asarray(lab * visible[..., None], np.float32)
            light = self._broad(seen) / (self._broad(visible)[..., None] + 1e-3)
        rest: Floats = np.asarray(cv2.subtract(sharp, light, dtype=cv2.CV_32F), np.float32)
        if visible is not None:
            rest = rest * visible[..., None]
        edge = self.margin
        planes = np.array(rest[edge:-edge, edge:-edge].transpose(2, 0, 1), np.float32, order="C")
        planes[1:] *= COLOUR
        return planes

    def _broad(self, plane: Floats | Bgr) -> Floats:
        """The broad blur; on a small copy, where it is as good and far cheaper."""
        step = max(1.0, self.broad / 3)
        size = round(self.width / step), round(self.height / step)
        small = averaged(plane, size).astype(np.float32)
        blurred = cv2.GaussianBlur(small, (0, 0), self.broad / step)
        return np.asarray(cv2.resize(blurred, self.size), np.float32)

    def residuals(self, views: Sequence[Bgr]) -> Floats:
        """The residuals of n views, each flattened and of length 1: (n, 3 × rows × columns)."""
        flat = np.stack([self.residual(v).ravel() for v in views])
        return unit(flat)


@lru_cache(maxsize=8)
def _kernel(blur: float) -> Floats:
    """The weights of a blur of so many pixels."""
    return cv2.getGaussianKernel(2 * max(1, round(3 * blur)) + 1, blur, cv2.CV_32F).astype(np.float32)


def averaged(picture: Floats | Bgr, size: tuple[int, int]) -> Floats | Bgr:
    """A picture, (height, width) or with channels, at a smaller size (width, height), by averaging areas.

    It is halved as often as it goes, which is far faster than one step of that size.
    """
    rows, columns = picture.shape[:2]
    while rows % 2 == columns % 2 == 0 and columns >= 2 * size[0] and rows >= 2 * size[1]:
        rows, columns = rows // 2, columns // 2
        picture = _area(picture, (columns, rows))
    return picture if size == (columns, rows) else _area(picture, size)


def _area(picture: Floats | Bgr, size: tuple[int, int]) -> Floats | Bgr:
    smaller: Floats | Bgr = cv2.resize(picture, size, interpolation=cv2.INTER_AREA)  # type: ignore[assignment]
    return smaller


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
    """Mean square in the window around each cell, as `disagreement` has them."""
    sharpness: float
    """Mean square of the steps from pixel to pixel: falls as a picture goes out of focus."""

    @classmethod
    def of(cls, residual: Floats, seen: float = 1.0) -> Detail:
        """From a residual (3, rows, columns).

        `seen`: the fraction of the card it shows; the rest of it is 0.
        """
        _, rows, columns = residual.shape
        faded = residual * _fading(rows, columns)
        spread = float(np.sqrt(np.vdot(faded, faded) / (rows * columns * seen)))
        planes = np.asarray(faded * np.float32(1 / max(spread, 1e-6)), np.float32)
        steps = planes[:, :, 1:] - planes[:, :, :-1]
        return cls(planes, _local(_dot(planes, planes)), float(np.vdot(steps, steps)) / planes[0].size)

    def likeness(self, other: Detail) -> float:
        """Correlation with another detail: -1 to 1, 1 for the same print."""
        product = np.vdot(self.planes, self.planes) * np.vdot(other.planes, other.planes)
        return float(np.vdot(self.planes, other.planes) / max(np.sqrt(product), 1e-6))


def defocused(picture: Bgr, blur: float) -> Bgr:
    """A picture as a lens out of focus shows it: every point of light a disc of 2 `blur` pixels' radius.

    It is light that spreads, not grey levels (about the square root of it): thin ink fades where a blur of
    grey levels would keep it.
    """
    reach = int(np.ceil(2 * blur))
    away = np.hypot(*np.mgrid[-reach : reach + 1, -reach : reach + 1])
    disc = np.clip(2 * blur + 0.5 - away, 0, 1).astype(np.float32)
    light = picture.astype(np.float32)
    spread = cv2.filter2D(light * light, -1, disc / disc.sum(), borderType=cv2.BORDER_REPLICATE)
    # Large kernels are applied by way of Fourier's series, which leaves a little less than nothing.
    return np.asarray(np.sqrt(np.maximum(spread, 0)).round(), np.uint8)


@lru_cache(maxsize=8)
def _fading(rows: int, columns: int) -> Floats:
    """The weights of all pixels, (rows, columns)."""
    return np.asarray(_ramp(rows, columns)[:, None] * _ramp(columns, columns)[None, :], np.float32)


def _ramp(length: int, columns: int) -> Floats:
    """Weights along a line of pixels that fade towards the card's edge, where outlines are least exact."""
    margin, width = columns / 14, columns * 16 / 14
    at = np.arange(length) + 0.5
    share = (np.minimum(at, length - at) + margin) / width
    return np.asarray(np.clip((share - FADED[0]) / (FADED[1] - FADED[0]), 0, 1), np.float32)


FADED = (0.07, 0.12)
"""How far from the edge, in card widths, a difference begins to count and counts in full."""
CELL, CELLS = 4, 4
"""Side in pixels of the cells, and in cells of the window in which two residuals are compared.

At `compare.DETAIL` that is a seventh of what is compared of a card's width.
"""
SHIFTS = tuple((y, x) for y in range(-2, 3) for x in range(-2, 3) if abs(x) + abs(y) <= 2)
"""How far, in pixels, a window may have slipped: paper bends, and references are cut by eye."""


def _dot(one: Floats, other: Floats) -> Floats:
    """Per-pixel product of (3, rows, columns) planes, summed over the planes."""
    return np.asarray(np.einsum("cyx,cyx->yx", one, other), np.float32)


def _local(plane: Floats) -> Floats:
    """Mean over the window around the first pixel of each cell; beyond the edge there is nothing."""
    rows, columns = plane.shape
    cells = cv2.resize(plane, (columns // CELL, rows // CELL), interpolation=cv2.INTER_AREA)
    return np.asarray(cv2.boxFilter(cells, -1, (CELLS, CELLS), borderType=cv2.BORDER_CONSTANT), np.float32)


def disagreement(seen: Detail, face: Detail) -> float:
    """Of the worst window: 0 where the view shows what the face does, about 1 where it shows another.

    One less the local correlation, each window where it fits best within `SHIFTS`. To both energies the
    average energy of a residual (1) is added, so that in blank places noise counts for little and ink that
    should not be there for much.

    A window that has not slipped may only seem worse than it is: the windows that seem worst are moved,
    until none of the others can be as bad as those.
    """
    planes, rows, columns = face.planes.shape
    side, pad = CELL * CELLS, CELL * CELLS // 2
    reach = max(abs(y) for y, _ in SHIFTS)
    wide = np.zeros((planes, rows + 2 * (pad + reach), columns + 2 * (pad + reach)), np.float32)
    edge = pad + reach
    wide[:, edge:-edge, edge:-edge] = seen.planes
    squares = cv2.boxFilter(_dot(wide, wide), -1, (side, side), borderType=cv2.BORDER_CONSTANT)
    there = 1 / np.sqrt(face.energy + 1)
    still = (_local(_dot(seen.planes, face.planes)) + 1) * there
    still /= np.sqrt(squares[edge:-edge:CELL, edge:-edge:CELL] + 1)
    known = np.zeros((planes, rows + side, columns + side), np.float32)
    known[:, pad:-pad, pad:-pad] = face.planes
    seen_in, known_in = _windows(wide, side), _windows(known, side)
    least = still.ravel()
    order, worst = np.argsort(least), 2.0
    for first in range(0, len(order), AT_ONCE):
        some = order[first : first + AT_ONCE]
        if least[some[0]] >= worst:
            break
        y, x = np.divmod(some, still.shape[1])
        down = (CELL * y + reach)[:, None] + _SHIFTS[:, 0]
        right = (CELL * x + reach)[:, None] + _SHIFTS[:, 1]
        common = np.einsum("nscij,ncij->ns", seen_in[down, right], known_in[CELL * y, CELL * x])
        spread = np.sqrt(squares[down + pad, right + pad] + 1)
        best = (common / side**2 + 1) / spread * there[y, x][:, None]
        worst = min(worst, float(best.max(axis=1).min()))
    return 1 - worst


AT_ONCE = 6
"""Windows that are moved before the next ones are asked for."""
_SHIFTS = np.array(SHIFTS)


def _windows(planes: Floats, side: int) -> Floats:
    """(rows, columns, planes, side, side): what is in each square of planes."""
    return np.lib.stride_tricks.sliding_window_view(planes, (side, side), axis=(1, 2)).transpose(
        1, 2, 0, 3, 4
    )
