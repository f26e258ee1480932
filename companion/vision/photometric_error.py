"""Measures how far a view of a card differs from a known face, whatever the light.

A residual is a view in CIE Lab with its local mean removed, so that light, shadow and tint drop out and only
the print remains.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.vision.outlines import Bgr

Floats = NDArray[np.float32]

COLOUR_WEIGHT = 1.5
"""Weight of the two colour planes against lightness."""


@dataclass(frozen=True, slots=True, eq=False)
class VisiblePart:
    """What can be seen of a card, at one `ComparisonScale`."""

    box: tuple[slice, slice]
    """Rows and columns that hold all of it, and as much more as the fine blur takes in."""
    mask: Floats
    """0 to 1 for each pixel of the box."""
    light: Floats
    """The same, blurred broadly."""
    share: float
    """The part of the card, 0 to 1."""


@dataclass(frozen=True, slots=True)
class ComparisonScale:
    """One size at which views are compared."""

    width: int
    height: int
    fine: float
    """Blur in pixels that takes away what no camera resolves; 0 for none."""
    broad: float
    """Blur in pixels that leaves only light, shadow and tint."""

    @classmethod
    def of(cls, width: int, aspect: float, *, fine: float, broad: float) -> ComparisonScale:
        """For cards `aspect` times as high as wide; the two blurs in card widths."""
        return cls(width, CELL_SIDE * round(width * aspect / CELL_SIDE), fine * width, broad * width)

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

    def shrink(self, picture: Bgr) -> Bgr:
        """A picture of a card (height, width, 3) at this size, by averaging areas."""
        return np.asarray(cv2.resize(picture, self.size, interpolation=cv2.INTER_AREA), np.uint8)

    def residual(self, view: Bgr, shown: VisiblePart | None = None) -> Floats:
        """A view of `size` → (3, rows, columns): its print, without the light that fell on it.

        `shown`: what of the card can be seen; default all.
        """
        edge = self.margin
        if shown is not None:
            return self._part_residual(view, shown)[:, edge:-edge, edge:-edge]
        lab = np.asarray(cv2.cvtColor(view, cv2.COLOR_BGR2LAB), np.uint8)
        rest = cv2.subtract(self._fine_blur(lab), self._broad_blur(lab), dtype=cv2.CV_32F)
        planes = np.array(rest[edge:-edge, edge:-edge].transpose(2, 0, 1), np.float32, order="C")
        planes[1:] *= COLOUR_WEIGHT
        return planes

    def _part_residual(self, view: Bgr, shown: VisiblePart) -> Floats:
        """As `residual`, with its margin: (3, height, width)."""
        box, mask = shown.box, shown.mask
        lab = cv2.split(cv2.cvtColor(np.ascontiguousarray(view[box]), cv2.COLOR_BGR2LAB))
        rest = np.zeros((3, self.height, self.width), np.float32)
        for plane, left in zip(lab, rest, strict=True):
            left[box] = plane * mask
            light = self._broad_blur(left)[box] / shown.light
            np.multiply(self._fine_blur(np.asarray(plane, np.uint8)) - light, mask, out=left[box])
        rest[1:] *= COLOUR_WEIGHT
        return rest

    def visible_part(self, visible: Floats) -> VisiblePart:
        """Where a card can be seen: `visible`, (height, width) of 0 to 1."""
        reach = len(_kernel(self.fine)) // 2 if self.fine > 0 else 1
        left, top, width, height = cv2.boundingRect((visible > 0).astype(np.uint8))
        box = (
            slice(max(top - reach, 0), top + height + reach),
            slice(max(left - reach, 0), left + width + reach),
        )
        return VisiblePart(
            box, visible[box], self._broad_blur(visible)[box] + np.float32(1e-3), float(visible.mean())
        )

    def _fine_blur(self, lab: Bgr) -> Floats | Bgr:
        """The fine blur."""
        if self.fine <= 0:
            return lab
        kernel = _kernel(self.fine)  # several times as fast as OpenCV's own blur at such a size
        return np.asarray(cv2.sepFilter2D(lab, cv2.CV_32F, kernel, kernel), np.float32)

    @property
    def reduction(self) -> float:
        """How many times smaller the copy is that is blurred broadly: as good there, and far cheaper."""
        return max(1.0, self.broad / 3)

    @property
    def reduced_size(self) -> tuple[int, int]:
        """Width and height of that copy."""
        return round(self.width / self.reduction), round(self.height / self.reduction)

    def _broad_blur(self, plane: Floats | Bgr) -> Floats:
        """The broad blur."""
        small = resize_by_area(plane, self.reduced_size).astype(np.float32)
        blurred = cv2.GaussianBlur(small, (0, 0), self.broad / self.reduction)
        return np.asarray(cv2.resize(blurred, self.size), np.float32)

    def residuals(self, views: Sequence[Bgr], visible: Sequence[Floats] = ()) -> Floats:
        """The residuals of n views, each flattened and of length 1: (n, 3 × rows × columns).

        `visible`: of each view as in `shown`; default everywhere. Of small views this is far cheaper than
        one by one.
        """
        # One below the other they are averaged as if alone; their fine blurs mix in their margins only.
        count, edge, (rows, columns) = len(views), self.margin, self.inner
        width, height = self.reduced_size
        down, across = _upsampling_matrices(self)
        each, inside = (count, self.height, self.width, -1), np.s_[:, edge:-edge, edge:-edge]

        def light(plane: Floats | Bgr) -> Floats:
            small = (
                resize_by_area(plane, (width, count * height)).reshape(count, height, -1).astype(np.float32)
            )
            spread = down @ (small @ (across if plane.ndim == 3 else across[::3, ::3]))
            return np.asarray(spread.reshape(count, rows, columns, -1), np.float32)

        lab = np.asarray(cv2.cvtColor(np.concatenate(views), cv2.COLOR_BGR2LAB), np.uint8)
        sharp = self._fine_blur(lab).reshape(each)[inside]
        if visible:
            mask = np.concatenate(visible)
            rest = sharp - light(lab * mask[..., None]) / (light(mask) + 1e-3)
            rest *= mask.reshape(each)[inside]
        else:
            rest = sharp - light(lab)
        planes = np.array(rest.transpose(0, 3, 1, 2), np.float32, order="C")
        planes[:, 1:] *= COLOUR_WEIGHT
        return normalise_rows(planes.reshape(count, -1))


@lru_cache(maxsize=8)
def _upsampling_matrices(scale: ComparisonScale) -> tuple[Floats, Floats]:
    """What makes the broad blur of a small copy at full size: a matrix from the left, one from the right.

    (rows, its height) and (its width × 3, columns × 3): the channels of a pixel lie beside each other.
    """

    def spreading(few: int, many: int) -> Floats:
        one_each = np.eye(few, dtype=np.float32)[:, None]
        blurred = cv2.GaussianBlur(one_each, (0, 0), scale.broad / scale.reduction)
        return np.asarray(cv2.resize(blurred, (1, many))[scale.margin : -scale.margin, 0], np.float32)

    (width, height), channels = scale.reduced_size, np.eye(3, dtype=np.float32)
    across = np.kron(spreading(width, scale.width).T, channels)
    return spreading(height, scale.height), np.asarray(across, np.float32)


@lru_cache(maxsize=8)
def _kernel(blur: float) -> Floats:
    """The weights of a blur of so many pixels."""
    return cv2.getGaussianKernel(2 * max(1, round(3 * blur)) + 1, blur, cv2.CV_32F).astype(np.float32)


def resize_by_area(picture: Floats | Bgr, size: tuple[int, int]) -> Floats | Bgr:
    """A picture, (height, width) or with channels, at a smaller size (width, height), by averaging areas.

    It is halved as often as it goes, which is far faster than one step of that size.
    """
    rows, columns = picture.shape[:2]
    while rows % 2 == columns % 2 == 0 and columns >= 2 * size[0] and rows >= 2 * size[1]:
        rows, columns = rows // 2, columns // 2
        picture = _resize_area(picture, (columns, rows))
    return picture if size == (columns, rows) else _resize_area(picture, size)


def _resize_area(picture: Floats | Bgr, size: tuple[int, int]) -> Floats | Bgr:
    smaller: Floats | Bgr = cv2.resize(picture, size, interpolation=cv2.INTER_AREA)  # type: ignore[assignment]
    return smaller


def normalise_rows(vectors: Floats) -> Floats:
    """Each of n vectors, brought to length 1."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(vectors / np.maximum(lengths, 1e-6), np.float32)


