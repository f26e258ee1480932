"""What is compared: colour residuals, and where two of them disagree.

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

from companion.vision.locate import Bgr

Floats = NDArray[np.float32]

COLOUR = 1.5
"""Weight of the two colour planes against lightness."""


@dataclass(frozen=True, slots=True, eq=False)
class Shown:
    """What can be seen of a card, at one `Scale`."""

    box: tuple[slice, slice]
    """Rows and columns that hold all of it, and as much more as the fine blur takes in."""
    mask: Floats
    """0 to 1 for each pixel of the box."""
    light: Floats
    """The same, blurred broadly."""
    share: float
    """The part of the card, 0 to 1."""


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

    def residual(self, view: Bgr, shown: Shown | None = None) -> Floats:
        """A view of `size` → (3, rows, columns): its print, without the light that fell on it.

        `shown`: what of the card can be seen; default all.
        """
        edge = self.margin
        if shown is not None:
            return self._of_part(view, shown)[:, edge:-edge, edge:-edge]
        lab = np.asarray(cv2.cvtColor(view, cv2.COLOR_BGR2LAB), np.uint8)
        rest = cv2.subtract(self._sharp(lab), self._broad(lab), dtype=cv2.CV_32F)
        planes = np.array(rest[edge:-edge, edge:-edge].transpose(2, 0, 1), np.float32, order="C")
        planes[1:] *= COLOUR
        return planes

    def _of_part(self, view: Bgr, shown: Shown) -> Floats:
        """As `residual`, with its margin: (3, height, width)."""
        box, mask = shown.box, shown.mask
        lab = cv2.split(cv2.cvtColor(np.ascontiguousarray(view[box]), cv2.COLOR_BGR2LAB))
        rest = np.zeros((3, self.height, self.width), np.float32)
        for plane, left in zip(lab, rest, strict=True):
            left[box] = plane * mask
            light = self._broad(left)[box] / shown.light
            np.multiply(self._sharp(np.asarray(plane, np.uint8)) - light, mask, out=left[box])
        rest[1:] *= COLOUR
        return rest

    def shown(self, visible: Floats) -> Shown:
        """Where a card can be seen: `visible`, (height, width) of 0 to 1."""
        reach = len(_kernel(self.fine)) // 2 if self.fine > 0 else 1
        left, top, width, height = cv2.boundingRect((visible > 0).astype(np.uint8))
        box = (
            slice(max(top - reach, 0), top + height + reach),
            slice(max(left - reach, 0), left + width + reach),
        )
        return Shown(box, visible[box], self._broad(visible)[box] + np.float32(1e-3), float(visible.mean()))

    def _sharp(self, lab: Bgr) -> Floats | Bgr:
        """The fine blur."""
        if self.fine <= 0:
            return lab
        kernel = _kernel(self.fine)  # several times as fast as OpenCV's own blur at such a size
        return np.asarray(cv2.sepFilter2D(lab, cv2.CV_32F, kernel, kernel), np.float32)

    @property
    def coarser(self) -> float:
        """How many times smaller the copy is that is blurred broadly: as good there, and far cheaper."""
        return max(1.0, self.broad / 3)

    @property
    def coarse(self) -> tuple[int, int]:
        """Width and height of that copy."""
        return round(self.width / self.coarser), round(self.height / self.coarser)

    def _broad(self, plane: Floats | Bgr) -> Floats:
        """The broad blur."""
        small = averaged(plane, self.coarse).astype(np.float32)
        blurred = cv2.GaussianBlur(small, (0, 0), self.broad / self.coarser)
        return np.asarray(cv2.resize(blurred, self.size), np.float32)

    def residuals(self, views: Sequence[Bgr], visible: Sequence[Floats] = ()) -> Floats:
        """The residuals of n views, each flattened and of length 1: (n, 3 × rows × columns).

        `visible`: of each view as in `shown`; default everywhere. Of small views this is far cheaper than
        one by one.
        """
        # One below the other they are averaged as if alone; their fine blurs mix in their margins only.
        count, edge, (rows, columns) = len(views), self.margin, self.inner
        width, height = self.coarse
        down, across = _spreading(self)
        each, inside = (count, self.height, self.width, -1), np.s_[:, edge:-edge, edge:-edge]

        def light(plane: Floats | Bgr) -> Floats:
            small = averaged(plane, (width, count * height)).reshape(count, height, -1).astype(np.float32)
            spread = down @ (small @ (across if plane.ndim == 3 else across[::3, ::3]))
            return np.asarray(spread.reshape(count, rows, columns, -1), np.float32)

        lab = np.asarray(cv2.cvtColor(np.concatenate(views), cv2.COLOR_BGR2LAB), np.uint8)
        sharp = self._sharp(lab).reshape(each)[inside]
        if visible:
            mask = np.concatenate(visible)
            rest = sharp - light(lab * mask[..., None]) / (light(mask) + 1e-3)
            rest *= mask.reshape(each)[inside]
        else:
            rest = sharp - light(lab)
        planes = np.array(rest.transpose(0, 3, 1, 2), np.float32, order="C")
        planes[:, 1:] *= COLOUR
        return unit(planes.reshape(count, -1))


@lru_cache(maxsize=8)
def _spreading(scale: Scale) -> tuple[Floats, Floats]:
    """What makes the broad blur of a small copy at full size: a matrix from the left, one from the right.

    (rows, its height) and (its width × 3, columns × 3): the channels of a pixel lie beside each other.
    """

    def spreading(few: int, many: int) -> Floats:
        one_each = np.eye(few, dtype=np.float32)[:, None]
        blurred = cv2.GaussianBlur(one_each, (0, 0), scale.broad / scale.coarser)
        return np.asarray(cv2.resize(blurred, (1, many))[scale.margin : -scale.margin, 0], np.float32)

    (width, height), channels = scale.coarse, np.eye(3, dtype=np.float32)
    across = np.kron(spreading(width, scale.width).T, channels)
    return spreading(height, scale.height), np.asarray(across, np.float32)


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
    """One residual made ready for `disagreement`: of mean square 1, with its local energy."""

    wide: Floats
    """(3, rows, columns) with a rim of zeros, `RIM` pixels wide."""
    square: float
    """The sum of its squares."""
    squares: Floats
    """(rows, columns) of cells: the mean square in the window around each."""
    sharpness: float
    """Mean square of the steps from pixel to pixel: falls as a picture goes out of focus."""

    @classmethod
    def of(cls, residual: Floats, seen: float = 1.0) -> Detail:
        """From a residual (3, rows, columns).

        `seen`: the fraction of the card it shows; the rest of it is 0.
        """
        count, rows, columns = residual.shape
        wide = np.zeros((count, rows + 2 * RIM, columns + 2 * RIM), np.float32)
        planes = wide[:, RIM:-RIM, RIM:-RIM]
        np.multiply(residual, _fading(rows, columns), out=planes)
        square = float(np.vdot(wide, wide))
        scale = 1 / max(float(np.sqrt(square / (rows * columns * seen))), 1e-6)
        wide *= np.float32(scale)
        flat = wide.ravel()  # its rows end in zeros, so there is no step from one to the next
        steps = flat[1:] - flat[:-1]
        sharpness = float(np.vdot(steps, steps)) / (rows * columns)
        return cls(wide, square * scale**2, _common(planes, planes), sharpness)

    @property
    def planes(self) -> Floats:
        """(3, rows, columns)."""
        return self.wide[:, RIM:-RIM, RIM:-RIM]

    def likeness(self, other: Detail) -> float:
        """Correlation with another detail: -1 to 1, 1 for the same print."""
        product = np.sqrt(self.square * other.square)
        return float(np.vdot(self.wide, other.wide) / max(product, 1e-6))


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
SIDE, REACH = CELL * CELLS, max(abs(y) for y, _ in SHIFTS)
"""Side of the window in pixels, and how far it may slip along one."""
RIM = SIDE // 2 + REACH
"""How far a window reaches beyond the edge, where there is nothing."""
AT_ONCE = 4
"""Windows that are moved before the next ones are asked for."""
_SHIFTS = np.array(SHIFTS)


def _common(one: Floats, other: Floats) -> Floats:
    """Mean product of (3, rows, columns) planes in the window around the first pixel of each cell.

    Beyond the edge there is nothing.
    """
    product = cv2.multiply(one[0], other[0])
    for plane, with_it in zip(one[1:], other[1:], strict=True):
        cv2.accumulateProduct(plane, with_it, product)
    rows, columns = product.shape
    cells = cv2.resize(product, (columns // CELL, rows // CELL), interpolation=cv2.INTER_AREA)
    return np.asarray(cv2.boxFilter(cells, -1, (CELLS, CELLS), borderType=cv2.BORDER_CONSTANT), np.float32)


def disagreement(seen: Detail, face: Detail, most: float = 2.0) -> float:
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
            half = SIDE // 2  # of a window at the edge lies beyond it, where the view may go on
            wide = seen.wide[:, RIM - half + y :, RIM - half + x :][:, : rows + SIDE, : columns + SIDE]
            moved, cells = wide[:, half:-half, half:-half], half // CELL
            squares = _common(wide, wide)[cells:-cells, cells:-cells]
        common = _common(moved, face.planes) + 1
        return np.asarray(common * there / np.sqrt(squares + 1), np.float32).ravel()

    least, worst, tried = alike(0, 0), 2.0, [SHIFTS.index((0, 0))]
    for look in itertools.count(1):
        if least.min() >= worst or 1 - worst >= most:
            break
        some = np.argpartition(least, AT_ONCE)[:AT_ONCE]
        y, x = np.divmod(some, columns // CELL)
        down = (CELL * y + REACH)[:, None] + _SHIFTS[:, 0]
        right = (CELL * x + REACH)[:, None] + _SHIFTS[:, 1]
        moved = seen_in[down, right].reshape(AT_ONCE, len(SHIFTS), -1)
        still = known_in[CELL * y + REACH, CELL * x + REACH].reshape(AT_ONCE, -1, 1)
        common = (moved @ still)[:, :, 0] / SIDE**2 + 1
        squares = np.einsum("wsp,wsp->ws", moved, moved) / SIDE**2
        best = common / np.sqrt(squares + 1) * there[y, x][:, None]
        worst = min(worst, float(best.max(axis=1).min()))
        least[some] = 2.0
        usual = int(np.bincount(best.argmax(axis=1)).argmax())
        if look > 1 and usual not in tried:
            tried.append(usual)
            least = np.maximum(least, alike(*SHIFTS[usual]))
    return 1 - worst


def _windows(planes: Floats) -> Floats:
    """(rows, columns, planes, `SIDE`, `SIDE`): what is in each square of planes."""
    count, rows, columns = planes.shape
    plane, row, column = planes.strides
    shape = rows - SIDE + 1, columns - SIDE + 1, count, SIDE, SIDE
    return np.ndarray(shape, np.float32, planes, strides=(row, column, plane, row, column))