def rotate_residuals(flat: Floats, inner: tuple[int, int]) -> Floats:
    """Flattened residuals (n, 3 × rows × columns) upside down."""
    return flat.reshape(-1, 3, *inner)[:, :, ::-1, ::-1].reshape(len(flat), -1)


@dataclass(frozen=True, slots=True, eq=False)
class ResidualDetail:
    """One residual made ready for `worst_disagreement`: of mean square 1, with its local energy."""

    wide: Floats
    """(3, rows, columns) with a rim of zeros, `WINDOW_RIM` pixels wide."""
    square: float
    """The sum of its squares."""
    squares: Floats
    """(rows, columns) of cells: the mean square in the window around each."""
    sharpness: float
    """Mean square of the steps from pixel to pixel: falls as a picture goes out of focus."""

    @classmethod
    def of(cls, residual: Floats, seen: float = 1.0) -> ResidualDetail:
        """From a residual (3, rows, columns).

        `seen`: the fraction of the card it shows; the rest of it is 0.
        """
        count, rows, columns = residual.shape
        wide = np.zeros((count, rows + 2 * WINDOW_RIM, columns + 2 * WINDOW_RIM), np.float32)
        planes = wide[:, WINDOW_RIM:-WINDOW_RIM, WINDOW_RIM:-WINDOW_RIM]
        np.multiply(residual, _edge_weights(rows, columns), out=planes)
        square = float(np.vdot(wide, wide))
        scale = 1 / max(float(np.sqrt(square / (rows * columns * seen))), 1e-6)
        wide *= np.float32(scale)
        flat = wide.ravel()  # its rows end in zeros, so there is no step from one to the next
        steps = flat[1:] - flat[:-1]
        sharpness = float(np.vdot(steps, steps)) / (rows * columns)
        return cls(wide, square * scale**2, _window_products(planes, planes), sharpness)

    @property
    def planes(self) -> Floats:
        """(3, rows, columns)."""
        return self.wide[:, WINDOW_RIM:-WINDOW_RIM, WINDOW_RIM:-WINDOW_RIM]

    def likeness(self, other: ResidualDetail) -> float:
        """Correlation with another detail: -1 to 1, 1 for the same print."""
        product = np.sqrt(self.square * other.square)
        return float(np.vdot(self.wide, other.wide) / max(product, 1e-6))


def defocus(picture: Bgr, blur: float) -> Bgr:
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
def _edge_weights(rows: int, columns: int) -> Floats:
    """The weights of all pixels, (rows, columns)."""
    return np.asarray(_ramp(rows, columns)[:, None] * _ramp(columns, columns)[None, :], np.float32)


def _ramp(length: int, columns: int) -> Floats:
    """Weights along a line of pixels that fade towards the card's edge, where outlines are least exact."""
    margin, width = columns / 14, columns * 16 / 14
    at = np.arange(length) + 0.5
    share = (np.minimum(at, length - at) + margin) / width
    return np.asarray(np.clip((share - EDGE_FADE[0]) / (EDGE_FADE[1] - EDGE_FADE[0]), 0, 1), np.float32)


EDGE_FADE = (0.07, 0.12)
"""How far from the edge, in card widths, a difference begins to count and counts in full."""
CELL_SIDE, WINDOW_CELLS = 4, 4
"""Side in pixels of the cells, and in cells of the window in which two residuals are compared.

At `comparison.DETAIL_WIDTH` that is a seventh of what is compared of a card's width.
"""
SHIFTS = tuple((y, x) for y in range(-2, 3) for x in range(-2, 3) if abs(x) + abs(y) <= 2)
"""How far, in pixels, a window may have slipped: paper bends, and references are cut by eye."""
WINDOW_SIDE, MAX_SHIFT = CELL_SIDE * WINDOW_CELLS, max(abs(y) for y, _ in SHIFTS)
"""Side of the window in pixels, and how far it may slip along one."""
WINDOW_RIM = WINDOW_SIDE // 2 + MAX_SHIFT
"""How far a window reaches beyond the edge, where there is nothing."""
WINDOW_BATCH = 4
"""Windows that are moved before the next ones are asked for."""
_SHIFTS = np.array(SHIFTS)


def _window_products(one: Floats, other: Floats) -> Floats:
    """Mean product of (3, rows, columns) planes in the window around the first pixel of each cell.

    Beyond the edge there is nothing.
    """
    product = cv2.multiply(one[0], other[0])
    for plane, with_it in zip(one[1:], other[1:], strict=True):
        cv2.accumulateProduct(plane, with_it, product)
    rows, columns = product.shape
    cells = cv2.resize(product, (columns // CELL_SIDE, rows // CELL_SIDE), interpolation=cv2.INTER_AREA)
    return np.asarray(
        cv2.boxFilter(cells, -1, (WINDOW_CELLS, WINDOW_CELLS), borderType=cv2.BORDER_CONSTANT), np.float32
    )


def worst_disagreement(seen: ResidualDetail, face: ResidualDetail, most: float = 2.0) -> float:
    """Of the worst window: 0 where the view shows what the face does, about 1 where it shows another.

    One less the local correlation, each window where it fits best within `SHIFTS`. To both energies the
    average energy of a residual (1) is added, so that in blank places noise counts for little and ink that
    should not be there for much. `most`: from this on it does not matter how much more it is.

    A window that has not slipped may only seem worse than it is: the windows that seem worst are moved,
    until none of the others can be as bad as those. If that takes long, the others have slipped as they have.
    """
    _, rows, columns = face.planes.shape
    there = 1 / np.sqrt(face.squares + 1)
    seen_in, known_in = _windows(seen.wide), _windows(face.wide)

    def alike(y: int, x: int) -> Floats:
        """Of all windows, slipped by so many pixels."""
        moved, squares = seen.planes, seen.squares
        if (y, x) != (0, 0):
            half = WINDOW_SIDE // 2  # of a window at the edge lies beyond it, where the view may go on
            wide = seen.wide[:, WINDOW_RIM - half + y :, WINDOW_RIM - half + x :][
                :, : rows + WINDOW_SIDE, : columns + WINDOW_SIDE
            ]
            moved, cells = wide[:, half:-half, half:-half], half // CELL_SIDE
            squares = _window_products(wide, wide)[cells:-cells, cells:-cells]
        common = _window_products(moved, face.planes) + 1
        return np.asarray(common * there / np.sqrt(squares + 1), np.float32).ravel()

    least, worst, tried = alike(0, 0), 2.0, [SHIFTS.index((0, 0))]
    for look in itertools.count(1):
        if least.min() >= worst or 1 - worst >= most:
            break
        some = np.argpartition(least, WINDOW_BATCH)[:WINDOW_BATCH]
        y, x = np.divmod(some, columns // CELL_SIDE)
        down = (CELL_SIDE * y + MAX_SHIFT)[:, None] + _SHIFTS[:, 0]
        right = (CELL_SIDE * x + MAX_SHIFT)[:, None] + _SHIFTS[:, 1]
        moved = seen_in[down, right].reshape(WINDOW_BATCH, len(SHIFTS), -1)
        still = known_in[CELL_SIDE * y + MAX_SHIFT, CELL_SIDE * x + MAX_SHIFT].reshape(WINDOW_BATCH, -1, 1)
        common = (moved @ still)[:, :, 0] / WINDOW_SIDE**2 + 1
        squares = np.einsum("wsp,wsp->ws", moved, moved) / WINDOW_SIDE**2
        best = common / np.sqrt(squares + 1) * there[y, x][:, None]
        worst = min(worst, float(best.max(axis=1).min()))
        least[some] = 2.0
        usual = int(np.bincount(best.argmax(axis=1)).argmax())
        if look > 1 and usual not in tried:
            tried.append(usual)
            least = np.maximum(least, alike(*SHIFTS[usual]))
    return 1 - worst


def _windows(planes: Floats) -> Floats:
    """(rows, columns, planes, `WINDOW_SIDE`, `WINDOW_SIDE`): what is in each square of planes."""
    count, rows, columns = planes.shape
    plane, row, column = planes.strides
    shape = rows - WINDOW_SIDE + 1, columns - WINDOW_SIDE + 1, count, WINDOW_SIDE, WINDOW_SIDE
    return np.ndarray(shape, np.float32, planes, strides=(row, column, plane, row, column))
